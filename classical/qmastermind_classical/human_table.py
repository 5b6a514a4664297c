"""What a careful player writes down: where each colour can be, and how often it occurs.

The table is filled by deduction from the rows played, one rule at a time. No code is ever listed:
the table has ``positions * colours`` fields, and every rule looks at one row, two rows or one
colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from qmastermind.game import Feedback, Rules


class Contradiction(Exception):  # noqa: N818  (a step of the reasoning)
    """The table has no way left to fill some position or to place some colour."""


@dataclass(frozen=True)
class Row:
    """A row of the board.

    Attributes:
        pegs: The guess.
        answer: Its feedback.
        counts: How often each of its colours occurs in it.
    """

    pegs: tuple[int, ...]
    answer: Feedback
    counts: Counter[int]


@dataclass(frozen=True)
class _BlackSum:
    """``sum of [y_i = plus_i] - [y_i = minus_i]`` over some positions has a known value.

    A row's black pegs are such a sum, and so is the difference of two rows' black pegs, in which
    the positions where they agree drop out.
    """

    terms: tuple[tuple[int, int, int], ...]  # position, bit of plus, bit of minus
    value: int


@dataclass
class Table:
    """The player's table.

    Attributes:
        rules: The rules.
        can: For each position the colours that can be there, as a bit set.
        low: For each colour how often it occurs at least.
        high: For each colour how often it occurs at most.
        rows: The rows played, in order. Copies of a table share them.
    """

    rules: Rules
    can: list[int] = field(default_factory=list)
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    _sums: list[_BlackSum] = field(default_factory=list)

    def __post_init__(self) -> None:
        n, k = self.rules.positions, self.rules.colours
        if not self.can:
            self.can = [(1 << k) - 1] * n
            self.low = [0] * k
            self.high = [n if self.rules.repeats else 1] * k

    def copy(self) -> Table:
        """A table to try something on."""
        return Table(self.rules, self.can[:], self.low[:], self.high[:], self.rows, self._sums)

    def add_row(self, pegs: Sequence[int], answer: Feedback) -> None:
        """Writes a row down and deduces what follows.

        Raises:
            Contradiction: If no code fits all rows.
        """
        new = Row(tuple(pegs), answer, Counter(pegs))
        self._sums.append(
            _BlackSum(tuple((i, 1 << c, 0) for i, c in enumerate(new.pegs)), answer.black)
        )
        for old in self.rows:
            terms = tuple(
                (i, 1 << a, 1 << b)
                for i, (a, b) in enumerate(zip(new.pegs, old.pegs, strict=True))
                if a != b
            )
            self._sums.append(_BlackSum(terms, answer.black - old.answer.black))
        self.rows.append(new)
        self.deduce()

    def colours_at(self, position: int) -> list[int]:
        """The colours that can be at a position."""
        return list(bits(self.can[position]))

    def known(self, position: int) -> bool:
        """Whether the colour at a position is known."""
        return self.can[position].bit_count() == 1

    def open_positions(self) -> list[int]:
        """The positions whose colour is not known."""
        return [i for i in range(self.rules.positions) if not self.known(i)]

    def code(self) -> tuple[int, ...]:
        """The code, when all positions are known."""
        return tuple(mask.bit_length() - 1 for mask in self.can)

    def place(self, position: int, colour: int) -> None:
        """Supposes a colour at a position and deduces what follows.

        Raises:
            Contradiction: If that breaks a rule.
        """
        self.can[position] &= 1 << colour
        self.deduce()

    def strike(self, position: int, colour: int) -> None:
        """Rules a colour out at a position and deduces what follows.

        Raises:
            Contradiction: If nothing is left there.
        """
        self.can[position] &= ~(1 << colour)
        self.deduce()

    def deduce(self) -> None:
        """Applies every rule until nothing new follows.

        Raises:
            Contradiction: If the rows exclude each other.
        """
        before: tuple[list[int], list[int], list[int]] | None = None
        while before != (self.can, self.low, self.high):
            before = self.can[:], self.low[:], self.high[:]
            for row in self.rows:
                self._row_total(row)
            self._sum_of_counts()
            for colour in range(self.rules.colours):
                self._places_of(colour)
            for black_sum in self._sums:
                self._blacks(black_sum)

    def what_if(self) -> bool:
        """Supposes each open field in turn and strikes those that break a rule.

        Returns:
            Whether it struck any.

        Raises:
            Contradiction: If the rows exclude each other.
        """
        struck = False
        for position in self.open_positions():
            for colour in self.colours_at(position):
                trial = self.copy()
                try:
                    trial.place(position, colour)
                except Contradiction:
                    self.strike(position, colour)
                    struck = True
        return struck

    def _row_total(self, row: Row) -> None:
        """Black and white pegs of a row together are the sum of min(in the row, in the code)."""
        total = sum(row.answer)
        least = sum(min(m, self.low[c]) for c, m in row.counts.items())
        most = sum(min(m, self.high[c]) for c, m in row.counts.items())
        if not least <= total <= most:
            raise Contradiction
        for colour, m in row.counts.items():
            spare = total - least + min(m, self.low[colour])
            needed = total - most + min(m, self.high[colour])
            if spare < m:
                self.high[colour] = min(self.high[colour], spare)
            self.low[colour] = max(self.low[colour], needed)

    def _sum_of_counts(self) -> None:
        """The colours' counts sum to the number of positions."""
        n = self.rules.positions
        least, most = sum(self.low), sum(self.high)
        if not least <= n <= most:
            raise Contradiction
        for colour in range(self.rules.colours):
            low, high = self.low[colour], self.high[colour]
            self.high[colour] = min(high, n - least + low)
            self.low[colour] = max(low, n - most + high)

    def _places_of(self, colour: int) -> None:
        """A colour needs as many places as it occurs; one that has its places goes nowhere else."""
        bit = 1 << colour
        places = sum(1 for mask in self.can if mask & bit)
        fixed = sum(1 for mask in self.can if mask == bit)
        self.low[colour] = max(self.low[colour], fixed)
        self.high[colour] = min(self.high[colour], places)
        if self.low[colour] > self.high[colour]:
            raise Contradiction
        if self.high[colour] == fixed < places:
            self.can = [mask if mask == bit else mask & ~bit for mask in self.can]
        elif self.low[colour] == places > fixed:
            self.can = [bit if mask & bit else mask for mask in self.can]
        if 0 in self.can:
            raise Contradiction

    def _blacks(self, black_sum: _BlackSum) -> None:
        """Takes from each position the colours with which the sum cannot come out."""
        ends = []
        for i, plus, minus in black_sum.terms:
            mask = self.can[i]
            most = 1 if mask & plus else 0 if mask & ~minus else -1
            least = -1 if mask & minus else 0 if mask & ~plus else 1
            ends.append((least, most))
        least_sum = sum(least for least, _ in ends)
        most_sum = sum(most for _, most in ends)
        if not least_sum <= black_sum.value <= most_sum:
            raise Contradiction
        for (i, plus, minus), (least, most) in zip(black_sum.terms, ends, strict=True):
            at_least = black_sum.value - most_sum + most
            at_most = black_sum.value - least_sum + least
            if at_least > least:
                self.can[i] &= plus if at_least == 1 else ~minus
            if at_most < most:
                self.can[i] &= minus if at_most == -1 else ~plus
            if not self.can[i]:
                raise Contradiction


def bits(mask: int) -> Iterator[int]:
    """The positions of the one bits, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
