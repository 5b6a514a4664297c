"""The costs that the library promises, as tests on counts; figures and their sources beside them.

All-to-all, basis {rz, sx, x, cx}, counted by :func:`qmastermind.resources.count`.
"""

from __future__ import annotations

import numpy as np
import pytest
from synthesis_truth import embedded, evolve, random_state, state_of

from qmastermind.algorithms.adaptive import adaptive, adaptive_plan
from qmastermind.algorithms.grover import grover, hadamards, iteration, plan
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.encoding import Encoding
from qmastermind.game import Rules
from qmastermind.oracle.match import MatchOracle
from qmastermind.oracle.pegs import BlackPegOracle
from qmastermind.resources import Resources, count
from qmastermind.synthesis import Objective, Policy, lower, uniform

BORROWED = Policy(borrow=True)


def mcz(controls: int, idle: int = 0) -> Circuit:
    b = CircuitBuilder(Register("x", controls + 1))
    if idle:
        b.register(Register("idle", idle))
    b.z(controls, range(controls))
    return b.build()


def figures(circuit: Circuit, policy: Policy, objective: Objective = "two_qubit") -> Resources:
    return count(lower(circuit, ancillas=policy, objective=objective))


# (clean ancillas, most CX, most two-qubit depth) for 11 controls. Best of the frameworks: 442
# without ancilla, and depth 152 (Qiskit 2.6, da Silva and Park 2022); 60 with depth 54 on one and
# 36 on two (Khattar and Gidney 2024); a tree of relative-phase Toffolis takes 61 and 19 on ten.
@pytest.mark.parametrize(
    ("clean", "cx", "depth"),
    [(0, 192, 120), (1, 60, 31), (2, 60, 25), (3, 60, 23), (9, 60, 18), (10, 60, 18)],
)
def test_z_with_eleven_controls(clean: int, cx: int, depth: int) -> None:
    reached = figures(mcz(11), Policy(clean, borrow=False))
    assert reached.two_qubit_gates <= cx
    assert reached.two_qubit_depth <= depth
    assert reached.multi_qubit_gates == 0
    assert reached.ancillas <= clean


@pytest.mark.parametrize("controls", range(3, 21))
def test_one_clean_ancilla_takes_6n_minus_6(controls: int) -> None:
    assert figures(mcz(controls), Policy(1, borrow=False)).two_qubit_gates <= 6 * controls - 6


# Qiskit 2.6 without ancilla (its default), for 3, 4, 5, ... controls where it was measured.
@pytest.mark.parametrize(
    ("controls", "cx"),
    [(3, 14), (4, 36), (5, 82), (7, 170), (9, 290), (11, 442), (14, 730), (17, 1090), (20, 1522)],
)
def test_no_ancilla_is_no_worse_than_the_best_framework(controls: int, cx: int) -> None:
    assert figures(mcz(controls), Policy.none()).two_qubit_gates <= cx


def test_borrowed_qubits() -> None:
    """114 CX on one borrowed qubit in Qiskit 2.6, 76 on five."""
    assert figures(mcz(11, idle=1), BORROWED).two_qubit_gates <= 104
    assert figures(mcz(11, idle=5), BORROWED).two_qubit_gates <= 76


def test_t_counts() -> None:
    """8 n - 9 with clean ancillas (Maslov 2016)."""
    basis = ("h", "s", "sdg", "t", "tdg", "x", "z", "cx")
    for controls in (2, 3, 7, 11):
        lowered = lower(mcz(controls), basis, Policy(1), "t_count")
        assert count(lowered).t_gates == 8 * controls - 9


def article_iteration() -> Circuit:
    rules = Rules()
    encoding = Encoding(rules)
    return iteration(MatchOracle(rules.code("OYGB"), encoding), hadamards(12))


