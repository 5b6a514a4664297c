"""The kernels against the one copy of the scoring rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.errors import UsageError
from qmastermind.game import Rules, feedback
from qmastermind_classical.kernels import (
    answer_index,
    answers,
    encode,
    encode_all,
    feedback_codes,
    histograms,
)


@st.composite
def games(draw):
    positions = draw(st.integers(1, 12))
    repeats = draw(st.booleans())
    colours = draw(st.integers(2 if repeats else max(2, positions), 16))
    return Rules(positions, colours, repeats=repeats)


@settings(max_examples=60, deadline=None)
@given(rules=games(), seed=st.integers(0, 2**32 - 1))
def test_answers_agree_with_the_scoring_rule(rules, seed):
    rng = np.random.default_rng(seed)
    guesses = [rules.random_code(rng) for _ in range(7)]
    codes = [rules.random_code(rng) for _ in range(23)] + guesses[:2]
    found = feedback_codes(encode(guesses, rules), encode(codes, rules))
    known = answers(rules)
    expected = [[known.index(feedback(g, c)) for c in codes] for g in guesses]
    assert found.tolist() == expected
    counts = [np.bincount(row, minlength=len(known)).tolist() for row in expected]
    assert histograms(encode(guesses, rules), encode(codes, rules)).tolist() == counts


@pytest.mark.parametrize("rules", [Rules(4, 6), Rules(3, 22), Rules(4, 5, repeats=False)])
def test_every_pair_is_counted_once(rules):
    words = encode_all(rules)
    some = words[:: max(1, len(words) // 50)]
    table = histograms(some, words)
    assert (table.sum(axis=1) == rules.num_codes).all()
    assert (table[:, -1] == 1).all()


def test_a_guess_is_given_up_when_a_part_grows_too_large():
    words = encode_all(Rules(4, 6))
    whole = histograms(words, words)
    bounded = histograms(words, words, stop_above=256)
    good = whole.max(axis=1) <= 256
    assert 0 < good.sum() < len(good)
    assert (bounded[good] == whole[good]).all()
    assert (bounded[~good].max(axis=1) == 257).all()


def test_one_code_and_no_code():
    rules = Rules(4, 6)
    one = encode((0, 0, 1, 1), rules)
    assert len(one) == 1
    assert len(encode_all(rules)[5]) == 1
    assert feedback_codes(one, one).tolist() == [[answer_index(4, 0, rules)]]
    none = encode([], rules)
    assert histograms(one, none).sum() == 0


def test_codes_of_another_game_are_refused():
    with pytest.raises(UsageError, match="5 pegs for a game of 4 positions"):
        encode([(0, 1, 2, 3, 4)], Rules(4, 6))
    with pytest.raises(UsageError, match=r"in 0\.\.5"):
        encode([(0, 1, 2, 6)], Rules(4, 6))
    with pytest.raises(UsageError, match="3 black, 1 white"):
        answer_index(3, 1, Rules(4, 6))
