"""State preparation against the amplitudes that it promises, by plain numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthesis_truth import state_of

from qmastermind.errors import TooLargeError, UsageError
from qmastermind.resources import count
from qmastermind.synthesis.preparation import real_state, uniform

SIZES = [(k, b) for b in range(1, 6) for k in range(1, 2**b + 1)]


@pytest.mark.parametrize(("k", "bits"), SIZES)
def test_uniform_is_exact_and_costs_what_it_says(k: int, bits: int) -> None:
    circuit = uniform(k, bits)
    wanted = np.zeros(2**bits)
    wanted[:k] = 1 / math.sqrt(k)
    assert np.allclose(state_of(circuit), wanted, atol=1e-12)
    m = k // (k & -k)
    cost = m.bit_length() + m.bit_count() - 3 if m > 1 else 0
    assert count(circuit).two_qubit_gates == cost
    assert circuit.ancillas == ()


@pytest.mark.parametrize(("k", "bits"), [(k, b) for k, b in SIZES if k < 2**b])
@pytest.mark.parametrize("weight", [1e-3, 0.427051, 1.0])
def test_uniform_with_blanks(k: int, bits: int, weight: float) -> None:
    circuit = uniform(k, bits, weight)
    wanted = np.full(2**bits, math.sqrt(weight / (2**bits - k)))
    wanted[:k] = math.sqrt((1 - weight) / k)
    assert np.allclose(state_of(circuit), wanted, atol=1e-9)
    free = (k & -k).bit_length() - 1
    assert count(circuit).two_qubit_gates <= max(2 * (bits - free) - 3, bits - free > 1)


def test_six_of_eight_is_one_cx() -> None:
    assert count(uniform(6, 3)).two_qubit_gates == 1
    assert count(uniform(6, 3, 1 - 6 * math.sin(math.pi / 10) ** 2)).two_qubit_gates == 1


def test_wide_uniform_needs_no_table() -> None:
    circuit = uniform(2**40 - 1, 40)
    assert count(circuit).two_qubit_gates == 77


@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=80, deadline=None)
def test_real_states(bits: int, seed: int, sparse: bool) -> None:
    rng = np.random.default_rng(seed)
    vector = rng.normal(size=2**bits)
    if sparse:
        vector *= rng.random(2**bits) < 0.4
        vector[rng.integers(2**bits)] = 1.0
    vector /= np.linalg.norm(vector)
    circuit = real_state(vector)
    assert np.allclose(state_of(circuit), vector, atol=1e-9)
    at_most = {1: 0, 2: 1, 3: 3, 4: 11, 5: 27}
    assert count(circuit).two_qubit_gates <= at_most[bits]


@pytest.mark.parametrize("angle", [0.0, 0.3, math.pi / 2, 2.5])
def test_products_and_ghz_like_states_are_cheap(angle: float) -> None:
    one = np.array([math.cos(angle), math.sin(angle)])
    product = np.kron(np.kron(one, [0.6, -0.8]), one)
    assert np.allclose(state_of(real_state(product)), product, atol=1e-10)
    ghz = np.zeros(16)
    ghz[[0, -1]] = one
    circuit = real_state(ghz)
    assert np.allclose(state_of(circuit), ghz, atol=1e-10)
    assert count(circuit).two_qubit_gates <= 3


@pytest.mark.parametrize(
    ("k", "bits", "weight"), [(0, 2, 0.0), (5, 2, 0.0), (4, 2, 0.5), (3, 2, -0.1), (3, 2, 1.5)]
)
def test_uniform_refuses(k: int, bits: int, weight: float) -> None:
    with pytest.raises(UsageError, match="expected"):
        uniform(k, bits, weight)


def test_uniform_takes_whole_numbers() -> None:
    for k, bits in ((2.5, 2), (2, 2.5)):
        with pytest.raises(UsageError, match=r"a whole number, not 2\.5"):
            uniform(k, bits)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="at least 1, not 0"):
        uniform(1, 0)


@pytest.mark.parametrize(
    "amplitudes",
    [[1.0], [1, 0, 0], [1j, 0], [0.5, 0.5], [[1, 0], [0, 0]], [math.nan, 0], ["a", "b"]],
)
def test_real_state_refuses(amplitudes: list[complex]) -> None:
    with pytest.raises(UsageError):
        real_state(amplitudes)


def test_real_state_refuses_too_many_qubits() -> None:
    vector = np.zeros(2**17)
    vector[0] = 1
    with pytest.raises(TooLargeError, match="16"):
        real_state(vector)
