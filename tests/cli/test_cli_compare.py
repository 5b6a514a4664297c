import json
from pathlib import Path

import pytest

from qmastermind.comparison import FRAMEWORKS

pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("QMASTERMIND_CACHE", str(tmp_path / "cache"))


OURS = ["compare", "--backends", "qmastermind", "--lowering", "ours", "--secret", "RBRY"]


def test_every_format_at_once(run, tmp_path):
    files = {kind: tmp_path / f"r.{kind}" for kind in ("json", "csv", "markdown", "html", "png")}
    result = run(
        *OURS, "--circuit", "oracle", "--ancillas", "0,1", "--json", files["json"],
        "--csv", files["csv"], "--markdown", files["markdown"], "--html", files["html"],
        "--plot", files["png"],
    )  # fmt: skip
    assert result.code == 0
    assert "yes (states)" in result.out
    rows = json.loads(files["json"].read_text())["rows"]
    assert len(rows) >= 2
    page = files["html"].read_text()
    assert "http" not in page.replace("http://www.w3.org", "").replace(
        "http://purl.org", ""
    ).replace("http://creativecommons.org", "").replace("https://matplotlib.org", "")
    for words in ("<svg", "Repeat it with", "qmastermind 0", ">2q depth</button>", "code["):
        assert words in page
    assert files["png"].read_bytes().startswith(b"\x89PNG")


def test_json_alone_on_stdout(run):
    result = run(*OURS, "--circuit", "deutsch", "--json", "-")
    assert result.code == 0
    assert result.json["rows"][0]["equivalent"] is True


def test_a_circuit_from_a_file(run, tmp_path):
    (tmp_path / "c.py").write_text(
        "from qmastermind import CircuitBuilder, Register\n"
        "def mine():\n    b = CircuitBuilder(Register('x', 3))\n    b.x(2, [0, 1])\n"
        "    return b.build()\n"
        "def number():\n    return 3\n"
    )
    ours = OURS[:-2]  # no secret
    result = run(*ours, "--circuit", f"{tmp_path / 'c.py'}:mine", "--json", "-")
    assert result.json["rows"][0]["figures"]["qubits"] == 3
    wrong = run(*ours, "--circuit", f"{tmp_path / 'c.py'}:number")
    assert wrong.code == 2
    assert "gives a builtins.int, not a qmastermind Circuit" in wrong.err
    with (tmp_path / "c.py").open("a") as file:
        file.write("ready = mine()\n")
    again = run(*ours, "--circuit", f"{tmp_path / 'c.py'}:ready", "--json", "-")
    assert again.json["rows"][0]["figures"] == result.json["rows"][0]["figures"]


def test_interrupted_sweeps_print_what_there_is(run, monkeypatch):
    import qmastermind.comparison as module

    honest = module.run_cells

    def stopped(cells, **options):
        yield from honest(cells[:1], **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "run_cells", stopped)
    arguments = [*OURS, "--circuit", "oracle", "--ancillas", "0,1"]
    result = run(*arguments)
    assert result.code == 130
    assert "oracle on all-to-all" in result.out
    assert "interrupted: 1 of 2 rows; finished ones are kept" in result.err
    kept_nowhere = run(*arguments, "--no-cache", "--json", "-")
    assert kept_nowhere.json["interrupted"] == "interrupted: 1 of 2 rows"
    assert "kept" not in kept_nowhere.err


