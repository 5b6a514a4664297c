"""The exact search, compiled: depth first, with its stack in arrays.

The stack is explicit so that the search can stop after any number of sets, be saved, and go on as
if nothing had happened; besides, numba cannot reliably load a recursive function from its cache
(numba issue 6061).

Depth d has one set, ``codes[d, start:start + size]`` with the values of a frame. Its children, the
parts that the guess in hand cuts it into, are at depth d + 1. Importing this module imports numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from qmastermind_classical.exact._cut import sort_by_answer, weigh
from qmastermind_classical.exact._memo import (
    ANSWERS,
    COLOURS,
    CONSISTENT,
    EXCHANGE,
    REPEATS,
    SIEVE,
    TIGHT_ABOVE,
    memo_slot,
)
from qmastermind_classical.exact._scan import (
    BOUND_SHIFT,
    GUESS_MASK,
    INFINITE,
    LEVELS,
    candidates,
    histograms_and_caps,
    lower_bounds,
    sift,
    symmetries,
)

# Words of ``control``: what is counted, when to stop, where the search stands, what it found.
EXPANDED, SETTLED, CUTS, MEMO_USED, MEMO_LIMIT, STOP_AT, DEPTH, PHASE, STAMP, VALUE, GUESS = range(
    11
)
CONTROL_WORDS = 11
# Words of a frame: the set and what is asked of it; the best so far; the guess in hand.
START, SIZE, LEFT, BUDGET, ASKED_AS, HEAP, FLOOR, BEST, BEST_GUESS = range(9)
TRIED, TOTAL, OPEN, NEXT, TIGHT = range(9, 14)
FRAME_WORDS = 14
# Phases: a set is entered; cut by the next guess; its parts are searched; it is left.
ENTER, CUT, PART, LEAVE = range(4)
# Why :func:`run` returned.
DONE, PAUSED, MEMO_FULL, TOO_DEEP = range(4)


@njit(
    "int64(int64[:, ::1], int32[:, ::1], uint64[:, ::1], int64[:, ::1], int64[:, :, ::1],"
    " int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[:, ::1], uint64[:, :, ::1],"
    " uint8[:, ::1], uint8[:, ::1], uint8[:, ::1], int32[::1], int32[::1], int64[::1],"
    " int64[::1], int32[::1], uint16[:, ::1], uint64[::1], uint64[:, ::1], int64[:, ::1])",
    cache=True,
    nogil=True,
)
def run(
    frames: Any,
    codes: Any,
    frame_keys: Any,
    heaps: Any,
    caps: Any,
    bounds: Any,
    offsets: Any,
    values: Any,
    order: Any,
    part_keys: Any,
    table: Any,
    pegs: Any,
    guess_pegs: Any,
    index_of: Any,
    column_of: Any,
    settings: Any,
    control: Any,
    mark: Any,
    hist: Any,
    seen: Any,
    memo_keys: Any,
    memo_values: Any,
) -> Any:
    """Goes on with the search until it is done or has to stop.

    The arguments are the arrays of :class:`qmastermind_classical.exact.engine.Engine`, where they
    are described.
    """
    answers = settings[ANSWERS]
    consistent = settings[CONSISTENT] != 0
    scratch = np.zeros(3, dtype=np.int64)
    labels = np.zeros(pegs.shape[1] + settings[COLOURS], dtype=np.int64)
    previous_colour = np.full(settings[COLOURS], -1, dtype=np.int64)
    previous_position = np.full(pegs.shape[1], -1, dtype=np.int64)
    depth = control[DEPTH]
    phase = control[PHASE]
    while True:
        frame = frames[depth]
        child = depth + 1
        size = frame[SIZE]
        ids = codes[depth, frame[START] : frame[START] + size]
        heap = heaps[depth]

        if phase == ENTER:
            control[DEPTH] = depth
            control[PHASE] = ENTER
            if control[EXPANDED] >= control[STOP_AT]:
                return PAUSED
            if control[MEMO_USED] >= control[MEMO_LIMIT]:
                return MEMO_FULL
            if child + 1 >= frames.shape[0]:
                return TOO_DEEP
            control[EXPANDED] += 1
            if settings[EXCHANGE]:
                control[STAMP] += 1
                symmetries(
                    ids, pegs, index_of, settings[REPEATS] != 0, mark, np.int32(control[STAMP]),
                    previous_colour, previous_position,
                )  # fmt: skip
            large = size > settings[SIEVE]
            if large:
                histograms_and_caps(ids, table, caps[depth], consistent, caps[child], hist)
            else:
                for kind in range(2):
                    for level in range(LEVELS):
                        caps[child, kind, level] = caps[depth, kind, level]
            lower_bounds(caps[child], frame[LEFT] - 1, consistent, bounds[child, : size + 1])
            frame[HEAP] = candidates(
                ids, table, answers, frame[BUDGET], bounds[child], large, consistent, guess_pegs,
                previous_colour, previous_position, hist, seen, heap, scratch,
            )  # fmt: skip
            frame[FLOOR] = scratch[0]
            frame[BEST] = frame[BUDGET] + 1
            frame[BEST_GUESS] = -1
            phase = CUT

        elif phase == CUT:
            if frame[HEAP] == 0:
                phase = LEAVE
                continue
            item = heap[0]
            if item >> BOUND_SHIFT >= frame[BEST]:
                frame[FLOOR] = min(frame[FLOOR], item >> BOUND_SHIFT)
                phase = LEAVE
                continue
            frame[HEAP] -= 1
            heap[0] = heap[frame[HEAP]]
            sift(heap, 0, frame[HEAP])
            frame[TRIED] = item & GUESS_MASK
            number = sort_by_answer(ids, codes[child], offsets[child], table, frame[TRIED], answers)
            frame[TOTAL] = size + weigh(
                codes[child], offsets[child], number, frame[LEFT] - 1,
                max(caps[child, 0, 1], caps[child, 1, 1]), frame[BEST] - size, bounds[child],
                values[child], table, pegs, index_of, column_of, settings, order[child], labels,
                part_keys[child], memo_keys, memo_values, scratch,
            )  # fmt: skip
            frame[OPEN] = scratch[1]
            frame[NEXT] = 0
            frame[TIGHT] = 1
            control[CUTS] += 1
            control[SETTLED] += scratch[2]
            phase = PART

        elif phase == PART:
            if frame[TOTAL] >= frame[BEST]:
                frame[FLOOR] = min(frame[FLOOR], frame[TOTAL])
                phase = CUT
                continue
            if frame[NEXT] == frame[OPEN]:
                if frame[TIGHT]:  # now with all that the budget allows
                    frame[TIGHT] = 0
                    frame[NEXT] = 0
                else:
                    frame[BEST] = frame[TOTAL]
                    frame[BEST_GUESS] = frame[TRIED]
                    phase = CUT
                continue
            q = order[child, frame[NEXT]]
            frame[NEXT] += 1
            if values[child, q] & 1:
                continue
            low = values[child, q] >> 1
            below = frames[child]
            below[START] = offsets[child, q]
            below[SIZE] = offsets[child, q + 1] - offsets[child, q]
            below[LEFT] = frame[LEFT] - 1
            below[BUDGET] = frame[BEST] - 1 - (frame[TOTAL] - low)
            if frame[TIGHT] and below[SIZE] > settings[TIGHT_ABOVE]:
                below[BUDGET] = low
            below[ASKED_AS] = q
            for i in range(2):
                frame_keys[child, i] = part_keys[child, q, i]
            depth = child
            phase = ENTER

        else:
            exact = frame[BEST_GUESS] >= 0
            cost = frame[BEST] if exact else min(frame[FLOOR], INFINITE)
            slot = memo_slot(memo_keys, frame_keys[depth])
            if memo_keys[slot, 0] == 0 and memo_keys[slot, 1] == 0:
                control[MEMO_USED] += 1
                for i in range(2):
                    memo_keys[slot, i] = frame_keys[depth, i]
            memo_values[slot, 0] = (cost << 1) | exact
            memo_values[slot, 1] = frame[BEST_GUESS]
            if depth == 0:
                control[VALUE] = (cost << 1) | exact
                control[GUESS] = frame[BEST_GUESS]
                return DONE
            q = frame[ASKED_AS]
            frames[depth - 1, TOTAL] += cost - (values[depth, q] >> 1)
            values[depth, q] = (cost << 1) | exact
            depth -= 1
            phase = PART
