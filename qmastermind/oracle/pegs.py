"""Oracles that count black pegs: on coded guesses, and on a choice between two colours.

Oracle models, since query counts under different models do not compare (Li, Luo and Xu,
arXiv:2207.09356, section 2, use the counting one):

* black-peg count: |x>|b> -> |x>|b + B(x) mod 2^m>, x a coded guess, B its black pegs;
* black-peg phase: |x> -> exp(i phi B(x)) |x>. At phi = pi one use of the counting oracle gives
  it, by phase kickback; any other phi takes two (count, turn, uncount);
* colour pair: the parity of B on guesses made of two colours only.
"""

from __future__ import annotations

import math

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.encoding import Encoding
from qmastermind.errors import UsageError
from qmastermind.game.code import Code
from qmastermind.gates import Gate
from qmastermind.oracle.base import Meter, ValueOracle
from qmastermind.validation import whole


class BlackPegOracle(ValueOracle):
    """Counts the black pegs of a coded guess.

    Args:
        secret: The code that guesses are compared with.
        encoding: How guesses are bits.
        count_bits: Width m of the counter; the default holds every count.
        meter: Counts uses.

    Raises:
        UsageError: If the secret is no code of the encoding's rules, or ``count_bits`` is below 1.
    """

    label = "black pegs"

    def __init__(
        self,
        secret: Code,
        encoding: Encoding,
        count_bits: int | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._secret = encoding.rules.code(secret)
        self.encoding = encoding
        self.num_bits = encoding.num_bits
        self.count_bits = (
            encoding.rules.positions.bit_length() if count_bits is None else count_bits
        )
        if whole(self.count_bits, "the width of a counter") < 1:
            raise UsageError(f"a counter needs at least 1 bit, not {self.count_bits}")
        self.meter = meter

    def _value(self, x: str) -> int:
        pegs = (x[q.start : q.stop] for q in self.encoding.peg_slices)
        return sum(p == w for p, w in zip(pegs, self._wanted(), strict=True))

    def _wanted(self) -> list[str]:
        return [self.encoding.encode_peg(peg) for peg in self._secret]

    def count(self) -> Circuit:
        """|x>|b> -> |x>|b + B(x) mod 2^m>: one use.

        Registers: ``code``, then ``count`` (first qubit most significant). Cost: for each peg m
        multi-controlled X, on the peg's bits and the lower counter bits. No ancilla.
        """
        builder = CircuitBuilder(
            Register("code", self.num_bits), Register("count", self.count_bits)
        )
        counter = builder.qubits("count")
        for span, wanted in zip(self.encoding.peg_slices, self._wanted(), strict=True):
            values = [int(b) for b in wanted]
            for i, bit in enumerate(counter):
                lower = counter[i + 1 :]
                builder.x(bit, [*span, *lower], [*values, *(1 for _ in lower)])
        return self._use(builder.build())

    def _phase(self, angle: float) -> Circuit:
        builder = CircuitBuilder(Register("code", self.num_bits))
        for span, wanted in zip(self.encoding.peg_slices, self._wanted(), strict=True):
            builder.phase_on(angle, span, [int(b) for b in wanted])
        return builder.build()


class ColourPairOracle(ValueOracle):
    """Counts the black pegs of the guess that plays ``first`` where x_j = 0, ``second`` where 1.

    One qubit a position and no two-qubit gate. Source: Li, Luo and Xu, arXiv:2207.09356,
    algorithm 1 (B_s for a pair of colours).

    Args:
        secret: The code that guesses are compared with.
        first: The colour played by a 0; None for an empty hole, which matches nothing.
        second: The colour played by a 1.
        meter: Counts uses.

    Raises:
        UsageError: If the two colours are the same.
    """

    label = "colour pair"

    def __init__(
        self, secret: Code, first: int | None, second: int, meter: Meter | None = None
    ) -> None:
        for colour in (first, second):
            if colour is not None:
                whole(colour, "a colour")
        if first == second:
            raise UsageError(f"a colour pair needs two colours, not {first} twice")
        self._secret = secret
        self.first, self.second = first, second
        self.num_bits = len(secret)
        self.meter = meter

    def _value(self, x: str) -> int:
        played = (self.second if b == "1" else self.first for b in x)
        return sum(p == s for p, s in zip(played, self._secret, strict=True))

    def _phase(self, angle: float) -> Circuit:
        builder = CircuitBuilder(Register("x", self.num_bits))
        for position, colour in enumerate(self._secret):
            if colour in (self.first, self.second):
                builder.phase_on(angle, [position], [int(colour == self.second)])
        return builder.build()


def phase_by_kickback(oracle: BlackPegOracle, turns: int = 1) -> Circuit:
    """|x> -> exp(2 pi i turns B(x) / 2^m) |x> from one use of the counting oracle.

    The counter is put into the Fourier state in which adding 1 is that phase, and is taken out
    of it afterwards. Data register ``code``; the m counter qubits are ancillas.

    Raises:
        UsageError: If ``turns`` is not whole: the counter would not come back.
    """
    whole(turns, "the number of turns")
    size = 2**oracle.count_bits
    builder = CircuitBuilder(Register("code", oracle.num_bits))
    with builder.ancillas(oracle.count_bits) as counter:
        fourier = CircuitBuilder(Register("count", oracle.count_bits))
        for i in range(oracle.count_bits):
            weight = 2 ** (oracle.count_bits - 1 - i)
            fourier.h(i)
            if turns * weight % size:
                angle = -2 * math.pi * (turns * weight % size) / size
                fourier.gate(_z_power(angle), (i,))
        builder.compose(fourier.build(), counter)
        builder.append(oracle.count(), (*builder.qubits("code"), *counter))
        builder.compose(fourier.build().inverse(), counter)
    return builder.build()


def _z_power(angle: float) -> Gate:
    return Gate("z") if angle == -math.pi else Gate("p", (angle,))


def parity_by_kickback(oracle: BlackPegOracle) -> Circuit:
    """|x> -> (-1)^B(x) |x> from one use of the counting oracle.

    The case of :func:`phase_by_kickback` in which the counter's lowest bit is |->, so that adding
    an odd number flips the sign, and every other bit is |+>, so that carries leave it as it is.
    """
    return phase_by_kickback(oracle, 2 ** (oracle.count_bits - 1))


def colour_pair_by_kickback(oracle: BlackPegOracle, first: int, second: int) -> Circuit:
    """The colour-pair query at pi, from one use of the black-peg counting oracle.

    Embeds x as a coded guess in ancillas, counts, kicks back the lowest bit, and unembeds. Data
    register ``x``, one qubit a position.
    """
    encoding = oracle.encoding
    builder = CircuitBuilder(Register("x", encoding.rules.positions))
    with builder.ancillas(encoding.num_bits) as code:
        embedding = _embedding(encoding, first, second)
        place = (*builder.qubits("x"), *code)
        builder.append(embedding, place, label="embed")
        builder.append(parity_by_kickback(oracle), code)
        builder.append(embedding.inverse(), place, label="unembed")
    return builder.build()


def _embedding(encoding: Encoding, first: int, second: int) -> Circuit:
    builder = CircuitBuilder(
        Register("x", encoding.rules.positions), Register("code", encoding.num_bits)
    )
    code = builder.qubits("code")
    zero, one = encoding.encode_peg(first), encoding.encode_peg(second)
    for position, span in enumerate(encoding.peg_slices):
        for bit, at_zero, at_one in zip(span, zero, one, strict=True):
            if at_zero == "1":
                builder.x(code[bit])
            if at_zero != at_one:
                builder.x(code[bit], [position])
    return builder.build()
