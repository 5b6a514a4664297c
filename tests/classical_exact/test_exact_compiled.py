"""The compiled parts of the search, each against its meaning."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.game import Rules
from qmastermind_classical.exact.arrays import answer_table
from qmastermind_classical.kernels import encode_all

GAMES = [Rules(3, 4), Rules(4, 4), Rules(3, 6, repeats=False), Rules(2, 7), Rules(5, 3)]


class Game:
    """What the kernels need of a game."""

    def __init__(self, rules):
        self.rules = rules
        self.pegs = rules.code_array()
        self.powers = rules.colours ** np.arange(rules.positions - 1, -1, -1)
        self.index_of = np.full(rules.colours**rules.positions, -1, dtype=np.int32)
        self.index_of[self.pegs @ self.powers] = np.arange(len(self.pegs))
        words = encode_all(rules)
        self.table = answer_table(words, words)
        self.answers = len(rules.feedbacks())

    def index(self, pegs):
        return self.index_of[np.asarray(pegs, dtype=np.int64) @ self.powers]

    def random_set(self, rng, size):
        size = min(size, len(self.pegs))
        return rng.choice(len(self.pegs), size, replace=False).astype(np.int32)

    def random_image(self, rng, codes):
        """The set under a random permutation of positions and colours, in random order."""
        pegs = self.pegs[codes][:, rng.permutation(self.rules.positions)]
        image = self.index(rng.permutation(self.rules.colours)[pegs])
        return rng.permutation(image).astype(np.int32)


@pytest.fixture(scope="module", params=GAMES, ids=str)
def game(request):
    return Game(request.param)


def relabelled(game, codes):
    from qmastermind_classical.exact._canonical import relabel, set_key

    new = codes.copy()
    positions = np.zeros(game.rules.positions, dtype=np.int64)
    colours = np.zeros(game.rules.colours, dtype=np.int64)
    relabel(new, game.pegs, game.index_of, game.rules.colours, positions, colours)
    key = np.zeros(2, dtype=np.uint64)
    set_key(new, np.uint64(7), key)
    return new, positions, colours, tuple(key.tolist())


@pytest.mark.parametrize("seed", range(20))
def test_relabelling_is_a_relabelling(game, seed):
    rng = np.random.default_rng(seed)
    codes = game.random_set(rng, int(rng.integers(1, 40)))
    new, positions, colours, _ = relabelled(game, codes)
    assert sorted(positions) == list(range(game.rules.positions))
    assert sorted(colours) == list(range(game.rules.colours))
    rank = np.argsort(colours)
    assert (new == game.index(rank[game.pegs[codes][:, positions]])).all()
    present = np.isin(np.arange(game.rules.colours), game.pegs[codes])
    assert not np.any(np.diff(present[colours].astype(int)) > 0)  # absent colours last


def test_equivalent_sets_get_one_key_and_others_another(game):
    rng = np.random.default_rng(5)
    trials = 200
    same = 0
    keys = {}
    for _ in range(trials):
        codes = game.random_set(rng, int(rng.integers(1, 30)))
        key = relabelled(game, codes)[3]
        image = relabelled(game, game.random_image(rng, codes))
        same += key == image[3]
        canonical = frozenset(relabelled(game, codes)[0].tolist())
        assert keys.setdefault(key, canonical) == canonical  # one key, one relabelled set
    assert same >= 0.97 * trials


def exchanges(game, codes):
    from qmastermind_classical.exact._scan import symmetries

    colours = np.zeros(game.rules.colours, dtype=np.int64)
    positions = np.zeros(game.rules.positions, dtype=np.int64)
    mark = np.zeros(len(game.pegs), dtype=np.int32)
    symmetries(
        codes, game.pegs, game.index_of, game.rules.repeats, mark, np.int32(1), colours, positions
    )
    return colours, positions


@pytest.mark.parametrize("seed", range(10))
def test_one_guess_of_each_kind_is_kept(game, seed):
    """Every guess has an equivalent that is kept: with the same multiset of (part, in the set)."""
    from qmastermind_classical.exact._scan import is_first

    rng = np.random.default_rng(seed)
    guess = game.random_set(rng, 1)[0]
    codes = np.flatnonzero(game.table[:, guess] == game.table[rng.integers(len(game.pegs)), guess])
    codes = codes.astype(np.int32)
    colours, positions = exchanges(game, codes)
    whole = set(codes.tolist())
    for colour, before in enumerate(colours):
        if before >= 0:
            swap = np.arange(game.rules.colours)
            swap[[colour, before]] = before, colour
            assert set(game.index(swap[game.pegs[codes]]).tolist()) == whole
        if before == -2:
            assert not (game.pegs[codes] == colour).any()
    for position, before in enumerate(positions):
        if before >= 0:
            order = np.arange(game.rules.positions)
            order[[position, before]] = before, position
            assert set(game.index(game.pegs[codes][:, order]).tolist()) == whole

    def kind(g):
        return tuple(sorted(np.bincount(game.table[codes, g], minlength=game.answers).tolist())), (
            g in whole
        )

    kept = [g for g in range(len(game.pegs)) if is_first(game.pegs[g], colours, positions)]
    assert {kind(g) for g in kept} == {kind(g) for g in range(len(game.pegs))}
    if seed == 0:  # the whole game: only first appearances in order are left
        everything = np.arange(len(game.pegs), dtype=np.int32)
        colours, positions = exchanges(game, everything)
        kept = [g for g in range(len(game.pegs)) if is_first(game.pegs[g], colours, positions)]
        assert len(kept) < len(game.pegs) / game.rules.colours


@pytest.mark.parametrize("sieve", [False, True])
@pytest.mark.parametrize("consistent", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_candidates_are_all_guesses_within_the_limit(game, seed, sieve, consistent):
    from qmastermind_classical.exact._scan import (
        BOUND_SHIFT,
        GUESS_MASK,
        INFINITE,
        LEVELS,
        candidates,
        histograms_and_caps,
        lower_bounds,
    )

    rng = np.random.default_rng(seed)
    codes = np.sort(game.random_set(rng, int(rng.integers(4, 30))))
    size, guesses = len(codes), len(game.pegs)
    hist = np.zeros((guesses, game.answers), dtype=np.uint16)
    wide = np.full((2, LEVELS), size, dtype=np.int64)
    caps = np.zeros((2, LEVELS), dtype=np.int64)
    histograms_and_caps(codes, game.table, wide, consistent, caps, hist)
    expected_hist = np.array(
        [np.bincount(game.table[codes, g], minlength=game.answers) for g in range(guesses)]
    )
    assert (hist == expected_hist).all()
    bounds = np.zeros(size + 1, dtype=np.int64)
    lower_bounds(caps, 1 << 20, consistent, bounds)
    totals = size + bounds[expected_hist[:, :-1]].sum(axis=1)
    useful = expected_hist[:, :-1].max(axis=1) < size
    if consistent:
        useful &= expected_hist[:, -1] > 0
    limit = int(np.median(totals[useful]))
    free = (
        np.full(game.rules.colours, -1, dtype=np.int64),
        np.full(game.rules.positions, -1, dtype=np.int64),
    )
    heap = np.zeros(guesses, dtype=np.int64)
    floor = np.zeros(3, dtype=np.int64)
    found = candidates(
        codes, game.table, game.answers, limit, bounds, not sieve, consistent, game.pegs, *free,
        hist, np.zeros(guesses, dtype=np.uint64), heap, floor,
    )  # fmt: skip
    items = {int(item & GUESS_MASK): int(item >> BOUND_SHIFT) for item in heap[:found]}
    wanted = np.flatnonzero(useful & (totals <= limit))
    assert items == {int(g): int(totals[g]) for g in wanted}
    assert heap[0] == min(heap[:found])
    others = totals[useful & (totals > limit)]
    assert floor[0] <= (others.min() if len(others) else INFINITE)
    assert floor[0] > limit


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), left=st.integers(1, 6), consistent=st.booleans())
def test_bounds_of_parts_are_bounds(seed, left, consistent, plain):
    """The bound from a set's caps is no more than the cost of any part of it."""
    from qmastermind_classical.exact._scan import LEVELS, histograms_and_caps, lower_bounds

    game = Game(Rules(3, 4))
    rng = np.random.default_rng(seed)
    codes = np.sort(game.random_set(rng, 14))
    wide = np.full((2, LEVELS), len(codes), dtype=np.int64)
    caps = np.zeros((2, LEVELS), dtype=np.int64)
    hist = np.zeros((len(game.pegs), game.answers), dtype=np.uint16)
    histograms_and_caps(codes, game.table, wide, consistent, caps, hist)
    bounds = np.zeros(len(codes) + 1, dtype=np.int64)
    lower_bounds(caps, left, consistent, bounds)
    for size in (1, 2, 3, 5, 8):
        part = rng.choice(codes, size, replace=False)
        pegs = [game.rules.code(p) for p in game.pegs[part].tolist()]
        cost = plain(game.rules, pegs, left, consistent)
        assert cost is None or bounds[size] <= cost


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(2, 8), left=st.integers(1, 5))
def test_what_the_small_set_rule_settles_is_the_cost(seed, size, left, plain):
    from qmastermind_classical.exact._cut import settle

    game = Game(Rules(3, 4))
    rng = np.random.default_rng(seed)
    codes = game.random_set(rng, size)
    pegs = [game.rules.code(p) for p in game.pegs[codes].tolist()]
    column_of = np.arange(len(game.pegs), dtype=np.int32)
    for consistent in (False, True):
        out = np.zeros(3, dtype=np.int64)
        cost = settle(codes, game.table, column_of, left, game.answers, consistent, out)
        expected = plain(game.rules, pegs, left, consistent)
        if cost:
            assert cost == (1 << 28 if expected is None else expected)
        else:
            assert expected is None or out[1] <= expected


def test_the_memo_finds_what_was_put_in():
    from qmastermind_classical.exact._memo import memo_slot
    from qmastermind_classical.exact.arrays import larger_memo, new_memo

    rng = np.random.default_rng(3)
    keys, values = new_memo(64)
    known = {}
    for number, low in enumerate(itertools.islice(itertools.cycle([5, 69, 133]), 36)):
        key = np.array([low, rng.integers(1, 1 << 60)], dtype=np.uint64)  # all in one chain
        slot = memo_slot(keys, key)
        assert (keys[slot] == 0).all()
        keys[slot], values[slot] = key, (number, -number)
        known[tuple(key.tolist())] = number
    for memo in ((keys, values), larger_memo((keys, values))):
        for key, number in known.items():
            slot = memo_slot(memo[0], np.array(key, dtype=np.uint64))
            assert memo[1][slot].tolist() == [number, -number]
