"""A stand-in service, a fresh home, and the command line, for all tests of IBM's devices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from ibm_command import Cli, Ran

from qmastermind.cli.app import main

if TYPE_CHECKING:
    from ibm_service import StandIn


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, so that no account and no record of a developer is touched."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("QMASTERMIND_HOME", str(tmp_path / "data"))
    for name in ("QISKIT_IBM_TOKEN", "QISKIT_IBM_INSTANCE", "QISKIT_IBM_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def service(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """A running stand-in with one small device, to which the environment points."""
    from ibm_service import StandIn, State  # needs the client, as every test does that uses it

    with StandIn(State(("ibm_manila",))) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.fixture
def cli(home: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs ``qmastermind ibm`` with some arguments, as a user would."""

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(["ibm", *arguments])
        out, err = capsys.readouterr()
        code = ended.value.code
        return Ran(code if isinstance(code, int) else 0 if code is None else 1, out, err)

    return run
