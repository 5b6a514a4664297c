"""Exact states and unitaries of a circuit."""

from __future__ import annotations

import cmath
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qmastermind.circuit import Apply, Circuit, Phases
from qmastermind.errors import UsageError
from qmastermind.simulator.memory import require_memory

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

State: TypeAlias = NDArray[np.complex128]


def statevector(circuit: Circuit, initial: ArrayLike | None = None) -> State:
    """The state that a circuit without measurement and reset makes.

    Args:
        circuit: Unitary.
        initial: Amplitudes to start from, shape ``(2**num_qubits,)``; default |0...0>.

    Returns:
        complex128, shape ``(2**num_qubits,)``, qubit 0 most significant, global phase included.

    Raises:
        UsageError: If the circuit measures or resets, or ``initial`` has another shape.
        TooLargeError: If the state does not fit into the memory that is available.
    """
    if not circuit.is_unitary:
        raise UsageError(
            "a circuit that measures or resets has no single state; "
            "use circuit.without_measurements(), or run it on a backend"
        )
    size = 2**circuit.num_qubits
    require_memory(circuit.num_qubits)
    if initial is None:
        state = np.zeros(size, dtype=np.complex128)
        state[0] = 1
    else:
        state = np.array(initial, dtype=np.complex128)
        if state.shape != (size,):
            raise UsageError(f"expected {size} amplitudes, not an array of shape {state.shape}")
    for op in circuit.flat():
        if isinstance(op, Apply):
            apply(op, state, circuit.num_qubits)
    state *= cmath.exp(1j * circuit.total_global_phase)
    return state


def unitary(circuit: Circuit) -> NDArray[np.complex128]:
    """The matrix of a circuit without measurement and reset, global phase included.

    Returns:
        complex128, shape ``(2**n, 2**n)``; column j is the image of basis state j.

    Raises:
        UsageError: If the circuit measures or resets.
        TooLargeError: If it does not fit into the memory that is available.
    """
    n = circuit.num_qubits
    require_memory(2 * n)
    # The columns are one state of 2n qubits of which the last n are left alone.
    state = np.eye(2**n, dtype=np.complex128).reshape(-1)
    for op in circuit.flat():
        if isinstance(op, Apply):
            apply(op, state, 2 * n)
    state *= cmath.exp(1j * circuit.total_global_phase)
    return state.reshape(2**n, 2**n)


def apply(op: Apply, state: State, num_qubits: int) -> None:
    """Applies one operation in place."""
    axes: list[int | slice] = [slice(None)] * num_qubits
    for q, v in zip(op.controls, op.values, strict=True):
        axes[q] = v
    kept = [q for q in range(num_qubits) if q not in op.controls]
    part = state.reshape((2,) * num_qubits)[tuple(axes)]
    width = len(op.targets)
    part = np.moveaxis(part, [kept.index(q) for q in op.targets], range(width))
    if isinstance(op.gate, Phases):
        if op.gate.indices is None:
            table = np.exp(1j * op.gate.angles)
            part *= table.reshape((2,) * width + (1,) * (part.ndim - width))
        else:
            for index, angle in zip(op.gate.indices, op.gate.angles, strict=True):
                place = tuple(int(index) >> (width - 1 - i) & 1 for i in range(width))
                part[(*place, ...)] *= cmath.exp(1j * angle)
        return
    matrix = op.gate.matrix()
    places = list(np.ndindex((2,) * width))
    before = [np.array(part[(*place, ...)]) for place in places]
    for row, place in zip(matrix, places, strict=True):
        part[(*place, ...)] = sum(a * b for a, b in zip(row, before, strict=True) if a)
