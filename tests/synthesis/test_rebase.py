"""Rewriting in another basis keeps the unitary, its phase, the pairs and the fences."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Barrier, Circuit, Measure, Phases, Register, Reset
from qmastermind.errors import UnsupportedError
from qmastermind.gates import GATES, Gate
from qmastermind.resources import count
from qmastermind.simulator import unitary
from qmastermind.synthesis.rebase import rebase
from qmastermind.target import Target
from qmastermind.testing.strategies import angles, circuits, gates, phases

BASES = (
    ("rz", "sx", "x", "cx"),
    ("rz", "sx", "x", "cz"),
    ("u", "cx"),
    ("rz", "ry", "cz"),
    ("rz", "sx", "ecr"),
    ("rz", "rx", "rzz"),
    ("p", "h", "cp"),
    ("u", "cx", "cz", "rzz", "swap"),
)
ONE = [name for name, kind in GATES.items() if kind.num_qubits == 1]
TWO = [name for name, kind in GATES.items() if kind.num_qubits == 2]


def two_qubit_circuits() -> st.SearchStrategy[Circuit]:
    @st.composite
    def draw_circuit(draw: st.DrawFn) -> Circuit:
        plain = draw(
            circuits(min_qubits=2, max_qubits=3, gate_names=ONE, max_controls=1, diagonals=False,
                     ancillas=False)
        )  # fmt: skip
        builder = CircuitBuilder(Register("q", plain.num_qubits))
        builder.append(plain)
        for gate in draw(st.lists(gates(TWO), max_size=4)):
            order = draw(st.permutations(range(plain.num_qubits)))
            builder.gate(gate, order[:2])
            builder.gate(draw(gates(ONE)), order[:1])
            builder.diagonal(draw(phases(2)), order[:2])
            builder.diagonal(draw(phases(1)), order[:1], order[1:2], [draw(st.integers(0, 1))])
            builder.diagonal(draw(phases(1)), order[1:2])
        return builder.build()

    return draw_circuit()


@pytest.mark.parametrize("basis", BASES, ids="-".join)
@given(circuit=two_qubit_circuits())
def test_unitary_and_phase_are_kept(basis: tuple[str, ...], circuit: Circuit) -> None:
    result = rebase(circuit, basis)
    target = Target(basis)
    assert list(target.violations(result)) == []
    np.testing.assert_allclose(unitary(result), unitary(circuit), atol=1e-9)


@pytest.mark.parametrize("basis", BASES, ids="-".join)
def test_gates_of_a_pair_stay_on_the_pair(basis: tuple[str, ...]) -> None:
    b = CircuitBuilder(Register("q", 4))
    for first, second in ((0, 1), (2, 1), (2, 3)):
        b.gate(Gate("ecr"), (first, second))
        b.gate(Gate("u", (0.3, 0.2, 0.1)), (first,), (second,), (0,))
        b.swap(first, second)
    result = rebase(b.build(), basis)
    assert Target.line(4, basis).permits(result)


@pytest.mark.parametrize(
    ("name", "basis", "expected"),
    [
        ("x", ("rz", "sx", "x", "cz"), 1),
        ("z", ("rz", "sx", "x", "cx"), 1),
        ("y", ("u", "cz"), 1),
        ("h", ("u", "cx"), 1),
        ("s", ("u", "cx"), 2),
        ("x", ("rz", "sx", "ecr"), 1),
        ("x", ("rz", "rx", "rzz"), 1),
    ],
)
def test_controlled_gates_cost_what_they_must(
    name: str, basis: tuple[str, ...], expected: int
) -> None:
    b = CircuitBuilder(Register("q", 2))
    b.gate(Gate(name), (1,), (0,))
    assert count(rebase(b.build(), basis)).two_qubit_gates == expected


@given(quarter=st.integers(-9, 9), angle=angles())
def test_special_rzz_are_cheap(quarter: int, angle: float) -> None:
    for value, cost in ((quarter * math.pi / 2, quarter % 2), (angle, 2)):
        b = CircuitBuilder(Register("q", 2))
        b.gate(Gate("rzz", (value,)), (0, 1))
        result = rebase(b.build(), ("u", "cx"))
        assert count(result).two_qubit_gates <= cost
        np.testing.assert_allclose(unitary(result), unitary(b.build()), atol=1e-9)


def test_fences_measurements_and_resets_hold_their_place() -> None:
    b = CircuitBuilder(Register("q", 2))
    b.h(0)
    b.barrier([0, 1])
    b.h(0)
    b.measure([0])
    b.h(0)
    b.reset(0)
    b.h(0)
    result = rebase(b.build(), ("u", "cx"))
    kinds = [type(op) for op in result.operations if isinstance(op, Barrier | Measure | Reset)]
    assert kinds == [Barrier, Measure, Reset]
    assert count(result).one_qubit_gates == 4
    assert result.num_bits == 1


def test_short_runs_in_the_basis_stay() -> None:
    b = CircuitBuilder(Register("q", 1))
    b.t(0)
    b.h(0)
    assert rebase(b.build(), ("h", "s", "t", "rz", "sx", "cx")).operations == b.build().operations


def test_fixed_gates_survive_where_their_product_has_no_short_form() -> None:
    b = CircuitBuilder(Register("q", 2))
    for _ in range(3):
        b.h(0)
        b.t(0)
        b.sx(1)
        b.tdg(1)
    b.z(1, [0])
    result = rebase(b.build(), ("h", "s", "t", "cx"))
    assert Target(("h", "s", "t", "cx")).permits(result)
    np.testing.assert_allclose(unitary(result), unitary(b.build()), atol=1e-12)


def test_gates_that_cannot_be_written_are_refused() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.x(2, [0, 1])
    with pytest.raises(UnsupportedError, match="3 qubits"):
        rebase(b.build(), ("u", "cx"))
    assert rebase(b.build(), ("u", "ccx")).operations == b.build().operations
    b = CircuitBuilder(Register("q", 2))
    b.z(1, [0])
    with pytest.raises(UnsupportedError, match="no two-qubit gate"):
        rebase(b.build(), ("u",))
    b = CircuitBuilder(Register("q", 2))
    b.diagonal(Phases(2, [0.1, 0.2, 0.3, 0.4]), (0, 1))
    with pytest.raises(UnsupportedError, match="cannot be written exactly"):
        rebase(b.build(), ("h", "s", "t", "cx"))
