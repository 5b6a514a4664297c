"""Grows clusters of entangled qubits: a qubit joins others when an operation first joins them.

Until then each cluster is a small state of its own, so that preparing a product state or running
circuits side by side costs next to nothing, and qubits that never interact are never multiplied
out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from qmastermind.simulator.memory import require_memory
from qmastermind.simulator.ops import Complexes, Op


@dataclass(slots=True, eq=False)
class Cluster:
    """Qubits that are entangled from some moment on.

    Attributes:
        qubits: All of them, in no order that matters.
        parts: The clusters that it was joined from; none for a single qubit.
        ops: What happens after the join, until the cluster becomes a part itself.
    """

    qubits: tuple[int, ...]
    parts: tuple[Cluster, ...] = ()
    ops: list[Op] = field(default_factory=list)


def grow(qubits: Iterable[int], ops: Iterable[Op]) -> tuple[list[Cluster], complex]:
    """The clusters at the end, and the product of all phases on no qubits."""
    owner = {q: Cluster((q,)) for q in qubits}
    scalar = 1 + 0j
    for op in ops:
        parts = list({id(owner[q]): owner[q] for q in op.qubits}.values())
        if not parts:
            scalar *= op.factor  # type: ignore[union-attr]  # only a Phase has no qubits
        elif len(parts) == 1:
            parts[0].ops.append(op)
        else:
            joined = Cluster(tuple(q for p in parts for q in p.qubits), tuple(parts), [op])
            owner.update(dict.fromkeys(joined.qubits, joined))
    return list({id(c): c for c in owner.values()}.values()), scalar


Part = tuple[Sequence[int], Complexes]
"""Qubits, first one most significant, and the state of these."""


def product(parts: Sequence[Part], order: Sequence[int]) -> Complexes:
    """The joint state of independent parts, with the qubits in the order given."""
    if not parts:
        return np.ones(1, dtype=np.complex128)
    place = {q: i for i, q in enumerate(order)}
    todo = sorted(parts, key=lambda part: min(place[q] for q in part[0]))
    while len(todo) > 2:  # small ones first, so that only the last product is large
        i = min(range(len(todo) - 1), key=lambda i: len(todo[i][0]) + len(todo[i + 1][0]))
        todo[i : i + 2] = [_pair(todo[i], todo[i + 1])]
    require_memory(len(order))
    qubits, state = _pair(*todo) if len(todo) == 2 else todo[0]
    if list(qubits) == list(order):
        return state
    require_memory(len(order))
    axes = {q: axis for axis, q in enumerate(qubits)}
    cube = state.reshape((2,) * len(axes)).transpose([axes[q] for q in order])
    return np.ascontiguousarray(cube).reshape(-1)


def _pair(left: Part, right: Part) -> Part:
    return (*left[0], *right[0]), np.multiply.outer(left[1], right[1]).reshape(-1)
