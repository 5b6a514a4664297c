"""Finds reflections: a phase on one basis state between a layer and its inverse.

If A acts within the qubits D of P, a factor f on the one basis state b of D, then ``A P A^-1`` is
``1 + (f - 1) |v><v|`` with ``v = A|b>``. So the diffuser of a Grover search, over whatever state
it prepares, needs v alone instead of every gate of A (Brassard, Hoyer, Mosca and Tapp, "Quantum
amplitude amplification and estimation", 2002, section 2). Qubits of D that A does not change are
controls of the reflection, and v is over the others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heapreplace
from typing import TypeAlias

import numpy as np

from qmastermind.simulator.ops import Complexes, Loop, Op, Phase, Rotate, Sparse, Table, X

_LEAST_QUBITS = 5  # a smaller reflection is cheaper as gates
_ROUNDING = 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class Reflection:
    """``phase`` between ``before`` and its inverse ``after``, all within the phase's qubits.

    Attributes:
        before: In time order.
        phase: On one basis state.
        after: In time order.
        axes: The qubits that ``after`` changes, in increasing order.
    """

    before: tuple[Op, ...]
    phase: Phase
    after: tuple[Op, ...]
    axes: tuple[int, ...]

    @property
    def qubits(self) -> tuple[int, ...]:
        """Those of the phase."""
        return self.phase.qubits

    def controls(self) -> dict[int, int]:
        """The other qubits, with the values that they must hold."""
        state = _pattern(self.phase.qubits, self.phase.values)
        return {q: v for q, v in state.items() if q not in self.axes}

    def preparation(self) -> list[Op]:
        """``after`` where the controls hold, as operations on ``axes`` alone."""
        fixed = self.controls()
        return [given for op in self.after if (given := _where(op, fixed)) is not None]


Item: TypeAlias = Op | Reflection


def find_reflections(ops: Sequence[Op]) -> list[Item]:
    """The operations with reflections in the place of what makes them; loops are left as they are.

    A phase between two layers of X gates becomes a phase on another basis state.
    """
    if not any(isinstance(op, Phase) and len(op.qubits) >= _LEAST_QUBITS for op in ops):
        return list(ops)
    items: list[Item | None] = list(ops)
    lines: dict[int, list[int]] = {}  # for each qubit, the places of what acts on it
    for place, op in enumerate(ops):
        for q in op.qubits:
            lines.setdefault(q, []).append(place)
    for place, op in enumerate(ops):
        if isinstance(op, Phase) and len(op.qubits) >= _LEAST_QUBITS:
            _join(items, place, op, _mirrored(items, lines, place, op.qubits))
    return [item for item in items if item is not None]


def _mirrored(
    items: Sequence[Item | None], lines: dict[int, list[int]], center: int, qubits: Sequence[int]
) -> list[tuple[int, int]]:
    """Places of inverse pairs around ``center`` within ``qubits``, from the inside out.

    What is left between the two of a pair commutes with both of them.
    """
    joined: set[int] = set()
    pairs: list[tuple[int, int]] = []
    turned: set[int] = set()  # by operations after the center that are no second of a pair
    read: set[int] = set()
    for after in _following(items, lines, center, set(qubits), turned):
        op = items[after]
        assert op is not None
        mine = _turned(op)
        movable = not turned.intersection(op.qubits) and not read.intersection(mine)
        if movable and set(op.qubits) <= set(qubits):
            before = _partner(items, lines, center, op, joined)
            if before is not None:
                pairs.append((before, after))
                joined.update((before, after))
                continue
        turned.update(mine)
        read.update(op.qubits)
    return pairs


def _following(
    items: Sequence[Item | None],
    lines: dict[int, list[int]],
    center: int,
    qubits: set[int],
    turned: set[int],
) -> Iterator[int]:
    """Places after ``center`` on the lines of ``qubits``, in time order, until all are turned."""
    ahead = [
        (lines[q][at], q, at)
        for q in qubits
        if (at := bisect_right(lines[q], center)) < len(lines[q])
    ]
    heapify(ahead)
    last = center
    while ahead and not qubits <= turned:
        place, q, at = ahead[0]
        if at + 1 < len(lines[q]) and q not in turned:
            heapreplace(ahead, (lines[q][at + 1], q, at + 1))
        else:
            heappop(ahead)
        if place != last and items[place] is not None:
            yield place
        last = place


def _partner(
    items: Sequence[Item | None],
    lines: dict[int, list[int]],
    center: int,
    op: Item,
    joined: set[int],
) -> int | None:
    """The place before ``center`` of an inverse of ``op`` that can be moved up to it."""

    def preceding(q: int) -> Iterator[int]:
        for at in range(bisect_left(lines[q], center) - 1, -1, -1):
            place = lines[q][at]
            if items[place] is not None and place not in joined:
                yield place

    def reaches(q: int, place: int) -> bool:
        """Whether nothing in between turns qubit q, or is there at all if q is turned itself."""
        for between in preceding(q):
            if between == place:
                return True
            if q in mine or q in _turned(items[between]):
                return False
        return False

    mine = _turned(op)
    q = mine[0] if mine else op.qubits[0]
    for place in preceding(q):
        if _undoes(op, items[place]):
            return place if all(reaches(other, place) for other in op.qubits) else None
        if mine or q in _turned(items[place]):
            return None
    return None


def _turned(item: Item | None) -> tuple[int, ...]:
    """The qubits on which an operation is not diagonal."""
    match item:
        case Rotate():
            return (item.target,)
        case Reflection():
            return item.axes
        case Loop():
            return item.qubits
    return ()


def _join(
    items: list[Item | None], center: int, phase: Phase, pairs: Sequence[tuple[int, int]]
) -> None:
    """Puts a reflection at ``center``, or the phase with the X gates around it taken in."""
    state = _pattern(phase.qubits, phase.values)
    before: list[Op] = []
    after: list[Op] = []
    joined: list[int] = []
    touched: set[int] = set()
    axes: set[int] = set()
    for pair in pairs:
        first, last = (items[place] for place in pair)
        assert not isinstance(first, Reflection | None)
        assert not isinstance(last, Reflection | None)
        if _is_x(last) and not touched.intersection(last.qubits):
            state[last.qubits[0]] ^= 1
            items[pair[0]] = items[pair[1]] = None
            continue
        before.insert(0, first)
        after.append(last)
        joined += pair
        touched.update(last.qubits)
        axes.update(_changed(last))
    phase = Phase(tuple(state), tuple(state.values()), phase.factor)
    items[center] = phase
    if len(axes) >= _LEAST_QUBITS:
        items[center] = Reflection(tuple(before), phase, tuple(after), tuple(sorted(axes)))
        for place in joined:
            items[place] = None


def _undoes(op: Item, other: Item | None) -> bool:
    """Whether two operations of a layer are inverse, up to rounding.

    No diagonal on many qubits is of a layer, nor a loop: an oracle before one iteration would
    undo that of the next, and the vectors of their reflections would be all but parallel.
    """
    if not isinstance(op, Rotate) and len(op.qubits) >= _LEAST_QUBITS:
        return False
    if isinstance(op, Rotate) and isinstance(other, Rotate):
        inverse = _near(op.matrix, other.matrix.conj().T)
        return inverse and op.target == other.target and _same_controls(op, other)
    if isinstance(op, Phase) and isinstance(other, Phase):
        same = _pattern(op.qubits, op.values) == _pattern(other.qubits, other.values)
        return same and abs(op.factor - other.factor.conjugate()) < _ROUNDING
    if isinstance(op, Table) and isinstance(other, Table):
        inverse = _near(op.factors, other.factors.conj())
        return inverse and op.targets == other.targets and _same_controls(op, other)
    if isinstance(op, Sparse) and isinstance(other, Sparse):
        inverse = _near(op.factors, other.factors.conj())
        inverse = inverse and np.array_equal(op.indices, other.indices)
        return inverse and op.targets == other.targets and _same_controls(op, other)
    return False


def _same_controls(op: Rotate | Table | Sparse, other: Rotate | Table | Sparse) -> bool:
    return _pattern(op.controls, op.values) == _pattern(other.controls, other.values)


def _pattern(qubits: Iterable[int], values: Iterable[int]) -> dict[int, int]:
    return dict(zip(qubits, values, strict=True))


def _near(a: Complexes, b: Complexes) -> bool:
    return a.shape == b.shape and bool(np.all(np.abs(a - b) < _ROUNDING))


def _is_x(op: Op) -> bool:
    return isinstance(op, Rotate) and not op.controls and np.array_equal(op.matrix, X)


def _changed(op: Op) -> tuple[int, ...]:
    """The qubits that cannot be replaced by a value that they hold throughout."""
    if isinstance(op, Rotate):
        return (op.target,)
    return op.targets if isinstance(op, Table | Sparse) else ()


def _where(op: Op, fixed: dict[int, int]) -> Op | None:
    """The operation where qubits hold the values ``fixed``; None if it does nothing there."""
    if isinstance(op, Phase):
        pattern = _pattern(op.qubits, op.values)
    else:
        assert isinstance(op, Rotate | Table | Sparse)
        pattern = _pattern(op.controls, op.values)
    if any(fixed.get(q, v) != v for q, v in pattern.items()):
        return None
    free = {q: v for q, v in pattern.items() if q not in fixed}
    qubits, values = tuple(free), tuple(free.values())
    if isinstance(op, Phase):
        return replace(op, qubits=qubits, values=values)
    return replace(op, controls=qubits, values=values)
