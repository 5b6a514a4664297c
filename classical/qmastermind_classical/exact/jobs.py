"""Proving cells of the ledger: here, in worker processes, or on a Dask cluster.

A job is a cell and a method. What it returns depends on these alone, but for the seconds, so that
the number of workers does not matter. It keeps a checkpoint, so that a worker that is killed costs
the time since the last one, and no more.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from qmastermind.errors import MissingDependencyError, QmastermindError
from qmastermind_classical.exact.cells import Cell
from qmastermind_classical.exact.errors import FileFormatError, ImpossibleError

if TYPE_CHECKING:
    from multiprocessing.synchronize import Event

    from qmastermind_classical.exact.method import Effort, Watcher

_MAX_BREAKS = 3


@dataclass(frozen=True)
class Job:
    """One proof.

    Attributes:
        cell: What to prove.
        method: Name of the method.
        work: Directory for the checkpoint, or None for no checkpoint.
        every: Seconds between two checkpoints.
    """

    cell: Cell
    method: str = "main"
    work: Path | None = None
    every: float = 60.0

    @property
    def checkpoint(self) -> Path | None:
        """The file of the checkpoint."""
        return self.work and self.work / f"{self.cell.slug}.{self.method}.npz"


@dataclass(frozen=True)
class Proof:
    """What a job returns.

    Attributes:
        cell: What was proved.
        method: Name of the method.
        values: Total, mean, distribution and so on, as in the ledger; empty if it is impossible.
        effort: Sets and seconds, as in the ledger.
        tree: The strategy tree, as the text of its file; empty if it is impossible.
    """

    cell: Cell
    method: str
    values: dict[str, Any]
    effort: dict[str, Any]
    tree: str


Told: TypeAlias = Callable[[Cell, str, "Effort"], None]


def prove(job: Job, watch: Watcher | None = None) -> Proof:
    """Proves a cell; goes on from its checkpoint, if there is one that can be used."""
    from qmastermind_classical.exact.optimum import find_optimum

    path = job.checkpoint
    resume = path is not None and path.exists()
    while True:
        try:
            found = find_optimum(
                job.cell.rules,
                max_guesses=job.cell.max_guesses,
                method=job.method,
                checkpoint=path,
                checkpoint_every=job.every,
                resume=resume,
                watch=watch,
            )
        except FileFormatError:
            if not resume:
                raise
            resume = False  # an unusable checkpoint costs time, not the result
        except ImpossibleError as error:
            return Proof(job.cell, job.method, {}, _effort(error.effort), "")
        else:
            break
    facts = found.as_dict()
    values = {
        name: facts[name] for name in ("total", "secrets", "mean", "max", "distribution", "opening")
    }
    return Proof(job.cell, job.method, values, _effort(found.effort), found.tree.text)


def _effort(effort: Effort | None) -> dict[str, Any]:
    if effort is None:
        return {}
    return {
        "expanded_sets": effort.expanded,
        "settled_sets": effort.settled,
        "known_sets": effort.known,
        "seconds": round(effort.seconds, 2),
    }


def run_here(jobs: Sequence[Job], tell: Told | None = None) -> Iterator[Proof]:
    """Runs jobs one after the other in this process."""
    for job in jobs:

        def watch(effort: Effort, best: int | None, left: int, job: Job = job) -> None:
            if tell is not None:
                tell(job.cell, job.method, effort)

        yield prove(job, watch)


def run_in_processes(jobs: Sequence[Job], workers: int) -> Iterator[Proof]:
    """Runs jobs in worker processes, in any order.

    If a worker dies, the jobs under way are taken up again from their checkpoints.

    Raises:
        QmastermindError: If workers keep dying.
    """
    context = multiprocessing.get_context("spawn")
    remaining = list(jobs)
    breaks = 0
    while remaining:
        stop = context.Event()
        pool = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_start_worker, initargs=(stop,)
        )
        pending: dict[Future[Proof], Job] = {pool.submit(_prove_in_worker, j): j for j in remaining}
        try:
            while pending:
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    proof = future.result()
                    remaining.remove(pending.pop(future))
                    breaks = 0
                    yield proof
        except BrokenProcessPool:
            breaks += 1
            if breaks >= _MAX_BREAKS:
                raise QmastermindError(
                    f"worker processes died {breaks} times in a row, perhaps for lack of memory; "
                    "what was finished is kept; try with fewer --workers"
                ) from None
        finally:
            stop.set()  # the others write their checkpoints
            pool.shutdown(wait=True, cancel_futures=True)


_stop: Event | None = None


def _start_worker(stop: Event) -> None:
    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears it, and says stop


def _prove_in_worker(job: Job) -> Proof:
    def watch(effort: Effort, best: int | None, left: int) -> None:
        if _stop is not None and _stop.is_set():
            raise KeyboardInterrupt

    return prove(job, watch)


def run_on_cluster(jobs: Sequence[Job], address: str) -> Iterator[Proof]:
    """Runs jobs on the Dask cluster of a scheduler, in any order.

    Dask gives the job of a worker that died to another one, which goes on from the checkpoint if
    it sees the same directory.

    Raises:
        MissingDependencyError: If Dask is not installed.
        QmastermindError: If the scheduler cannot be reached, or a job fails for good.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise MissingDependencyError("--scheduler", "dask distributed", "distributed") from None
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise QmastermindError(
            f"cannot reach a Dask scheduler at {address}: {error}; start one with `dask scheduler`"
        ) from error
    with client:
        futures = [client.submit(prove, job, pure=False) for job in jobs]
        try:
            for future in as_completed(futures, loop=client.loop):
                yield future.result()
        except QmastermindError:
            raise
        except Exception as error:
            raise QmastermindError(
                f"a job failed on the cluster: {type(error).__name__}: {error}; what was finished "
                "is kept"
            ) from error
        finally:
            client.cancel(futures)
