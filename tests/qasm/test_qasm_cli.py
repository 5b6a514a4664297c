"""``qmastermind export`` and ``qmastermind verify``."""

import io
import json
from dataclasses import dataclass

import pytest

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.cli import main
from qmastermind.encoding import Encoding
from qmastermind.game import Rules
from qmastermind.oracle.match import MatchOracle
from qmastermind.qasm import from_qasm, read_file, to_qasm2, to_qasm3
from qmastermind.simulator import StatevectorBackend


@dataclass
class Outcome:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = 0
        try:
            main([str(a) for a in arguments])
        except SystemExit as stop:
            code = stop.code or 0
        return Outcome(code, *capsys.readouterr())

    return call


class TestExport:
    @pytest.mark.parametrize("version", ["qasm2", "qasm3"])
    def test_grover_finds_the_secret(self, run, tmp_path, version):
        if version == "qasm3":
            pytest.importorskip("openqasm3")
        path = tmp_path / "grover.qasm"
        done = run("export", "--secret", "OYGB", "--format", version, "-o", path)
        assert (done.code, done.err) == (0, "")
        assert "12 qubits" in done.out
        circuit = read_file(path)
        assert circuit.num_bits == 12
        encoding = Encoding(Rules())
        best, probability = StatevectorBackend().probabilities(circuit).most_likely()[0]
        assert str(encoding.decode(best)) == "OYGB"
        assert probability > 0.999

    def test_deutsch_on_the_screen(self, run):
        done = run("export", "--circuit", "deutsch", "--secret", "RRGB", "--format", "qasm2")
        assert done.code == 0
        circuit = from_qasm(done.out)
        assert circuit.num_bits == circuit.num_qubits == 4
        assert run("export", "--circuit", "deutsch", "--secret", "RRGB").out.startswith(
            "OPENQASM 3.0;"
        )

    def test_an_oracle_of_other_rules(self, run):
        rules = Rules(3, 4)
        arguments = ("--positions", 3, "--colours", 4, "--secret", "GYR", "--format", "qasm2")
        done = run("export", "--circuit", "oracle", *arguments)
        expected = MatchOracle(rules.code("GYR"), Encoding(rules)).phase().flattened()
        assert from_qasm(done.out) == expected

    def test_a_file_in_the_other_version(self, run, tmp_path):
        path = tmp_path / "a.qasm"
        path.write_text('OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[2];\ncx q[0],q[1];\n')
        done = run("export", "--circuit", path, "--format", "qasm3")
        assert "cx q[0], q[1];" in done.out

    def test_json(self, run):
        done = run(
            "export", "--circuit", "oracle", "--secret", "1513", "--format", "qasm2", "--json"
        )
        report = json.loads(done.out)
        assert report["qubits"] == 12
        assert report["file"] is None
        assert from_qasm(report["text"]).num_qubits == 12

    def test_qpy(self, run, tmp_path):
        pytest.importorskip("qiskit_aer")
        path = tmp_path / "deutsch.qpy"
        arguments = ("--circuit", "deutsch", "--secret", "RRGB", "--format", "qiskit-qpy")
        assert run("export", *arguments, "-o", path).code == 0
        from qiskit import qpy

        (loaded,) = qpy.load(io.BytesIO(path.read_bytes()))
        assert (loaded.num_qubits, loaded.num_clbits) == (4, 4)
        refused = run("export", *arguments)
        assert refused.code == 2
        assert "name a file with -o" in refused.err

    def test_cirq_json(self, run):
        cirq = pytest.importorskip("cirq.circuits") and pytest.importorskip("cirq")
        arguments = ("--circuit", "deutsch", "--secret", "RRGB", "--format", "cirq-json")
        loaded = cirq.read_json(json_text=run("export", *arguments).out)
        assert len(loaded.all_qubits()) == 4

    def test_faults(self, run, tmp_path):
        unknown = run("export", "--format", "qasm4")
        assert unknown.code == 2
        assert "unknown format 'qasm4'" in unknown.err
        assert "qasm2, qasm3" in unknown.err
        missing = run(
            "export", "--circuit", "oracle", "--secret", "RRGB", "-o", tmp_path / "a" / "b"
        )
        assert missing.code == 2
        assert "cannot write the circuit" in missing.err
        assert run("export", "--circuit", "nothing").code == 2
        assert run("export", "--secret", "RRG").code == 2


class TestVerify:
    @pytest.fixture
    def files(self, tmp_path):
        """A circuit in both versions, and another one."""
        b, c = CircuitBuilder(Register("q", 3)), CircuitBuilder(Register("q", 3))
        b.x(2, controls=[0, 1], values=[1, 0])
        c.x(2, controls=[0, 1], values=[0, 1])
        texts = {
            "two": to_qasm2(b.build()),
            "three": to_qasm3(b.build()),
            "other": to_qasm2(c.build()),
        }
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        return tmp_path

    def test_equal(self, run, files):
        pytest.importorskip("openqasm3")
        done = run("verify", files / "two", files / "three")
        assert done.code == 0
        assert done.out == "equivalent (identical): the same operations in the same order\n"
        done = run("verify", files / "two", files / "three", "--method", "unitary", "--json")
        assert done.code == 0
        report = json.loads(done.out)
        assert report["equal"] is True
        assert report["method"] == "unitary"

    def test_different(self, run, files):
        done = run("verify", files / "two", files / "other")
        assert done.code == 1
        assert done.out.startswith("not equivalent (unitary): the results differ by 1.41 on input ")
        done = run("verify", files / "two", files / "other", "--json")
        assert done.code == 1
        assert json.loads(done.out)["equal"] is False

    def test_not_decided(self, run, tmp_path):
        pytest.importorskip("mqt.qcec")
        for name, extra in (("a", ""), ("b", "x q[0];\n")):
            head = 'OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[1];\n'
            (tmp_path / name).write_text(f"{head}reset q[0];\n{extra}")
        done = run("verify", tmp_path / "a", tmp_path / "b", "--method", "qcec")
        assert done.code == 1
        assert done.out.startswith("not decided (qcec)")

    def test_faults(self, run, files):
        (files / "wrong").write_text("OPENQASM 2.0;\nqreg q[3];\nfoo q[0];\n")
        wrong = run("verify", files / "two", files / "wrong")
        assert wrong.code == 2
        assert "wrong, line 3, column 1: there is no gate 'foo'" in wrong.err
        assert "Traceback" not in wrong.err
        assert run("verify", files / "two", files / "missing").code == 2
        assert run("verify", files / "two", files / "other", "--method", "magic").code == 2
        assert run("verify", files / "two").code == 2
