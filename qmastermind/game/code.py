"""Codes, and the three ways to read and write them."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from qmastermind.errors import CodeSyntaxError, UsageError

COLOUR_NAMES = (
    "Red", "Orange", "Yellow", "Green", "Blue", "Indigo", "Violet", "White",
    "Pink", "Cyan", "Magenta", "Teal", "Lime", "Navy", "blacK", "Silver",
    "Amber", "Denim", "Ecru", "Fuchsia", "Honey", "Jade", "Quartz", "Umber",
    "Xanthic", "Zinc",
)  # fmt: skip
"""Names of the first 26 colours. Each has one capital, its letter."""

COLOUR_LETTERS = "".join(c for name in COLOUR_NAMES for c in name if c.isupper())
BLANK_SYMBOLS = "-_."

Style: TypeAlias = Literal["letters", "digits", "numbers"]


class Code(tuple[int, ...]):
    """A code: a tuple of 0-based peg values, first position first.

    ``str(code)`` writes letters while there are letters for its colours, else numbers;
    ``format(code, style)`` takes ``letters``, ``digits`` or ``numbers``. Two codes are equal
    when their pegs are. Make codes with :meth:`Rules.code`, which checks them.
    """

    blank: int | None

    def __new__(cls, pegs: tuple[int, ...] = (), blank: int | None = None) -> Code:
        """Wraps peg values; nothing is checked."""
        code = super().__new__(cls, pegs)
        code.blank = blank
        return code

    def __getnewargs__(self) -> tuple[tuple[int, ...], int | None]:  # for pickle and copy
        return tuple(self), self.blank

    def __format__(self, style: str) -> str:
        if style in ("", "letters"):
            if all(p == self.blank or p < len(COLOUR_LETTERS) for p in self):
                return "".join("-" if p == self.blank else COLOUR_LETTERS[p] for p in self)
            style = "numbers"
        if style == "digits" and all(p < 9 for p in self):
            return "".join(str(p + 1) for p in self)
        if style in ("digits", "numbers"):
            return ",".join(str(p + 1) for p in self)
        raise UsageError(f"unknown style {style!r}; known: letters, digits, numbers")

    def __str__(self) -> str:
        return format(self, "letters")

    def __repr__(self) -> str:
        return f"Code({str(self)!r})"


def parse_pegs(
    text: str, positions: int, colours: int, blank: int | None, repeats: bool
) -> tuple[int, ...]:
    """Reads letters, digits or separated numbers into 0-based peg values.

    Raises:
        CodeSyntaxError: With the position of the first fault.
    """
    if not text.strip():
        raise CodeSyntaxError("the code is empty", text, 0)
    if re.search(r"[,\s]", text.strip()):
        tokens = [(m.group(), m.start()) for m in re.finditer(r"[^,\s]+", text)]
        doubled = re.search(r"^\s*,|,\s*,|,\s*$", text)
        if doubled:
            raise CodeSyntaxError("a number is missing here", text, doubled.start())
    elif colours > 9 and positions == 1 and text.strip().isdigit():
        tokens = [(text.strip(), text.index(text.strip()))]
    else:
        tokens = [(c, i) for i, c in enumerate(text) if not c.isspace()]

    pegs: list[int] = []
    for token, at in tokens:
        peg = _peg(token, colours, blank)
        if peg is None:
            raise CodeSyntaxError(_expected(token, colours, blank), text, at)
        if not repeats and peg in pegs:
            raise CodeSyntaxError(f"{token!r} repeats a colour: these rules forbid it", text, at)
        pegs.append(peg)
        if len(pegs) > positions:
            raise CodeSyntaxError(
                f"the code is too long: {len(tokens)} pegs, expected {positions}", text, at
            )
    if len(pegs) < positions:
        raise CodeSyntaxError(
            f"the code is too short: {len(pegs)} pegs, expected {positions}", text, len(text)
        )
    return tuple(pegs)


def _peg(token: str, colours: int, blank: int | None) -> int | None:
    if token.isascii() and token.isdigit():
        digits = token.lstrip("0") or "0"
        number = int(digits) if len(digits) < 10 else 0  # Python reads no number of any length
        if number == 0 and token == "0" and colours == 10:
            number = 10  # ten digits: bulls and cows as it is played on paper
        return number - 1 if 1 <= number <= colours else None
    if token in BLANK_SYMBOLS and blank is not None:
        return blank
    letter = token.upper()
    if len(letter) == 1 and letter in COLOUR_LETTERS[:colours]:
        return COLOUR_LETTERS.index(letter)
    return None


def _expected(token: str, colours: int, blank: int | None) -> str:
    names = COLOUR_LETTERS[: colours - (blank is not None)]
    wanted = f"a colour letter of {names} or a number from 1 to {colours}"
    if blank is not None:
        wanted += ", or - for the blank"
    return f"{token!r} is no colour of these rules: expected {wanted}"
