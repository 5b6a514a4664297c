"""Consistency with a history of guesses, counted in superposition.

A code x fits a row (guess g, b black, w white) iff B(x) = b and T(x) = b + w, with B(x) the number
of positions where x and g agree, and T(x) the sum over the colours c of g of the smaller of the
two numbers of c, that is the number of true flags [x has c at least r times], r = 1 .. number in g.

Both designs make a line e[j][c] for each peg and colour from the peg's bits, flags from lines,
counters from flags and lines, and then one phase. Counters have the least width that tells the
wanted value from all others that can occur. All before the phase is undone after it, so that
lowering may write each Toffoli with 3 CX.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register, remap
from qmastermind.encoding import Encoding
from qmastermind.errors import UsageError
from qmastermind.game.code import Code
from qmastermind.game.feedback import Feedback
from qmastermind.game.rules import Rules
from qmastermind.oracle.lines import Group, Work, one_hot_groups, pair_groups
from qmastermind.synthesis.arithmetic import (
    Cost,
    controlled_increment,
    count_width,
    popcount,
    popcount_cost,
    sum_of_bits,
)
from qmastermind.synthesis.comparison import less_than_constant

History: TypeAlias = Sequence[tuple[Code, Feedback]]
_AND_OF_PHASE = 6  # CX of one more condition of the final phase
_PHASE_ANCILLAS = 4  # clean qubits for the final phase, where qubits matter less than depth


def consistency_counters(
    history: History, encoding: Encoding, angle: float = math.pi, *, check_codes: bool = False
) -> Circuit:
    """Phase exp(i angle) on the codes that fit a history, on few qubits.

    Registers: ``code``, the code's bits in the order of the encoding, then ``work``, ancillas.
    Pegs are converted in place to one line for each pair of colours; the lines of single colours
    exist only while the flags of their pair are made.

    Args:
        history: Guesses and their answers.
        encoding: Binary.
        angle: Radians.
        check_codes: Whether inputs may be no codes; such then never get the phase. Otherwise they
            may get it: prepare the valid codes only.

    Raises:
        UsageError: If the encoding is not binary.
    """
    return _consistency(history, encoding, angle, check_codes, keep=False)


def consistency_one_hot(
    history: History, encoding: Encoding, angle: float = math.pi, *, check_codes: bool = False
) -> Circuit:
    """The same as :func:`consistency_counters`, with fewer Toffolis and less depth.

    All pegs are converted to one line a colour, in place and at once. Flags are trees of ANDs
    whose inner results are kept until the end.
    """
    return _consistency(history, encoding, angle, check_codes, keep=True)


@dataclass
class _Row:
    """A guess, and what is counted for it.

    Attributes:
        guess: The guess.
        black: The wanted number of black pegs.
        total: The wanted number of all key pegs.
        colours: How often each colour is in the guess.
        count: Counter of the black pegs so far, most significant first.
        seen: How many pegs were counted.
    """

    guess: Code
    black: int
    total: int
    colours: Counter[int]
    count: list[int] = field(default_factory=list)
    seen: int = 0


def _consistency(
    history: History, encoding: Encoding, angle: float, check_codes: bool, *, keep: bool
) -> Circuit:
    if encoding.kind != "binary":
        raise UsageError(f"a history is checked in the binary encoding, not in {encoding.kind!r}")
    rules = encoding.rules
    rows = [
        _Row(guess, answer.black, answer.black + answer.white, Counter(guess))
        for guess, answer in history
    ]
    work = Work(encoding.num_bits)
    if check_codes:
        _require_colours(work, encoding)
    needed: Counter[int] = Counter()
    for row in rows:
        needed |= row.colours
    if check_codes and not rules.repeats:
        needed |= Counter(dict.fromkeys(range(rules.colours), 2))
    flags: dict[int, list[int]] = {}
    groups = one_hot_groups if keep else pair_groups
    for group in groups(work, encoding, sorted(needed)):
        for row in rows:
            _count_black(work, row, group, rules, keep)
        for colour, lines in group.items():
            flags[colour] = _flags(work, lines, needed[colour], keep)
    for row in rows:
        _require_black(work, row)
    if check_codes and not rules.repeats:
        for colour in range(rules.colours):
            work.require(flags[colour][1], 0)
    _require_totals(work, rows, rules, flags)
    if keep:
        work.give(work.take(min(_PHASE_ANCILLAS, max(0, len(work.literals) - 3))))
    return _around_phase(work, encoding, angle)


def _around_phase(work: Work, encoding: Encoding, angle: float) -> Circuit:
    """The computation, the phase, the computation undone.

    The computation is a box whose ancillas are the wires that it gives back, so that they are
    known to be |0> at the phase.
    """
    builder = CircuitBuilder(Register("code", encoding.num_bits))
    if work.impossible:
        return builder.build()
    if not work.literals:
        builder.global_phase = angle
        return builder.build()
    code = range(encoding.num_bits)
    kept = work.kept(encoding.num_bits)
    body = CircuitBuilder(Register("code", len(code)), Register("kept", len(kept)))
    where = [0] * work.size
    for place, wire in enumerate((*code, *kept)):
        where[wire] = place
    if work.free:
        body.register(Register("scratch", len(work.free), ancilla=True))
        for place, wire in enumerate(work.free, len(code) + len(kept)):
            where[wire] = place
    for op in work.operations:
        body.add(remap(op, where))
    compute = body.build()
    builder.register(Register("work", len(kept), ancilla=True))
    builder.append(compute, range(len(code) + len(kept)), label="compute")
    wires = tuple(where[wire] for wire in work.literals)
    builder.phase_on(angle, wires, tuple(work.literals.values()))
    builder.append(compute.inverse(), range(len(code) + len(kept)), label="uncompute")
    return builder.build()


def _require_colours(work: Work, encoding: Encoding) -> None:
    """Every peg's bits must be a colour."""
    width, colours = encoding.bits_per_peg, encoding.rules.colours
    if colours < 2**width:
        for span in encoding.peg_slices:
            (valid,) = work.take(1)
            work.run(less_than_constant(width, colours), (*span, valid))
            work.require(valid, 1)


