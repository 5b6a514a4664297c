"""The protocol of a backend: one mandatory method, :meth:`Backend._run`; the rest is derived."""

from __future__ import annotations

import importlib.metadata
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

from qmastermind.circuit import Circuit, Query
from qmastermind.errors import MissingDependencyError, UnsupportedError, UsageError
from qmastermind.results import Counts, Distribution
from qmastermind.target import Target
from qmastermind.validation import check_seed, narrow_seed, whole


class Capability(str, Enum):
    """What a backend can do.

    ``TARGET`` is a compiler for any basis, with ``ROUTING`` for any coupling map as well. A
    backend that is one device has ``OWN_DEVICE`` in their place: :meth:`Backend.compile` without
    a target compiles for that device, and refuses every other.
    """

    RUN = "run"
    SEED = "seed"
    EXACT = "exact probabilities"
    MID_CIRCUIT = "mid-circuit measurement and reset"
    TARGET = "basis and coupling map"
    ROUTING = "routing"
    OWN_DEVICE = "compiles for its own device"
    REMOTE = "remote jobs"


@dataclass(frozen=True)
class BackendInfo:
    """What can be said of a backend without importing its framework.

    Attributes:
        name: Registered name.
        summary: One line.
        packages: Distributions that it needs.
        extra: The extra of qmastermind that brings them, if any.
        capabilities: What it can do.
        formats: File formats that :meth:`Backend.export` writes, for example ``qiskit-qpy``.
    """

    name: str
    summary: str
    packages: tuple[str, ...] = ()
    extra: str = ""
    capabilities: frozenset[Capability] = field(default_factory=frozenset)
    formats: tuple[str, ...] = ()

    def versions(self) -> dict[str, str | None]:
        """Installed versions of the packages, None for those that are missing."""
        return {package: _installed_version(package) for package in self.packages}

    def missing(self) -> str | None:
        """The first package that is not installed, or None."""
        return next((p for p, version in self.versions().items() if version is None), None)


@dataclass(frozen=True)
class Compiled:
    """A circuit compiled for a target.

    Attributes:
        source: What was compiled.
        circuit: A neutral copy of the result, on the target's physical qubits.
        native: The framework's own object.
        target: What it was compiled for.
        backend: Name of the backend.
        version: Version of its framework.
        level: Optimisation level asked for, 0 to 3.
        passes: The framework's passes, by name.
        seed: Seed of stochastic passes, or None.
        seconds: Wall time of the compilation.
        initial_layout: For each qubit of ``source``, the physical qubit that it starts on.
        final_layout: For each qubit of ``source``, the physical qubit that it ends on.
    """

    source: Circuit
    circuit: Circuit
    native: Any
    target: Target
    backend: str
    version: str
    level: int
    passes: str
    seed: int | None
    seconds: float
    initial_layout: tuple[int, ...]
    final_layout: tuple[int, ...]


@dataclass(frozen=True)
class Result:
    """What a run returned.

    Attributes:
        counts: Sampled bitstrings.
        distribution: The exact distribution, where the backend knows it without further work.
        seconds: Wall time.
    """

    counts: Counts
    distribution: Distribution | None = None
    seconds: float = 0.0


class Job(ABC):
    """A submitted run."""

    job_id: str

    @abstractmethod
    def status(self) -> str:
        """One of ``queued``, ``running``, ``done``, ``failed``, ``cancelled``."""

    @abstractmethod
    def result(self, timeout: float | None = None) -> Result:
        """Waits for the result, at most ``timeout`` seconds."""

    @abstractmethod
    def cancel(self) -> None:
        """Asks for the job to be cancelled; a finished job stays as it is."""


class FinishedJob(Job):
    """A job of a backend that runs at once."""

    def __init__(self, result: Result) -> None:
        self.job_id = f"local-{uuid.uuid4().hex[:12]}"
        self._result = result

    def status(self) -> str:
        """Always ``done``."""
        return "done"

    def result(self, timeout: float | None = None) -> Result:
        """Returns at once."""
        return self._result

    def cancel(self) -> None:
        """Nothing is left to cancel."""


