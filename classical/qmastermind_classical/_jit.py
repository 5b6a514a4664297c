"""Scoring for :mod:`qmastermind_classical.kernels`, compiled: importing this imports numba.

Arrays of words are flat: word ``w`` of code ``i`` is at ``i * words + w``. numba's on-disk cache of
a function notices changes of that function's own file only, so :func:`popcount` and
:func:`raw_answer` are inlined into their callers and must stay as they are.
"""

from __future__ import annotations

from typing import Any

from numba import njit, types
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
