"""Rewrites of items before they are decomposed: merged phases, and flips that may be relaxed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from qmastermind.gates import Gate
from qmastermind.synthesis.items import Fence, Flip, Item, Literals, One, Turn, touched

_TINY = 1e-12
_LONGEST_MIDDLE = 400


def merge_phases(items: Sequence[Item]) -> tuple[list[Item], float]:
    """Merges phases that nothing separates, and puts those that can be done at once side by side.

    Equal conditions add their angles; two conditions with the same angle that differ in one value
    become one without that qubit. An item separates phases if it is not diagonal on one of their
    qubits.

    Returns:
        The items, and the global phase in radians that was taken out.
    """
    found: list[Item] = []
    angles: dict[Literals, float] = {}
    qubits: set[int] = set()
    phase = 0.0

    def close() -> None:
        nonlocal phase
        merged = _merged(angles)
        phase += merged.pop((), 0.0)
        found.extend(_side_by_side(merged))
        angles.clear()
        qubits.clear()

    for item in items:
        if isinstance(item, Turn):
            angles[item.literals] = angles.get(item.literals, 0.0) + item.angle
            qubits.update(q for q, _ in item.literals)
        else:
            if not qubits.isdisjoint(changed(item)):
                close()
            found.append(item)
    close()
    return found, phase


def changed(item: Item) -> tuple[int, ...]:
    """The qubits on which an item is not diagonal."""
    match item:
        case Flip():
            return (item.target,)
        case One():
            return () if item.gate.kind.diagonal else (item.qubit,)
        case Fence():
            return item.operation.qubits
    return ()


def _merged(angles: dict[Literals, float]) -> dict[Literals, float]:
    left = {k: a for k, v in angles.items() if abs(a := math.remainder(v, 2 * math.pi)) > _TINY}
    while True:
        pair = next(
            ((one, two) for one in left if (two := _neighbour(one, left)) is not None), None
        )
        if pair is None:
            return left
        one, two = pair
        angle = left.pop(one)
        del left[two]
        common = tuple(x for x in one if x in two)
        left[common] = math.remainder(left.get(common, 0.0) + angle, 2 * math.pi)
        if abs(left[common]) < _TINY:
            del left[common]


def _neighbour(literals: Literals, angles: dict[Literals, float]) -> Literals | None:
    """Another condition with the same angle that differs in one value."""
    for place, (qubit, value) in enumerate(literals):
        other = (*literals[:place], (qubit, 1 - value), *literals[place + 1 :])
        if other in angles and abs(angles[other] - angles[literals]) < _TINY:
            return other
    return None


def _side_by_side(angles: dict[Literals, float]) -> list[Item]:
    """The phases in rounds of disjoint ones, the widest first: they all commute."""
    waiting = sorted(angles.items(), key=lambda item: (-len(item[0]), item[0]))
    found: list[Item] = []
    while waiting:
        busy: set[int] = set()
        later = []
        for literals, angle in waiting:
            qubits = {q for q, _ in literals}
            if busy.isdisjoint(qubits):
                busy |= qubits
                found.append(_phase_item(literals, angle))
            else:
                later.append((literals, angle))
        waiting = later
    return found


def _phase_item(literals: Literals, angle: float) -> Item:
    if len(literals) == 1 and literals[0][1]:
        return One(Gate("p", (angle,)), literals[0][0])
    return Turn(literals, angle)


def relax_mirrored(items: Sequence[Item]) -> list[Item]:
    """Finds flips that are undone around something diagonal on their qubits, and pairs them.

    In F1 .. Fk M Fk .. F1, with M diagonal on the qubits of the flips, each flip may come with a
    phase on each basis state: the phases of all together are a diagonal before and its inverse
    after, and M commutes with it (a permutation between them turns a diagonal into another one).
    """
    result = list(items)
    _relax(result, 0, len(result), [0])
    return result


def _relax(items: list[Item], start: int, stop: int, counter: list[int]) -> None:
    best = (0, 0, 0)
    seen: dict[Flip, list[int]] = {}
    for right in range(start, stop):
        item = items[right]
        if not isinstance(item, Flip):
            continue
        for left in reversed(seen.get(item, ())):
            if right - left > _LONGEST_MIDDLE:
                break
            best = max(best, (_reach(items, left, right, start, stop), left, right))
        seen.setdefault(item, []).append(right)
    reach, left, right = best
    if not reach:
        return
    for step in range(reach):
        for index, second in ((left - step, False), (right + step, True)):
            flip = items[index]
            if isinstance(flip, Flip):
                items[index] = replace(flip, pair=counter[0], second=second)
        counter[0] += 1
    _relax(items, start, left - reach + 1, counter)
    _relax(items, left + 1, right, counter)
    _relax(items, right + reach, stop, counter)


def _reach(items: Sequence[Item], left: int, right: int, start: int, stop: int) -> int:
    """How many flips outwards from left and right are equal and meet nothing but diagonals."""
    moved = {q for item in items[left + 1 : right] for q in changed(item)}
    reach = 0
    while left - reach >= start and right + reach < stop:
        flip = items[left - reach]
        if not isinstance(flip, Flip) or flip != items[right + reach]:
            break
        if flip.pair is not None or not moved.isdisjoint(touched(flip)):
            break
        reach += 1
    return reach
