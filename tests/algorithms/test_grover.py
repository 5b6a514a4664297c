import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.algorithms import grover, iteration, plan, success_probability
from qmastermind.algorithms.grover import hadamards, plan_from_share
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Phases, Register
from qmastermind.encoding import Encoding
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.game import Rules
from qmastermind.oracle import MatchOracle, Oracle
from qmastermind.simulator import StatevectorBackend, statevector, unitary


class Marked(Oracle):
    """Marks a set of integers."""

    def __init__(self, num_bits, states):
        self.num_bits, self.states = num_bits, sorted(states)

    def _marks(self, x):
        return int(x, 2) in self.states

    def _phase(self, angle):
        b = CircuitBuilder(Register("x", self.num_bits))
        b.diagonal(Phases(self.num_bits, angle, self.states), range(self.num_bits))
        return b.build()


def probability_of(circuit, states):
    return float(sum(abs(statevector(circuit)[i]) ** 2 for i in states))


def classic(space, **options):
    encoding = Encoding(Rules())
    secret = Rules().code("RBRY")
    search = plan(encoding.size(space), **options)
    circuit = grover(MatchOracle(secret, encoding), encoding.prepare(space), plan=search)
    result = StatevectorBackend().probabilities(circuit.measured())
    return search, result.probability(encoding.encode(secret))


def test_the_articles_setting_succeeds_one_time_in_ten():
    _, p = classic("all", iterations=10)
    assert p == pytest.approx(math.sin(21 * math.asin(1 / 64)) ** 2, abs=1e-9)
    assert p == pytest.approx(0.103865218, abs=1e-9)


def test_best_iterations_over_all_bitstrings():
    search, p = classic("all")
    assert search.iterations == 50
    assert p >= 0.999
    assert p == pytest.approx(0.999945346, abs=1e-9)


def test_best_iterations_over_valid_codes():
    search, p = classic("valid")
    assert search.iterations == 28
    assert p == pytest.approx(0.999837683, abs=1e-9)


def test_exact_over_valid_codes():
    search, p = classic("valid", exact=True)
    assert search.iterations == 28
    assert search.angle == pytest.approx(2.887750476, abs=1e-9)
    assert p == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("size", [2, 4, 6, 1296])
def test_of_two_numbers_as_good_the_smaller_is_taken(size):
    """Half of the states marked: an iteration changes nothing."""
    search = plan(size, size // 2)
    assert (search.iterations, search.success_probability) == (0, pytest.approx(0.5))
    assert plan(size, size // 2, fidelity=1.0).iterations == 0
    for k in range(1, 60):  # k - 1 and k are as far from a quarter turn
        assert plan_from_share(math.sin(math.pi / (4 * k)) ** 2).iterations == k - 1


@given(st.integers(1, 3000), st.data())
def test_no_number_of_iterations_up_to_a_half_turn_is_better(size, data):
    marked = data.draw(st.integers(1, size))
    search = plan(size, marked)
    turn = math.asin(math.sqrt(marked / size))
    others = [math.sin((2 * t + 1) * turn) ** 2 for t in range(int(math.pi / (2 * turn)) + 2)]
    # past a half turn the next peak may be closer by chance: it takes twice the iterations
    first = others[: search.iterations + 2]
    assert search.success_probability == pytest.approx(max(first))
    assert search.iterations == next(t for t, p in enumerate(first) if p > max(first) - 1e-9)


def test_six_by_six():
    encoding = Encoding(Rules(6, 6))
    secret = Rules(6, 6).code("OOYGIB")
    search = plan(encoding.size("valid"))
    circuit = grover(MatchOracle(secret, encoding), encoding.prepare(), plan=search)
    assert circuit.num_qubits == 18
    result = StatevectorBackend().probabilities(circuit.measured())
    assert result.probability(encoding.encode(secret)) >= 0.999


@pytest.mark.parametrize(
    ("marked", "iterations", "angle"),
    [
        (2, 20, 2.693698), (5, 13, 2.422825), (10, 9, 2.445846), (20, 6, 2.652949),
        (44, 4, 2.459613), (90, 3, 2.010917), (256, 2, 1.537642),
    ],
)  # fmt: skip
def test_exact_schedules(marked, iterations, angle):
    search = plan(1296, marked, exact=True)
    assert search.iterations == iterations
    assert search.angle == pytest.approx(angle, abs=1e-6)


def test_no_repeats():
    assert plan(360).iterations == 14
    assert plan(360).success_probability == pytest.approx(0.998266, abs=1e-6)
    search = plan(360, exact=True)
    assert (search.iterations, search.angle) == (15, pytest.approx(2.581194554, abs=1e-9))
    rules = Rules(4, 6, repeats=False)
    encoding, secret = Encoding(rules), rules.code("RBOY")
    circuit = grover(MatchOracle(secret, encoding), encoding.prepare(), plan=search)
    state = int(encoding.encode(secret) + "0" * len(circuit.ancillas), 2)
    assert probability_of(circuit, [state]) == pytest.approx(1, abs=1e-9)


@given(st.integers(1, 6), st.data())
@settings(max_examples=60)
def test_success_follows_the_formula_and_exact_is_certain(num_bits, data):
    size = 2**num_bits
    states = data.draw(st.sets(st.integers(0, size - 1), min_size=1))
    oracle = Marked(num_bits, states)
    t = data.draw(st.integers(0, 5))
    plain = plan(size, len(states), iterations=t)
    assert probability_of(grover(oracle, plan=plain), states) == pytest.approx(
        success_probability(t, size, len(states)), abs=1e-9
    )
    exact = plan(size, len(states), exact=True)
    assert probability_of(grover(oracle, plan=exact), states) == pytest.approx(1, abs=1e-9)
    longer = plan(size, len(states), exact=True, iterations=exact.iterations + 2)
    assert probability_of(grover(oracle, plan=longer), states) == pytest.approx(1, abs=1e-9)


def test_one_iteration_is_the_grover_operator_with_its_sign():
    oracle = Marked(2, [2])
    s = np.full((4, 1), 0.5)
    expected = (2 * s @ s.T - np.eye(4)) @ np.diag([1, 1, -1, 1])
    assert np.allclose(unitary(iteration(oracle, hadamards(2))), expected)
    controlled = unitary(iteration(oracle, hadamards(2)).controlled(1))
    assert np.allclose(controlled[4:, 4:], expected)
    assert np.allclose(controlled[:4, :4], np.eye(4))


def test_misuse():
    with pytest.raises(UsageError, match="at least 0, not -1"):
        plan(16, iterations=-1)
    with pytest.raises(UsageError, match="1 to 16 marked states, not 0"):
        plan(16, 0)
    with pytest.raises(UsageError, match="at least 3 iterations, not 2"):
        plan(16, exact=True, iterations=2)
    with pytest.raises(UsageError, match="3 data qubits, the oracle reads 2"):
        grover(Marked(2, [1]), hadamards(3), plan=plan(4))


def test_sizes_that_no_search_has():
    with pytest.raises(UsageError, match="the size must be at least 1, not 0"):
        plan(0)
    with pytest.raises(TooLargeError, match=r"2\^5000 states"):
        plan(2**5000)
