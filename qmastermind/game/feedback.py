"""The answer to a guess. The one copy of the scoring rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qmastermind.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Feedback(NamedTuple):
    """Key pegs for a guess.

    Attributes:
        black: Pegs of the right colour in the right position.
        white: Further pegs of the right colour in a wrong position.
    """

    black: int
    white: int

    @classmethod
    def parse(cls, text: str) -> Feedback:
        """Reads ``"1,2"`` or ``"1b2w"``: black first, then white.

        Raises:
            UsageError: For any other text.
        """
        match = re.fullmatch(r"\s*(\d+)\s*(?:,|b\s*,?|\s)\s*(\d+)\s*w?\s*", text)
        if match is None:
            raise UsageError(f"cannot read the feedback {text!r}; write black,white as in 1,2")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.black} black, {self.white} white"


def feedback(guess: Sequence[int], secret: Sequence[int]) -> Feedback:
    """Scores a guess against a secret.

    Each peg of the secret earns at most one key peg, and black goes first: with the colour
    counts of both codes, ``black + white`` is the sum of the smaller count of each colour.

    Args:
        guess: 0-based peg values.
        secret: 0-based peg values, as many.

    Raises:
        UsageError: If the lengths differ.
    """
    if len(guess) != len(secret):
        raise UsageError(f"a guess of {len(guess)} pegs for a secret of {len(secret)}")
    black = sum(g == s for g, s in zip(guess, secret, strict=True))
    common = (Counter(guess) & Counter(secret)).total()
    return Feedback(black, common - black)


def is_consistent(
    code: Sequence[int], history: Sequence[tuple[Sequence[int], tuple[int, int]]]
) -> bool:
    """Whether ``code``, were it the secret, would have given every answer of ``history``.

    Args:
        code: 0-based peg values.
        history: Pairs of a guess and its feedback.
    """
    return all(feedback(guess, code) == answer for guess, answer in history)


def which_fit(
    codes: NDArray[np.uint8], guess: Sequence[int], answer: tuple[int, int]
) -> NDArray[np.bool_]:
    """Which of many codes, were they the secret, would have given an answer.

    Args:
        codes: 0-based peg values, shape ``(n, positions)``.
        guess: 0-based peg values.
        answer: Its feedback.

    Returns:
        Shape ``(n,)``.
    """
    black = (codes == np.array(guess)).sum(axis=1)
    common = np.zeros(len(codes), dtype=np.int64)
    for colour, number in Counter(guess).items():
        common += np.minimum((codes == colour).sum(axis=1), number)
    fits: NDArray[np.bool_] = (black == answer[0]) & (common - black == answer[1])
    return fits
