"""How a plan is carried out: on how many threads, and whether by the compiled kernel."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from qmastermind.errors import UsageError

T = TypeVar("T")
R = TypeVar("R")

THREADED_QUBITS = 16  # below, handing work to threads costs more than it saves
_TILE = 8192  # amplitudes worked on at once, so that temporary arrays stay in the L2 cache


@dataclass(frozen=True, slots=True)
class Engine:
    """Carries out pieces of work on one state.

    Attributes:
        compiled: Whether gates go through the numba kernel; numpy otherwise.
        threads: How many.
        pool: Those threads, or None for the calling one alone.
    """

    compiled: bool = False
    threads: int = 1
    pool: ThreadPoolExecutor | None = None

    def map(self, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
        """Applies ``work`` to each item; results in the order of the items."""
        if self.pool is None:
            return list(map(work, items))
        size = -(-len(items) // (4 * self.threads))  # a few helpings each, for an even load
        helpings = [items[i : i + size] for i in range(0, len(items), size)]
        done = self.pool.map(lambda helping: list(map(work, helping)), helpings)
        return [result for results in done for result in results]


@contextmanager
def engine_for(num_qubits: int, threads: int, compiled: bool) -> Iterator[Engine]:
    """An engine for a state of ``num_qubits``, with its threads alive."""
    if threads < 2 or num_qubits < THREADED_QUBITS:
        yield Engine(compiled)
        return
    with ThreadPoolExecutor(threads, "statevector") as pool:
        yield Engine(compiled, threads, pool)


def tiles(high: int, low: int, columns: int) -> list[tuple[slice, slice]]:
    """Slices of the first two axes that cut shape ``(high, low, columns)`` into tiles, in order."""
    across = min(low, max(1, _TILE // columns))
    down = max(1, _TILE // (low * columns))
    return [
        (slice(i, i + down), slice(j, j + across))
        for i in range(0, high, down)
        for j in range(0, low, across)
    ]


def resolve_threads(threads: int | None) -> int:
    """The number of threads: as given, or as many as numba is set to use.

    Raises:
        UsageError: If below 1.
    """
    if threads is None:
        if "numba" in sys.modules:
            return int(sys.modules["numba"].get_num_threads())
        setting = os.environ.get("NUMBA_NUM_THREADS", "")
        return int(setting) if setting.isdigit() and int(setting) else os.cpu_count() or 1
    if threads < 1:
        raise UsageError(f"the simulator needs at least 1 thread, not {threads}")
    return threads
