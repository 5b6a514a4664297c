"""What an oracle is: a classical truth, and circuits that obey it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Box, Circuit, Query, Register
from qmastermind.errors import TooLargeError
from qmastermind.oracle.cost import OracleCost, cost_of
from qmastermind.oracle.variables import Variables, bits, check_bits

_MAX_ENUMERATED_BITS = 24


@dataclass(frozen=True)
class Meter:
    """Counts what is asked of an oracle.

    Attributes:
        query: Told of uses inside circuits that were run.
        probe: Called for every classical evaluation.
    """

    query: Query
    probe: Callable[[], None]


class _Metered(ABC):
    """Shared by both kinds of oracle: a width, a label, and an optional meter."""

    num_bits: int
    label: str = "oracle"
    meter: Meter | None = None

    def _probe(self, x: str) -> None:
        check_bits(x, self.num_bits)
        if self.meter is not None:
            self.meter.probe()

    def _use(self, body: Circuit) -> Circuit:
        """``body`` as one labelled box, and one use of the oracle."""
        query = None if self.meter is None else self.meter.query
        box = Box(body, tuple(range(body.num_qubits)), 1, self.label, query)
        return Circuit(body.registers, (box,))


class Oracle(_Metered):
    """A predicate on bitstrings.

    Subclasses implement :meth:`_marks` and :meth:`_phase`, which must agree on every input.
    Bitstrings have ``num_bits`` characters, qubit 0 leftmost.
    """

    def marks(self, x: str) -> bool:
        """Whether ``x`` is marked: the classical truth of the oracle."""
        self._probe(x)
        return self._marks(x)

    @cached_property
    def variables(self) -> Variables:
        """What the bits stand for, in order; by default one variable a bit, x0, x1, ..."""
        return bits(*(f"x{i}" for i in range(self.num_bits)))

    @abstractmethod
    def _marks(self, x: str) -> bool: ...

    @abstractmethod
    def _phase(self, angle: float) -> Circuit: ...

    def phase(self, angle: float = math.pi) -> Circuit:
        """The phase oracle |x> -> exp(i angle [x marked]) |x>, ancillas clean in and out.

        Its data qubits are the bits of x in order; further qubits are ancillas.
        """
        return self._use(self._phase(angle))

    def bit_flip(self) -> Circuit:
        """The bit oracle |x>|r> -> |x>|r xor [x marked]>, r the last data qubit.

        Unless the oracle has a better way, the phase oracle under control of r, between Hadamards
        on r. One use of the oracle.
        """
        return self._use(self._bit_flip())

    def _bit_flip(self) -> Circuit:
        size = self.num_bits
        builder = CircuitBuilder(Register("x", size), Register("result", 1))
        builder.h(size)
        builder.compose(self._phase(math.pi).controlled(1), (size, *range(size)))
        builder.h(size)
        return builder.build()

    @cached_property
    def cost(self) -> OracleCost:
        """An estimate from the structure of the phase oracle, before any lowering."""
        return cost_of(self._phase(math.pi))

    def marked(self) -> Iterator[str]:
        """All marked assignments as bitstrings, in increasing order, by evaluating every input.

        Raises:
            TooLargeError: For more than 24 bits.
        """
        inputs = (x for x in all_bitstrings(self.num_bits) if self.variables.decode(x) is not None)
        return (x for x in inputs if self.marks(x))

    def __and__(self, other: Oracle) -> Oracle:
        """Marks what both mark; variables of the same name are the same."""
        if not isinstance(other, Oracle):
            return NotImplemented
        from qmastermind.oracle.algebra import both

        return both(self, other)

    def __or__(self, other: Oracle) -> Oracle:
        """Marks what at least one marks."""
        if not isinstance(other, Oracle):
            return NotImplemented
        from qmastermind.oracle.algebra import either

        return either(self, other)

    def __xor__(self, other: Oracle) -> Oracle:
        """Marks what exactly one marks."""
        if not isinstance(other, Oracle):
            return NotImplemented
        from qmastermind.oracle.algebra import exactly_one

        return exactly_one(self, other)

    def __invert__(self) -> Oracle:
        """Marks what this one does not."""
        from qmastermind.oracle.algebra import complement

        return complement(self)

    def restrict(self, **values: int) -> Oracle:
        """The oracle with some variables fixed; they are no longer variables.

        Raises:
            UsageError: For a name or a value that there is not, or if nothing is left.
        """
        from qmastermind.oracle.algebra import as_expression

        return as_expression(self).restrict(**values)

    def rename(self, names: Mapping[str, str]) -> Oracle:
        """The oracle with some variables under other names.

        Raises:
            UsageError: For a name that there is not, or two variables of one name.
        """
        from qmastermind.oracle.algebra import as_expression

        return as_expression(self).rename(names)


class ValueOracle(_Metered):
    """An integer function of bitstrings, as a phase: |x> -> exp(i angle value(x)) |x>."""

    def value(self, x: str) -> int:
        """The classical truth of the oracle."""
        self._probe(x)
        return self._value(x)

    @abstractmethod
    def _value(self, x: str) -> int: ...

    @abstractmethod
    def _phase(self, angle: float) -> Circuit: ...

    def phase(self, angle: float = math.pi) -> Circuit:
        """|x> -> exp(i angle value(x)) |x>; one use. At pi it shows the parity of the value."""
        return self._use(self._phase(angle))


def all_bitstrings(num_bits: int) -> Iterator[str]:
    """All bitstrings of a length, in increasing order.

    Raises:
        TooLargeError: For more than 24 bits.
    """
    if num_bits > _MAX_ENUMERATED_BITS:
        raise TooLargeError(
            f"2**{num_bits} inputs are too many to enumerate (at most 2**{_MAX_ENUMERATED_BITS})"
        )
    return (format(i, f"0{num_bits}b") for i in range(2**num_bits))
