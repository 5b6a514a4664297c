"""Hints and the solver ``optimal``."""

import numpy as np
import pytest

from qmastermind.errors import ConflictError, TooLargeError, UnknownNameError, UsageError
from qmastermind.game import Codemaker, Feedback, Rules, feedback
from qmastermind.registry import get_solver
from qmastermind_classical.exact.engine import Engine
from qmastermind_classical.exact.errors import ImpossibleError
from qmastermind_classical.exact.hint import Adviser
from qmastermind_classical.exact.position import possible_codes, read_history

CLASSIC = Rules()


def test_history_is_read():
    rows = read_history("1122:1,1 1344:0,2", CLASSIC)
    assert rows == (
        (CLASSIC.code("1122"), Feedback(1, 1)),
        (CLASSIC.code("1344"), Feedback(0, 2)),
    )
    assert read_history("RROO:1b1w;  1344:0,2 ;", CLASSIC) == rows
    many = Rules(3, 12)
    assert read_history("1,12,3:1,0", many) == ((many.code("1,12,3"), Feedback(1, 0)),)
    assert read_history(" ", CLASSIC) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1122", r"row 1 of the history, '1122', has no colon"),
        ("1122:1,1 1344:3,1", r"row 2 .*'1344:3,1'.* 3 black, 1 white cannot occur"),
        ("1122:3,2", r"row 1 .* 3 black, 2 white cannot occur"),
        ("1122:x", r"row 1 .* cannot read the feedback 'x'"),
        ("112:1,0", r"(?s)row 1 .* too short"),
        ("1127:1,0", r"(?s)row 1 .* '7' is no colour"),
    ],
)
def test_rows_that_cannot_be(text, expected):
    with pytest.raises(UsageError, match=expected):
        read_history(text, CLASSIC)


def test_the_row_that_leaves_nothing_is_named():
    rows = read_history("1122:1,1 1344:0,2 5555:4,0 1111:0,0", CLASSIC)
    with pytest.raises(ConflictError, match=r"row 3, 5555 answered 4 black.*37 codes.* the 2"):
        possible_codes(CLASSIC, rows)
    rows = read_history("1122:4,0 1122:0,0", CLASSIC)
    with pytest.raises(ConflictError, match=r"row 2.*1 codes agree with the one before it"):
        Adviser(CLASSIC).hint(rows)


def test_exact_hints_play_out_to_their_promise():
    """Following hints from a position takes, over all its secrets, what the first one says."""
    adviser = Adviser(CLASSIC)
    start = read_history("1122:1,1 1344:0,2", CLASSIC)
    first = adviser.hint(start)
    assert (first.method, first.possible) == ("exact", 37)
    total = 0
    for index in possible_codes(CLASSIC, start):
        secret = CLASSIC.code(CLASSIC.code_array()[index].tolist())
        rows = list(start)
        while True:
            guess = adviser.hint(rows).guess
            rows.append((guess, feedback(guess, secret)))
            total += 1
            if guess == secret:
                break
    assert total == round(first.expected * first.possible)


@pytest.mark.parametrize("rules", [Rules(4, 7), Rules(5, 8), Rules(4, 10, repeats=False)], ids=str)
def test_hints_of_large_games_are_exact_too(rules):
    rng = np.random.default_rng(11)
    secret = rules.random_code(rng)
    rows = []
    while len(possible_codes(rules, rows)) > 40:
        guess = rules.random_code(rng)
        rows.append((guess, feedback(guess, secret)))
    found = Adviser(rules).hint(rows)
    codes = possible_codes(rules, rows)
    assert found.method == "exact"
    assert found.possible == len(codes)
    assert found.expected == Engine(rules, codes).solve(codes).cost / len(codes)
    inside = found.guess in [rules.code(rules.code_array()[c].tolist()) for c in codes]
    assert found.could_be_secret == inside


def test_the_whole_classic_game_is_exact_and_larger_ones_go_by_the_rule():
    assert Adviser(CLASSIC).hint().expected == 5625 / 1296
    limited = Adviser(CLASSIC, rule="minimax", max_sets=10)
    found = limited.hint()
    assert (found.method, found.expected) == ("minimax", None)
    assert found.guess == CLASSIC.code("1122")
    assert Adviser(Rules(4, 7), max_sets=50).hint().method == "entropy"
    assert Adviser(Rules(5, 9)).hint(read_history("11223:1,1", Rules(5, 9))).method == "entropy"
    with pytest.raises(UnknownNameError, match="nothing"):
        Adviser(CLASSIC, rule="nothing", max_sets=0).hint()
    with pytest.raises(TooLargeError, match="human"):
        Adviser(Rules(9, 12)).hint()


def test_a_hint_for_one_or_two_codes():
    adviser = Adviser(CLASSIC)
    only = adviser.hint(read_history("1122:4,0", CLASSIC))
    assert (only.guess, only.expected, only.could_be_secret) == (CLASSIC.code("1122"), 1, True)
    rules = Rules(2, 3)
    two = Adviser(rules).hint(read_history("12:0,1", rules))
    assert (two.possible, two.expected, two.could_be_secret) == (2, 1.5, True)


def test_consistent_hints_could_be_the_secret():
    rng = np.random.default_rng(4)
    adviser = Adviser(CLASSIC, consistent=True)
    free = Adviser(CLASSIC)
    for _ in range(20):
        secret, guess = CLASSIC.random_code(rng), CLASSIC.random_code(rng)
        rows = [(guess, feedback(guess, secret))]
        found = adviser.hint(rows)
        assert found.could_be_secret
        assert found.expected >= free.hint(rows).expected


@pytest.mark.parametrize("secret", ["1111", "1234", "6654", "3535"])
def test_the_solver_plays_the_optimal_strategy(secret):
    solver = get_solver("optimal")
    maker = Codemaker(secret, CLASSIC)
    solution = solver.solve(maker)
    assert solution.verified
    assert solution.code == CLASSIC.code(secret)
    assert len(solution.guesses) == maker.queries.classical <= 6
    assert solution.details["strategy_total"] == 5625


def test_options_and_limits_of_the_solver():
    capped = get_solver("optimal", opening="1122", max_guesses=6)
    solution = capped.solve(Codemaker("5162", CLASSIC))
    assert solution.guesses[0][0] == CLASSIC.code("1122")
    assert solution.details["strategy_max"] <= 6
    with pytest.raises(ImpossibleError):
        get_solver("optimal", max_guesses=4).solve(Codemaker("5162", CLASSIC))
    with pytest.raises(TooLargeError, match=r"32,768; solvers that can: entropy"):
        get_solver("optimal").solve(Codemaker("12345", Rules(5, 8)))
    with pytest.raises(UsageError, match="too short"):
        get_solver("optimal", opening="112").solve(Codemaker("5162", CLASSIC))
