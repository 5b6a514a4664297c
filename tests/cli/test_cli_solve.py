import json
import math
import os
import subprocess
import sys

import pytest


def test_grover_on_the_embedded_simulator(run):
    result = run("solve", "--secret", "RBRY", "--solver", "grover", "--seed", 1, "--json")
    assert result.code == 0
    assert result.err == ""
    report = result.json
    assert {
        "solver", "backend", "rules", "secret", "solution", "solved", "verified", "iterations",
        "success_probability", "counts", "queries", "qubits", "depth", "two_qubit_gates", "seconds",
    } <= set(report)  # fmt: skip
    assert report["solution"] == report["secret"] == "RBRY"
    assert report["solved"] is True
    assert report["verified"] is True
    assert report["iterations"] == 28
    assert report["success_probability"] == pytest.approx(0.999837683, abs=1e-9)
    assert report["queries"]["quantum"] == 28
    assert report["queries"]["classical"] == 1
    assert report["qubits"] == 12
    assert report["counts"]["RBRY"] > 1000
    assert report["backend"] == "statevector"


def test_the_articles_setting(run):
    report = run(
        "solve", "--secret", "GGRB", "--space", "all", "--iterations", 10, "--seed", 3, "--json"
    ).json
    assert report["success_probability"] == pytest.approx(
        math.sin(21 * math.asin(1 / 64)) ** 2, abs=1e-9
    )
    assert report["solved"] is True


def test_exact(run):
    report = run("solve", "--secret", "IIII", "--exact", "--seed", 1, "--json").json
    assert report["success_probability"] == pytest.approx(1, abs=1e-9)
    assert report["counts"] == {"IIII": 1024}


def test_deutsch(run):
    report = run("solve", "--secret", "RIOR", "--solver", "deutsch", "--json").json
    assert report["solution"] == "RIOR"
    assert report["queries"]["quantum"] == 5
    assert report["memberships"] == {
        "RO": "1011", "RY": "1001", "RG": "1001", "RB": "1001", "RI": "1101",
    }  # fmt: skip


def test_other_rules(run):
    for rules in (
        ["--rules", "bulls-and-cows"],
        ["--rules", "blanks", "--solver", "deutsch"],
        ["--positions", "3", "--colours", "4", "--no-repeats"],
        ["--positions", "100", "--colours", "20", "--solver", "deutsch"],
    ):
        report = run("solve", *rules, "--seed", 5, "--json").json
        assert report["solved"], rules


def test_a_seed_repeats_everything(run):
    def play():
        report = run("solve", "--space", "all", "--iterations", 3, "--seed", 11, "--json").json
        report.pop("seconds")
        return report

    assert play() == play()


def test_an_unlucky_search_is_not_called_solved(run):
    result = run(
        "solve", "--secret", "RBRY", "--iterations", 0, "--shots", 1, "--seed", 2, "--json"
    )
    assert result.code == 1
    assert result.json["solved"] is False
    assert result.json["verified"] is False


def test_people_get_a_table(run):
    result = run("solve", "--secret", "RBRY", "--seed", 1)
    assert result.code == 0
    for words in (
        "solved: the secret is RBRY",
        "28 quantum (match: 28)",
        "0.999837683 (exact)",
        "█",
    ):
        assert words in result.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--secret", "RBXY"], ["'X' is no colour", "\n  RBXY\n    ^"]),
        (["--secret", "RBR"], ["too short: 3 pegs, expected 4"]),
        (["--secret", "RBRYY"], ["too long: 5 pegs, expected 4"]),
        (["--secret", "1231", "--rules", "bulls-and-cows"], ["repeats a colour"]),
        (["--colours", "1"], ["at least 2 colours, not 1"]),
        (["--positions", "0"], ["at least 1 position, not 0"]),
        (["--shots", "0"], ["shots must be at least 1, not 0"]),
        (["--shots", "-5"], ["shots must be at least 1, not -5"]),
        (["--solver", "deutsch", "--shots", "0"], ["shots must be at least 1"]),
        (["--iterations", "-1"], ["at least 0, not -1"]),
        (["--backend", "quiskit"], ["unknown backend 'quiskit'", "Did you mean 'qiskit'"]),
        (["--backend", "nonsense"], ["unknown backend 'nonsense'", "statevector"]),
        (["--backend", "statevector:x"], ["statevector"]),
        (["--solver", "grovr"], ["unknown solver 'grovr'", "deutsch", "Did you mean 'grover'"]),
        (["--rules", "clasic"], ["unknown rule set 'clasic'", "bulls-and-cows"]),
        (["--rules", "classic", "--colours", "6"], ["not both"]),
        (["--solver", "deutsch", "--exact"], ["no option --exact", "--backend, --shots"]),
        (["--solver", "deutsch", "--colours", "2"], ["no information with 2 colours"]),
        (["--positions", "20", "--colours", "8"], ["60 qubits", "qubits fit"]),
        (["--space", "some"], ["unknown space 'some'"]),
        (["--seed", "-1"], ["--seed"]),
        (["--shots", "many"], ["--shots"]),
        (["--no-such-flag"], ["--no-such-flag"]),
    ],
)  # fmt: skip
def test_misuse_ends_with_a_message_and_2(run, arguments, words):
    result = run("solve", *arguments)
    assert result.code == 2
    assert result.out == ""
    assert "Traceback" not in result.err
    for word in words:
        assert word in result.err


