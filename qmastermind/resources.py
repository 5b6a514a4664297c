"""The one counter: depth, two-qubit depth and gate counts of a neutral circuit.

Convention. Depth is the number of layers when every gate starts as soon as its qubits are free
and takes one layer, virtual rotations included. Barriers, measurements, resets and the global
phase take none, and a barrier does not hold gates back. A gate on three or more qubits counts as
one layer of depth; it is no two-qubit gate and is counted apart, so that a circuit with
``multi_qubit_gates > 0`` shows that its depth is not that of hardware.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType

from qmastermind.circuit import Apply, Circuit
from qmastermind.gates import Gate
from qmastermind.target import operation_name


@dataclass(frozen=True)
class Resources:
    """What a circuit needs, under the convention of this module.

    Attributes:
        qubits: Number of qubits, ancillas included.
        ancillas: Number of those that are ancillas.
        depth: Layers of gates.
        two_qubit_depth: Layers when only two-qubit gates take one.
        two_qubit_gates: Gates on exactly two qubits, controls included.
        multi_qubit_gates: Gates on three or more qubits.
        one_qubit_gates: Gates on one qubit.
        virtual_rz: How many of those are ``rz``, free on most hardware.
        t_gates: ``t`` and ``tdg``, and ``p`` or ``rz`` by an odd multiple of pi/4.
        t_depth: Layers when only those take one.
        counts: Gates by basis name.
    """

    qubits: int
    ancillas: int
    depth: int
    two_qubit_depth: int
    two_qubit_gates: int
    multi_qubit_gates: int
    one_qubit_gates: int
    virtual_rz: int
    t_gates: int
    t_depth: int
    counts: Mapping[str, int]

    def as_dict(self) -> dict[str, object]:
        """The figures as JSON-ready values."""
        return {**asdict(self), "counts": dict(self.counts)}


def count(circuit: Circuit) -> Resources:
    """Counts a circuit, boxes opened."""
    counts: Counter[str] = Counter()
    by_width: Counter[int] = Counter()
    t_gates = 0
    depths = [[0] * circuit.num_qubits for _ in range(3)]  # all, two-qubit, T
    for op in circuit.flat():
        if not isinstance(op, Apply):
            continue
        qubits = op.qubits
        counts[operation_name(op)] += 1
        by_width[min(len(qubits), 3)] += 1
        is_t = _is_t(op)
        t_gates += is_t
        for layers, cost in zip(depths, (1, len(qubits) == 2, is_t), strict=True):
            layer = max(layers[q] for q in qubits) + cost
            for q in qubits:
                layers[q] = layer
    depth, two_qubit_depth, t_depth = (max(layers, default=0) for layers in depths)
    return Resources(
        qubits=circuit.num_qubits,
        ancillas=len(circuit.ancillas),
        depth=depth,
        two_qubit_depth=two_qubit_depth,
        two_qubit_gates=by_width[2],
        multi_qubit_gates=by_width[3],
        one_qubit_gates=by_width[1],
        virtual_rz=counts["rz"],
        t_gates=t_gates,
        t_depth=t_depth,
        counts=MappingProxyType(dict(counts)),
    )


def _is_t(op: Apply) -> bool:
    if op.controls or not isinstance(op.gate, Gate):
        return False
    if op.gate.name in ("t", "tdg"):
        return True
    if op.gate.name not in ("p", "rz"):
        return False
    eighths = op.gate.params[0] / (math.pi / 4)
    return abs(eighths - round(eighths)) < 1e-9 and round(eighths) % 2 == 1
