"""Measured circuits: which qubits matter together, exact distributions, sampled trajectories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qmastermind.circuit import Circuit
from qmastermind.errors import UnsupportedError
from qmastermind.results import Factor
from qmastermind.simulator.clusters import grow
from qmastermind.simulator.evolution import NUMPY_SECONDS, plan_for, run, seconds_in_numpy, simulate
from qmastermind.simulator.memory import AMPLITUDE_BYTES, require_memory
from qmastermind.simulator.ops import Collapse, Complexes, Op, components, lower

_PROBABILITY_BYTES = 8
_TILE = 1 << 16
_MOST_BRANCHES = 1 << 14
_MOST_BITS = 28  # as many as a distribution gives as one table
_LIKELY_BRANCHES = 64
_NEGLIGIBLE = 1e-24  # a probability that rounding alone makes


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Qubits that interact with no others, and what is measured of them.

    Attributes:
        qubits: In increasing order.
        ops: In time order, without final measurements.
        final: Maps qubits that are measured at the end to classical bits.
        bits: All classical bits that hold an outcome of this group, in increasing order.
    """

    qubits: tuple[int, ...]
    ops: tuple[Op, ...]
    final: dict[int, int]
    bits: tuple[int, ...]

    @property
    def collapses(self) -> bool:
        """Whether something is measured or reset before the end."""
        return any(isinstance(op, Collapse) for op in self.ops)


def measured_groups(circuit: Circuit) -> list[Group]:
    """The groups that have an outcome; a group that is never measured is not simulated."""
    written: set[int] = set()
    used: set[int] = set()
    final: dict[int, int] = {}
    ops: list[Op] = []
    for op in reversed(lower(circuit)):
        if isinstance(op, Collapse):
            if op.bit in written:  # a later outcome replaces this one
                op = Collapse(op.qubit, None)
            elif op.bit is not None:
                written.add(op.bit)
            if op.qubit not in used:
                used.add(op.qubit)
                if op.bit is not None:
                    final[op.qubit] = op.bit
                continue
        used.update(op.qubits)
        ops.append(op)
    ops.reverse()
    groups = components(ops)
    touched = {q for qubits, _ in groups for q in qubits}
    groups += [((q,), []) for q in final if q not in touched]
    found = []
    for qubits, part in groups:
        last = {q: final[q] for q in qubits if q in final}
        recorded = {op.bit for op in part if isinstance(op, Collapse) and op.bit is not None}
        bits = tuple(sorted({*last.values(), *recorded}))
        if bits:
            found.append(Group(qubits, tuple(part), last, bits))
    return found


def exact_factor(group: Group, threads: int) -> Factor:
    """The joint distribution of the group's bits.

    Raises:
        UnsupportedError: If measurements before the end have too many outcomes to follow them all.
        TooLargeError: If the state does not fit into memory.
    """
    if not group.collapses:
        require_memory(len(group.qubits), AMPLITUDE_BYTES + _PROBABILITY_BYTES)
        clusters, _ = grow(group.qubits, group.ops)
        ((order, state),) = simulate(clusters, threads)
        bits = tuple(group.final[q] for q in order if q in group.final)
        return Factor(bits, _marginal(state, [q in group.final for q in order]))
    if len(group.bits) > _MOST_BITS:
        raise _too_many_outcomes()
    joint = np.zeros(2 ** len(group.bits))
    cube = joint.reshape((2,) * len(group.bits))
    measured = [q in group.final for q in group.qubits]
    order = tuple(group.final[q] for q in group.qubits if q in group.final)

    def split(weight: float, share: float) -> tuple[float, float]:
        return weight * (1 - share), weight * share

    for number, (record, state, weight) in enumerate(_branches(group, 1.0, split, threads)):
        if number == _MOST_BRANCHES:
            raise _too_many_outcomes()
        place = tuple(record.get(b, slice(None)) for b in group.bits)
        part = _marginal(state, measured).reshape((2,) * len(order))
        cube[place] += weight * part.transpose(np.argsort(order))
    return Factor(group.bits, joint)


def _too_many_outcomes() -> UnsupportedError:
    return UnsupportedError(
        f"measurements and resets before the end have too many outcomes to follow them all (more "
        f"than {_MOST_BRANCHES}, or {_MOST_BITS} bits); run the circuit with shots instead"
    )


