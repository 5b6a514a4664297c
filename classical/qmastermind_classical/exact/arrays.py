"""The arrays of the exact search: its stack and its memo."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from qmastermind_classical.kernels import CodeWords, feedback_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]
    Memo: TypeAlias = tuple[NDArray[np.uint64], Ints]


class Stack(NamedTuple):
    """The search's stack: for each depth the set, the guess in hand, its parts.

    Attributes:
        frames: ``(depth, FRAME_WORDS)``, see :mod:`._search`.
        codes: ``(depth, rows)``, the parts of the set one depth above; at depth 0 the whole set.
        frame_keys: ``(depth, 2)``, memo key of the set.
        heaps: ``(depth, guesses)``, candidates, see :func:`._scan.candidates`.
        caps: ``(depth, 2, LEVELS)``, caps of the set one depth above, see :mod:`._scan`.
        bounds: ``(depth, rows + 1)``, lower bound of a part of each size.
        offsets: ``(depth, answers + 1)``, where each part begins in ``codes``.
        values: ``(depth, answers)``, twice the lower bound of each part, plus one if exact.
        order: ``(depth, answers)``, the parts to search.
        part_keys: ``(depth, answers, 2)``, their memo keys.
    """

    frames: Ints
    codes: NDArray[np.int32]
    frame_keys: NDArray[np.uint64]
    heaps: Ints
    caps: Ints
    bounds: Ints
    offsets: Ints
    values: Ints
    order: Ints
    part_keys: NDArray[np.uint64]


def new_stack(depth: int, rows: int, guesses: int, answers: int) -> Stack:
    """An empty stack; memory is taken as it is written to."""
    from qmastermind_classical.exact._scan import LEVELS
    from qmastermind_classical.exact._search import FRAME_WORDS

    return Stack(
        frames=np.zeros((depth, FRAME_WORDS), dtype=np.int64),
        codes=np.zeros((depth, rows), dtype=np.int32),
        frame_keys=np.zeros((depth, 2), dtype=np.uint64),
        heaps=np.zeros((depth, guesses), dtype=np.int64),
        caps=np.zeros((depth, 2, LEVELS), dtype=np.int64),
        bounds=np.zeros((depth, rows + 1), dtype=np.int64),
        offsets=np.zeros((depth, answers + 1), dtype=np.int64),
        values=np.zeros((depth, answers), dtype=np.int64),
        order=np.zeros((depth, answers), dtype=np.int64),
        part_keys=np.zeros((depth, answers, 2), dtype=np.uint64),
    )


def deeper_stack(stack: Stack, larger: Stack) -> Stack:
    """A stack with the contents of another."""
    for name, old in stack._asdict().items():
        getattr(larger, name)[: len(old)] = old
    return larger


def new_memo(size: int) -> Memo:
    """An empty memo: keys and values, ``size`` rows, a power of two; see :mod:`._memo`."""
    return np.zeros((size, 2), dtype=np.uint64), np.zeros((size, 2), dtype=np.int64)


def larger_memo(memo: Memo) -> Memo:
    """A memo of four times the rows with the contents of another."""
    from qmastermind_classical.exact._memo import memo_copy

    larger = new_memo(4 * len(memo[0]))
    memo_copy(*memo, *larger)
    return larger


def answer_table(rows: CodeWords, columns: CodeWords) -> NDArray[np.uint8]:
    """Answer index of each code (row) to each guess (column)."""
    table = np.empty((len(rows), len(columns)), dtype=np.uint8)
    for start in range(0, len(rows), 128):
        table[start : start + 128] = feedback_codes(rows[start : start + 128], columns)
    return table
