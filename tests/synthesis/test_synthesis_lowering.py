"""Lowering: random circuits equal their lowered form, phase included, ancillas given back."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthesis_truth import State, embedded, evolve, random_state

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Box, Circuit, Phases, Query, Register
from qmastermind.errors import UnsupportedError, UsageError
from qmastermind.resources import count
from qmastermind.synthesis import OBJECTIVES, Policy, lower, measured_t_count
from qmastermind.synthesis.rebase import rebase
from qmastermind.target import Target
from qmastermind.testing.strategies import circuits

BASES = [
    ("rz", "sx", "x", "cx"),
    ("rz", "sx", "x", "cz"),
    ("u", "cx"),
    ("rz", "sx", "x", "ecr"),
    ("rx", "rz", "rzz"),
]
CLIFFORD_T = ("h", "s", "sdg", "t", "tdg", "x", "z", "cx")
POLICIES = [Policy(), Policy.none(), Policy(1), Policy(2, borrow=False), Policy(5)]
SMALL = circuits(max_qubits=4, max_operations=3, ancillas=False)


def deviation(circuit: Circuit, lowered: Circuit, seed: int = 1) -> float:
    """The largest difference between both results, the circuit's ancillas and new ones in |0>.

    Borrowed qubits inside boxes are among the circuit's own, whose state is random and entangled.
    """
    n, m = circuit.num_qubits, lowered.num_qubits
    data = random_state(len(circuit.data), seed)
    start = embedded(data, circuit.data, n)
    wanted = embedded(evolve(circuit, start), range(n), m)
    found: State = evolve(lowered, embedded(start, range(n), m))
    return float(np.abs(found - wanted).max())


@given(
    circuits(max_qubits=5, max_operations=6, max_controls=4),
    st.sampled_from(BASES),
    st.sampled_from(POLICIES),
    st.sampled_from(OBJECTIVES),
)
@settings(max_examples=120, deadline=None)
def test_random_circuits(
    circuit: Circuit, basis: tuple[str, ...], policy: Policy, objective: str
) -> None:
    lowered = lower(circuit, basis, policy, objective)  # type: ignore[arg-type]
    assert deviation(circuit, lowered) < 1e-9
    assert Target(basis).permits(lowered)
    assert lowered.num_qubits - circuit.num_qubits <= policy.clean
    assert lowered.registers[: len(circuit.registers)] == circuit.registers
    assert all(r.ancilla for r in lowered.registers[len(circuit.registers) :])


@given(SMALL, SMALL, st.integers(0, 3), st.sampled_from(POLICIES))
@settings(max_examples=40, deadline=None)
def test_random_boxes(inner: Circuit, outer: Circuit, times: int, policy: Policy) -> None:
    b = CircuitBuilder(Register("x", max(inner.num_qubits, outer.num_qubits) + 2))
    b.append(inner, repetitions=times)
    b.append(outer)
    b.append(inner.inverse(), range(1, 1 + inner.num_qubits))
    b.append(inner, repetitions=2)
    circuit = b.build()
    lowered = lower(circuit, ancillas=policy)
    assert deviation(circuit, lowered) < 1e-9
    assert Target().permits(lowered)
    repeated = [op.repetitions for op in lowered.operations if isinstance(op, Box)]
    assert repeated.count(2) >= 1 + (times == 2)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_computed_and_undone_scratch(data: st.DataObject) -> None:
    """Flips onto ancillas, something diagonal, the flips undone: relaxed flips stay exact."""
    width, scratch = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 3))
    b = CircuitBuilder(Register("x", width), Register("scratch", scratch, ancilla=True))
    forward = CircuitBuilder(*b.build().registers)
    for target in range(width, width + scratch):
        size = data.draw(st.integers(1, target))
        controls = list(data.draw(st.permutations(range(target))))[:size]
        forward.x(target, controls, [data.draw(st.integers(0, 1)) for _ in controls])
        if data.draw(st.booleans()):
            forward.x(data.draw(st.integers(0, width - 1)))
    compute = forward.build()
    for op in compute.operations:
        b.add(op)
    b.z(width + scratch - 1, data.draw(st.sampled_from([[], [0], [width]])) if scratch > 1 else [])
    if data.draw(st.booleans()):
        b.p(0.4, 0, [width], [0])
    for op in compute.inverse().operations:
        b.add(op)
    circuit = b.build()
    policy = data.draw(st.sampled_from(POLICIES))
    lowered = lower(circuit, ancillas=policy)
    assert deviation(circuit, lowered, data.draw(st.integers(0, 99))) < 1e-9


def test_mirrored_toffolis_cost_three_cx() -> None:
    b = CircuitBuilder(Register("x", 4), Register("scratch", 2, ancilla=True))
    for step in (1, -1):
        for controls, target in ((([0, 1]), 4), ([2, 3], 5))[::step]:
            b.x(target, controls)
        if step == 1:
            b.z(4, [5])
    circuit = b.build()
    lowered = lower(circuit, ancillas=Policy.none())
    assert count(lowered).two_qubit_gates == 13
    assert deviation(circuit, lowered) < 1e-12


@given(st.integers(2, 8), st.integers(0, 3), st.booleans(), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_clifford_and_t(width: int, clean: int, borrow: bool, seed: int) -> None:
    """MCZ is exact in Clifford+T from four qubits on only with an ancilla of some kind."""
    rng = np.random.default_rng(seed)
    b = CircuitBuilder(Register("x", width + 1))
    b.z(width - 1, range(width - 1), rng.integers(0, 2, width - 1).tolist())
    circuit = b.build()
    if width > 3 and not clean and not borrow:
        with pytest.raises(UnsupportedError, match="ancillas"):
            lower(circuit, CLIFFORD_T, Policy.none())
        return
    lowered = lower(circuit, CLIFFORD_T, Policy(clean, borrow), "t_count")
    assert Target(CLIFFORD_T).permits(lowered)
    assert deviation(circuit, lowered, seed) < 1e-9
    if clean and width > 2:
        assert count(lowered).t_gates == (7 if width == 3 else 8 * width - 17)


def test_t_counts() -> None:
    for build, t_gates in (
        (lambda b: b.x(2, [0, 1]), 7),
        (lambda b: b.z(3, [0, 1, 2]), 15),
        (lambda b: b.s(1, [0]), 3),
        (lambda b: b.s(2, [0, 1]), 11),
        (lambda b: b.swap(1, 2, [0]), 7),
        (lambda b: b.h(1, [0]), 2),
    ):
        b = CircuitBuilder(Register("x", 4))
        build(b)
        lowered = lower(b.build(), CLIFFORD_T, Policy(3), "t_count")
        assert count(lowered).t_gates == t_gates
        assert deviation(b.build(), lowered) < 1e-9


def test_runs_of_fixed_gates_survive() -> None:
    b = CircuitBuilder(Register("x", 2))
    for name in "hththtth":
        getattr(b, name)(0)
    b.x(1, [0])
    circuit = b.build()
    assert deviation(circuit, lower(circuit, CLIFFORD_T)) < 1e-12


def test_what_a_basis_cannot_express() -> None:
    b = CircuitBuilder(Register("x", 2))
    b.p(0.3, 1, [0])
    with pytest.raises(UnsupportedError, match="basis"):
        lower(b.build(), CLIFFORD_T)
    wide = CircuitBuilder(Register("x", 7))
    wide.p(0.3, 6, range(6))
    with pytest.raises(UnsupportedError, match=r"P\(0\.3\), 6 controls.* rz and sx"):
        lower(wide.build(), CLIFFORD_T)
    with pytest.raises(UnsupportedError, match=r"P\(0\.3\), 6 controls.*add one of cx, cz, ecr"):
        lower(wide.build(), ("rz", "sx", "x"))


@pytest.mark.parametrize("controls", range(3))
def test_a_diagonal_over_no_qubit_is_a_phase_of_its_controls(controls: int) -> None:
    b = CircuitBuilder(Register("x", 2))
    b.h(0)
    b.x(1)
    b.diagonal(Phases(0, [0.7]), [], range(controls), [1, 0][:controls])
    assert deviation(b.build(), lower(b.build())) < 1e-12


def test_boxes_are_lowered_once_and_queries_kept() -> None:
    asked: list[tuple[str, int, int]] = []
    query = Query("match", lambda *told: asked.append(told))
    body = CircuitBuilder(Register("x", 6))
    body.z(5, range(5))
    b = CircuitBuilder(Register("x", 6))
    b.append(body.build(), query=query)
    b.append(body.build(), repetitions=7, query=query)
    circuit = b.build()
    lowered = lower(circuit, ancillas=Policy(2))
    assert lowered.query_uses() == {query: 8}
    assert len(lowered.operations) == 2
    assert deviation(circuit, lowered) < 1e-9
    assert count(lowered).ancillas == 2


def test_fences_stay_where_they_are() -> None:
    b = CircuitBuilder(Register("x", 3))
    b.x(2, [0, 1])
    b.barrier()
    b.x(2, [0, 1])
    b.measure([2])
    b.reset(0)
    b.h(0)
    lowered = lower(b.build(), ancillas=Policy.none())
    kinds = [type(op).__name__ for op in lowered.operations]
    assert kinds.index("Barrier") < kinds.index("Measure") < kinds.index("Reset")
    assert count(lowered).two_qubit_gates == 12
    assert lowered.num_bits == 1


def test_borrowed_qubits_of_a_box_come_from_around_it() -> None:
    body = CircuitBuilder(Register("x", 6))
    body.z(5, range(5))
    b = CircuitBuilder(Register("x", 8))
    b.h(7)
    b.x(6, [7])
    b.append(body.build(), repetitions=2)
    b.append(body.build(), [2, 3, 4, 5, 6, 7], repetitions=3)
    circuit = b.build()
    lowered = lower(circuit)
    assert lowered.num_qubits == 8
    assert count(lowered).two_qubit_gates == 1 + 5 * 28
    assert deviation(circuit, lowered) < 1e-9


def test_ancillas_of_the_circuit_are_used_while_they_are_zero() -> None:
    inner = CircuitBuilder(Register("x", 2), Register("scratch", 1, ancilla=True))
    inner.x(2, [0, 1])
    inner.h(2)
    inner.h(2)
    inner.x(2, [0, 1])
    b = CircuitBuilder(Register("x", 7))
    b.z(6, range(6))
    b.append(inner.build(), [0, 1])
    b.z(6, range(6))
    circuit = b.build()
    lowered = lower(circuit, ancillas=Policy.none())
    assert count(lowered).two_qubit_gates <= 2 * 30 + 12
    assert lowered.num_qubits == 8
    assert deviation(circuit, lowered) < 1e-9


def test_phases_merge_and_x_is_absorbed() -> None:
    b = CircuitBuilder(Register("x", 4))
    b.phase_on(0.8, range(4), [0, 1, 1, 0])
    b.phase_on(0.8, range(4), [1, 1, 1, 0])
    b.x(3)
    b.z(0, [1])
    b.x(3)
    b.phase_on(-0.8, [1, 2, 3], [1, 1, 0])
    b.z(0, [1])
    lowered = lower(b.build())
    assert count(lowered).two_qubit_gates == count(lowered).one_qubit_gates == 0


def test_commuting_diagonals_are_done_at_once() -> None:
    b = CircuitBuilder(Register("x", 8))
    for first, second in pairwise(range(8)):
        b.z(second, [first])
    lowered = lower(b.build(), ("rz", "sx", "x", "cz"))
    assert count(lowered).two_qubit_depth == 2


def test_dense_and_sparse_diagonals() -> None:
    rng = np.random.default_rng(5)
    for phases, most in (
        (Phases(6, rng.normal(size=64)), 62),
        (Phases(6, math.pi, [13]), 54),
        (Phases(6, math.pi * (rng.random(64) < 0.5)), 62),
        (Phases.from_function(6, lambda i: 0.3 * (i & 1) + 0.2 * (i >> 5 & i >> 3 & 1)), 2),
    ):
        b = CircuitBuilder(Register("x", 6))
        b.diagonal(phases, range(6))
        lowered = lower(b.build(), ancillas=Policy.none())
        assert count(lowered).two_qubit_gates <= most
        assert deviation(b.build(), lowered) < 1e-9


@given(st.integers(2, 5), st.data())
@settings(max_examples=150, deadline=None)
def test_diagonals_keep_their_phase(width: int, data: st.DataObject) -> None:
    """Also that of all states alike, which counts once the circuit is controlled."""
    states = data.draw(st.sets(st.integers(0, 2**width - 1), min_size=1))
    angle = data.draw(st.sampled_from([math.pi, 0.7]))
    b = CircuitBuilder(Register("x", width))
    b.diagonal(Phases(width, angle, sorted(states)), range(width))
    circuit = b.build()
    lowered = lower(circuit, data.draw(st.sampled_from(BASES)), Policy.none())
    assert deviation(circuit, lowered) < 1e-9
    assert deviation(circuit.controlled(), lowered.controlled()) < 1e-9


def test_explanation_lists_what_there_was() -> None:
    b = CircuitBuilder(Register("x", 12))
    b.z(11, range(11))
    lowered, explanation = lower(b.build(), ancillas=Policy(3), explain=True)
    (choice,) = explanation.choices
    assert choice.uses == 1
    assert choice.chosen.two_qubit_gates == count(lowered).two_qubit_gates == 60
    names = {c.name for c in choice.candidates()}
    assert {"conditionally clean", "increments of 9 qubits"} <= names
    assert choice.chosen in choice.candidates()
    text = str(explanation)
    assert "* conditionally clean [3 clean, 0 borrowed]: 60 two-qubit gates" in text


def test_spare_qubits_of_a_target() -> None:
    b = CircuitBuilder(Register("x", 6))
    b.z(5, range(5))
    target = Target.line(9)
    assert lower(b.build(), ancillas=Policy(spare=True), target=target).num_qubits <= 9
    assert count(lower(b.build(), ancillas=Policy(1, spare=True), target=target)).ancillas == 1
    assert count(lower(b.build(), ancillas=Policy(2), target=Target.line(7))).ancillas == 1
    with pytest.raises(UsageError, match="only 5"):
        lower(b.build(), target=Target.line(5))
    with pytest.raises(UsageError, match="target"):
        lower(b.build(), ancillas=Policy(spare=True))


def test_bad_settings() -> None:
    circuit = CircuitBuilder(Register("x", 1)).build()
    with pytest.raises(UsageError, match="objective"):
        lower(circuit, objective="speed")  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="-1"):
        Policy(-1)
    with pytest.raises(UsageError, match=r"clean ancillas must be a whole number, not 1\.5"):
        Policy(clean=1.5)  # type: ignore[arg-type]
    for way in (lower, rebase):
        with pytest.raises(UsageError, match="collection of gate names, not the text 'cx'"):
            way(circuit, "cx")
        with pytest.raises(UsageError, match="unknown basis gate 'foo'"):
            way(circuit, ("foo", "cx"))


@given(st.integers(4, 6), st.integers(0, 6), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_inner_ands_are_held_until_they_are_undone(controls: int, clean: int, seed: int) -> None:
    """With ancillas to spare, a flip and its undoing share their inner ANDs."""
    rng = np.random.default_rng(seed)
    b = CircuitBuilder(Register("x", controls), Register("scratch", 1, ancilla=True))
    values = rng.integers(0, 2, controls).tolist()
    b.x(controls, range(controls), values)
    b.z(0, [controls])
    b.z(controls, [1, 2, 3])
    b.x(controls, range(controls), values)
    circuit = b.build()
    lowered, explanation = lower(circuit, ancillas=Policy(clean, borrow=False), explain=True)
    assert deviation(circuit, lowered, seed) < 1e-9
    assert explanation.held == (clean >= controls)
    if explanation.held:
        inner = 1 + (12 if clean else 14)
        assert count(lowered).two_qubit_gates <= 2 * (3 * controls - 3) + inner
        assert "1 flips kept" in str(explanation)


def test_measured_t_count() -> None:
    """4 (n - 1) for Z under n controls; a flip and its undoing count once."""
    b = CircuitBuilder(Register("x", 6), Register("scratch", 1, ancilla=True))
    b.z(5, range(5))
    assert measured_t_count(b.build()) == 16
    b.x(6, [0, 1, 2])
    b.s(6, [3])
    b.x(6, [0, 1, 2])
    assert measured_t_count(b.build()) == 16 + 8 + 3
    b.t(0)
    b.rz(math.pi / 2, 1, [0])
    b.diagonal(Phases(3, math.pi, [7]), [0, 1, 2])
    circuit = b.build()
    assert measured_t_count(circuit) == 27 + 1 + 2 + 4
    assert measured_t_count(circuit.power(3)) == 3 * 34
    b.p(0.3, 0)
    with pytest.raises(UnsupportedError, match=r"Clifford|written"):
        measured_t_count(b.build())
