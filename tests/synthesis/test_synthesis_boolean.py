"""Exclusive sums of products and circuits from truth tables, on all inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthesis_truth import evolve, random_state, unitary_of

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Box, Phases, Register
from qmastermind.errors import UsageError
from qmastermind.game import Rules, feedback, is_consistent
from qmastermind.resources import count
from qmastermind.synthesis import Policy, lower
from qmastermind.synthesis.boolean import LABEL, Cube, esop, flip_circuit, phase_circuit


@st.composite
def functions(draw: st.DrawFn, widest: int = 6) -> tuple[int, set[int]]:
    bits = draw(st.integers(1, widest))
    return bits, draw(st.sets(st.integers(0, 2**bits - 1)))


def odd(cubes: tuple[Cube, ...], x: int) -> bool:
    return sum(cube.holds(x) for cube in cubes) % 2 == 1


@given(functions(7))
@settings(max_examples=80, deadline=None)
def test_esop_is_the_function(function: tuple[int, set[int]]) -> None:
    bits, marked = function
    cubes = esop(bits, marked)
    assert all(odd(cubes, x) == (x in marked) for x in range(2**bits))
    minterm = Cube(2**bits - 1, 0).cost
    assert sum(c.cost for c in cubes) <= len(marked) * minterm


def test_esop_of_known_functions() -> None:
    every = range(16)
    assert esop(4, every) == (Cube(0, 0),)
    assert esop(4, []) == ()
    assert esop(4, [3, 3]) == ()
    assert esop(4, [x for x in every if x & 8]) == (Cube(8, 8),)
    parity = esop(4, [x for x in every if x.bit_count() % 2])
    assert len(parity) == 4
    assert sum(c.cost for c in parity) == 0
    majority = esop(3, [3, 5, 6, 7])
    assert len(majority) == 3
    assert sum(c.cost for c in majority) == 3


def test_esop_of_a_history_is_no_worse_than_published_minimisers() -> None:
    """86 products and 4494 CX by a well-known generator for this table of 252 of 4096."""
    rules = Rules()
    guess = rules.code("RGBY")
    answer = feedback(guess, rules.code("ROYR"))
    marked = [
        sum(c << 3 * (3 - j) for j, c in enumerate(code))
        for code in rules.codes()
        if is_consistent(code, [(guess, answer)])
    ]
    cubes = esop(12, marked)
    assert len(cubes) <= 86
    assert sum(c.cost for c in cubes) <= 3300
    table = set(marked)
    assert all(odd(cubes, x) == (x in table) for x in range(4096))


@given(functions(), st.sampled_from([math.pi, 0.6]), st.sampled_from([Policy.none(), Policy(2)]))
@settings(max_examples=40, deadline=None)
def test_phases(function: tuple[int, set[int]], angle: float, policy: Policy) -> None:
    bits, marked = function
    lowered = lower(phase_circuit(bits, marked, angle), ancillas=policy)
    start = random_state(bits, 1)
    wanted = start.copy()
    wanted[sorted(marked)] *= np.exp(1j * angle)
    found = evolve(lowered, np.kron(start, np.eye(2 ** len(lowered.ancillas))[0]))
    assert np.allclose(found.reshape(2**bits, -1)[:, 0], wanted, atol=1e-10)
    assert count(lowered).two_qubit_gates <= 2**bits - 2


@given(functions(5))
@settings(max_examples=30, deadline=None)
def test_flips(function: tuple[int, set[int]]) -> None:
    bits, marked = function
    matrix = unitary_of(flip_circuit(bits, marked))
    for x in range(2**bits):
        for result in (0, 1):
            assert abs(matrix[2 * x + (result ^ (x in marked)), 2 * x + result] - 1) < 1e-12


def test_labels() -> None:
    for circuit in (phase_circuit(3, [1, 2], 0.3), flip_circuit(3, [1, 2])):
        (box,) = circuit.operations
        assert isinstance(box, Box)
        assert box.label == LABEL == "synthesised from a truth table"


def test_controlled_tables() -> None:
    b = CircuitBuilder(Register("x", 5))
    b.diagonal(Phases(3, math.pi, [1, 3, 5, 7]), [0, 2, 4], [1, 3], [0, 1])
    lowered = lower(b.build(), ancillas=Policy.none())
    start = random_state(5, 9)
    assert np.allclose(evolve(lowered, start), evolve(b.build(), start))
    assert count(lowered).two_qubit_gates == 6


def test_inputs_out_of_range() -> None:
    with pytest.raises(UsageError, match="0 to 7"):
        esop(3, [8])
    with pytest.raises(UsageError, match="0 to 7"):
        phase_circuit(3, [8], 0.1)
