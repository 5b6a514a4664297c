"""The black-peg permutation game: bounds of El Ouali, Glazik, Sauerland and Srivastav 2018."""

from itertools import permutations
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.errors import ConflictError, UnsupportedError
from qmastermind.game import Codemaker, Feedback, Rules
from qmastermind_classical.permutation import PermutationSolver, find_permutation, query_bound


def queries(secret, colours):
    """Plays a game and checks every query: legal, new, and the last one the secret."""
    secret = np.asarray(secret)
    n = len(secret)
    asked = []

    def ask(guess):
        assert guess.shape == (n,)
        assert len(set(guess.tolist())) == n
        assert 0 <= guess.min() <= guess.max() < colours
        asked.append(tuple(guess.tolist()))
        return int((guess == secret).sum())

    found = find_permutation(ask, n, colours)
    assert found == tuple(secret.tolist()) == asked[-1]
    assert len(set(asked)) == len(asked)
    return len(asked)


@pytest.mark.parametrize(
    ("n", "worst", "mean"),
    [(2, 2, 1.5), (3, 5, 3.167), (4, 8, 6.958), (5, 14, 11.025), (6, 19, 15.579), (7, 25, 19.892)],
)
def test_every_secret(n, worst, mean):
    """Maximum and mean as an independent program has them."""
    found = [queries(secret, n) for secret in permutations(range(n))]
    assert max(found) == worst <= query_bound(n, n)
    assert np.mean(found) == pytest.approx(mean, abs=5e-4)


@pytest.mark.parametrize(
    ("n", "k", "worst"),
    [(3, 4, 6), (3, 6, 9), (4, 5, 9), (4, 6, 11), (4, 8, 13), (5, 6, 14), (5, 8, 17)],
)
def test_every_secret_with_more_colours(n, k, worst):
    found = [queries(secret, k) for secret in permutations(range(k), n)]
    assert max(found) == worst <= query_bound(n, k)


@pytest.mark.parametrize(("n", "k"), [(1, 2), (1, 9), (2, 3), (2, 7)])
def test_one_and_two_positions(n, k):
    assert max(queries(s, k) for s in permutations(range(k), n)) <= query_bound(n, k)


def test_bound_formulas():
    for n in range(4, 2000):
        log = ceil(log2(n))
        assert query_bound(n, n) == (n - 3) * log + 5 * n / 2 - 1
        assert query_bound(n, n + 5) == (n - 2) * log + n + 5 + 1


@pytest.mark.parametrize("extra", [0, 1, 40])
@given(seed=st.integers(0, 2**32), n=st.integers(2, 48))
def test_random_secrets(extra, seed, n):
    secret = np.random.default_rng(seed).permutation(n + extra)[:n]
    assert queries(secret, n + extra) <= query_bound(n, n + extra)


@pytest.mark.parametrize(("n", "k"), [(200, 200), (1000, 1000), (500, 600)])
def test_large_games(n, k):
    rng = np.random.default_rng(n)
    for _ in range(3):
        assert queries(rng.permutation(k)[:n], k) <= query_bound(n, k)


def test_every_shift_with_one_hit():
    """The rare start without an active index: y(i) = 2i mod n hits each shift once for odd n."""
    for n in (3, 5, 7, 9, 15, 101):
        secret = [2 * i % n for i in range(n)]
        shifts = [sum((i - j) % n == y for i, y in enumerate(secret)) for j in range(n)]
        assert shifts == [1] * n
        assert queries(secret, n) <= query_bound(n, n)


def test_worked_example():
    """Secret 3 5 1 4 2: the initial answers 1 0 2 2 and the binary search after them."""
    secret = np.array([3, 5, 1, 4, 2]) - 1
    log = []

    def ask(guess):
        answer = int((guess == secret).sum())
        log.append(("".join(str(c + 1) for c in guess), answer))
        return answer

    find_permutation(ask, 5, 5)
    assert log[:4] == [("12345", 1), ("51234", 0), ("45123", 2), ("34512", 2)]
    assert log[4:7] == [("12534", 0), ("12354", 0), ("52341", 1)]
    assert log[-1] == ("35142", 5)
    assert len(log) == 11


class BlackPegCodemaker(Codemaker):
    """Its white pegs are nonsense: a solver that used them would fail."""

    def answer(self, guess):
        return Feedback(super().answer(guess).black, -1000)


@pytest.mark.parametrize(("n", "k"), [(1, 3), (2, 2), (4, 4), (6, 9), (30, 30), (30, 45)])
def test_solver_uses_black_pegs_only(n, k):
    rules = Rules(n, k, repeats=False)
    codemaker = BlackPegCodemaker(rules.random_code(np.random.default_rng(n)), rules)
    solution = PermutationSolver().solve(codemaker)
    assert solution.verified
    assert codemaker.queries.classical == len(solution.guesses)
    assert solution.guesses[-1][1].black == n
    assert len(solution.guesses) <= solution.details["query_bound"]


def test_rules_with_repeats():
    with pytest.raises(UnsupportedError, match=r"without repeats.*--no-repeats"):
        PermutationSolver().solve(Codemaker("1234"))


@given(
    answers=st.lists(st.integers(0, 6), min_size=1, max_size=40),
    n=st.integers(2, 6),
    extra=st.integers(0, 2),
)
def test_answers_of_no_secret_end_in_an_error(answers, n, extra):
    pending = iter(answers * 20)

    def ask(guess):
        return min(next(pending), n - 1)

    with pytest.raises(ConflictError, match="no code without repeats fits"):
        find_permutation(ask, n, n + extra)


@pytest.mark.slow
def test_every_secret_of_eight():
    found = [queries(secret, 8) for secret in permutations(range(8))]
    assert max(found) <= query_bound(8, 8)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k", "games"), [(16, 16, 5000), (100, 100, 400), (100, 200, 400)])
def test_many_random_secrets(n, k, games):
    rng = np.random.default_rng(7)
    assert max(queries(rng.permutation(k)[:n], k) for _ in range(games)) <= query_bound(n, k)
