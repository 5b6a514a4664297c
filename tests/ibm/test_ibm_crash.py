"""Kills: whatever happens between any two steps, no job is lost or doubled unnoticed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import ibm_crash_stories
import ibm_mortal_commands
import pytest

from qmastermind_qiskit.ibm.records import DONE, SENDING, SENT, JobRecord, JobStore

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}


def test_a_thousand_kills(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ibm_crash_stories.__file__, "1000", str(tmp_path), "20251130"],
        env={**os.environ, **ONE_THREAD},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["kills"] >= 1000
    assert found["places"] > 400  # they were spread
    assert found["shortest"] > 100  # there are that many places to die, at least
    assert found["doubles"] > 0  # the hardest case did occur


class Mortals:
    """Commands whose processes can be killed; each ends as :class:`Ended`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.pid = 0
        self._server = subprocess.Popen(
            [sys.executable, ibm_mortal_commands.__file__],
            env={**os.environ, **ONE_THREAD, "HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, folder: Path, *arguments: str, at: int | None = None) -> Ended:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        order = {
            "arguments": ["ibm", *arguments],
            "environment": {"QMASTERMIND_HOME": str(folder)},
            "at": at,
            "folder": str(self.home),
        }
        self._server.stdin.write(f"{json.dumps(order)}\n")
        self._server.stdin.flush()
        self.pid = int(self._server.stdout.readline())
        return Ended(int(self._server.stdout.readline()), self.home)

    def kill(self) -> None:
        """From another thread, while a command runs."""
        os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        self._server.communicate()


class Ended:
    """How a command ended; a negative code is the signal that killed it."""

    def __init__(self, code: int, folder: Path) -> None:
        self.code = code
        self.out = (folder / "out").read_text()
        self.err = (folder / "err").read_text()
        self._folder = folder

    @property
    def boundaries(self) -> list[int]:
        """The steps at which another function goes on than before, counted from 1."""
        steps = self.steps
        return [i + 1 for i in range(len(steps)) if i == 0 or steps[i][0] != steps[i - 1][0]]

    @property
    def steps(self) -> list[tuple[str, int]]:
        """Function and line of each step, of a command whose steps were counted."""
        assert self.code >= 0
        return [(name, line) for name, line in json.loads((self._folder / "steps").read_text())]


WORK = (
    "--circuit", "deutsch", "--secret", "RYO", "--positions", "3", "--colours", "3",
    "--device", "ibm_manila", "--shots", "100", "--layouts", "1", "--json",
)  # fmt: skip


class World:
    """The stand-in, and users of the real command line who die."""

    def __init__(self, home: Path) -> None:
        from ibm_service import StandIn, State

        self.service = StandIn(State(("ibm_manila",)))
        self.state = self.service.state
        self.home = home
        self.stories = 0

    def fresh(self) -> Path:
        """A data folder without records, and a service without jobs."""
        self.stories += 1
        self.state.jobs.clear()
        self.state.faults.clear()
        return self.home / f"story-{self.stories}"

    def records(self, folder: Path) -> list[JobRecord]:
        """All records of a story, of which none may be half-written, and no job without one."""
        found, problems = JobStore(folder / "ibm" / "jobs").scan()
        assert problems == []
        tags = {record.tag for record in found}
        assert all(tags & set(job.tags) for job in self.state.jobs.values())
        return found

    def comes_back(self, run: Mortals, folder: Path) -> None:
        """After a kill: the answer is got, from one job, and an interruption is told."""
        known = self.records(folder)
        if known and self.state.jobs:  # the record alone is enough
            ended = run(folder, "result", known[0].tag, "--wait", "--json")
            assert ended.code == 0, ended.err
            found = json.loads(ended.out)
        else:
            ended = run(folder, "submit", *WORK, "--wait")
            assert ended.code == 0, ended.err
            assert ("was interrupted" in ended.err) == bool(known)
            found = json.loads(ended.out)
        assert (found["answer"], found["verified"]) == ("RYO", True)
        assert len(self.state.jobs) == 1
        (record,) = self.records(folder)
        assert record.state == DONE
        assert record.job_id in self.state.jobs


@pytest.fixture
def world(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    pytest.importorskip("qiskit_ibm_runtime")
    pytest.importorskip("qiskit_aer")
    world = World(home)
    with world.service:
        for name, value in world.service.environment().items():
            monkeypatch.setenv(name, value)
        yield world


@pytest.fixture
def run(world: World) -> Iterator[Mortals]:
    commands = Mortals(world.home)
    yield commands
    commands.close()


def kill_at_each(world: World, run: Mortals, choose: Callable[[Ended], list[int]]) -> int:
    """Kills ``submit`` and ``result`` at the chosen steps; returns how often."""
    folder = world.fresh()
    whole = run(folder, "submit", *WORK, at=0)
    assert whole.code == 0, whole.err
    chosen = choose(whole)
    states = set()
    for at in chosen:
        folder = world.fresh()
        assert run(folder, "submit", *WORK, at=at).code == -signal.SIGKILL
        known = world.records(folder)
        states.add((known[0].state if known else None, len(world.state.jobs)))
        world.comes_back(run, folder)
    # it died before there was a record, before and after sending, and with the id on disk
    assert states == {(None, 0), (SENDING, 0), (SENDING, 1), (SENT, 1)}
    kills = len(chosen)

    folder = world.fresh()
    sent = run(folder, "submit", *WORK)
    assert sent.code == 0, sent.err
    (job,) = world.state.jobs
    (record,) = world.records(folder)
    path = JobStore(folder / "ibm" / "jobs").path(record.tag)
    unfinished = path.read_bytes()
    whole = run(folder, "result", job, "--wait", "--json", at=0)
    assert whole.code == 0, whole.err
    states.clear()
    for at in choose(whole):
        path.write_bytes(unfinished)
        assert run(folder, "result", job, "--wait", at=at).code == -signal.SIGKILL
        states.add((world.records(folder)[0].state, len(world.state.jobs)))
        world.comes_back(run, folder)
        kills += 1
    assert states == {(SENT, 1), (DONE, 1)}
    return kills


def test_kills_through_the_client(world: World, run: Mortals) -> None:
    assert kill_at_each(world, run, lambda whole: whole.boundaries) >= 40


@pytest.mark.slow
def test_kills_at_every_step_through_the_client(world: World, run: Mortals) -> None:
    kills = kill_at_each(world, run, lambda whole: list(range(1, len(whole.steps) + 1)))
    assert kills >= 150


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/jobs"), ("GET", "/jobs/[^/]+"), ("GET", "/jobs/[^/]+/results")],
)
def test_killed_while_the_service_works(
    world: World, run: Mortals, method: str, path: str, when: str
) -> None:
    from ibm_service import Fault

    folder = world.fresh()
    world.state.faults.append(Fault(method, path, status=0, when=when, action=run.kill))  # type: ignore[arg-type]
    assert run(folder, "submit", *WORK, "--wait").code == -signal.SIGKILL
    (record,) = world.records(folder)
    assert record.state == (SENDING if method == "POST" else SENT)
    assert len(world.state.jobs) == (0 if (method, when) == ("POST", "before") else 1)
    world.comes_back(run, folder)