# Flags


def _flags(work: Work, lines: Sequence[int], most: int, keep: bool) -> list[int]:
    """Wires for [at least r lines are 1], r = 1 .. most; with ``keep`` the lines may change."""
    if most == 1:
        wire = _none_of(work, lines, keep)
        work.x(wire)
        return [wire]
    flags = work.take(most)  # before any scratch that is undone after them
    start = len(work.operations)
    if keep:
        circuit, places = sum_of_bits(len(lines))
        wires = (*lines, *work.take(circuit.num_qubits - len(lines)))
        work.run(circuit, wires)
        count = [wires[q] for q in places]
    else:
        count = work.take(len(lines).bit_length())
        work.run(popcount(len(lines)), (*lines, *count))
    stop = len(work.operations)
    for least, flag in enumerate(flags, 1):
        work.run(less_than_constant(len(count), least), (*count, flag))
        work.x(flag)
    if not keep:
        work.undo(start, stop)
        work.give(count)
    return flags


def _none_of(work: Work, lines: Sequence[int], keep: bool, value: int = 0) -> int:
    """A new wire that is 1 if all lines are 0 (or all are ``value``)."""
    if not keep or len(lines) < 3:
        (wire,) = work.take(1)
        work.x(wire, lines, [value] * len(lines))
        return wire
    literals = [(line, value) for line in lines]
    while len(literals) > 1:
        (first, a), (second, b), *literals = literals
        (wire,) = work.take(1)
        work.x(wire, (first, second), (a, b))
        literals.append((wire, 1))
    return literals[0][0]


def _all_cost(size: int, keep: bool) -> int:
    """CX of one condition that all of ``size`` lines agree."""
    gates = 3 * (size - 1) if keep or size < 4 else 6 * size - 12
    return 2 * gates + _AND_OF_PHASE


def _count_cost(cost: Cost, width: int) -> int:
    """CX of a counter that is compared with a constant."""
    return 2 * (3 * cost.toffoli + cost.cx) + _AND_OF_PHASE * width


# Conditions


def _black_width(row: _Row, rules: Rules) -> int:
    """Bits that a counter of black pegs needs."""
    if len(row.colours) == 1:  # then it is the number of key pegs
        return count_width(_reachable_totals(row, rules), row.black)
    reachable = {black for black, white in rules.feedbacks() if black + white == row.total}
    return count_width(reachable, row.black)


def _count_black(work: Work, row: _Row, group: Group, rules: Rules, keep: bool) -> None:
    width = _black_width(row, rules)
    lines = [group[c][j] for j, c in enumerate(row.guess) if c in group]
    size = len(row.guess)
    if not width or not lines:
        return
    counting = _count_cost(popcount_cost(size, width), width)
    if len(lines) == size and row.black in (0, size) and _all_cost(size, keep) < counting:
        work.require(_none_of(work, lines, keep, int(row.black == size)), 1)
        row.seen = size
        return
    for line in lines:
        row.seen += 1
        used = min(width, row.seen.bit_length())
        row.count = work.take(used - len(row.count)) + row.count
        work.run(controlled_increment(len(row.count)), (line, *row.count))


def _require_black(work: Work, row: _Row) -> None:
    for place, wire in enumerate(reversed(row.count)):
        work.require(wire, row.black >> place & 1)


def _reachable_totals(row: _Row, rules: Rules) -> set[int]:
    """Every number of key pegs that some code has with this guess."""
    others = rules.colours - len(row.colours)
    totals = {(0, 0)}  # pegs used, key pegs
    n = len(row.guess)
    for most in row.colours.values():
        totals = {
            (pegs + number, keys + min(number, most))
            for pegs, keys in totals
            for number in range((n if rules.repeats else 1) + 1)
            if pegs + number <= n
        }
    room = 0 if not others else n if rules.repeats else others
    return {keys for pegs, keys in totals if n - pegs <= room}


def _require_totals(
    work: Work, rows: Sequence[_Row], rules: Rules, flags: dict[int, list[int]]
) -> None:
    counted: list[tuple[_Row, list[int], int]] = []
    for row in rows:
        flags_of_row = [flag for c, most in row.colours.items() for flag in flags[c][:most]]
        reachable = _reachable_totals(row, rules)
        width = count_width(reachable, row.total)
        work.impossible |= row.total not in reachable
        if len(row.colours) == 1:  # then all key pegs are black, and those are counted
            work.impossible |= row.total != row.black
        elif width:
            size = len(flags_of_row)
            counting = _count_cost(popcount_cost(size, width), width)
            if row.total in (0, size) and _AND_OF_PHASE * size <= counting:
                for flag in flags_of_row:
                    work.require(flag, int(row.total == size))
            else:
                counted.append((row, flags_of_row, width))
    uses = Counter(flag for _, wires, _ in counted for flag in wires)
    for row, wires, width in counted:
        # a flag that nobody needs any more becomes the lowest bit of the counter
        own = next((f for f in wires if uses[f] == 1 and f not in work.literals), None)
        uses.subtract(wires)
        count = work.take(1) if own is None else [own]
        seen = int(own is not None)
        for flag in wires:
            if flag != own:
                seen += 1
                used = min(width, seen.bit_length())
                count = work.take(used - len(count)) + count
                work.run(controlled_increment(len(count)), (flag, *count))
        for place, wire in enumerate(reversed(count)):
            work.require(wire, row.total >> place & 1)
