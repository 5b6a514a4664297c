"""The HTTP of the stand-in: a thread on a free port of 127.0.0.1."""

from __future__ import annotations

import base64
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from ibm_service.faults import Fault
from ibm_service.state import ServiceError, State

_PREFIX = "/experimental/api/v1"  # the client leaves a URL with "experimental" in it alone
_PLAN_ID = "plan-1"


class StandIn:
    """A running service. Use as a context manager.

    Args:
        state: What it serves.
        port: Default: any free one.
    """

    def __init__(self, state: State | None = None, port: int = 0) -> None:
        self.state = state or State()
        handler = type("Handler", (_Handler,), {"state": self.state})
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def environment(self) -> dict[str, str]:
        """The variables that send the client here."""
        return {
            "QISKIT_IBM_TOKEN": self.state.api_key,
            "QISKIT_IBM_INSTANCE": self.state.crn,
            "QISKIT_IBM_CHANNEL": "ibm_quantum_platform",
            "QISKIT_IBM_URL": self.url + _PREFIX,
            "IAM_URL": self.url,
            "GLOBAL_SEARCH_URL": self.url,
            "GLOBAL_CATALOG_URL": f"{self.url}/api/v1",
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    state: State
    protocol_version = "HTTP/1.1"
    # Without this, an answer in two packets waits for the client's delayed acknowledgement.
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        """Stays silent."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_PATCH(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        split = urlsplit(self.path)
        path = split.path.removeprefix(_PREFIX)
        with self.state.lock:
            self.state.requests[self.command, path] += 1
            fault = next((f for f in self.state.faults if f.matches(self.command, path)), None)
            if fault is not None:
                fault.times -= 1
        if fault is not None and fault.when == "before":
            self._spoil(fault)
            return
        try:
            status, answer = self._route(path, parse_qs(split.query), body)
        except ServiceError as error:
            status, answer = error.status, _error(error.code, error.message)
        if fault is not None:
            self._spoil(fault)
        else:
            self._answer(status, answer)

    def _spoil(self, fault: Fault) -> None:
        if fault.action is not None:
            fault.action()
        if fault.body is not None:
            self._answer(200, fault.body)
        elif fault.status:
            self._answer(fault.status, _error(fault.code, fault.message))
        else:
            self.close_connection = True

    def _answer(self, status: int, answer: Any) -> None:
        raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        if status == 204:
            raw = b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _route(self, path: str, query: dict[str, list[str]], body: bytes) -> tuple[int, Any]:
        if (self.command, path) == ("POST", "/identity/token"):
            return self._token(body)
        self._check_token()
        if path == "/v3/resources/search":
            instances = (self.state, *self.state.siblings.values())
            return 200, {"items": [_instance(state) for state in instances]}
        if path == f"/api/v1/{_PLAN_ID}":
            return 200, _catalog_entry(self.state)
        state = self._instance()
        for method, pattern, serve in _ROUTES:
            found = re.fullmatch(pattern, path)
            if method == self.command and found:
                return serve(state, found.groups(), query, json.loads(body or b"{}"))
        raise ServiceError(404, 1200, f"no such resource: {self.command} {path}")

    def _token(self, body: bytes) -> tuple[int, Any]:
        if parse_qs(body.decode()).get("apikey") != [self.state.api_key]:
            return 400, {
                "errorCode": "BXNIM0415E",
                "errorMessage": "Provided API key could not be found.",
            }
        now = int(time.time())
        return 200, {
            "access_token": _jwt(self.state, now),
            "token_type": "Bearer",
            "expires_in": 3600,
            "expiration": now + 3600,
        }

    def _check_token(self) -> None:
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or _subject(token) != self.state.crn:
            raise ServiceError(401, 1202, "the access token is missing or not valid")

    def _instance(self) -> State:
        """The instance that the request is for."""
        states = {self.state.crn: self.state, **self.state.siblings}
        state = states.get(self.headers.get("Service-CRN") or "")
        if state is None:
            raise ServiceError(403, 1209, "no access to this instance")
        if not self.headers.get("IBM-API-Version"):
            raise ServiceError(400, 1211, "the header IBM-API-Version is missing")
        return state


def _error(code: int, message: str) -> dict[str, Any]:
    return {"errors": [{"code": code, "message": message}], "trace": "stand-in"}


def _jwt(state: State, now: int) -> str:
    parts: list[dict[str, Any]] = [
        {"alg": "none"},
        {"iat": now, "exp": now + 3600, "sub": state.crn},
    ]
    encoded = [base64.urlsafe_b64encode(json.dumps(p).encode()).rstrip(b"=") for p in parts]
    return b".".join([*encoded, b"unsigned"]).decode()


def _subject(token: str) -> str | None:
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (IndexError, ValueError):
        return None
    subject: str | None = claims.get("sub")
    return subject


def _instance(state: State) -> dict[str, Any]:
    return {
        "crn": state.crn,
        "name": "stand-in",
        "service_plan_unique_id": _PLAN_ID,
        "doc": {"extensions": {"backends": list(state.devices)}},
        "tags": [],
    }


def _catalog_entry(state: State) -> dict[str, Any]:
    price = "free" if state.plan == "open" else "paygo"
    return {
        "overview_ui": {"en": {"display_name": state.plan.capitalize()}},
        "metadata": {"pricing": {"type": price}},
    }


def _backends(state: State, found: Any, query: Any, body: Any) -> tuple[int, Any]:
    devices = [
        {
            "name": d.name,
            "qubits": d.configuration()["n_qubits"],
            "queue_length": d.queue,
            "status": {"name": "online" if d.online else "offline"},
        }
        for d in state.devices.values()
    ]
    return 200, {"devices": devices}


def _status(state: State, found: Any, query: Any, body: Any) -> tuple[int, Any]:
    device = state.device(found[0])
    return 200, {
        "state": device.online,
        "status": device.status,
        "length_queue": device.queue,
        "backend_version": "1.0.0",
    }


def _submit(state: State, found: Any, query: Any, body: Any) -> tuple[int, Any]:
    job = state.submit(body)
    return 200, {"id": job.id, "backend": job.device}


def _jobs(state: State, found: Any, query: Any, body: Any) -> tuple[int, Any]:
    wanted = set(query.get("tags", []))
    with state.lock:
        jobs = [j for j in reversed(state.jobs.values()) if wanted <= set(j.tags)]
    skip, limit = int(query.get("offset", ["0"])[0]), int(query.get("limit", ["20"])[0])
    page = [j.as_json() for j in jobs[skip : skip + limit]]
    return 200, {"jobs": page, "count": len(jobs), "limit": limit, "offset": skip}


def _job(state: State, found: Any, query: Any, body: Any) -> tuple[int, Any]:
    params = query.get("exclude_params") != ["true"]
    return 200, state.job(found[0]).as_json(params)


def _results(state: State, found: Any, query: Any, body: Any) -> tuple[int, Any]:
    job = state.job(found[0])
    if job.status != "Completed":
        return 204, b""
    return 200, job.results.encode()


def _cancel(state: State, found: Any, query: Any, body: Any) -> tuple[int, Any]:
    state.cancel(found[0])
    return 204, b""


def _close_session(state: State, found: Any, query: Any, body: Any) -> tuple[int, Any]:
    state.session(found[0]).update(accepting_jobs=False, state="closed")
    return 204, b""


_ROUTES = (
    ("GET", "/backends", _backends),
    (
        "GET",
        "/backends/([^/]+)/configuration",
        lambda state, found, query, body: (200, state.device(found[0]).configuration()),
    ),
    (
        "GET",
        "/backends/([^/]+)/properties",
        lambda state, found, query, body: (200, state.device(found[0]).properties()),
    ),
    ("GET", "/backends/([^/]+)/status", _status),
    ("GET", "/instances/usage", lambda state, found, query, body: (200, state.usage)),
    ("POST", "/jobs", _submit),
    ("GET", "/jobs", _jobs),
    ("GET", "/jobs/([^/]+)", _job),
    ("GET", "/jobs/([^/]+)/results", _results),
    (
        "GET",
        "/jobs/([^/]+)/metrics",
        lambda state, found, query, body: (200, state.metrics(found[0])),
    ),
    ("POST", "/jobs/([^/]+)/cancel", _cancel),
    (
        "POST",
        "/sessions",
        lambda state, found, query, body: (200, state.open_session(body)),
    ),
    (
        "GET",
        "/sessions/([^/]+)",
        lambda state, found, query, body: (200, state.session(found[0])),
    ),
    ("PATCH", "/sessions/([^/]+)", _close_session),
    ("DELETE", "/sessions/([^/]+)/close", _close_session),
)
