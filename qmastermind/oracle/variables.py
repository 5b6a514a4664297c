"""Named variables over bits: how an assignment is a bitstring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import UsageError
from qmastermind.synthesis.preparation import uniform
from qmastermind.validation import whole


def check_bits(x: str, num_bits: int) -> str:
    """Returns ``x`` if it is a bitstring of that length.

    Raises:
        UsageError: If it is not.
    """
    if not isinstance(x, str) or len(x) != num_bits or set(x) - {"0", "1"}:
        raise UsageError(f"expected {num_bits} characters 0 or 1, not {x!r}")
    return x


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable with the values 0 to ``size - 1``.

    Attributes:
        name: Unique among the variables of an oracle.
        size: Number of values, at least 2; a bit has 2.
    """

    name: str
    size: int = 2

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise UsageError(f"a variable needs a name, not {self.name!r}")
        if whole(self.size, f"the number of values of {self.name!r}") < 2:
            raise UsageError(f"variable {self.name!r} needs at least 2 values, not {self.size}")

    @property
    def num_bits(self) -> int:
        """Bits that hold the value, most significant first."""
        return (self.size - 1).bit_length()


@dataclass(frozen=True)
class Variables:
    """Variables in their declared order: the first one has the leftmost bits.

    Attributes:
        declared: The variables.
    """

    declared: tuple[Variable, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for variable in self.declared:
            if variable.name in seen:
                raise UsageError(f"variable {variable.name!r} is declared twice")
            seen.add(variable.name)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.declared)

    def __len__(self) -> int:
        return len(self.declared)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(v.name for v in self.declared)

    @property
    def num_bits(self) -> int:
        """Bits of all variables together."""
        return sum(v.num_bits for v in self.declared)

    @property
    def num_assignments(self) -> int:
        """Number of assignments; patterns beyond a variable's size are none."""
        product = 1
        for variable in self.declared:
            product *= variable.size
        return product

    def span(self, name: str) -> range:
        """The bits of a variable.

        Raises:
            UsageError: If there is no such variable.
        """
        start = 0
        for variable in self.declared:
            if variable.name == name:
                return range(start, start + variable.num_bits)
            start += variable.num_bits
        known = ", ".join(v.name for v in self.declared)
        raise UsageError(f"no variable {name!r}; there are: {known}")

    def decode(self, bits: str) -> dict[str, int] | None:
        """The assignment of a bitstring, or None if a value is beyond its variable's size.

        Raises:
            UsageError: If it is no bitstring of :attr:`num_bits` bits.
        """
        check_bits(bits, self.num_bits)
        values: dict[str, int] = {}
        start = 0
        for variable in self.declared:
            value = int(bits[start : start + variable.num_bits], 2)
            if value >= variable.size:
                return None
            values[variable.name] = value
            start += variable.num_bits
        return values

    def encode(self, assignment: Mapping[str, int]) -> str:
        """The bitstring of an assignment.

        Raises:
            UsageError: If a variable has no value, or one that it cannot have.
        """
        bits = ""
        for variable in self.declared:
            given = assignment.get(variable.name)
            value = -1 if given is None else whole(given, f"variable {variable.name!r}")
            if not 0 <= value < variable.size:
                raise UsageError(
                    f"variable {variable.name!r} needs a value of 0..{variable.size - 1}, "
                    f"not {given}"
                )
            bits += format(value, f"0{variable.num_bits}b")
        return bits

    def prepare(self) -> Circuit:
        """A circuit that prepares the uniform superposition of all assignments from |0>."""
        builder = CircuitBuilder(Register("x", self.num_bits))
        start = 0
        for variable in self.declared:
            spread = uniform(variable.size, variable.num_bits)
            builder.compose(spread, range(start, start + variable.num_bits))
            start += variable.num_bits
        return builder.build()


def bits(*names: str) -> Variables:
    """Variables of one bit each."""
    return Variables(tuple(Variable(name) for name in names))
