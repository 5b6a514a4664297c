"""T gates of a circuit when every AND is uncomputed by measurement: the fault-tolerant count.

An AND into a clean qubit takes 4 T, and none to clear it: the qubit is measured in the X basis,
and a CZ of its two inputs follows if the outcome is 1. The neutral circuit has no gate that hangs
on an outcome, so this is a count and no circuit. Source: Gidney, Quantum 2, 74 (2018), figure 3.
"""

from __future__ import annotations

import math

from qmastermind.circuit import Box, Circuit
from qmastermind.errors import UnsupportedError
from qmastermind.gates import Gate
from qmastermind.synthesis.diagonal import conditions
from qmastermind.synthesis.items import (
    Fence,
    Flip,
    Item,
    One,
    Spin,
    Table,
    Translator,
    Turn,
    opened,
)
from qmastermind.synthesis.one_qubit import synthesise_one_qubit
from qmastermind.synthesis.rewrites import merge_phases, relax_mirrored

_CLIFFORD_T = ("h", "s", "sdg", "t", "tdg", "x", "y", "z")


def measured_t_count(circuit: Circuit) -> int:
    """T gates, with as many clean ancillas as it takes and measured uncomputation.

    A Z with n controls takes 4 (n - 1), for n > 1. A flip that is undone later counts once.

    Raises:
        UnsupportedError: For a gate that is not exact in Clifford+T.
    """
    operations, _ = opened(circuit)
    translator = Translator()
    for op in operations:
        translator.add(op)
    items, _ = merge_phases(translator.finish())
    return sum(_t_gates(item) for item in relax_mirrored(items))


def _t_gates(item: Item) -> int:
    match item:
        case Turn():
            return _turn(len(item.literals), item.angle)
        case Flip():
            return 0 if item.second else 4 * max(0, len(item.literals) - 1)
        case Spin():  # one AND of the controls, then two turns by half the angle
            return 4 * max(0, len(item.literals) - 1) + 2 * (_eighths(item.angle / 2) % 2)
        case Table():
            products = conditions(item.phases, item.targets)
            return sum(_turn(len(item.literals) + len(p), angle) for p, angle in products)
        case One():
            return _one(item.gate)
        case Fence(operation=Box() as box):
            return box.repetitions * measured_t_count(box.circuit)
    return 0


def _turn(qubits: int, angle: float) -> int:
    """exp(i angle) on the all-ones state, the qubits combined into two or into one."""
    eighths = _eighths(angle) % 8
    if qubits < 2 or eighths == 0:
        return eighths % 2
    if eighths % 2:
        return 4 * (qubits - 1) + 1
    return 4 * (qubits - 2) + (0 if eighths == 4 else 3)


def _eighths(angle: float) -> int:
    value = angle / (math.pi / 4)
    if abs(value - round(value)) > 1e-9:
        raise UnsupportedError(f"a turn by {angle:.6g} is not exact in Clifford+T")
    return round(value)


def _one(gate: Gate) -> int:
    gates, _ = synthesise_one_qubit(gate.matrix(), _CLIFFORD_T)
    return sum(g.name in ("t", "tdg") for g in gates)
