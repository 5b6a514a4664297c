"""Distributions, counts, and measurements and resets before the end.

Every chi-squared test has a fixed seed and fails a correct simulator once in 10,000 such tests.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Measure, Register
from qmastermind.errors import UnsupportedError
from qmastermind.simulator import StatevectorBackend
from qmastermind.simulator.measurement import measured_groups
from qmastermind.testing import strategies
from qmastermind.testing.reference import distribution as reference_distribution
from qmastermind.testing.statistics import chi_squared_p_value

BACKEND = StatevectorBackend()
FALSE_ALARM = 1e-4


def exact(circuit: Circuit):
    return BACKEND.probabilities(circuit).array()


@given(circuit=strategies.circuits(max_qubits=4, measured=True))
@settings(max_examples=60)
def test_exact_distribution(circuit):
    assert np.allclose(exact(circuit), reference_distribution(circuit), atol=1e-12)


@given(circuit=strategies.circuits(max_qubits=4, measured=True, dynamic=True))
@settings(max_examples=60)
def test_exact_distribution_with_measurements_before_the_end(circuit):
    assert np.allclose(exact(circuit), reference_distribution(circuit), atol=1e-12)


def dynamic_circuit() -> Circuit:
    """Two groups: entangled pairs measured, reset and used again; seven bits, one left at 0."""
    b = CircuitBuilder(Register("q", 4))
    for first, second in ((0, 2), (3, 1)):
        b.ry(0.9 + first, first)
        b.x(second, [first])
        b.h(second)
        b.measure([first])
        b.reset(second)
        b.ry(1.1, second, [first])
        b.h(first)
        b.measure([second, first])
    b.add(Measure(3, 7))
    return b.build()


def test_sampled_trajectories_follow_the_exact_distribution():
    circuit = dynamic_circuit()
    expected = reference_distribution(circuit)
    assert np.allclose(exact(circuit), expected, atol=1e-12)
    result = BACKEND.run(circuit, shots=20_000, seed=5)
    assert result.counts.shots == 20_000
    assert result.distribution is None
    assert chi_squared_p_value(result.counts, expected) > FALSE_ALARM


def test_sampled_final_measurements_follow_the_exact_distribution():
    b = CircuitBuilder(Register("q", 7))
    for q in range(7):
        b.ry(0.4 + 0.3 * q, q)
    for q in (0, 2, 4):
        b.sx(q + 1, [q])
    result = BACKEND.run(b.build().measured([5, 0, 1, 2, 6]), shots=20_000, seed=8)
    expected = reference_distribution(b.build().measured([5, 0, 1, 2, 6]))
    assert np.allclose(result.distribution.array(), expected, atol=1e-13)
    assert len(result.distribution.factors) == 4
    assert chi_squared_p_value(result.counts, expected) > FALSE_ALARM


def test_the_chi_squared_test_sees_a_wrong_distribution():
    circuit = dynamic_circuit()
    counts = BACKEND.run(circuit, shots=20_000, seed=5).counts
    wrong = np.roll(reference_distribution(circuit), 2)
    assert chi_squared_p_value(counts, wrong) < FALSE_ALARM


@pytest.mark.parametrize("circuit", [dynamic_circuit(), Circuit((Register("q", 3),)).measured()])
def test_seeds_repeat(circuit):
    runs = [BACKEND.run(circuit, shots=500, seed=seed).counts for seed in (3, 3, 4)]
    assert runs[0] == runs[1]
    assert (runs[0] == runs[2]) == (len(runs[0]) == 1)


def test_a_measured_qubit_keeps_its_value():
    b = CircuitBuilder(Register("q", 2))
    b.h(0)
    b.measure([0])
    b.x(1, [0])
    b.measure([0, 1])
    counts = BACKEND.run(b.build(), shots=4000, seed=2).counts
    assert set(counts) == {"000", "111"}
    assert abs(counts["000"] - 2000) < 4 * math.sqrt(1000)


def test_reset_of_an_entangled_qubit_leaves_the_other_one_mixed():
    b = CircuitBuilder(Register("q", 2))
    b.h(0)
    b.x(1, [0])
    b.reset(0)
    b.h(1)
    b.measure([0, 1])
    assert exact(b.build()) == pytest.approx([0.5, 0.5, 0, 0])


def test_a_bit_holds_the_last_outcome_written_to_it():
    """The first measurement still collapses its qubit, and joins no groups through the bit."""
    b = CircuitBuilder(Register("q", 3))
    b.h(0)
    b.add(Measure(0, 0))
    b.h(0)
    b.x(1)
    b.add(Measure(1, 0))
    b.add(Measure(0, 1))
    b.add(Measure(2, 1))
    b.add(Measure(0, 2))
    circuit = b.build()
    assert exact(circuit) == pytest.approx(reference_distribution(circuit))
    assert exact(circuit) == pytest.approx([0, 0, 0, 0, 0.5, 0.5, 0, 0])
    assert set(BACKEND.run(circuit, shots=100, seed=0).counts) == {"100", "101"}


def test_bits_that_nothing_is_measured_into_are_0():
    b = CircuitBuilder(Register("q", 1))
    b.x(0)
    b.add(Measure(0, 2))
    result = BACKEND.run(b.build(), shots=10, seed=0)
    assert result.counts == {"001": 10}
    assert result.distribution.probability("001") == 1


def test_shots_of_different_groups_are_independent():
    """Two coins that are tossed in the middle: all four pairs equally often."""
    b = CircuitBuilder(Register("q", 2))
    for q in (0, 1):
        b.h(q)
        b.measure([q])
        b.h(q)
    counts = BACKEND.run(b.build(), shots=10_000, seed=11).counts
    assert chi_squared_p_value(counts, np.full(4, 0.25)) > FALSE_ALARM


def test_unmeasured_groups_are_not_simulated():
    b = CircuitBuilder(Register("q", 60))
    for q in range(1, 59):
        b.h(q)
        b.x(q + 1, [q])
    b.h(0)
    circuit = b.build().measured([0])
    assert [group.qubits for group in measured_groups(circuit)] == [(0,)]
    assert BACKEND.probabilities(circuit).array() == pytest.approx([0.5, 0.5])


def test_too_many_outcomes_for_exact_probabilities_can_still_be_run():
    b = CircuitBuilder(Register("q", 1))
    for _ in range(15):
        b.h(0)
        b.measure([0])
    b.h(0)
    with pytest.raises(UnsupportedError, match="run the circuit with shots"):
        BACKEND.probabilities(b.build())
    many = CircuitBuilder(Register("q", 1))
    many.h(0)
    for _ in range(60):
        many.measure([0])
    with pytest.raises(UnsupportedError, match="run the circuit with shots"):
        BACKEND.probabilities(many.build())
    assert set(BACKEND.run(many.build(), shots=40, seed=1).counts) == {"0" * 60, "1" * 60}
    counts = BACKEND.run(b.build(), shots=400, seed=1).counts
    assert counts.shots == 400
    ones = sum(bits.count("1") * number for bits, number in counts.items())
    assert abs(ones - 3000) < 4 * math.sqrt(1500)
