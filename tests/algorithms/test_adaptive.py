import math

import numpy as np
import pytest

from qmastermind.algorithms.adaptive import (
    adaptive,
    adaptive_plan,
    blank_weight,
    diffuser_angles,
    num_queries,
)
from qmastermind.encoding import Encoding
from qmastermind.errors import UsageError
from qmastermind.game import Codemaker, Rules
from qmastermind.oracle import BlackPegOracle
from qmastermind.results import Counts
from qmastermind.simulator import StatevectorBackend
from qmastermind.solvers import AdaptiveSolver
from qmastermind.solvers.adaptive import majority_code

VARIANTS = ("phases", "blanks", "padded")


def probability(rules, secret, variant, counting=False):
    plan = adaptive_plan(rules, variant)
    oracle = BlackPegOracle(secret, plan.encoding)
    circuit = adaptive(oracle, plan, counting).measured()
    return StatevectorBackend().probabilities(circuit).probability(plan.encoding.encode(secret))


def test_the_number_of_queries():
    largest = {m: max(k for k in range(2, 65) if num_queries(k) == m) for m in (1, 2, 3, 4, 5)}
    assert largest == {1: 4, 2: 10, 3: 20, 4: 33, 5: 49}
    for k in range(2, 65):
        m, theta = num_queries(k), math.asin(k**-0.5)
        assert (2 * m + 1) * theta >= math.pi / 2 - 1e-9  # the lower bound for exact search
        assert m == 1 or (2 * m - 1) * theta < math.pi / 2


def test_golden_values():
    assert diffuser_angles(4) == pytest.approx([math.pi])
    assert diffuser_angles(6) == pytest.approx([2.328837092, -1.318116072], abs=1e-9)
    assert diffuser_angles(8) == pytest.approx([2.461918835, -1.910633236], abs=1e-9)
    weights = [blank_weight(k) for k in (2, 3, 4, 6, 8)]
    assert weights == pytest.approx([0.5, 0.25, 0, 0.427051, 0.236068], abs=1e-6)


@pytest.mark.parametrize("k", range(2, 65))
def test_every_number_of_colours(k):
    """One peg is enough: the positions do not interact, and each is this search."""
    rules = Rules(1, k)
    for variant in VARIANTS:
        if variant == "phases" and k < 4:
            continue
        plan = adaptive_plan(rules, variant)
        if variant != "padded":
            assert plan.queries == num_queries(k)
        for colour in {0, k // 2, k - 1}:
            assert probability(rules, (colour,), variant) == pytest.approx(1, abs=1e-9)
    assert adaptive_plan(rules).queries == num_queries(k) or k == 3


def test_auto_never_takes_more_queries_than_the_bound():
    for k in range(2, 65):
        assert adaptive_plan(Rules(1, k), "auto").queries == num_queries(k)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_secret_of_the_classic_game(variant):
    rules = Rules()
    for secret in rules.codes():
        assert probability(rules, secret, variant) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_counting_oracle_on_the_classic_game(variant):
    rules = Rules()
    rng = np.random.default_rng(4)
    secrets = {(5, 2, 0, 3), (1, 1, 4, 0)}
    while len(secrets) < 20:
        secrets.add(tuple(rules.random_code(rng)))
    for secret in secrets:
        assert probability(rules, secret, variant, counting=True) == pytest.approx(1, abs=1e-9)


def test_two_queries_are_counted_for_the_classic_game():
    for counting in (False, True):
        for variant in VARIANTS:
            maker = Codemaker("RIOR")
            solution = AdaptiveSolver(variant, counting, shots=20, seed=1).solve(maker)
            assert solution.verified
            assert str(solution.code) == "RIOR"
            assert maker.queries.models == {"black pegs": 2}
            assert solution.details["success_probability"] == pytest.approx(1, abs=1e-9)
            assert solution.details["qubits"] == (15 if counting else 12)


def test_fifty_positions_and_thirty_colours():
    rules = Rules(50, 30)
    secret = rules.random_code(np.random.default_rng(0))
    for variant in VARIANTS:
        assert probability(rules, secret, variant) == pytest.approx(1, abs=1e-9)
    maker = Codemaker(secret, rules)
    assert AdaptiveSolver(shots=5, seed=1).solve(maker).code == secret
    assert maker.queries.quantum == num_queries(30) == 4


def test_codes_without_repeats_are_found():
    rules = Rules.named("bulls-and-cows")
    maker = Codemaker("9384", rules)
    assert AdaptiveSolver(shots=5, seed=1).solve(maker).verified
    assert maker.queries.quantum == 2


def test_majority_by_peg_outvotes_noise():
    encoding = Encoding(Rules(2, 3))
    counts = Counts({"0001": 4, "0010": 3, "1001": 3, "1111": 5})
    assert majority_code(counts, encoding) == (0, 1)
    assert majority_code(Counts({"1101": 3}), encoding) is None


def test_misuse():
    with pytest.raises(UsageError, match="use the variant 'blanks'"):
        adaptive_plan(Rules(3, 3), "phases")
    with pytest.raises(UsageError, match="unknown variant"):
        adaptive_plan(Rules(), "quick")
    plan = adaptive_plan(Rules(), "phases")
    other = BlackPegOracle((0, 0, 0, 0), Encoding(Rules(), "one-hot"))
    with pytest.raises(UsageError, match="different encodings"):
        adaptive(other, plan)