def test_a_cache_that_cannot_be_used_is_told_of(run, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("QMASTERMIND_CACHE", str(tmp_path / "file"))
    result = run(*OURS, "--circuit", "deutsch")
    assert result.code == 0
    assert "rows cannot be kept" in " ".join(result.err.split())


def test_the_secret_does_not_depend_on_the_seed(run):
    """Seeds are the compilers'; a file says which secret it was."""
    told = [
        run("compare", "--backends", "qmastermind", "--seed", seed, "--json", "-").json
        for seed in (1, 2)
    ]
    assert told[0]["secret"] == told[1]["secret"]
    assert told[0]["rows"][0]["figures"] == told[1]["rows"][0]["figures"]


@pytest.mark.parametrize("kind", ["csv", "markdown", "html"])
def test_any_format_stands_alone_on_stdout(run, kind):
    begins = {"csv": "circuit,", "markdown": "### deutsch", "html": "<!doctype html>"}[kind]
    result = run(*OURS, "--circuit", "deutsch", f"--{kind}", "-")
    assert result.code == 0
    assert result.out.lower().startswith(begins)


def test_names_that_are_repeated_count_once(run):
    given = ["--ancillas", "0,0", "--basis", "rz,sx,x,cx,cx", "--target", "all-to-all"]
    result = run(*OURS, "--circuit", "deutsch", *given, "--target", "all-to-all", "--json", "-")
    (row,) = result.json["rows"]
    assert row["basis"] == ["rz", "sx", "x", "cx"]


def test_a_backend_without_an_equivalent_row_fails_the_command(run):
    """It has no compiler; our own row, which is equivalent, does not make up for it."""
    result = run("compare", "--backends", "statevector", "--circuit", "deutsch", "--json", "-")
    assert result.code == 1
    statuses = {row["backend"]: row["status"] for row in result.json["rows"]}
    assert statuses == {"statevector": "failed", "qmastermind": "ok"}
    assert "no row shown equivalent of: statevector" in result.err
    shown = run("compare", "--backends", "statevector", "--circuit", "deutsch")
    assert shown.code == 1
    whose = "statevector level 2; statevector level 2, our lowering"
    assert f"{whose}: backend 'statevector' has no compiler" in shown.out


def test_what_is_not_installed_is_left_out_unless_asked_for(run, monkeypatch):
    import qmastermind.registry as registry

    class Info:
        def missing(self):
            return "cirq-core"

    class Plugin:
        cls = type("Cls", (), {"info": Info()})

    real = registry.registered_backends()
    monkeypatch.setattr(
        registry, "registered_backends", lambda: {**real, **dict.fromkeys(FRAMEWORKS, Plugin)}
    )
    result = run("compare", "--circuit", "deutsch", "--json", "-")
    assert result.code == 0
    assert [row["backend"] for row in result.json["rows"]] == ["qmastermind"]
    assert "not installed: qiskit, cirq, pennylane, tket" in result.err


def test_t_figures_stand_in_a_clifford_t_table(run):
    basis = "h,s,sdg,t,tdg,x,cx"
    result = run(*OURS, "--circuit", "oracle", "--ancillas", "9", "--basis", basis)
    assert result.code == 0
    assert "rz" not in result.out
    row = run(*OURS, "--circuit", "oracle", "--ancillas", "9", "--basis", basis, "--json", "-")
    figures = row.json["rows"][0]["figures"]
    assert figures["t_gates"] >= figures["t_depth"] > 0


def test_the_tolerance_is_part_of_what_is_asked(run):
    for tolerance in ("1e-9", "0.01"):
        result = run(*OURS, "--circuit", "deutsch", "--tolerance", tolerance, "--json", "-")
        assert result.code == 0
        assert result.json["rows"][0]["equivalent"] is True


def test_a_route_needs_a_framework(run):
    result = run(*OURS, "--circuit", "deutsch", "--target", "line")
    assert result.code == 2
    assert "nothing to compare" in result.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--circuit", "nonsense"], "unknown circuit 'nonsense'"),
        (["--backends", "qiskitt"], "unknown backend 'qiskitt'"),
        (["--levels", "fast"], "unknown level 'fast'"),
        (["--lowering", "theirs"], "unknown lowering 'theirs'"),
        (["--target", "ring"], "unknown target 'ring'"),
        (["--basis", "rz,cnot"], "unknown basis gate 'cnot'"),
        (["--ancillas", "some"], "expected numbers"),
        (["--suite", "all"], "unknown suite 'all'"),
        (["--space", "none"], "unknown space"),
        (["--secret", "XXXX"], "no colour"),
        (["--repeat", "0"], "--repeat"),
        (["--tolerance", "0"], "the tolerance is a distance"),
        (["--target", "ibm:nowhere"], "unknown stored device 'nowhere'"),
    ],
)
def test_misuse(run, arguments, words):
    result = run("compare", *arguments)
    assert result.code == 2
    assert words in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--suite", "article", "--circuit", "oracle"), "it excludes --circuit"),
        (("--suite", "article", "--target", "line", "--iterations", "3"), "--target, --iterations"),
        (("--suite", "article", "--levels", "best", "--ancillas", "1"), "--levels, --ancillas"),
        (("--suite", "oracles", "--basis", "rz,sx,x,cz", "--secret", "RBRY"), "--basis, --secret"),
        (("--iterations", "3"), "--circuit grover-iteration does not depend on --iterations"),
        (("--circuit", "oracle", "--space", "valid"), "does not depend on --space"),
        (("--circuit", "mine.qasm", "--secret", "RBRY"), "does not depend on --secret"),
        (("--json", "-", "--csv", "-"), "only one of the formats can go to standard output"),
        (("--json", "x", "--csv", "./x"), "only one of the formats can go to x"),
        (("--json", "x", "--csv", str(Path("x").absolute())), "can go to"),
        (("--html", "/no/such/folder/r.html"), "cannot write /no/such/folder/r.html"),
        (("--plot", "r.nonsense"), "expected an ending such as .png"),
        (("--target", "ibm:torino", "--basis", "u,cz"), "a device brings its own basis"),
        (("--circuit", ""), "unknown circuit ''"),
    ],
)
def test_options_that_exclude_each_other(run, arguments, message):
    result = run("compare", *arguments)
    assert result.code == 2
    assert result.out == ""
    assert message in " ".join(result.err.split())


def test_a_circuit_file_needs_its_ending(run, tmp_path):
    (tmp_path / "circuit.dat").write_text("OPENQASM 3.0;")
    result = run("compare", "--circuit", tmp_path / "circuit.dat")
    assert result.code == 2
    assert "ends in .qasm" in " ".join(result.err.split())
