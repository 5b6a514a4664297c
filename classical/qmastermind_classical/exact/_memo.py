"""The memo of the exact search, compiled: a hash table of what is proved about each set.

Keys are 128 bits, in rows of two words; a row of zeros is free. A value is a row of two: the cost
times two, plus one if it is the cost and not only a lower bound of it; and the guess that attains
it, for the set as it was relabelled. Importing this module imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from qmastermind_classical.exact._canonical import relabel, set_key

UNLIMITED = 1 << 20
"""Guesses left, if there is no cap."""

# Words of ``settings``.
COLOURS, REPEATS, CONSISTENT, ANSWERS, SALT, RELABEL, EXCHANGE, SIEVE, TIGHT_ABOVE, REVERSE = range(
    10
)
SETTING_WORDS = 10


@njit("int64(uint64[:, ::1], uint64[::1])", cache=True, nogil=True)
def memo_slot(keys: Any, key: Any) -> Any:
    """The row of a key, or the free one where it belongs."""
    mask = np.uint64(keys.shape[0] - 1)
    slot = key[0] & mask
    while (keys[slot, 0] != key[0] or keys[slot, 1] != key[1]) and (
        keys[slot, 0] != 0 or keys[slot, 1] != 0
    ):
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@njit("void(uint64[:, ::1], int64[:, ::1], uint64[:, ::1], int64[:, ::1])", cache=True, nogil=True)
def memo_copy(keys: Any, values: Any, new_keys: Any, new_values: Any) -> None:
    """Enters all that is in one memo into another, empty one."""
    for old in range(keys.shape[0]):
        if keys[old, 0] != 0 or keys[old, 1] != 0:
            new = memo_slot(new_keys, keys[old])
            for i in range(2):
                new_keys[new, i] = keys[old, i]
                new_values[new, i] = values[old, i]


@njit(
    "int64(int32[::1], uint8[:, ::1], int32[::1], int64[::1], int64, int64, uint64[:, ::1],"
    " int64[:, ::1], uint64[::1], int64[::1], int64[::1], int64[::1])",
    cache=True,
    nogil=True,
)
def look_up(
    ids: Any,
    pegs: Any,
    index_of: Any,
    settings: Any,
    guesses_left: int,
    bound: int,
    memo_keys: Any,
    memo_values: Any,
    key: Any,
    position_order: Any,
    colour_order: Any,
    guess: Any,
) -> Any:
    """Relabels a set in place and looks it up.

    Args:
        ids: The set.
        pegs: Peg values of each code.
        index_of: Index of each number in base ``colours`` that is a code.
        settings: The settings of the search.
        guesses_left: How many guesses there are.
        bound: A lower bound of the cost that is known already.
        memo_keys: Keys of the memo.
        memo_values: Values of the memo.
        key: Output: the key.
        position_order: Output: see :func:`relabel`.
        colour_order: Output: see :func:`relabel`.
        guess: Output: ``guess[0]`` is the best guess of the relabelled set, if the cost is known.

    Returns:
        Twice the best lower bound, plus one if it is the cost.
    """
    if settings[RELABEL]:
        relabel(ids, pegs, index_of, settings[COLOURS], position_order, colour_order)
    salt = np.uint64(settings[SALT])
    if guesses_left < UNLIMITED // 2:
        salt += np.uint64(guesses_left)
    set_key(ids, salt, key)
    slot = memo_slot(memo_keys, key)
    if memo_keys[slot, 0] != 0 or memo_keys[slot, 1] != 0:
        known = memo_values[slot, 0]
        if known & 1 or known >> 1 > bound:
            guess[0] = memo_values[slot, 1]
            return known
    return bound << 1
