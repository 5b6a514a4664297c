"""The one counter against Qiskit's own counting, which Benchpress and others report.

Benchpress counts ``count_ops()[two-qubit gate]`` and ``depth`` filtered by that gate; other tools
filter by ``num_qubits == 2``. Where the definitions agree the figures must be equal; where they do
not, the difference is stated here and in docs/compare.md.
"""

import math
from dataclasses import replace

import pytest

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.gates import Gate
from qmastermind.qasm import read_file
from qmastermind.resources import count
from qmastermind.synthesis.lowering import lower
from qmastermind.target import Target

pytest.importorskip("qiskit")

from qiskit import QuantumCircuit, qasm2, transpile
from qiskit.circuit import library
from qiskit.synthesis.qft import synth_qft_full

from qmastermind_qiskit import to_qiskit

BASES = {"cx": ("rz", "sx", "x", "cx"), "cz": ("rz", "sx", "x", "cz")}


def grover(n: int) -> QuantumCircuit:
    marked = QuantumCircuit(n)
    marked.h(n - 1)
    marked.mcx(list(range(n - 1)), n - 1)
    marked.h(n - 1)
    search = QuantumCircuit(n)
    search.h(range(n))
    search.compose(library.grover_operator(marked).repeat(3), inplace=True)
    return search


def ghz(n: int) -> QuantumCircuit:
    circuit = QuantumCircuit(n)
    circuit.h(0)
    for q in range(1, n):
        circuit.cx(q - 1, q)
    return circuit


CIRCUITS = {
    "ghz": ghz(6),
    "qft": synth_qft_full(6),
    "grover": grover(5),
    "adder": library.HalfAdderGate(3).definition,
    "ansatz": library.real_amplitudes(5, reps=2).assign_parameters([0.1 * i for i in range(1, 16)]),
    "iqp": library.iqp([[6, 5, 3], [5, 4, 5], [3, 5, 1]]),
    "mcx": library.MCXGate(6).definition,
}


@pytest.mark.parametrize("two_qubit_gate", BASES)
@pytest.mark.parametrize("name", CIRCUITS)
def test_the_same_file_has_the_same_figures(name, two_qubit_gate, tmp_path):
    native = transpile(
        CIRCUITS[name], basis_gates=list(BASES[two_qubit_gate]), optimization_level=1
    )
    path = tmp_path / "circuit.qasm"
    path.write_text(qasm2.dumps(native))
    native = qasm2.load(path, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)
    found = count(read_file(path))
    ops = native.count_ops()
    # Benchpress
    assert found.two_qubit_gates == ops.get(two_qubit_gate, 0)
    assert found.two_qubit_depth == native.depth(lambda i: i.operation.name == two_qubit_gate)
    # Others
    assert found.two_qubit_gates == native.num_nonlocal_gates()
    assert found.two_qubit_depth == native.depth(lambda i: i.operation.num_qubits == 2)
    assert found.depth == native.depth()
    assert found.qubits == native.num_qubits
    assert found.one_qubit_gates == native.size() - native.num_nonlocal_gates()
    assert found.virtual_rz == ops.get("rz", 0)
    assert found.counts == ops