# Best seen of five frameworks: 880 CX and depth 555 without ancilla; 119 and 281 on one; 119 and
# 191 on two (all Qiskit 2.6); 124 CX, depth 99 on eight (Qrisp 0.9.10, balauca).
@pytest.mark.parametrize(
    ("clean", "cx", "two_qubit_depth", "depth"),
    [(0, 384, 234, 541), (1, 119, 61, 147), (2, 118, 49, 119), (8, 114, 35, 81), (10, 114, 35, 81)],
)
def test_grover_iteration_on_twelve_qubits(
    clean: int, cx: int, two_qubit_depth: int, depth: int
) -> None:
    reached = figures(article_iteration(), Policy(clean, borrow=False))
    assert reached.two_qubit_gates <= cx
    assert reached.two_qubit_depth <= two_qubit_depth
    assert reached.depth <= depth
    assert reached.qubits <= 12 + clean


@pytest.mark.parametrize("clean", [0, 1, 2])
def test_the_iteration_is_what_it_was(clean: int) -> None:
    circuit = article_iteration()
    lowered = lower(circuit, ancillas=Policy(clean, borrow=False))
    start = random_state(12, clean)
    wanted = embedded(evolve(circuit, start), range(12), lowered.num_qubits)
    found = evolve(lowered, embedded(start, range(12), lowered.num_qubits))
    assert np.abs(found - wanted).max() < 1e-10


def test_adaptive_search_for_four_pegs_of_six_colours() -> None:
    """Two queries, the secret with certainty; Qiskit 2.6 takes 92 CX and two-qubit depth 24."""
    rules = Rules()
    schedule = adaptive_plan(rules)
    secret = rules.code("BOYB")
    circuit = adaptive(BlackPegOracle(secret, schedule.encoding), schedule)
    lowered = lower(circuit, ancillas=Policy.none())
    reached = count(lowered)
    assert reached.qubits == 12
    assert reached.two_qubit_gates <= 80
    assert reached.two_qubit_depth <= 20
    state = state_of(lowered)
    assert abs(state[int(schedule.encoding.encode(secret), 2)]) ** 2 == pytest.approx(1, abs=1e-12)


def test_valid_codes_take_one_cx_a_peg() -> None:
    assert figures(uniform(6, 3), Policy.none()).two_qubit_gates == 1
    assert figures(Encoding(Rules()).prepare("valid"), Policy.none()).two_qubit_gates == 4


def test_wide_repeated_circuits_are_lowered_once() -> None:
    rules = Rules(5, 16)
    oracle = MatchOracle(rules.code((1, 2, 3, 15, 0)), Encoding(rules))
    circuit = grover(oracle, plan=plan(2**20, iterations=100))
    lowered = lower(circuit, ancillas=Policy(2))
    assert len(lowered.operations) < 200
    reached = count(lowered)
    assert reached.two_qubit_gates <= 100 * 2 * (6 * 19 - 6)
    assert reached.multi_qubit_gates == 0


@pytest.mark.parametrize("qubits", [11, 12, pytest.param(16, marks=pytest.mark.slow)])
def test_wide_gates_on_random_states(qubits: int) -> None:
    """Beyond ten qubits, without ancilla, on clean ones, on borrowed entangled ones."""
    circuit = mcz(qubits - 1)
    start = random_state(qubits, 1)
    wanted = start.copy()
    wanted[-1] *= -1
    for policy in (Policy.none(), Policy(2, borrow=False)):
        lowered = lower(circuit, ancillas=policy)
        found = evolve(lowered, embedded(start, range(qubits), lowered.num_qubits))
        assert np.abs(found - embedded(wanted, range(qubits), lowered.num_qubits)).max() < 1e-10
    lent = mcz(qubits - 1, idle=2)
    lowered = lower(lent, ancillas=BORROWED)
    start = random_state(qubits + 2, 5)
    assert np.abs(evolve(lowered, start) - evolve(lent, start)).max() < 1e-10
    assert lowered.num_qubits == qubits + 2
