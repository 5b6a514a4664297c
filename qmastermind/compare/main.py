"""The comparison as one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from qmastermind.circuit import Circuit
from qmastermind.compare.cells import Lowering, Row
from qmastermind.compare.runner import run_cells
from qmastermind.compare.suites import FRAMEWORKS, grid
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
    timeout: float = 120.0,
    workers: int = 1,
    cache: Path | None = None,
) -> list[Row]:
    """Compiles a circuit with every combination and counts the results with one counter.

    Args:
        circuit: Unitary, its multi-controlled gates whole.
        name: For the rows.
        backends: Names of backends that compile.
        levels: Optimisation levels, 0 to 3.
        lowerings: Whose decomposition: the ``framework``'s own, ``ours``, or both.
        targets: Names as in :data:`qmastermind.compare.TARGETS`.
        basis: Basis gates; a device brings its own.
        ancillas: Numbers of clean spare qubits that compilers may use.
        seeds: One compilation each; the figures are medians, with their spread beside them.
        timeout: Seconds a cell may take.
        workers: Number of processes.
        cache: Folder of finished rows to read and add to.

    Returns:
        One row a combination, in the order of completion; failures are rows as well.
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
    )
    return list(run_cells(cells, cache=cache, timeout=timeout, workers=workers))
