"""Boolean expressions over bits, and the circuits that compute them.

A circuit follows the structure of its expression and never lists inputs: a conjunction is one
multi-controlled gate over its literals and over one ancilla for each part that is no literal; a
disjunction is the same by De Morgan; an exclusive or goes straight into the target.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import UsageError
from qmastermind.oracle.base import Oracle
from qmastermind.synthesis.arithmetic import (
    add_constant,
    controlled_constant_adder,
    controlled_constant_adder_cost,
)


class Expression(ABC):
    """A boolean function of bits, numbered as the qubits of an oracle."""

    @abstractmethod
    def holds(self, x: str) -> bool:
        """The truth on a bitstring."""

    @abstractmethod
    def flip(self, builder: CircuitBuilder, qubits: Sequence[int], target: int) -> None:
        """Flips ``target`` where the expression holds; ancillas clean in and out.

        Args:
            builder: Gets the gates, lends ancillas.
            qubits: ``qubits[i]`` is bit i of the input.
            target: A qubit that is none of those.
        """

    def phase(self, builder: CircuitBuilder, qubits: Sequence[int], angle: float) -> None:
        """Gives the inputs where the expression holds the phase exp(i angle)."""
        with builder.ancillas(1) as (value,), self.flipped(builder, qubits, value):
            builder.p(angle, value)

    @contextmanager
    def flipped(
        self, builder: CircuitBuilder, qubits: Sequence[int], target: int
    ) -> Iterator[None]:
        """``target`` flipped where the expression holds, for as long as the context lasts.

        Clears its ancillas in between; what is nested deeply holds them, see :class:`And`.
        """
        self.flip(builder, qubits, target)
        yield
        self.flip(builder, qubits, target)

    @abstractmethod
    def remap(self, where: Mapping[int, int | bool]) -> Expression:
        """The expression with bit i replaced by ``where[i]``: another bit, or a constant."""


@dataclass(frozen=True)
class Constant(Expression):
    """Always true, or always false."""

    value: bool

    def holds(self, x: str) -> bool:
        """The constant."""
        return self.value

    def flip(self, builder: CircuitBuilder, qubits: Sequence[int], target: int) -> None:
        """One X, or nothing."""
        if self.value:
            builder.x(target)

    def phase(self, builder: CircuitBuilder, qubits: Sequence[int], angle: float) -> None:
        """A global phase, or nothing."""
        if self.value:
            builder.global_phase += angle

    def remap(self, where: Mapping[int, int | bool]) -> Expression:
        """Itself."""
        return self


@dataclass(frozen=True)
class Literal(Expression):
    """A bit, or its negation."""

    bit: int
    positive: bool = True

    def holds(self, x: str) -> bool:
        """Whether the bit has the wanted value."""
        return (x[self.bit] == "1") == self.positive

    def flip(self, builder: CircuitBuilder, qubits: Sequence[int], target: int) -> None:
        """One CX."""
        builder.x(target, [qubits[self.bit]], [int(self.positive)])

    def phase(self, builder: CircuitBuilder, qubits: Sequence[int], angle: float) -> None:
        """One phase gate."""
        builder.phase_on(angle, [qubits[self.bit]], [int(self.positive)])

    def remap(self, where: Mapping[int, int | bool]) -> Expression:
        """Another literal or a constant."""
        bit = where[self.bit]
        if isinstance(bit, bool):
            return Constant(bit == self.positive)
        return Literal(bit, self.positive)


@dataclass(frozen=True)
class Not(Expression):
    """Negation of anything but a literal or constant; see :func:`negation`."""

    part: Expression

    def holds(self, x: str) -> bool:
        """Whether the part does not."""
        return not self.part.holds(x)

    def flip(self, builder: CircuitBuilder, qubits: Sequence[int], target: int) -> None:
        """The part's, and one X."""
        self.part.flip(builder, qubits, target)
        builder.x(target)

    @contextmanager
    def flipped(
        self, builder: CircuitBuilder, qubits: Sequence[int], target: int
    ) -> Iterator[None]:
        """The part's, and one X."""
        with self.part.flipped(builder, qubits, target):
            builder.x(target)
            yield
            builder.x(target)

    def phase(self, builder: CircuitBuilder, qubits: Sequence[int], angle: float) -> None:
        """The part's with the opposite angle, up to a global phase that is kept."""
        builder.global_phase += angle
        self.part.phase(builder, qubits, -angle)

    def remap(self, where: Mapping[int, int | bool]) -> Expression:
        """Part by part."""
        return negation(self.part.remap(where))


