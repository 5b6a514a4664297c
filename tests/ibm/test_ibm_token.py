"""The token is nowhere: not in a file, not in a log, not on a screen."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from ibm_command import Cli
from ibm_service import Fault, StandIn


def test_no_trace_of_the_token_after_a_whole_day(
    service: StandIn,
    cli: Cli,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    log = home / "everything.log"
    handler = logging.FileHandler(log)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)

    def restore() -> None:
        root.removeHandler(handler)
        root.setLevel(level)
        handler.close()

    request.addfinalizer(restore)
    monkeypatch.setattr("qmastermind_qiskit.ibm.recovery.LOOK_SECONDS", 0.0)
    send = ("submit", "--circuit", "deutsch", "--device", "ibm_manila", "--shots", "100",
            "--layouts", "1")  # fmt: skip
    seen = []

    def day(*arguments: str) -> None:
        ran = cli(*arguments)
        seen.append(ran.out + ran.err)

    day("doctor")
    day("devices")
    day(*send, "--secret", "RGBY", "--wait")
    day(*send, "--secret", "BBBB", "--sampler", "old", "--twirling", "--wait", "--json")
    for status in (400, 401, 403, 429, 0):
        message = f"bad key {service.state.api_key}"  # even if the service repeats it
        service.state.faults.append(Fault("POST", "/jobs", status=status, message=message))
        day(*send, "--secret", "RRRR")
    service.state.fail_next = (9999, f"no such key: {service.state.api_key}")
    day(*send, "--secret", "YYYY", "--again", "--wait")
    day("jobs", "--refresh")
    monkeypatch.setenv("QISKIT_IBM_INSTANCE", service.state.api_key)  # pasted into the wrong place
    day("devices")
    assert len(seen) == 12

    token = service.state.api_key
    files = [path for path in home.rglob("*") if path.is_file()]
    assert log in files
    assert any(path.parent.name == "jobs" for path in files)
    assert log.stat().st_size > 1000
    assert not [path for path in files if token.encode() in path.read_bytes()]
    assert not [text for text in seen if token in text]
