"""Options and helpers that several commands of ``qmastermind ibm`` share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from qmastermind.cli.common import err_console
from qmastermind.errors import MissingDependencyError

if TYPE_CHECKING:
    from qmastermind_qiskit.ibm.account import IbmClient
    from qmastermind_qiskit.ibm.client import Finder
    from qmastermind_qiskit.ibm.records import JobRecord


class SpaceName(str, Enum):
    """What Grover's search prepares."""

    VALID = "valid"
    ALL = "all"


class PairsName(str, Enum):
    """Which pairs of colours are asked about."""

    STAR = "star"
    PATHS = "paths"


class Mode(str, Enum):
    """How jobs are put to the service."""

    JOB = "job"
    BATCH = "batch"
    SESSION = "session"


class Sampler(str, Enum):
    """Which of the client's samplers."""

    AUTO = "auto"
    NEW = "new"
    OLD = "old"


class Decoupling(str, Enum):
    """Pulse sequences for waiting qubits."""

    XX = "XX"
    XPXM = "XpXm"
    XY4 = "XY4"


CircuitOption = Annotated[
    str, typer.Option("--circuit", help="deutsch, adaptive, grover, or a file in OpenQASM.")
]
SecretOption = Annotated[
    list[str] | None,
    typer.Option("--secret", help="RBRY, 1513 or random; more than once for several jobs."),
]
MarkedOption = Annotated[
    str | None, typer.Option("--marked", help="For grover: bitstrings to search, 101,110.")
]
IterationsOption = Annotated[
    str, typer.Option("--iterations", help="For grover: a number, or auto for the best forecast.")
]
SpaceOption = Annotated[
    SpaceName, typer.Option("--space", help="For grover with a secret: what is searched.")
]
PairsOption = Annotated[
    PairsName, typer.Option("--pairs", help="For deutsch: all with the first colour, or fewer.")
]
DeviceOption = Annotated[
    str | None, typer.Option("--device", help="fake_torino (stored, runs here) or ibm_torino.")
]
ShotsOption = Annotated[int, typer.Option("--shots", help="Of each circuit.")]
LevelOption = Annotated[int, typer.Option("--level", min=0, max=3, help="Of Qiskit's compiler.")]
LayoutsOption = Annotated[
    int, typer.Option("--layouts", min=1, help="Layouts to try; the best forecast is kept.")
]
NoBarrierFlag = Annotated[
    bool, typer.Option("--no-barrier", help="Let the compiler merge the oracle away.")
]
IdArgument = Annotated[
    str, typer.Argument(help="Job id, record tag, their beginning, or a record file.")
]


def require_extra() -> None:
    """Checks that Qiskit, Aer and IBM's client are installed.

    Raises:
        MissingDependencyError: If one is not.
    """
    missing = missing_package()
    if missing is not None:
        raise MissingDependencyError("qmastermind ibm", missing, "ibm")


def missing_package() -> str | None:
    """The first package of the extra that is not installed, or None."""
    from qmastermind.backend import BackendInfo

    packages = ("qiskit", "qiskit-aer", "qiskit-ibm-runtime", "platformdirs")
    return BackendInfo("ibm", "", packages).missing()


def connect(instance: str | None = None) -> IbmClient:
    """Signs in."""
    require_extra()
    from qmastermind_qiskit.ibm.account import IbmClient

    quiet()
    return IbmClient.connect(instance)


class Connections:
    """What knows the job of a record: a connection to its instance, each made once.

    Args:
        first: One that there is already.
    """

    def __init__(self, first: Finder | None = None) -> None:
        self._known: dict[str, Finder] = {} if first is None else {first.instance: first}

    def __call__(self, record: JobRecord, ended: bool = True) -> Finder:
        """Connects, if need be.

        Args:
            record: Of the job.
            ended: Whether nothing needs to be asked if the job has ended, as its record has all.

        Raises:
            IbmError: If that fails.
            MissingDependencyError: If a package is missing.
        """
        from qmastermind_qiskit.ibm.local import NoService
        from qmastermind_qiskit.ibm.records import FINAL

        if not record.instance or (ended and record.state in FINAL):
            return NoService()
        if record.instance not in self._known:
            self._known[record.instance] = connect(record.instance)
        return self._known[record.instance]


def quiet() -> None:
    """IBM's client tells its log things that are told here in other words."""
    logging.getLogger("qiskit_ibm_runtime").setLevel(logging.ERROR)


def notify(text: str) -> None:
    """Tells something on stderr that must not go unnoticed."""
    err_console().print(f"note: {text}", style="yellow", markup=False, soft_wrap=True)


@contextmanager
def spinner(text: str) -> Iterator[Callable[[str], None]]:
    """Shows on a terminal's stderr that something is going on; gives a function to change it."""
    with err_console().status(text) as shown:
        yield lambda line: shown.update(line)
