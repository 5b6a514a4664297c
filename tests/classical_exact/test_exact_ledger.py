"""The ledger: cells, the results file, workers of every kind, disagreement."""

import hashlib
import json
import multiprocessing
import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from qmastermind.cli.app import build_app
from qmastermind.errors import QmastermindError, UsageError
from qmastermind_classical.exact import cells as cells_module
from qmastermind_classical.exact import jobs as jobs_module
from qmastermind_classical.exact.cells import PUBLISHED, Cell, Published, read_cells
from qmastermind_classical.exact.errors import DisagreementError, FileFormatError
from qmastermind_classical.exact.jobs import Job, prove, run_here, run_in_processes
from qmastermind_classical.exact.ledger import Ledger, markdown
from qmastermind_classical.exact.tree import load_tree
from qmastermind_classical.exact.verify import verify_tree

SMALL = "2x2-6,3x3,4x2,2x4d,4x6/4"
DOCS = Path(__file__).parents[2] / "docs"


def test_cells_are_read():
    assert read_cells("4x6, 2x2-4 4x10d 4x6/5") == (
        Cell(4, 6),
        Cell(2, 2),
        Cell(2, 3),
        Cell(2, 4),
        Cell(4, 10, distinct=True),
        Cell(4, 6, max_guesses=5),
    )
    assert read_cells("published") == tuple(PUBLISHED)
    for cell in (*PUBLISHED, Cell(3, 5, True, 4)):
        assert read_cells(cell.spec) == (cell,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4-6", "cannot read the cell '4-6'"),
        ("", "no cell given"),
        ("4x6/0", "allows no guess"),
        ("4x6-3", "from 6 down to 3"),
        ("4x1", "at least 2 colours"),
        ("5x4d", "at least 5 colours"),
    ],
)
def test_cells_that_cannot_be(text, expected):
    with pytest.raises(UsageError, match=expected):
        read_cells(text)


def command(*arguments):
    return CliRunner().invoke(build_app(), ["ledger", *map(str, arguments)])


def without_seconds(path):
    cells = json.loads(path.read_text())["cells"]
    for record in cells.values():
        for proof in record["proofs"].values():
            del proof["seconds"]
    return cells


def test_a_ledger_is_filled_and_what_it_holds_is_skipped(tmp_path, monkeypatch):
    results, trees = tmp_path / "ledger.json", tmp_path / "trees"
    arguments = "--games", SMALL, "--results", results, "--trees", trees, "--json"
    first = command(*arguments)
    assert first.exit_code == 0, first.output
    report = json.loads(first.stdout)
    assert (report["computed"], report["skipped"]) == (9, 0)
    cells = report["cells"]
    assert cells["2x6"]["total"] == 132
    assert (cells["2x6"]["status"], cells["2x6"]["source"]) == ("published", "mmstrat (C++, 2012)")
    assert (cells["2x4d"]["total"], cells["2x4d"]["status"]) == (30, "new")
    assert cells["4x6/4"]["total"] is None
    for spec, record in cells.items():
        tree = record["proofs"]["main"]["tree"]
        if record["total"] is None:
            assert tree is None
            continue
        file = trees / tree["file"]
        assert hashlib.sha256(file.read_bytes()).hexdigest() == tree["sha256"]
        assert list(verify_tree(load_tree(file))) == record["distribution"], spec
    assert sorted(p.name for p in tmp_path.iterdir()) == ["ledger.json", "trees"]

    monkeypatch.setattr(jobs_module, "prove", None)  # nothing is computed again
    written = results.read_bytes()
    again = json.loads(command(*arguments).stdout)
    assert (again["computed"], again["skipped"]) == (0, 9)
    assert again["cells"] == cells
    assert results.read_bytes() == written


def test_a_second_method_adds_its_proof(tmp_path):
    results = tmp_path / "ledger.json"
    assert command("--games", "3x4", "--results", results).exit_code == 0
    run = command("--games", "3x4", "--results", results, "--methods", "main,cross", "--json")
    report = json.loads(run.stdout)
    assert (report["computed"], report["skipped"]) == (1, 1)
    assert set(report["cells"]["3x4"]["proofs"]) == {"main", "cross"}


