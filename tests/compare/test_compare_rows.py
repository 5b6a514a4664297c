import csv
import io
import json
import subprocess
import sys
import threading
import time
from dataclasses import replace

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Phases, Register
from qmastermind.comparison import (
    OURS,
    Cell,
    Row,
    blocks,
    compare,
    run_cells,
    to_csv,
    to_json,
    to_markdown,
)
from qmastermind.comparison import cells as cells_module
from qmastermind.comparison.cells import run_cell, with_spares
from qmastermind.comparison.digest import digest
from qmastermind.comparison.runner import Cache
from qmastermind.comparison.tables import ranked
from qmastermind.comparison.worker import Worker, attempt
from qmastermind.target import Target


def toffoli(angle=0.0):
    b = CircuitBuilder(Register("x", 3))
    b.h(2)
    b.x(2, [0, 1])
    if angle:
        b.rz(angle, 0)
    return b.build()


def cell(backend=OURS, circuit=None, **changes):
    return replace(Cell("toffoli", circuit or toffoli(), backend, 2, "ours", Target()), **changes)


def test_our_own_lowering_is_a_row():
    row = run_cell(cell())
    assert row.ranked
    assert row.equivalent is True
    assert row.figures["two_qubit_gates"] <= 6
    assert row.figures["qubits"] == 3
    assert row.native_depth is None


def test_several_seeds_give_median_and_spread():
    row = run_cell(cell(seeds=(1, 2, 3)))
    assert row.seeds == (1, 2, 3)
    low, high = row.spread["depth"]
    assert low <= row.figures["depth"] <= high


def test_a_wrong_result_is_marked_and_never_ranked(monkeypatch):
    honest = cells_module.compile_cell(cell(), 1)

    def wrong(_, seed):
        b = CircuitBuilder(Register("x", 3))
        b.h(2)
        return replace(honest, circuit=b.build())

    monkeypatch.setattr(cells_module, "compile_cell", wrong)
    row = run_cell(cell())
    assert row.equivalent is False
    assert not row.ranked
    right = replace(row, equivalent=True)
    undecided = replace(row, equivalent=None)
    order = [rank for rank, _ in ranked(next(iter(blocks([row, undecided, right]).values())))]
    assert order == [1, None, None]


def test_equal_figures_share_a_rank():
    row = run_cell(cell())
    worse = replace(row, figures={**row.figures, "two_qubit_depth": 99}, backend="b")
    twin = replace(row, backend="a")
    (members,) = blocks([worse, row, twin]).values()
    assert [(rank, r.backend) for rank, r in ranked(members)] == [(1, OURS), (1, "a"), (3, "b")]


def test_failures_are_rows():
    row = attempt(cell("statevector"))
    assert row.status == "failed"
    assert "has no compiler" in row.detail
    tight = attempt(cell(target=Target(("x",))))
    assert tight.status == "failed"
    (unknown,) = run_cells([cell("no-such-backend")])
    assert "unknown backend 'no-such-backend'" in unknown.detail


def test_a_worker_survives_what_its_process_does_not():
    worker = Worker()
    try:
        assert worker.run(cell(), 60).ranked
        wide = CircuitBuilder(Register("x", 300))
        wide.z(299, range(299))
        assert worker.run(cell(circuit=wide.build()), 0.01).status == "timed out"
        killer = threading.Thread(target=lambda: (time.sleep(0.05), worker._process.kill()))
        worker._started()
        killer.start()
        assert worker.run(cell(), 60).status == "died"
        killer.join()
        assert worker.run(cell(), 60).ranked  # started again
    finally:
        worker.close()


def test_finished_rows_are_not_computed_again(tmp_path, monkeypatch):
    todo = [cell(), cell(circuit=toffoli(0.3)), cell("statevector")]
    first = list(run_cells(todo, cache=tmp_path, workers=2))
    assert sorted(r.status for r in first) == ["failed", "ok", "ok"]
    assert len(list(tmp_path.glob("*.json"))) == 2

    ran = []

    def count(self, one, timeout):
        ran.append(one.backend)
        return attempt(one)

    monkeypatch.setattr(Worker, "run", count)
    again = list(run_cells(todo, cache=tmp_path))
    assert ran == ["statevector"]  # what failed is tried again, nothing else
    assert sorted(map(repr, again)) == sorted(map(repr, first))


def test_a_killed_sweep_resumes(tmp_path):
    todo = [cell(circuit=toffoli(0.1 * i)) for i in range(1, 5)]
    sweep = run_cells(todo, cache=tmp_path)
    next(sweep)
    next(sweep)
    sweep.close()
    kept = len(list(tmp_path.glob("*.json")))
    assert kept >= 2
    assert len(list(run_cells(todo, cache=tmp_path))) == 4


def test_a_damaged_cache_entry_is_computed_again(tmp_path):
    list(run_cells([cell()], cache=tmp_path))
    (path,) = tmp_path.glob("*.json")
    path.write_text('{"half": ')
    assert Cache(tmp_path).get(cell()) is None
    assert next(iter(run_cells([cell()], cache=tmp_path))).ranked
    assert Cache(tmp_path).get(cell()).ranked


def test_an_unwritable_cache_loses_no_row(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert next(iter(run_cells([cell()], cache=file / "below"))).ranked


def test_the_digest_tells_circuits_apart_and_is_stable():
    b = CircuitBuilder(Register("x", 2))
    b.diagonal(Phases(2, [0, 0, 0, 1]), [0, 1])
    other = CircuitBuilder(Register("x", 2))
    other.diagonal(Phases(2, [0, 0, 1, 0]), [0, 1])
    subjects = [toffoli(), toffoli(0.1), toffoli().power(2), b.build(), other.build()]
    assert len({digest(s) for s in subjects}) == len(subjects)
    code = (
        "from qmastermind.comparison.digest import digest\n"
        "from qmastermind import CircuitBuilder, Register\n"
        "b = CircuitBuilder(Register('x', 3)); b.h(2); b.x(2, [0, 1])\n"
        "print(digest(b.build().power(2), 'a'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest(toffoli().power(2), "a")


def test_spare_qubits_stand_beside_the_circuit():
    spare = with_spares(toffoli(), 2)
    assert spare.num_qubits == 5
    assert spare.ancillas == (3, 4)
    more = with_spares(spare, 1)  # beside the ancillas that there are
    assert more.num_qubits == 6
    assert more.ancillas == (3, 4, 5)
    assert with_spares(spare, 0) is spare


def test_the_formats_hold_the_same_figures():
    rows = [run_cell(cell()), attempt(cell("statevector"))]
    restored = [Row.from_dict(r) for r in json.loads(to_json(rows, {"command": "x"}))["rows"]]
    assert restored == rows
    listed = list(csv.DictReader(io.StringIO(to_csv(rows))))
    assert listed[0]["two_qubit_gates"] == str(rows[0].figures["two_qubit_gates"])
    assert listed[1]["status"] == "failed"
    text = to_markdown(rows)
    assert "### toffoli on all-to-all, basis {rz, sx, x, cx}" in text
    assert "failed: backend 'statevector' has no compiler" in text


def test_the_call_returns_rows():
    rows = compare(toffoli(), backends=(), lowerings=("ours",), ancillas=(0, 1))
    assert [r.backend for r in rows] == [OURS, OURS]
    assert {r.ancillas for r in rows} == {0, 1}
