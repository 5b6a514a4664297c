"""Text of other people: libraries, modifiers, broadcasts, and faults with their place."""

import math
import re

import numpy as np
import pytest

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Barrier, Measure, Phases, Register, Reset
from qmastermind.errors import MissingDependencyError, QasmError, UsageError
from qmastermind.gates import Gate
from qmastermind.qasm import from_qasm, read_file
from qmastermind.testing import reference

TWO = 'OPENQASM 2.0;\ninclude "qelib1.inc";\n'
THREE = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n'


@pytest.fixture(autouse=True)
def _parser():
    pytest.importorskip("openqasm3")


def matrix(text):
    return reference.unitary(from_qasm(text))


def gates(circuit):
    return [(str(op.gate), op.controls, op.values, op.targets) for op in circuit.operations]


@pytest.mark.parametrize(
    ("call", "gate", "controls"),
    [
        ("u1(0.3) q[0]", Gate("p", (0.3,)), 0),
        ("u3(0.1,0.2,0.3) q[0]", Gate("u", (0.1, 0.2, 0.3)), 0),
        ("U(0.1,0.2,0.3) q[0]", Gate("u", (0.1, 0.2, 0.3)), 0),
        ("u2(0.2,0.3) q[0]", Gate("u", (math.pi / 2, 0.2, 0.3)), 0),
        ("CX q[0],q[1]", Gate("x"), 1),
        ("cy q[0],q[1]", Gate("y"), 1),
        ("ch q[0],q[1]", Gate("h"), 1),
        ("cp(0.3) q[0],q[1]", Gate("p", (0.3,)), 1),
        ("cu3(0.1,0.2,0.3) q[0],q[1]", Gate("u", (0.1, 0.2, 0.3)), 1),
        ("crx(0.3) q[0],q[1]", Gate("rx", (0.3,)), 1),
        ("ccx q[0],q[1],q[2]", Gate("x"), 2),
        ("cswap q[0],q[1],q[2]", Gate("swap"), 1),
    ],
)
@pytest.mark.parametrize("head", [TWO + "qreg q[3];\n", THREE + "qubit[3] q;\n"])
def test_library_gates(head, call, gate, controls):
    (op,) = from_qasm(f"{head}{call};\n").operations
    qubits = tuple(range(controls + gate.kind.num_qubits))
    assert op.gate == gate
    assert (op.controls, op.values, op.targets) == (
        qubits[:controls],
        (1,) * controls,
        qubits[controls:],
    )


def test_cu_has_a_phase_of_its_control():
    found = matrix(f"{THREE}qubit[2] q;\ncu(0.1,0.2,0.3,0.4) q[0], q[1];\n")
    b = CircuitBuilder(Register("q", 2))
    b.u(0.1, 0.2, 0.3, 1, controls=[0])
    b.p(0.4, 0)
    np.testing.assert_allclose(found, reference.unitary(b.build()), atol=1e-12)


def test_id_does_nothing():
    assert from_qasm(f"{TWO}qreg q[2];\nid q;\n").operations == ()


class TestBroadcast:
    def test_one_register(self):
        circuit = from_qasm(f"{TWO}qreg q[3];\nh q;\nreset q;\n")
        assert [op.qubits for op in circuit.operations] == [(0,), (1,), (2,)] * 2

    def test_registers_go_together_and_single_qubits_stay(self):
        text = f"{TWO}qreg a[2];\nqreg b[2];\nqreg c[1];\ncx a,b;\nccx a[1],c[0],b;\n"
        with pytest.raises(QasmError, match="a qubit occurs twice"):
            from_qasm(text.replace("b;\n", "a;\n"))
        assert [op.qubits for op in from_qasm(text).operations] == [
            (0, 2), (1, 3), (1, 4, 2), (1, 4, 3),
        ]  # fmt: skip

    def test_measurements(self):
        text = f"{TWO}qreg q[2];\ncreg a[1];\ncreg b[2];\nmeasure q -> b;\nmeasure q[1] -> a[0];\n"
        circuit = from_qasm(text)
        assert circuit.operations == (Measure(0, 1), Measure(1, 2), Measure(1, 0))
        assert circuit.num_bits == 3

    def test_barriers(self):
        circuit = from_qasm(
            f"{THREE}qubit[2] q;\nqubit r;\nbarrier;\nbarrier q;\nbarrier r, q[1];\n"
        )
        assert circuit.operations == (Barrier((0, 1, 2)), Barrier((0, 1)), Barrier((2, 1)))

    def test_single_qubits_and_bits_of_version_3(self):
        circuit = from_qasm(f"{THREE}qubit q;\nbit c;\nx q;\nc = measure q;\nreset q;\n")
        assert circuit.registers == (Register("q", 1),)
        assert circuit.operations[1:] == (Measure(0, 0), Reset(0))

    def test_a_declaration_that_measures(self):
        circuit = from_qasm(f"{THREE}qubit[2] q;\nbit[2] c = measure q;\nmeasure q[0] -> c[1];\n")
        assert circuit.operations == (Measure(0, 0), Measure(1, 1), Measure(0, 1))


