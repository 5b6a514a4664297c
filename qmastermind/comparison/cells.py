"""One cell of a comparison: one circuit through one compiler, counted and proved equivalent."""

from __future__ import annotations

import importlib.metadata
import re
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, TypeAlias

from qmastermind.backend import Compiled
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register, fresh_name
from qmastermind.comparison.devices import expected_success
from qmastermind.comparison.figures import figures_of, own_depth
from qmastermind.equivalence import TOLERANCE, equivalent
from qmastermind.errors import QmastermindError, UnknownNameError, UnsupportedError
from qmastermind.registry import get_backend, registered_backends
from qmastermind.synthesis.lowering import lower
from qmastermind.synthesis.policy import Policy
from qmastermind.target import Target

Lowering: TypeAlias = Literal["framework", "ours"]

Block: TypeAlias = tuple[str, str, tuple[str, ...]]
"""Circuit, target and basis: what has to be the same for rows to be compared."""

OURS = "qmastermind"
"""The name under which our own lowering stands beside the frameworks."""


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
        ancillas: Clean spare qubits that the compiler is given, beside those of the circuit.
        seeds: One compilation for each.
        device: Name of the backend whose device the target is, if it is one.
        tolerance: Largest 2-norm distance between results of circuits that count as equivalent.
        problem: Why nothing can be compiled for the target at all, if so.
    """

    name: str
    circuit: Circuit
    backend: str
    level: int
    lowering: Lowering
    target: Target
    ancillas: int = 0
    seeds: tuple[int, ...] = (1,)
    device: str = ""
    tolerance: float = TOLERANCE
    problem: str = ""


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
        detail: Why, if not ok or not shown equivalent.
        figures: The counts of :data:`~qmastermind.comparison.figures.FIGURES`, and on a device
            ``success``; lower medians over the seeds, each the figure of a circuit that was
            compiled.
        spread: For each figure the least and the most over the seeds.
        native_depth: The lower median of the framework's own depth where it tells one, else None.
        seconds: Lower median of the wall times of compiling.
        seeds: Those that were used.
        equivalent: Whether every compiled circuit was shown equivalent to the original.
        method: How.
        distance: The largest 2-norm distance that was seen between results, if simulated.
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
    native_depth: float | None = None
    seconds: float = 0.0
    seeds: tuple[int, ...] = ()
    equivalent: bool | None = None
    method: str = ""
    distance: float | None = None

    @property
    def ranked(self) -> bool:
        """Whether the row takes part in a ranking: it succeeded and is proved."""
        return self.status == "ok" and self.equivalent is True

    @property
    def block(self) -> Block:
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


def in_sizes(name: str) -> tuple[str, int] | None:
    """What a circuit is and its size, for one that is compared in several: ``oracle 12``."""
    match = re.fullmatch(r"(.+) (\d+)", name)
    return (match[1], int(match[2])) if match else None


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


def run_cell(cell: Cell, counted: Callable[[Row], None] | None = None) -> Row:
    """Compiles, counts and checks; errors in compiling are the caller's.

    Args:
        cell: What to run.
        counted: Is told the row before its proof begins, which may take longer than compiling.
    """
    if cell.problem:
        raise UnsupportedError(cell.problem)
    results = [compile_cell(cell, seed) for seed in cell.seeds]
    row = _counted(cell, results)
    if counted is not None:
        counted(row)
    try:
        return _proved(cell, row, results)
    except (QmastermindError, MemoryError) as error:  # what was counted is kept
        return replace(row, detail=f"no proof: {error or 'out of memory'}")


def _counted(cell: Cell, results: Sequence[Compiled]) -> Row:
    """The row of what was compiled, about whose equivalence nothing is known yet."""
    counts = [figures_of(result) for result in results]
    detail = ""
    if cell.device:
        try:
            for result, found in zip(results, counts, strict=True):
                found["success"] = expected_success(cell.device, result)
        except QmastermindError as error:
            detail = f"no expected success: {error}"
            counts = [{k: v for k, v in found.items() if k != "success"} for found in counts]
    figures = {name: [found[name] for found in counts] for name in counts[0]}
    depths = [depth for result in results if (depth := own_depth(result.native)) is not None]
    return blank_row(
        cell,
        results[0].version,
        passes=results[0].passes,
        figures={name: statistics.median_low(values) for name, values in figures.items()},
        spread={name: (min(values), max(values)) for name, values in figures.items()},
        native_depth=statistics.median_low(depths) if depths else None,
        seconds=statistics.median_low(result.seconds for result in results),
        detail=detail,
    )


def _proved(cell: Cell, row: Row, results: Sequence[Compiled]) -> Row:
    verdicts = [equivalent(cell.circuit, r, tolerance=cell.tolerance) for r in results]
    equal: bool | None = all(v.equal is True for v in verdicts)
    if not equal and all(v.equal is not False for v in verdicts):
        equal = None
    doubtful = next((v for v in verdicts if v.equal is not True), verdicts[0])
    detail = row.detail if equal else doubtful.detail
    seen = [v.distance for v in verdicts if v.distance is not None]
    return replace(
        row,
        equivalent=equal,
        method=doubtful.method,
        detail=detail,
        distance=max(seen, default=None),
    )


def backend_version(name: str) -> str:
    """The versions behind a backend, without importing it.

    Raises:
        UnknownNameError: If there is no such backend.
    """
    if name == OURS:
        return importlib.metadata.version("qmastermind")
    known = registered_backends()
    base = name.partition(":")[0]
    if base not in known:
        raise UnknownNameError("backend", base, [*known, OURS])
    cls = known[base].cls
    return "" if cls is None else repr(sorted(cls.info.versions().items(), key=str))


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
        version=backend_version(OURS),
        level=cell.level,
        passes="qmastermind lowering",
        seed=None,
        seconds=time.perf_counter() - started,
        initial_layout=layout,
        final_layout=layout,
    )


def with_spares(circuit: Circuit, number: int) -> Circuit:
    """The circuit with so many more clean qubits beside it, for compilers that use them."""
    if not number:
        return circuit
    spare = Register(fresh_name("spare", circuit.registers), number, ancilla=True)
    builder = CircuitBuilder(*circuit.registers, spare)
    for op in circuit.operations:
        builder.add(op)
    builder.global_phase = circuit.global_phase
    return builder.build()
