"""The plain search: what the exact solver is measured against."""

from functools import cache

import pytest

from qmastermind.game import feedback


def plain_cost(rules, codes, left=None, consistent=False, opening=None):
    """The least total for a set of codes: every guess, no symmetry, no bound.

    Sets are bit masks over ``codes``. The only memo is that of the very same set with the very
    same number of guesses left. None if it is impossible.
    """
    everything = list(rules.codes())
    win = (rules.positions, 0)
    cuts = []
    for guess in everything:
        masks = {}
        for bit, code in enumerate(codes):
            answer = feedback(guess, code)
            masks[answer] = masks.get(answer, 0) | 1 << bit
        cuts.append((masks.pop(win, 0), tuple(masks.values())))
    impossible = 10**9

    def after(mask, cut, left):
        won, parts = cut
        total = mask.bit_count()
        if consistent and not mask & won:
            return impossible
        for part in parts:
            rest = mask & part
            if rest == mask:
                return impossible  # it cuts nothing
            if rest:
                total += cost(rest, left - 1)
                if total >= impossible:
                    return impossible
        return total

    @cache
    def cost(mask, left):
        if left == 0:
            return impossible
        return min(after(mask, cut, left) for cut in cuts)

    whole = (1 << len(codes)) - 1
    left = len(codes) + 1 if left is None else left
    if opening is None:
        found = cost(whole, left)
    else:
        found = after(whole, cuts[everything.index(opening)], left)
    return None if found >= impossible else found


@pytest.fixture(scope="session")
def plain():
    return plain_cost
