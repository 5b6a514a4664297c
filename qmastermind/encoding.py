"""Codes as bits: the one place of the bit order of codes, and the preparation of code spaces.

The first peg comes first, and within a peg the most significant bit comes first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.game.code import Code
from qmastermind.game.rules import Rules
from qmastermind.results import Counts
from qmastermind.synthesis.distinct import distinct
from qmastermind.synthesis.preparation import uniform
from qmastermind.validation import whole

Kind: TypeAlias = Literal["binary", "one-hot"]
Space: TypeAlias = Literal["valid", "all"]

_MAX_LISTED_CODES = 200_000


@dataclass(frozen=True)
class Encoding:
    """How the codes of a game are bits.

    Attributes:
        rules: The rules of the game.
        kind: ``binary`` takes ceil(log2 colours) bits a peg, ``one-hot`` one bit a colour.
        peg_bits: Bits a peg in the binary encoding, if more are wanted: patterns that are no
            colour play an empty hole.

    Raises:
        UsageError: For another kind, or too few bits.
    """

    rules: Rules
    kind: Kind = "binary"
    peg_bits: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("binary", "one-hot"):
            raise UsageError(f"unknown encoding {self.kind!r}; known: binary, one-hot")
        least = self.rules.colours if self.kind == "one-hot" else self._least_bits
        if self.peg_bits is not None and whole(self.peg_bits, "the number of bits a peg") < least:
            raise UsageError(f"{self.rules} needs at least {least} bits a peg")
        if self.peg_bits not in (None, least) and self.kind == "one-hot":
            raise UsageError("the one-hot encoding has one bit a colour")

    @cached_property
    def bits_per_peg(self) -> int:
        """Qubits a peg."""
        if self.kind == "one-hot":
            return self.rules.colours
        return self.peg_bits or self._least_bits

    @property
    def _least_bits(self) -> int:
        return (self.rules.colours - 1).bit_length()

    @property
    def num_bits(self) -> int:
        """Qubits a code."""
        return self.rules.positions * self.bits_per_peg

    @cached_property
    def peg_slices(self) -> tuple[range, ...]:
        """For each peg, its qubits."""
        width = self.bits_per_peg
        return tuple(range(j * width, (j + 1) * width) for j in range(self.rules.positions))

    def encode_peg(self, colour: int) -> str:
        """The bits of one colour."""
        self.rules.check_colour(colour)
        if self.kind == "one-hot":
            return "".join("1" if c == colour else "0" for c in range(self.rules.colours))
        return format(colour, f"0{self.bits_per_peg}b")

    def decode_peg(self, bits: str) -> int | None:
        """The colour of a peg's bits, or None if they are no colour."""
        if self.kind == "one-hot":
            return bits.index("1") if bits.count("1") == 1 else None
        colour = int(bits, 2)
        return colour if colour < self.rules.colours else None

    def encode(self, code: Sequence[int]) -> str:
        """The bitstring of a code."""
        return "".join(self.encode_peg(peg) for peg in self.rules.code(code))

    def decode(self, bits: str) -> Code | None:
        """The code of a bitstring, or None if it is no code of these rules.

        Raises:
            UsageError: If it is no bitstring of that length.
        """
        if len(bits) != self.num_bits:
            raise UsageError(f"a code has {self.num_bits} bits here, not {len(bits)}")
        if set(bits) - {"0", "1"}:
            raise UsageError(f"the bits of a code are 0 and 1, not {bits!r}")
        pegs = [self.decode_peg(bits[span.start : span.stop]) for span in self.peg_slices]
        known = tuple(peg for peg in pegs if peg is not None)
        if len(known) < len(pegs):
            return None
        if not self.rules.repeats and len(set(known)) < len(known):
            return None
        return self.rules.code(known)

    def label_counts(self, counts: Counts, most: int) -> dict[str, int]:
        """The most frequent bitstrings by code; one that is no code stands in angle brackets."""
        labels = {}
        for bits, shots in counts.most_common(most):
            code = self.decode(bits)
            labels[f"<{bits}>" if code is None else str(code)] = shots
        return labels

    def size(self, space: Space) -> int:
        """Number of basis states that :meth:`prepare` puts in superposition.

        Raises:
            UsageError: For an unknown space.
        """
        if space not in ("valid", "all"):
            raise UsageError(f"unknown space {space!r}; known: valid, all")
        return self.rules.num_codes if space == "valid" else 2**self.num_bits

    def prepare(self, space: Space = "valid") -> Circuit:
        """A circuit A with A|0> uniform, on one register ``code``.

        Args:
            space: ``all`` bitstrings (Hadamards), or only the ``valid`` codes, exactly and
                without post-selection.

        With repeats the valid preparation is one small circuit a peg. Without repeats it has one
        ancilla (:func:`qmastermind.synthesis.distinct.distinct`); one-hot it is a tree of
        controlled rotations over the listed codes, which grows with their number.

        Raises:
            TooLargeError: If the codes are too many to list.
        """
        builder = CircuitBuilder(Register("code", self.num_bits))
        if space == "all":
            for qubit in range(self.num_bits):
                builder.h(qubit)
        elif space != "valid":
            raise UsageError(f"unknown space {space!r}; known: valid, all")
        elif self.rules.repeats:
            peg = (
                uniform_over([self.encode_peg(c) for c in range(self.rules.colours)])
                if self.kind == "one-hot"
                else uniform(self.rules.colours, self.bits_per_peg)
            )
            for span in self.peg_slices:
                builder.compose(peg, span)
        elif self.kind == "binary":
            builder.compose(distinct(self.rules.colours, self.rules.positions, self.bits_per_peg))
        else:
            if self.rules.num_codes > _MAX_LISTED_CODES:
                raise TooLargeError(
                    f"{self.rules} has {self.rules.num_codes:,} codes, too many to prepare one by "
                    f"one (at most {_MAX_LISTED_CODES:,}); use the binary encoding"
                )
            builder.compose(uniform_over([self.encode(code) for code in self.rules.codes()]))
        return builder.build()


def uniform_over(bitstrings: Sequence[str]) -> Circuit:
    """Prepares the uniform superposition of some bitstrings from |0..0>, by a prefix tree.

    Each bit is rotated under control of the bits before it, by the share of the bitstrings with
    that prefix that go on with 1; where all prefixes agree, without control. Register ``x``, no
    ancilla. Cost: at most one multi-controlled rotation a prefix.

    Raises:
        UsageError: If there is no bitstring, one occurs twice, or lengths differ.
    """
    if not bitstrings or len(set(bitstrings)) < len(bitstrings):
        raise UsageError("expected at least one bitstring, each once")
    width = len(bitstrings[0])
    if any(len(x) != width for x in bitstrings):
        raise UsageError("expected bitstrings of one length")
    builder = CircuitBuilder(Register("x", width))
    for bit in range(width):
        ones: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for x in bitstrings:
            total[x[:bit]] += 1
            ones[x[:bit]] += x[bit] == "1"
        angles = {
            prefix: 2 * math.atan2(math.sqrt(ones[prefix]), math.sqrt(n - ones[prefix]))
            for prefix, n in total.items()
        }
        if len(set(angles.values())) == 1:
            angles = {"": next(iter(angles.values()))}
        for prefix, angle in angles.items():
            if angle:
                builder.ry(angle, bit, range(len(prefix)), [int(b) for b in prefix])
    return builder.build()