class TestModifiers:
    def call(self, text):
        return gates(from_qasm(f"{THREE}qubit[4] q;\n{text}\n"))

    def test_controls_come_in_order(self):
        assert self.call("ctrl @ negctrl(2) @ rx(0.5) q[3], q[0], q[1], q[2];") == [
            ("rx(0.5)", (3, 0, 1), (1, 0, 0), (2,))
        ]

    def test_a_controlled_standard_gate(self):
        assert self.call("negctrl @ cx q[2], q[0], q[1];") == [("x", (2, 0), (0, 1), (1,))]

    def test_inverse_and_power(self):
        assert self.call("inv @ s q[0];") == [("sdg", (), (), (0,))]
        assert self.call("ctrl @ inv @ u2(0.1, 0.2) q[1], q[0];") == [
            ("u(-1.5708, -0.2, -0.1)", (1,), (1,), (0,))
        ]
        assert self.call("pow(3) @ sx q[0];") == 3 * [("sx", (), (), (0,))]
        assert self.call("pow(-2) @ t q[0];") == 2 * [("tdg", (), (), (0,))]
        assert self.call("pow(0.5) @ rz(1.0) q[0];") == [("rz(0.5)", (), (), (0,))]
        assert self.call("pow(0) @ x q[0];") == []

    def test_controlled_phases_are_gates(self):
        assert self.call("ctrl @ gphase(0.5) q[2];") == [("p(0.5)", (), (), (2,))]
        assert self.call("ctrl @ ctrl @ gphase(pi) q[2], q[0];") == [("z", (2,), (1,), (0,))]

    def test_the_phase_of_a_definition_is_controlled_too(self):
        text = THREE + (
            "gate turn(a) q { gphase(-a/2); p(a) q; }\n"
            "qubit[2] q;\nctrl @ turn(0.6) q[0], q[1];\ninv @ turn(0.2) q[1];\n"
        )
        b = CircuitBuilder(Register("q", 2))
        b.rz(0.6, 1, controls=[0])
        b.rz(-0.2, 1)
        np.testing.assert_allclose(matrix(text), reference.unitary(b.build()), atol=1e-12)

    def test_global_phases_add_up(self):
        circuit = from_qasm(f"{THREE}qubit[2] q;\ngphase(0.5);\ninv @ gphase(0.2);\n")
        assert circuit.global_phase == pytest.approx(0.3)


