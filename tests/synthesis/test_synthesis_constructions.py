"""Each construction against its definition, ancillas given back, cost formulas equal to counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthesis_truth import State, embedded, evolve, random_state, unitary_of

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import CircuitError, UnsupportedError
from qmastermind.resources import count
from qmastermind.synthesis import ancilla_free
from qmastermind.synthesis.borrowed import (
    borrowed_z,
    borrowed_z_cost,
    toggle,
    toggle_cost,
)
from qmastermind.synthesis.conjunction import Plan, combine, plan
from qmastermind.synthesis.constructions import Task, candidates, construct
from qmastermind.synthesis.phases import all_ones_turns, parity_angles, parity_turns, walsh
from qmastermind.synthesis.toffoli import (
    ccp,
    cp,
    imaginary_ccz,
    relative_c3x,
    relative_ccx,
    turn,
)

BASIS = frozenset({"rz", "sx", "x", "cx"})
CLIFFORD_T = frozenset({"h", "s", "sdg", "t", "tdg", "x", "z", "cx"})


def built(size: int, build: Callable[[CircuitBuilder], None]) -> Circuit:
    b = CircuitBuilder(Register("x", size))
    build(b)
    return b.build()


def cx(circuit: Circuit) -> int:
    return count(circuit).two_qubit_gates


def permutation_of(circuit: Circuit) -> list[int]:
    """Where each basis state goes, of a circuit that permutes them up to phases."""
    magnitudes = np.abs(unitary_of(circuit))
    assert np.allclose(np.sort(magnitudes, axis=0)[-1], 1)
    return [int(i) for i in magnitudes.argmax(axis=0)]


def flipped_if(index: int, size: int, controls: Sequence[int], target: int) -> int:
    holds = all(index >> (size - 1 - q) & 1 for q in controls)
    return index ^ (1 << (size - 1 - target)) if holds else index


def phase_on_ones(state: State, qubits: int, angle: float) -> State:
    """The state with exp(i angle) where the first ``qubits`` qubits are all 1."""
    result = state.reshape(2**qubits, -1).copy()
    result[-1] *= np.exp(1j * angle)
    return result.reshape(-1)


@pytest.mark.parametrize("controls", range(8))
def test_relative_x(controls: int) -> None:
    size = controls + 1
    circuit = built(size, lambda b: ancilla_free.relative_x(b, range(controls), controls))
    wanted = [flipped_if(i, size, range(controls), controls) for i in range(2**size)]
    assert permutation_of(circuit) == wanted
    assert cx(circuit) == ancilla_free.relative_x_cost(controls)


def test_toffoli_blocks() -> None:
    three = built(3, lambda b: relative_ccx(b, 0, 1, 2))
    assert permutation_of(three) == [flipped_if(i, 3, (0, 1), 2) for i in range(8)]
    assert np.allclose(unitary_of(three) @ unitary_of(three), np.eye(8))
    four = built(4, lambda b: relative_c3x(b, 0, 1, 2, 3))
    back = built(4, lambda b: relative_c3x(b, 0, 1, 2, 3, inverse=True))
    assert permutation_of(four) == [flipped_if(i, 4, (0, 1, 2), 3) for i in range(16)]
    assert np.allclose(unitary_of(back) @ unitary_of(four), np.eye(16))
    for inverse, sign in ((False, 1), (True, -1)):
        signed = built(3, lambda b, way=inverse: imaginary_ccz(b, 0, 1, 2, inverse=way))
        assert np.allclose(unitary_of(signed), np.diag([1] * 6 + [1j * sign, -1j * sign]))
    assert [cx(c) for c in (three, four, signed)] == [3, 6, 4]
    assert [count(c).t_gates for c in (three, four, signed)] == [4, 8, 4]


@pytest.mark.parametrize("angle", [math.pi, 0.7, -math.pi / 4])
def test_small_phases(angle: float) -> None:
    for size, build, most in (
        (1, lambda b: turn(b, angle, 0), 0),
        (2, lambda b: cp(b, angle, 0, 1), 2),
        (3, lambda b: ccp(b, angle, 0, 1, 2), 6),
        (4, lambda b: all_ones_turns(b, angle, range(4)), 14),
        (5, lambda b: all_ones_turns(b, angle, range(5)), 30),
    ):
        circuit = built(size, build)
        diagonal = np.ones(2**size, dtype=complex)
        diagonal[-1] = np.exp(1j * angle)
        assert np.allclose(unitary_of(circuit), np.diag(diagonal))
        assert cx(circuit) <= most
    assert count(built(3, lambda b: ccp(b, math.pi, 0, 1, 2))).t_gates == 7


@pytest.mark.parametrize("controls", range(8))
def test_controlled_rz(controls: int) -> None:
    size = controls + 1
    circuit = built(size, lambda b: ancilla_free.controlled_rz(b, 0.7, range(controls), controls))
    diagonal = np.ones(2**size, dtype=complex)
    diagonal[-2:] = np.exp([-0.35j, 0.35j])
    assert np.allclose(unitary_of(circuit), np.diag(diagonal))
    assert cx(circuit) == ancilla_free.rotation_cost(controls)


@pytest.mark.parametrize(("bits", "clean"), [(n, c) for n in range(1, 7) for c in range(4)])
def test_increment(bits: int, clean: int) -> None:
    size = bits + clean
    circuit = built(size, lambda b: ancilla_free.increment(b, range(bits), range(bits, size)))
    moved = permutation_of(circuit)

    def little_endian(value: int) -> int:
        return int(format(value, f"0{bits}b")[::-1], 2) << clean

    for value in range(2**bits):
        assert moved[little_endian(value)] == little_endian((value + 1) % 2**bits)
    assert cx(circuit) == ancilla_free.increment_cost(bits, clean)
    if clean >= bits - 2 and bits > 1:
        assert cx(circuit) <= 7 * bits - 13
    if not clean and bits > 2:
        assert cx(circuit) == 3 * bits**2 - 15 * bits + 22


@pytest.mark.parametrize("bits", range(1, 11))
def test_the_blocks_of_an_increment_cost_least(bits: int) -> None:
    """Against every choice of at most so many places to keep a carry, each counted in gates."""
    flip = ancilla_free.relative_x_cost

    def cost(ends: tuple[int, ...]) -> int:
        blocks = [*pairwise((0, *ends, bits))]
        carries = sum(2 * flip(stop - start + (start > 0)) for start, stop in blocks[:-1])
        flips = sum(flip(i + (start > 0)) for start, stop in blocks for i in range(stop - start))
        return carries + flips

    for clean in range(bits + 2):
        least = min(
            cost(ends) for n in range(clean + 1) for ends in combinations(range(2, bits), n)
        )
        assert ancilla_free.increment_cost(bits, clean) == least


def test_three_hundred_qubits_without_an_ancilla() -> None:
    """The tables of costs are shared by all widths, and the circuit is linear in the width."""
    figures = {}
    for qubits in (75, 150, 300):
        circuit = built(qubits, lambda b, n=qubits: ancilla_free.phase(b, 0.9, range(n)))
        figures[qubits] = cx(circuit)
        assert figures[qubits] == ancilla_free.phase_cost(qubits) < 36 * qubits
    assert figures[300] - figures[150] < 2.1 * (figures[150] - figures[75])


@pytest.mark.parametrize("qubits", range(1, 15))
def test_ancilla_free_phase(qubits: int) -> None:
    circuit = built(qubits, lambda b: ancilla_free.phase(b, 0.9, range(qubits)))
    start = random_state(qubits, qubits)
    assert np.allclose(evolve(circuit, start), phase_on_ones(start, qubits, 0.9), atol=1e-10)
    assert cx(circuit) == ancilla_free.phase_cost(qubits)


def test_ancilla_free_phase_for_any_group() -> None:
    start = random_state(8, 3)
    for group in range(2, 8):
        circuit = built(8, lambda b, g=group: ancilla_free.phase(b, -1.3, range(8), g))
        assert np.allclose(evolve(circuit, start), phase_on_ones(start, 8, -1.3), atol=1e-10)


@pytest.mark.parametrize(("controls", "lent"), [(k, s) for k in range(1, 9) for s in range(1, 5)])
def test_toggle(controls: int, lent: int) -> None:
    """Around a Z of the target it makes the sign of its change; its inverse restores the rest."""
    if controls > 3 and 2 * lent < controls - 3:
        with pytest.raises(ValueError, match="unpack"):
            built(20, lambda b: toggle(b, range(controls), controls, range(9, 9 + lent)))
        return
    size = controls + 1 + lent
    if size > 9:
        return
    circuit = built(size, lambda b: toggle(b, range(controls), controls, range(controls + 1, size)))
    assert cx(circuit) == toggle_cost(controls)
    moved = permutation_of(circuit)
    kept = (1 << lent + 1) - (1 << lent) + ((1 << controls) - 1 << lent + 1)
    for index in range(2**size):
        wanted = flipped_if(index, size, range(controls), controls)
        assert moved[index] & kept == wanted & kept


@pytest.mark.parametrize(("qubits", "lent"), [(w, s) for w in range(4, 11) for s in range(1, 6)])
def test_borrowed_z(qubits: int, lent: int) -> None:
    """The borrowed qubits are in a random state, entangled with the others, and get it back."""
    size = qubits + lent
    circuit = built(size, lambda b: borrowed_z(b, range(qubits), range(qubits, size)))
    start = random_state(size, qubits)
    assert np.allclose(evolve(circuit, start), phase_on_ones(start, qubits, math.pi), atol=1e-10)
    assert cx(circuit) == borrowed_z_cost(qubits, lent)
    if lent == 1:
        assert cx(circuit) == (12 * qubits - 40 if qubits > 4 else 14)
    if 2 * lent >= qubits - 3 and qubits > 5:
        assert cx(circuit) == 8 * qubits - 20


def simulate(steps: Plan, literals: int, clean: int, ones: int, bits: Sequence[int]) -> list[int]:
    wires = [*bits, *[0] * clean, *[1] * ones]
    for step in steps.steps:
        wires[step.target] ^= step.holds_one
        wires[step.target] ^= wires[step.first] & wires[step.second]
    return wires


@given(
    st.integers(2, 16),
    st.sampled_from([(1, 0), (2, 0), (3, 0), (9, 0), (0, 2), (0, 3), (1, 2)]),
    st.integers(1, 3),
    st.booleans(),
    st.data(),
)
@settings(max_examples=100, deadline=None)
def test_plans(
    literals: int, ancillas: tuple[int, int], final: int, keep: bool, data: st.DataObject
) -> None:
    """What is left is 1 exactly if all literals are, also where conditions do not hold."""
    clean, ones = ancillas
    if keep and (clean or final == 1):
        return
    if final == 1 and sum(ancillas) < 2 and literals > 2:
        return
    steps = plan(literals, clean, ones, final, keep)
    assert len(steps.steps) == max(0, literals - final)
    assert len(steps.literals) == min(literals, final)
    assert not keep or 0 in steps.literals
    some = data.draw(st.lists(st.sampled_from([0, 1, 1, 1]), min_size=literals, max_size=literals))
    for bits in (some, [1] * literals):
        wires = simulate(steps, literals, clean, ones, bits)
        assert all(bits) == all(wires[q] for q in steps.literals)


def test_wide_plans_and_none_at_all() -> None:
    for literals, clean in ((45, 1), (60, 2), (60, 57)):
        steps = plan(literals, clean)
        for bits in ([1] * literals, [1] * (literals - 1) + [0], [0] + [1] * (literals - 1)):
            wires = simulate(steps, literals, clean, 0, bits)
            assert all(bits) == all(wires[q] for q in steps.literals)
    with pytest.raises(CircuitError, match="ancilla"):
        plan(5, 0)


@pytest.mark.parametrize("clean", [1, 2, 5])
def test_combine_is_undone(clean: int) -> None:
    size = 7 + clean
    steps = plan(7, clean)
    assert cx(built(size, lambda b: combine(b, steps, range(size)))) == 3 * 4

    def build(b: CircuitBuilder) -> None:
        combine(b, steps, range(size))
        combine(b, steps, range(size), inverse=True)

    start = random_state(size, 2)
    assert np.allclose(evolve(built(size, build), start), start)


TASKS = [
    *(Task("phase", n, a) for n in range(1, 8) for a in (math.pi, math.pi / 2, 0.3)),
    *(Task("flip", n) for n in range(2, 8)),
    *(Task("rotation", n, a) for n in range(1, 8) for a in (math.pi / 2, 0.3)),
]


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_every_candidate(task: Task) -> None:
    """On random states with clean ancillas in |0> and borrowed ones entangled with the data."""
    for candidate in candidates(task, BASIS, 4, 3, all_of_them=True):
        circuit = construct(task, candidate)
        size = task.qubits + candidate.clean + candidate.borrowed
        assert circuit.num_qubits == size
        others = [q for q in range(size) if q not in circuit.ancillas]
        if task.kind == "flip":
            inputs = np.arange(2**task.qubits)
            columns = np.zeros((2**size, len(inputs)), dtype=complex)
            columns[inputs << candidate.clean, inputs] = 1
            found = np.abs(evolve(circuit, columns))
            outputs = np.where(inputs >> 1 == inputs[-1] >> 1, inputs ^ 1, inputs)
            assert np.allclose(found[outputs << candidate.clean, inputs], 1)
            continue
        state = random_state(len(others), 4)
        wanted_state = phase_on_ones(state, task.qubits, task.angle)
        if task.kind == "rotation":
            wanted_state = phase_on_ones(state, task.qubits, task.angle)
            if task.qubits == 1:
                wanted_state = wanted_state * np.exp(-0.5j * task.angle)
            else:
                wanted_state = phase_on_ones(wanted_state, task.qubits - 1, -task.angle / 2)
        found = evolve(circuit, embedded(state, others, size))
        assert np.allclose(found, embedded(wanted_state, others, size), atol=1e-10)


def test_no_candidate() -> None:
    with pytest.raises(UnsupportedError, match="3 controls"):
        candidates(Task("phase", 4, math.pi), CLIFFORD_T, 0, 0)


def test_parities() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=32)
    signs = np.array([[(-1) ** (i & s).bit_count() for i in range(32)] for s in range(32)])
    assert np.allclose(walsh(table), signs @ table / 32)
    constant, angles = parity_angles(table)
    again = [
        constant + sum(a for s, a in angles.items() if (i & s).bit_count() % 2) for i in range(32)
    ]
    assert np.allclose(again, table)
    circuit = built(5, lambda b: parity_turns(b, angles, range(5)))
    assert np.allclose(unitary_of(circuit), np.diag(np.exp(1j * (table - constant))), atol=1e-12)
    assert cx(circuit) == 30
    few = built(5, lambda b: parity_turns(b, {0b10001: 0.2, 0b00110: 0.3}, range(5)))
    assert cx(few) == 4
