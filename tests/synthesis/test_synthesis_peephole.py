"""Each rewrite by unitary, phase included, and that it saves what it is for."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthesis_truth import unitary_of

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Barrier, Circuit, Register
from qmastermind.errors import UnsupportedError
from qmastermind.gates import Gate
from qmastermind.resources import count
from qmastermind.synthesis.peephole import simplify, two_cx
from qmastermind.synthesis.writing import write_in
from qmastermind.target import Target

NAMED = ["x", "y", "z", "h", "s", "sdg", "t", "tdg", "sx", "sxdg"]
BASES = [("rz", "sx", "x", "cx"), ("rz", "sx", "x", "cz"), ("u", "cx"), ("u", "cz")]


@st.composite
def circuits(draw: st.DrawFn, names: list[str]) -> Circuit:
    size = draw(st.integers(2, 3))
    b = CircuitBuilder(Register("x", size))
    for _ in range(draw(st.integers(0, 14))):
        first, second, *_ = draw(st.permutations(range(size)))
        kind = draw(st.integers(0, 5))
        if kind < 3:
            b.x(first, [second])
        elif kind < 5:
            b.gate(Gate(draw(st.sampled_from(names))), (first,))
        elif len(names) > 9 and draw(st.booleans()):
            b.rz(draw(st.sampled_from([0.3, math.pi / 2, math.pi])), first)
        else:
            b.h(first)
    return b.build()


@given(circuits(NAMED))
@settings(max_examples=200, deadline=None)
def test_simplify(circuit: Circuit) -> None:
    operations, phase = simplify(circuit.operations, circuit.num_qubits)
    after = Circuit(circuit.registers, tuple(operations), 0, phase)
    assert np.allclose(unitary_of(after), unitary_of(circuit), atol=1e-9)
    assert count(after).two_qubit_gates <= count(circuit).two_qubit_gates


@given(circuits(NAMED), st.sampled_from(BASES))
@settings(max_examples=150, deadline=None)
def test_write_in(circuit: Circuit, basis: tuple[str, ...]) -> None:
    operations, phase = write_in(circuit.operations, circuit.num_qubits, basis)
    after = Circuit(circuit.registers, tuple(operations), 0, phase)
    assert np.allclose(unitary_of(after), unitary_of(circuit), atol=1e-9)
    assert Target(basis).permits(after)
    assert count(after).two_qubit_gates == count(circuit).two_qubit_gates


WORDS = [w for n in range(4) for w in product("hstxz", repeat=n)]


def test_two_cx_for_all_short_words() -> None:
    """Where it says one or none, it is right."""
    rng = np.random.default_rng(0)
    found = 0
    for index in rng.integers(0, len(WORDS), (600, 2)):
        control, target = (tuple(Gate(name) for name in WORDS[i]) for i in index)
        b = CircuitBuilder(Register("x", 2))
        b.x(1, [0])
        for end, gates in enumerate((control, target)):
            for gate in gates:
                b.gate(gate, (end,))
        b.x(1, [0])
        result = two_cx(control, target)
        if result is None:
            continue
        found += 1
        steps, phase = result
        after = CircuitBuilder(Register("x", 2))
        for step, end in steps:
            if step is None:
                after.x(1 - end, [end])
            else:
                after.gate(step, (end,))
        after.global_phase = phase
        assert np.allclose(unitary_of(after.build()), unitary_of(b.build()), atol=1e-9)
        assert sum(step is None for step, _ in steps) <= 1
    assert found > 200


@pytest.mark.parametrize(
    ("build", "left"),
    [
        (lambda b: (b.x(1, [0]), b.t(0), b.sx(1), b.x(1, [0])), 0),
        (lambda b: (b.x(1, [0]), b.x(2, [0]), b.z(0), b.x(1, [0])), 1),
        (lambda b: (b.x(1, [0]), b.h(0), b.x(1, [0])), 1),
        (lambda b: (b.x(1, [0]), b.s(1), b.x(1, [0])), 1),
        (lambda b: (b.x(1, [0]), b.t(1), b.x(1, [0])), 2),
        (lambda b: (b.x(1, [0]), b.h(0), b.h(1), b.x(0, [1])), 0),
        (lambda b: (b.x(1, [0]), b.x(0), b.z(1), b.x(1, [0])), 0),
        (lambda b: (b.x(1, [0]), b.x(0, [2]), b.x(1, [0])), 3),
    ],
)
def test_what_is_saved(build: object, left: int) -> None:
    b = CircuitBuilder(Register("x", 3))
    build(b)  # type: ignore[operator]
    circuit = b.build()
    operations, phase = simplify(circuit.operations, 3)
    after = Circuit(circuit.registers, tuple(operations), 0, phase)
    assert count(after).two_qubit_gates == left
    assert np.allclose(unitary_of(after), unitary_of(circuit), atol=1e-9)


def test_a_barrier_holds() -> None:
    b = CircuitBuilder(Register("x", 2))
    b.x(1, [0])
    b.barrier([1])
    b.x(1, [0])
    operations, _ = simplify(b.build().operations, 2)
    assert [isinstance(op, Barrier) for op in operations] == [False, True, False]


def test_turns_go_into_gaps() -> None:
    """A turn after a control takes no layer if its qubit has nothing to do before."""
    b = CircuitBuilder(Register("x", 3))
    b.t(0)
    b.x(1, [2])
    b.x(1, [2])
    b.x(1, [0])
    b.t(0)
    b.h(0)
    b.x(2, [0])
    operations, _ = write_in(b.build().operations, 3, ("rz", "sx", "x", "cx"))
    after = Circuit(b.build().registers, tuple(operations))
    assert count(after).depth == 6
    assert [str(op.gate) for op in operations if op.qubits == (0,)][-1] == "rz(1.5708)"  # type: ignore[union-attr]


def test_a_basis_that_lacks_a_gate() -> None:
    b = CircuitBuilder(Register("x", 1))
    b.rx(0.3, 0)
    with pytest.raises(UnsupportedError, match="basis"):
        write_in(b.build().operations, 1, ("h", "s", "t", "cx"))
