"""Plans how one cluster of qubits is simulated: reflections in a small space, gates in blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qmastermind.simulator.clusters import Part, product
from qmastermind.simulator.lowrank import Again, Instruction, LowRank, Reflect, Scale, Vector
from qmastermind.simulator.ops import Complexes, Loop, Op, Phase, Rotate, Sparse, Table
from qmastermind.simulator.reflections import Reflection, find_reflections
from qmastermind.simulator.steps import Diagonal, Factor, Gates, LocalGate, Repeat, Step, Turn

_FEW = 16  # listed states, up to so many, are phases one by one
_PATTERN_BITS = 5  # a phase on so many qubits may join a run of reflections
# Such a run may keep a list of so many amplitudes, or of one in so many, beside the state.
_SPARSE_STATES = 4096
_SPARSE_SHARE = 64

Prepare: TypeAlias = Callable[[Sequence[Op], Sequence[int], Sequence[int]], list[Part]]
"""Simulates operations on qubits from the basis state with the values given, one a qubit."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What to do with the state of one cluster.

    Attributes:
        order: The cluster's qubits, most significant first.
        steps: In time order.
    """

    order: tuple[int, ...]
    steps: tuple[Step, ...]

    @property
    def gates(self) -> int:
        """How many gates have to be applied one by one."""
        return sum(step.gates for step in self.steps)


def make_plan(
    ops: Sequence[Op], qubits: Sequence[int], prepare: Prepare, fixed: bool = False
) -> Plan:
    """Plans operations that act on ``qubits``.

    Args:
        ops: In time order, none of them a collapse.
        qubits: All qubits of the state.
        prepare: Makes the states that reflections are about.
        fixed: Whether the order of the qubits must stay as given. Otherwise those that are
            reflected most often come first, as a reflection can be about leading qubits only.
    """
    items = _search(ops)
    order = tuple(qubits)
    reflected = _count_reflections(items)
    if fixed:
        reflected = {axes: n for axes, n in reflected.items() if axes == {*order[: len(axes)]}}
    leading = max(reflected, key=reflected.__getitem__, default=frozenset[int]())
    order = tuple(sorted(order, key=lambda q: q not in leading))
    planner = _Planner(order, len(leading), prepare)
    return Plan(order, tuple(_steps(planner.atoms(items), len(order))))


@dataclass(frozen=True, slots=True, eq=False)
class _Cycle:
    items: tuple[_Item, ...]
    repetitions: int


_Item: TypeAlias = Op | Reflection | _Cycle
_Atom: TypeAlias = LocalGate | Diagonal | Repeat | Instruction


def _search(ops: Sequence[Op]) -> list[_Item]:
    return [
        _Cycle(tuple(_search(item.body)), item.repetitions) if isinstance(item, Loop) else item
        for item in find_reflections(ops)
    ]


def _count_reflections(items: Iterable[_Item], times: int = 1) -> dict[frozenset[int], int]:
    found: Counter[frozenset[int]] = Counter()
    for item in items:
        if isinstance(item, _Cycle):
            found.update(_count_reflections(item.items, times * item.repetitions))
        elif isinstance(item, Reflection):
            found[frozenset(item.axes)] += times
    return found


class _Planner:
    """Brings operations to bit positions of one cluster.

    Args:
        order: Its qubits.
        leading: How many of them, from the first, reflections are about; others become gates.
        prepare: Makes the states that they are about.
    """

    def __init__(self, order: Sequence[int], leading: int, prepare: Prepare) -> None:
        self._width = len(order)
        self._leading = tuple(order[:leading])
        self._prepare = prepare
        self._bits = {q: len(order) - 1 - i for i, q in enumerate(order)}
        self._columns: dict[tuple[int, int], NDArray[np.int64]] = {}

    def atoms(self, items: Iterable[_Item]) -> list[_Atom]:
        """What the items are in this cluster, in time order."""
        found: list[_Atom] = []
        for item in items:
            match item:
                case _Cycle():
                    found.append(self._cycle(item))
                case Reflection():
                    if {*item.axes} == {*self._leading}:
                        found.append(self._reflect(item))
                    else:
                        found += self.atoms((*item.before, item.phase, *item.after))
                case Rotate():
                    mask, value = self._mask(item.controls, item.values)
                    found.append(Turn(self._bits[item.target], item.matrix, mask, value))
                case Phase():
                    found.append(Factor(*self._mask(item.qubits, item.values), item.factor))
                case Table():
                    found.append(self._diagonal(item, item.factors))
                case Sparse():
                    found += self._listed(item)
        return found

    def _mask(self, qubits: Sequence[int], values: Sequence[int]) -> tuple[int, int]:
        mask = sum(1 << self._bits[q] for q in qubits)
        return mask, sum(v << self._bits[q] for q, v in zip(qubits, values, strict=True))

    def _cycle(self, cycle: _Cycle) -> Again | Repeat:
        atoms, width = self.atoms(cycle.items), self._width
        sparse = all(_is_sparse(atom, width) for atom in atoms)
        if sparse and any(isinstance(atom, Instruction) for atom in atoms):
            return Again(tuple(_instruction(a, width) for a in atoms), cycle.repetitions)
        return Repeat(_steps(atoms, width), cycle.repetitions)

    def _reflect(self, item: Reflection) -> Reflect:
        state = dict(zip(item.phase.qubits, item.phase.values, strict=True))
        values = [state[q] for q in self._leading]
        vector = _vector(self._prepare(item.preparation(), self._leading, values), self._leading)
        controls = item.controls()
        mask, value = self._mask([*controls], [*controls.values()])
        if (mask, value) not in self._columns:
            others = self._width - len(self._leading)
            self._columns[mask, value] = _free_bits(np.array([value]), mask, others)
        return Reflect(vector, item.phase.factor - 1, self._columns[mask, value])

    def _diagonal(self, item: Table | Sparse, factors: Complexes) -> Diagonal:
        bits = [self._bits[q] for q in item.targets]
        return Diagonal(bits, factors, *self._mask(item.controls, item.values), self._width)

    def _listed(self, item: Sparse) -> list[_Atom]:
        mask, value = self._mask(item.controls, item.values)
        base = np.full_like(item.indices, value)
        for place, q in enumerate(reversed(item.targets)):
            mask |= 1 << self._bits[q]
            base |= (item.indices >> place & 1) << self._bits[q]
        if len(base) <= _FEW:
            factors = zip(base.tolist(), item.factors.tolist(), strict=True)
            return [Factor(mask, held, factor) for held, factor in factors]
        free = self._width - len(item.qubits)
        if not _is_few(len(base) << free, self._width):
            table = np.ones(2 ** len(item.targets), dtype=np.complex128)
            table[item.indices] = item.factors
            return [self._diagonal(item, table)]
        return [Scale(_free_bits(base, mask, self._width), np.tile(item.factors, 2**free))]


def _vector(parts: Sequence[Part], order: Sequence[int]) -> Vector:
    """Cut near the middle, where no part has qubits on both sides."""
    place = {q: i for i, q in enumerate(order)}
    spans = [(min(place[q] for q in qubits), max(place[q] for q in qubits)) for qubits, _ in parts]
    cuts = [
        c for c in range(len(order) + 1) if all(last < c or c <= first for first, last in spans)
    ]
    cut = min(cuts, key=lambda c: abs(2 * c - len(order)))
    high = [part for part, (first, _) in zip(parts, spans, strict=True) if first < cut]
    low = [part for part, (first, _) in zip(parts, spans, strict=True) if first >= cut]
    return Vector(product(high, order[:cut]), product(low, order[cut:]))


def _free_bits(base: NDArray[np.int64], mask: int, width: int) -> NDArray[np.int64]:
    """The indices in ``base`` with every value of the bits outside ``mask``."""
    for bit in range(width):
        if not mask >> bit & 1:
            base = np.concatenate([base, base | 1 << bit])
    return base


def _is_few(states: int, width: int) -> bool:
    return states <= max(_SPARSE_STATES, (1 << width) // _SPARSE_SHARE)


def _is_sparse(atom: _Atom, width: int) -> bool:
    if isinstance(atom, Factor):
        bits = atom.mask.bit_count()
        return bits >= _PATTERN_BITS and _is_few(2 ** (width - bits), width)
    return isinstance(atom, Instruction)


def _instruction(atom: _Atom, width: int) -> Instruction:
    if isinstance(atom, Factor):
        indices = _free_bits(np.array([atom.value], dtype=np.int64), atom.mask, width)
        return Scale(indices, np.array([atom.factor]))
    assert isinstance(atom, Instruction)
    return atom


def _steps(atoms: Iterable[_Atom], width: int) -> list[Step]:
    """Joins runs of reflections with the sparse phases around them, and runs of gates."""
    steps: list[Step] = []
    gates: list[LocalGate] = []

    def flush() -> None:
        if gates:
            steps.append(Gates(gates, width))
            gates.clear()

    for sparse, run in groupby(atoms, key=lambda atom: _is_sparse(atom, width)):
        members = list(run)
        if sparse and any(isinstance(atom, Instruction) for atom in members):
            flush()
            steps.append(LowRank([_instruction(atom, width) for atom in members]))
            continue
        for atom in members:
            if isinstance(atom, LocalGate):
                gates.append(atom)
            elif isinstance(atom, Diagonal | Repeat):
                flush()
                steps.append(atom)
    flush()
    return steps
