import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.errors import UsageError
from qmastermind.game import Feedback, Rules, feedback, is_consistent

PEGS = st.lists(st.integers(0, 5), min_size=1, max_size=6)
PAIRS = st.integers(1, 6).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)


def by_removal(guess, secret):
    """Key pegs as a careful person gives them: black first, then pair off what is left."""
    left_guess = [g for g, s in zip(guess, secret, strict=True) if g != s]
    left_secret = [s for g, s in zip(guess, secret, strict=True) if g != s]
    white = 0
    for peg in left_guess:
        if peg in left_secret:
            left_secret.remove(peg)
            white += 1
    return len(guess) - len(left_guess), white


@given(PAIRS)
def test_scoring_is_pairing_off(pair):
    assert feedback(*pair) == by_removal(*pair)


@given(PAIRS)
def test_scoring_is_symmetric_and_bounded(pair):
    guess, secret = pair
    answer = feedback(guess, secret)
    assert answer == feedback(secret, guess)
    assert 0 <= answer.black + answer.white <= len(guess)
    assert (answer.black == len(guess)) == (guess == secret)


@pytest.mark.parametrize(
    ("guess", "secret", "answer"),
    [
        ("RRBB", "RBRY", (1, 2)),  # the article
        ("GRRO", "RBRY", (1, 1)),  # the duplicates rule, with another colour for white
        ("GGRR", "GBRY", (2, 0)),
        ("RGBY", "OOYG", (0, 2)),
    ],
)
def test_published_examples(guess, secret, answer):
    rules = Rules()
    assert feedback(rules.code(guess), rules.code(secret)) == answer


def test_feedback_reads_and_prints():
    for text in ("1,2", " 1, 2 ", "1b2w", "1 2", "1b,2w"):
        assert Feedback.parse(text) == (1, 2)
    assert str(Feedback(1, 2)) == "1 black, 2 white"
    for text in ("", "1", "a,b", "1,2,3", "-1,2"):
        with pytest.raises(UsageError, match="cannot read the feedback"):
            Feedback.parse(text)


def test_lengths_must_agree():
    with pytest.raises(UsageError, match="a guess of 3 pegs for a secret of 4"):
        feedback((0, 1, 2), (0, 1, 2, 3))


def test_consistency_is_agreement_with_every_answer():
    rules = Rules(3, 3)
    codes = list(rules.codes())
    for secret, first, second in itertools.product(codes[::5], codes[::4], codes[::7]):
        history = [(first, feedback(first, secret)), (second, feedback(second, secret))]
        fits = [c for c in codes if is_consistent(c, history)]
        assert secret in fits
        assert all(feedback(g, c) == a for c in fits for g, a in history)
    assert is_consistent(codes[0], [])
