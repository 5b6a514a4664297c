"""The match oracle: marks one code. The equality oracle of the textbook's Grover search."""

from __future__ import annotations

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.encoding import Encoding
from qmastermind.game.code import Code
from qmastermind.oracle.base import Meter, Oracle


class MatchOracle(Oracle):
    """Marks the bitstring of one code.

    Cost: one multi-controlled phase over all bits of the code, open where a bit is 0.

    Args:
        code: The marked code.
        encoding: How codes are bits.
        meter: Counts uses, if somebody asks for it.
    """

    label = "match"

    def __init__(self, code: Code, encoding: Encoding, meter: Meter | None = None) -> None:
        self._bits = encoding.encode(code)
        self.encoding = encoding
        self.num_bits = encoding.num_bits
        self.meter = meter

    def _marks(self, x: str) -> bool:
        return x == self._bits

    def _phase(self, angle: float) -> Circuit:
        builder = CircuitBuilder(Register("code", self.num_bits))
        builder.phase_on(angle, range(self.num_bits), [int(b) for b in self._bits])
        return builder.build()

    def _bit_flip(self) -> Circuit:
        builder = CircuitBuilder(Register("code", self.num_bits), Register("result", 1))
        builder.x(self.num_bits, range(self.num_bits), [int(b) for b in self._bits])
        return builder.build()
