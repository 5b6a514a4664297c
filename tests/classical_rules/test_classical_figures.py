"""Published and independently computed totals of the one-step rules, to the guess.

Sources are named beside the figures. "Two programs" means a pair of separate programs, one of
them plain Python, that agreed on the figure before this package was written.
"""

import pytest

from qmastermind.game import Rules
from qmastermind_classical.replay import replay
from qmastermind_classical.scores import get_score_rule

BULLS_AND_COWS = Rules(4, 10, repeats=False)


def walk(name, rules=None, **options):
    return replay(rules or Rules(), get_score_rule(name), **options)


# rule: total, found at guess 1, 2, 3, ..., opening, decisions, tied, tied across different cuts
ALL_CODES = {
    # Shapiro 1983
    "simple": (7471, (1, 4, 25, 108, 305, 602, 196, 49, 6), "1111", 626, None, None),
    # Knuth 1977
    "minimax": (5801, (1, 6, 62, 533, 694), "1122", 426, 426, 46),
    # Irving 1979; Kooi 2005
    "expected-size": (5696, (1, 10, 54, 645, 583, 3), "1123", 415, 408, 9),
    # the strategies page; two programs
    "entropy": (5722, (1, 4, 71, 612, 596, 12), "1234", 404, 375, 0),
    # Kooi 2005
    "most-parts": (5668, (1, 12, 72, 635, 569, 7), "1123", 363, 359, 41),
}


@pytest.mark.parametrize("name", ALL_CODES)
def test_classic_game_all_codes(name):
    total, distribution, opening, decisions, tied, across = ALL_CODES[name]
    found = walk(name)
    assert found.distribution == distribution
    assert (found.total, found.max, found.secrets) == (total, len(distribution), 1296)
    assert found.mean == total / 1296
    assert format(found.opening, "digits") == opening
    assert (found.decisions, found.tied, found.tied_across_cuts) == (decisions, tied, across)
    assert not found.forced


def test_classic_game_consistent_codes_only():
    """Two programs; the cost of 26 to 64 guesses is the strategies page's."""
    found = walk("minimax", consistent=True)
    assert found.distribution == (1, 12, 99, 468, 662, 54)
    assert found.total == 5828
    assert (found.decisions, found.tied, found.tied_across_cuts) == (476, 465, 30)
    cost = {
        name: walk(name, consistent=True).total - ALL_CODES[name][0]
        for name in ("minimax", "expected-size", "entropy", "most-parts")
    }
    assert (min(cost.values()), max(cost.values())) == (26, 64)
    assert walk("simple", consistent=True).total == 7471  # it guesses no others anyway


# 1111, 1112, 1122, 1123, 1234: two programs
OPENINGS = {
    "minimax": (6564, 5905, 5801, 5803, 5803),
    "expected-size": (6362, 5867, 5764, 5696, 5742),
    "entropy": (6365, 5824, 5739, 5680, 5722),
    "most-parts": (6365, 5836, 5728, 5668, 5759),
}


@pytest.mark.parametrize("name", OPENINGS)
def test_prescribed_openings(name):
    openings = ("1111", "1112", "1122", "1123", "1234")
    found = [walk(name, opening=opening) for opening in openings]
    assert tuple(f.total for f in found) == OPENINGS[name]
    assert all(f.forced for f in found)
    if name == "minimax":
        assert [f.max for f in found] == [6, 6, 5, 6, 6]
    if name == "expected-size":
        assert found[2].max == 5


def test_the_sixth_rule():
    """fancidev's program of 2023 gives 5778 for minimax that goes on to the next part."""
    found = walk("lexicographic")
    assert (found.total, found.max, found.tied_across_cuts) == (5778, 5, 0)


def test_entropy_is_not_one_number():
    """Exact 5722; as a float sum of p ln p, the published 5723 (Kooi 2005, Ville 2013)."""
    assert walk("entropy-p-ln-p").total == 5723
    for form in ("p-log2-p", "n-ln-n", "n-log2-n"):
        assert walk(f"entropy-{form}").total == 5722


def test_entropy_on_seven_colours():
    """Exact 11378 (two programs); 11382 is Ville's published figure, 11380 p ln p."""
    seven = Rules(4, 7)
    exact = walk("entropy", seven)
    assert (exact.total, exact.max) == (11378, 6)
    assert (exact.decisions, exact.tied, exact.tied_across_cuts) == (726, 687, 0)
    assert walk("entropy-p-log2-p", seven).total == 11382
    assert walk("entropy-p-ln-p", seven).total == 11380
    assert walk("entropy-n-ln-n", seven).total == 11378


def test_rule_of_the_article_over_all_secrets():
    """Minimax over possible codes, opening RGBY: two programs."""
    found = walk("minimax", consistent=True, opening="RGBY")
    assert found.distribution == (1, 13, 99, 487, 624, 71, 1)
    assert found.total == 5825


@pytest.mark.parametrize(
    ("name", "total"), [("lexicographic", 27030), ("expected-size", 26551), ("most-parts", 26751)]
)
def test_bulls_and_cows(name, total):
    """The totals of fancidev's C++ program of 2012, whose bonus for possible codes changes none
    of these three."""
    assert walk(name, BULLS_AND_COWS).total == total


def test_restriction_to_possible_codes_does_not_always_cost():
    assert (
        walk("minimax", BULLS_AND_COWS, consistent=True).total
        < walk("minimax", BULLS_AND_COWS).total
    )


def test_a_blank_is_a_colour_like_any_other():
    with_blank = walk("minimax", Rules(4, 7, blanks=True))
    assert with_blank.distribution == walk("minimax", Rules(4, 7)).distribution
    assert with_blank.secrets == 2401


@pytest.mark.slow
@pytest.mark.parametrize(("name", "total"), [("minimax", 183775), ("most-parts", 181834)])
def test_super_mastermind(name, total):
    """Totals on MM(5,8) shipped with mikemag's Mastermind (C++ and CUDA), opening 11223."""
    assert walk(name, Rules(5, 8), opening="11223").total == total
