import numpy as np
import pytest

from qmastermind.algorithms import (
    colour_pairs,
    decode_memberships,
    pair_query,
    two_colour_query,
)
from qmastermind.encoding import Encoding
from qmastermind.errors import UsageError
from qmastermind.game import Codemaker, Rules
from qmastermind.oracle import ColourPairOracle
from qmastermind.results import Counts
from qmastermind.simulator import StatevectorBackend
from qmastermind.solvers import DeutschSolver
from qmastermind.solvers.deutsch import majority

STAR3, STAR4 = colour_pairs(3), colour_pairs(4)


def check(rules, secret, pairs="star"):
    maker = Codemaker(secret, rules)
    solution = DeutschSolver(pairs=pairs, shots=16, seed=7).solve(maker)
    assert solution.verified
    assert solution.code == secret
    assert solution.details["success_probability"] == pytest.approx(1, abs=1e-9)
    assert maker.queries.quantum == len(colour_pairs(rules.colours, pairs))
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
        colour_pairs(2, "paths")


def test_the_published_decoder_is_wrong_for_two_colours():
    """Its one query tells nothing: every position holds one of the pair, whatever the secret.

    Algorithm 2 of the article decodes that answer to the second colour everywhere.
    """
    rules = Rules(3, 2)
    wrong = 0
    for secret in rules.codes():
        answers = StatevectorBackend().probabilities(pair_query(ColourPairOracle(secret, 0, 1)))
        assert answers.probability("111") == pytest.approx(1)
        wrong += decode_memberships([(0, 1)], ["111"]) != secret
        maker = Codemaker(secret, rules)
        query = two_colour_query(maker.black_peg_oracle(count_bits=2))
        right = StatevectorBackend().probabilities(query)
        assert right.probability("".join(map(str, secret))) == pytest.approx(1)
    assert wrong == 7  # of 8


def test_answers_that_fit_no_colour():
    with pytest.raises(UsageError, match="position 2 fit no colour"):
        decode_memberships(STAR3, ["10", "10"])
    with pytest.raises(UsageError, match="fit no colour"):
        decode_memberships(STAR4, ["1", "1", "0"])


def test_majority_is_taken_bit_by_bit():
    assert majority(Counts({"110": 2, "011": 2, "101": 2})) == "111"
    assert majority(Counts({"10": 3, "01": 2})) == "10"


def test_query_counts_of_the_improved_pairs():
    counts = {k: len(colour_pairs(k, "paths")) for k in range(3, 17)}
    assert counts == {
        3: 2, 4: 2, 5: 3, 6: 4, 7: 4, 8: 5, 9: 6, 10: 6, 11: 7, 12: 8, 13: 8, 14: 9, 15: 10, 16: 10,
    }  # fmt: skip
    assert all(len(colour_pairs(k)) == k - 1 for k in range(3, 17))
    assert all(len(colour_pairs(k, "blank")) == k - 1 for k in range(2, 17))


def test_misuse_of_pairs():
    for colours in (2, 3, 6):
        with pytest.raises(UsageError, match="unknown pairs 'x'; known: star, paths, blank"):
            colour_pairs(colours, "x")
    with pytest.raises(UsageError, match="for each pair, not 0 for 0"):
        decode_memberships([], [])
    with pytest.raises(UsageError, match="for each pair, not 1 for 2"):
        decode_memberships(colour_pairs(3), ["01"])
    with pytest.raises(UsageError, match="2 characters 0 or 1, not '010'"):
        decode_memberships(colour_pairs(3), ["01", "010"])
    with pytest.raises(UsageError, match="2 characters 0 or 1, not 'ab'"):
        decode_memberships(colour_pairs(3), ["01", "ab"])


@pytest.mark.parametrize("pairs", ["star", "paths", "blank"])
@pytest.mark.parametrize("colours", range(2, 17))
def test_pairs_tell_every_colour(pairs, colours):
    if colours == 2 and pairs != "blank":
        pytest.skip("carries no information")
    asked = colour_pairs(colours, pairs)
    signatures = {tuple(c in pair for pair in asked) for c in range(colours)}
    assert len(signatures) == colours
    check(Rules(colours, colours), tuple(range(colours)), pairs)


@pytest.mark.parametrize("positions", range(1, 9))
def test_two_colours_in_one_query(positions):
    """Where the published decoder answers the first colour for every secret."""
    rules = Rules(positions, 2)
    encoding = Encoding(rules)
    for secret in rules.codes():
        maker = Codemaker(secret, rules)
        oracle = maker.black_peg_oracle(encoding, max(2, positions.bit_length()))
        result = StatevectorBackend().run(two_colour_query(oracle), 1, 0)
        assert result.distribution.probability(encoding.encode(secret)) == pytest.approx(1)
        assert maker.queries.quantum == 1
    with pytest.raises(UsageError, match="at least 2 bits"):
        two_colour_query(Codemaker("R" * positions, rules).black_peg_oracle(encoding, 1))