def test_the_table_is_printed(tmp_path):
    results = tmp_path / "ledger.json"
    shown = command("--games", "3x3,4x6/4", "--results", results)
    assert "MM(3,3)" in shown.stdout
    assert "impossible" in shown.stdout
    table = command("--games", "3x3,4x6/4", "--results", results, "--markdown").stdout
    assert table.splitlines()[2].startswith("| MM(3,3) | 73 | 2.7037 | 4 | 112 | 1 | ")
    assert table == markdown(Ledger.open(results), read_cells("3x3,4x6/4"))


def test_a_published_value_that_is_not_met_stops_the_run(tmp_path, monkeypatch):
    monkeypatch.setitem(PUBLISHED, Cell(3, 3), Published(72, "somebody"))
    results = tmp_path / "ledger.json"
    run = command("--games", "2x3,3x3,2x4", "--results", results)
    assert isinstance(run.exception, DisagreementError)
    assert "MM(3,3): method 'main' has the total 73, published is the total 72" in str(
        run.exception
    )
    assert set(json.loads(results.read_text())["cells"]) == {"2x3"}  # kept; 2x4 not begun


def test_a_results_file_that_contradicts_what_is_published(tmp_path, monkeypatch):
    results = tmp_path / "ledger.json"
    assert command("--games", "2x3", "--results", results).exit_code == 0
    monkeypatch.setitem(PUBLISHED, Cell(2, 3), Published(20, "somebody"))
    with pytest.raises(DisagreementError, match="published is the total 20"):
        Ledger.open(results)


def test_two_methods_that_disagree_stop_the_run(tmp_path):
    ledger = Ledger(tmp_path / "ledger.json")
    proof = prove(Job(Cell(2, 4, distinct=True)))
    ledger.enter(proof, None)
    other = jobs_module.Proof(
        proof.cell, "cross", {**proof.values, "total": 31}, proof.effort, proof.tree
    )
    with pytest.raises(DisagreementError, match="'cross' finds the total 31, main found"):
        ledger.enter(other, None)
    assert set(ledger.records[proof.cell]["proofs"]) == {"main"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"format": "qmastermind-ledger", "version": 2, "cells": {}}', "of version 2; this"),
        ('{"format": "other"}', "is not a ledger"),
        ("[]", "is not a ledger"),
        ('{"format": "qmastermind-ledger", ', "not JSON, or damaged"),
        ('{"format": "qmastermind-ledger", "version": 1}', "is damaged"),
        ('{"format": "qmastermind-ledger", "version": 1, "cells": {"4y6": {}}}', "is damaged"),
        ('{"format": "qmastermind-ledger", "version": 1, "cells": {"3x8": {}}}', "is damaged"),
    ],
)
def test_results_files_that_cannot_be_used_are_left_alone(tmp_path, content, expected):
    results = tmp_path / "ledger.json"
    results.write_text(content)
    run = command("--games", "2x3", "--results", results)
    assert isinstance(run.exception, FileFormatError)
    assert re.search(expected, str(run.exception))
    assert results.read_text() == content


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--methods", "fast"), "unknown methods 'fast'; known: main"),
        (("--methods", ""), "unknown methods ''"),
        (("--workers", "2", "--scheduler", "tcp://localhost:1"), "either --workers or"),
        (("--results", "none/ledger.json"), "there is no directory none"),
        (("--games", "6x9"), "exact play needs"),
    ],
)
def test_misuse(tmp_path, monkeypatch, arguments, expected):
    monkeypatch.chdir(tmp_path)
    run = command(*arguments)
    assert isinstance(run.exception, UsageError)
    assert expected in str(run.exception)


def test_results_that_cannot_be_written_are_said(tmp_path, monkeypatch):
    (tmp_path / "trees").touch()
    run = command("--games", "2x3", "--results", tmp_path / "l.json", "--trees", tmp_path / "trees")
    assert isinstance(run.exception, UsageError)
    assert "cannot make the directory" in str(run.exception)

    def fail(*_):
        raise OSError(28, "No space left on device", "l.json")

    monkeypatch.setattr("os.replace", fail)
    run = command("--games", "2x3", "--results", tmp_path / "l.json")
    assert isinstance(run.exception, QmastermindError)
    assert "No space left on device; the result that is lost is MM(2,3), total 21" in str(
        run.exception
    )


