"""Reversible arithmetic for oracles: counters, sums of bits, addition.

Functions that return a circuit of X, CX and Toffolis have a ``..._cost`` function beside them that
is equal to the counted gates; others state their cost. Registers are big-endian: the first qubit
is the most significant. Lowering writes a Toffoli with 3 CX wherever the circuit is undone around
something diagonal, as an oracle does, and with 6 elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import UsageError


@dataclass(frozen=True)
class Cost:
    """Gates of a circuit.

    Attributes:
        toffoli: X gates with two controls.
        cx: X gates with one control.
        ancillas: Qubits that are |0> before and after.
    """

    toffoli: int = 0
    cx: int = 0
    ancillas: int = 0

    def __add__(self, other: Cost) -> Cost:
        """Both, one after the other, on the same ancillas."""
        return Cost(
            self.toffoli + other.toffoli,
            self.cx + other.cx,
            max(self.ancillas, other.ancillas),
        )


def check_size(size: int, least: int = 1, what: str = "width") -> None:
    """Raises UsageError if a size is too small."""
    if size < least:
        raise UsageError(f"the {what} must be at least {least}, not {size}")


def count_width(reachable: Iterable[int], wanted: int) -> int:
    """The least w such that no other reachable value equals ``wanted`` modulo 2^w.

    A counter of w bits is enough to tell the wanted value from the others; 0 if there are none.
    """
    others = set(reachable) - {wanted}
    width = 0
    while any((value - wanted) % 2**width == 0 for value in others):
        width += 1
    return width


def controlled_increment(width: int) -> Circuit:
    """Maps count to count + control mod 2^width.

    Registers ``control`` (1) and ``count``; width - 2 ancillas for carries.

    Raises:
        UsageError: If the width is below 1.
    """
    check_size(width)
    b = CircuitBuilder(Register("control", 1), Register("count", width))
    with b.ancillas(max(0, width - 2)) as carries:
        add_controlled_increment(b, 0, b.qubits("count"), carries)
    return b.build()


def controlled_increment_cost(width: int) -> Cost:
    """2 w - 3 Toffolis and w - 1 CX for w > 1; one CX for w = 1."""
    if width == 1:
        return Cost(cx=1)
    return Cost(2 * width - 3, width - 1, max(0, width - 2))


def add_controlled_increment(
    b: CircuitBuilder, control: int, count: Sequence[int], carries: Sequence[int]
) -> None:
    """Adds the gates of :func:`controlled_increment` to a builder."""
    bits = count[::-1]
    width = len(bits)
    chain = [control, *carries[: max(0, width - 2)]]
    for i in range(len(chain) - 1):
        b.x(chain[i + 1], [chain[i], bits[i]])
    if width > 1:
        b.x(bits[-1], [chain[-1], bits[-2]])
    for i in reversed(range(1, len(chain))):
        b.x(bits[i], [chain[i]])
        b.x(chain[i], [chain[i - 1], bits[i - 1]])
    b.x(bits[0], [control])


def popcount(num_bits: int, width: int | None = None) -> Circuit:
    """Counts the ones of x into a counter that starts at 0.

    Registers ``x`` and ``count``. The counter has the least width that holds the number, or the
    one given, and then counts modulo 2^width. It grows while it counts: after i bits it has only
    the bits that i can reach.

    Raises:
        UsageError: If there is no bit or the width is below 1.
    """
    check_size(num_bits, what="number of bits")
    size = num_bits.bit_length() if width is None else width
    check_size(size)
    b = CircuitBuilder(Register("x", num_bits), Register("count", size))
    count = b.qubits("count")
    widths = _count_widths(num_bits, size)
    with b.ancillas(max(0, max(widths) - 2)) as carries:
        for bit, used in enumerate(widths):
            add_controlled_increment(b, bit, count[size - used :], carries)
    return b.build()


def popcount_cost(num_bits: int, width: int | None = None) -> Cost:
    """The sum of :func:`controlled_increment_cost` over the widths min(width, bits of i)."""
    size = num_bits.bit_length() if width is None else width
    total = Cost()
    for used in _count_widths(num_bits, size):
        total += controlled_increment_cost(used)
    return total


def _count_widths(num_bits: int, width: int) -> list[int]:
    return [min(width, i.bit_length()) for i in range(1, num_bits + 1)]


def sum_of_bits(num_bits: int) -> tuple[Circuit, tuple[int, ...]]:
    """The sum of the bits of x by full adders, with the fewest Toffolis.

    Works in place and keeps what it needs to be undone: registers ``x``, which is changed, and
    ``carry`` (one qubit for each Toffoli), which starts at 0.

    Source: the tree of 3-to-2 counters of Wallace, IEEE Trans. Electron. Comput. 13, 14 (1964);
    a majority is (a + c)(b + c) + c mod 2, one Toffoli.

    Returns:
        The circuit, and the qubits that hold the sum afterwards, most significant first.

    Raises:
        UsageError: If there is no bit.
    """
    check_size(num_bits, what="number of bits")
    adders = num_bits - num_bits.bit_count()
    b = CircuitBuilder(Register("x", num_bits))
    if adders:
        b.register(Register("carry", adders))
    fresh = iter(range(num_bits, num_bits + adders))
    column = list(range(num_bits))
    places: list[int] = []
    while column:
        following: list[int] = []
        while len(column) > 2:
            first, second, third, *column = column
            following.append(_full_adder(b, first, second, third, next(fresh)))
            column.append(third)
        if len(column) == 2:
            carry = next(fresh)
            b.x(carry, column)
            b.x(column[1], [column[0]])
            following.append(carry)
        places.append(column[-1])
        column = following
    return b.build(), tuple(reversed(places))


def _full_adder(b: CircuitBuilder, first: int, second: int, third: int, carry: int) -> int:
    """Carry to a fresh qubit, sum to the third; the first two are left as differences."""
    b.x(first, [third])
    b.x(second, [third])
    b.x(carry, [first, second])
    b.x(carry, [third])
    b.x(third, [first])
    b.x(third, [second])
    return carry


def sum_of_bits_cost(num_bits: int) -> Cost:
    """Cost: n - (ones of n) Toffolis; 5 CX a full adder and one a half adder.

    There are floor(m / 2) adders in a column of m bits; the last is a half adder if m is even.
    """
    toffoli = cx = 0
    column = num_bits
    while column:
        half = column > 0 and column % 2 == 0
        full = (column - 1) // 2
        toffoli += full + half
        cx += 5 * full + half
        column = full + half
    return Cost(toffoli, cx)


def at_least(num_bits: int, least: int) -> Circuit:
    """Maps result to result xor [x has at least so many ones].

    Registers ``x`` and ``result`` (1). For all or for any of the bits one multi-controlled X; else
    the ones are counted into ancillas, compared and uncounted. Cost: that of an X with all bits as
    controls; else twice :func:`popcount_cost`, and
    :func:`~qmastermind.synthesis.comparison.less_than_constant_cost` in between.

    Raises:
        UsageError: If there is no bit, or ``least`` is negative.
    """
    from qmastermind.synthesis.comparison import less_than_constant

    check_size(num_bits, what="number of bits")
    check_size(least, 0, "threshold")
    b = CircuitBuilder(Register("x", num_bits), Register("result", 1))
    x, result = b.qubits("x"), num_bits
    if least == 0:
        b.x(result)
    elif least == num_bits:
        b.x(result, x)
    elif least == 1:
        b.x(result, x, [0] * num_bits)
        b.x(result)
    elif least < num_bits:
        counter = popcount(num_bits)
        width = num_bits.bit_length()
        with b.ancillas(width) as count:
            b.compose(counter, (*x, *count))
            b.compose(less_than_constant(width, least), (*count, result))
            b.x(result)
            b.compose(counter.inverse(), (*x, *count))
    return b.build()


def add(width: int) -> Circuit:
    """Maps y to y + x mod 2^width, in place.

    Registers ``x`` and ``y``; one ancilla if the width is above 1.

    Source: the ripple-carry adder of Cuccaro, Draper, Kutin and Moulton, arXiv:quant-ph/0410184,
    section 2, without its last carry.

    Raises:
        UsageError: If the width is below 1.
    """
    check_size(width)
    b = CircuitBuilder(Register("x", width), Register("y", width))
    x, y = b.qubits("x")[::-1], b.qubits("y")[::-1]
    if width == 1:
        b.x(y[0], [x[0]])
        return b.build()
    with b.ancillas(1) as (zero,):
        carries = (zero, *x[:-1])
        for i in range(width - 1):
            majority(b, carries[i], y[i], x[i])
        b.x(y[-1], [x[-1]])
        b.x(y[-1], [x[-2]])
        for i in reversed(range(width - 1)):
            b.x(x[i], [carries[i], y[i]])
            b.x(carries[i], [x[i]])
            b.x(y[i], [carries[i]])
    return b.build()


def add_cost(width: int) -> Cost:
    """2 w - 2 Toffolis and 4 w - 2 CX; one CX for w = 1."""
    return Cost(2 * width - 2, 4 * width - 2, 1) if width > 1 else Cost(cx=1)


def controlled_constant_adder(width: int, amount: int) -> Circuit:
    """Maps y to y + control * amount mod 2^width: the amount is loaded, added, unloaded.

    Registers ``control`` (1) and ``y``; as many ancillas as bits from the lowest 1 of the amount
    upwards, and one more. None if only the highest bit of y can change.

    Raises:
        UsageError: If the width is below 1, or ``amount`` is not in 1..2^width - 1.
    """
    check_size(width)
    if not 1 <= amount < 2**width:
        raise UsageError(f"an amount for {width} bits is 1 to {2**width - 1}, not {amount}")
    b = CircuitBuilder(Register("control", 1), Register("y", width))
    y = b.qubits("y")
    used = width + 1 - (amount & -amount).bit_length()
    if used == 1:
        b.x(y[0], [0])
        return b.build()
    with b.ancillas(used) as loaded:
        ones = [q for i, q in enumerate(loaded) if amount >> (width - 1 - i) & 1]
        for qubit in ones:
            b.x(qubit, [0])
        b.compose(add(used), (*loaded, *y[:used]))
        for qubit in ones:
            b.x(qubit, [0])
    return b.build()


def controlled_constant_adder_cost(width: int, amount: int) -> Cost:
    """That of :func:`add` from the lowest 1 of the amount upwards, and 2 CX a one-bit."""
    used = width + 1 - (amount & -amount).bit_length()
    if used == 1:
        return Cost(cx=1)
    return add_cost(used) + Cost(0, 2 * amount.bit_count(), used + 1)


def add_constant(
    b: CircuitBuilder, register: Sequence[int], amount: int, control: int, value: int = 1
) -> None:
    """|r> -> |r + amount mod 2^w> where ``control`` has the value, without an ancilla.

    Cost: for each one-bit of the amount, at place s, one X with c controls for c = 1..w - s.
    """
    bits = register[::-1]
    for shift in range(len(bits)):
        if amount >> shift & 1:
            for top in reversed(range(shift, len(bits))):
                lower = bits[shift:top]
                b.x(bits[top], [control, *lower], [value, *(1 for _ in lower)])


def majority(b: CircuitBuilder, carry: int, y: int, x: int) -> None:
    """Puts the majority of three bits on ``x``, and what is needed to undo it on the others."""
    b.x(y, [x])
    b.x(carry, [x])
    b.x(x, [carry, y])
