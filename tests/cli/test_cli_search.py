import pytest

CNF = "p cnf 3 3\n1 -2 0\n2 3 0\n-1 -3 0\n"
UNSATISFIABLE = "p cnf 1 2\n1 0\n-1 0\n"
PREDICATE = """
def ok(a, colour: range(3), b: bool):
    return a == 1 and colour == 2 and not b

def bad(a):
    return 1 / a > 0

def strange(a: str):
    return True

RATE = 3
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "f.cnf").write_text(CNF)
    (tmp_path / "no.cnf").write_text(UNSATISFIABLE)
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
    narrow = run("search", "--dimacs", files / "f.cnf", "--narrow", "--seed", 1, "--json")
    assert narrow.code == 0


def test_nothing_to_find_is_1_with_a_bound(run, files):
    result = run("search", "--dimacs", files / "no.cnf", "--seed", 1, "--json")
    assert result.code == 1
    assert result.json["solution"] is None
    assert 0 < result.json["failure_bound"] <= 1e-3
    text = run("search", "--dimacs", files / "no.cnf", "--seed", 1)
    assert "none found" in text.out
    assert "probability at most" in text.out
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
        (["--predicate", "p.py:other"], "no function 'other'"),
        (["--predicate", "p.py:RATE"], "no function 'RATE'"),
        (["--predicate", "p.py:bad"], "ZeroDivisionError: division by zero for a=0"),
        (["--predicate", "p.py:strange"], "expected bool or range(k)"),
        (["--predicate", "broken.py:f"], "running broken.py failed: ModuleNotFoundError"),
        (["--marked", "empty.txt"], "lists no bitstring"),
        (["--marked", "ragged.txt"], "line 2: expected 4 characters"),
        (["--marked", "m.txt", "--narrow"], "needs a formula or a DIMACS file"),
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
    assert "wide" in run("oracle", "cost", "--dimacs", files / "g.cnf").out
    assert "only" in run("oracle", "cost", "--formula", "a & b").out


def test_oracle_export(run, tmp_path):
    result = run("oracle", "export", "--formula", "a & ~b", "--format", "qasm2")
    assert result.code == 0
    assert result.out.startswith("OPENQASM 2.0;")
    path = tmp_path / "o.qasm"
    assert run("oracle", "export", "--formula", "a & ~b", "--bit", "-o", path).code == 0
    assert path.read_text().startswith("OPENQASM 3")
    assert run("oracle", "export", "--formula", "a", "--format", "qir").code == 2
    assert run("oracle", "export", "--formula", "a", "-o", tmp_path / "none" / "o").code == 2