def test_where_the_definitions_differ():
    native = QuantumCircuit(3, 3)
    native.h(0)
    native.barrier()
    native.h(1)
    native.cx(1, 2)
    native.measure(range(3), range(3))
    b = CircuitBuilder(Register("x", 3))
    b.h(0)
    b.barrier()
    b.h(1)
    b.x(2, [1])
    b.measure(range(3))
    ours = count(b.build())
    # A measurement is a layer for Qiskit; a barrier makes what is behind it wait, counted or not.
    assert native.depth() == 4
    assert native.depth(lambda i: i.operation.name not in ("measure", "barrier")) == 3
    assert ours.depth == 2
    # A barrier on two qubits passes the filter by number of qubits for Qiskit.
    pair = QuantumCircuit(2)
    pair.barrier()
    assert pair.depth(lambda i: i.operation.num_qubits == 2) == 1
    # The global phase and virtual rz: both count rz as a layer, neither the phase.
    turned = QuantumCircuit(1, global_phase=1.0)
    turned.rz(0.3, 0)
    one = CircuitBuilder(Register("x", 1))
    one.rz(0.3, 0)
    assert turned.depth() == count(replace(one.build(), global_phase=1.0)).depth == 1
    # A gate on three qubits is nonlocal for Qiskit; ours counts it apart from two-qubit gates.
    wide = QuantumCircuit(3)
    wide.ccx(0, 1, 2)
    toffoli = CircuitBuilder(Register("x", 3))
    toffoli.x(2, [0, 1])
    found = count(toffoli.build())
    assert (wide.num_nonlocal_gates(), wide.depth(lambda i: i.operation.num_qubits == 2)) == (1, 0)
    assert (found.two_qubit_gates, found.two_qubit_depth, found.multi_qubit_gates) == (0, 0, 1)


def fourier(n: int):
    """The QFT between two layers of rotations and its inverse, controlled rotations whole."""
    transform = CircuitBuilder(Register("x", n))
    for q in range(n):
        transform.h(q)
        for other in range(q + 1, n):
            transform.gate(Gate("rz", (math.pi / 2 ** (other - q),)), (q,), controls=(other,))
    body = transform.build()
    b = CircuitBuilder(Register("x", n))
    b.append(body, range(n))
    for q in range(n):
        b.rz(math.pi / 2**q, q)
    b.append(body.inverse(), range(n))
    return b.build()


def test_a_depth_is_that_of_the_stated_basis():
    """A seven-qubit QFT benchmark was published with the depth of its composite gates.

    The reported 31 layers were 78 in the stated basis {rx, ry, rz, cx}
    (github.com/SRI-International/QC-App-Oriented-Benchmarks, issue 7).
    """
    circuit = fourier(7)
    target = Target.all_to_all(("rx", "ry", "rz", "cx"))
    composite = count(circuit)
    assert composite.depth < 31
    assert not target.permits(circuit)  # so nothing that is counted for this basis looks like it
    lowered = lower(circuit, target.basis)
    assert target.permits(lowered)
    found = count(lowered)
    assert found.depth > 2 * composite.depth
    assert found.depth == to_qiskit(lowered).depth()
    assert found.two_qubit_gates == 4 * 21
    assert set(found.counts) <= set(target.basis)


def test_a_comparison_reports_no_composite_depth():
    from qmastermind.comparison import compare

    rows = compare(fourier(5), backends=("qiskit",), levels=(0, 2), basis=("rx", "ry", "rz", "cx"))
    composite = count(fourier(5)).depth
    assert len(rows) == 5
    for row in rows:
        assert row.ranked
        assert row.figures["depth"] > 2 * composite


def test_composite_gates_are_counted_by_what_is_in_them():
    """Cirq's moments hold a whole transform as one operation; boxes of ours are opened."""
    cirq = pytest.importorskip("cirq")
    from qmastermind_cirq import from_cirq

    qubits = cirq.LineQubit.range(4)
    whole = cirq.Circuit(cirq.qft(*qubits, without_reverse=True))
    assert len(whole) == 1
    opened = cirq.Circuit(cirq.decompose_once(whole[0].operations[0]))
    found = count(from_cirq(whole, qubits))
    assert found.depth == count(from_cirq(opened, qubits)).depth > 1
    assert found.multi_qubit_gates == 0
    b = CircuitBuilder(Register("x", 7))
    b.append(fourier(7).power(3), range(7))
    boxed = b.build()
    opened_up = CircuitBuilder(*boxed.registers)
    for op in boxed.flat():
        opened_up.add(op)
    assert count(boxed) == count(opened_up.build())