class TestDefinitions:
    def test_nested_with_expressions(self):
        text = TWO + (
            "gate half(t) a { rx(t/2) a; }\n"
            "gate both(t,s) a,b { half(-t^2+sin(s)*2) b; barrier a,b; cx b,a; half(s) a; }\n"
            "qreg q[2];\nboth(0.4, 0.3) q[1],q[0];\n"
        )
        circuit = from_qasm(text)
        first, fence, cx, last = circuit.operations
        assert first.gate.params[0] == pytest.approx((-(0.4**2) + math.sin(0.3) * 2) / 2)
        assert (first.targets, fence, cx.controls, cx.targets) == (
            (0,),
            Barrier((1, 0)),
            (0,),
            (1,),
        )
        assert last.gate.params[0] == pytest.approx(0.15)

    def test_a_gate_of_our_name_with_another_body_is_not_ours(self):
        text = TWO + "gate swap t0,t1 { cx t0,t1; }\nqreg q[2];\nswap q[0],q[1];\n"
        assert gates(from_qasm(text)) == [("x", (0,), (1,), (1,))]
        text = TWO + (
            "gate p_if_11(theta) c0,c1,t0 { x t0; }\n"
            "gate x_if_111 c0,c1,c2,t0 {\n  h t0;\n  z_if_111 c0,c1,c2,t0;\n  h t0;\n}\n"
        )
        with pytest.raises(QasmError, match="no gate 'z_if_111'"):
            from_qasm(text)

    def test_our_definition_on_top_of_somebody_elses_is_opened(self):
        text = TWO + (
            "gate p_if_11(theta) c0,c1,t0 { rx(theta) t0; }\n"
            "gate z_if_11 c0,c1,t0 {\n  p_if_11(pi) c0,c1,t0;\n}\n"
            "qreg q[3];\nz_if_11 q[0],q[1],q[2];\n"
        )
        assert gates(from_qasm(text)) == [("rx(3.14159)", (), (), (2,))]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("-pi/2", -math.pi / 2),
        ("2^3^2", 512.0),
        ("-2^2", -4.0),
        ("(1+2)*3-4/8", 8.5),
        ("1/2", 0.5),
        (".5e1", 5.0),
        ("3.", 3.0),
        ("sqrt(4)+ln(exp(2))", 4.0),
        ("cos(0)-tan(0)", 1.0),
        ("+-1", -1.0),
    ],
)
def test_arithmetic_of_version_2(expression, value):
    (op,) = from_qasm(f"{TWO}qreg q[1];\nrx({expression}) q[0];\n").operations
    assert op.gate.params[0] == pytest.approx(value)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2**3", 8.0),
        ("4/2", 2.0),
        ("1.0/2", 0.5),
        ("-τ/4", -math.pi / 2),
        ("sin(1)*euler", 2.2873552871788423),
    ],
)
def test_arithmetic_of_version_3(expression, value):
    (op,) = from_qasm(f"{THREE}qubit q;\nrx({expression}) q;\n").operations
    assert op.gate.params[0] == pytest.approx(value)


FAULTS_2 = [
    ("qreg q[2]\nx q;", 4, 1, "expected ';', found 'x'"),
    ("qreg q[2];\n$x q;", 4, 1, "'\\$' has no meaning"),
    ("qreg q[2];\n  foo q[0];", 4, 3, "no gate 'foo'"),
    ("qreg q[2];\nx q[2];", 4, 3, "'q' has 2 qubits, so there is no 2"),
    ("qreg q[2];\nx r[0];", 4, 3, "no register of qubits 'r'"),
    ("qreg q[2];\ncreg c[1];\nx c[0];", 5, 3, "no register of qubits 'c'"),
    ("qreg q[2];\ncx q[0],q[0];", 4, 1, "occurs twice"),
    ("qreg q[2];\ncx q[0];", 4, 1, "cx takes 2 qubits, not 1"),
    ("qreg q[2];\nrx q[0];", 4, 1, "rx takes 1 angles, not 0"),
    ("qreg q[2];\nrx(a) q[0];", 4, 4, "unknown name 'a'"),
    ("qreg q[2];\nrx(1/0) q[0];", 4, 5, "'/' has no finite result"),
    ("qreg q[2];\nrx(ln(0)) q[0];", 4, 4, "'ln' has no finite result"),
    ("qreg q[2];\nrx() q[0];", 4, 1, "rx takes 1 angles"),
    ("qreg q[2];\nrx(,) q[0];", 4, 4, "expected a number"),
    ("qreg q[2];\ncreg c[2];\nif (c==1) x q[0];", 5, 1, "'if' is not supported"),
    ("opaque foo a;", 3, 1, "'opaque' is not supported"),
    ("qreg q[2];\ncreg c[1];\nmeasure q -> c;", 5, 1, "2 qubits do not fit into 1 bits"),
    ("qreg q[2];\nqreg q[2];", 4, 1, "'q' is declared twice"),
    ("qreg a[2];\nqreg b[3];\ncx a,b;", 5, 1, "registers of 2 and 3 qubits"),
    ("qreg q[0];", 3, 1, "at least 1 qubit"),
    ("qreg q[x];", 3, 8, "expected a size"),
    ('include "other.inc";', 3, 9, 'only "qelib1.inc"'),
    ("gate g a { x b; }", 3, 14, "'b' is no qubit of this gate"),
    ("gate g a { g a; }", 3, 12, "no gate 'g' here"),
    ("gate g a,a { x a; }", 3, 1, "names something twice"),
    ("gate g a { x a; }\ngate g a { y a; }", 4, 1, "defined twice"),
    ("gate g a,b { cx a,b; }\nqreg q[2];\ng q[1],q[1];", 5, 1, "occurs twice"),
    ("gate g a { x a;", 3, 16, "found 'the end of the file'"),
    (
        "qreg a[1];  // qmastermind register q\nqreg b[1];  // qmastermind register q",
        4,
        1,
        "already",
    ),
]