def sample_trajectories(
    group: Group, shots: int, rng: np.random.Generator, threads: int
) -> NDArray[np.uint8]:
    """Samples the group's bits, shape ``(shots, len(bits))``.

    Shots are handed down the tree of outcomes: at each measurement a binomial draw says how many
    go which way, so that shots with the same past share one state.
    """
    rows = np.zeros((shots, len(group.bits)), dtype=np.uint8)
    measured = [q in group.final for q in group.qubits]
    order = tuple(group.final[q] for q in group.qubits if q in group.final)
    column = {bit: i for i, bit in enumerate(group.bits)}

    def split(number: float, share: float) -> tuple[float, float]:
        ones = int(rng.binomial(int(number), share))
        return number - ones, ones

    done = 0
    for record, state, number in _branches(group, shots, split, threads):
        some = rows[done : done + int(number)]
        for bit, value in record.items():
            some[:, column[bit]] = value
        last = Factor(order, _marginal(state, measured))
        some[:, [column[b] for b in order]] = last.sample(len(some), rng)
        done += len(some)
    # Shots of one trajectory lie together; another group's must not be paired with them in order.
    return rng.permutation(rows)


def _branches(
    group: Group, amount: float, split: Callable[[float, float], tuple[float, float]], threads: int
) -> Iterator[tuple[dict[int, int], Complexes, float]]:
    """Outcomes so far, final state and amount of each trajectory that gets any, depth first."""
    width = len(group.qubits)
    require_memory(width, AMPLITUDE_BYTES + _PROBABILITY_BYTES)
    plans, collapses, segment = [], [], list[Op]()
    for op in group.ops:
        if isinstance(op, Collapse):
            plans.append(plan_for(segment, group.qubits, threads, fixed=True))
            collapses.append(op)
            segment = []
        else:
            segment.append(op)
    plans.append(plan_for(segment, group.qubits, threads, fixed=True))
    once = sum(map(seconds_in_numpy, plans))
    compiled = once * min(_LIKELY_BRANCHES, 2 ** len(collapses)) > NUMPY_SECONDS
    state = np.zeros(2**width, dtype=np.complex128)
    state[0] = 1
    pending: list[tuple[int, dict[int, int], Complexes, float]] = [(0, {}, state, amount)]
    while pending:
        at, record, state, amount = pending.pop()
        run(plans[at], state, threads, compiled)
        if at == len(collapses):
            yield record, state, amount
            continue
        op = collapses[at]
        halves = state.reshape(2 ** group.qubits.index(op.qubit), 2, -1)
        weights = [float(np.sum(_squares(halves[:, value]))) for value in (0, 1)]
        share = weights[1] / sum(weights)
        share = 0.0 if share < _NEGLIGIBLE else 1.0 if share > 1 - _NEGLIGIBLE else share
        amounts = split(amount, share)
        if all(amounts):
            require_memory(width)
        for value in (0, 1):
            if amounts[value]:
                copy = state.copy() if value == 0 and amounts[1] else state
                _collapse(copy.reshape(halves.shape), value, weights[value], op.reset)
                kept = record if op.bit is None else {**record, op.bit: value}
                pending.append((at + 1, kept, copy, amounts[value]))


def _collapse(halves: Complexes, value: int, weight: float, reset: bool) -> None:
    halves[:, value] *= weight**-0.5
    if reset and value:
        halves[:, 0] = halves[:, 1]
    halves[:, 1 if reset else 1 - value] = 0


def _squares(amplitudes: Complexes) -> NDArray[np.float64]:
    return amplitudes.real**2 + amplitudes.imag**2


def _marginal(state: Complexes, kept: list[bool]) -> NDArray[np.float64]:
    """Probabilities of the qubits that are kept, the others summed over."""
    probabilities = np.empty(state.size)
    for start in range(0, state.size, _TILE):
        tile = slice(start, start + _TILE)
        probabilities[tile] = _squares(state[tile])
    shape: list[int] = []
    summed: list[int] = []
    for i, keep in enumerate(kept):
        if i and keep == kept[i - 1]:
            shape[-1] *= 2
        else:
            summed += [] if keep else [len(shape)]
            shape.append(2)
    if not summed:
        return probabilities
    marginal: NDArray[np.float64] = probabilities.reshape(shape).sum(axis=tuple(summed))
    return marginal.reshape(-1)