@dataclass(frozen=True)
class And(Expression):
    """Conjunction of at least two parts; see :func:`conjunction`."""

    parts: tuple[Expression, ...]

    @cached_property
    def depth(self) -> int:
        """Levels of conjunctions and exclusive ors within each other."""
        return _depth_of(self.parts)

    def holds(self, x: str) -> bool:
        """Whether all parts do."""
        return all(part.holds(x) for part in self.parts)

    def flip(self, builder: CircuitBuilder, qubits: Sequence[int], target: int) -> None:
        """One multi-controlled X around the parts that are computed into ancillas."""
        with self._computed(builder, qubits) as (controls, values):
            builder.x(target, controls, values)

    def phase(self, builder: CircuitBuilder, qubits: Sequence[int], angle: float) -> None:
        """One multi-controlled phase around the parts that are computed into ancillas."""
        with self._computed(builder, qubits) as (controls, values):
            builder.phase_on(angle, controls, values)

    @contextmanager
    def flipped(
        self, builder: CircuitBuilder, qubits: Sequence[int], target: int
    ) -> Iterator[None]:
        """If nested deeply, the ancillas of its parts are held until the end.

        Cleared in between, all parts would be computed twice, and those in them again: the gates
        would double with every level.
        """
        if self.depth <= _CLEARED_DEPTH:
            with super().flipped(builder, qubits, target):
                yield
            return
        with self._computed(builder, qubits) as (controls, values):
            builder.x(target, controls, values)
            yield
            builder.x(target, controls, values)

    @contextmanager
    def _computed(
        self, builder: CircuitBuilder, qubits: Sequence[int]
    ) -> Iterator[tuple[list[int], list[int]]]:
        """Controls and values that say all parts hold; contradictions and repeats are gone."""
        literals = {part.bit: part.positive for part in self.parts if isinstance(part, Literal)}
        compound = [part for part in self.parts if not isinstance(part, Literal)]
        with builder.ancillas(len(compound)) as scratch, ExitStack() as flipped:
            controls = [qubits[bit] for bit in literals] + list(scratch)
            values = [int(v) for v in literals.values()]
            for part, qubit in zip(compound, scratch, strict=True):
                # A negation is computed as its part and read the other way round.
                inner = part.part if isinstance(part, Not) else part
                flipped.enter_context(inner.flipped(builder, qubits, qubit))
                values.append(int(inner is part))
            yield controls, values

    def remap(self, where: Mapping[int, int | bool]) -> Expression:
        """Part by part."""
        return conjunction(part.remap(where) for part in self.parts)


_CLEARED_DEPTH = 3
"""Levels up to which ancillas are cleared and used again, at up to four times the gates."""


def _depth_of(parts: Iterable[Expression]) -> int:
    plain = (part.part if isinstance(part, Not) else part for part in parts)
    return 1 + max((p.depth for p in plain if isinstance(p, And | Xor)), default=0)


@dataclass(frozen=True)
class Xor(Expression):
    """Exclusive or of at least two parts; see :func:`parity`."""

    parts: tuple[Expression, ...]

    @cached_property
    def depth(self) -> int:
        """Levels of conjunctions and exclusive ors within each other."""
        return _depth_of(self.parts)

    def holds(self, x: str) -> bool:
        """Whether an odd number of parts do."""
        return sum(part.holds(x) for part in self.parts) % 2 == 1

    def flip(self, builder: CircuitBuilder, qubits: Sequence[int], target: int) -> None:
        """Each part's, one after the other."""
        for part in self.parts:
            part.flip(builder, qubits, target)

    @contextmanager
    def flipped(
        self, builder: CircuitBuilder, qubits: Sequence[int], target: int
    ) -> Iterator[None]:
        """If nested deeply, its parts hold their ancillas until the end, as in :class:`And`."""
        if self.depth <= _CLEARED_DEPTH:
            with super().flipped(builder, qubits, target):
                yield
            return
        with ExitStack() as parts:
            for part in self.parts:
                parts.enter_context(part.flipped(builder, qubits, target))
            yield

    def phase(self, builder: CircuitBuilder, qubits: Sequence[int], angle: float) -> None:
        """At pi each part's, without an ancilla; else the parity is computed."""
        if math.isclose(abs(angle), math.pi, rel_tol=0, abs_tol=1e-15):
            for part in self.parts:
                part.phase(builder, qubits, math.pi)
        else:
            super().phase(builder, qubits, angle)

    def remap(self, where: Mapping[int, int | bool]) -> Expression:
        """Part by part."""
        return parity(part.remap(where) for part in self.parts)


