"""State preparation: uniform superpositions over the first k of 2^b basis states."""

from __future__ import annotations

import math

from qmastermind.circuit import Circuit, CircuitBuilder, Register
from qmastermind.errors import UsageError


def uniform(k: int, num_qubits: int) -> Circuit:
    """Prepares the uniform superposition of |0>..|k-1> from |0>, register ``x``.

    Raises:
        UsageError: If k is not in 1..2**num_qubits.
    """
    if not 1 <= k <= 2**num_qubits:
        raise UsageError(f"expected 1 to {2**num_qubits} states, not {k}")
    builder = CircuitBuilder(Register("x", num_qubits))
    _split(builder, k, list(range(num_qubits)), [], [])
    return builder.build()


def _split(
    builder: CircuitBuilder, k: int, qubits: list[int], controls: list[int], values: list[int]
) -> None:
    if k == 1 or not qubits:
        return
    first, *rest = qubits
    half = 2 ** len(rest)
    low, high = min(k, half), max(0, k - half)
    if high:
        builder.ry(2 * math.atan2(math.sqrt(high), math.sqrt(low)), first, controls, values)
    if low == high:
        _split(builder, low, rest, controls, values)
        return
    _split(builder, low, rest, *([*controls, first], [*values, 0]) if high else (controls, values))
    if high:
        _split(builder, high, rest, [*controls, first], [*values, 1])
