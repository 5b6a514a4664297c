"""Diagonals as conditions on their qubits, or as angles of parities."""

from __future__ import annotations

import math

import numpy as np

from qmastermind.circuit import Phases
from qmastermind.synthesis.items import Literals
from qmastermind.synthesis.phases import parity_angles

_TINY = 1e-12
_WIDEST_TABLE = 16


def marked_conditions(phases: Phases, targets: tuple[int, ...]) -> list[tuple[Literals, float]]:
    """One condition on all targets for each basis state with an angle."""
    n = phases.num_qubits
    if phases.indices is None:
        indices = np.flatnonzero(np.abs(phases.angles) > _TINY)
        angles = phases.angles[indices]
    else:
        indices, angles = phases.indices, phases.angles
    return [
        (tuple(sorted((q, i >> (n - 1 - place) & 1) for place, q in enumerate(targets))), angle)
        for i, angle in zip(indices.tolist(), angles.tolist(), strict=True)
        if abs(math.remainder(angle, 2 * math.pi)) > _TINY
    ]


def parities(
    phases: Phases, targets: tuple[int, ...], literals: Literals
) -> tuple[float, dict[int, float], tuple[int, ...]] | None:
    """The diagonal, under its controls, as a constant, angles of parities, and their qubits.

    None if it is wider than 16 qubits.
    """
    qubits = (*(q for q, _ in literals), *targets)
    if len(qubits) > _WIDEST_TABLE:
        return None
    table = np.zeros(2 ** len(qubits))
    block = 0
    for _, value in literals:
        block = 2 * block + value
    size = 2**phases.num_qubits
    table[block * size : (block + 1) * size] = phases.table()
    constant, angles = parity_angles(table)
    return constant, angles, qubits
