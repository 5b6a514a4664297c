"""Least totals: against a plain search, against published values, against each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.errors import ConflictError, TooLargeError, UsageError
from qmastermind.game import Feedback, Rules, is_consistent
from qmastermind_classical.exact.cells import PUBLISHED, Cell
from qmastermind_classical.exact.engine import Engine
from qmastermind_classical.exact.errors import ImpossibleError, SetLimitError
from qmastermind_classical.exact.method import METHODS
from qmastermind_classical.exact.optimum import find_optimum
from qmastermind_classical.exact.position import possible_codes

CLASSIC = Rules()
SMALL = [
    Rules(1, 5),
    Rules(2, 4),
    Rules(2, 5),
    Rules(3, 3),
    Rules(4, 2),
    Rules(5, 2),
    Rules(2, 4, repeats=False),
    Rules(3, 4, repeats=False),
    Rules(4, 4, repeats=False),
    Rules(3, 3, blanks=True),
]


def least(rules, **options):
    """The total that the solver proves, or None if it proves that there is none."""
    try:
        return find_optimum(rules, **options).tree.total
    except ImpossibleError:
        return None


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_whole_games_agree_with_the_plain_search(rules, plain):
    codes = list(rules.codes())
    for consistent in (False, True):
        for left in (None, 1, 2, 3, 4):
            expected = plain(rules, codes, left, consistent)
            for method in METHODS:
                found = least(rules, max_guesses=left, consistent=consistent, method=method)
                assert found == expected, (left, consistent, method)


@pytest.mark.parametrize("rules", [Rules(2, 4), Rules(3, 3), Rules(4, 2)], ids=str)
def test_every_opening_agrees_with_the_plain_search(rules, plain):
    codes = list(rules.codes())
    for opening in codes[:: max(1, len(codes) // 9)]:
        for left in (None, 3):
            expected = plain(rules, codes, left, opening=opening)
            assert least(rules, opening=opening, max_guesses=left) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules", [Rules(6, 2), Rules(2, 7), Rules(3, 4), Rules(3, 5, repeats=False)]
)
def test_larger_games_agree_with_the_plain_search(rules, plain):
    codes = list(rules.codes())
    for left in (None, 3, 4, 5):
        for method in METHODS:
            assert least(rules, max_guesses=left, method=method) == plain(rules, codes, left)


ENGINES = {}


def engine(rules, method="main", consistent=False):
    """An engine for the whole game; its memo is kept from test to test, as in a live game."""
    key = rules, method, consistent
    if key not in ENGINES:
        ENGINES[key] = Engine(rules, method=METHODS[method], consistent=consistent)
    return ENGINES[key]


POSITIONS = [
    CLASSIC,
    Rules(3, 8),
    Rules(5, 4),
    Rules(4, 6, repeats=False),
    Rules(4, 5, blanks=True),
]


@settings(max_examples=40, deadline=None)
@given(
    rules=st.sampled_from(POSITIONS),
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(1, 8),
    left=st.sampled_from([None, 2, 3, 4]),
    consistent=st.booleans(),
)
def test_sets_of_codes_agree_with_the_plain_search(rules, seed, size, left, consistent, plain):
    codes = np.sort(np.random.default_rng(seed).choice(rules.num_codes, size, replace=False))
    pegs = rules.code_array()[codes].tolist()
    expected = plain(rules, [rules.code(p) for p in pegs], left, consistent)
    for method in METHODS:
        assert engine(rules, method, consistent).solve(codes, left).cost == expected
    few = Engine(rules, codes, consistent=consistent)
    assert few.solve(codes, left).cost == expected


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), rules=st.sampled_from(POSITIONS))
def test_positions_of_a_game_cost_the_same_by_every_method(seed, rules):
    rng = np.random.default_rng(seed)
    secret = rules.random_code(rng)
    history = []
    codes = np.arange(rules.num_codes)
    while len(codes) > 60:
        guess = rules.random_code(rng)
        history.append((guess, rules.check_feedback(_answer(guess, secret))))
        codes = possible_codes(rules, history)
    costs = {engine(rules, method).solve(codes).cost for method in METHODS}
    costs.add(Engine(rules, codes).solve(codes).cost)
    assert len(costs) == 1


def _answer(guess, secret):
    from qmastermind.game import feedback

    return feedback(guess, secret)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(0, 4), rules=st.sampled_from(POSITIONS))
def test_possible_codes_are_those_that_agree_with_every_answer(seed, rows, rules):
    rng = np.random.default_rng(seed)
    secret = rules.random_code(rng)
    history = [(g, _answer(g, secret)) for g in (rules.random_code(rng) for _ in range(rows))]
    expected = [i for i, code in enumerate(rules.codes()) if is_consistent(code, history)]
    assert possible_codes(rules, history).tolist() == expected


QUICK = [c for c in PUBLISHED if c.rules.num_codes <= 1300]
LONG = [c for c in PUBLISHED if c not in QUICK]


@pytest.mark.parametrize("cell", QUICK, ids=lambda c: c.spec)
def test_published_totals(cell):
    found = find_optimum(cell.rules, max_guesses=cell.max_guesses)
    assert found.tree.total == PUBLISHED[cell].total
    assert cell.max_guesses is None or found.tree.max <= cell.max_guesses


@pytest.mark.parametrize("cell", LONG, ids=lambda c: c.spec)
def test_published_totals_of_large_games(cell):
    assert find_optimum(cell.rules).tree.total == PUBLISHED[cell].total


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cross"])
@pytest.mark.parametrize("cell", LONG, ids=lambda c: c.spec)
def test_published_totals_of_large_games_another_way(cell, method):
    assert find_optimum(cell.rules, method=method).tree.total == PUBLISHED[cell].total


def test_the_classic_game():
    best = find_optimum(CLASSIC)
    assert (best.tree.total, best.tree.max) == (5625, 6)
    assert best.effort.expanded <= 1500
    capped = find_optimum(CLASSIC, max_guesses=5)
    assert (capped.tree.total, capped.tree.max) == (5626, 5)
    assert find_optimum(CLASSIC, opening=CLASSIC.code("1122")).tree.total == 5702
    assert find_optimum(CLASSIC, opening=CLASSIC.code("4343")).tree.total == 5702
    with pytest.raises(ImpossibleError, match=r"no strategy after 1111 .* within 5 guesses"):
        find_optimum(CLASSIC, opening=CLASSIC.code("1111"), max_guesses=5)
    with pytest.raises(ImpossibleError, match="no strategy finds each of the 1,296 codes"):
        find_optimum(CLASSIC, max_guesses=4)


def test_consistent_guesses_cost_more_and_are_consistent():
    for method in METHODS:
        found = find_optimum(CLASSIC, consistent=True, method=method)
        assert found.tree.total == 5660  # two methods agree; the replay checks the guesses


def test_few_sets_with_many_colours():
    found = find_optimum(Rules(3, 10))
    assert found.tree.total == 5242
    assert found.effort.expanded <= 2500


def test_a_game_of_one_position_is_a_chain():
    assert find_optimum(Rules(1, 60)).tree.total == 60 * 61 // 2  # deeper than the first stack
    with pytest.raises(TooLargeError, match="one position and 250 colours"):
        find_optimum(Rules(1, 250))


def test_a_position_and_its_limits():
    history = [(CLASSIC.code("1122"), Feedback(1, 1)), (CLASSIC.code("1344"), Feedback(0, 2))]
    found = find_optimum(CLASSIC, history=history)
    assert found.tree.secrets == 37
    assert found.tree.total == engine(CLASSIC).solve(possible_codes(CLASSIC, history)).cost
    with pytest.raises(ImpossibleError, match="within 2 guesses"):
        find_optimum(CLASSIC, history=history, max_guesses=2)


def test_bad_requests():
    with pytest.raises(UsageError, match="at least 1 guess, not 0"):
        find_optimum(CLASSIC, max_guesses=0)
    history = [(CLASSIC.code("1122"), Feedback(0, 0))]
    with pytest.raises(UsageError, match="could not be the secret"):
        find_optimum(CLASSIC, history=history, opening=CLASSIC.code("1122"), consistent=True)
    with pytest.raises(TooLargeError, match=r"531,441 codes .* genetic, human"):
        find_optimum(Rules(6, 9))
    row = (CLASSIC.code("1122"), Feedback(2, 0))
    with pytest.raises(ConflictError, match=r"row 3, 1122 answered 2 black, 0 white"):
        find_optimum(CLASSIC, history=[(CLASSIC.code("3456"), Feedback(0, 2)), *history, row])


def test_a_limit_on_sets_can_be_lifted():
    fresh = Engine(CLASSIC)
    everything = np.arange(CLASSIC.num_codes)
    for _ in range(2):
        with pytest.raises(SetLimitError, match="within 100 sets"):
            fresh.solve(everything, set_limit=100)
    assert fresh.effort.expanded == 200
    assert fresh.solve(everything).cost == 5625
    assert fresh.effort.expanded == find_optimum(CLASSIC).effort.expanded


def test_unlimited_and_capped_results_do_not_mix():
    both = Engine(Rules(3, 3))
    everything = np.arange(27)
    for left in (None, 4, 3, 5, None, 4):
        assert both.solve(everything, left) == Engine(Rules(3, 3)).solve(everything, left)


def test_cells_are_the_games_they_name():
    assert Cell(4, 10, distinct=True).rules == Rules(4, 10, repeats=False)
    assert Cell(4, 6, max_guesses=5).name == "MM(4,6), at most 5"
