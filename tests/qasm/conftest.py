"""The importers of the frameworks, each giving the matrix of what it read."""

import re

import pytest


def qiskit_2(text, circuit):
    from qiskit import qasm2

    return _qiskit(qasm2.loads(text))


def qiskit_3(text, circuit):
    from qiskit import qasm3

    return _qiskit(qasm3.loads(text))


def _qiskit(loaded):
    from qiskit.quantum_info import Operator

    for name in ("measure", "reset", "barrier"):
        loaded = _without(loaded, name)
    # qiskit has qubit 0 as the least significant one
    return Operator(loaded.reverse_bits()).data


def _without(loaded, name):
    kept = loaded.copy_empty_like()
    for instruction in loaded.data:
        if instruction.operation.name != name:
            kept.append(instruction)
    return kept


def cirq_any(text, circuit):
    import cirq
    from cirq.contrib.qasm_import import circuit_from_qasm

    loaded = circuit_from_qasm(text)
    kept = [
        op
        for op in loaded.all_operations()
        if not cirq.is_measurement(op) and not isinstance(op.gate, cirq.ResetChannel)
    ]
    # cirq leaves out qubits that nothing acts on
    names = [f"{name}_{i}" for name, size in declared(text) for i in range(size)]
    return cirq.Circuit(kept).unitary(
        qubit_order=[cirq.NamedQubit(n) for n in names],
        qubits_that_should_be_present=[cirq.NamedQubit(n) for n in names],
    )


def tket_2(text, circuit):
    from pytket.circuit import OpType
    from pytket.passes import DecomposeBoxes
    from pytket.qasm import circuit_from_qasm_str

    loaded = circuit_from_qasm_str(text)
    DecomposeBoxes().apply(loaded)
    kept = type(loaded)()
    for qubit in loaded.qubits:
        kept.add_qubit(qubit)
    for command in loaded.get_commands():
        if command.op.type not in (OpType.Measure, OpType.Reset, OpType.Barrier):
            kept.add_gate(command.op, command.qubits)
    kept.add_phase(loaded.phase)
    order = [f"{name}[{i}]" for name, size in declared(text) for i in range(size)]
    found = [str(q) for q in kept.qubits]
    n = len(order)
    cube = kept.get_unitary().reshape((2,) * (2 * n))
    axes = [found.index(q) for q in order]
    return cube.transpose(axes + [a + n for a in axes]).reshape(2**n, 2**n)


def pennylane_3(text, circuit):
    import pennylane as qml

    # it has the gates of stdgates.inc, but refuses to include a file
    without = text.replace('include "stdgates.inc";\n', "")
    loaded = qml.from_qasm3(without)
    with qml.queuing.AnnotatedQueue() as queue:
        loaded()
    tape = qml.tape.QuantumScript.from_queue(queue)
    kept = [op for op in tape.operations if not isinstance(op, qml.ops.MidMeasure | qml.Barrier)]
    order = [f"{name}[{i}]" for name, size in declared(text) for i in range(size)]
    return qml.matrix(qml.tape.QuantumScript(kept), wire_order=order)


def declared(text):
    """Names and sizes of the quantum registers."""
    found = re.findall(r"qubit\[(\d+)\] (\w+);|qreg (\w+)\[(\d+)\];", text)
    return [(new or old, int(a or b)) for a, new, old, b in found]


@pytest.fixture
def importers():
    """By framework and version of the language: the modules it needs, and the importer."""
    return {
        ("Qiskit", 2): (["qiskit.qasm2"], qiskit_2),
        ("pytket", 2): (["pytket.qasm"], tket_2),
        ("Cirq", 2): (["cirq.contrib.qasm_import"], cirq_any),
        ("Qiskit", 3): (["qiskit_qasm3_import"], qiskit_3),
        ("Cirq", 3): (["cirq.contrib.qasm_import"], cirq_any),
        ("PennyLane", 3): (["pennylane.ops", "openqasm3"], pennylane_3),
    }
