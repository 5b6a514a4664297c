"""The truth that backends are tested against: whole matrices, written from the definitions.

Slow and short on purpose, and it shares no code with the embedded simulator. For at most about
ten qubits.
"""

from __future__ import annotations

import cmath
from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qmastermind.circuit import Apply, Barrier, Circuit, Measure, Phases
from qmastermind.errors import CircuitError
from qmastermind.gates import Gate

_Array: TypeAlias = NDArray[np.complex128]


def operator(op: Apply, num_qubits: int) -> _Array:
    """The matrix of one operation, shape ``(2**num_qubits, 2**num_qubits)``."""
    gate = op.gate
    inner = np.diag(np.exp(1j * gate.table())) if isinstance(gate, Phases) else gate.matrix()
    columns = np.arange(2**num_qubits)
    active = np.ones(2**num_qubits, dtype=bool)
    for q, v in zip(op.controls, op.values, strict=True):
        active &= _bit(columns, q, num_qubits) == v
    given = np.zeros_like(columns)  # what each basis state has on the targets
    cleared = columns.copy()
    for q in op.targets:
        given = 2 * given + _bit(columns, q, num_qubits)
        cleared &= ~(1 << (num_qubits - 1 - q))
    matrix = np.diag(np.where(active, 0, 1).astype(np.complex128))
    for result in range(len(inner)):
        rows = cleared.copy()
        for position, q in enumerate(reversed(op.targets)):
            rows |= (result >> position & 1) << (num_qubits - 1 - q)
        matrix[rows[active], columns[active]] = inner[result, given[active]]
    return matrix


def _bit(indices: NDArray[np.int64], qubit: int, num_qubits: int) -> NDArray[np.int64]:
    return indices >> (num_qubits - 1 - qubit) & 1


def unitary(circuit: Circuit) -> _Array:
    """The matrix of a circuit without measurement and reset, global phase included.

    Raises:
        CircuitError: If it measures or resets.
    """
    matrix = np.eye(2**circuit.num_qubits, dtype=np.complex128)
    for op in circuit.flat():
        if isinstance(op, Apply):
            matrix = operator(op, circuit.num_qubits) @ matrix
        elif not isinstance(op, Barrier):
            raise CircuitError("a circuit that measures or resets has no matrix")
    return matrix * cmath.exp(1j * circuit.total_global_phase)


def distribution(circuit: Circuit) -> NDArray[np.float64]:
    """The exact distribution of all classical bits, shape ``(2**num_bits,)``, bit 0 leftmost.

    Measurements and resets may be anywhere; bits that are never written are 0.
    """
    n = circuit.num_qubits
    start = np.zeros(2**n, dtype=np.complex128)
    start[0] = 1
    # Unnormalised states by what was recorded; a reset may leave several for one record.
    branches = {(0,) * circuit.num_bits: [start]}
    for op in circuit.flat():
        if isinstance(op, Barrier):
            continue
        after: defaultdict[tuple[int, ...], list[_Array]] = defaultdict(list)
        matrix = operator(op, n) if isinstance(op, Apply) else None
        for record, states in branches.items():
            for state in states:
                if matrix is not None:
                    after[record].append(matrix @ state)
                    continue
                for value, part in enumerate(_collapsed(state, op.qubits, n)):
                    if isinstance(op, Measure):
                        bits = (*record[: op.bit], value, *record[op.bit + 1 :])
                        after[bits].append(part)
                    else:
                        flip = operator(Apply(Gate("x"), op.qubits), n)
                        after[record].append(flip @ part if value else part)
        branches = {
            record: [s for s in states if np.linalg.norm(s) > 1e-12]
            for record, states in after.items()
        }
    result = np.zeros(2**circuit.num_bits)
    for record, states in branches.items():
        index = int("0" + "".join(map(str, record)), 2)
        result[index] = sum(float(np.linalg.norm(s) ** 2) for s in states)
    return result


def _collapsed(state: _Array, qubits: Sequence[int], num_qubits: int) -> list[_Array]:
    (qubit,) = qubits
    values = _bit(np.arange(2**num_qubits), qubit, num_qubits)
    return [np.where(values == v, state, 0) for v in (0, 1)]
