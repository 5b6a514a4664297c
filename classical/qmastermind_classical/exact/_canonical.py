"""Relabelling a set of codes, compiled: the memo key of the exact search.

Two sets that differ by a permutation of positions and one of colours cost the same, so the search
relabels each set before it looks it up. Labels come from colour refinement (Weisfeiler and Leman):
positions and colours are hashed by the codes they are in, codes by their positions and colours,
and where two positions or two colours stay equal, one is set apart and the hashes are refined
again. If the two are equal by a symmetry of the set, either choice gives the same result; if not,
two equivalent sets may get different names. That costs a search, and never an error: the key is a
128-bit hash of the relabelled codes themselves.

Importing this module imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_ABSENT = np.uint64(0xFFFFFFFFFFFFFFFF)
_MAX_ROUNDS = 24


@njit("uint64(uint64)", cache=True, nogil=True, inline="always")
def mix(x: Any) -> Any:
    """A bijection of 64-bit words that spreads every bit (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(
    "void(int32[::1], uint8[:, ::1], uint64[::1], uint64[::1], uint64[::1], uint64[::1])",
    cache=True,
    nogil=True,
)
def _refine(ids: Any, pegs: Any, hp: Any, hc: Any, new_hp: Any, new_hc: Any) -> None:
    """One round: codes hashed by positions and colours, then these by the codes."""
    positions = hp.size
    colours = hc.size
    for i in range(positions):
        new_hp[i] = mix(hp[i])
    for c in range(colours):
        new_hc[c] = mix(hc[c])
    for k in range(ids.size):
        code = ids[k]
        h = np.uint64(0)
        for i in range(positions):
            h += mix(hp[i] ^ (hc[pegs[code, i]] * np.uint64(0x9E3779B97F4A7C15)))
        for i in range(positions):
            t = mix(mix(h ^ hp[i]) + hc[pegs[code, i]])
            new_hc[pegs[code, i]] += t
            new_hp[i] += t
    for i in range(positions):
        hp[i] = new_hp[i]
    for c in range(colours):
        if hc[c] != _ABSENT:
            hc[c] = new_hc[c] >> np.uint64(1)


@njit("int64(uint64[::1])", cache=True, nogil=True)
def _first_tie(hashes: Any) -> int:
    """Index of an element of the smallest hash that occurs twice, or -1."""
    found = -1
    for i in range(hashes.size):
        if hashes[i] != _ABSENT and (found < 0 or hashes[i] < hashes[found]):
            for j in range(i + 1, hashes.size):
                if hashes[j] == hashes[i]:
                    found = i
                    break
    return found


@njit("void(uint64[::1], int64[::1])", cache=True, nogil=True)
def _order(hashes: Any, order: Any) -> None:
    """Indices by increasing hash, ties by index."""
    for i in range(hashes.size):
        j = i
        while j > 0 and hashes[order[j - 1]] > hashes[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i


@njit(
    "void(int32[::1], uint8[:, ::1], int32[::1], int64, int64[::1], int64[::1])",
    cache=True,
    nogil=True,
)
def relabel(
    ids: Any,
    pegs: Any,
    index_of: Any,
    colours: int,
    position_order: Any,
    colour_order: Any,
) -> None:
    """Relabels a set in place.

    Args:
        ids: The set, as indices of codes in lexical order.
        pegs: Peg values of each index.
        index_of: Index of each number in base ``colours`` that is a code.
        colours: Number of colours.
        position_order: Output: new position ``i`` is the old ``position_order[i]``.
        colour_order: Output: new colour ``c`` is the old ``colour_order[c]``. Colours that occur
            nowhere in the set come last.
    """
    positions = pegs.shape[1]
    hp = np.zeros(positions, dtype=np.uint64)
    hc = np.zeros(colours, dtype=np.uint64)
    new_hp = np.zeros(positions, dtype=np.uint64)
    new_hc = np.zeros(colours, dtype=np.uint64)
    counts = np.zeros((positions, colours), dtype=np.int64)
    for k in range(ids.size):
        for i in range(positions):
            counts[i, pegs[ids[k], i]] += 1
    for i in range(positions):
        for c in range(colours):
            if counts[i, c] > 0:
                hp[i] += mix(np.uint64(counts[i, c]))
    for c in range(colours):
        present = False
        for i in range(positions):
            if counts[i, c] > 0:
                present = True
                hc[c] += mix(np.uint64(counts[i, c]) + mix(hp[i]))
        hc[c] = hc[c] >> np.uint64(1) if present else _ABSENT
    _refine(ids, pegs, hp, hc, new_hp, new_hc)
    for _ in range(_MAX_ROUNDS):
        i = _first_tie(hp)
        if i >= 0:
            hp[i] = mix(hp[i] + np.uint64(1))
        else:
            c = _first_tie(hc)
            if c < 0:
                break
            hc[c] = mix(hc[c] + np.uint64(1)) >> np.uint64(1)
        _refine(ids, pegs, hp, hc, new_hp, new_hc)
    _order(hp, position_order)
    _order(hc, colour_order)
    rank = np.zeros(colours, dtype=np.int64)
    for c in range(colours):
        rank[colour_order[c]] = c
    for k in range(ids.size):
        number = 0
        for i in range(positions):
            number = number * colours + rank[pegs[ids[k], position_order[i]]]
        ids[k] = index_of[number]


@njit("void(int32[::1], uint64, uint64[::1])", cache=True, nogil=True)
def set_key(ids: Any, salt: Any, key: Any) -> None:
    """Writes the 128-bit key of a set, whatever the order of its codes."""
    a = mix(salt + np.uint64(0x9E3779B97F4A7C15))
    b = mix(a)
    first = np.uint64(0)
    second = np.uint64(0)
    for k in range(ids.size):
        code = np.uint64(ids[k])
        first += mix(a + code)
        second += mix(b ^ (code * np.uint64(0xD6E8FEB86659FD93)))
    key[0] = first
    key[1] = second
