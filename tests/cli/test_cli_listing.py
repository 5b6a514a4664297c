import subprocess
import sys

from qmastermind.backend import Backend, BackendInfo
from qmastermind.errors import MissingDependencyError
from qmastermind.registry import Plugin


def test_backends_lists_everything(run):
    rows = {row["name"]: row for row in run("backends", "--json").json["backends"]}
    assert {"statevector", "qiskit", "cirq", "pennylane", "tket"} <= set(rows)
    own = rows["statevector"]
    assert own["available"] is True
    assert "exact probabilities" in own["capabilities"]
    for row in rows.values():
        assert row["available"] or row["hint"]
    assert "statevector" in run("backends").out


class Absent(Backend):
    info = BackendInfo("absent", "never there", ("no-such-framework",), "qiskit")

    def _run(self, circuit, shots, seed):
        raise AssertionError


def test_a_missing_framework_gets_its_pip_command(run, monkeypatch):
    plugins = {
        "absent": Plugin("absent", Absent, "", "elsewhere"),
        "broken": Plugin("broken", None, "ImportError: no module named x", "elsewhere"),
    }
    monkeypatch.setattr("qmastermind.registry.registered_backends", lambda: plugins)
    rows = {row["name"]: row for row in run("backends", "--json").json["backends"]}
    assert rows["absent"]["hint"] == "pip install 'qmastermind[qiskit]'"
    assert rows["absent"]["versions"] == {"no-such-framework": None}
    assert rows["broken"]["hint"] == "broken: ImportError: no module named x"
    result = run("solve", "--backend", "absent")
    assert result.code == MissingDependencyError.exit_code == 2
    assert "needs no-such-framework" in result.err
    assert "pip install 'qmastermind[qiskit]'" in result.err
    result = run("solve", "--backend", "broken")
    assert result.code == 2
    assert "cannot be loaded: ImportError" in result.err


def test_solvers_lists_options(run):
    rows = {row["name"]: row for row in run("solvers", "--json").json["solvers"]}
    assert rows["grover"]["options"] == [
        "backend", "space", "exact", "iterations", "fidelity", "shots", "seed",
    ]  # fmt: skip
    assert "deutsch" in run("solvers").out


def test_help_and_version(run):
    assert "solve" in run("--help").out
    assert run("--version").out.startswith("qmastermind ")
    assert run("solve", "--help").code == 0
    assert run("no-such-command").code == 2


FRAMEWORKS = ("qiskit", "qiskit_aer", "cirq", "pennylane", "pytket", "numba", "matplotlib")


def test_starting_up_imports_no_framework():
    code = f"""
import sys
import qmastermind
from qmastermind.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
found = [name for name in {FRAMEWORKS} if name in sys.modules]
print("FOUND", found)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "FOUND []" in done.stdout


def test_a_full_disk_is_an_error_of_ours():
    done = subprocess.run(
        f"{sys.executable} -m qmastermind solvers > /dev/full",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "cannot write the output: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_hints_keep_their_brackets(run, monkeypatch):
    plugins = {"absent": Plugin("absent", Absent, "", "elsewhere")}
    monkeypatch.setattr("qmastermind.registry.registered_backends", lambda: plugins)
    assert "'qmastermind[qiskit]'" in run("backends").out.replace("\n", "")
