"""Search circuits of Qiskit's own library against circuits of ours."""

import math

import numpy as np
import pytest

pytest.importorskip("qiskit.circuit")  # not this folder, which is importable as "qiskit"
pytest.importorskip("qiskit_aer")

from qiskit import QuantumCircuit
from qiskit.circuit import library
from qiskit_truth import assert_same, matrix

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.testing.reference import distribution, unitary
from qmastermind_qiskit import QiskitBackend, from_qiskit, to_qiskit


def oracle(num_qubits, marked):
    b = CircuitBuilder(Register("x", num_qubits))
    for bits in marked:
        b.phase_on(math.pi, range(num_qubits), [int(c) for c in bits])
    return b.build()


def search(num_qubits, marked, iterations):
    """Textbook Grover search; its diffuser is 1 - 2|s><s|, so each iteration is -(D O)."""
    body = CircuitBuilder(Register("x", num_qubits))
    body.compose(oracle(num_qubits, marked))
    for q in range(num_qubits):
        body.h(q)
    body.phase_on(math.pi, range(num_qubits), [0] * num_qubits)
    for q in range(num_qubits):
        body.h(q)
    b = CircuitBuilder(Register("x", num_qubits))
    for q in range(num_qubits):
        b.h(q)
    b.append(body.build(), repetitions=iterations)
    return b.build(), body.build()


FORMULAS = {
    "x1 & x2 & ~x3": ["110"],
    "(x1 & x2) | (~x1 & ~x2)": ["00", "11"],
    "x1 ^ x2 ^ x3": ["001", "010", "100", "111"],
    "~x1 & x2 & ~x3 & x4": ["0101"],
    "x1 | x2": ["01", "10", "11"],
}


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_marks_its_assignments_in_the_order_of_its_variables(formula):
    gate = library.PhaseOracleGate(formula)
    native = QuantumCircuit(gate.num_qubits)
    native.append(gate, range(gate.num_qubits))
    marked = FORMULAS[formula]
    signs = np.ones(2**gate.num_qubits)
    signs[[int(bits, 2) for bits in marked]] = -1
    found = unitary(from_qiskit(native))
    assert_same(found, np.diag(signs).astype(complex))
    assert_same(found, unitary(oracle(gate.num_qubits, marked)))


def test_grover_operators_differ_by_the_sign_that_controls_would_show():
    n, marked = 3, ["110"]
    theirs = from_qiskit(library.grover_operator(to_qiskit(oracle(n, marked))))
    _, ours = search(n, marked, 1)
    uniform = np.full((2**n, 2**n), 2 / 2**n) - np.eye(2**n)
    signs = np.eye(2**n)
    signs[0b110, 0b110] = -1
    assert_same(unitary(theirs), uniform @ signs)
    assert_same(unitary(ours), -uniform @ signs)
    # Under a control the sign is a phase of the control: it may not get lost on the way.
    controlled = matrix(to_qiskit(theirs.controlled()))
    assert_same(controlled[2**n :, 2**n :], uniform @ signs)


@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_search_by_qiskits_library_and_by_ours(iterations):
    n, formula = 4, "~x1 & x2 & ~x3 & x4"
    native = QuantumCircuit(n)
    native.h(range(n))
    operator = library.grover_operator(library.PhaseOracleGate(formula))
    for _ in range(iterations):
        native.compose(operator, inplace=True)
    ours, _ = search(n, FORMULAS[formula], iterations)
    backend = QiskitBackend()
    found = [backend.probabilities(c.measured()).array() for c in (from_qiskit(native), ours)]
    assert np.allclose(*found, atol=1e-9)
    assert np.allclose(found[0], distribution(ours.measured()), atol=1e-9)
    expected = math.sin((2 * iterations + 1) * math.asin(1 / 4)) ** 2
    assert found[0][0b0101] == pytest.approx(expected, abs=1e-9)


def test_the_article_sized_search_keeps_its_phase_gate_whole_and_is_exact():
    """Twelve qubits, ten iterations: sin^2(21 asin(1/64)), about one in ten."""
    marked = "011010110001"
    circuit, _ = search(12, [marked], 10)
    probability = QiskitBackend().probabilities(circuit.measured()).probability(marked)
    assert probability == pytest.approx(math.sin(21 * math.asin(1 / 64)) ** 2, abs=1e-9)