@pytest.mark.parametrize(("body", "line", "column", "message"), FAULTS_2)
def test_faults_of_version_2_have_a_place(body, line, column, message):
    with pytest.raises(QasmError, match=message) as caught:
        from_qasm(TWO + body)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.exit_code == 2
    source = (TWO + body).splitlines()[line - 1]
    assert str(caught.value).splitlines()[1:] == [f"  {source}", "  " + " " * (column - 1) + "^"]


FAULTS_3 = [
    ("qubit[2] q;\nx q[0]\ny q[1];", 5, 1, "'y' has no place here"),
    ("qubit[2 q;", 3, 9, "'q' has no place here"),
    ("qubit[2] q;\nx q[0", 4, 6, "the end of the file has no place here"),
    ("qubit[2] q;\n$$ q;", 4, 1, "token recognition error"),
    ("qubit[2] q;\nfoo q[0];", 4, 1, "no gate 'foo'"),
    ("qubit[2] q;\nx q[5];", 4, 3, "there is no 5"),
    ("qubit[2] q;\nrx(1/2) q[0];", 4, 4, "write 1.0/2"),
    ("qubit[2] q;\nbit c;\nif (c) { x q[0]; }", 5, 1, "not supported here: branching statement"),
    ("qubit[2] q;\nfor int i in [0:1] { x q[i]; }", 4, 1, "not supported here: for in loop"),
    ("const float a = 0.5;", 3, 1, "not supported here: constant declaration"),
    ("input float a;", 3, 1, "not supported here"),
    ("int a = 3;", 3, 1, "not supported here: classical declaration"),
    ('bit[2] a = "01";', 3, 1, "not supported here: classical declaration"),
    ("qubit[2] q;\nlet r = q[0:1];", 4, 1, "not supported here: alias statement"),
    ("qubit[2] q;\nx q[0:1];", 4, 3, "expected a register or one of its elements"),
    ("x $0;", 3, 1, "physical qubits are not supported"),
    ("qubit[2] q;\npow(0.5) @ h q[0];", 4, 1, "can have a power"),
    ("qubit[2] q;\npow(10000000) @ h q[0];", 4, 1, "too large to write out"),
    ("qubit[2] q;\nctrl(0) @ h q[0];", 4, 1, "positive whole number of controls"),
    ("qubit[2] q;\nctrl(3) @ h q[0], q[1];", 4, 1, "3 controls on 2 qubits"),
    ("qubit[2] q;\nrx(true) q[0];", 4, 4, "expected a number"),
    ('include "foo.inc";', 3, 1, 'only "stdgates.inc"'),
    ("qubit[n] q;", 3, 1, "has to be a whole number"),
]


@pytest.mark.parametrize(("body", "line", "column", "message"), FAULTS_3)
def test_faults_of_version_3_have_a_place(body, line, column, message, capfd):
    with pytest.raises(QasmError, match=message) as caught:
        from_qasm(THREE + body)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("head", [TWO + "qreg q[1];\n", THREE + "qubit[1] q;\n"])
def test_deep_nesting_is_no_crash(head):
    with pytest.raises(QasmError, match="nested too deeply"):
        from_qasm(f"{head}rx({'(' * 400}1{')' * 400}) q[0];\n")


def test_versions():
    comment = "// first\n/* second\n */ "
    assert from_qasm(f"{comment}OPENQASM 3.0;\nqubit q;\n").num_qubits == 1
    assert from_qasm("// first\nOPENQASM 2.0;\nqreg q[4];\n").num_qubits == 4
    assert from_qasm("qubit[3] q;\n").num_qubits == 3
    with pytest.raises(QasmError, match=r"only version 2\.0"):
        from_qasm("OPENQASM 2.1;\nqreg q[4];\n")


