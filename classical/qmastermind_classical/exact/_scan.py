"""How every guess cuts a set, compiled: bounds and candidates of the exact search.

A tree that finds m codes spends one guess on each code at its root, and one more for each code
that it has not found by then, and so on: its cost is the sum over levels j of m - cum(j), where
cum(j) codes are found within j guesses. The *caps* of a set are upper limits of cum(j) over all
first guesses, for a guess of the set (row 0) and for another code (row 1). They hold for every
subset, so that they give a lower bound for each part before it is looked at.

Importing this module imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from qmastermind_classical._jit import popcount

INFINITE = 1 << 28
"""The cost of what cannot be done within the guesses left."""
LEVELS = 10
"""How many levels the caps describe; deeper ones count as unlimited."""
BOUND_SHIFT = 42
SQUARES_SHIFT = 22
GUESS_MASK = (1 << SQUARES_SHIFT) - 1
"""A candidate is one word: its bound, the sum of squares of its parts (20 bits), the guess."""


@njit("void(int64[:, ::1], int64, boolean, int64[::1])", cache=True, nogil=True)
def lower_bounds(caps: Any, guesses_left: int, consistent: bool, out: Any) -> None:
    """Writes lower bounds of the cost of a part, for each size that ``out`` has room for."""
    out[0] = 0
    for size in range(1, out.size):
        best = INFINITE
        for kind in range(1 if consistent else 2):
            total = size
            if guesses_left <= 0:
                total = INFINITE
            else:
                for level in range(LEVELS):
                    rest = size - caps[kind, level]
                    if rest <= 0:
                        break
                    if level + 1 == guesses_left:
                        total = INFINITE
                        break
                    total += rest
            best = min(best, total)
        out[size] = best


@njit(
    "void(int32[::1], uint8[:, ::1], int32[::1], boolean, int32[::1], int32, int64[::1],"
    " int64[::1])",
    cache=True,
    nogil=True,
)
def symmetries(
    ids: Any,
    pegs: Any,
    index_of: Any,
    repeats: bool,
    mark: Any,
    stamp: int,
    previous_colour: Any,
    previous_position: Any,
) -> None:
    """Finds pairs of colours, and of positions, whose exchange maps the set onto itself.

    Args:
        ids: The set.
        pegs: Peg values of each code.
        index_of: Index of each number in base ``colours`` that is a code.
        repeats: Whether a colour may occur twice; then all colours that the set does not have
            stand for one.
        mark: Scratch, one word a code: on return ``stamp`` for the codes of the set.
        stamp: A number not yet in ``mark``.
        previous_colour: Output: the last smaller colour that the colour may be exchanged with,
            -1 if there is none, -2 for a colour that another one stands for.
        previous_position: Output: the last smaller position of that kind, or -1.
    """
    positions = pegs.shape[1]
    colours = previous_colour.size
    counts = np.zeros((positions, colours), dtype=np.int64)
    power = np.ones(positions, dtype=np.int64)
    for i in range(positions - 2, -1, -1):
        power[i] = power[i + 1] * colours
    for k in range(ids.size):
        mark[ids[k]] = stamp
        for i in range(positions):
            counts[i, pegs[ids[k], i]] += 1
    absent = -1
    for c in range(colours):
        previous_colour[c] = -1
        total = 0
        for i in range(positions):
            total += counts[i, c]
        if total == 0:
            if absent >= 0:
                previous_colour[c] = -2 if repeats else absent
            absent = c
            continue
        for d in range(c - 1, -1, -1):
            same = True
            for i in range(positions):
                if counts[i, c] != counts[i, d]:
                    same = False
                    break
            if not same:
                continue
            for k in range(ids.size):
                number = 0
                for i in range(positions):
                    peg = pegs[ids[k], i]
                    number += power[i] * (d if peg == c else c if peg == d else peg)
                other = index_of[number]
                if other < 0 or mark[other] != stamp:
                    same = False
                    break
            if same:
                previous_colour[c] = d
                break
    for i in range(positions):
        previous_position[i] = -1
        for j in range(i - 1, -1, -1):
            same = True
            for c in range(colours):
                if counts[i, c] != counts[j, c]:
                    same = False
                    break
            if not same:
                continue
            for k in range(ids.size):
                number = 0
                for n in range(positions):
                    m = j if n == i else i if n == j else n
                    number += power[n] * pegs[ids[k], m]
                other = index_of[number]
                if other < 0 or mark[other] != stamp:
                    same = False
                    break
            if same:
                previous_position[i] = j
                break


@njit("boolean(uint8[::1], int64[::1], int64[::1])", cache=True, nogil=True)
def is_first(guess: Any, previous_colour: Any, previous_position: Any) -> bool:
    """Whether no exchange found by :func:`symmetries` makes the guess lexically smaller.

    The lexically first of all equivalent guesses always passes.
    """
    for i in range(guess.size):
        c = guess[i]
        before = previous_colour[c]
        if before == -2:
            return False
        if before >= 0:
            seen = False
            for j in range(i):
                if guess[j] == before:
                    seen = True
                    break
            if not seen:
                return False
        if previous_position[i] >= 0 and guess[previous_position[i]] > c:
            return False
    return True


@njit("void(int64[::1], int64, int64)", cache=True, nogil=True)
def sift(heap: Any, place: int, size: int) -> None:
    """Moves the item at ``place`` down to where the heap (smallest first) wants it."""
    item = heap[place]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= item:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = item


@njit(
    "void(int32[::1], uint8[:, ::1], int64[:, ::1], boolean, int64[:, ::1], uint16[:, ::1])",
    cache=True,
    nogil=True,
)
def histograms_and_caps(
    ids: Any, table: Any, parent: Any, consistent: bool, caps: Any, hist: Any
) -> None:
    """Counts the parts of every guess, and takes the caps of the set from them.

    Args:
        ids: The set.
        table: Answer index of each pair of codes.
        parent: Caps of a set that this one is a subset of.
        consistent: Whether only codes of the set may be guessed.
        caps: Output: the caps, shape ``(2, LEVELS)``.
        hist: Output: part sizes of each guess; the winning part is the last column.
    """
    size = ids.size
    answers = hist.shape[1]
    win = answers - 1
    block = 256  # guesses, so that their counters stay in the first cache
    for low in range(0, hist.shape[0], block):
        high = min(low + block, hist.shape[0])
        for g in range(low, high):
            for a in range(answers):
                hist[g, a] = 0
        for k in range(size):
            row = table[ids[k]]
            for g in range(low, high):
                hist[g, row[g]] += np.uint16(1)
    levels = 2  # a cap that is no less than the size says nothing
    while levels < LEVELS and max(parent[0, levels - 2], parent[1, levels - 2]) < size:
        levels += 1
    for kind in range(2):
        for level in range(LEVELS):
            caps[kind, level] = 0 if level < levels else size
    caps[0, 0] = 1
    for g in range(hist.shape[0]):
        member = np.int64(hist[g, win])
        if consistent and not member:
            continue
        for level in range(1, levels):
            cap = max(parent[0, level - 1], parent[1, level - 1])
            total = 0
            for a in range(win):
                total += min(np.int64(hist[g, a]), cap)
            caps[1, level] = max(caps[1, level], total)
            if member:
                caps[0, level] = max(caps[0, level], total + 1)


@njit(
    "int64(int32[::1], uint8[:, ::1], int64, int64, int64[::1], boolean, boolean, uint8[:, ::1],"
    " int64[::1], int64[::1], uint16[:, ::1], uint64[::1], int64[::1], int64[::1])",
    cache=True,
    nogil=True,
)
def candidates(
    ids: Any,
    table: Any,
    answers: int,
    limit: int,
    bounds: Any,
    have_hist: bool,
    consistent: bool,
    pegs: Any,
    previous_colour: Any,
    previous_position: Any,
    hist: Any,
    seen: Any,
    heap: Any,
    floor: Any,
) -> Any:
    """Makes the heap of guesses whose lower bound is at most ``limit``.

    Args:
        ids: The set.
        table: Answer index of each pair of codes.
        answers: Number of answers; the last is the winning one.
        limit: The largest bound of interest.
        bounds: Lower bound of a part of each size.
        have_hist: Whether ``hist`` is filled. If not, guesses are first sieved by the number of
            their parts, 64 answers to a word.
        consistent: Whether only codes of the set may be guessed.
        pegs: Peg values of each code.
        previous_colour: From :func:`symmetries`.
        previous_position: From :func:`symmetries`.
        hist: Part sizes; scratch without ``have_hist``.
        seen: Scratch, one word a guess.
        heap: Output.
        floor: Output: ``floor[0]`` is a lower bound for all guesses that are not in the heap.

    Returns:
        The size of the heap.
    """
    size = ids.size
    win = answers - 1
    guesses = table.shape[1]
    low = INFINITE
    found = 0
    shift = 0
    while (size * size) >> shift >= 1 << (BOUND_SHIFT - SQUARES_SHIFT):
        shift += 1
    if not have_hist:
        for g in range(guesses):
            seen[g] = 0
        for k in range(size):
            row = table[ids[k]]
            for g in range(guesses):
                seen[g] |= np.uint64(1) << np.uint64(row[g])
    for g in range(guesses):
        if have_hist:
            if consistent and hist[g, win] == 0:
                continue
            at = g
        else:
            member = np.int64((seen[g] >> np.uint64(win)) & np.uint64(1))
            if consistent and not member:
                continue
            # every code costs one guess now, every code not found now one more, and every code
            # that is not the first of its part a third
            bound = 3 * size - member - popcount(seen[g])
            if bound > limit:
                low = min(low, bound)
                continue
            at = 0
            for a in range(answers):
                hist[0, a] = 0
            for k in range(size):
                hist[0, table[ids[k], g]] += np.uint16(1)
        total = size
        squares = 0
        largest: Any = 0
        for a in range(win):
            part: Any = np.int64(hist[at, a])
            total += bounds[part]
            squares += part * part
            largest = max(largest, part)
        if largest == size:
            continue  # it cuts nothing
        if total > limit:
            low = min(low, total)
            continue
        if not is_first(pegs[g], previous_colour, previous_position):
            continue
        heap[found] = (total << BOUND_SHIFT) | ((squares >> shift) << SQUARES_SHIFT) | g
        found += 1
    for i in range(found // 2 - 1, -1, -1):
        sift(heap, i, found)
    floor[0] = low
    return found
