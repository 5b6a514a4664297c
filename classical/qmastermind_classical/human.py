"""A codebreaker that reasons like a careful human player.

In the manner of "Felix", the third player of the students' report *How We Made Computers Play
Mastermind*: no list of codes, no look into the future, but a table of what is known
(:mod:`qmastermind_classical.human_table`) and a sequence of named stages, each of which knows
what to do in one situation. Every guess is explained in a line of the log.

The stages, the first that applies makes the guess:

========================  ======================================================================
``certain``               the table leaves one code
``one unknown``           one position is open: try what can be there
``two unknowns``          two positions are open: try an arrangement that breaks no row
``all but one black``     a row has one wrong peg: replace half of the suspects to see where
``first rows``            new colours, two at a time, until all pegs are accounted for
``final analysis``        put pegs down one at a time so that no row is broken
``test``                  change one peg of an earlier row: the difference settles that peg
========================  ======================================================================

A code is never played twice, so a game ends. Where colours may repeat and the last stage is
needed, each of its guesses settles a field of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from qmastermind.errors import ConflictError
from qmastermind.game import COLOUR_NAMES, Code, Codemaker, Feedback, Rules
from qmastermind.solver import Solution, Solver
from qmastermind_classical.human_table import Contradiction, Table

PATIENCE = 300
"""How many pegs the player tries out for one guess before giving up."""


@dataclass(frozen=True)
class Move:
    """A guess and why.

    Attributes:
        stage: Name of the stage.
        pegs: 0-based peg values.
        why: The reason, a clause.
    """

    stage: str
    pegs: tuple[int, ...]
    why: str


@dataclass
class HumanSolver(Solver):
    """Reasons with a table and named stages, and says why it plays what it plays."""

    name: ClassVar[str] = "human"
    summary: ClassVar[str] = "reasons like a careful player, explains every guess, lists no codes"

    def solve(self, codemaker: Codemaker) -> Solution:
        """Plays a game.

        Raises:
            ConflictError: If the answers exclude each other.
        """
        rules = codemaker.rules
        table = Table(rules)
        guesses: list[tuple[Code, Feedback]] = []
        stages: list[str] = []
        log: list[str] = []
        while True:
            move = next_move(table)
            code = Code(move.pegs, rules.blank)
            answer = codemaker.answer(code)
            guesses.append((code, answer))
            stages.append(move.stage)
            line = f"{len(guesses)}. {move.stage}: {code}, {move.why}; {answer}"
            if answer.black == rules.positions:
                log.append(line)
                return Solution(code, True, tuple(guesses), {"stages": stages, "log": log})
            before = table.copy()
            try:
                table.add_row(move.pegs, answer)
            except Contradiction:
                raise ConflictError(f"no code fits the answer to row {len(guesses)}") from None
            log.append(f"{line}. {_learned(before, table)}")


def next_move(table: Table) -> Move:
    """The guess of the first stage that applies.

    Raises:
        ConflictError: If the rows exclude each other.
    """
    played = {row.pegs for row in table.rows}
    for stage in STAGES:
        try:
            move = stage(table)
        except Contradiction:
            raise ConflictError("the rows of the board exclude each other") from None
        if move is not None and move.pegs not in played:
            return move
    raise ConflictError("no code fits the rows of the board")


def certain(table: Table) -> Move | None:
    """The table leaves one code."""
    if table.open_positions():
        return None
    return Move("certain", table.code(), "the only code left")


def one_unknown(table: Table) -> Move | None:
    """One position is open: try what can be there."""
    where = table.open_positions()
    if len(where) != 1:
        return None
    options = ", ".join(_name(c, table.rules) for c in table.colours_at(where[0]))
    return _plausible(
        table, "one unknown", f"position {where[0] + 1} is the last one open: {options}"
    )


def two_unknowns(table: Table) -> Move | None:
    """Two positions are open: try an arrangement that breaks no row."""
    where = table.open_positions()
    if len(where) != 2:
        return None
    return _plausible(
        table, "two unknowns", f"only positions {where[0] + 1} and {where[1] + 1} are open"
    )


def all_but_one_black(table: Table) -> Move | None:
    """A row has one wrong peg: replace half of the suspects with a colour that may be missing."""
    n = table.rules.positions
    for number, row in enumerate(table.rows, 1):
        suspects = [i for i in table.open_positions() if table.can[i] & 1 << row.pegs[i]]
        if row.answer.black != n - 1 or len(suspects) < 3:
            continue
        half = suspects[: len(suspects) // 2]
        for colours in _replacements(table, row.pegs, half):
            pegs = list(row.pegs)
            for i, colour in zip(half, colours, strict=True):
                pegs[i] = colour
            names = " and ".join(dict.fromkeys(_name(c, table.rules) for c in colours))
            return Move(
                "all but one black",
                tuple(pegs),
                f"one peg of row {number} is wrong: {names} for half of the suspects shows where",
            )
    return None


def _replacements(
    table: Table, pegs: tuple[int, ...], half: list[int]
) -> Iterator[tuple[int, ...]]:
    """Colours to put at some positions: the likeliest to be missing there, then any."""
    rules = table.rules
    fresh = [c for c in range(rules.colours) if c not in pegs]
    fresh.sort(key=lambda c: (-sum(table.can[i] >> c & 1 for i in half), c))
    if rules.repeats:
        yield from ((c,) * len(half) for c in fresh)
    elif len(fresh) >= len(half):
        yield tuple(fresh[: len(half)])


def first_rows(table: Table) -> Move | None:
    """New colours, two at a time, until all pegs are accounted for."""
    rules = table.rules
    n = rules.positions
    tried = {c for row in table.rows for c in row.pegs}
    new = [c for c in range(rules.colours) if c not in tried]
    if table.rows and (sum(table.low) >= n or len(new) < (3 if rules.repeats else n)):
        return None
    if rules.repeats:
        pegs = (new[0],) * (n - n // 2) + (new[1],) * (n // 2)
        names = f"{_name(new[0], rules)} and {_name(new[1], rules)}"
    else:
        pegs = tuple(new[:n])
        names = ", ".join(_name(c, rules) for c in pegs)
    return Move("first rows", pegs, f"{names} are new")


def final_analysis(table: Table) -> Move | None:
    """Put pegs down one at a time so that no row is broken."""
    return _plausible(table, "final analysis", "it breaks no row")


def test_one_peg(table: Table) -> Move | None:
    """Change one peg of an earlier row: the difference of the black pegs settles that peg."""
    if not table.rules.repeats:
        return _swap_two_pegs(table)
    for number in range(len(table.rows), 0, -1):
        row = table.rows[number - 1]
        for i in table.open_positions():
            for colour in table.colours_at(i):
                if colour != row.pegs[i]:
                    return Move(
                        "test",
                        (*row.pegs[:i], colour, *row.pegs[i + 1 :]),
                        f"row {number} with {_name(colour, table.rules)} at position {i + 1}",
                    )
    return None


def _swap_two_pegs(table: Table) -> Move | None:
    """The same where no colour may occur twice: change a peg, or swap two."""
    played = {row.pegs for row in table.rows}
    for number in range(len(table.rows), 0, -1):
        row = table.rows[number - 1]
        for i in table.open_positions():
            for colour in table.colours_at(i):
                pegs = list(row.pegs)
                if colour in pegs:
                    pegs[pegs.index(colour)] = pegs[i]
                pegs[i] = colour
                if tuple(pegs) not in played:
                    why = f"row {number} with {_name(colour, table.rules)} at position {i + 1}"
                    return Move("test", tuple(pegs), why)
    return None


STAGES: tuple[Callable[[Table], Move | None], ...] = (
    certain,
    one_unknown,
    two_unknowns,
    all_but_one_black,
    first_rows,
    final_analysis,
    test_one_peg,
)
"""The stages in the order in which they are tried."""


def _plausible(table: Table, stage: str, why: str) -> Move | None:
    """A code put together peg by peg, as long as the player's patience lasts.

    A peg that breaks a row is taken back at once, one that turns out to leave no way on is taken
    back later. After :data:`PATIENCE` pegs the player gives up, thinks through every open field
    once, and tries a second time.
    """
    for _ in range(2):
        pegs = _put_together(table, [PATIENCE])
        if pegs is not None:
            return Move(stage, pegs, why)
        if not table.what_if():
            break
    return None


def _put_together(table: Table, patience: list[int]) -> tuple[int, ...] | None:
    where = table.open_positions()
    if not where:
        return table.code()
    position = min(where, key=lambda i: (table.can[i].bit_count(), i))
    for colour in sorted(table.colours_at(position), key=lambda c: _eagerness(table, c)):
        if patience[0] == 0:
            return None
        patience[0] -= 1
        further = table.copy()
        try:
            further.place(position, colour)
        except Contradiction:
            continue
        pegs = _put_together(further, patience)
        if pegs is not None:
            return pegs
    return None


def _eagerness(table: Table, colour: int) -> tuple[int, int, int]:
    """Colours known to be in the code and not yet placed come first, then the rarest tried."""
    placed = sum(1 for mask in table.can if mask == 1 << colour)
    tried = sum(row.counts[colour] for row in table.rows)
    return (-max(0, table.low[colour] - placed), tried, colour)


def _learned(before: Table, after: Table) -> str:
    """What a row has added to the table, in words."""
    rules = after.rules
    facts = [
        f"{_name(after.colours_at(i)[0], rules)} is at position {i + 1}"
        for i in range(rules.positions)
        if after.known(i) and not before.known(i)
    ]
    for colour in range(rules.colours):
        low, high = after.low[colour], after.high[colour]
        if (low, high) == (before.low[colour], before.high[colour]):
            continue
        if high == 0:
            facts.append(f"no {_name(colour, rules)}")
        elif low == high:
            facts.append(f"{_name(colour, rules)} exactly {low} times")
        elif low > before.low[colour]:
            facts.append(f"{_name(colour, rules)} at least {low} times")
    struck = sum((old & ~new).bit_count() for old, new in zip(before.can, after.can, strict=True))
    if not facts:
        return f"Rules out {struck} fields" if struck else "Nothing certain yet"
    return "So " + ", ".join(facts)


def _name(colour: int, rules: Rules) -> str:
    if colour == rules.blank:
        return "blank"
    return COLOUR_NAMES[colour].capitalize() if colour < len(COLOUR_NAMES) else f"#{colour + 1}"
