"""The helpers of plugins: errors, targets, settled results, diagonals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Circuit, Measure, Phases, Register
from qmastermind.errors import (
    BackendError,
    CircuitError,
    TooLargeError,
    UnsupportedError,
    UsageError,
)
from qmastermind.gates import Gate
from qmastermind.plugin import (
    check_connected,
    check_request,
    framework_errors,
    join_passes,
    multi_controlled_form,
    settle,
    split_measurements,
    without_idle_qubits,
)
from qmastermind.simulator import unitary
from qmastermind.target import Target
from qmastermind.testing.strategies import phases


def test_errors_of_a_framework_become_ours() -> None:
    with pytest.raises(BackendError, match="toy failed: KeyError: 'x'"), framework_errors("toy"):
        raise KeyError("x")
    with pytest.raises(TooLargeError, match="toy ran out of memory"), framework_errors("toy"):
        raise MemoryError
    with pytest.raises(CircuitError, match="ours"), framework_errors("toy"):
        raise CircuitError("ours")


def test_request_is_checked() -> None:
    circuit = CircuitBuilder(Register("q", 3)).build()
    assert check_request(circuit, None, 2) == Target()
    assert check_request(circuit, Target.line(3), 0) == Target.line(3)
    with pytest.raises(UsageError, match="0, 1, 2 or 3, not 4"):
        check_request(circuit, None, 4)
    with pytest.raises(TooLargeError, match="3 qubits, target 'line-2' has 2"):
        check_request(circuit, Target.line(2), 1)


def test_largest_connected_part() -> None:
    split = Target(num_qubits=6, coupling=frozenset({(0, 5), (1, 2), (2, 4)}))
    assert check_connected(split, 3) == (1, 2, 4)
    with pytest.raises(UnsupportedError, match="has 3 qubits, the circuit needs 4"):
        check_connected(split, 4)


def test_settle_rewrites_only_what_is_outside_the_basis() -> None:
    b = CircuitBuilder(Register("q", 2))
    b.x(1, [0])
    b.x(1, [0])
    inside = b.build()
    assert settle(inside, inside, Target()) == (inside, "")
    b.h(0)
    settled, note = settle(b.build(), inside, Target())
    assert Target().permits(settled)
    assert note == "qmastermind rebase (h to rz, sx, x, cx)"
    np.testing.assert_allclose(unitary(settled), unitary(b.build()), atol=1e-12)


def test_settle_gives_back_registers_and_bits() -> None:
    source = Circuit((Register("x", 2), Register("ancilla", 1, ancilla=True)), (), num_bits=4)
    plain = Circuit((Register("q", 3),))
    assert settle(plain, source, Target())[0] == source
    assert settle(plain, source, Target.line(3))[0] == Circuit(plain.registers, (), 4)


def test_settle_refuses_a_wrong_coupling() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.x(2, [0])
    with pytest.raises(BackendError, match="not coupled"):
        settle(b.build(), b.build(), Target.line(3))


def test_final_measurements_are_split_off() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.h(0)
    b.measure([2, 0])
    rest, measured = split_measurements(b.build())
    assert rest.is_unitary
    assert measured == {0: 2, 1: 0}
    b.reset(2)
    assert split_measurements(b.build()) == (b.build(), {})


def test_idle_qubits_are_left_out() -> None:
    b = CircuitBuilder(Register("q", 6))
    b.x(4, [1], [0])
    b.measure([4])
    slim = without_idle_qubits(b.build())
    assert slim.num_qubits == 2
    assert slim.operations == (Apply(Gate("x"), (1,), (0,), (0,)), Measure(1, 0))
    assert without_idle_qubits(slim) is slim
    assert without_idle_qubits(Circuit((Register("q", 3),))).num_qubits == 1


def test_passes_are_named_in_order() -> None:
    assert join_passes(["a", "", "b"]) == "a > b"


@st.composite
def diagonals(draw: st.DrawFn) -> Apply:
    width, controls = draw(st.integers(1, 4)), draw(st.integers(0, 2))
    order = tuple(draw(st.permutations(range(width + controls))))
    values = tuple(draw(st.integers(0, 1)) for _ in range(controls))
    return Apply(draw(phases(width)), order[:width], order[width:], values)


@given(op=diagonals())
def test_diagonals_keep_their_unitary(op: Apply) -> None:
    whole, parts = (CircuitBuilder(Register("q", len(op.qubits))) for _ in range(2))
    whole.add(op)
    for part in multi_controlled_form(op):
        assert not (isinstance(part.gate, Phases) and part.controls)
        parts.add(part)
    np.testing.assert_allclose(unitary(parts.build()), unitary(whole.build()), atol=1e-12)


def test_a_marked_state_is_one_multi_controlled_gate() -> None:
    op = Apply(Phases(5, [math.pi], [0b10110]), (0, 1, 2, 3, 4))
    (gate,) = multi_controlled_form(op)
    assert str(gate.gate) == "z"
    assert dict(zip(gate.qubits, (*gate.values, 1), strict=True)) == {
        0: 1,
        1: 0,
        2: 1,
        3: 1,
        4: 0,
    } | {gate.targets[0]: 1}
