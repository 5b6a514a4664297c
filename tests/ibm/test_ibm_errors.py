"""Every way in which the service can say no, as an error of ours with a hint."""

from __future__ import annotations

import copy
import importlib.metadata
import json
import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from ibm_command import Cli
from ibm_service import Fault, StandIn

from qmastermind.cli.app import main
from qmastermind.errors import BackendError
from qmastermind_qiskit.ibm import errors
from qmastermind_qiskit.ibm.account import IbmClient, client_version
from qmastermind_qiskit.ibm.client import RunOptions
from qmastermind_qiskit.ibm.errors import IbmError, redact, translate

SEND = ("submit", "--circuit", "deutsch", "--secret", "RGBY", "--device", "ibm_manila",
        "--shots", "100", "--layouts", "1")  # fmt: skip


def test_every_class_is_one_of_the_family_and_listed() -> None:
    classes = [c for c in vars(errors).values() if isinstance(c, type)]
    family = [c for c in classes if issubclass(c, IbmError) and c is not IbmError]
    assert len(family) == 21
    for cls in family:
        assert issubclass(cls, BackendError)
        assert cls.__name__ in (errors.__doc__ or "")


def test_no_account(home: Path) -> None:
    # in a process of its own: the client remembers the home that it was imported with
    environment = {k: v for k, v in os.environ.items() if not k.startswith("QISKIT_IBM")}
    done = subprocess.run(
        [sys.executable, "-m", "qmastermind", "ibm", "devices"],
        env={**environment, "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert "No IBM Quantum account was found" in done.stderr
    assert "QISKIT_IBM_TOKEN" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bad_token(service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Qiskit/qiskit-ibm-runtime#377, #1747, #1491: failures in the wrong class."""
    monkeypatch.setenv("QISKIT_IBM_TOKEN", "not-the-key-of-anybody")
    ran = cli("devices")
    assert ran.code == 1
    assert "does not accept the token" in ran.err
    assert "not-the-key" not in ran.err


def test_no_network_is_not_blamed_on_the_token(
    service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qiskit/qiskit-ibm-runtime#377, #1747, #1491: failures in the wrong class."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{unused.getsockname()[1]}"
        for name in ("IAM_URL", "GLOBAL_SEARCH_URL", "GLOBAL_CATALOG_URL"):
            monkeypatch.setenv(name, nowhere)
        ran = cli("devices")
    assert ran.code == 1
    assert "No connection" in ran.err
    assert "the token was not judged" in ran.err


def test_an_instance_of_somebody_else(
    service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = service.state.crn.replace("a/", "a/0")
    monkeypatch.setenv("QISKIT_IBM_INSTANCE", other)
    ran = cli("devices")
    assert ran.code == 1
    assert "QISKIT_IBM_INSTANCE" in ran.err
    monkeypatch.setenv("QISKIT_IBM_INSTANCE", "no-such-name")
    ran = cli("devices")
    assert ran.code == 1
    assert "no-such-name" in ran.err
    assert "QISKIT_IBM_INSTANCE" in ran.err


def test_an_unknown_device(service: StandIn, cli: Cli) -> None:
    for name, hint in (("ibm_atlantis", "ibm devices"), ("fake_atlantis", "--offline")):
        ran = cli(*SEND[:6], name)
        assert ran.code == 2
        assert hint in ran.err
    assert service.state.requests["POST", "/jobs"] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("ibm", "forecast", "--circuit", "deutsch", "--device", "nonsense"),
        ("ibm", "submit", "--circuit", "deutsch", "--device", "nonsense"),
        ("solve", "--solver", "deutsch", "--secret", "RGBY", "--backend", "fake:nonsense"),
        ("solve", "--solver", "deutsch", "--secret", "RGBY", "--backend", "qiskit:nonsense"),
        ("compare", "--circuit", "deutsch", "--target", "ibm:nonsense", "--no-cache"),
    ],
)
def test_an_unknown_device_is_misuse_everywhere(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert "nonsense" in error
    assert "fake_torino" in error  # those that there are
    assert "Traceback" not in error


def test_an_unknown_device_of_the_account_as_a_backend(
    service: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["solve", "--solver", "deutsch", "--secret", "RGBY", "--backend", "ibm:nonsense"])
    assert ended.value.code == 2
    assert "ibm_nonsense" in capsys.readouterr().err


def test_usage_spent(service: StandIn, cli: Cli) -> None:
    service.state.usage = {
        "usage_consumed_seconds": 600,
        "usage_limit_seconds": 600,
        "usage_limit_reached": True,
    }
    ran = cli(*SEND)
    assert ran.code == 1
    assert "used up its 600 seconds" in ran.err
    assert service.state.requests["POST", "/jobs"] == 0


@pytest.mark.parametrize(
    ("status", "message", "shown"),
    [
        (401, "expired", "does not accept the token"),
        (403, "no access", "QISKIT_IBM_INSTANCE"),
        (409, "the device is reserved", "the device is reserved"),
        (429, "too many pending jobs", "Wait a minute"),
        (400, "not authorized on the open plan", "The plan of the instance does not allow it"),
        (400, "shots must be below 100000", "shots must be below 100000"),
    ],
)
def test_a_refused_job(service: StandIn, cli: Cli, status: int, message: str, shown: str) -> None:
    service.state.faults.append(Fault("POST", "/jobs", status=status, message=message))
    ran = cli(*SEND)
    assert ran.code == 1
    assert shown in ran.err
    assert "Traceback" not in ran.err
    # it is known that no job exists, so that the same can simply be sent again
    (record,) = cli("jobs", "--json").json["jobs"]
    assert record["state"] == "refused"
    assert cli(*SEND, "--json").code == 0
    assert len(service.state.jobs) == 1


@pytest.mark.parametrize("status", [500, 503])
def test_a_burst_of_server_errors_is_outlived(service: StandIn, cli: Cli, status: int) -> None:
    service.state.faults.append(Fault("POST", "/jobs", status=status, times=2))
    ran = cli(*SEND, "--json")
    assert ran.code == 0, ran.err
    assert len(service.state.jobs) == 1


def test_a_service_that_is_down_leaves_the_job_to_be_found(
    service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    import qiskit_ibm_runtime.api.session as session

    monkeypatch.setattr(session, "STATUS_FORCELIST", ())  # the client waits 15 s over this
    monkeypatch.setattr("qmastermind_qiskit.ibm.recovery.LOOK_SECONDS", 0.0)
    service.state.faults.append(Fault("POST", "/jobs", status=503, times=9))
    service.state.faults.append(Fault("GET", "/jobs", status=503, times=9))
    ran = cli(*SEND)
    assert ran.code == 1
    assert "no answer came" in ran.err
    assert "qmastermind ibm status qmm-" in ran.err


def test_the_clients_own_refusal_of_a_session_is_translated(service: StandIn) -> None:
    """qiskit-community/spank-plugins#133: the refusal has no class of its own."""
    from qiskit_ibm_runtime import QiskitRuntimeService, Session

    backend = QiskitRuntimeService().backend("ibm_manila")
    with pytest.raises(Exception, match="open plan") as caught:
        Session(backend=backend)
    ours = translate(caught.value, "opening a session")
    assert isinstance(ours, errors.PlanForbidsError)
    assert "--mode batch" in str(ours)


def test_an_unsupported_client(home: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.23.1")
    with pytest.raises(errors.ClientUnsupportedError, match=r"0\.23\.1 is installed, at least"):
        client_version()
    monkeypatch.setenv("QISKIT_IBM_TOKEN", "some-token")
    ran = cli("devices")
    assert ran.code == 1
    assert "pip install -U 'qmastermind[ibm]'" in ran.err


def test_a_client_without_the_new_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    from qmastermind_qiskit.ibm.account import sampler_name

    monkeypatch.setitem(sys.modules, "qiskit_ibm_runtime.executor_sampler", None)
    assert sampler_name("auto").endswith("SamplerV2")
    with pytest.raises(errors.ClientUnsupportedError, match="has no executor_sampler"):
        sampler_name("new")


def test_a_connection_is_neither_pickled_nor_copied(service: StandIn) -> None:
    client = IbmClient.connect()
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="credentials"):
            attempt(client)
    assert service.state.api_key not in repr(client)


def test_redaction_knows_the_environment_the_account_file_and_headers(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".qiskit").mkdir()
    saved = {"default": {"token": "saved-secret-1234", "channel": "ibm_cloud"}, "odd": 3}
    (home / ".qiskit" / "qiskit-ibm.json").write_text(json.dumps(saved))
    monkeypatch.setenv("QISKIT_IBM_TOKEN", "env-secret-1234")
    text = "saved-secret-1234 env-secret-1234 Bearer eyJhbGciOi.J9.x apikey abcdef123456"
    assert redact(text) == "[token] [token] Bearer [token] apikey [token]"
    assert "env-secret" not in str(IbmError("the token env-secret-1234 is bad"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shots": 0}, "shots must be at least 1"),
        ({"max_seconds": 0}, "at least 1"),
        ({"dynamical_decoupling": "CPMG"}, "XX, XpXm, XY4"),
        ({"sampler": "third"}, "auto, new, old"),
    ],
)
def test_options_are_checked(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RunOptions(**options)  # type: ignore[arg-type]