@dataclass(frozen=True)
class SumEquals(Expression):
    """Whether a weighted sum of parts has one value.

    Computed by adding each part's weight into a counter just wide enough for the largest sum, the
    smallest first, so that carries end where the sum so far can reach. Cost: for a weight whose
    lowest 1 is above all sums so far a CX a one-bit. Else, in a counter of up to 16 bits, a ladder
    of multi-controlled X for each one-bit, without an ancilla; in a wider one at most 2 w - 2
    Toffolis, w the bits reached so far, with w + 1 ancillas.

    Attributes:
        parts: Each counts its weight where it holds.
        weights: Positive integers, one a part.
        total: The wanted sum.
    """

    parts: tuple[Expression, ...]
    weights: tuple[int, ...]
    total: int

    def __post_init__(self) -> None:
        if len(self.parts) != len(self.weights) or any(w < 1 for w in self.weights):
            raise UsageError("a sum needs one positive weight a part")

    @cached_property
    def _width(self) -> int:
        return max(sum(self.weights).bit_length(), 1)

    def holds(self, x: str) -> bool:
        """Whether the sum is the wanted one."""
        return self.total == sum(
            weight for part, weight in zip(self.parts, self.weights, strict=True) if part.holds(x)
        )

    def flip(self, builder: CircuitBuilder, qubits: Sequence[int], target: int) -> None:
        """Adds, compares, subtracts."""
        with self._counted(builder, qubits) as (counter, values):
            if values is not None:
                builder.x(target, counter, values)

    def phase(self, builder: CircuitBuilder, qubits: Sequence[int], angle: float) -> None:
        """Adds, turns, subtracts."""
        with self._counted(builder, qubits) as (counter, values):
            if values is not None:
                builder.phase_on(angle, counter, values)

    @contextmanager
    def _counted(
        self, builder: CircuitBuilder, qubits: Sequence[int]
    ) -> Iterator[tuple[Sequence[int], list[int] | None]]:
        if not 0 <= self.total <= sum(self.weights):
            yield (), None
            return
        with builder.ancillas(self._width) as counter:
            adder, place = self._adder(len(qubits)), (*qubits, *counter)
            builder.compose(adder, place)
            yield counter, [(self.total >> (self._width - 1 - i)) & 1 for i in range(self._width)]
            builder.compose(adder.inverse(), place)

    def _adder(self, num_inputs: int) -> Circuit:
        builder = CircuitBuilder(Register("x", num_inputs), Register("sum", self._width))
        inputs, counter = builder.qubits("x"), builder.qubits("sum")
        reach = 0  # the largest sum so far
        for weight, part in sorted(
            zip(self.weights, self.parts, strict=True), key=lambda pair: pair[0]
        ):
            used = counter[self._width - (reach + weight).bit_length() :]
            if isinstance(part, Literal):
                self._add(builder, used, weight, reach, inputs[part.bit], int(part.positive))
            else:
                with builder.ancillas(1) as (scratch,), part.flipped(builder, inputs, scratch):
                    self._add(builder, used, weight, reach, scratch, 1)
            reach += weight
        return builder.build()

    def _add(
        self,
        builder: CircuitBuilder,
        counter: Sequence[int],
        weight: int,
        reach: int,
        control: int,
        value: int,
    ) -> None:
        if reach < weight & -weight:  # nothing carries
            for place, qubit in enumerate(reversed(counter)):
                if weight >> place & 1:
                    builder.x(qubit, [control], [value])
        elif self._width <= _WIDEST_LADDER:
            add_constant(builder, counter, weight, control, value)
        else:
            _add_weight(builder, counter, weight, control, value)

    def remap(self, where: Mapping[int, int | bool]) -> Expression:
        """Part by part; constants move into the wanted sum."""
        parts, weights, total = [], [], self.total
        for part, weight in zip(self.parts, self.weights, strict=True):
            mapped = part.remap(where)
            if isinstance(mapped, Constant):
                total -= weight * mapped.value
            else:
                parts.append(mapped)
                weights.append(weight)
        if not parts:
            return Constant(total == 0)
        return SumEquals(tuple(parts), tuple(weights), total)


