"""One guess of the exact search, compiled: the parts it makes, and what is known of them.

Importing this module imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from qmastermind_classical._jit import popcount
from qmastermind_classical.exact._memo import ANSWERS, CONSISTENT, REVERSE, look_up
from qmastermind_classical.exact._scan import INFINITE


@njit(
    "int64(int32[::1], uint8[:, ::1], int32[::1], int64, int64, boolean, int64[::1])",
    cache=True,
    nogil=True,
)
def settle(
    ids: Any,
    table: Any,
    column_of: Any,
    guesses_left: int,
    most_parts: int,
    consistent: bool,
    out: Any,
) -> Any:
    """The small-set rule: tries the codes of the set only.

    A guess of the set that tells all n codes apart costs 2n - 1, which nothing beats; one that
    makes n - 1 parts costs 2n, which only the former beats, since another code costs 2n at least.

    Args:
        ids: The set, of 2 codes or more.
        table: Answer index of each row (code) and column (guess).
        column_of: Column of each row.
        guesses_left: How many guesses there are.
        most_parts: No guess makes more parts of this set.
        consistent: Whether only codes of the set may be guessed.
        out: Output: a guess, as a column, and a lower bound.

    Returns:
        The cost if it is settled, else 0.
    """
    size = ids.size
    most = 0
    for g in range(size):
        column = column_of[ids[g]]
        seen = np.uint64(0)
        for k in range(size):
            seen |= np.uint64(1) << np.uint64(table[ids[k], column])
        parts = popcount(seen)
        if parts > most:
            most = parts
            out[0] = column
            if parts == size:
                break
    if guesses_left < 2:
        out[1] = INFINITE
        return INFINITE
    if most == size:
        out[1] = 2 * size - 1
        return 2 * size - 1
    if most == size - 1 and guesses_left >= 3:
        out[1] = 2 * size
        return 2 * size
    out[1] = 3 * size - 1 - most
    if not consistent:
        out[1] = min(out[1], 2 * size + max(0, size - most_parts))
    return 0


@njit(
    "int64(int32[::1], int32[::1], int64[::1], uint8[:, ::1], int64, int64)",
    cache=True,
    nogil=True,
)
def sort_by_answer(ids: Any, parts: Any, offsets: Any, table: Any, guess: int, answers: int) -> Any:
    """Sorts a set into the parts that a guess cuts it into, without the winning one.

    Args:
        ids: The set.
        parts: Output: its codes, part after part.
        offsets: Output: where each part begins, and after the last one the end.
        table: Answer index of each row (code) and column (guess).
        guess: The guess, as a column.
        answers: Number of answers; the last is the winning one.

    Returns:
        The number of parts.
    """
    place = np.zeros(answers, dtype=np.int64)
    for k in range(ids.size):
        place[table[ids[k], guess]] += 1
    number = 0
    at = 0
    for a in range(answers - 1):
        if place[a] > 0:
            offsets[number] = at
            at += place[a]
            place[a] = offsets[number]
            number += 1
    offsets[number] = at
    for k in range(ids.size):
        a = table[ids[k], guess]
        if a != answers - 1:
            parts[place[a]] = ids[k]
            place[a] += 1
    return number


@njit(
    "int64(int32[::1], int64[::1], int64, int64, int64, int64, int64[::1], int64[::1],"
    " uint8[:, ::1], uint8[:, ::1], int32[::1], int32[::1], int64[::1], int64[::1], int64[::1],"
    " uint64[:, ::1], uint64[:, ::1], int64[:, ::1], int64[::1])",
    cache=True,
    nogil=True,
)
def weigh(
    codes: Any,
    offsets: Any,
    number: int,
    guesses_left: int,
    most_parts: int,
    limit: int,
    bounds: Any,
    values: Any,
    table: Any,
    pegs: Any,
    index_of: Any,
    column_of: Any,
    settings: Any,
    order: Any,
    labels: Any,
    keys: Any,
    memo_keys: Any,
    memo_values: Any,
    out: Any,
) -> Any:
    """Adds up what is known of the parts of a cut; relabels those it looks up.

    Stops as soon as the sum reaches ``limit``.

    Args:
        codes: The parts, one after the other.
        offsets: Where each begins.
        number: How many parts there are.
        guesses_left: How many guesses there are for a part.
        most_parts: No guess makes more parts of any of them.
        limit: A sum that is of no interest.
        bounds: Lower bound of a part of each size.
        values: Output: for each part twice its lower bound, plus one if that is its cost.
        table: Answer index of each row (code) and column (guess).
        pegs: Peg values of each row.
        index_of: Row of each number in base ``colours``.
        column_of: Column of each row.
        settings: The settings of the search.
        order: Output: the parts whose cost is not known, in the order to search them.
        labels: Scratch, one word a position and one a colour.
        keys: Output: the key of each part in ``order``.
        memo_keys: Keys of the memo.
        memo_values: Values of the memo.
        out: Output: the sum, the length of ``order``, and how many parts the small-set rule
            settled.

    Returns:
        The sum.
    """
    answers = settings[ANSWERS]
    position_order = labels[: pegs.shape[1]]
    colour_order = labels[pegs.shape[1] :]
    total = 0
    settled = 0
    for q in range(number):
        bound = bounds[offsets[q + 1] - offsets[q]]
        values[q] = bound << 1
        total += bound
    for q in range(number):
        if total >= limit:
            break
        part = offsets[q + 1] - offsets[q]
        if part <= 2 or part > answers:
            continue
        bound = values[q] >> 1
        cost = settle(
            codes[offsets[q] : offsets[q + 1]], table, column_of, guesses_left, most_parts,
            settings[CONSISTENT] != 0, out,
        )  # fmt: skip
        if cost > 0:
            settled += 1
            values[q] = (cost << 1) | 1
        else:
            cost = max(bound, out[1])
            values[q] = cost << 1
        total += cost - bound
    unknown = 0
    for q in range(number):
        if total >= limit:
            break
        part = offsets[q + 1] - offsets[q]
        if part <= 2 or values[q] & 1:
            continue
        bound = values[q] >> 1
        values[q] = look_up(
            codes[offsets[q] : offsets[q + 1]], pegs, index_of, settings, guesses_left, bound,
            memo_keys, memo_values, keys[q], position_order, colour_order, out,
        )  # fmt: skip
        total += (values[q] >> 1) - bound
        if not values[q] & 1:
            place = unknown  # small parts first, or last
            while place > 0:
                other = order[place - 1]
                more = offsets[other + 1] - offsets[other] - part
                if (more >= 0) if settings[REVERSE] else (more <= 0):
                    break
                order[place] = other
                place -= 1
            order[place] = q
            unknown += 1
    out[0] = total
    out[1] = unknown
    out[2] = settled
    return total
