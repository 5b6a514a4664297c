"""The helpers of plugins: errors, targets, settled results, diagonals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.circuit import Apply, CircuitBuilder, Phases, Register
from qmastermind.errors import (
    BackendError,
    CircuitError,
    TooLargeError,
    UnsupportedError,
    UsageError,
)
from qmastermind.plugin import (
    check_connected,
    check_request,
    counts_from_samples,
    framework_errors,
    join_passes,
    multi_controlled_form,
    settle,
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
    with pytest.raises(UsageError, match="3 qubits, target 'line-2' has 2"):
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
    assert settle(inside, Target()) == (inside, "")
    b.h(0)
    settled, note = settle(b.build(), Target())
    assert Target().permits(settled)
    assert note == "qmastermind rebase (h to rz, sx, x, cx)"
    np.testing.assert_allclose(unitary(settled), unitary(b.build()), atol=1e-12)


def test_settle_refuses_a_wrong_coupling() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.x(2, [0])
    with pytest.raises(BackendError, match="not coupled"):
        settle(b.build(), Target.line(3))


def test_samples_are_counted_column_0_first() -> None:
    samples = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 0]], dtype=np.uint8)
    assert counts_from_samples(samples) == {"100": 2, "001": 1}
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