_WIDEST_LADDER = 16
"""Counter bits up to which sums do without ancillas, as they may have to fit a simulator."""


def _add_weight(
    builder: CircuitBuilder, counter: Sequence[int], weight: int, control: int, value: int
) -> None:
    """Adds a weight where ``control`` has the value, with an adder if that takes fewer Toffolis."""
    width = len(counter)
    ladder = sum((width - s - 1) ** 2 for s in range(width) if weight >> s & 1)
    if ladder <= controlled_constant_adder_cost(width, weight).toffoli:
        add_constant(builder, counter, weight, control, value)
        return
    if not value:
        builder.x(control)
    builder.compose(controlled_constant_adder(width, weight), (control, *counter))
    if not value:
        builder.x(control)


@dataclass(frozen=True)
class Leaf(Expression):
    """Another oracle as a part of an expression; each appearance is a use of it.

    Attributes:
        oracle: Any oracle.
        inputs: For each of its bits, the bit or constant of this expression.
    """

    oracle: Oracle
    inputs: tuple[int | bool, ...]

    def _word(self, x: str) -> str:
        return "".join(("1" if i else "0") if isinstance(i, bool) else x[i] for i in self.inputs)

    def holds(self, x: str) -> bool:
        """What the oracle marks."""
        return self.oracle.marks(self._word(x))

    def flip(self, builder: CircuitBuilder, qubits: Sequence[int], target: int) -> None:
        """Its bit oracle."""
        with self._place(builder, qubits) as place:
            builder.append(self.oracle.bit_flip(), (*place, target))

    def phase(self, builder: CircuitBuilder, qubits: Sequence[int], angle: float) -> None:
        """Its phase oracle."""
        with self._place(builder, qubits) as place:
            builder.append(self.oracle.phase(angle), place)

    @contextmanager
    def _place(self, builder: CircuitBuilder, qubits: Sequence[int]) -> Iterator[list[int]]:
        fixed = [i for i in self.inputs if isinstance(i, bool)]
        with builder.ancillas(len(fixed)) as scratch:
            ones = [q for q, value in zip(scratch, fixed, strict=True) if value]
            spare = iter(scratch)
            for qubit in ones:
                builder.x(qubit)
            yield [next(spare) if isinstance(i, bool) else qubits[i] for i in self.inputs]
            for qubit in ones:
                builder.x(qubit)

    def remap(self, where: Mapping[int, int | bool]) -> Expression:
        """The same oracle on other bits."""
        mapped = tuple(i if isinstance(i, bool) else where[i] for i in self.inputs)
        return Leaf(self.oracle, mapped)


def negation(part: Expression) -> Expression:
    """Not, simplified for literals, constants and double negations."""
    match part:
        case Constant(value):
            return Constant(not value)
        case Literal(bit, positive):
            return Literal(bit, not positive)
        case Not(inner):
            return inner
    return Not(part)


def conjunction(parts: Iterable[Expression]) -> Expression:
    """And of any number of parts: flat, without repeats, false where it contradicts itself."""
    flat: dict[Expression, None] = {}
    for part in parts:
        for inner in part.parts if isinstance(part, And) else (part,):
            if inner == Constant(False) or negation(inner) in flat:
                return Constant(False)
            if inner != Constant(True):
                flat[inner] = None
    if not flat:
        return Constant(True)
    return next(iter(flat)) if len(flat) == 1 else And(tuple(flat))


def disjunction(parts: Iterable[Expression]) -> Expression:
    """Or of any number of parts, as the negation of a conjunction."""
    return negation(conjunction([negation(part) for part in parts]))


def parity(parts: Iterable[Expression]) -> Expression:
    """Exclusive or of any number of parts: pairs cancel, negations move to the outside."""
    flat: dict[Expression, None] = {}
    odd = False
    for part in parts:
        for inner in part.parts if isinstance(part, Xor) else (part,):
            positive = inner
            if isinstance(inner, Constant):
                odd ^= inner.value
                continue
            if isinstance(inner, Not) or (isinstance(inner, Literal) and not inner.positive):
                odd, positive = not odd, negation(inner)
            if positive in flat:
                del flat[positive]
            else:
                flat[positive] = None
    if not flat:
        return Constant(odd)
    result = next(iter(flat)) if len(flat) == 1 else Xor(tuple(flat))
    return negation(result) if odd else result
