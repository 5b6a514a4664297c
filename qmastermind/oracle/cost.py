"""What an oracle needs, read off its structure before anything is lowered."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from qmastermind.circuit import Apply, Circuit, Phases
from qmastermind.synthesis.boolean import esop


@dataclass(frozen=True)
class OracleCost:
    """What an oracle needs, estimated without lowering it.

    Attributes:
        qubits: Data and ancillas of the phase oracle.
        ancillas: Number of those that are ancillas.
        toffolis: With each gate of c >= 2 controls at 2 c - 3 Toffolis, which one clean
            ancilla allows (Khattar and Gidney, arXiv:2407.17966).
        gates: Number of gates by their number of controls. A diagonal over listed states counts
            as the products that it is an exclusive sum of, which lowering may undercut.
    """

    qubits: int
    ancillas: int
    toffolis: int
    gates: dict[int, int]


def cost_of(circuit: Circuit) -> OracleCost:
    """The cost of a circuit of controlled X, phases and diagonals."""
    gates: Counter[int] = Counter()
    for op in circuit.flat():
        if not isinstance(op, Apply):
            continue
        if isinstance(op.gate, Phases):
            states = np.flatnonzero(op.gate.table()) if op.gate.indices is None else op.gate.indices
            for cube in esop(op.gate.num_qubits, map(int, states)):
                gates[max(0, len(op.controls) + cube.mask.bit_count() - 1)] += 1
        else:
            gates[len(op.controls)] += 1
    return OracleCost(
        circuit.num_qubits,
        len(circuit.ancillas),
        sum(n * max(0, 2 * c - 3) for c, n in gates.items()),
        dict(sorted(gates.items())),
    )
