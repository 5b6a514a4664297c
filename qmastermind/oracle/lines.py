"""One line a colour for every peg, made of the peg's bits; and the gates that they are made by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from qmastermind.circuit import Apply, Circuit, remap
from qmastermind.encoding import Encoding
from qmastermind.gates import Gate
from qmastermind.synthesis.one_hot import OneHot, one_hot

Group: TypeAlias = dict[int, list[int]]
"""For some colours, the line of each at every peg."""


class Work:
    """The gates of the computation, all X, on wires that are allotted as they are needed.

    Attributes:
        operations: So far.
        size: Number of wires.
        free: Wires that are |0> now.
        literals: The conditions of the phase: wires and the values that they must have.
        impossible: Whether two conditions contradict each other.
    """

    def __init__(self, size: int) -> None:
        self.operations: list[Apply] = []
        self.size = size
        self.literals: dict[int, int] = {}
        self.impossible = False
        self.free: list[int] = []

    def take(self, count: int) -> list[int]:
        """Wires in |0>."""
        while len(self.free) < count:
            self.free.append(self.size)
            self.size += 1
        taken, self.free = self.free[:count], self.free[count:]
        return taken

    def give(self, wires: Sequence[int]) -> None:
        """Takes back wires that are in |0> again."""
        self.free = sorted({*self.free, *wires})

    def x(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """X under controls."""
        states = (1,) * len(controls) if values is None else tuple(values)
        self.operations.append(Apply(Gate("x"), (target,), tuple(controls), states))

    def run(self, circuit: Circuit, wires: Sequence[int]) -> None:
        """Adds a circuit of X; its data qubits go to ``wires``, its ancillas are lent."""
        scratch = self.take(len(circuit.ancillas))
        where = dict(zip(circuit.data, wires, strict=True))
        where.update(zip(circuit.ancillas, scratch, strict=True))
        place = [where[q] for q in range(circuit.num_qubits)]
        self.operations += [remap(op, place) for op in circuit.flat()]
        self.give(scratch)

    def kept(self, first: int) -> list[int]:
        """The wires from ``first`` on that are not free."""
        return sorted({*range(first, self.size)}.difference(self.free))

    def undo(self, start: int, stop: int) -> None:
        """Adds the inverse of some operations."""
        self.operations += self.operations[start:stop][::-1]

    def require(self, wire: int, value: int) -> None:
        """Adds a condition of the phase."""
        self.impossible |= self.literals.get(wire, value) != value
        self.literals[wire] = value


def one_hot_groups(work: Work, encoding: Encoding, colours: Sequence[int]) -> Iterator[Group]:
    """All colours at once, each peg converted to one line a colour in place."""
    if not colours:
        return
    k = encoding.rules.colours
    conversion, hidden = _cheapest_one_hot(k, colours)
    pegs = [
        _convert(work, conversion, _colour_bits(encoding, span)) for span in encoding.peg_slices
    ]
    if hidden in colours:
        for lines in pegs:
            (line,) = work.take(1)
            work.x(line)
            for colour in range(k):
                if colour != hidden:
                    work.x(line, [_known(lines[colour])])
            lines[hidden] = line
    yield {c: [_known(lines[c]) for lines in pegs] for c in colours}


def _colour_bits(encoding: Encoding, span: Sequence[int]) -> Sequence[int]:
    """The bits of a peg that a colour can set."""
    return span[len(span) - (encoding.rules.colours - 1).bit_length() :]


def _known(line: int | None) -> int:
    if line is None:
        raise AssertionError("a line that is needed was not made")
    return line


def _convert(work: Work, conversion: OneHot, bits: Sequence[int]) -> list[int | None]:
    wires = (*bits, *work.take(conversion.circuit.num_qubits - len(bits)))
    work.run(conversion.circuit, wires)
    return [None if place is None else wires[place] for place in conversion.places]


def _cheapest_one_hot(k: int, wanted: Sequence[int]) -> tuple[OneHot, int]:
    """The conversion with the hidden value that makes it cheapest, and that value."""

    def cost(hidden: int) -> tuple[int, int]:
        gates = Counter(len(op.qubits) for op in conversion(hidden).circuit.flat())
        line = k - 1 if hidden in wanted else 0
        return 3 * gates[3] + gates[2] + line, hidden

    def conversion(hidden: int) -> OneHot:
        return one_hot(k, hidden, None if hidden in wanted else wanted)

    hidden = min(range(k), key=cost)
    return conversion(hidden), hidden


def pair_groups(work: Work, encoding: Encoding, colours: Sequence[int]) -> Iterator[Group]:
    """The colours 2 p and 2 p + 1 for each p, on one new qubit a peg; undone afterwards."""
    k = encoding.rules.colours
    pairs = (k + 1) // 2
    wanted = sorted({c >> 1 for c in colours})
    pegs = [_colour_bits(encoding, span) for span in encoding.peg_slices]
    lows = [bits[-1] for bits in pegs]
    lines: list[list[int | None]] = [[None] for _ in pegs]
    if pairs > 1 and wanted:
        conversion, _ = _cheapest_one_hot(pairs, wanted)
        lines = [_convert(work, conversion, bits[:-1]) for bits in pegs]
    for pair in wanted:
        start = len(work.operations)
        new = work.take(len(pegs))
        group: Group = {c: [] for c in colours if c >> 1 == pair}
        for line_of, low, fresh in zip(lines, lows, new, strict=True):
            line = line_of[pair]
            if line is None and pairs > 1:
                line = _unhide(work, line_of)
            for colour, wire in _split_pair(work, line, low, fresh, list(group), k).items():
                group[colour].append(wire)
        stop = len(work.operations)
        yield group
        work.undo(start, stop)
        work.give(new)


def _unhide(work: Work, lines: Sequence[int | None]) -> int:
    """Turns one of the lines into that of the hidden value: 1 if none of them is."""
    first, *others = (line for line in lines if line is not None)
    for other in others:
        work.x(first, [other])
    work.x(first)
    return first


def _split_pair(
    work: Work, line: int | None, low: int, fresh: int, colours: Sequence[int], k: int
) -> dict[int, int]:
    """Lines for one or two colours of a pair; ``line`` is None if there is only one pair."""
    if line is None:
        if 0 not in colours:
            return {1: low}
        work.x(fresh)
        work.x(fresh, [low])
        return {0: fresh, 1: low} if 1 in colours else {0: fresh}
    if colours[0] == k - 1 and colours[0] % 2 == 0:
        return {colours[0]: line}  # the other one is no colour
    work.x(fresh, [line, low], [1, colours[-1] & 1])
    if len(colours) == 1:
        return {colours[0]: fresh}
    work.x(line, [fresh])
    return {colours[0]: line, colours[1]: fresh}
