"""The rules of a game: how many positions and colours, and which codes are allowed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np

from qmastermind.errors import TooLargeError, UnknownNameError, UsageError
from qmastermind.game.code import Code, Style, parse_pegs
from qmastermind.game.feedback import Feedback
from qmastermind.validation import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_ENUMERATED = 50_000_000


@dataclass(frozen=True)
class Rules:
    """The rules of a Mastermind game.

    Attributes:
        positions: Number of pegs in a code, at least 1.
        colours: Number of different peg values, at least 2. With ``blanks`` the last of
            them is the blank, so classic Mastermind with blanks is ``Rules(4, 7, blanks=True)``.
        repeats: Whether a colour may occur more than once in a code.
        blanks: Whether the last colour stands for an empty hole (shown as ``-``). For the
            feedback a blank is a colour like any other.

    Raises:
        UsageError: If the numbers make no game.
    """

    positions: int = 4
    colours: int = 6
    repeats: bool = True
    blanks: bool = False

    def __post_init__(self) -> None:
        if whole(self.positions, "the number of positions") < 1:
            raise UsageError(f"a code needs at least 1 position, not {self.positions}")
        if whole(self.colours, "the number of colours") < 2:
            raise UsageError(f"a game needs at least 2 colours, not {self.colours}")
        if not self.repeats and self.colours < self.positions:
            raise UsageError(
                f"{self.positions} positions without repeats need at least "
                f"{self.positions} colours, not {self.colours}"
            )

    @classmethod
    def named(cls, name: str) -> Rules:
        """Returns one of the named rule sets of :data:`RULE_SETS`."""
        try:
            return RULE_SETS[name]
        except KeyError:
            raise UnknownNameError("rule set", name, RULE_SETS) from None

    @property
    def blank(self) -> int | None:
        """The peg value of the blank, or None."""
        return self.colours - 1 if self.blanks else None

    @property
    def num_codes(self) -> int:
        """How many codes the rules allow."""
        if self.repeats:
            return int(self.colours**self.positions)
        return math.perm(self.colours, self.positions)

    def code(self, value: Code | str | Sequence[int]) -> Code:
        """Reads a code, or checks one.

        Args:
            value: Letters (``RBRY``), digits from 1 (``1213``), comma- or space-separated
                numbers from 1 (``1, 12, 3``), or a sequence of 0-based peg values.

        Raises:
            CodeSyntaxError: With the position of the fault, for text that cannot be read.
            UsageError: For peg values that the rules forbid.
        """
        if isinstance(value, str):
            pegs = parse_pegs(value, self.positions, self.colours, self.blank, self.repeats)
            return Code(pegs, self.blank)
        if not isinstance(value, Iterable):
            raise UsageError(f"a code is text or a sequence of peg values, not {value!r}")
        pegs = tuple(whole(v, "a peg value") for v in value)
        if len(pegs) != self.positions:
            raise UsageError(f"a code has {self.positions} pegs here, not {len(pegs)}: {pegs}")
        for peg in pegs:
            self.check_colour(peg)
        if not self.repeats and len(set(pegs)) < len(pegs):
            raise UsageError(f"these rules allow no colour twice: {Code(pegs, self.blank)}")
        return Code(pegs, self.blank)

    def check_colour(self, colour: int) -> int:
        """Returns ``colour`` if it is a 0-based peg value of these rules.

        Raises:
            UsageError: If it is not.
        """
        if not 0 <= whole(colour, "a peg value") < self.colours:
            raise UsageError(f"peg value {colour} is not in 0..{self.colours - 1}")
        return colour

    def format(self, code: Sequence[int], style: Style = "letters") -> str:
        """Writes a code; the inverse of :meth:`code` for every style."""
        return format(Code(tuple(code), self.blank), style)

    def random_code(self, rng: np.random.Generator) -> Code:
        """Draws a code uniformly from all that the rules allow."""
        pegs = (
            rng.integers(self.colours, size=self.positions)
            if self.repeats
            else rng.permutation(self.colours)[: self.positions]
        )
        return Code(tuple(int(p) for p in pegs), self.blank)

    def codes(self) -> Iterator[Code]:
        """Iterates over all codes in lexical order."""
        values = range(self.colours)
        pegs: Iterator[tuple[int, ...]] = (
            product(values, repeat=self.positions)
            if self.repeats
            else permutations(values, self.positions)
        )
        return (Code(p, self.blank) for p in pegs)

    def code_array(self) -> NDArray[np.uint8]:
        """All codes in lexical order, as an array of shape ``(num_codes, positions)``.

        Raises:
            TooLargeError: If there are too many codes to enumerate.
        """
        if self.num_codes > _MAX_ENUMERATED or self.colours > 256:
            raise TooLargeError(
                f"{self} has {self.num_codes:,} codes, too many to enumerate "
                f"(at most {_MAX_ENUMERATED:,})"
            )
        if self.repeats:
            grid = np.indices((self.colours,) * self.positions, dtype=np.uint8)
            return np.ascontiguousarray(grid.reshape(self.positions, -1).T)
        flat = np.fromiter(
            (p for pegs in permutations(range(self.colours), self.positions) for p in pegs),
            dtype=np.uint8,
            count=self.num_codes * self.positions,
        )
        return flat.reshape(-1, self.positions)

    def feedbacks(self) -> tuple[Feedback, ...]:
        """Every feedback that can occur for some pair of codes, in increasing order.

        A white peg needs a second place to be wrong in, so all-but-one black with one white
        never occurs. With two colours wrong pegs can only swap in pairs, so white is even.
        Without repeats two codes share at least ``2 positions - colours`` colours.
        """
        n = self.positions
        least = 0 if self.repeats else max(0, 2 * n - self.colours)
        return tuple(
            Feedback(black, white)
            for black in range(n + 1)
            for white in range(n + 1 - black)
            if black + white >= least
            and not (black == n - 1 and white == 1)
            and not (self.colours == 2 and white % 2)
        )

    def check_feedback(self, feedback: tuple[int, int]) -> Feedback:
        """Returns ``feedback`` if it can occur.

        Raises:
            UsageError: If no pair of codes has that feedback.
        """
        if not isinstance(feedback, Iterable) or len(pegs := tuple(feedback)) != 2:
            raise UsageError(f"an answer is two numbers, black and white, not {feedback!r}")
        answer = Feedback(whole(pegs[0], "black"), whole(pegs[1], "white"))
        if answer not in self.feedbacks():
            raise UsageError(f"the feedback {answer} cannot occur with {self}")
        return answer

    def as_dict(self) -> dict[str, object]:
        """The rules as JSON-ready values."""
        return {
            "positions": self.positions,
            "colours": self.colours,
            "repeats": self.repeats,
            "blanks": self.blanks,
        }

    def __str__(self) -> str:
        text = f"{self.positions} positions, {self.colours} colours"
        if not self.repeats:
            text += ", no repeats"
        if self.blanks:
            text += " (one of them the blank)"
        return text


RULE_SETS: dict[str, Rules] = {
    "classic": Rules(4, 6),
    "blanks": Rules(4, 7, blanks=True),
    "super": Rules(5, 8),
    "bulls-and-cows": Rules(4, 10, repeats=False),
}
"""The named rule sets."""
