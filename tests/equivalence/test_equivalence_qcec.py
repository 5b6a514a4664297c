"""MQT QCEC as a referee for wide circuits."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Phases, Register
from qmastermind.equivalence import equivalent, qcec
from qmastermind.equivalence.side import side
from qmastermind.gates import GATES, Gate
from qmastermind.testing import circuits, reference

pytest.importorskip("mqt.qcec")


@settings(max_examples=100, deadline=None)
@given(circuits(max_qubits=3, boxes=False, barriers=False, ancillas=False))
def test_what_qcec_is_given_is_the_circuit(circuit):
    from mqt.core.dd import build_unitary

    expected = reference.unitary(circuit)
    given_ = build_unitary(qcec._computation(side(circuit)))
    # QCEC's first qubit is the least significant one
    n = circuit.num_qubits
    cube = given_.reshape((2,) * (2 * n))
    axes = [*range(n - 1, -1, -1), *range(2 * n - 1, n - 1, -1)]
    overlap = np.vdot(cube.transpose(axes).reshape(2**n, 2**n), expected) / 2**n
    assert abs(overlap) > 1 - 1e-9


@settings(max_examples=40)
@given(circuits(max_qubits=3, max_operations=5), st.data())
def test_no_verdict_contradicts_the_matrices(circuit, data):
    operations = list(circuit.flat())
    if operations and data.draw(st.booleans()):
        del operations[data.draw(st.integers(0, len(operations) - 1))]
    other = replace(circuit.flattened(), operations=tuple(operations))
    verdict = equivalent(circuit, other, method="qcec", timeout=20)
    assert verdict.equal in (None, equivalent(circuit, other, method="unitary").equal)


@pytest.mark.parametrize("angle", [1e-2, 1e-3, 1e-4, 1e-5])
def test_a_small_rotation_is_no_equality(angle):
    """QCEC alone calls rotations of 1e-4 and less about X no difference."""
    b = CircuitBuilder(Register("q", 2))
    b.h(0)
    b.x(1, controls=[0])
    without = b.build()
    b.rx(angle, 0)
    verdict = equivalent(without, b.build(), method="qcec")
    assert verdict.equal is (False if angle > 1e-4 else None)
    assert equivalent(without, b.build(), method="qcec", tolerance=angle).equal is True


@pytest.mark.parametrize("width", [8, 26, 40])
def test_a_small_phase_on_one_state_is_a_difference(width):
    b = CircuitBuilder(Register("q", width))
    for qubit in range(width):
        b.h(qubit)
    without = b.build()
    b.phase_on(1e-3, range(width), [1] * width)
    assert equivalent(without, b.build(), method="qcec").equal is False


def adder(width, fault=False, uncompute=True):
    """Carries of a ripple over ``width`` bits, with an ancilla each."""
    b = CircuitBuilder(Register("a", width), Register("b", width))
    with b.ancillas(width) as carry:
        for i in range(width):
            b.x(carry[i], controls=[i, width + i], values=[1, int(not (fault and i == 5))])
            if i:
                b.x(carry[i], controls=[carry[i - 1], width + i], values=[0, 1])
        b.z(carry[-1])
        for i in reversed(range(width)) if uncompute else ():
            if i:
                b.x(carry[i], controls=[carry[i - 1], width + i], values=[0, 1])
            b.x(carry[i], controls=[i, width + i], values=[1, int(not (fault and i == 5))])
    return b.build()


def rewritten(circuit):
    """Each X as H Z H, each Z as S S."""
    b = CircuitBuilder(*circuit.registers)
    for op in circuit.flat():
        if op.gate == Gate("x"):
            b.h(op.targets[0])
            b.z(op.targets[0], op.controls, op.values)
            b.h(op.targets[0])
        else:
            b.s(op.targets[0], op.controls, op.values)
            b.s(op.targets[0], op.controls, op.values)
    return b.build()


def test_wide_circuits_are_decided_by_qcec():
    circuit = adder(9)
    verdict = equivalent(circuit, rewritten(circuit), timeout=30)
    assert (verdict.equal, verdict.method) == (True, "qcec")


@pytest.mark.parametrize("options", [{"fault": True}, {"uncompute": False}])
def test_wide_faults_are_never_called_equal(options):
    verdict = equivalent(adder(9), rewritten(adder(9, **options)), timeout=30)
    assert verdict.method == "qcec"
    assert verdict.equal is not True


def test_ancilla_is_clean_and_outputs_move():
    source, other = CircuitBuilder(Register("q", 3)), CircuitBuilder(Register("q", 3))
    source.x(2, controls=[0, 1])
    with other.ancillas(1) as (scratch,):
        other.x(scratch, controls=[0, 1])
        other.x(2, controls=[scratch])
        other.x(scratch, controls=[0, 1])
        other.x(0, controls=[scratch])
    assert equivalent(source.build(), other.build(), method="qcec").equal


def test_measured_differences_that_cannot_be_seen_are_left_open():
    plain, turned = CircuitBuilder(Register("q", 2)), CircuitBuilder(Register("q", 2))
    for b in (plain, turned):
        b.h(0)
    turned.s(0)
    assert equivalent(plain.build(), turned.build(), method="qcec").equal is False
    verdict = equivalent(plain.build().measured(), turned.build().measured(), method="qcec")
    assert verdict.equal is None
    assert equivalent(plain.build().measured(), turned.build().measured()).equal is True


def test_large_diagonals_are_left_open():
    b, c = CircuitBuilder(Register("q", 13)), CircuitBuilder(Register("q", 13))
    b.diagonal(Phases(13, np.linspace(0.1, 1, 2**13)), range(13))
    assert equivalent(b.build(), c.build(), method="qcec").equal is None


def test_measurements_in_between_are_left_open():
    b = CircuitBuilder(Register("q", 1))
    b.reset(0)
    assert equivalent(b.build(), b.build(), method="qcec").equal is None


@pytest.mark.parametrize("name", GATES)
def test_every_gate_under_an_open_control(name):
    gate = Gate(name, tuple(0.3 + 0.2 * i for i in range(GATES[name].num_params)))
    width = gate.kind.num_qubits
    b, closed = CircuitBuilder(Register("q", width + 1)), CircuitBuilder(Register("q", width + 1))
    b.gate(gate, range(1, width + 1), [0], [0])
    closed.x(0)
    closed.gate(gate, range(1, width + 1), [0], [1])
    assert equivalent(b.build(), closed.build(), method="qcec").equal is not True
    closed.x(0)
    assert equivalent(b.build(), closed.build(), method="qcec").equal is True
