"""State preparation: all tuples of different values, equally weighted."""

from __future__ import annotations

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import UsageError
from qmastermind.synthesis.preparation import uniform


def distinct(k: int, length: int, num_bits: int) -> Circuit:
    """Prepares the uniform superposition of all tuples of ``length`` different values below k.

    One register ``x`` of ``length`` times ``num_bits`` qubits, each value most significant bit
    first, and one ancilla. Cost: ``length (length - 1) / 2`` steps of four multi-controlled X on
    ``num_bits`` controls, ``num_bits`` Toffolis and about five CX a bit: polynomial, where the
    number of tuples is not.

    It is the shuffle of Fisher and Yates run in superposition. Step j draws a place i_j among the
    k - j that are left and puts the last of those there, so that the j-th value is the one at
    i_j. Traced back through the earlier steps t = j - 1, ..., 0: where the place is i_t, the
    value came from the last place L_t = k - 1 - t.

    Raises:
        UsageError: If there are not enough values, or not enough bits for them.
    """
    if not 1 <= length <= k or k > 2**num_bits or num_bits < 1:
        raise UsageError(f"cannot draw {length} different values below {k} on {num_bits} bits each")
    builder = CircuitBuilder(Register("x", length * num_bits))
    registers = [range(j * num_bits, (j + 1) * num_bits) for j in range(length)]
    for j, register in enumerate(registers):
        builder.compose(uniform(k - j, num_bits), register)
    with builder.ancillas(1) as (one,):
        # The last register first: it is traced through places that are not yet values.
        for j in reversed(range(length)):
            for t in reversed(range(j)):
                _trace(builder, registers[j], registers[t], k - 1 - t, one)
    return builder.build()


def _trace(builder: CircuitBuilder, place: range, drawn: range, last: int, one: int) -> None:
    """Exchanges the values ``drawn`` and ``last`` in ``place``, so that no value is lost.

    In the superposition of all tuples ``place`` is never ``last`` before. Were it not for the
    exchange, other inputs would leave the ancilla dirty.
    """
    bits = [last >> (len(place) - 1 - i) & 1 for i in range(len(place))]

    def mark_either() -> None:
        for p, d in zip(place, drawn, strict=True):
            builder.x(p, [d])
        builder.x(one, place, [0] * len(place))
        for p, d in zip(place, drawn, strict=True):
            builder.x(p, [d])
        builder.x(one, place, bits)

    mark_either()
    for p, d, bit in zip(place, drawn, bits, strict=True):
        builder.x(p, [one, d])
        if bit:
            builder.x(p, [one])
    mark_either()
