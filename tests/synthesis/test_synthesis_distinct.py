"""Tuples of different values, against the list of them."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from synthesis_truth import embedded, evolve, random_state, state_of

from qmastermind.algorithms.grover import diffuser
from qmastermind.errors import UsageError
from qmastermind.synthesis.distinct import distinct

SIZES = [(2, 2, 1), (3, 2, 2), (4, 2, 2), (4, 3, 2), (4, 4, 2), (5, 2, 3), (6, 2, 3), (3, 1, 2)]


@pytest.mark.parametrize(("k", "length", "bits"), SIZES)
def test_all_tuples_are_equally_likely(k: int, length: int, bits: int) -> None:
    circuit = distinct(k, length, bits)
    wanted = np.zeros(2 ** (length * bits))
    tuples = list(permutations(range(k), length))
    for values in tuples:
        wanted[int("".join(f"{v:0{bits}b}" for v in values), 2)] = 1 / math.sqrt(len(tuples))
    whole = embedded(wanted, circuit.data, circuit.num_qubits)
    assert np.allclose(state_of(circuit), whole, atol=1e-12)


@pytest.mark.parametrize(("k", "length", "bits"), SIZES)
def test_the_ancilla_is_clean_after_any_input(k: int, length: int, bits: int) -> None:
    circuit = distinct(k, length, bits)
    data = random_state(len(circuit.data), 1)
    after = evolve(circuit, embedded(data, circuit.data, circuit.num_qubits))
    tensor = after.reshape((2,) * circuit.num_qubits)
    clean = tensor[tuple(0 if q in circuit.ancillas else slice(None) for q in range(tensor.ndim))]
    assert np.linalg.norm(clean) == pytest.approx(1, abs=1e-12)


def test_its_diffuser_reflects_every_state() -> None:
    circuit = distinct(4, 2, 2)
    start = state_of(circuit)
    data = embedded(random_state(4, 2), circuit.data, circuit.num_qubits)
    found = evolve(diffuser(circuit, math.pi), data)
    assert np.allclose(found, data - 2 * np.vdot(start, data) * start, atol=1e-12)


def test_what_there_is_not() -> None:
    for given in ((2, 3, 2), (5, 2, 2), (2, 0, 1), (2, 2, 0)):
        with pytest.raises(UsageError):
            distinct(*given)
