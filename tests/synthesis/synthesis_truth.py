"""Independent truth for the synthesis tests: plain numpy, gate by gate, no code under test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qmastermind.circuit import Apply, Barrier, Circuit
from qmastermind.gates import Gate

State = NDArray[np.complex128]


def evolve(circuit: Circuit, states: State) -> State:
    """Applies a circuit to columns: shape ``(2**n,)`` or ``(2**n, m)``, phase included."""
    n = circuit.num_qubits
    flat = states.ndim == 1
    tensor = np.array(states, dtype=np.complex128).reshape((2,) * n + (-1,))
    for op in circuit.flat():
        if isinstance(op, Barrier):
            continue
        assert isinstance(op, Apply)
        index: list[object] = [slice(None)] * (n + 1)
        for qubit, value in zip(op.controls, op.values, strict=True):
            index[qubit] = value
        part = tensor[tuple(index)]
        # positions of the targets among the axes that the controls leave
        left = [q for q in range(n) if q not in op.controls]
        axes = [left.index(q) for q in op.targets]
        k = len(axes)
        matrix = (
            op.gate.matrix() if isinstance(op.gate, Gate) else np.diag(np.exp(1j * op.gate.table()))
        ).reshape((2,) * (2 * k))
        moved = np.tensordot(matrix, part, axes=(range(k, 2 * k), axes))
        tensor[tuple(index)] = np.moveaxis(moved, range(k), axes)
    tensor = tensor * np.exp(1j * circuit.total_global_phase)
    return tensor.reshape(-1) if flat else tensor.reshape(2**n, -1)


def state_of(circuit: Circuit) -> State:
    """The state that a circuit makes of |0..0>."""
    start = np.zeros(2**circuit.num_qubits, dtype=np.complex128)
    start[0] = 1
    return evolve(circuit, start)


def unitary_of(circuit: Circuit) -> State:
    """The whole unitary, ancillas as qubits like others."""
    return evolve(circuit, np.eye(2**circuit.num_qubits, dtype=np.complex128))


def embedded(state: State, qubits: Sequence[int], num_qubits: int) -> State:
    """A state of ``qubits``, in order, with every other qubit in |0>."""
    tensor = np.zeros((2,) * num_qubits, dtype=np.complex128)
    order = np.argsort(qubits)
    part = state.reshape((2,) * len(qubits)).transpose(order)
    index = tuple(slice(None) if q in set(qubits) else 0 for q in range(num_qubits))
    tensor[index] = part
    return tensor.reshape(-1)


def random_state(num_qubits: int, seed: int) -> State:
    """A random dense state."""
    rng = np.random.default_rng(seed)
    vector = rng.normal(size=2**num_qubits) + 1j * rng.normal(size=2**num_qubits)
    return vector / np.linalg.norm(vector)
