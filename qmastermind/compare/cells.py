"""One cell of a comparison: one circuit through one compiler, counted and proved equivalent."""

from __future__ import annotations

import importlib.metadata
import statistics
import time
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeAlias

from qmastermind.backend import Compiled
from qmastermind.circuit import Circuit, CircuitBuilder, Register
from qmastermind.equivalence import equivalent
from qmastermind.registry import get_backend
from qmastermind.resources import count
from qmastermind.synthesis.lowering import lower
from qmastermind.synthesis.policy import Policy
from qmastermind.target import Target

Lowering: TypeAlias = Literal["framework", "ours"]

OURS = "qmastermind"
"""The name under which our own lowering stands beside the frameworks."""

FIGURES = (
    "qubits",
    "depth",
    "two_qubit_depth",
    "two_qubit_gates",
    "one_qubit_gates",
    "virtual_rz",
    "t_gates",
    "t_depth",
)
"""What is counted, in the order of tables."""


@dataclass(frozen=True)
class Cell:
    """What to compile, and how.

    Attributes:
        name: Of the circuit.
        circuit: Neutral, with its multi-controlled gates whole.
        backend: Registered name, or :data:`OURS` for our own lowering alone.
        level: Optimisation level, 0 to 3.
        lowering: Whose decomposition of multi-controlled gates is compiled.
        target: What for.
        ancillas: Clean spare qubits that the compiler is given.
        seeds: One compilation for each.
    """

    name: str
    circuit: Circuit
    backend: str
    level: int
    lowering: Lowering
    target: Target
    ancillas: int = 0
    seeds: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class Row:
    """The outcome of a cell.

    Attributes:
        circuit: Name of the circuit.
        backend: Name of the backend.
        version: Of its framework.
        level: As asked for.
        passes: The framework's passes, by name.
        lowering: ``framework`` or ``ours``.
        target: Name of the target.
        basis: Its basis gates.
        ancillas: Clean spare qubits that were given.
        status: ``ok``, ``failed``, ``timed out`` or ``died``.
        detail: Why, if not ok.
        figures: The counts of :data:`FIGURES`, medians over the seeds.
        spread: For each figure the least and the most over the seeds.
        native_depth: The framework's own depth where it tells one, else None.
        seconds: Median wall time of a compilation.
        seeds: Those that were used.
        equivalent: Whether every compiled circuit was shown equivalent to the original.
        method: How.
    """

    circuit: str
    backend: str
    version: str
    level: int
    passes: str
    lowering: str
    target: str
    basis: tuple[str, ...]
    ancillas: int
    status: str = "ok"
    detail: str = ""
    figures: dict[str, float] = field(default_factory=dict)
    spread: dict[str, tuple[float, float]] = field(default_factory=dict)
    native_depth: int | None = None
    seconds: float = 0.0
    seeds: tuple[int, ...] = ()
    equivalent: bool | None = None
    method: str = ""

    @property
    def ranked(self) -> bool:
        """Whether the row takes part in a ranking: it succeeded and is proved."""
        return self.status == "ok" and self.equivalent is True

    @property
    def block(self) -> tuple[str, str, tuple[str, ...]]:
        """Rows of one block answer the same question."""
        return self.circuit, self.target, self.basis

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Row:
        """The inverse of :meth:`as_dict`, from JSON."""
        tuples = {name: tuple(values[name]) for name in ("basis", "seeds")}
        spread = {name: tuple(ends) for name, ends in values["spread"].items()}
        return cls(**{**values, **tuples, "spread": spread})


def blank_row(cell: Cell, version: str = "", **changes: Any) -> Row:
    """A row for a cell without figures."""
    return replace(
        Row(
            circuit=cell.name,
            backend=cell.backend,
            version=version,
            level=cell.level,
            passes="",
            lowering=cell.lowering,
            target=cell.target.name,
            basis=cell.target.basis,
            ancillas=cell.ancillas,
            seeds=cell.seeds,
        ),
        **changes,
    )


def run_cell(cell: Cell) -> Row:
    """Compiles, counts and checks; errors are the caller's."""
    results = [compile_cell(cell, seed) for seed in cell.seeds]
    counted = [count(result.circuit) for result in results]
    figures = {name: [getattr(c, name) for c in counted] for name in FIGURES}
    verdicts = [equivalent(cell.circuit, result) for result in results]
    equal: bool | None = all(v.equal is True for v in verdicts)
    if not equal and all(v.equal is not False for v in verdicts):
        equal = None
    doubtful = next((v for v in verdicts if v.equal is not True), verdicts[0])
    return blank_row(
        cell,
        results[0].version,
        passes=results[0].passes,
        figures={name: statistics.median(values) for name, values in figures.items()},
        spread={name: (min(values), max(values)) for name, values in figures.items()},
        native_depth=_own_depth(results[0].native),
        seconds=statistics.median(result.seconds for result in results),
        equivalent=equal,
        method=doubtful.method,
        detail="" if equal else doubtful.detail,
    )


def compile_cell(cell: Cell, seed: int) -> Compiled:
    """One compilation of a cell."""
    if cell.backend == OURS:
        return _lower_only(cell)
    backend = get_backend(cell.backend)
    if cell.lowering == "framework":
        circuit = with_spares(cell.circuit, cell.ancillas)
        return backend.compile(circuit, cell.target, cell.level, seed)
    started = time.perf_counter()
    lowered = lower(cell.circuit, cell.target.basis, Policy(clean=cell.ancillas))
    took = time.perf_counter() - started
    compiled = backend.compile(lowered, cell.target, cell.level, seed)
    passes = f"qmastermind lowering > {compiled.passes}"
    return replace(compiled, passes=passes, seconds=compiled.seconds + took)


def _lower_only(cell: Cell) -> Compiled:
    started = time.perf_counter()
    lowered = lower(cell.circuit, cell.target.basis, Policy(clean=cell.ancillas))
    layout = tuple(range(cell.circuit.num_qubits))
    return Compiled(
        source=cell.circuit,
        circuit=lowered,
        native=None,
        target=cell.target,
        backend=OURS,
        version=importlib.metadata.version("qmastermind"),
        level=cell.level,
        passes="qmastermind lowering",
        seed=None,
        seconds=time.perf_counter() - started,
        initial_layout=layout,
        final_layout=layout,
    )


def with_spares(circuit: Circuit, number: int) -> Circuit:
    """The circuit with clean spare qubits beside it, for compilers that use them."""
    missing = number - len(circuit.ancillas)
    if missing <= 0:
        return circuit
    builder = CircuitBuilder(*circuit.registers, Register("spare", missing, ancilla=True))
    for op in circuit.operations:
        builder.add(op)
    builder.global_phase = circuit.global_phase
    return builder.build()


def _own_depth(native: Any) -> int | None:
    """The depth that a framework's circuit object tells of itself."""
    depth = getattr(native, "depth", None)
    try:
        value = depth() if callable(depth) else len(native)
    except Exception:  # not every native object has one
        return None
    return int(value) if isinstance(value, int) else None
