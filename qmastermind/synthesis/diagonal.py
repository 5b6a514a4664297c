"""Diagonals as conditions on their qubits, or as angles of parities."""

from __future__ import annotations

import math

import numpy as np

from qmastermind.circuit import Phases
from qmastermind.synthesis.boolean import esop
from qmastermind.synthesis.items import Literals
from qmastermind.synthesis.phases import parity_angles

_TINY = 1e-12
_WIDEST_TABLE = 16
_MOST_STATES = 2048


def conditions(phases: Phases, targets: tuple[int, ...]) -> list[tuple[Literals, float]]:
    """Conditions on the targets and the angle for each.

    One for each basis state with an angle; if all angles are pi, and the states not too many, the
    fewest products that the heuristic of :func:`qmastermind.synthesis.boolean.esop` finds.
    """
    n = phases.num_qubits
    if phases.indices is None:
        indices = np.flatnonzero(np.abs(phases.angles) > _TINY)
        angles = phases.angles[indices]
    else:
        indices, angles = phases.indices, phases.angles
    turned = np.abs(np.remainder(angles, 2 * math.pi) - math.pi) < _TINY
    if np.all(turned) and 1 < len(indices) <= _MOST_STATES:
        cubes = [(cube.literals(n), math.pi) for cube in esop(n, indices.tolist())]
    else:
        bits = range(n)
        cubes = [
            (tuple((bit, i >> (n - 1 - bit) & 1) for bit in bits), angle)
            for i, angle in zip(indices.tolist(), angles.tolist(), strict=True)
            if abs(math.remainder(angle, 2 * math.pi)) > _TINY
        ]
    return [
        (tuple(sorted((targets[bit], value) for bit, value in literals)), angle)
        for literals, angle in cubes
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
