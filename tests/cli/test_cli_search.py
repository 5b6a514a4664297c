import numpy as np
import pytest

from qmastermind.encoding import Encoding
from qmastermind.game import Rules, feedback, is_consistent
from qmastermind.oracle import ConsistencyOracle
from qmastermind.qasm import read_file
from qmastermind.simulator import StatevectorBackend, unitary

CNF = "p cnf 3 3\n1 -2 0\n2 3 0\n-1 -3 0\n"
UNSATISFIABLE = "p cnf 1 2\n1 0\n-1 0\n"
PREDICATE = """
def ok(a, colour: range(3), b: bool):
    return a == 1 and colour == 2 and not b

def bad(a):
    return 1 / a > 0

def strange(a: str):
    return True

def words(a, b):
    return "yes" if a else False

def wide(u: range(1 << 21)):
    return u == 5

RATE = 3
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "f.cnf").write_text(CNF)
    (tmp_path / "bad.cnf").write_text("p cnf 3 1\n1 4 0\n")
    (tmp_path / "word.cnf").write_text("p cnf 3 1\n1 2\none 0\n")
    (tmp_path / "no.cnf").write_text(UNSATISFIABLE)
    (tmp_path / "hidden.cnf").write_text("p cnf 2 4\n1 2 0\n-1 2 0\n1 -2 0\n-1 -2 0\n")
    (tmp_path / "p.py").write_text(PREDICATE)
    (tmp_path / "broken.py").write_text("import nothing_of_that_name")
    (tmp_path / "m.txt").write_text("# two of them\n0101\n1100  # the other\n\n")
    (tmp_path / "empty.txt").write_text("# none\n")
    (tmp_path / "ragged.txt").write_text("0101\n11\n")
    return tmp_path


def test_a_formula(run):
    result = run("search", "--formula", "(a & c | b & d) & ~(c & d)", "--seed", 1, "--json")
    assert result.code == 0
    found = result.json["solution"]
    a, b, c, d = (found[name] for name in "abcd")
    assert [a & c | b & d, c & d] == [1, 0]
    assert result.json["variables"] == ["a", "c", "b", "d"]


def test_a_dimacs_file(run, files):
    result = run("search", "--dimacs", files / "f.cnf", "--all", "--seed", 1, "--json")
    assert result.code == 0
    found = {tuple(s.values()) for s in result.json["solutions"]}
    assert found == {(1, 1, 0), (0, 0, 1)}
    assert 0 < result.json["failure_bound"] <= 1e-3
    for design in ("wide", "products", "auto"):
        other = run(
            "search", "--dimacs", files / "f.cnf", "--design", design, "--seed", 1, "--json"
        )
        assert other.code == 0
        assert tuple(other.json["solution"].values()) in found


def test_files_as_other_systems_write_them(run, tmp_path):
    (tmp_path / "w.cnf").write_bytes(b"\xef\xbb\xbfp cnf 2 2\r\n1 0\r\n-2 0\r\n")
    found = run("search", "--dimacs", tmp_path / "w.cnf", "--seed", 1, "--json").json
    assert found["solution"] == {"x1": 1, "x2": 0}
    (tmp_path / "w.txt").write_bytes(b"0101\r\n")
    found = run("search", "--marked", tmp_path / "w.txt", "--seed", 1, "--json").json
    assert "".join(map(str, found["solution"].values())) == "0101"


def test_nothing_to_find_is_1_with_a_bound(run, files):
    wide = ["--dimacs", files / "hidden.cnf", "--design", "wide", "--seed", 1]
    result = run("search", *wide, "--json")
    assert result.code == 1
    assert result.json["solution"] is None
    assert result.json["proven"] is False
    assert 0 < result.json["failure_bound"] <= 1e-3
    text = run("search", *wide)
    assert "none found" in text.out
    assert "probability at most" in text.out
    for name in ("no.cnf", "hidden.cnf"):  # multiplied out, both are false
        proven = run("search", "--dimacs", files / name, "--seed", 1, "--json")
        assert proven.code == 1
        assert proven.json["proven"] is True
        assert proven.json["failure_bound"] == 0
    assert "nothing is marked" in run("search", "--dimacs", files / "no.cnf").out
    assert run("search", "--dimacs", files / "no.cnf", "--all", "--seed", 1, "--json").code == 1


def test_a_predicate_prints_values_by_name(run, files):
    result = run("search", "--predicate", f"{files / 'p.py'}:ok", "--seed", 2)
    assert result.code == 0
    assert "found: a=1, colour=2, b=0" in result.out


def test_marked_inputs_exactly(run, files):
    result = run(
        "search", "--marked", files / "m.txt", "--exact", "--solutions", 2, "--seed", 2, "--json"
    )
    assert result.code == 0
    assert "".join(map(str, result.json["solution"].values())) in ("0101", "1100")
    fixed = run("search", "--marked", files / "m.txt", "--iterations", 1, "--seed", 2, "--json")
    assert fixed.json["iterations"] == 1


def test_counting(run, files):
    result = run("search", "--marked", files / "m.txt", "--count", "--seed", 4, "--json")
    assert result.code == 0
    count = result.json["count"]
    assert count["low"] <= 2 <= count["high"]
    assert "about" in run("search", "--marked", files / "m.txt", "--count", "--seed", 4).out


def test_advice_when_half_is_marked(run):
    result = run("search", "--formula", "a | b", "--solutions", 3, "--seed", 1)
    assert "sample" in result.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "exactly one of --dimacs"),
        (["--formula", "a", "--dimacs", "f.cnf"], "exactly one of"),
        (["--formula", "a & $"], "\n  a & $\n      ^"),
        (["--formula", "(a & b"], "never closed"),
        (["--formula", "a", "--exact"], "--solutions M"),
        (["--formula", "a", "--exact", "--solutions", "0"], "1 to 2 marked states, not 0"),
        (["--formula", "a", "--iterations", "-1"], "at least 0"),
        (["--formula", "a", "--shots", "0"], "at least 1"),
        (["--formula", "a", "--count", "--all"], "exclude each other"),
        (["--formula", "a", "--failure-bound", "2"], "between 0 and 1"),
        (["--dimacs", "none.cnf"], "cannot read none.cnf"),
        (["--predicate", "p.py"], "expected FILE.py:NAME"),
        (["--predicate", "none.py:ok"], "no file none.py"),
        (["--predicate", "p.py:other"], "defines no 'other'"),
        (["--predicate", "p.py:RATE"], "no function 'RATE'"),
        (["--predicate", "p.py:bad"], "ZeroDivisionError: division by zero for a=0"),
        (["--predicate", "p.py:strange"], "expected bool or range(k)"),
        (["--predicate", "broken.py:f"], "running broken.py failed: ModuleNotFoundError"),
        (["--marked", "empty.txt"], "lists no bitstring"),
        (["--marked", "ragged.txt"], "line 2: expected 4 characters"),
        (["--marked", "m.txt", "--design", "wide"], "a formula, a DIMACS file or a history"),
        (["--formula", "a", "--design", "table"], "unknown design 'table'; known: auto"),
        (["--history", "RGBY:1,1", "--design", "wide"], "unknown design 'wide'; known: auto"),
        (["--formula", "a", "--rules", "classic"], "belong to --history"),
        (["--formula", "a", "--history", "RGBY:1,1"], "exactly one of --dimacs"),
        (["--history", "RGBY"], "GUESS:BLACK,WHITE, such as RGBY:1,1, not 'RGBY'"),
        (["--history", " "], "has no row"),
        (["--history", "RGB:1,1"], "too short: 3 pegs, expected 4"),
        (["--history", "RGBY:3,1"], "3 black, 1 white cannot occur"),
        (["--formula", "a", "--fidelity", "0.9"], "for --solutions M"),
        (["--formula", "a", "--fidelity", "1.5", "--solutions", "1"], "--fidelity"),
        (["--formula", "a", "--output", "o"], "the file of --export"),
        (["--formula", "a", "--export", "qir"], "unknown format 'qir'"),
        (["--formula", "a", "--export", "qasm3", "--all"], "neither --count nor --all"),
        (["--formula", "a & ~a", "--export", "qasm3"], "nothing is marked"),
        (["--formula", "a", "--precision", "0"], "at least 1, not 0"),
        (["--dimacs", "bad.cnf"], "line 2, column 3: variable 4 is beyond the 3"),
        (["--dimacs", "word.cnf"], "line 3, column 1: 'one' is no literal"),
        (["--predicate", "p.py:words"], "returned 'yes', not True or False, for a=1, b=0"),
        (["--predicate", "p.py:wide"], "at most 1,048,576); write it as a formula or as DIMACS"),
        (["--formula", "(a & b"], "\n  (a & b\n  ^"),
        (["--marked", "m.txt", "--exact", "--solutions", "0"], "1 to 16 marked states, not 0"),
        (["--marked", "m.txt", "--exact", "--solutions", "17"], "1 to 16 marked states, not 17"),
        (["--formula", "a", "--backend", "none"], "unknown backend"),
    ],
)
def test_misuse(run, files, monkeypatch, arguments, words):
    monkeypatch.chdir(files)
    result = run("search", *arguments)
    assert result.code == 2
    assert result.out == ""
    assert words in result.err
    assert "Traceback" not in result.err


def test_oracle_show(run, files):
    result = run("oracle", "show", "--dimacs", files / "f.cnf", "--json")
    assert result.json["marked"] == 2
    assert [v["name"] for v in result.json["variables"]] == ["x1", "x2", "x3"]
    text = run("oracle", "show", "--predicate", f"{files / 'p.py'}:ok")
    assert "colour (0..2)" in text.out
    assert "marked: 1 of 12" in text.out
    assert "a=1, colour=2, b=0" in text.out
    drawn = run("oracle", "show", "--formula", "a & b").out
    assert "●" in drawn


def test_oracle_cost(run, files):
    (files / "g.cnf").write_text("p cnf 4 4\n1 2 0\n2 3 0\n3 4 0\n4 1 0\n")
    designs = run("oracle", "cost", "--dimacs", files / "g.cnf", "--json").json
    assert designs["wide"]["ancillas"] == 4
    assert designs["wide"]["toffolis"] < designs["narrow"]["toffolis"]
    assert designs["products"]["ancillas"] == 0
    assert "wide" in run("oracle", "cost", "--dimacs", files / "g.cnf").out
    rows = run("oracle", "cost", "--marked", files / "m.txt", "--json").json
    assert rows == {"table": {"qubits": 4, "ancillas": 0, "toffolis": 2, "gates": {"2": 2}}}


HISTORY = ["--history", "RGBY:1,1", "--history", "RRGO:2,0"]


def fitting():
    rules = Rules()
    history = [(rules.code("RGBY"), (1, 1)), (rules.code("RRGO"), (2, 0))]
    return {str(code) for code in rules.codes() if is_consistent(code, history)}


def test_oracles_of_a_history(run):
    shown = run("oracle", "show", *HISTORY, "--most", 2000, "--json").json
    assert set(shown["codes"]) == fitting()
    assert shown["marked"] == len(fitting())
    assert [v["name"] for v in shown["variables"]] == ["peg1", "peg2", "peg3", "peg4"]
    text = run("oracle", "show", "--history", "RGBY:1,1; RRGO:2,0", "--design", "counters").out
    assert f"marked: {len(fitting())} of 1,296" in text
    assert "circuit (counters): 2" in text
    costs = run("oracle", "cost", *HISTORY, "--json").json
    assert list(costs) == ["counters", "one-hot", "table"]
    assert costs["counters"]["qubits"] < costs["one-hot"]["qubits"]
    assert costs["one-hot"]["toffolis"] < costs["counters"]["toffolis"]
    assert costs["table"]["ancillas"] == 0


def test_the_exported_oracle_of_a_history_is_the_oracle(run, tmp_path):
    pytest.importorskip("openqasm3")
    path = tmp_path / "o.qasm"
    small = ["--history", "12:1,0", "--positions", 2, "--colours", 3]
    assert run("oracle", "export", *small, "-o", path).code == 0
    rules = Rules(2, 3)
    oracle = ConsistencyOracle([(rules.code("12"), (1, 0))], Encoding(rules))
    assert np.allclose(unitary(read_file(path)), unitary(oracle.phase()))
    printed = run("oracle", "export", *small, "--json").json
    assert printed["text"] == path.read_text()
    assert printed["circuit"] == "phase oracle"


def test_searching_a_history(run):
    result = run("search", *HISTORY, "--seed", 1, "--json")
    assert result.code == 0
    assert result.json["code"] in fitting()
    assert result.json["design"] == "table"  # the others take more than 24 qubits
    text = run("search", *HISTORY, "--seed", 1).out
    assert "oracle: table, synthesised from a truth table, 12 qubits" in text
    assert text[text.index("found: ") :].split()[1] in fitting()
    one = run("search", "--history", "RGBY:1,1", "--seed", 1, "--json").json
    assert (one["design"], one["label"], one["qubits"]) == ("counters", "consistency", 21)
    everything = run(
        "search", "--history", "12:1,0", "--positions", 2, "--colours", 3, "--all", "--json"
    )
    rules = Rules(2, 3)
    assert set(everything.json["codes"]) == {
        str(c) for c in rules.codes() if feedback(c, rules.code("12")) == (1, 0)
    }


def test_how_many_codes_are_left(run):
    """Counted by amplitude estimation; plain enumeration is as cheap, and the text says so."""
    left = len(fitting())
    result = run("search", *HISTORY, "--design", "table", "--count", "--seed", 1)
    assert "Evaluating all inputs would take 1,296." in " ".join(result.out.split())
    counted = run("search", *HISTORY, "--design", "table", "--count", "--seed", 1, "--json").json
    assert counted["count"]["low"] <= left <= counted["count"]["high"]
    by_phase = run(
        "search", *HISTORY, "--design", "table", "--precision", 10, "--seed", 1, "--json"
    ).json
    assert by_phase["method"] == "phase estimation"
    assert by_phase["count"]["low"] <= left <= by_phase["count"]["high"]


def test_contradictory_answers_name_the_row_and_end_with_1(run):
    rows = ["--history", "RGBY:1,1", "--history", "RRGO:0,0", "--history", "YYYY:4,0"]
    for command in (["search"], ["oracle", "show"], ["oracle", "cost"], ["oracle", "export"]):
        result = run(*command, *rows)
        assert result.code == 1
        assert result.out == ""
        assert "no code fits the answers: row 3, YYYY with 4 black, 0 white" in result.err


def test_a_search_is_exported_as_it_would_run(run, tmp_path):
    pytest.importorskip("openqasm3")
    formula = ["--formula", "a & b & ~c"]
    printed = run("search", *formula, "--export", "qasm3")
    assert printed.code == 0
    path = tmp_path / "s.qasm"
    written = run("search", *formula, "--export", "qasm3", "-o", path, "--json").json
    assert path.read_text() == printed.out
    assert written["iterations"] == 2
    assert [v["name"] for v in written["variables"]] == ["a", "b", "c"]
    found = StatevectorBackend().probabilities(read_file(path))
    assert found.probability("110") == pytest.approx(121 / 128)
    fixed = run("search", *formula, "--export", "qasm2", "--iterations", 1, "-o", path, "--json")
    assert fixed.json["iterations"] == 1
    assert path.read_text().startswith("OPENQASM 2.0")
    assert StatevectorBackend().probabilities(read_file(path)).probability("110") == (
        pytest.approx(25 / 32)
    )
    exact = run(
        "search", *formula, "--export", "qasm3", "--exact", "--solutions", 1, "-o", path, "--json"
    )
    assert exact.code == 0
    assert StatevectorBackend().probabilities(read_file(path)).probability("110") == (
        pytest.approx(1)
    )


def test_a_wide_search_is_exported_only_with_a_number(run):
    wide = " & ".join(f"x{i}" for i in range(20))
    result = run("search", "--formula", wide, "--export", "qasm3")
    assert result.code == 2
    assert "--iterations" in result.err
    named = run("search", "--formula", wide, "--export", "qasm3", "--iterations", 2)
    assert named.code == 0
    assert named.out.startswith("OPENQASM 3")


def test_noise_chooses_the_number_of_iterations(run):
    formula = ["--formula", "a & b & c & d", "--solutions", 1, "--seed", 1, "--json"]
    noisy = run("search", *formula, "--fidelity", 0.6).json
    assert noisy["iterations"] == 2
    assert noisy["forecast"]["iterations_without_noise"] == 3
    assert run("search", *formula).json["iterations"] == 3
    text = run("search", *formula[:-1], "--fidelity", 0.3).out
    assert "1 iteration forecast to succeed" in text


def test_an_exact_search_for_solutions_that_are_not_there(run):
    result = run("search", "--formula", "a & ~a & b", "--exact", "--solutions", 1, "--seed", 1)
    assert result.code == 1
    assert "none found: this search for 1 solution ends on one with certainty" in (
        " ".join(result.out.split())
    )
    assert "the oracle does not mark 1 input" in " ".join(result.out.split())
    printed = run("search", "--formula", "a & ~a & b", "--exact", "--solutions", 1, "--json")
    assert printed.code == 1
    assert printed.json["found"] is False
    assert "does not mark 1 input" in printed.json["advice"]


def test_fixed_iterations_bound_nothing_without_the_number_of_solutions(run):
    """One iteration avoids all three solutions of four; a miss must not pass for a proof."""
    missed = run("search", "--formula", "a | b", "--iterations", 1, "--seed", 1, "--json")
    assert missed.code == 1
    assert missed.json["failure_bound"] is None
    text = run("search", "--formula", "a | b", "--iterations", 1, "--seed", 1)
    assert "bounds nothing" in " ".join(text.out.split())
    stated = run(
        "search", "--formula", "a & ~a & b | a & ~b & b & c", "--design", "wide", "--solutions", 1,
        "--shots", 5, "--seed", 1,
    )  # fmt: skip
    assert stated.code == 1


def test_counts_have_their_plural(run):
    one = run("search", "--formula", "a & b", "--iterations", 1, "--seed", 1).out
    assert "1 oracle use," in one
    assert "0 oracle uses," in run("search", "--formula", "a & b", "--iterations", 0).out


def test_oracle_export(run, tmp_path):
    result = run("oracle", "export", "--formula", "a & ~b", "--format", "qasm2")
    assert result.code == 0
    assert result.out.startswith("OPENQASM 2.0;")
    path = tmp_path / "o.qasm"
    assert run("oracle", "export", "--formula", "a & ~b", "--bit", "-o", path).code == 0
    assert path.read_text().startswith("OPENQASM 3")
    assert run("oracle", "export", "--formula", "a", "--format", "qir").code == 2
    assert run("oracle", "export", "--formula", "a", "-o", tmp_path / "none" / "o").code == 2


def test_bounds_on_a_noisy_backend_say_that_they_leave_noise_out(run):
    pytest.importorskip("qiskit_ibm_runtime")
    wide = ["--formula", "(a | b) & ~a & ~b", "--design", "wide", "--seed", 1]
    noisy = run("search", *wide, "--backend", "fake:manila", "--failure-bound", 0.9)
    assert noisy.code == 1
    assert "(were there no noise)" in " ".join(noisy.out.split())
    assert "noise" not in run("search", *wide).out


def test_a_device_forecasts_its_best_number_of_iterations(run):
    pytest.importorskip("qiskit_ibm_runtime")
    result = run(
        "search", "--formula", "a & b & ~c & d", "--solutions", 1, "--backend", "fake:torino",
        "--seed", 1, "--json",
    )  # fmt: skip
    assert result.code == 0
    told = result.json["forecast"]
    assert told["iterations"] == result.json["iterations"] < told["iterations_without_noise"] == 3
    assert 0.3 < told["success_probability"] < 0.9
    assert result.json["solution"] == {"a": 1, "b": 1, "c": 0, "d": 1}


def test_when_everything_is_found_nothing_is_left_to_bound(run):
    report = run("search", "--formula", "a | ~a", "--all", "--seed", 1, "--json").json
    assert len(report["solutions"]) == report["size"] == 2
    assert report["failure_bound"] == 0
