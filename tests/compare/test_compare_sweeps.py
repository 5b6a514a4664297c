"""Sweeps that are killed and resumed, that run out of time or memory, or run on a Dask cluster."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace

import pytest

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.comparison import OURS, Cell, in_order, run_cells
from qmastermind.comparison import cells as cells_module
from qmastermind.comparison import runner as runner_module
from qmastermind.comparison.cells import blank_row
from qmastermind.comparison.runner import Cache
from qmastermind.comparison.worker import Worker, attempt
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.target import Target


def cell(number=0, **changes):
    b = CircuitBuilder(Register("x", 4))
    b.h(3)
    b.x(3, [0, 1, 2])
    b.rz(0.1 + number, 0)
    return replace(Cell(f"c{number}", b.build(), OURS, 2, "ours", Target()), **changes)


SWEEP = """
import os, sys, time
from pathlib import Path
from qmastermind.comparison import run_cells
from qmastermind.comparison.worker import Worker
sys.path.insert(0, {folder!r})
from sweep_cells import todo

log, folder = Path({log!r}), Path({cache!r})
honest = Worker.run

def logged(self, cell, timeout):
    row = honest(self, cell, timeout)
    with log.open("a") as file:
        file.write(cell.name + "\\n")
    return row

Worker.run = logged
for row in run_cells(todo(), cache=folder, workers={workers}):
    print(row.circuit, row.status, row.equivalent, flush=True)
    time.sleep({pause})
"""

CELLS = """
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.comparison import Cell
from qmastermind.target import Target

