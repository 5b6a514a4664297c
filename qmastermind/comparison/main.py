"""The comparison as one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from qmastermind.circuit import Circuit
from qmastermind.comparison.cells import Lowering, Row
from qmastermind.comparison.runner import in_order, run_cells
from qmastermind.comparison.suites import FRAMEWORKS, grid
from qmastermind.equivalence import TOLERANCE
from qmastermind.target import DEFAULT_BASIS


def compare(
    circuit: Circuit,
    *,
    name: str = "circuit",
    backends: Iterable[str] = FRAMEWORKS,
    levels: Iterable[int] = (2,),
    lowerings: Sequence[Lowering] = ("framework", "ours"),
    targets: Iterable[str] = ("all-to-all",),
    basis: tuple[str, ...] = DEFAULT_BASIS,
    ancillas: Iterable[int] = (0,),
    seeds: tuple[int, ...] = (1,),
    tolerance: float = TOLERANCE,
    timeout: float = 300.0,
    workers: int = 1,
    scheduler: str | None = None,
    cache: Path | None = None,
) -> list[Row]:
    """Compiles a circuit with every combination and counts the results with one counter.

    Args:
        circuit: Unitary, its multi-controlled gates whole.
        name: For the rows.
        backends: Names of backends that compile.
        levels: Optimisation levels, 0 to 3.
        lowerings: Whose decomposition: the ``framework``'s own, ``ours``, or both.
        targets: Names as in :data:`qmastermind.comparison.TARGETS`.
        basis: Basis gates; a device brings its own.
        ancillas: Numbers of clean spare qubits that compilers may use.
        seeds: One compilation each; the figures are medians, with their spread beside them.
        tolerance: Largest 2-norm distance of results that count as equivalent.
        timeout: Seconds that compiling a cell may take, and again its proof.
        workers: Number of processes.
        scheduler: Address of a Dask scheduler to spread the cells over instead.
        cache: Folder of finished rows to read and add to.

    Returns:
        One row a combination, those of a target and number of spare qubits as they were done;
        failures are rows as well.

    Raises:
        UnknownNameError: For an unknown backend, lowering or target.
        UsageError: For a level, seed, tolerance, time or number that there cannot be, if nothing
            is left to compare, or if no scheduler answers.
        MissingDependencyError: If a scheduler is given and Dask is not installed.
    """
    cells = grid(
        {name: circuit},
        backends=backends,
        levels=levels,
        lowerings=lowerings,
        targets=targets,
        basis=basis,
        ancillas=ancillas,
        seeds=seeds,
        tolerance=tolerance,
    )
    rows = run_cells(cells, cache=cache, timeout=timeout, workers=workers, scheduler=scheduler)
    return in_order(rows, cells)
