"""The frameworks' own importers against the table in the documentation."""

from pathlib import Path

import pytest

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Circuit, Register
from qmastermind.gates import GATES, Gate
from qmastermind.qasm import to_qasm2, to_qasm3
from qmastermind.testing import reference
from qmastermind.testing.conformance import cases

DOCS = Path(__file__).parents[2] / "docs" / "openqasm.md"
NAMED = {"x": 2, "y": 1, "z": 1, "h": 1, "p": 1, "rx": 1, "ry": 1, "rz": 1, "swap": 1}


def between_rotations(gates_with_controls, wanted=lambda op: True):
    """Each gate under all values of its controls that are wanted, rotations in between."""
    operations, widest = [], 0
    for gates, num_controls in gates_with_controls:
        width, found = cases.applications(gates, num_controls)
        widest = max(widest, width)
        operations += [op for op in found if wanted(op)]
    # "x" is the name of a gate as well
    b = CircuitBuilder(Register("a", widest - 1), Register("x", 1))
    for salt, op in enumerate([*operations, None]):
        for q in range(widest):
            b.ry(0.4 + q + 0.7 * salt, q)
            b.rz(0.2 - q, q)
        if op is not None:
            b.add(op)
    return b.build()


def all_one(op):
    return all(op.values)


def some_zero(op):
    return not all(op.values)


def example(build):
    b = CircuitBuilder(Register("a", 2))
    b.h(0)
    build(b)
    return b.build()


def phased(b):
    b.global_phase = 0.3


def gates(*names):
    return [gate for name in names for gate in cases.example_gates(name)]


ONE_QUBIT = [n for n, kind in GATES.items() if kind.num_qubits == 1 and n not in ("u", "sxdg")]
OTHERS = [("s", 1), ("t", 2), ("sx", 1), ("x", 3), ("z", 2), ("ry", 2), ("p", 3)]

ROWS = {
    "one-qubit gates": between_rotations([(gates(*ONE_QUBIT), 0)]),
    "sxdg": between_rotations([(gates("sxdg"), 0)]),
    "u": between_rotations([(gates("u"), 0)]),
    "swap": between_rotations([(gates("swap"), 0)]),
    "rzz, ecr": between_rotations([(gates("rzz", "ecr"), 0)]),
    "controls that stdgates.inc names": between_rotations(
        [(gates(name), number) for name, number in NAMED.items()], all_one
    ),
    "other controls of value 1": between_rotations([(gates(g), n) for g, n in OTHERS], all_one),
    "controls of value 0": between_rotations([(gates(g), n) for g, n in OTHERS], some_zero),
    "u under controls": between_rotations([(gates("u"), n) for n in (1, 2)]),
    "diagonals": between_rotations([(cases.example_diagonals(), 1)]),
    "global phase": example(phased),
    "barrier": example(lambda b: b.barrier([1, 0])),
    "reset": example(lambda b: b.reset(1)),
    "measurement": example(lambda b: b.measure([1, 0])),
}


def documented():
    """The table: column names, and the cells of each row."""
    lines = [line for line in DOCS.read_text().splitlines() if line.startswith("| ")]
    head, *rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
    return head[1:], {row[0]: row[1:] for row in rows}


def accepted(importer, version, circuit):
    """Whether an importer reads the circuit and gets the same unitary."""
    text = to_qasm2(circuit) if version == 2 else to_qasm3(circuit)
    kept = tuple(op for op in circuit.operations if isinstance(op, Apply))
    expected = reference.unitary(Circuit(circuit.registers, kept))
    try:
        matrix = importer(text, circuit)
    except pytest.skip.Exception:
        raise
    except Exception:
        return False
    return bool(matrix.shape == expected.shape and overlap(matrix, expected) > 1 - 1e-9)


def overlap(a, b):
    return abs((a.conj() * b).sum()) / len(a)


def test_the_table_has_a_row_for_each_kind_and_a_column_for_each_importer(importers):
    head, rows = documented()
    assert list(rows) == list(ROWS)
    assert head == [f"{framework} {version}.0" for framework, version in importers]


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("column", range(6))
def test_a_cell_is_true(importers, column, row):
    (_, version), (modules, importer) = list(importers.items())[column]
    for module in modules:
        pytest.importorskip(module)
    said = documented()[1][row][column]
    assert said in ("yes", "no")
    assert accepted(importer, version, ROWS[row]) is (said == "yes")


@pytest.mark.slow
@pytest.mark.parametrize("num_controls", range(4))
@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("framework", ["Qiskit", "pytket", "Cirq"])
def test_every_gate_under_every_control_in_version_2(importers, framework, name, num_controls):
    modules, importer = importers[framework, 2]
    for module in modules:
        pytest.importorskip(module)
    assert accepted(importer, 2, between_rotations([(gates(name), num_controls)]))


@pytest.mark.parametrize("name", ["qiskit_2", "qiskit_3", "tket_2", "cirq_any"])
def test_bits_keep_their_numbers(importers, name):
    """Qubit 0 of three is measured into bit 2; only that reads 1."""
    module, run = {
        "qiskit_2": ("qiskit.qasm2", _run_qiskit(2)),
        "qiskit_3": ("qiskit_qasm3_import", _run_qiskit(3)),
        "tket_2": ("pytket.qasm", _run_tket),
        "cirq_any": ("cirq.contrib.qasm_import", _run_cirq),
    }[name]
    pytest.importorskip(module)
    b = CircuitBuilder(Register("a", 2), Register("x", 1))
    b.gate(Gate("x"), [0])
    b.measure([2, 1, 0])
    assert run(b.build()) == "001"


def _run_qiskit(version):
    def run(circuit):
        from qiskit import qasm2, qasm3
        from qiskit.primitives import StatevectorSampler

        loaded = qasm2.loads(to_qasm2(circuit)) if version == 2 else qasm3.loads(to_qasm3(circuit))
        (counts,) = StatevectorSampler().run([loaded], shots=5).result()[0].data.values()
        (bits,) = counts.get_counts()
        return bits[::-1]  # qiskit prints bit 0 rightmost

    return run


def _run_tket(circuit):
    from pytket.qasm import circuit_from_qasm_str

    loaded = circuit_from_qasm_str(to_qasm2(circuit))
    measured = {
        command.bits[0].index[0]: str(command.qubits[0])
        for command in loaded.get_commands()
        if command.bits
    }
    return "".join(str(int(measured[bit] == "a[0]")) for bit in range(3))


def _run_cirq(circuit):
    import cirq
    from cirq.contrib.qasm_import import circuit_from_qasm

    result = cirq.Simulator().run(circuit_from_qasm(to_qasm2(circuit)))
    return "".join(str(int(result.measurements[f"c_{bit}"][0][0])) for bit in range(3))
