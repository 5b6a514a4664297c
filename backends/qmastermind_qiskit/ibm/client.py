"""The small interface that sending and fetching need of an account."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from qmastermind.backend import check_shots
from qmastermind.errors import UsageError
from qmastermind.results import Counts
from qmastermind_qiskit.ibm.errors import IbmError

if TYPE_CHECKING:
    from qiskit import QuantumCircuit

    from qmastermind_qiskit.ibm.device import Device

Sequences: TypeAlias = Literal["XX", "XpXm", "XY4"]
SamplerChoice: TypeAlias = Literal["auto", "new", "old"]


@dataclass(frozen=True)
class RunOptions:
    """How a job is run.

    Attributes:
        shots: Of each part.
        max_seconds: Device seconds after which the service ends the job; None for its own limit.
        dynamical_decoupling: Pulse sequence for waiting qubits, or None.
        twirling: Whether gates and measurements are randomised; rounds the shots up.
        sampler: Which of the client's samplers; ``auto`` prefers the new one.
        seed: Of a local run; a device has none.
    """

    shots: int = 4000
    max_seconds: int | None = 30
    dynamical_decoupling: Sequences | None = None
    twirling: bool = False
    sampler: SamplerChoice = "auto"
    seed: int | None = None

    def __post_init__(self) -> None:
        check_shots(self.shots)
        if self.max_seconds is not None and self.max_seconds < 1:
            raise UsageError(f"the device seconds must be at least 1, not {self.max_seconds}")
        if self.dynamical_decoupling not in (None, "XX", "XpXm", "XY4"):
            raise UsageError(
                f"unknown decoupling sequence {self.dynamical_decoupling!r}; known: XX, XpXm, XY4"
            )
        if self.sampler not in ("auto", "new", "old"):
            raise UsageError(f"unknown sampler {self.sampler!r}; known: auto, new, old")

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


@dataclass(frozen=True)
class Progress:
    """Where a job stands.

    Attributes:
        status: ``queued``, ``running``, ``done``, ``failed`` or ``cancelled``.
        reason: Why it failed.
        position: Place in the queue, where the service tells.
    """

    status: str
    reason: str = ""
    position: int | None = None


class NotTakenError(Exception):
    """It is certain that no job exists: nothing was sent, or the service refused it.

    Args:
        error: Why.
    """

    def __init__(self, error: IbmError) -> None:
        self.error = error
        super().__init__(str(error))


class RemoteJob(Protocol):
    """A job that was sent."""

    job_id: str

    def progress(self) -> Progress:
        """Asks where it stands."""

    def counts(self) -> list[Counts]:
        """The counts of each part of a job that is done, bit 0 leftmost."""

    def seconds(self) -> float | None:
        """Device seconds charged for it, once known."""

    def cancel(self) -> None:
        """Asks for it to be cancelled."""


class Finder(Protocol):
    """What knows the jobs of an instance."""

    instance: str

    def find(self, tag: str) -> list[str]:
        """Ids of the jobs with a tag, oldest first."""

    def job(self, job_id: str) -> RemoteJob:
        """The job of an id."""


class Client(Finder, Protocol):
    """What sends jobs and finds them again."""

    def batch(self, device: Device) -> AbstractContextManager[Any]:
        """A batch for several jobs."""

    def send(
        self,
        circuits: Sequence[QuantumCircuit],
        device: Device,
        options: RunOptions,
        tag: str,
        batch: Any = None,
    ) -> str:
        """Sends circuits as one job and returns its id.

        Raises:
            NotTakenError: If it is certain that no job exists. After any other error it may.
        """
