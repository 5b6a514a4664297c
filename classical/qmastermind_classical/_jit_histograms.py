"""Histograms for :mod:`qmastermind_classical.kernels`, compiled: importing this imports numba.

Apart from :mod:`._jit`, since what runs on several threads takes long to compile, and who only
scores need not wait for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from qmastermind_classical._jit import popcount, raw_answer


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
