"""Binary to one-hot, in place: each value below k gets a qubit that is 1 for that value alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import UsageError
from qmastermind.synthesis.arithmetic import Cost


@dataclass(frozen=True)
class OneHot:
    """A conversion, and where it leaves the values.

    Attributes:
        circuit: Registers ``x``, the binary value, and ``extra``, which starts at 0; both hold
            the one-hot form afterwards. No ancilla.
        places: For each value its qubit; None for the hidden value, which has none: it is there
            if all others are 0; and None for values that were not wanted.
    """

    circuit: Circuit
    places: tuple[int | None, ...]


def one_hot(k: int, hidden: int = 0, wanted: Collection[int] | None = None) -> OneHot:
    """Converts a binary value below k to one-hot form, in place.

    Bit by bit from the most significant: the line of each prefix is split in two by the next bit.
    The half with a 1 goes to a new qubit by one Toffoli, and is taken off the line and off the bit,
    which in the end holds what belongs to one last prefix, that of the hidden value if it can. No
    Toffoli where only one half holds values below k. Gates: :func:`one_hot_cost`.

    Args:
        k: Number of values, at least 2; the register has ceil(log2 k) bits.
        hidden: The value that gets no qubit.
        wanted: The values that need one, by default all; gates for others are left out, so that
            the qubits that are nobody's place may hold anything.

    Raises:
        UsageError: If k is below 2 or the hidden value is not below k.
    """
    if k < 2 or not 0 <= hidden < k:
        raise UsageError(f"expected k of at least 2 and a value below it, not {k} and {hidden}")
    width = (k - 1).bit_length()
    b = CircuitBuilder(Register("x", width), *_extra(k, hidden))
    for place in range(width):
        if hidden >> (width - 1 - place) & 1:
            b.x(place)
    targets = set(range(k) if wanted is None else wanted) - {hidden}
    lines: dict[int, int] = {}
    fresh = iter(range(width, k + width))
    levels = [_prefixes(k, hidden, place) for place in range(width)]
    useful = [{c ^ hidden for c in targets}]
    for prefixes in reversed(levels[1:]):
        useful.insert(0, _useful_before(prefixes, useful[0]))
    for place, prefixes in enumerate(levels):
        lines = _split(b, lines, place, prefixes, useful[place], fresh)
    return OneHot(b.build(), tuple(lines[c ^ hidden] if c in targets else None for c in range(k)))


def _prefixes(k: int, hidden: int, place: int) -> set[int]:
    """What the bits up to this place can be, relative to the hidden value, which is 0."""
    left = (k - 1).bit_length() - 1 - place
    return {(c ^ hidden) >> left for c in range(k)}


def _extra(k: int, hidden: int) -> list[Register]:
    """The register of new qubits: one for each line that a bit cannot hold in the end."""
    width = (k - 1).bit_length()
    held = sum(_host(_prefixes(k, hidden, place)) is not None for place in range(width))
    return [Register("extra", k - 1 - held)] if k - 1 > held else []


def _host(prefixes: set[int]) -> int | None:
    """The prefix, without its last bit, whose half with a 1 stays on the bit."""
    if 1 in prefixes:
        return 0
    split = (p >> 1 for p in sorted(prefixes) if p & 1 and p ^ 1 in prefixes)
    return next(split, None)


def _hosts(prefixes: set[int], useful: set[int]) -> bool:
    """Whether the bit itself has to become a line."""
    host = _host(prefixes)
    return host is not None and not useful.isdisjoint({2 * host, 2 * host + 1} - {0})


def _useful_before(prefixes: set[int], useful: set[int]) -> set[int]:
    """The prefixes one bit shorter whose lines must be right."""
    before = {p >> 1 for p in useful}
    if _hosts(prefixes, useful):
        before |= {p >> 1 for p in prefixes if p & 1}
    return before


def _split(
    b: CircuitBuilder,
    lines: dict[int, int],
    place: int,
    prefixes: set[int],
    useful: set[int],
    fresh: Iterator[int],
) -> dict[int, int]:
    """One line for each prefix with the bit at ``place``; right at least where useful."""
    host = _host(prefixes)
    hosted = _hosts(prefixes, useful)
    split: dict[int, int] = {}
    for prefix, line in lines.items():
        low, high = 2 * prefix, 2 * prefix + 1
        if low in prefixes:
            split[low] = line
        if high not in prefixes or prefix == host:
            continue
        split[high] = line
        if low in prefixes:
            split[high] = next(fresh)
            if hosted or high in useful or low in useful:
                b.x(split[high], [line, place])
            if low in useful:
                b.x(line, [split[high]])
        if hosted:
            b.x(place, [split[high]])
    if host is not None:
        split[2 * host + 1] = place
        if host and 2 * host in useful:
            b.x(lines[host], [place])
    return split


def one_hot_cost(k: int) -> Cost:
    """The gates of :func:`one_hot` with value 0 hidden, b = ceil(log2 k).

    T = k - 1 - b Toffolis; T CX, and floor(m / 2) - 1 more for each place but the first, m the
    number of prefixes up to it.
    """
    width = (k - 1).bit_length()
    toffoli = k - 1 - width
    counts = [((k - 1) >> left) + 1 for left in range(width - 1)]
    return Cost(toffoli, toffoli + sum(m // 2 - 1 for m in counts))
