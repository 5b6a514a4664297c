import numpy as np
import pytest

from qmastermind.algorithms import decode_memberships, pair_query
from qmastermind.errors import UsageError
from qmastermind.game import Codemaker, Rules
from qmastermind.oracle import ColourPairOracle
from qmastermind.simulator import StatevectorBackend
from qmastermind.solvers import DeutschSolver
from qmastermind.solvers.deutsch import majority
from qmastermind.results import Counts


def check(rules, secret):
    maker = Codemaker(secret, rules)
    solution = DeutschSolver(shots=16, seed=7).solve(maker)
    assert solution.verified
    assert solution.code == secret
    assert solution.details["success_probability"] == pytest.approx(1, abs=1e-9)
    assert maker.queries.quantum == rules.colours - 1
    assert maker.queries.classical == 1


def test_every_secret_of_three_positions_and_five_colours():
    rules = Rules(3, 5)
    for secret in rules.codes():
        check(rules, secret)


@pytest.mark.parametrize(("positions", "colours"), [(4, 6), (12, 8), (100, 20), (1, 3)])
def test_random_secrets(positions, colours):
    rules = Rules(positions, colours)
    rng = np.random.default_rng(positions)
    for _ in range(3):
        check(rules, rules.random_code(rng))


def test_one_query_tells_membership():
    secret = Rules().code("RIOR")
    for second, expected in ((1, "1011"), (2, "1001"), (5, "1101")):
        circuit = pair_query(ColourPairOracle(secret, 0, second))
        assert StatevectorBackend().probabilities(circuit).probability(expected) == pytest.approx(1)


def test_the_fence_is_only_a_fence():
    oracle = ColourPairOracle(Rules().code("RIOR"), 0, 1)
    fenced, open_ = pair_query(oracle), pair_query(oracle, fence=False)
    assert len(fenced.operations) == len(open_.operations) + 2
    backend = StatevectorBackend()
    assert np.allclose(backend.probabilities(fenced).array(), backend.probabilities(open_).array())


def test_two_colours_are_refused_plainly():
    """The article's decoder answers colour 1 for every secret here."""
    with pytest.raises(UsageError, match="carries no information with 2 colours"):
        DeutschSolver().solve(Codemaker("ROOR", Rules(4, 2)))
    with pytest.raises(UsageError, match="carries no information"):
        decode_memberships(["1111"])


def test_answers_that_fit_no_colour():
    with pytest.raises(UsageError, match="position 2 fit no colour"):
        decode_memberships(["10", "10"])
    with pytest.raises(UsageError, match="fit no colour"):
        decode_memberships(["1", "1", "0"])


def test_majority_is_taken_bit_by_bit():
    assert majority(Counts({"110": 2, "011": 2, "101": 2})) == "111"
    assert majority(Counts({"10": 3, "01": 2})) == "10"
