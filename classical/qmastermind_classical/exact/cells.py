"""The games of the ledger, and the optimal totals that have been published.

A cell is written ``PxC`` for P positions and C colours, with ``d`` behind it if all colours of a
code must be different, and ``/G`` if at most G guesses are allowed: ``4x6``, ``4x6/5``, ``4x10d``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from qmastermind.errors import UsageError
from qmastermind.game import Rules

_CELL = re.compile(r"(\d+)x(\d+)(?:-(\d+))?(d?)(?:/(\d+))?")


@dataclass(frozen=True)
class Cell:
    """A game whose least total is asked for.

    Attributes:
        positions: Number of pegs in a code.
        colours: Number of colours.
        distinct: Whether all colours of a code must be different.
        max_guesses: The most guesses allowed, or None.
    """

    positions: int
    colours: int
    distinct: bool = False
    max_guesses: int | None = None

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return Rules(self.positions, self.colours, repeats=not self.distinct)

    @property
    def spec(self) -> str:
        """The cell as it is written on the command line."""
        cap = "" if self.max_guesses is None else f"/{self.max_guesses}"
        return f"{self.positions}x{self.colours}{'d' * self.distinct}{cap}"

    @property
    def name(self) -> str:
        """The cell as it is written in a table."""
        cap = "" if self.max_guesses is None else f", at most {self.max_guesses}"
        kind = "BC" if self.distinct else "MM"
        return f"{kind}({self.positions},{self.colours}){cap}"

    @property
    def slug(self) -> str:
        """The cell as part of a file name."""
        return self.spec.replace("/", "-max")


def read_cells(text: str) -> tuple[Cell, ...]:
    """Reads cells separated by commas or blanks.

    ``2x2-9`` stands for 2x2 to 2x9, and ``published`` for all cells with a published value.

    Raises:
        UsageError: For a cell that cannot be read, or that makes no game.
    """
    cells: dict[Cell, None] = {}
    for word in text.replace(",", " ").split():
        if word == "published":
            cells.update(dict.fromkeys(PUBLISHED))
            continue
        match = _CELL.fullmatch(word)
        if match is None:
            raise UsageError(
                f"cannot read the cell {word!r}; write PxC as in 4x6, 2x2-9 for several numbers "
                "of colours, 4x10d for all colours different, 4x6/5 for at most 5 guesses"
            )
        low, high = int(match[2]), int(match[3] or match[2])
        if high < low:
            raise UsageError(f"the cells {word!r} go from {low} down to {high} colours")
        if match[5] == "0":
            raise UsageError(f"the cell {word!r} allows no guess")
        for colours in range(low, high + 1):
            cell = Cell(int(match[1]), colours, bool(match[4]), int(match[5]) if match[5] else None)
            cell.rules  # noqa: B018 - raises if it makes no game
            cells[cell] = None
    if not cells:
        raise UsageError("no cell given; write for example 4x6 or published")
    return tuple(cells)


@dataclass(frozen=True)
class Published:
    """A value from elsewhere.

    Attributes:
        total: The least total, or None for "impossible".
        source: Who published it.
    """

    total: int | None
    source: str


_PAGE = "strategies page"
_MMSTRAT = "mmstrat (C++, 2012)"
_VILLE = "Ville 2013"
_KOYAMA_LAI = "Koyama and Lai 1993"

PUBLISHED: dict[Cell, Published] = {
    **{
        Cell(2, 2 + i): Published(total, _MMSTRAT)
        for i, total in enumerate((8, 21, 45, 81, 132, 198, 284, 388, 517))
    },
    **{
        Cell(2, 11 + i): Published(total, _PAGE)
        for i, total in enumerate((667, 847, 1051, 1290, 1556, 1862))
    },
    **{
        Cell(3, 2 + i): Published(total, _MMSTRAT)
        for i, total in enumerate((18, 73, 206, 451, 854, 1474))
    },
    Cell(3, 10): Published(5242, _PAGE),
    **{Cell(4, 2 + i): Published(total, _MMSTRAT) for i, total in enumerate((44, 246, 905, 2463))},
    Cell(4, 6): Published(5625, _KOYAMA_LAI),
    Cell(4, 6, max_guesses=5): Published(5626, _KOYAMA_LAI),
    Cell(4, 7): Published(11228, _VILLE),
    **{Cell(5, 2 + i): Published(total, _MMSTRAT) for i, total in enumerate((97, 816, 3954))},
    Cell(6, 2): Published(224, _MMSTRAT),
    Cell(8, 2): Published(1104, _PAGE),
    Cell(4, 10, distinct=True): Published(26274, "published optimum"),
}
"""Values that this program must agree with. ``mmstrat`` and the web page are programs of others
that are known to agree with the tables of Ville 2013 where these overlap."""
