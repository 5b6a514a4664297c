"""What the simulator runs: a circuit brought down to five kinds of operation.

Every gate becomes :class:`Rotate` (a 2x2 matrix on one qubit under controls), :class:`Phase` (a
factor on the basis states that match a pattern), or a wider diagonal, :class:`Table` or
:class:`Sparse`. A repeated box becomes a :class:`Loop` with its body lowered once; a measurement
or a reset becomes :class:`Collapse`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qmastermind.circuit import Apply, Barrier, Box, Circuit, Measure, Operation, Phases, remap
from qmastermind.gates import Gate
from qmastermind.simulator.diagonals import Piece, pieces

Complexes: TypeAlias = NDArray[np.complex128]


@dataclass(frozen=True, slots=True, eq=False)
class Rotate:
    """A 2x2 matrix on ``target`` where every control holds its value."""

    target: int
    matrix: Complexes
    controls: tuple[int, ...] = ()
    values: tuple[int, ...] = ()

    @property
    def qubits(self) -> tuple[int, ...]:
        """Controls, then the target."""
        return (*self.controls, self.target)


@dataclass(frozen=True, slots=True, eq=False)
class Phase:
    """A factor on the basis states in which ``qubits`` hold ``values``; none means all of them."""

    qubits: tuple[int, ...]
    values: tuple[int, ...]
    factor: complex


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A factor for each state of ``targets``, shape ``(2**len(targets),)``, under controls."""

    targets: tuple[int, ...]
    factors: Complexes
    controls: tuple[int, ...] = ()
    values: tuple[int, ...] = ()

    @property
    def qubits(self) -> tuple[int, ...]:
        """Controls, then targets."""
        return self.controls + self.targets


@dataclass(frozen=True, slots=True, eq=False)
class Sparse:
    """Factors on the listed states of ``targets``, first one most significant, under controls."""

    targets: tuple[int, ...]
    indices: NDArray[np.int64]
    factors: Complexes
    controls: tuple[int, ...] = ()
    values: tuple[int, ...] = ()

    @property
    def qubits(self) -> tuple[int, ...]:
        """Controls, then targets."""
        return self.controls + self.targets


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """Operations applied ``repetitions`` times over, on qubits that they join into one group."""

    body: tuple[Op, ...]
    repetitions: int
    qubits: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Collapse:
    """A measurement into ``bit`` (None if the outcome is not kept), or a reset."""

    qubit: int
    bit: int | None
    reset: bool = False

    @property
    def qubits(self) -> tuple[int, ...]:
        """The qubit, as for other operations."""
        return (self.qubit,)


Op: TypeAlias = Rotate | Phase | Table | Sparse | Loop | Collapse

X = np.array([[0, 1], [1, 0]], dtype=np.complex128)


def lower(circuit: Circuit) -> list[Op]:
    """The operations of a circuit, its global phase included as a phase on no qubits."""
    known: dict[int, list[Piece]] = {}
    ops = list(_lower(circuit.operations, range(circuit.num_qubits), known))
    if circuit.global_phase:
        ops.append(Phase((), (), np.exp(1j * circuit.global_phase)))
    return ops


def _lower(
    operations: Iterable[Operation], qubits: Sequence[int], known: dict[int, list[Piece]]
) -> Iterator[Op]:
    for op in operations:
        placed = remap(op, qubits)
        match placed:
            case Barrier():
                pass
            case Apply():
                yield from _lower_apply(placed, known)
            case Box():
                body = list(_lower(placed.circuit.operations, placed.qubits, known))
                if placed.circuit.global_phase:
                    body.append(Phase((), (), np.exp(1j * placed.circuit.global_phase)))
                yield from body if placed.repetitions == 1 else _loops(body, placed.repetitions)
            case Measure():
                yield Collapse(placed.qubit, placed.bit)
            case _:
                yield Collapse(placed.qubit, None, reset=True)


def _lower_apply(op: Apply, known: dict[int, list[Piece]]) -> Iterator[Op]:
    controls, values, targets = op.controls, op.values, op.targets
    if isinstance(op.gate, Phases):
        # The same diagonal is often applied many times; taking it apart costs several passes.
        if id(op.gate) not in known:
            known[id(op.gate)] = pieces(op.gate)
        for piece in known[id(op.gate)]:
            some = tuple(targets[t] for t in piece.axes)
            if piece.indices is None:
                yield Table(some, piece.factors, controls, values)
            else:
                yield from _listed(some, piece.indices, piece.factors, op)
    elif op.gate.kind.diagonal:
        factors = np.diagonal(op.gate.matrix())
        if not controls and factors[0] != 1:  # then a common factor is of no qubit
            yield Phase((), (), complex(factors[0]))
            factors = factors / factors[0]
        (indices,) = np.nonzero(factors != 1)
        yield from _listed(targets, indices, factors[indices], op)
    elif op.gate.name == "swap":
        a, b = targets
        for one, other in ((a, b), (b, a), (a, b)):
            extra = (controls, values) if one == b else ((), ())
            yield Rotate(other, X, (*extra[0], one), (*extra[1], 1))
    elif op.gate.name == "ecr":
        # A rotation about X of the second target, by a sign that the first gives, which flips.
        a, b = targets
        for value, angle in ((0, math.pi / 2), (1, -math.pi / 2)):
            yield Rotate(b, Gate("rx", (angle,)).matrix(), (*controls, a), (*values, value))
        yield Rotate(a, X, controls, values)
    else:
        matrix = op.gate.matrix()
        if not np.array_equal(matrix, np.eye(2)):
            yield Rotate(targets[0], matrix, controls, values)


def _listed(
    targets: tuple[int, ...], indices: NDArray[np.int64], factors: Complexes, op: Apply
) -> Iterator[Op]:
    """A diagonal under the controls of ``op``: one phase, or several together."""
    if len(indices) > 1:
        yield Sparse(targets, indices, factors, op.controls, op.values)
    elif len(indices) == 1:
        places = range(len(targets) - 1, -1, -1)
        values = tuple(int(indices[0]) >> place & 1 for place in places)
        yield Phase((*op.controls, *targets), (*op.values, *values), complex(factors[0]))


def _loops(body: Sequence[Op], repetitions: int) -> Iterator[Op]:
    """One loop for each group of qubits that the body joins."""
    if repetitions == 0:
        return
    for group, ops in components(body):
        if group:
            yield Loop(tuple(ops), repetitions, group)
        else:
            scalar = math.prod((op.factor for op in ops if isinstance(op, Phase)), start=1 + 0j)
            yield Phase((), (), scalar**repetitions)


def components(ops: Iterable[Op]) -> list[tuple[tuple[int, ...], list[Op]]]:
    """Groups of qubits that never interact, each with its operations in order.

    Phases on no qubits make a group without qubits. Qubits that nothing touches are in none.
    """
    ops = list(ops)
    parent: dict[int, int] = {}

    def root(q: int) -> int:
        while parent.setdefault(q, q) != q:
            parent[q] = parent[parent[q]]
            q = parent[q]
        return q

    for op in ops:
        for q in op.qubits:
            parent[root(q)] = root(op.qubits[0])
    members: dict[int, list[int]] = {}
    for q in sorted(parent):
        members.setdefault(root(q), []).append(q)
    found: dict[int, list[Op]] = {}
    for op in ops:
        found.setdefault(root(op.qubits[0]) if op.qubits else -1, []).append(op)
    return [(tuple(members.get(key, ())), part) for key, part in found.items()]
