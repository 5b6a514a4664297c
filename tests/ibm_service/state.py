"""The service without its HTTP: accounts, instances, devices, jobs, batches."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ibm_service.devices import Device
from ibm_service.execution import RefusedError, execute
from ibm_service.faults import Fault

FINAL = ("Completed", "Failed", "Cancelled")


@dataclass
class Job:
    """A job of the service; ``status`` is the service's own word."""

    id: str
    program_id: str
    device: str
    params: dict[str, Any]
    tags: list[str]
    cost: int | None
    session_id: str | None
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat())
    status: str = "Queued"
    reason: str = ""
    reason_code: int | None = None
    results: str = ""
    finished: str | None = None

    def as_json(self, params: bool = False) -> dict[str, Any]:
        """As ``/jobs/ID`` gives it."""
        state: dict[str, Any] = {"status": self.status}
        if self.reason:
            state |= {"reason": self.reason, "reason_code": self.reason_code}
        found: dict[str, Any] = {
            "id": self.id,
            "backend": self.device,
            "program": {"id": self.program_id},
            "created": self.created,
            "tags": self.tags,
            "state": state,
            "status": self.status,
            "cost": self.cost,
            "estimated_running_time_seconds": 3.0,
        }
        if self.session_id:
            found["session_id"] = self.session_id
        if params:
            found["params"] = self.params
        return found


class ServiceError(Exception):
    """Answered as an HTTP error with IBM's body."""

    def __init__(self, status: int, code: int, message: str) -> None:
        self.status, self.code, self.message = status, code, message
        super().__init__(message)


class State:
    """Everything the service knows, and what a test may set.

    Attributes:
        api_key: The one good key.
        crn: The instance that this is.
        siblings: Other instances of the same account, by their CRN.
        plan: Name of the instance's plan; with ``open`` sessions are refused.
        devices: By name.
        jobs: By id.
        faults: Requests to spoil.
        requests: How often each (method, path) came, job ids and names as they are.
        usage: As ``/instances/usage`` gives it.
        hold: While set, jobs stay in the queue.
        run_seconds: How long a job stays in the state Running.
        fail_next: (code, reason) for the next job that runs.
        seed: Of the first job; each job adds one.
    """

    def __init__(self, devices: tuple[str, ...] = ("ibm_manila",), seed: int = 1) -> None:
        self.api_key = f"key-{uuid.uuid4().hex}"
        account, instance = uuid.uuid4().hex, uuid.uuid4()
        self.crn = f"crn:v1:bluemix:public:quantum-computing:us-east:a/{account}:{instance}::"
        self.siblings: dict[str, State] = {}
        self.plan = "open"
        self.devices = {name: Device(name) for name in devices}
        for device in self.devices.values():
            _ = device.backend  # loaded here, before there are threads
        self.jobs: dict[str, Job] = {}
        self.sessions: dict[str, dict[str, Any]] = {}
        self.faults: list[Fault] = []
        self.requests: Counter[tuple[str, str]] = Counter()
        self.usage: dict[str, Any] = {
            "usage_consumed_seconds": 60,
            "usage_limit_seconds": 600,
            "usage_limit_reached": False,
        }
        self.hold = False
        self.run_seconds = 0.0
        self.fail_next: tuple[int, str] | None = None
        self.seed = seed
        self.lock = threading.RLock()

    def add_instance(self) -> State:
        """Another instance of the same account, with jobs of its own."""
        other = State(tuple(self.devices), self.seed)
        other.api_key = self.api_key
        self.siblings[other.crn] = other
        return other

    def device(self, name: str) -> Device:
        """The device of a name."""
        if name not in self.devices:
            raise ServiceError(404, 1216, f"there is no backend {name}")
        return self.devices[name]

    def job(self, job_id: str) -> Job:
        """The job of an id."""
        if job_id not in self.jobs:
            raise ServiceError(404, 1291, f"Job not found. Job ID: {job_id}")
        return self.jobs[job_id]

    def submit(self, body: dict[str, Any]) -> Job:
        """Takes a job in; it runs in a thread of its own."""
        session = body.get("session_id")
        if session is not None and session not in self.sessions:
            raise ServiceError(404, 1355, f"there is no session {session}")
        device = self.device(body["backend"])
        job = Job(
            id=f"d{uuid.uuid4().hex[:19]}",
            program_id=body["program_id"],
            device=device.name,
            params=body["params"],
            tags=body.get("tags", []),
            cost=body.get("cost"),
            session_id=session,
        )
        with self.lock:
            self.jobs[job.id] = job
            seed = self.seed + len(self.jobs)
        threading.Thread(target=self._run, args=(job, device, seed), daemon=True).start()
        return job

    def _run(self, job: Job, device: Device, seed: int) -> None:
        while self.hold and job.status == "Queued":
            time.sleep(0.02)
        if not self._move(job, "Queued", "Running"):
            return
        try:
            with self.lock:
                ordered, self.fail_next = self.fail_next, None
            if ordered is not None:
                raise RefusedError(*ordered)
            results = execute(job.program_id, job.params, device, seed)
            time.sleep(self.run_seconds)
        except RefusedError as error:
            job.reason, job.reason_code = error.reason, error.code
            self._move(job, "Running", "Failed")
        except Exception as error:  # the service must answer, whatever happened
            job.reason, job.reason_code = f"internal: {error!r}", 9999
            self._move(job, "Running", "Failed")
        else:
            job.results = results
            self._move(job, "Running", "Completed")

    def _move(self, job: Job, old: str, new: str) -> bool:
        with self.lock:
            if job.status != old:
                return False
            job.status = new
            if new in FINAL:
                job.finished = datetime.now(UTC).isoformat()
            return True

    def cancel(self, job_id: str) -> None:
        """Cancels a job that is not final."""
        job = self.job(job_id)
        with self.lock:
            if job.status in FINAL:
                raise ServiceError(409, 1292, f"Job {job_id} is already {job.status.lower()}")
            job.status, job.finished = "Cancelled", datetime.now(UTC).isoformat()

    def metrics(self, job_id: str) -> dict[str, Any]:
        """As ``/jobs/ID/metrics`` gives it."""
        job = self.job(job_id)
        found: dict[str, Any] = {
            "timestamps": {"created": job.created, "finished": job.finished},
            "usage": {"status": "pending"},
        }
        if job.status == "Queued":
            waiting = [j.id for j in self.jobs.values() if j.status == "Queued"]
            found["position_in_queue"] = waiting.index(job.id) + 1 + self.device(job.device).queue
        if job.status in FINAL:
            found["usage"] = {"status": "completed", "qpu_charge_time_seconds": 2}
        return found

    def open_session(self, body: dict[str, Any]) -> dict[str, Any]:
        """Opens a batch or a session."""
        mode = body.get("mode", "dedicated")
        if mode == "dedicated" and self.plan == "open":
            raise ServiceError(
                400, 1352, "You are not authorized to run a session when using the open plan."
            )
        session = {
            "id": f"s{uuid.uuid4().hex[:19]}",
            "mode": mode,
            "state": "open",
            "accepting_jobs": True,
            "backend_name": body.get("backend"),
        }
        self.sessions[session["id"]] = session
        return session

    def session(self, session_id: str) -> dict[str, Any]:
        """The batch or session of an id."""
        if session_id not in self.sessions:
            raise ServiceError(404, 1355, f"there is no session {session_id}")
        return self.sessions[session_id]