def test_version_3_needs_its_parser_and_version_2_does_not(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openqasm3", None)
    assert from_qasm(f"{TWO}qreg q[1];\n").num_qubits == 1
    with pytest.raises(MissingDependencyError, match=re.escape("qmastermind[qasm]")):
        from_qasm(f"{THREE}qubit q;\n")


class TestFiles:
    def test_a_file(self, tmp_path):
        path = tmp_path / "a.qasm"
        path.write_text(f"{TWO}qreg q[2];\n", encoding="utf-8")
        assert read_file(path).num_qubits == 2

    def test_faults(self, tmp_path):
        with pytest.raises(UsageError, match="No such file"):
            read_file(tmp_path / "missing.qasm")
        path = tmp_path / "wrong.qasm"
        path.write_text(f"{TWO}qreg q[2];\nx q[3];\n", encoding="utf-8")
        with pytest.raises(QasmError, match=r"wrong\.qasm, line 4, column 3: 'q' has 2 qubits"):
            read_file(path)
        path = tmp_path / "binary.qasm"
        path.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(UsageError, match="cannot read"):
            read_file(path)


class TestQiskitsFiles:
    """What Qiskit writes, which defines its multi-controlled gates in its own way."""

    def circuit(self):
        pytest.importorskip("qiskit.circuit")
        from qiskit import QuantumCircuit

        qc = QuantumCircuit(5)
        for q in range(5):
            qc.ry(0.3 + q, q)
        qc.mcx([0, 1, 2], 3)
        qc.mcp(0.7, [1, 2, 4], 0)
        qc.sx(2)
        qc.u(0.1, 0.2, 0.3, 1)
        qc.rzz(0.4, 0, 1)
        qc.cswap(0, 3, 4)
        qc.ccx(1, 2, 0, ctrl_state=1)
        return qc

    @pytest.mark.parametrize("version", [2, 3])
    def test_same_unitary(self, version):
        qc = self.circuit()
        from qiskit import qasm2, qasm3
        from qiskit.quantum_info import Operator

        text = qasm2.dumps(qc) if version == 2 else qasm3.dumps(qc)
        found = reference.unitary(from_qasm(text))
        overlap = abs(np.vdot(found, Operator(qc.reverse_bits()).data)) / 32
        assert overlap == pytest.approx(1, abs=1e-9)


def test_diagonals_are_read_as_phases():
    from qmastermind.qasm import to_qasm2

    b = CircuitBuilder(Register("q", 2))
    b.diagonal(Phases(2, [math.pi], [2]), [0, 1])
    assert gates(from_qasm(to_qasm2(b.build()))) == [("z", (1,), (0,), (0,))]


@pytest.mark.parametrize("text", ["", "  \n", "// nothing\n", "/* nothing\nat all */"])
def test_a_text_without_a_statement_is_empty(text):
    with pytest.raises(QasmError, match="the text is empty"):
        from_qasm(text)


@pytest.mark.parametrize("start", [TWO + "qreg q[1];", THREE + "qubit[1] q;"])
def test_a_byte_order_mark_is_no_content(start, tmp_path):
    path = tmp_path / "marked.qasm"
    path.write_text(start + " x q;", encoding="utf-8-sig")
    assert [op.gate.name for op in read_file(path).operations] == ["x"]


@pytest.mark.parametrize("size", ["100001", "999999999999", "9" * 400, "9" * 6000])
@pytest.mark.parametrize("declaration", ["2.0; qreg q[{}];", "2.0; creg q[{}];", "3; qubit[{}] q;"])
def test_registers_beyond_all_use_are_refused_at_once(declaration, size):
    with pytest.raises(QasmError, match=r"at most 100,000|too many digits"):
        from_qasm(f"OPENQASM {declaration.format(size)}")


def test_registers_add_up():
    with pytest.raises(QasmError, match="at most 100,000"):
        from_qasm("OPENQASM 2.0; qreg a[60000]; qreg b[60000];")


def test_operations_beyond_all_use_are_refused(monkeypatch):
    monkeypatch.setattr("qmastermind.qasm.read.MAX_OPERATIONS", 1000)
    with pytest.raises(QasmError, match="more than 1,000 operations"):
        from_qasm('OPENQASM 2.0; include "qelib1.inc"; qreg q[600]; x q; x q;')