class Backend(ABC):
    """Something that compiles and runs circuits.

    A plugin sets :attr:`info`, implements :meth:`_run` and whatever else it declares in its
    capabilities. It must not import its framework before one of its methods is called.
    """

    info: ClassVar[BackendInfo]

    @classmethod
    def create(cls, argument: str | None = None) -> Backend:
        """Makes a backend; ``argument`` follows a colon in its name, as in ``cirq:qsim``.

        Raises:
            UsageError: If this backend takes no such argument.
            MissingDependencyError: If a package is missing.
        """
        cls.require()
        if argument is not None:
            raise UsageError(f"backend {cls.info.name!r} takes no argument, {argument!r} was given")
        return cls()

    @classmethod
    def require(cls) -> None:
        """Raises MissingDependencyError if a package of this backend is not installed."""
        missing = cls.info.missing()
        if missing is not None:
            raise MissingDependencyError(f"backend {cls.info.name!r}", missing, cls.info.extra)

    @property
    def name(self) -> str:
        """The registered name, with the argument if there is one."""
        return self.info.name

    @property
    def version(self) -> str:
        """Version of the framework behind this backend."""
        return next(
            (v for v in self.info.versions().values() if v), _installed_version("qmastermind") or ""
        )

    def can(self, capability: Capability) -> bool:
        """Whether this backend declares ``capability``."""
        return capability in self.info.capabilities

    @abstractmethod
    def _run(self, circuit: Circuit, shots: int, seed: int | None) -> Result:
        """Runs a circuit with at least one classical bit; the one method that a plugin must have.

        Bit 0 of the circuit is the leftmost character of each bitstring. The seed is None or
        below 2**32, which every framework takes.
        """

    def run(self, circuit: Circuit, shots: int = 1024, seed: int | None = None) -> Result:
        """Runs a circuit and tells every counted oracle in it.

        Args:
            circuit: With at least one measurement.
            shots: At least 1.
            seed: Makes the counts repeat, where the backend can; None, or 0 or more.

        Raises:
            UsageError: If there is nothing to measure, or ``shots`` or ``seed`` is out of range.
            TooLargeError: If there are too many operations to run.
        """
        narrow = narrow_seed(check_seed(seed))
        return self._run_counted(
            circuit, circuit.query_uses(), shots, lambda: self._run(circuit, shots, narrow)
        )

    def _run_counted(
        self, circuit: Circuit, uses: Mapping[Query, int], shots: int, run: Callable[[], Result]
    ) -> Result:
        check_shots(shots)
        if circuit.num_bits == 0:
            raise UsageError("the circuit measures nothing; use circuit.measured()")
        self._check_size(circuit)
        started = time.perf_counter()
        result = run()
        seconds = time.perf_counter() - started
        for query, number in uses.items():
            query.record(number, shots)
        return Result(result.counts, result.distribution, seconds)

    def _check_size(self, circuit: Circuit) -> None:
        circuit.check_size()

    def probabilities(self, circuit: Circuit) -> Distribution:
        """The exact distribution of the classical bits; no query is counted.

        Raises:
            UnsupportedError: If the backend has none.
        """
        raise UnsupportedError(f"backend {self.name!r} gives no exact probabilities")

    def compile(
        self,
        circuit: Circuit,
        target: Target | None = None,
        level: int = 2,
        seed: int | None = None,
    ) -> Compiled:
        """Compiles a circuit with the framework's own compiler.

        The result is right for every state of the circuit's data qubits, with all others in |0>;
        what a device compiles for itself may take all of them as |0>, as they are when it starts.
        Gates are neither merged nor cancelled across a barrier on their qubits.

        Args:
            circuit: With or without measurements.
            target: Default: all-to-all, basis {rz, sx, x, cx}; the device's own for a backend that
                compiles for its own device only.
            level: 0 translates only, 1 is light, 2 the framework's standard, 3 its best.
            seed: Of stochastic passes.

        Raises:
            UnsupportedError: If the backend cannot compile, or not for this target.
        """
        raise UnsupportedError(f"backend {self.name!r} has no compiler")

    def export(self, circuit: Circuit, file_format: str) -> bytes:
        """The content of a file in one of the framework's own formats, ``info.formats``.

        Raises:
            UnsupportedError: If the backend does not write this format.
        """
        known = ", ".join(self.info.formats) or "none"
        raise UnsupportedError(
            f"backend {self.name!r} does not write {file_format!r}; it writes: {known}"
        )

    def submit(self, compiled: Compiled, shots: int = 1024, seed: int | None = None) -> Job:
        """Starts a run of a compiled circuit; a local backend runs it at once.

        The uses of counted oracles are those of the circuit that was compiled. Arguments and
        errors are those of :meth:`run`.
        """
        narrow = narrow_seed(check_seed(seed))
        return FinishedJob(
            self._run_counted(
                compiled.circuit,
                compiled.source.query_uses(),
                shots,
                lambda: self._run_compiled(compiled, shots, narrow),
            )
        )

    def _run_compiled(self, compiled: Compiled, shots: int, seed: int | None) -> Result:
        """Runs what was compiled; a device overrides this to run the native circuit as it is."""
        return self._run(compiled.circuit, shots, seed)


def check_shots(shots: int) -> int:
    """Returns ``shots``.

    Raises:
        UsageError: If below 1.
    """
    return whole(shots, "shots", 1)


def _installed_version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
