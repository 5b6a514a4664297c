"""What is counted of a compiled circuit, by the one counter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from qmastermind.backend import Compiled
from qmastermind.circuit import Apply, Box, Circuit
from qmastermind.resources import count

FIGURES = (
    "qubits",
    "used_ancillas",
    "depth",
    "two_qubit_depth",
    "two_qubit_gates",
    "one_qubit_gates",
    "virtual_rz",
    "t_gates",
    "t_depth",
)
"""What is counted, in the order of tables. ``qubits`` are those in use: the data qubits, and the
``used_ancillas``, which are all others that a gate acts on. T gates are counted in Clifford+T bases
alone: elsewhere a rotation by any angle may stand for many of them, and is none."""

_CLIFFORD_T = frozenset(
    ["x", "y", "z", "h", "s", "sdg", "t", "tdg", "sx", "sxdg", "cx", "cy", "cz", "swap", "ecr"]
)


def is_clifford_t(basis: Sequence[str]) -> bool:
    """Whether a basis is one of fixed Clifford gates and T, in which T gates are what costs."""
    return _CLIFFORD_T.issuperset(basis) and not {"t", "tdg"}.isdisjoint(basis)


def figures_of(compiled: Compiled) -> dict[str, float]:
    """The figures of :data:`FIGURES` that mean something in the target's basis."""
    data = compiled.source.data
    used = touched(compiled.circuit) | {compiled.initial_layout[q] for q in data}
    qubits = {"qubits": float(len(used)), "used_ancillas": float(len(used) - len(data))}
    counted = count(compiled.circuit)
    left_out = () if is_clifford_t(compiled.target.basis) else ("t_gates", "t_depth")
    return {
        name: qubits[name] if name in qubits else float(getattr(counted, name))
        for name in FIGURES
        if name not in left_out
    }


def touched(circuit: Circuit) -> set[int]:
    """The qubits that a gate acts on."""
    found: set[int] = set()
    for op in circuit.operations:
        if isinstance(op, Apply):
            found.update(op.qubits)
        elif isinstance(op, Box):
            found.update(op.qubits[q] for q in touched(op.circuit))
    return found


def own_depth(native: Any) -> int | None:
    """The depth that a framework's circuit object tells of itself, if it does.

    Qiskit and tket have a method ``depth``, Cirq's circuits are as deep as they have moments, and
    PennyLane's scripts tell it among their ``specs``.
    """
    try:
        if callable(getattr(native, "depth", None)):
            return int(native.depth())
        if hasattr(native, "moments"):
            return len(native.moments)
        return int(native.specs["resources"].depth)
    except Exception:  # not every native object has one
        return None