def todo():
    cells = []
    for i in range(8):
        b = CircuitBuilder(Register("x", 4))
        b.h(3)
        b.x(3, [0, 1, 2])
        b.rz(0.1 + i, 0)
        cells.append(Cell(f"c{i}", b.build(), "qmastermind", 2, "ours", Target()))
    return cells
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_a_sweep_that_was_killed_compiles_nothing_twice(tmp_path, workers):
    (tmp_path / "sweep_cells.py").write_text(CELLS)
    log, cache = tmp_path / "compiled.txt", tmp_path / "cache"
    options = {"folder": str(tmp_path), "log": str(log), "cache": str(cache), "workers": workers}
    code = SWEEP.format(**options, pause=0.2)
    sweep = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    seen = [sweep.stdout.readline().split()[0] for _ in range(3)]
    os.kill(sweep.pid, signal.SIGKILL)
    sweep.wait()
    sweep.stdout.close()
    finished = {json.loads(p.read_text())["circuit"] for p in cache.glob("*.json")}
    assert set(seen) <= finished
    assert len(finished) < 8  # it was in the middle
    before = Counter(log.read_text().split())
    again = subprocess.run(
        [sys.executable, "-c", SWEEP.format(**options, pause=0)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(again.stdout.split("\n")[:-1]) == [f"c{i} ok True" for i in range(8)]
    recompiled = Counter(log.read_text().split()) - before
    assert set(recompiled) == {f"c{i}" for i in range(8)} - finished
    assert set(recompiled.values()) == {1}


def assert_the_worker_ends_with(code):
    """Runs code that prints the process id of a worker, kills it, and waits for the worker."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    sweep = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=env
    )
    pid = int(sweep.stdout.readline())
    sweep.kill()
    sweep.wait()
    sweep.stdout.close()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and is_alive(pid):
        time.sleep(0.05)
    assert not is_alive(pid)


def test_the_workers_of_a_killed_sweep_end_with_it(tmp_path):
    code = (
        "from qmastermind.comparison.worker import Worker\n"
        "w = Worker(); p = w._started(); print(p.pid, flush=True)\n"
        "import time; time.sleep(60)\n"
    )
    assert_the_worker_ends_with(code)


def test_the_workers_of_a_killed_sweep_end_while_they_compile(tmp_path):
    """As a framework's compiler may be busy for minutes, and does not look at its input."""
    busy = tmp_path / "busy.py"
    busy.write_text(
        "import qmastermind.comparison.worker as w, time\n"
        "w.warm_up = lambda cell: time.sleep(60)\n"
        "w.main()\n"
    )
    code = (
        "import os, subprocess, sys, time\n"
        f"command = [sys.executable, {str(busy)!r}, str(os.getpid())]\n"
        "p = subprocess.Popen(command, stdin=subprocess.PIPE)\n"
        "import qmastermind.comparison.worker as w\n"
        "from test_compare_sweeps import cell\n"
        "w._send(p.stdin, cell())\n"
        "print(p.pid, flush=True); time.sleep(60)\n"
    )
    assert_the_worker_ends_with(code)


def test_imports_and_warming_up_are_not_timed():
    """Only compiling is: with a limit that no import would keep to, rows come out."""
    pytest.importorskip("qiskit")
    worker = Worker()
    try:
        row = worker.run(cell(backend="qiskit"), 0.3)
        assert row.status == "ok"
        assert row.seconds < 0.3
    finally:
        worker.close()


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_what_was_compiled_is_kept_if_its_proof_takes_too_long(monkeypatch):
    worker = Worker()
    try:
        assert worker.run(cell(), 60).ranked
        wide = CircuitBuilder(Register("x", 23))
        wide.z(22, range(22))
        row = worker.run(cell(circuit=wide.build().power(9)), 3.0)
        assert row.status == "ok"
        assert row.equivalent is None
        assert not row.ranked
        assert row.detail == "no proof within 3 s"
        assert row.figures["two_qubit_gates"] > 0
    finally:
        worker.close()


def test_a_proof_that_needs_too_much_memory_leaves_the_figures(monkeypatch):
    for error in (MemoryError(), TooLargeError("24 qubits do not fit")):

        def refuse(*_, error=error, **__):
            raise error

        monkeypatch.setattr(cells_module, "equivalent", refuse)
        row = attempt(cell())
        assert (row.status, row.equivalent) == ("ok", None)
        assert row.detail.startswith("no proof: ")
        assert row.figures["two_qubit_gates"] > 0


def test_a_compiler_that_runs_out_of_memory_is_a_row(monkeypatch):
    def exhausted(*_):
        raise MemoryError

    monkeypatch.setattr(cells_module, "compile_cell", exhausted)
    row = attempt(cell())
    assert (row.status, row.detail) == ("failed", "out of memory")


def test_rows_that_were_not_decided_are_tried_again(tmp_path):
    store = Cache(tmp_path)
    row = attempt(cell())
    store.put(cell(), replace(row, equivalent=None))
    assert store.get(cell()) is None
    store.put(cell(), row)
    assert store.get(cell()) == row


def test_a_cell_that_cannot_be_sent_is_a_row():
    unsent = cell(device=lambda: None)
    rows = list(run_cells([unsent, cell(1)]))
    assert sorted(row.status for row in rows) == ["failed", "ok"]


def test_order_of_blocks_is_that_of_the_cells():
    todo = [cell(i) for i in range(3)]
    rows = [attempt(c) for c in reversed(todo)]
    assert [row.circuit for row in in_order(rows, todo)] == ["c0", "c1", "c2"]


def test_sizes_beyond_one_that_took_too_long_are_not_tried(monkeypatch):
    tried = []

    def slow(self, one, timeout):
        tried.append(one.name)
        if one.name in ("a 4", "b 8"):
            return blank_row(one, status="timed out", detail="no result")
        return attempt(one)

    monkeypatch.setattr(Worker, "run", slow)
    todo = [cell(name=f"{kind} {n}") for n in (2, 4, 6, 8) for kind in "ab"]
    rows = {row.circuit: row for row in run_cells(todo, workers=2, timeout=5)}
    assert len(rows) == len(todo)
    assert "a 2" in tried
    assert {"a 6", "a 8"}.isdisjoint(tried)
    assert {"b 2", "b 4", "b 6", "b 8"} <= set(tried)
    assert rows["a 8"].status == "timed out"
    assert rows["a 8"].detail == "not tried: size 4 already took more than 5 s"


def test_a_dask_cluster_gives_the_same_rows(tmp_path):
    distributed = pytest.importorskip("distributed")
    todo = [*(cell(i) for i in range(3)), cell(9, backend="statevector")]
    local = {row.circuit: row for row in run_cells(todo)}
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
    ) as cluster:
        scheduler = cluster.scheduler_address
        spread = list(run_cells(todo, cache=tmp_path / "cache", scheduler=scheduler))
    assert len(spread) == len(todo)
    for row in spread:
        assert replace(row, seconds=0) == replace(local[row.circuit], seconds=0)
    assert len(list((tmp_path / "cache").glob("*.json"))) == 3


def test_a_scheduler_that_is_not_there_is_misuse(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(runner_module, "_CONNECT_SECONDS", 1.0)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(UsageError, match="no Dask scheduler answers"):
            list(run_cells([cell()], scheduler=address))


def test_a_machine_that_goes_away_is_a_row(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")

    def gone(one, timeout):
        if one.name == "c1":
            raise RuntimeError("lost")
        return attempt(one)

    monkeypatch.setattr(runner_module, "run_isolated", gone)
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
    ) as cluster:
        rows = list(run_cells([cell(0), cell(1)], scheduler=cluster.scheduler_address))
    found = {row.circuit: row for row in rows}
    assert found["c0"].ranked
    assert (found["c1"].status, found["c1"].detail) == ("died", "RuntimeError: lost")
