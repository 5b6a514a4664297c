"""The compiled half of :mod:`qmastermind_classical.kernels`: importing this module imports numba.

Arrays of words are flat: word ``w`` of code ``i`` is at ``i * words + w``. numba's on-disk cache of
a function notices changes of that function's own file only, so :func:`popcount` and
:func:`raw_answer` are inlined into their callers and must stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange, types
from numba.extending import intrinsic


@intrinsic
def popcount(typingctx: Any, word: Any) -> Any:
    """The number of one bits of a ``uint64``, as ``int64``; one machine instruction."""
    if word != types.uint64:
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@njit(inline="always")
def raw_answer(black: int, common: int) -> int:
    """Number of an answer among all pairs ``black <= common``: a triangle, row by row."""
    return (common * (common + 1) >> 1) + black


@njit(
    "void(uint64[::1], uint64[::1], uint64[::1], uint64[::1], int64, uint16[::1], uint16[:, ::1])",
    cache=True,
    nogil=True,
)
def fill_answers(
    guess_hot: Any,
    guess_unary: Any,
    code_hot: Any,
    code_unary: Any,
    words: int,
    compact: Any,
    out: Any,
) -> None:
    """Writes the answer index of every guess (rows) against every code (columns)."""
    for g in range(out.shape[0]):
        for i in range(out.shape[1]):
            black = 0
            common = 0
            for w in range(words):
                black += popcount(guess_hot[g * words + w] & code_hot[i * words + w])
                common += popcount(guess_unary[g * words + w] & code_unary[i * words + w])
            out[g, i] = compact[raw_answer(black, common)]


@njit(inline="always")
def count_row(
    g: int,
    guess_hot: Any,
    guess_unary: Any,
    code_hot: Any,
    code_unary: Any,
    words: int,
    stop_above: int,
    raw: Any,
) -> None:
    """Counts in ``raw`` how guess ``g`` cuts the codes, giving it up past ``stop_above``."""
    codes = code_hot.size // words
    if words == 1:
        hot = guess_hot[g]
        unary = guess_unary[g]
        for i in range(codes):
            black = popcount(hot & code_hot[i])
            common = popcount(unary & code_unary[i])
            answer = raw_answer(black, common)
            raw[answer] += 1
            if raw[answer] > stop_above:
                break
    else:
        for i in range(codes):
            black = 0
            common = 0
            for w in range(words):
                black += popcount(guess_hot[g * words + w] & code_hot[i * words + w])
                common += popcount(guess_unary[g * words + w] & code_unary[i * words + w])
            answer = raw_answer(black, common)
            raw[answer] += 1
            if raw[answer] > stop_above:
                break


@njit(
    "void(uint64[::1], uint64[::1], uint64[::1], uint64[::1], int64, uint16[::1], int32,"
    " int32[:, ::1])",
    cache=True,
    nogil=True,
)
def fill_histograms(
    guess_hot: Any,
    guess_unary: Any,
    code_hot: Any,
    code_unary: Any,
    words: int,
    compact: Any,
    stop_above: int,
    out: Any,
) -> None:
    """Adds the part sizes of every guess to its row of ``out``."""
    raw = np.zeros(compact.size, dtype=np.int32)
    for g in range(out.shape[0]):
        count_row(g, guess_hot, guess_unary, code_hot, code_unary, words, stop_above, raw)
        for answer in range(compact.size):
            if raw[answer] > 0:
                out[g, compact[answer]] = raw[answer]
                raw[answer] = 0


@njit(
    "void(uint64[::1], uint64[::1], uint64[::1], uint64[::1], int64, uint16[::1], int32,"
    " int32[:, ::1])",
    cache=True,
    nogil=True,
    parallel=True,
)
def fill_histograms_parallel(
    guess_hot: Any,
    guess_unary: Any,
    code_hot: Any,
    code_unary: Any,
    words: int,
    compact: Any,
    stop_above: int,
    out: Any,
) -> None:
    """The same on all threads."""
    for g in prange(out.shape[0]):
        raw = np.zeros(compact.size, dtype=np.int32)
        count_row(g, guess_hot, guess_unary, code_hot, code_unary, words, stop_above, raw)
        for answer in range(compact.size):
            if raw[answer] > 0:
                out[g, compact[answer]] = raw[answer]
