"""Stories of users whose process is killed, again and again: run as a program, see ``main``.

Each run is a process of its own that is killed for good (SIGKILL) before a random line of the
modules that write records, send and fetch. What survives is what is on disk and at the service.
No framework is imported here, so that a process is cheap to fork.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any, cast

from qmastermind import files
from qmastermind.game import Rules
from qmastermind.results import Counts
from qmastermind_qiskit.ibm import attempt, jobs, locking, records, recovery, submit, tasks
from qmastermind_qiskit.ibm.client import Progress, RunOptions
from qmastermind_qiskit.ibm.decode import decode
from qmastermind_qiskit.ibm.errors import IbmError, NoNetworkError
from qmastermind_qiskit.ibm.forecast import Forecast
from qmastermind_qiskit.ibm.plan import PartPlan, Plan
from qmastermind_qiskit.ibm.records import JobStore

SENDING = (files, records, locking, submit, attempt, recovery, jobs)
MODULES = {module.__file__ for module in SENDING} | {__file__}
RULES = Rules(3, 3)
SECRET = "RYO"
MOODS = ("fine", "fine", "loses", "drops", "late", "later")


class DiskService:
    """A service whose jobs are lines in a file, so that they outlive whoever sent them.

    Args:
        folder: Where.
        mood: ``loses`` answers after the job arrived, ``drops`` requests before, is ``late`` or
            ``later`` to list a job as well, or ``fine``. Only the first send is spoilt.
    """

    instance = "crn:test"

    def __init__(self, folder: Path, mood: str = "fine") -> None:
        self.folder, self.mood = folder, mood

    def send(
        self, circuits: Sequence[Any], device: Any, options: Any, tag: str, batch: Any = None
    ) -> str:
        first = not self._read("asked")
        self._append("asked", tag)
        if first and self.mood == "drops":
            raise NoNetworkError("No connection")
        job_id = f"d{len(self._read('jobs'))}-{os.getpid()}"
        late = {"late": 1, "later": 2}.get(self.mood, 0) if first else 0
        self._append("jobs", f"{job_id} {tag} {len(self._read('looks')) + late}")
        if first and self.mood in ("loses", "late", "later"):
            raise NoNetworkError("No connection")
        return job_id

    def find(self, tag: str) -> list[str]:
        self._append("looks", tag)
        looks = len(self._read("looks"))
        rows = [line.split() for line in self._read("jobs")]
        return [job for job, own, visible in rows if own == tag and looks > int(visible)]

    def job(self, job_id: str) -> DiskJob:
        return DiskJob(self, job_id)

    @property
    def jobs(self) -> list[tuple[str, str]]:
        """(job id, tag) of all jobs that arrived."""
        return [(line.split()[0], line.split()[1]) for line in self._read("jobs")]

    def told(self) -> list[str]:
        """What users were told."""
        return self._read("told")

    def _append(self, name: str, line: str) -> None:
        handle = os.open(self.folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{line}\n".encode())
        os.close(handle)

    def _read(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []


class DiskJob:
    """Queued at the first look, done at the second."""

    def __init__(self, service: DiskService, job_id: str) -> None:
        self.service, self.job_id = service, job_id

    def progress(self) -> Progress:
        asked = self.service._read(f"asked-{self.job_id}")
        self.service._append(f"asked-{self.job_id}", "once")
        return Progress("done" if asked else "queued")

    def counts(self) -> list[Counts]:
        return [Counts({"101": 90, "000": 10}), Counts({"110": 80, "111": 20})]

    def seconds(self) -> float | None:
        return 1.0

    def cancel(self) -> None:
        raise AssertionError("nobody cancels here")


def make_plan() -> Plan:
    """The pairwise queries, as if they had been compiled for a device."""
    task = tasks.deutsch(RULES.code(SECRET), RULES)
    device = cast(Any, SimpleNamespace(name="ibm_x", is_local=False, target=_Anything()))
    native = cast(Any, SimpleNamespace(num_qubits=3, num_clbits=3, qubits=[], data=[]))
    forecast = Forecast(0.9, 1.0, 0.9, 0.8, 100, 12, 1e-6, 0.1, 0, 7, "go", "")
    layout = (0, 1, 2)
    parts = tuple(PartPlan(part, native, forecast, layout, layout, 0) for part in task.parts)
    return Plan(task, device, RunOptions(shots=100), parts)


class _Anything:
    num_qubits = 5


def user(plan: Plan, service: DiskService, folder: Path, again: bool) -> None:
    """Sends (or goes back to) the work and waits for its answer; tells what it is told."""
    store = JobStore(folder / "records")

    def tell(text: str) -> None:
        service._append("told", text)

    # Returning to the record is the other way to go on.
    known = store.scan()[0] if again else []
    record = known[-1] if known else submit.submit(plan, service, store, tell)
    tell(f"job {record.job_id}")
    record = jobs.result(record, service, store, tell)
    tell(f"answer {decode(record).answer}")


def child(work: Callable[[], None], deadline: int | None) -> int:
    """Runs ``work`` in a process of its own, killed before its ``deadline``-th line.

    Returns:
        The lines that it ran if it lived, else -1.
    """
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        lines = 0

        def each_line(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal lines
            if frame.f_code.co_filename not in MODULES:
                return None
            if event == "line":
                lines += 1
                if lines == deadline:
                    os.kill(os.getpid(), signal.SIGKILL)
            return each_line

        code = 0
        try:
            sys.settrace(each_line)
            work()
            sys.settrace(None)
        except IbmError:
            sys.settrace(None)
        except BaseException:
            sys.settrace(None)
            traceback.print_exc()
            code = 1
        os.write(writing, json.dumps([code, lines]).encode())
        os._exit(0)
    os.close(writing)
    _, status = os.waitpid(pid, 0)
    answer = os.read(reading, 100)
    os.close(reading)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return -1
    code, lines = json.loads(answer)
    assert code == 0
    return int(lines)


def check(service: DiskService, folder: Path) -> None:
    """What must hold at every moment."""
    known, problems = JobStore(folder / "records").scan()
    assert problems == []  # no record is half-written
    tags = {record.tag for record in known}
    assert {tag for _, tag in service.jobs} <= tags  # no job is lost
    if len(service.jobs) > 1:
        told = "\n".join(service.told())
        assert "interrupted" in told or "times" in told


def tell_stories(kills_wanted: int, folder: Path, seed: int) -> dict[str, int]:
    """Plays until so many processes were killed; every assertion holds in every story.

    Returns:
        How many ``kills``, ``stories``, ``doubles`` and different ``places`` there were.
    """
    jobs.FIRST_POLL = 0.001
    recovery.LOOK_SECONDS = 0.0
    attempt.sampler_name = lambda choice: "none"  # would import IBM's client in every process
    plan, rng = make_plan(), random.Random(seed)
    warm = folder / "warm"  # imports everything once, not in every process
    warm.mkdir(parents=True)
    user(plan, DiskService(warm), warm, False)
    lengths = {mood: _whole_story(plan, folder / f"whole-{mood}", mood) for mood in set(MOODS)}
    found: Counter[str] = Counter()
    places: set[tuple[str, int]] = set()
    while found["kills"] < kills_wanted:
        found["stories"] += 1
        mood = rng.choice(MOODS)
        home = folder / f"story-{found['stories']}"
        home.mkdir(parents=True)
        service = DiskService(home, mood)
        for turn in range(12):
            deadline = rng.randint(1, lengths[mood]) if turn < 4 else None
            # returning to an attempt that never arrived leads nowhere: in the end it is sent again
            again = 0 < turn < 8 and rng.random() < 0.5
            if child(lambda s=service, h=home, a=again: user(plan, s, h, a), deadline) < 0:  # type: ignore[misc]
                found["kills"] += 1
                places.add((mood, deadline or 0))
            check(service, home)
            if "answer RYO" in service.told():
                break
        _the_end(service, home, mood, found)
    return {**found, "places": len(places), "shortest": min(lengths.values())}


def _whole_story(plan: Plan, home: Path, mood: str) -> int:
    """How many lines there are to die before, when nobody does."""
    home.mkdir(parents=True)
    service, longest = DiskService(home, mood), 0
    for _ in range(3):  # a spoilt send takes a second run
        longest = max(longest, child(lambda: user(plan, service, home, False), None))
        check(service, home)
        if "answer RYO" in service.told():
            return longest
    raise AssertionError(service.told())


def _the_end(service: DiskService, home: Path, mood: str, found: Counter[str]) -> None:
    told = service.told()
    assert "answer RYO" in told, told
    last = JobStore(home / "records").scan()[0][-1]
    assert last.state == "done"
    assert decode(last).verified is True
    if len(service.jobs) > 1:  # then it was said, and those beside the record's are named
        assert mood in ("late", "later")
        others = [job for job, _ in service.jobs if job != last.job_id]
        assert all(any(job in line for line in told) for job in others)
        found["doubles"] += 1


def main() -> None:
    """Takes the number of kills, a folder and a seed; prints what happened as JSON."""
    kills, folder, seed = sys.argv[1:]
    sys.stdout.write(json.dumps(tell_stories(int(kills), Path(folder), int(seed))))


if __name__ == "__main__":
    main()
