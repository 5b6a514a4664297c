"""Boolean functions given by their truth table: as exclusive sums of products, and as circuits.

Whoever has the list of marked inputs has the answer of a search already. Circuits from here carry
the label ``synthesised from a truth table``, so that their costs are not taken for those of an
oracle that does not know what it marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import MAX_LISTED_QUBITS, Circuit, Phases, Register
from qmastermind.errors import UsageError

LABEL = "synthesised from a truth table"

_WIDEST_TABLE = 14
_MOST_CUBES_RESHAPED = 160
_MOST_SWEEPS = 12


@dataclass(frozen=True, slots=True, order=True)
class Cube:
    """A product of literals.

    Attributes:
        mask: The bits that matter, as a mask of input indices (first bit most significant).
        value: What they must be; 0 outside the mask.
    """

    mask: int
    value: int

    def holds(self, x: int) -> bool:
        """Whether an input satisfies all literals."""
        return x & self.mask == self.value

    @property
    def cost(self) -> int:
        """CX of its phase with one clean ancilla."""
        literals = self.mask.bit_count()
        return 6 * literals - 12 if literals > 2 else int(literals == 2)

    def literals(self, num_bits: int) -> tuple[tuple[int, int], ...]:
        """(bit, value) pairs, bits numbered from the first."""
        return tuple(
            (i, self.value >> (num_bits - 1 - i) & 1)
            for i in range(num_bits)
            if self.mask >> (num_bits - 1 - i) & 1
        )


def esop(num_bits: int, marked: Iterable[int]) -> tuple[Cube, ...]:
    """Cubes of which an odd number holds exactly on the marked inputs.

    A heuristic for least total cost: the best of a few pseudo-Kronecker expansions (each variable
    split in the cheapest of three ways, in several orders), and of the inputs one by one; then
    pairs of cubes are merged, or reshaped so that they merge with others, while it pays.

    Source: pseudo-Kronecker expansions, Sasao, "Switching Theory for Logic Synthesis" (1999),
    chapter 7; reshaping by exorlink, Song and Perkowski, IEEE TCAD 15, 385 (1996).

    Args:
        num_bits: Width of the inputs.
        marked: Inputs, big-endian integers; one that occurs twice counts twice, so not at all.

    Raises:
        UsageError: If an input is outside 0..2^num_bits - 1.
    """
    inputs: set[int] = set()
    for x in marked:
        if not 0 <= x < 2**num_bits:
            raise UsageError(f"an input of {num_bits} bits is 0 to {2**num_bits - 1}, not {x}")
        inputs ^= {x}
    starts = [{Cube(2**num_bits - 1, x) for x in inputs}]
    if num_bits <= _WIDEST_TABLE:
        for order in _orders(num_bits):
            starts.append(_expansion(num_bits, inputs, order))
    reduced = [_reduced(cubes, num_bits) for cubes in starts]
    return tuple(sorted(min(reduced, key=_total)))


def simplified(num_bits: int, cubes: Iterable[Cube]) -> tuple[Cube, ...]:
    """An equal exclusive sum of no higher cost, by merging and reshaping as in :func:`esop`.

    Args:
        num_bits: Width of the inputs.
        cubes: Products; one that occurs twice cancels.
    """
    kept: set[Cube] = set()
    for cube in cubes:
        kept ^= {cube}
    return tuple(sorted(_reduced(kept, num_bits)))


def _total(cubes: Iterable[Cube]) -> tuple[int, int]:
    listed = list(cubes)
    return sum(cube.cost for cube in listed), len(listed)


def _orders(num_bits: int) -> list[tuple[int, ...]]:
    forwards = tuple(range(num_bits))
    inside_out = tuple(sorted(forwards, key=lambda i: abs(2 * i - num_bits + 1)))
    return list(dict.fromkeys([forwards, forwards[::-1], inside_out, inside_out[::-1]]))


def _expansion(num_bits: int, inputs: set[int], order: tuple[int, ...]) -> set[Cube]:
    """A pseudo-Kronecker expansion, the variables split in this order."""
    table = 0
    for x in inputs:
        place = 0
        for bit in order:
            place = 2 * place + (x >> (num_bits - 1 - bit) & 1)
        table |= 1 << place
    known: dict[tuple[int, int], tuple[int, int, tuple[tuple[int, int], ...]]] = {}

    def best(left: int, function: int) -> tuple[int, int, tuple[tuple[int, int], ...]]:
        """(literals, cubes, how to split) of a function of the last ``left`` variables."""
        if not function:
            return 0, 0, ()
        if not left:
            return 0, 1, ()
        key = (left, function)
        if key not in known:
            half = 1 << (left - 1)
            low, high = function & (1 << half) - 1, function >> half
            both = low ^ high
            # (factor, function): factor 0 or 1 is the literal, 2 is none
            ways = (((0, low), (1, high)), ((2, low), (1, both)), ((2, high), (0, both)))
            found = []
            for way in ways:
                parts = [(factor, *best(left - 1, part)[:2]) for factor, part in way]
                literals = sum(n + (cubes if f < 2 else 0) for f, n, cubes in parts)
                number = sum(cubes for _, _, cubes in parts)
                found.append((literals - 2 * number, literals, number, way))
            _, literals, number, way = min(found, key=lambda item: item[:3])
            known[key] = (literals, number, way)
        return known[key]

    def cubes(left: int, function: int, cube: Cube) -> Iterator[Cube]:
        if not left:
            if function:
                yield cube
            return
        bit = 1 << (num_bits - 1 - order[num_bits - left])
        for factor, part in best(left, function)[2]:
            if factor == 2:
                yield from cubes(left - 1, part, cube)
            else:
                value = cube.value | (bit if factor else 0)
                yield from cubes(left - 1, part, Cube(cube.mask | bit, value))

    return set(cubes(num_bits, table, Cube(0, 0)))


def _reduced(cubes: set[Cube], num_bits: int) -> set[Cube]:
    """Merges and reshapes cubes while their total cost falls."""
    current: set[Cube] = set()
    for cube in cubes:
        _toggle(current, cube, num_bits)
    for _ in range(_MOST_SWEEPS):
        if len(current) > _MOST_CUBES_RESHAPED or not _reshape_once(current, num_bits):
            break
    return current


def _toggle(cubes: set[Cube], cube: Cube, num_bits: int) -> None:
    """Adds a cube, merged with those that differ from it in one variable, again and again."""
    while True:
        if cube in cubes:
            cubes.remove(cube)
            return
        merged = next((m for m in _merges(cube, cubes, num_bits)), None)
        if merged is None:
            cubes.add(cube)
            return
        other, cube = merged
        cubes.remove(other)


def _merges(cube: Cube, cubes: set[Cube], num_bits: int) -> Iterator[tuple[Cube, Cube]]:
    """Cubes at distance one, each with what both together are."""
    for place in range(num_bits):
        bit = 1 << place
        states = _states(cube, bit)
        for index, other in enumerate(states):
            if other in cubes:
                yield other, states[1 - index]


def _states(cube: Cube, bit: int) -> tuple[Cube, Cube]:
    """The two cubes that differ from this one in one variable; each is the sum of the others."""
    without = Cube(cube.mask & ~bit, cube.value & ~bit)
    one = Cube(cube.mask | bit, cube.value | bit)
    zero = Cube(cube.mask | bit, cube.value & ~bit)
    first, second = (c for c in (without, one, zero) if c != cube)
    return first, second


def _reshape_once(cubes: set[Cube], num_bits: int) -> bool:
    """Replaces pairs at distance two by equal pairs, if the total cost falls."""
    improved = False
    for first, second in combinations(sorted(cubes), 2):
        if first not in cubes or second not in cubes:
            continue
        differing = (first.mask ^ second.mask) | (first.value ^ second.value)
        if differing.bit_count() != 2:
            continue
        low = differing & -differing
        for bit in (low, differing ^ low):
            # first = (a, b), second = (c, d): their sum is (a, b + d) + (a + c, d)
            changed = _with(first, second, differing ^ bit)
            other = _with(second, first, bit)
            trial = set(cubes) - {first, second}
            before = _total(cubes)
            _toggle(trial, changed, num_bits)
            _toggle(trial, other, num_bits)
            if _total(trial) < before:
                cubes.clear()
                cubes.update(trial)
                improved = True
                break
    return improved


def _with(cube: Cube, other: Cube, bit: int) -> Cube:
    """The cube with its variable at ``bit`` replaced by the sum of both cubes' variables."""
    like = Cube(cube.mask & ~bit | other.mask & bit, cube.value & ~bit | other.value & bit)
    return next(c for c in _states(cube, bit) if c != like)


