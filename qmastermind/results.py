"""What a run returns: counts, and exact distributions where they are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qmastermind.errors import TooLargeError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Counts(dict[str, int]):
    """How often each bitstring was measured; bit 0 of the circuit is the leftmost character.

    ``shots`` is the number that was returned, which a device may round up from what was asked.
    """

    @classmethod
    def from_rows(cls, rows: NDArray[np.uint8]) -> Counts:
        """From one row of 0 and 1 a shot, shape ``(shots, num_bits)``; in increasing order."""
        num_bits = rows.shape[1]
        packed = np.packbits(rows, axis=1)  # bit 0 is the highest of the first byte
        if num_bits <= 64:
            words = np.zeros((len(rows), 8), dtype=np.uint8)
            words[:, : packed.shape[1]] = packed
            codes, numbers = np.unique(words.view(">u8").astype(np.uint64), return_counts=True)
            keys = [format(code, "064b")[:num_bits] for code in codes.tolist()]
        else:
            found, numbers = np.unique(packed, axis=0, return_counts=True)
            keys = ["".join(format(b, "08b") for b in row)[:num_bits] for row in found.tolist()]
        return cls(zip(keys, numbers.tolist(), strict=True))

    @property
    def shots(self) -> int:
        """The total."""
        return sum(self.values())

    def most_common(self, n: int | None = None) -> list[tuple[str, int]]:
        """The most frequent bitstrings first, ties in increasing order."""
        return sorted(self.items(), key=lambda item: (-item[1], item[0]))[:n]

    def marginal(self, bits: Sequence[int]) -> Counts:
        """Counts of some bits, in the order given."""
        found = Counts()
        for bitstring, number in self.items():
            part = "".join(bitstring[b] for b in bits)
            found[part] = found.get(part, 0) + number
        return found


@dataclass(frozen=True)
class Factor:
    """The joint distribution of some bits.

    Attributes:
        bits: Classical bits, first one most significant in an index of ``probabilities``.
        probabilities: Shape ``(2**len(bits),)``.
    """

    bits: tuple[int, ...]
    probabilities: NDArray[np.float64]

    def sample(self, shots: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Draws values of the bits, shape ``(shots, len(bits))``."""
        cumulative = np.cumsum(self.probabilities)
        draws = rng.random(shots) * cumulative[-1]
        index = np.minimum(np.searchsorted(cumulative, draws, side="right"), len(cumulative) - 1)
        rows = np.empty((shots, len(self.bits)), dtype=np.uint8)
        for place in range(len(self.bits)):
            rows[:, place] = index >> (len(self.bits) - 1 - place) & 1
        return rows


@dataclass(frozen=True)
class Distribution:
    """The exact distribution of a circuit's bits, as independent factors.

    Attributes:
        num_bits: Number of classical bits.
        factors: Cover every bit once.
    """

    num_bits: int
    factors: tuple[Factor, ...]

    @classmethod
    def dense(cls, probabilities: NDArray[np.float64]) -> Distribution:
        """From one array of shape ``(2**num_bits,)``, bit 0 most significant."""
        num_bits = int(probabilities.size).bit_length() - 1
        return cls(num_bits, (Factor(tuple(range(num_bits)), probabilities),))

    def probability(self, bitstring: str) -> float:
        """The probability of one bitstring."""
        if len(bitstring) != self.num_bits or set(bitstring) - {"0", "1"}:
            raise UsageError(f"expected {self.num_bits} characters 0 or 1, not {bitstring!r}")
        result = 1.0
        for factor in self.factors:
            index = int("0" + "".join(bitstring[b] for b in factor.bits), 2)
            result *= float(factor.probabilities[index])
        return result

    def array(self) -> NDArray[np.float64]:
        """All probabilities, shape ``(2**num_bits,)``, bit 0 most significant.

        Raises:
            TooLargeError: For more than 28 bits.
        """
        if self.num_bits > 28:
            raise TooLargeError(
                f"a table over {self.num_bits} bits is too large; ask for single bitstrings"
            )
        joint = np.ones(1)
        order: list[int] = []
        for factor in self.factors:
            joint = np.multiply.outer(joint, factor.probabilities).reshape(-1)
            order += factor.bits
        cube = joint.reshape((2,) * self.num_bits)
        return np.ascontiguousarray(cube.transpose(np.argsort(order))).reshape(-1)

    def sample(self, shots: int, rng: np.random.Generator) -> Counts:
        """Draws bitstrings; the same generator state gives the same counts."""
        shot_rows = np.zeros((shots, self.num_bits), dtype=np.uint8)
        for factor in self.factors:
            shot_rows[:, factor.bits] = factor.sample(shots, rng)
        return Counts.from_rows(shot_rows)

    def most_likely(self, n: int = 1) -> list[tuple[str, float]]:
        """The n most likely bitstrings with their probabilities, most likely first."""
        best: list[tuple[dict[int, str], float]] = [({}, 1.0)]
        for factor in self.factors:
            p = factor.probabilities
            top = np.argsort(-p, kind="stable")[:n] if n < p.size else np.argsort(-p, kind="stable")
            width = len(factor.bits)
            options = [
                (
                    dict(
                        zip(factor.bits, format(int(i), f"0{width}b"), strict=True) if width else ()
                    ),
                    float(p[i]),
                )
                for i in top
            ]
            joined = [({**a, **b}, x * y) for a, x in best for b, y in options]
            best = sorted(joined, key=lambda item: -item[1])[:n]
        return [("".join(bits[b] for b in range(self.num_bits)), p) for bits, p in best]
