"""Scoring many codes at once: the kernels that the classical solvers share.

A code is kept as two bit sets of ``positions * colours`` bits. In the *one-hot* set, bit
``position * colours + colour`` is on for each peg. In the *unary* set, a colour that occurs ``m``
times has the lowest ``m`` bits of its own field of ``positions`` bits on. Then, for two codes,

    black         = popcount(one-hot & one-hot)
    black + white = popcount(unary & unary)

since the smaller of two unary numbers is their intersection. No table of pairs is ever made.

An answer is known by its index in :func:`answers`, the feedbacks of the rules in increasing order.
Importing this module is cheap; numba is imported with the first call that scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from qmastermind.errors import TooLargeError, UsageError
from qmastermind.game import Feedback, Rules

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD_BITS = 64
_PARALLEL_FROM = 1 << 23  # scorings; for fewer, starting the threads costs more than they save
_NO_STOP = np.iinfo(np.int32).max
_NO_ANSWER = np.iinfo(np.uint16).max


@dataclass(frozen=True, eq=False)
class CodeWords:
    """Codes as bit sets, ready to be scored.

    Attributes:
        rules: The rules of the codes.
        hot: One-hot sets, dtype uint64, shape ``(n, words)``, C-contiguous.
        unary: Unary sets, the same.
    """

    rules: Rules
    hot: NDArray[np.uint64]
    unary: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.hot)

    def __getitem__(self, index: Any) -> CodeWords:
        """Some of the codes: an integer (one code), slice, mask or index array."""
        rows = np.atleast_1d(index) if isinstance(index, (int, np.integer)) else index
        hot, unary = np.ascontiguousarray(self.hot[rows]), np.ascontiguousarray(self.unary[rows])
        return CodeWords(self.rules, hot, unary)


def encode(
    codes: NDArray[np.integer[Any]] | Sequence[Sequence[int]] | Sequence[int], rules: Rules
) -> CodeWords:
    """Turns codes into bit sets.

    Args:
        codes: 0-based peg values, shape ``(n, positions)``, or one code of shape ``(positions,)``.
        rules: The rules, for the number of positions and colours.

    Raises:
        UsageError: If a code has another length or a peg value the rules do not have.
    """
    pegs = np.atleast_2d(np.asarray(codes, dtype=np.int64))
    if pegs.size == 0:
        pegs = pegs.reshape(0, rules.positions)
    if pegs.shape[1] != rules.positions:
        raise UsageError(f"codes of {pegs.shape[1]} pegs for a game of {rules}")
    if pegs.size and (pegs.min() < 0 or pegs.max() >= rules.colours):
        raise UsageError(f"peg values must be in 0..{rules.colours - 1} for a game of {rules}")
    words = -(-rules.positions * rules.colours // _WORD_BITS)
    hot = np.zeros((len(pegs), words), dtype=np.uint64)
    unary = np.zeros_like(hot)
    seen = np.zeros((len(pegs), rules.colours), dtype=np.int64)
    rows = np.arange(len(pegs))
    for position in range(rules.positions):
        colour = pegs[:, position]
        _set_bits(hot, rows, position * rules.colours + colour)
        _set_bits(unary, rows, colour * rules.positions + seen[rows, colour])
        seen[rows, colour] += 1
    return CodeWords(rules, hot, unary)


def _set_bits(words: NDArray[np.uint64], rows: NDArray[np.int64], bits: NDArray[np.int64]) -> None:
    words[rows, bits // _WORD_BITS] |= np.uint64(1) << (bits % _WORD_BITS).astype(np.uint64)


def encode_all(rules: Rules) -> CodeWords:
    """All codes of a game in lexical order.

    Raises:
        TooLargeError: If there are too many to enumerate.
    """
    return encode(rules.code_array(), rules)


@lru_cache(maxsize=64)
def answers(rules: Rules) -> tuple[Feedback, ...]:
    """Every answer that can occur, in increasing order: the meaning of an answer index.

    The last is the winning one.
    """
    return rules.feedbacks()


def answer_index(black: int, white: int, rules: Rules) -> int:
    """The index of an answer.

    Raises:
        UsageError: If it cannot occur with these rules.
    """
    return answers(rules).index(rules.check_feedback((black, white)))


def feedback_codes(guesses: CodeWords, codes: CodeWords) -> NDArray[np.uint16]:
    """Scores guesses against codes.

    Returns:
        Answer indices, dtype uint16, shape ``(len(guesses), len(codes))``: for one guess,
        ``feedback_codes(guess, codes)[0]``.
    """
    from qmastermind_classical._jit import fill_answers

    out = np.empty((len(guesses), len(codes)), dtype=np.uint16)
    fill_answers(*_flat(guesses, codes), _compact(guesses.rules), out)
    return out


def histograms(
    guesses: CodeWords, codes: CodeWords, stop_above: int | None = None
) -> NDArray[np.int32]:
    """Counts how each guess cuts the codes into parts, one part for each answer.

    Takes ``len(guesses) * len(codes)`` scorings, on all threads of numba if they are many, and no
    memory but the result.

    Args:
        guesses: The guesses, one row each.
        codes: The codes to cut.
        stop_above: If given, a guess is given up as soon as one of its parts is larger. Its row
            is then incomplete, and to be known by that part of ``stop_above + 1``.

    Returns:
        Part sizes, dtype int32, shape ``(len(guesses), len(answers(rules)))``.
    """
    from qmastermind_classical._jit_histograms import fill_histograms, fill_histograms_parallel

    out = np.zeros((len(guesses), len(answers(guesses.rules))), dtype=np.int32)
    stop = _NO_STOP if stop_above is None else stop_above
    many = len(guesses) * len(codes) >= _PARALLEL_FROM
    fill = fill_histograms_parallel if many else fill_histograms
    fill(*_flat(guesses, codes), _compact(guesses.rules), np.int32(stop), out)
    return out


def _flat(guesses: CodeWords, codes: CodeWords) -> tuple[Any, ...]:
    return (
        guesses.hot.reshape(-1),
        guesses.unary.reshape(-1),
        codes.hot.reshape(-1),
        codes.unary.reshape(-1),
        guesses.hot.shape[1],
    )


@lru_cache(maxsize=64)
def _compact(rules: Rules) -> NDArray[np.uint16]:
    """Answer index for each raw answer of :func:`_jit.raw_answer`."""
    n = rules.positions
    if n > 64:
        raise TooLargeError(f"the scoring kernels take at most 64 positions, not {n}")
    table = np.full((n + 1) * (n + 2) // 2, _NO_ANSWER, dtype=np.uint16)
    for index, (black, white) in enumerate(answers(rules)):
        common = black + white
        table[common * (common + 1) // 2 + black] = index
    return table