def test_an_unusable_checkpoint_costs_no_result(tmp_path):
    job = Job(Cell(3, 4), work=tmp_path)
    job.checkpoint.write_bytes(b"nonsense")
    assert prove(job).values["total"] == 206


def jobs(specs, work=None, **options):
    return [Job(cell, work=work, **options) for cell in read_cells(specs)]


def facts(proofs):
    return sorted(
        (p.cell.spec, p.method, p.values, p.tree, {**p.effort, "seconds": 0}) for p in proofs
    )


def test_the_number_of_workers_does_not_matter(tmp_path):
    here, two = tmp_path / "here.json", tmp_path / "two.json"
    assert command("--games", SMALL, "--results", here).exit_code == 0
    run = command("--games", SMALL, "--results", two, "--workers", "2")
    assert run.exit_code == 0, run.output
    assert without_seconds(here) == without_seconds(two)
    assert not (tmp_path / "two-work").exists()


def die_once(job):
    """Stands for the worker's function: the first to run it is killed, as by the system."""
    mark = job.work / "died"
    if job.cell == Cell(3, 4) and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return prove(job)


def test_a_killed_worker_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs_module, "_prove_in_worker", die_once)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    todo = jobs("2x4,3x4,2x5", tmp_path)
    found = list(run_in_processes(todo, 2))
    assert (tmp_path / "died").exists()
    assert facts(found) == facts(run_here(todo))


def die_always(job):
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_that_keep_dying_are_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs_module, "_prove_in_worker", die_always)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    with pytest.raises(QmastermindError, match="died 3 times in a row"):
        list(run_in_processes(jobs("2x4", tmp_path), 1))


def kill_when(path, pids, timeout=120):
    """Kills the processes as soon as there is a file."""
    end = time.monotonic() + timeout
    while not path.exists():
        assert time.monotonic() < end, f"no {path}"
        time.sleep(0.02)
    for pid in pids():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_goes_on_from_its_checkpoint(tmp_path):
    import threading

    todo = jobs("4x8", tmp_path, every=0.5)
    killer = threading.Thread(
        target=kill_when,
        args=(
            todo[0].checkpoint,
            lambda: [child.pid for child in multiprocessing.active_children()],
        ),
    )
    killer.start()
    found = list(run_in_processes(todo, 1))
    killer.join()
    assert facts(found) == facts(run_here(jobs("4x8")))
    assert not todo[0].checkpoint.exists()


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


@pytest.mark.filterwarnings("default")  # a cluster has its own ideas of warnings
def test_a_dask_cluster_finds_the_same(tmp_path, cluster):
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    assert command("--games", SMALL, "--results", here).exit_code == 0
    arguments = "--results", there, "--scheduler", cluster.scheduler_address
    run = command("--games", SMALL, *arguments)
    assert run.exit_code == 0, run.output
    assert without_seconds(here) == without_seconds(there)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_dask_worker_killed_in_the_middle_loses_nothing(tmp_path, cluster):
    import threading

    todo = jobs("4x8", tmp_path, every=0.5)
    killer = threading.Thread(
        target=kill_when,
        args=(
            todo[0].checkpoint,
            lambda: [worker.pid for worker in cluster.workers.values()],
        ),
    )
    killer.start()
    found = list(jobs_module.run_on_cluster(todo, cluster.scheduler_address))
    killer.join()
    assert facts(found) == facts(run_here(jobs("4x8")))


@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_is_not_there(tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(QmastermindError, match="cannot reach a Dask scheduler at tcp://127"):
        list(jobs_module.run_on_cluster(jobs("2x3"), "tcp://127.0.0.1:9"))


def test_no_published_value_is_listed_without_a_source():
    assert all(published.source for published in cells_module.PUBLISHED.values())
