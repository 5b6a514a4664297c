"""The commands ``optimal``, ``hint`` and ``verify-tree`` as a user meets them."""

import json
import signal
import subprocess
import sys

import pytest

from qmastermind.cli.app import main
from qmastermind.game import Rules
from qmastermind_classical.exact import cli
from qmastermind_classical.exact.optimum import find_optimum


def run(capsys, *arguments):
    """Runs a command as the console script does: exit code, stdout, stderr."""
    with pytest.raises(SystemExit) as ended:
        main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return ended.value.code or 0, captured.out, captured.err


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_optimal_in_json(capsys):
    code, out, err = run(capsys, "optimal", "--json")
    report = json.loads(out)
    assert code == 0
    assert err == ""
    assert report["total"] == 5625
    assert report["mean"] == 5625 / 1296
    assert (report["max"], report["opening"], report["proved"]) == (6, "1123", True)
    assert sum(report["distribution"]) == 1296
    assert 0 < report["expanded_sets"] <= 1500
    assert report["settled_sets"] > 0
    assert report["seconds"] >= 0


def test_optimal_saves_a_tree_that_verify_tree_accepts(capsys, tmp_path):
    arguments = "--positions", 3, "--colours", 5, "--max-guesses", 5, "--opening", "112"
    code, out, _ = run(capsys, "optimal", *arguments, "--save", "tree.json")
    assert code == 0
    assert "opening 112 (prescribed)" in out
    code, out, _ = run(capsys, "verify-tree", "tree.json", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["valid"]
    assert (facts["secrets"], facts["opening"], facts["max_guesses"]) == (125, "112", 5)
    assert facts["sha256"] in run(capsys, "verify-tree", "tree.json")[1]
    assert [p.name for p in tmp_path.iterdir()] == ["tree.json"]


def test_a_tampered_tree(capsys, tmp_path):
    run(capsys, "optimal", "--positions", 3, "--colours", 3, "--save", "tree.json")
    path = tmp_path / "tree.json"
    data = json.loads(path.read_text())
    answer, part = next((a, n) for a, n in data["root"]["after"].items() if isinstance(n, dict))
    part["total"] -= 1
    path.write_text(json.dumps(data))
    code, out, err = run(capsys, "verify-tree", "tree.json", "--json")
    assert (code, out) == (1, "")
    assert f"error: the node after {data['root']['guess']} ({answer}) says that it takes" in err


def test_what_is_impossible(capsys):
    arguments = "--max-guesses", 5, "--opening", "1111"
    code, out, _ = run(capsys, "optimal", *arguments, "--json")
    assert (code, json.loads(out)["possible"]) == (1, False)
    code, out, _ = run(capsys, "optimal", *arguments)
    assert code == 1
    assert "proved: no strategy after 1111" in out


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("optimal", "--opening", "112"), "too short: 3 pegs, expected 4"),
        (("optimal", "--opening", "1127"), "is no colour of these rules"),
        (("optimal", "--max-guesses", "0"), "max-guesses"),
        (("optimal", "--method", "fast"), "unknown method 'fast'; known: main, cross"),
        (("optimal", "--save", "none/tree.json"), "there is no directory none"),
        (("optimal", "--positions", "6", "--colours", "9"), "531,441 codes"),
        (("hint", "--history", "1122:3,1"), "3 black, 1 white cannot occur"),
        (("hint", "--history", "1122:3,2"), "3 black, 2 white cannot occur"),
        (("hint", "--history", "112:1,1"), "row 1 of the history"),
        (("hint", "--rule", "best"), "unknown"),
        (("hint", "--positions", "9", "--colours", "12"), "too many to list"),
        (("verify-tree", "none.json"), "cannot read none.json"),
    ],
)
def test_misuse(capsys, arguments, expected):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert expected in " ".join(err.split())
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("hint", "--history", "1122:4,0 1122:0,0"), "no code agrees with row 2"),
        (("optimal", "--history", "1122:4,0 1122:0,0"), "no code agrees with row 2"),
        (("optimal", "--resume"), "start without --resume"),
    ],
)
def test_what_fails(capsys, arguments, expected):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert expected in " ".join(err.split())


def test_hint(capsys):
    code, out, _ = run(capsys, "hint", "--history", "1122:1,1 1344:0,2", "--json")
    report = json.loads(out)
    assert code == 0
    assert (report["method"], report["possible"], report["rows"]) == ("exact", 37, 2)
    assert report["expected_guesses"] == pytest.approx(2.675676)
    assert len(report["guess"]) == 4
    code, out, _ = run(capsys, "hint", "--history", "1122:1,1 1344:0,2")
    assert "37 codes are possible" in out
    assert "exact" in out
    code, out, _ = run(capsys, "hint", "--max-sets", "3", "--rule", "minimax")
    assert code == 0
    assert "by the rule 'minimax'" in out
    code, out, _ = run(capsys, "hint", "--history", "1122:4,0")
    assert "1 code is possible: 1122" in " ".join(out.split())


def test_ctrl_c_keeps_what_is_proved(capsys, tmp_path, monkeypatch):
    """A real signal, in the middle of the search; then --resume."""
    expected = json.loads(run(capsys, "optimal", "--json")[1])
    calls = []
    original = cli._how_it_goes

    def press(*arguments):
        calls.append(1)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return original(*arguments)

    monkeypatch.setattr(cli, "_how_it_goes", press)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs
    try:
        code, out, err = run(capsys, "optimal", "--json")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (code, out) == (130, "")
    assert "go on with --resume" in err
    assert [p.name for p in tmp_path.iterdir()] == ["optimal-4x6.checkpoint.npz"]

    code, out, err = run(capsys, "optimal")
    assert code == 2
    assert "is left from an interrupted run: add --resume, or delete it" in " ".join(err.split())

    code, out, _ = run(capsys, "optimal", "--resume", "--json")
    found = json.loads(out)
    assert code == 0
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}
    assert list(tmp_path.iterdir()) == []


def test_a_tree_that_cannot_be_written_is_not_the_end(capsys, tmp_path):
    (tmp_path / "taken").mkdir()
    code, out, err = run(capsys, "optimal", "--positions", 2, "--json", "--save", "taken")
    assert code == 2
    assert json.loads(out)["total"] == 132  # what was computed is said
    assert "cannot write the tree to taken" in " ".join(err.split())


def test_nothing_heavy_is_imported_before_it_is_used():
    code = (
        "import sys\n"
        "import qmastermind_classical.exact.cli, qmastermind_classical.exact.cli_ledger\n"
        "import qmastermind_classical.exact.solver, qmastermind_classical.exact.optimum\n"
        "import qmastermind_classical.exact.ledger, qmastermind_classical.exact.hint\n"
        "heavy = {'numba', 'distributed', 'dask'} & sys.modules.keys()\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_opening_may_be_text_in_python_too():
    assert find_optimum(Rules(2, 3), opening="11").tree.total == 24
