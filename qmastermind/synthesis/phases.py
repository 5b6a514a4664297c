"""Diagonal unitaries as turns of parities: no ancilla, at most 2^n - 2 CX."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qmastermind.builder import CircuitBuilder
from qmastermind.synthesis.toffoli import turn

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TINY = 1e-12


def parity_angles(table: NDArray[np.float64]) -> tuple[float, dict[int, float]]:
    """Writes a diagonal's angles as ``constant + sum of c[S] * (parity of the bits in S)``.

    Args:
        table: Radians, shape ``(2**n,)``, first qubit most significant.

    Returns:
        The constant, and c without zeros; S is a bit mask of basis-state index bits.
    """
    spectrum = walsh(table)
    angles = {
        mask: -2 * float(value)
        for mask, value in enumerate(spectrum.tolist())
        if mask and abs(math.remainder(2 * value, 2 * math.pi)) > _TINY
    }
    return float(table[0]), angles


def walsh(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Walsh-Hadamard transform, entry S the mean of ``(-1)**(bits in S) * table``."""
    values = np.array(table, dtype=np.float64)
    size = values.size
    step = 1
    while step < size:
        pairs = values.reshape(-1, 2, step)
        values = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
        step *= 2
    return values / size


def parity_turns(b: CircuitBuilder, angles: Mapping[int, float], qubits: Sequence[int]) -> None:
    """diag(exp(i angle)) on the parity of each set of qubits, a mask as in :func:`parity_angles`.

    The parities with the same last qubit are formed on that qubit in Gray-code order. Cost: 2^m
    CX for a qubit with all 2^m sets of qubits before it, 2^n - 2 in all; for few sets, the
    number of changes from one to the next.

    Source: Welch, Greenbaum, Mostame and Aspuru-Guzik, New J. Phys. 16, 033040 (2014), section 4.
    """
    n = len(qubits)
    for last in range(n):
        pivot = 1 << (n - 1 - last)
        # the masks whose lowest set bit is the pivot's: the sets that end with this qubit
        masks = [m for m in angles if m & pivot and not m & (pivot - 1)]
        here = pivot
        for mask in sorted(masks, key=lambda m: _gray_rank(m >> (n - last))):
            _move(b, here ^ mask, qubits, last)
            turn(b, angles[mask], qubits[last])
            here = mask
        _move(b, here ^ pivot, qubits, last)


def _move(b: CircuitBuilder, changed: int, qubits: Sequence[int], target: int) -> None:
    n = len(qubits)
    for place in range(n):
        if changed >> (n - 1 - place) & 1:
            b.x(qubits[target], [qubits[place]])


def _gray_rank(code: int) -> int:
    """The position of a word in the reflected Gray code."""
    rank = 0
    while code:
        rank ^= code
        code >>= 1
    return rank


def all_ones_turns(b: CircuitBuilder, angle: float, qubits: Sequence[int]) -> None:
    """exp(i angle) if all qubits are 1: 2^n - 2 CX.

    The product of n bits is the sum over all sets of the parity with sign (-1)^(size + 1),
    divided by 2^(n - 1).
    """
    unit = angle / 2 ** (len(qubits) - 1)
    parity_turns(
        b,
        {m: unit if m.bit_count() % 2 else -unit for m in range(1, 2 ** len(qubits))},
        qubits,
    )
