"""Exact states and unitaries of a circuit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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

# The compiled kernel takes half a second to load, and two more to be compiled for the first time,
# so a circuit that numpy simulates in less goes without it.
NUMPY_SECONDS = 0.5
_SECONDS_PER_GATE = 1e-5
_SECONDS_PER_AMPLITUDE = 4e-9
_COMPILED_QUBITS = 9  # smaller clusters are as fast in numpy


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
        state = product(simulate(clusters, threads), range(num_qubits))
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


def simulate(
    clusters: Sequence[Cluster], threads: int, start: Mapping[int, int] | None = None
) -> list[Part]:
    """The state of each cluster from |0...0>, or from the basis state ``start``."""
    for cluster in clusters:
        require_memory(len(cluster.qubits))
    planned = [_Planned.of(cluster, threads) for cluster in clusters]
    compiled = sum(p.seconds() for p in planned) > NUMPY_SECONDS
    return [p.execute(threads, compiled, start) for p in planned]


@dataclass(frozen=True, slots=True, eq=False)
class _Planned:
    """A cluster with its plan and the parts that it is joined from."""

    plan: Plan
    parts: tuple[_Planned, ...]

    @classmethod
    def of(cls, cluster: Cluster, threads: int) -> _Planned:
        parts = [cls.of(part, threads) for part in cluster.parts]
        parts.sort(key=lambda part: min(part.plan.order))
        qubits = [q for part in parts for q in part.plan.order] or cluster.qubits
        return cls(plan_for(cluster.ops, qubits, threads), tuple(parts))

    def seconds(self) -> float:
        return seconds_in_numpy(self.plan) + sum(part.seconds() for part in self.parts)

    def execute(self, threads: int, compiled: bool, start: Mapping[int, int] | None) -> Part:
        order = self.plan.order
        if self.parts:
            state = product([p.execute(threads, compiled, start) for p in self.parts], order)
        else:
            state = np.zeros(2, dtype=np.complex128)
            state[start[order[0]] if start else 0] = 1
        run(self.plan, state, threads, compiled)
        return order, state


def plan_for(ops: Sequence[Op], qubits: Sequence[int], threads: int, fixed: bool = False) -> Plan:
    """A plan whose reflections are prepared by this simulator."""

    def prepare(ops: Sequence[Op], qubits: Sequence[int], values: Sequence[int]) -> list[Part]:
        clusters, _ = grow(qubits, ops)  # the phase of a vector that is reflected about is free
        return simulate(clusters, threads, dict(zip(qubits, values, strict=True)))

    return make_plan(ops, qubits, prepare, fixed)


def seconds_in_numpy(plan: Plan) -> float:
    """About what a plan takes without the compiled kernel."""
    return plan.gates * (_SECONDS_PER_GATE + (1 << len(plan.order)) * _SECONDS_PER_AMPLITUDE)


def run(plan: Plan, state: Complexes, threads: int, compiled: bool) -> None:
    """Carries a plan out, in place."""
    width = len(plan.order)
    compiled = compiled and plan.gates > 0 and width >= _COMPILED_QUBITS
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
    plan = plan_for(placed, range(state.size.bit_length() - 1), threads, fixed=True)
    run(plan, state, threads, seconds_in_numpy(plan) > NUMPY_SECONDS)
    if scalar != 1:
        state *= scalar
