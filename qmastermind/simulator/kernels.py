"""The compiled kernel. Importing this module imports numba.

Index arithmetic is unsigned throughout: numba then leaves out the wrap-around of negative indices,
with which LLVM does not vectorise the inner loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

MATRIX, REAL, FLIP, FACTOR = range(4)
"""Kinds of gate: any 2x2 matrix, a real one, X, and a factor."""


def _apply_block(
    state: Any,
    first: Any,
    last: Any,
    outer: Any,
    chunks: Any,
    places: Any,
    lanes: Any,
    gates: Any,
    entries: Any,
) -> None:
    """Applies a block of gates to the parts ``first`` to ``last - 1`` of a state, in place.

    A part is the amplitudes that agree on the bits outside the block. It is copied into a buffer
    that fits the L2 cache, real and imaginary parts separately, and copied back at the end.

    Args:
        state: Real and imaginary parts alternating, shape ``(2 * 2**n,)``.
        first: Number of the first part.
        last: One more than that of the last.
        outer: Bits outside the block, as positions in increasing order.
        chunks: Offset in the state of each run of neighbouring amplitudes of a part.
        places: Place in the buffer of the first amplitude of each run.
        lanes: Offset in the buffer of each amplitude of a run.
        gates: A row a gate: kind; target; target and controls; what these hold; length of a run of
            indices below all of these; number of such runs; controls outside the block; what
            these hold. Qubits are powers of two, in the buffer or, for the last two, in the state.
        entries: Entries of each gate's matrix, row by row, real and imaginary parts alternating.
    """
    one = np.uint64(1)
    size = np.uint64(chunks.size * lanes.size)
    re = np.empty(size)
    im = np.empty(size)
    for part in range(first, last):
        base = np.uint64(0)
        rest = np.uint64(part)
        for bit in outer:
            base |= (rest & one) << bit
            rest >>= one
        for c in range(chunks.size):
            start = base + chunks[c]
            place = places[c]
            for k in range(lanes.size):
                at = (start + np.uint64(k)) << one
                to = place + lanes[k]
                re[to] = state[at]
                im[to] = state[at | one]
        for g in range(len(gates)):
            kind, target, fixed, held, length, count = gates[g, :6]
            if base & gates[g, 6] != gates[g, 7]:
                continue
            a, ai, b, bi, c_, ci, d, di = entries[g]
            x = np.uint64(0)
            for _ in range(count):
                i = x | held
                if kind == MATRIX:
                    for p in range(i, i + length):
                        q = p + target
                        ur, ui, vr, vi = re[p], im[p], re[q], im[q]
                        re[p] = a * ur - ai * ui + b * vr - bi * vi
                        im[p] = a * ui + ai * ur + b * vi + bi * vr
                        re[q] = c_ * ur - ci * ui + d * vr - di * vi
                        im[q] = c_ * ui + ci * ur + d * vi + di * vr
                elif kind == REAL:
                    for p in range(i, i + length):
                        q = p + target
                        ur, ui, vr, vi = re[p], im[p], re[q], im[q]
                        re[p] = a * ur + b * vr
                        im[p] = a * ui + b * vi
                        re[q] = c_ * ur + d * vr
                        im[q] = c_ * ui + d * vi
                elif kind == FLIP:
                    for p in range(i, i + length):
                        q = p + target
                        re[p], re[q] = re[q], re[p]
                        im[p], im[q] = im[q], im[p]
                else:
                    for p in range(i, i + length):
                        ur, ui = re[p], im[p]
                        re[p] = a * ur - ai * ui
                        im[p] = a * ui + ai * ur
                x = ((x | fixed) + length) & ~fixed
        for c in range(chunks.size):
            start = base + chunks[c]
            place = places[c]
            for k in range(lanes.size):
                at = (start + np.uint64(k)) << one
                to = place + lanes[k]
                state[at] = re[to]
                state[at | one] = im[to]


def _compiled(cache: bool) -> Any:
    words = "u8[::1]"
    signature = f"(f8[::1], u8, u8, {words}, {words}, {words}, {words}, u8[:, ::1], f8[:, ::1])"
    return njit(signature, cache=cache, nogil=True, fastmath={"contract"}, error_model="numpy")(
        _apply_block
    )


try:
    apply_block = _compiled(cache=True)
except RuntimeError:  # no directory that numba could write its cache to
    apply_block = _compiled(cache=False)
