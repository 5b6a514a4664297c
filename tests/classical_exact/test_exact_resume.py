"""Interrupted searches: nothing is lost, and the result is the same to the last set."""

import json
import shutil

import numpy as np
import pytest

from qmastermind.game import Rules
from qmastermind_classical.exact.checkpoint import load_checkpoint, save_checkpoint
from qmastermind_classical.exact.engine import Engine
from qmastermind_classical.exact.errors import FileFormatError, ImpossibleError
from qmastermind_classical.exact.method import METHODS
from qmastermind_classical.exact.optimum import find_optimum

CLASSIC = Rules()


class Interrupter:
    """Presses Ctrl-C when asked the n-th time."""

    def __init__(self, after):
        self.left = after

    def __call__(self, effort, best, left):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def proof(optimum):
    effort = optimum.effort
    return optimum.tree, effort.expanded, effort.settled, effort.cuts, effort.known


@pytest.mark.parametrize(("method", "slices"), [("main", 3), ("cross", 4), ("plain-keys", 6)])
def test_a_search_that_is_stopped_often_ends_the_same(method, slices, tmp_path):
    """Stopped after some slices, saved, and taken up by a new engine."""
    whole = find_optimum(CLASSIC, method=method)
    path = tmp_path / "checkpoint.npz"
    stops = 0
    while True:
        try:
            found = find_optimum(
                CLASSIC, method=method, checkpoint=path, resume=stops > 0, watch=Interrupter(slices)
            )
            break
        except KeyboardInterrupt:
            stops += 1
            assert path.exists()
    assert stops >= 3
    assert proof(found) == proof(whole)
    assert list(tmp_path.iterdir()) == []  # nothing left to resume


def test_with_a_cap_and_an_opening(tmp_path):
    """Each part of a prescribed cut is a search of its own."""
    options = {"opening": CLASSIC.code("1111"), "max_guesses": 6}
    whole = find_optimum(CLASSIC, **options)
    path = tmp_path / "checkpoint.npz"
    with pytest.raises(KeyboardInterrupt):
        find_optimum(CLASSIC, checkpoint=path, watch=Interrupter(3), **options)
    found = find_optimum(CLASSIC, checkpoint=path, resume=True, **options)
    assert proof(found) == proof(whole)


def test_a_checkpoint_of_one_question_helps_another(tmp_path):
    path = tmp_path / "checkpoint.npz"
    with pytest.raises(KeyboardInterrupt):
        find_optimum(CLASSIC, checkpoint=path, watch=Interrupter(3))
    forced = find_optimum(CLASSIC, opening=CLASSIC.code("1122"), checkpoint=path, resume=True)
    assert forced.tree.total == 5702


def test_a_proof_of_impossibility_is_resumed_too(tmp_path):
    path = tmp_path / "checkpoint.npz"
    options = {"max_guesses": 5, "opening": CLASSIC.code("1111"), "checkpoint": path}
    with pytest.raises(KeyboardInterrupt):
        find_optimum(CLASSIC, watch=Interrupter(1), **options)
    with pytest.raises(ImpossibleError):
        find_optimum(CLASSIC, resume=True, **options)
    assert not path.exists()


def test_checkpoints_now_and_then(tmp_path):
    path = tmp_path / "checkpoint.npz"
    seen = []

    def watch(effort, best, left):
        seen.append(path.exists())

    find_optimum(CLASSIC, checkpoint=path, checkpoint_every=0.0, watch=watch)
    assert seen
    assert any(seen)
    assert not path.exists()


def test_a_checkpoint_that_cannot_be_written_does_not_stop_the_search(tmp_path):
    path = tmp_path / "none" / "checkpoint.npz"
    assert find_optimum(CLASSIC, checkpoint=path, checkpoint_every=0.0).tree.total == 5625
    with pytest.raises(FileFormatError, match=r"interrupted, and the checkpoint .* cannot be"):
        find_optimum(CLASSIC, checkpoint=path, watch=Interrupter(1))


def test_checkpoints_that_cannot_be_used(tmp_path):
    path = tmp_path / "checkpoint.npz"
    engine = Engine(CLASSIC)
    with pytest.raises(FileFormatError, match="there is no checkpoint"):
        load_checkpoint(engine, path)
    with pytest.raises(KeyboardInterrupt):
        find_optimum(CLASSIC, checkpoint=path, watch=Interrupter(4))
    for other, what in (
        (Engine(Rules(3, 4)), "rules is"),
        (Engine(CLASSIC, consistent=True), "consistent is False, not True"),
        (Engine(CLASSIC, method=METHODS["cross"]), "method is"),
        (Engine(CLASSIC, np.arange(50)), "codes is 1296, not 50"),
    ):
        with pytest.raises(FileFormatError, match=f"of something else: .*{what}"):
            load_checkpoint(other, path)

    with np.load(path) as archive:
        state = dict(archive)
    description = json.loads(str(state["description"]))
    for name, change in {
        "version": {"description": np.array(json.dumps({**description, "version": 99}))},
        "no memo": {"memo_keys": None},
        "short stack": {"frames": state["frames"][:, :3]},
    }.items():
        bad = tmp_path / f"{name}.npz"
        changed = {k: v for k, v in {**state, **change}.items() if v is not None}
        np.savez(bad, **changed)
        with pytest.raises(FileFormatError):
            load_checkpoint(Engine(CLASSIC), bad)
    for size in (0, 100, path.stat().st_size // 2):
        bad = tmp_path / "short.npz"
        shutil.copy(path, bad)
        with bad.open("r+b") as file:
            file.truncate(size)
        with pytest.raises(FileFormatError, match="not a checkpoint, or damaged"):
            load_checkpoint(Engine(CLASSIC), bad)


def test_a_failed_write_keeps_the_old_checkpoint(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint.npz"
    engine = Engine(CLASSIC)
    engine.solve(np.arange(80))
    save_checkpoint(engine, path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="no space"):
        save_checkpoint(engine, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint.npz"]
