"""Finds reflections: a phase on one basis state between a layer and its inverse.

If A acts on the qubits D only, then ``A P A^-1``, with P a factor f on the one basis state b of D,
is ``1 + (f - 1) |v><v|`` with ``v = A|b>``: the diffuser of a Grover search, over whatever state it
prepares, needs v alone instead of every gate of A (Brassard, Hoyer, Mosca and Tapp, "Quantum
amplitude amplification and estimation", 2002, section 2).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from qmastermind.simulator.ops import Op, Phase, Rotate, Sparse, Table, X

_LEAST_QUBITS = 5  # a smaller reflection is cheaper as gates
_ROUNDING = 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class Reflection:
    """``phase`` between ``before`` and its inverse ``after``, all within the phase's qubits."""

    before: tuple[Op, ...]
    phase: Phase
    after: tuple[Op, ...]

    @property
    def qubits(self) -> tuple[int, ...]:
        """Those of the phase."""
        return self.phase.qubits


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
            _replace(items, place, op, _mirrored(items, lines, place, op))
    return [item for item in items if item is not None]


def _mirrored(
    items: Sequence[Item | None], lines: dict[int, list[int]], center: int, phase: Phase
) -> list[tuple[int, int]]:
    """Places of inverse pairs around ``center``, from the inside out.

    Between the two of a pair there is nothing else on any of their qubits.
    """
    ends = {q: [bisect_left(lines[q], center)] * 2 for q in phase.qubits}  # left, right

    def beyond(q: int, side: int, step: int) -> int:
        """The next place on the line of q that has not been used, or -1."""
        line, at = lines[q], ends[q][side] + step
        while 0 <= at < len(line) and items[line[at]] is None:
            at += step
        return line[at] if 0 <= at < len(line) else -1

    pairs: list[tuple[int, int]] = []
    following = {q: beyond(q, 1, 1) for q in phase.qubits}
    while following := {q: place for q, place in following.items() if place >= 0}:
        after = min(following.values())
        qubits = items[after].qubits  # type: ignore[union-attr]
        before = {beyond(q, 0, -1) if q in following else -1 for q in qubits}
        place = before.pop()
        if before or place < 0 or not _undoes(items[after], items[place]):
            for q in qubits:
                following.pop(q, None)
            continue
        pairs.append((place, after))
        for q in qubits:
            ends[q] = [bisect_left(lines[q], place), bisect_left(lines[q], after)]
            following[q] = beyond(q, 1, 1)
    return pairs


def _undoes(op: Item | None, other: Item | None) -> bool:
    match op, other:
        case Rotate(), Rotate():
            return (
                op.target == other.target
                and _pattern(op.controls, op.values) == _pattern(other.controls, other.values)
                and _near(op.matrix, other.matrix.conj().T)
            )
        case Phase(), Phase():
            same = _pattern(op.qubits, op.values) == _pattern(other.qubits, other.values)
            return same and abs(op.factor - other.factor.conjugate()) < _ROUNDING
        case (Table(), Table()) | (Sparse(), Sparse()):
            same = op.targets == other.targets
            same = same and _pattern(op.controls, op.values) == _pattern(
                other.controls, other.values
            )
            if same and isinstance(op, Sparse) and isinstance(other, Sparse):
                same = np.array_equal(op.indices, other.indices)
            return same and _near(op.factors, other.factors.conj())
    return False


def _pattern(qubits: Sequence[int], values: Sequence[int]) -> dict[int, int]:
    return dict(zip(qubits, values, strict=True))


def _near(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and bool(np.all(np.abs(a - b) < _ROUNDING))


def _replace(
    items: list[Item | None], center: int, phase: Phase, pairs: Sequence[tuple[int, int]]
) -> None:
    state = _pattern(phase.qubits, phase.values)
    kept: list[tuple[int, int]] = []
    touched: set[int] = set()
    for before, after in pairs:
        op = items[after]
        plain = isinstance(op, Rotate) and not op.controls and np.array_equal(op.matrix, X)
        if plain and op.target not in touched:
            state[op.target] ^= 1
            items[before] = items[after] = None
        else:
            kept.append((before, after))
            touched.update(op.qubits)
    phase = Phase(tuple(state), tuple(state.values()), phase.factor)
    items[center] = phase
    if len(touched) >= _LEAST_QUBITS:
        layers = [tuple(items[pair[side]] for pair in kept) for side in (0, 1)]
        items[center] = Reflection(layers[0][::-1], phase, layers[1])
        for pair in kept:
            for place in pair:
                items[place] = None