def test_a_plot_is_written(run, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "top.png"
    assert run("solve", "--secret", "RBRY", "--seed", 1, "--plot", path).code == 0
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["missing/top.png", "top.nonsense"])
def test_an_unwritable_plot_keeps_the_result(run, tmp_path, name):
    pytest.importorskip("matplotlib")
    result = run("solve", "--secret", "RBRY", "--seed", 1, "--json", "--plot", tmp_path / name)
    assert result.code == 2
    assert result.json["solution"] == "RBRY"
    assert "top." in result.err
    assert "Traceback" not in result.err


def test_as_a_module():
    command = [sys.executable, "-m", "qmastermind", "solve", "--secret", "RBRY", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["solved"] is True


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_interrupted(name):
    interrupted = """
import signal, os, time
from qmastermind.cli import main
from qmastermind.simulator import StatevectorBackend
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs
StatevectorBackend._run = lambda *a: (os.kill(os.getpid(), signal.NAME), time.sleep(60))
main(["solve", "--secret", "RBRY"])
"""
    stopped = subprocess.run(
        [sys.executable, "-c", interrupted.replace("NAME", name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert stopped.returncode == 130
    assert "Traceback" not in stopped.stderr
    assert stopped.stderr.count("\n") == 1
    assert "interrupted" in stopped.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "--secret", "RBRY", "--seed", "1"],
        ["solve", "--secret", "RBRY", "--seed", "1", "--json"],
        ["search", "--formula", "a & b", "--seed", "1"],
        ["oracle", "show", "--formula", "a & b"],
        ["export", "--iterations", "200"],
        ["backends"],
        ["solve", "--help"],
    ],
)
def test_a_reader_that_goes_away_is_no_failure(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "qmastermind", *arguments]
    with os.fdopen(writing, "w") as closed:
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0
    assert done.stderr == ""


def test_an_error_that_nobody_reads_keeps_its_exit_code():
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "qmastermind", "search", "--formula", "a &"]
    with os.fdopen(writing, "w") as closed:
        assert subprocess.run(command, stderr=closed).returncode == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "--secret", "RBRY"],
        ["solve", "--secret", "RBRY", "--backend", "statevector", "--exact"],
        ["search", "--formula", "a & b"],
        ["search", "--formula", "a & b", "--solutions", "1", "--exact"],
        ["export"],
        ["export", "--format", "qasm2"],
        ["compare", "--circuit", "grover"],
    ],
)
def test_absurd_numbers_of_iterations_are_refused_at_once(run, arguments):
    result = run(*arguments, "--iterations", 99_999_999_999)
    assert result.code == 2
    assert result.out == ""
    assert "operations, too many" in result.err
    assert "repeat less often" in result.err


def test_any_option_of_a_solver_by_name(run):
    arguments = ("solve", "--solver", "deutsch", "--secret", "RIOR", "--json")
    report = run(*arguments, "--option", "pairs=paths", "--option", "shots=7").json
    assert report["solved"] is True
    assert report == run(*arguments, "--pairs", "paths", "--shots", 7).json | {
        "seconds": report["seconds"]
    }


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("pairs", "takes NAME=VALUE"),
        ("=3", "takes NAME=VALUE"),
        ("nonsense=3", "has no option --nonsense; it takes: --pairs, --backend, --shots, --seed"),
        ("shots=2.5", "takes a whole number, not '2.5'"),
        ("pairs=ring", "'ring'"),
        ("backend=qiskit", "given twice"),
    ],
)
def test_options_that_there_are_not(run, option, message):
    result = run("solve", "--solver", "deutsch", "--backend", "statevector", "--option", option)
    assert result.code == 2
    assert result.out == ""
    assert message in " ".join(result.err.split())


def test_a_file_that_cannot_be_written_whole_is_left_as_it_was(tmp_path):
    """A limit on the size of files stands for a full disk."""
    (tmp_path / "kept.qasm").write_text("old")
    script = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))\n"
    script += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    script += "from qmastermind.cli import main\n"
    script += "main(['export', '--circuit', 'grover', '--secret', 'RRGB', '-o', 'kept.qasm'])"
    done = subprocess.run(
        [sys.executable, "-B", "-c", script], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "cannot write the circuit to kept.qasm" in done.stderr
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("kept.qasm", "old")]


def test_without_a_standard_output_there_is_no_trace():
    command = f"{sys.executable} -m qmastermind solvers >&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0
