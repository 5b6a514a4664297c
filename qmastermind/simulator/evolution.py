"""Exact states and unitaries of a circuit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from qmastermind.circuit import Circuit
from qmastermind.errors import UsageError
from qmastermind.simulator.clusters import Cluster, Part, grow, product
from qmastermind.simulator.engine import engine_for, resolve_threads
from qmastermind.simulator.memory import require_memory
from qmastermind.simulator.ops import Complexes, Op, Phase, lower
from qmastermind.simulator.plan import Plan, make_plan

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# What numpy may take for the gates of one cluster before the compiled kernel, which takes a second
# to load and several to compile for the first time, is worth it.
_NUMPY_SECONDS = 1.0
_NUMPY_QUBITS = 20  # above, numpy's temporary arrays are too large
_SECONDS_PER_GATE = 1e-5
_SECONDS_PER_AMPLITUDE = 6e-9


def statevector(
    circuit: Circuit, initial: ArrayLike | None = None, *, threads: int | None = None
) -> Complexes:
    """The state that a circuit without measurement and reset makes.

    Args:
        circuit: Unitary.
        initial: Amplitudes to start from, shape ``(2**num_qubits,)``; default |0...0>.
        threads: Default: as many as numba is set to use.

    Returns:
        complex128, shape ``(2**num_qubits,)``, qubit 0 most significant, global phase included.

    Raises:
        UsageError: If the circuit measures or resets, or ``initial`` has another shape.
        TooLargeError: If the state does not fit into the memory that is available.
    """
    _require_unitary(circuit)
    threads, num_qubits = resolve_threads(threads), circuit.num_qubits
    require_memory(num_qubits)
    if initial is None:
        clusters, scalar = grow(range(num_qubits), lower(circuit))
        parts = [simulate(cluster, threads) for cluster in clusters]
        state = product(parts, range(num_qubits))
        if scalar != 1:
            state *= scalar
        return state
    state = np.array(initial, dtype=np.complex128)
    if state.shape != (2**num_qubits,):
        raise UsageError(
            f"expected {2**num_qubits} amplitudes, not an array of shape {state.shape}"
        )
    _evolve(lower(circuit), state, threads)
    return state


def unitary(circuit: Circuit, *, threads: int | None = None) -> Complexes:
    """The matrix of a circuit without measurement and reset, global phase included.

    Returns:
        complex128, shape ``(2**n, 2**n)``; column j is the image of basis state j.

    Raises:
        UsageError: If the circuit measures or resets.
        TooLargeError: If it does not fit into the memory that is available.
    """
    _require_unitary(circuit)
    size = 2**circuit.num_qubits
    require_memory(2 * circuit.num_qubits)
    # The columns are one state of twice as many qubits, of which the last half is left alone.
    state = np.eye(size, dtype=np.complex128).reshape(-1)
    _evolve(lower(circuit), state, resolve_threads(threads))
    return state.reshape(size, size)


def _require_unitary(circuit: Circuit) -> None:
    if not circuit.is_unitary:
        raise UsageError(
            "a circuit that measures or resets has no single state; "
            "use circuit.without_measurements(), or run it on a backend"
        )


def simulate(cluster: Cluster, threads: int, start: Mapping[int, int] | None = None) -> Part:
    """The state of one cluster from |0...0>, or from the basis state ``start``.

    Returns:
        The cluster's qubits in the order chosen, and the state.
    """
    require_memory(len(cluster.qubits))
    if not cluster.parts:
        (qubit,) = cluster.qubits
        parts: list[Part] = [((qubit,), np.zeros(2, dtype=np.complex128))]
        parts[0][1][start[qubit] if start else 0] = 1
    else:
        parts = [simulate(part, threads, start) for part in cluster.parts]
    parts.sort(key=lambda part: min(part[0]))
    qubits = [q for part in parts for q in part[0]]
    plan = plan_for(cluster.ops, qubits, threads)
    state = product(parts, plan.order)
    run(plan, state, threads)
    return plan.order, state


def plan_for(ops: Sequence[Op], qubits: Sequence[int], threads: int, fixed: bool = False) -> Plan:
    """A plan whose reflections are prepared by this simulator."""

    def prepare(ops: Sequence[Op], qubits: Sequence[int], values: Sequence[int]) -> list[Part]:
        clusters, _ = grow(qubits, ops)  # the phase of a vector that is reflected about is free
        start = dict(zip(qubits, values, strict=True))
        return [simulate(cluster, threads, start) for cluster in clusters]

    return make_plan(ops, qubits, prepare, fixed)


def run(plan: Plan, state: Complexes, threads: int) -> None:
    """Carries a plan out, in place."""
    width = len(plan.order)
    work = plan.gates * (_SECONDS_PER_GATE + state.size * _SECONDS_PER_AMPLITUDE)
    compiled = plan.gates > 0 and (work > _NUMPY_SECONDS or width > _NUMPY_QUBITS)
    with engine_for(width, threads, compiled) as engine:
        for step in plan.steps:
            step.apply(state, engine)


def _evolve(ops: Iterable[Op], state: Complexes, threads: int) -> None:
    """Applies operations on the leading qubits of any state, in place."""
    scalar, placed = 1 + 0j, []
    for op in ops:
        if op.qubits:
            placed.append(op)
        elif isinstance(op, Phase):
            scalar *= op.factor
    width = state.size.bit_length() - 1
    run(plan_for(placed, range(width), threads, fixed=True), state, threads)
    if scalar != 1:
        state *= scalar