def phase_circuit(num_bits: int, marked: Iterable[int], angle: float) -> Circuit:
    """exp(i angle) on the marked inputs.

    Register ``x``, no ancilla; one box labelled :data:`LABEL`. It holds a diagonal, which lowering
    writes as products or as parities, whichever costs less.

    Raises:
        UsageError: If an input is outside 0..2^num_bits - 1.
    """
    inputs = sorted(set(marked))
    body = CircuitBuilder(Register("x", num_bits))
    if inputs and not 0 <= inputs[0] <= inputs[-1] < 2**num_bits:
        raise UsageError(f"an input of {num_bits} bits is 0 to {2**num_bits - 1}, not {inputs}")
    if num_bits <= MAX_LISTED_QUBITS:
        body.diagonal(Phases(num_bits, angle, inputs), range(num_bits))
    else:
        for state in inputs:
            body.phase_on(angle, range(num_bits), [int(bit) for bit in f"{state:0{num_bits}b}"])
    builder = CircuitBuilder(Register("x", num_bits))
    builder.append(body.build(), label=LABEL)
    return builder.build()


def flip_circuit(num_bits: int, marked: Iterable[int]) -> Circuit:
    """Maps result to result xor [x is marked].

    Registers ``x`` and ``result`` (1), no ancilla; one box labelled :data:`LABEL`. One
    multi-controlled X for each cube of :func:`esop`.

    Raises:
        UsageError: If an input is outside 0..2^num_bits - 1.
    """
    body = CircuitBuilder(Register("x", num_bits), Register("result", 1))
    for cube in esop(num_bits, set(marked)):
        literals = cube.literals(num_bits)
        body.x(num_bits, [q for q, _ in literals], [v for _, v in literals])
    builder = CircuitBuilder(Register("x", num_bits), Register("result", 1))
    builder.append(body.build(), label=LABEL)
    return builder.build()
