"""The strategies against their definition, written down once more in plain Python."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.game import Rules, feedback
from qmastermind_classical.replay import replay
from qmastermind_classical.scores import SCORE_RULES, get_score_rule
from qmastermind_classical.strategy import Strategy

GAMES = [
    Rules(3, 4),
    Rules(2, 5),
    Rules(4, 3),
    Rules(3, 4, blanks=True),
    Rules(3, 5, repeats=False),
    Rules(4, 4, repeats=False),
    Rules(5, 2),
    Rules(1, 6),
]


def float_sum(sizes, term):
    total = 0.0
    for size in sizes:
        total += term(size)
    return total


def score(name, sizes):
    """Smaller is better; ``sizes`` in increasing order of the answers."""
    n = sum(sizes)
    return {
        "simple": lambda: 0,
        "minimax": lambda: max(sizes),
        "expected-size": lambda: sum(m * m for m in sizes),
        "entropy": lambda: math.prod(m**m for m in sizes),
        "most-parts": lambda: -len(sizes),
        "lexicographic": lambda: sorted(sizes, reverse=True),
        "entropy-p-ln-p": lambda: float_sum(sizes, lambda m: m / n * math.log(m / n)),
        "entropy-p-log2-p": lambda: float_sum(sizes, lambda m: m / n * math.log2(m / n)),
        "entropy-n-ln-n": lambda: float_sum(sizes, lambda m: m * math.log(m)),
        "entropy-n-log2-n": lambda: float_sum(sizes, lambda m: m * math.log2(m)),
    }[name]()


def cut(guess, possible):
    parts = {}
    for code in possible:
        parts.setdefault(feedback(guess, code), []).append(code)
    return dict(sorted(parts.items()))


def decide(name, codes, possible, consistent):
    """The guess, and the guesses that reach the best score."""
    if len(possible) == 1 or name == "simple":
        return possible[0], [possible[0]]
    candidates = possible if consistent else codes
    scores = [score(name, [len(p) for p in cut(g, possible).values()]) for g in candidates]
    best = [g for g, s in zip(candidates, scores, strict=True) if s == min(scores)]
    return next((g for g in best if g in set(possible)), best[0]), best


def walk(name, rules, consistent, opening=None):
    codes = list(rules.codes())
    found, counts = Counter(), Counter()

    def visit(possible, depth):
        guess, best = decide(name, codes, possible, consistent)
        prescribed = depth == 1 and opening is not None
        if prescribed:
            guess = opening
        if len(possible) > 1:
            counts["decisions"] += 1
            if len(best) > 1 and not prescribed:
                counts["tied"] += 1
                shapes = {tuple(sorted(len(p) for p in cut(g, possible).values())) for g in best}
                counts["across"] += len(shapes) > 1
        for answer, part in cut(guess, possible).items():
            if answer.black == rules.positions:
                found[depth] += 1
            else:
                visit(part, depth + 1)

    visit(codes, 1)
    return tuple(found[d] for d in range(1, max(found) + 1)), counts


@pytest.mark.parametrize("rules", GAMES, ids=str)
@pytest.mark.parametrize("name", SCORE_RULES)
def test_whole_trees(name, rules):
    for consistent in (False, True):
        distribution, counts = walk(name, rules, consistent)
        found = replay(rules, get_score_rule(name), consistent)
        assert found.distribution == distribution
        assert found.decisions == counts["decisions"]
        if name == "simple":
            assert found.tied is None
            assert found.tied_across_cuts is None
        else:
            assert (found.tied, found.tied_across_cuts) == (counts["tied"], counts["across"])


@pytest.mark.parametrize("opening", ["121", "444", "324"])
def test_whole_tree_after_a_prescribed_opening(opening):
    rules = Rules(3, 4)
    distribution, counts = walk("minimax", rules, False, rules.code(opening))
    found = replay(rules, get_score_rule("minimax"), opening=opening)
    assert found.distribution == distribution
    assert (found.decisions, found.tied) == (counts["decisions"], counts["tied"])


@pytest.mark.parametrize("name", ["minimax", "entropy", "most-parts"])
@settings(max_examples=30)
@given(data=st.data())
def test_choice_on_any_set(name, data):
    """Sets that follow from no guesses: nothing may be left out as equivalent."""
    rules = data.draw(st.sampled_from([Rules(3, 4), Rules(3, 5, repeats=False)]))
    strategy = Strategy(rules, get_score_rule(name), consistent=data.draw(st.booleans()))
    chosen = data.draw(st.sets(st.integers(0, rules.num_codes - 1), min_size=1, max_size=25))
    possible = np.array(sorted(chosen))
    codes = list(rules.codes())
    guess, best = decide(name, codes, [codes[i] for i in possible], strategy.consistent)
    choice = strategy.choose(possible)
    assert strategy.code(choice.guess) == guess
    assert choice.ties == len(best)


def test_chunks_of_candidates_change_nothing(monkeypatch):
    whole = replay(Rules(3, 5), get_score_rule("entropy"))
    monkeypatch.setattr("qmastermind_classical.strategy._CHUNK", 70)
    assert replay(Rules(3, 5), get_score_rule("entropy")) == whole


part_sizes = st.lists(
    st.lists(st.integers(0, 400), min_size=5, max_size=5).filter(any), min_size=1, max_size=12
)


@given(rows=part_sizes)
def test_exact_entropy_compares_the_integers(rows):
    products = [math.prod(n**n for n in row) for row in rows]
    best = [i for i, p in enumerate(products) if p == min(products)]
    parts = np.array(rows, dtype=np.int32)
    assert get_score_rule("entropy").best(parts).tolist() == best


def test_exact_entropy_tells_nearly_equal_products_apart():
    """The two closest products of three parts that sum to 100, either way round."""
    sizes = range(1, 60)
    by_log = sorted(
        (sum(n * math.log(n) for n in (a, b, c)), (a, b, c))
        for a in sizes
        for b in sizes
        for c in sizes
        if a <= b <= c and a + b + c == 100
    )
    rows = [parts for _, parts in by_log]
    close = min(range(len(rows) - 1), key=lambda i: by_log[i + 1][0] - by_log[i][0])
    for pair in (rows[close : close + 2], rows[close + 1 : close - 1 : -1]):
        products = [math.prod(n**n for n in row) for row in pair]
        best = [i for i, p in enumerate(products) if p == min(products)]
        chosen = get_score_rule("entropy").best(np.array(pair, dtype=np.int32)).tolist()
        assert chosen == best


def test_floats_break_ties_of_equal_cuts():
    """The reason for the exact rule: one multiset of parts, two float sums."""
    rows = np.array([[1, 2, 3, 16, 9, 25], [25, 9, 16, 3, 2, 1]], dtype=np.int32)
    orders = [
        np.array([row, row[::-1]], dtype=np.int32)
        for row in np.random.default_rng(0).integers(1, 60, size=(200, 8))
    ]
    exact = get_score_rule("entropy").best
    assert all(len(exact(order)) == 2 for order in [rows, *orders])
    floats = get_score_rule("entropy-p-ln-p").best
    assert any(len(floats(order)) == 1 for order in orders)


def test_many_colours():
    """Far more orbits of renamings than a machine integer counts, none of them needed."""
    found = replay(Rules(1, 200), get_score_rule("minimax"))
    assert found.total == 200 * 201 // 2
    assert found.tied == 199
