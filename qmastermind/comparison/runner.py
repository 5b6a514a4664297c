"""Runs the cells of a comparison: cached, in parallel processes, or over machines through Dask."""

from __future__ import annotations

import json
import math
import os
import queue
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from qmastermind.comparison.cells import (
    OURS,
    Block,
    Cell,
    Row,
    backend_version,
    blank_row,
    in_sizes,
)
from qmastermind.comparison.digest import digest
from qmastermind.comparison.worker import Worker
from qmastermind.errors import MissingDependencyError, UsageError
from qmastermind.files import replacing
from qmastermind.validation import whole

_FORMAT = 5
_CONNECT_SECONDS = 15.0


class Cache:
    """Finished rows on disk, by the content of circuit, target and options, and by version.

    Args:
        folder: Where; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def problem(self) -> str:
        """Why no row can be kept, or ``""``."""
        if self._folder is None:
            return ""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self._folder).close()
        except OSError as error:
            return f"{self._folder}: {error.strerror or error}"
        return ""

    def _path(self, cell: Cell) -> Path | None:
        if self._folder is None:
            return None
        key = digest(
            _FORMAT,
            cell.circuit,
            cell.target,
            cell.backend,
            backend_version(cell.backend),
            backend_version(OURS),
            cell.level,
            cell.lowering,
            cell.ancillas,
            cell.seeds,
            cell.device,
            cell.tolerance,
        )
        return self._folder / f"{key}.json"

    def get(self, cell: Cell) -> Row | None:
        """The row of a cell, if it was finished before."""
        path = self._path(cell)
        try:
            text = None if path is None else path.read_text(encoding="utf-8")
            return (
                None if text is None else Row.from_dict({**json.loads(text), "circuit": cell.name})
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None  # none, or a damaged one: it is computed again

    def put(self, cell: Cell, row: Row) -> None:
        """Keeps a finished row; one that failed or was not decided is tried again next time."""
        path = self._path(cell)
        if path is None or row.status != "ok" or row.equivalent is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:  # a killed sweep leaves no half row
                json.dump(row.as_dict(), file)
        except OSError:
            return  # a full disk loses the cache, not the comparison


def default_cache() -> Path:
    """Where rows are kept: QMASTERMIND_CACHE, else the user's cache folder."""
    given = os.environ.get("QMASTERMIND_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "qmastermind" / "compare"


def run_cells(
    cells: Sequence[Cell],
    *,
    cache: Path | None = None,
    timeout: float = 300.0,
    workers: int = 1,
    scheduler: str | None = None,
) -> Iterator[Row]:
    """Yields a row for each cell, cached ones first, the others as they finish.

    Args:
        cells: What to run.
        cache: Folder of finished rows; None to compute all.
        timeout: Seconds that compiling a cell may take, and again its proof.
        workers: Number of processes.
        scheduler: Address of a Dask scheduler to spread the cells over instead.

    Raises:
        MissingDependencyError: If a scheduler is given and Dask is not installed.
        UsageError: If no scheduler answers there, or there cannot be such a time or number.
    """
    if not 0 < timeout < math.inf:
        raise UsageError(f"the time limit is a number of seconds above 0, not {timeout:g}")
    workers = whole(workers, "number of workers", 1)
    store = Cache(cache)
    missing: list[Cell] = []
    for cell in cells:
        row = store.get(cell)
        if row is None:
            missing.append(cell)
        else:
            yield row
    run = _spread(missing, timeout, scheduler) if scheduler else _local(missing, timeout, workers)
    for cell, row in run:
        store.put(cell, row)
        yield row


def in_order(rows: Iterable[Row], cells: Sequence[Cell]) -> list[Row]:
    """Rows in the order of their cells' blocks, whichever came first."""
    order: dict[Block, int] = {}
    for cell in cells:
        order.setdefault((cell.name, cell.target.name, cell.target.basis), len(order))
    return sorted(rows, key=lambda row: order[row.block])


def _local(cells: Sequence[Cell], timeout: float, workers: int) -> Iterator[tuple[Cell, Row]]:
    todo: queue.SimpleQueue[Cell] = queue.SimpleQueue()
    for cell in _ordered(cells, workers):
        todo.put(cell)
    given_up = _GivenUp(timeout)
    done: queue.SimpleQueue[tuple[Cell, Row]] = queue.SimpleQueue()
    processes = [Worker() for _ in range(min(workers, len(cells)))]
    stop = threading.Event()

    def serve(worker: Worker) -> None:
        while not stop.is_set():
            try:
                cell = todo.get_nowait()
            except queue.Empty:
                return
            try:
                row = given_up.row(cell) or worker.run(cell, timeout)
                given_up.learn(cell, row)
            except Exception as error:  # a cell that cannot be sent must not stop the others
                row = blank_row(cell, status="failed", detail=f"{type(error).__name__}: {error}")
            done.put((cell, row))

    threads = [threading.Thread(target=serve, args=(w,), daemon=True) for w in processes]
    for thread in threads:
        thread.start()
    try:
        for _ in cells:
            yield done.get()
    finally:
        stop.set()
        for worker in processes:
            worker.kill()
        for thread in threads:
            thread.join()
        for worker in processes:
            worker.close()


def _ordered(cells: Sequence[Cell], workers: int) -> Sequence[Cell]:
    """With several workers the largest first, so that none is left with one at the end.

    Circuits in several sizes stay in their order, for what the small ones say of the large ones.
    """
    if workers == 1 or any(in_sizes(cell.name) for cell in cells):
        return cells

    def work(cell: Cell) -> tuple[int, bool]:
        return sum(1 for _ in cell.circuit.flat()), cell.lowering == "framework"

    return sorted(cells, key=work, reverse=True)


class _GivenUp:
    """Of a circuit in several sizes, larger ones are not tried once a compiler ran out of time."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._least: dict[tuple[object, ...], int] = {}

    @staticmethod
    def _series(cell: Cell) -> tuple[tuple[object, ...], int] | None:
        sized = in_sizes(cell.name)
        if sized is None:
            return None
        kind, size = sized
        key = (kind, cell.backend, cell.level, cell.lowering, cell.target.basis, cell.ancillas)
        return key, size

    def learn(self, cell: Cell, row: Row) -> None:
        series = self._series(cell)
        if series is not None and row.status == "timed out":
            key, size = series
            self._least[key] = min(size, self._least.get(key, size))

    def row(self, cell: Cell) -> Row | None:
        """The row of a cell that is not worth trying, or None."""
        key, size = self._series(cell) or ((), 0)
        least = self._least.get(key, size)
        if size <= least:
            return None
        detail = f"not tried: size {least} already took more than {self._timeout:g} s"
        return blank_row(cell, status="timed out", detail=detail)


def _spread(cells: Sequence[Cell], timeout: float, scheduler: str) -> Iterator[tuple[Cell, Row]]:
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise MissingDependencyError("a Dask scheduler", "distributed", "distributed") from None
    try:
        client = Client(scheduler, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {scheduler!r}: {error}") from None
    with client:
        futures = {client.submit(run_isolated, cell, timeout, pure=False): cell for cell in cells}
        for future in as_completed(futures):
            cell = futures[future]
            try:
                row = future.result()
            except Exception as error:  # a machine that went away must not stop the others
                row = blank_row(cell, status="died", detail=f"{type(error).__name__}: {error}")
            yield cell, row


def run_isolated(cell: Cell, timeout: float) -> Row:
    """One cell in a process of its own, for a Dask worker."""
    worker = Worker()
    try:
        return worker.run(cell, timeout)
    finally:
        worker.close()
