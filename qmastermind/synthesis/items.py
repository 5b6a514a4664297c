"""The intermediate form of lowering: phases, flips, rotations, one-qubit gates and fences.

Every controlled gate of the neutral circuit is written in these, exactly, with X absorbed into
control values where they can be.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from qmastermind.circuit import Apply, Box, Circuit, Operation, Phases, remap
from qmastermind.gates import Gate
from qmastermind.synthesis.one_qubit import synthesise_one_qubit

Literals: TypeAlias = tuple[tuple[int, int], ...]
"""(qubit, value) pairs, sorted by qubit."""


@dataclass(frozen=True, slots=True)
class Turn:
    """exp(i angle) where every literal holds."""

    literals: Literals
    angle: float


@dataclass(frozen=True, slots=True)
class Flip:
    """X on the target where every literal holds.

    Attributes:
        literals: The controls.
        target: The flipped qubit.
        pair: If not None, a phase on each basis state may come with it, that the other flip with
            the same number undoes; the later one is the inverse.
        second: Whether this is the later one.
    """

    literals: Literals
    target: int
    pair: int | None = None
    second: bool = False


@dataclass(frozen=True, slots=True)
class Spin:
    """exp(-i angle Z / 2) on the target where every literal holds."""

    literals: Literals
    target: int
    angle: float


@dataclass(frozen=True, slots=True)
class Table:
    """A diagonal on the targets where every literal holds."""

    phases: Phases
    targets: tuple[int, ...]
    literals: Literals


@dataclass(frozen=True, slots=True)
class One:
    """A one-qubit gate."""

    gate: Gate
    qubit: int


@dataclass(frozen=True, slots=True)
class Fence:
    """An operation that stays as it is: a box, a barrier, a measurement, a reset."""

    operation: Operation


@dataclass(frozen=True, slots=True)
class Clean:
    """Not a gate: these qubits are known to be |0> here."""

    qubits: tuple[int, ...]


Item: TypeAlias = Turn | Flip | Spin | Table | One | Fence | Clean


def touched(item: Item) -> tuple[int, ...]:
    """The qubits of an item."""
    match item:
        case Turn():
            return tuple(q for q, _ in item.literals)
        case Flip() | Spin():
            return (*(q for q, _ in item.literals), item.target)
        case Table():
            return (*(q for q, _ in item.literals), *item.targets)
        case One():
            return (item.qubit,)
        case Fence():
            return item.operation.qubits
        case Clean():
            return item.qubits


def opened(circuit: Circuit) -> tuple[list[Operation | Clean], float]:
    """The operations with every box opened that is used once and counted by nobody.

    Where such a box ends, its ancillas are known to be |0>.

    Returns:
        The operations, and the global phase of the opened boxes, in radians.
    """
    found: list[Operation | Clean] = []
    phase = 0.0
    for op in circuit.operations:
        if isinstance(op, Box) and op.repetitions == 1 and op.query is None:
            inner, more = opened(op.circuit)
            phase += more + op.circuit.global_phase
            for each in inner:
                if isinstance(each, Clean):
                    found.append(Clean(tuple(op.qubits[q] for q in each.qubits)))
                else:
                    found.append(remap(each, op.qubits))
            if op.circuit.ancillas:
                found.append(Clean(tuple(op.qubits[q] for q in op.circuit.ancillas)))
        elif not isinstance(op, Box) or op.repetitions:
            found.append(op)
    return found, phase


class Translator:
    """Turns operations into items, with X gates moved to the right into control values.

    Attributes:
        items: So far.
        phase: Global phase in radians, so far.
    """

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.phase = 0.0
        self._flipped: set[int] = set()

    def add(self, op: Operation | Clean) -> None:
        """Adds one operation."""
        if isinstance(op, Clean):
            self._settle(op.qubits)
            self.items.append(op)
        elif not isinstance(op, Apply):
            self._settle(op.qubits)
            self.items.append(Fence(op))
        elif isinstance(op.gate, Phases) and not op.targets:
            self._turn(op.controls, op.values, float(op.gate.table()[0]))
        elif isinstance(op.gate, Phases):
            self._settle(op.targets)
            literals = self._literals(op.controls, op.values)
            self.items.append(Table(op.gate, op.targets, literals))
        elif op.gate.kind.num_qubits == 1 and not op.controls:
            self._one(op.gate, op.targets[0])
        else:
            self._controlled(op.gate, op.targets, op.controls, op.values)

    def finish(self) -> list[Item]:
        """All items, once every operation was added."""
        self._settle(sorted(self._flipped))
        return self.items

    def _settle(self, qubits: Iterable[int]) -> None:
        """Writes the X that wait on these qubits."""
        for qubit in qubits:
            if qubit in self._flipped:
                self._flipped.discard(qubit)
                self.items.append(One(Gate("x"), qubit))

    def _literals(self, controls: Sequence[int], values: Sequence[int]) -> Literals:
        return tuple(
            sorted(
                (q, value ^ (q in self._flipped)) for q, value in zip(controls, values, strict=True)
            )
        )

    def _one(self, gate: Gate, qubit: int) -> None:
        if gate.name == "x":
            self._flipped ^= {qubit}
        elif not gate.kind.diagonal:
            self._settle((qubit,))
            self.items.append(One(gate, qubit))
        elif qubit in self._flipped:
            # X then diag(a, b) is diag(b, a) then X
            a, b = np.angle(np.diag(gate.matrix())).tolist()
            self.phase += b
            self.items.append(One(_turn_gate(a - b), qubit))
        else:
            self.items.append(One(gate, qubit))

    def _controlled(
        self, gate: Gate, targets: Sequence[int], controls: Sequence[int], values: Sequence[int]
    ) -> None:
        match gate.name, targets:
            case "swap", (a, b):
                self._flip((a,), (1,), b)
                self._flip((*controls, b), (*values, 1), a)
                self._flip((a,), (1,), b)
            case "rzz", (a, b):
                self._flip((a,), (1,), b)
                self._spin(controls, values, b, gate.params[0])
                self._flip((a,), (1,), b)
            case "ecr", (a, b):
                # X on the first qubit, then exp(i pi/4 ZX)
                self._flip(controls, values, a)
                self._one(Gate("h"), b)
                self._flip((a,), (1,), b)
                self._spin(controls, values, b, -math.pi / 2)
                self._flip((a,), (1,), b)
                self._one(Gate("h"), b)
            case "x", (target,):
                self._flip(controls, values, target)
            case "rz", (target,):
                self._spin(controls, values, target, gate.params[0])
            case _, (target,):
                self._one_target(gate, target, controls, values)

    def _one_target(
        self, gate: Gate, target: int, controls: Sequence[int], values: Sequence[int]
    ) -> None:
        """A controlled gate as a frame around phases: V diag(e^ia, e^ib) V^dagger."""
        frame, a, b = _eigenframe(gate)
        for each in reversed(frame):
            self._one(each.inverse(), target)
        if a == 0.0:
            self._turn((*controls, target), (*values, 1), b)
        else:
            self._turn(controls, values, (a + b) / 2)
            self._spin(controls, values, target, b - a)
        for each in frame:
            self._one(each, target)

    def _flip(self, controls: Sequence[int], values: Sequence[int], target: int) -> None:
        literals = self._literals(controls, values)
        if not literals:
            self._flipped ^= {target}
            return
        if len(literals) == 1 and literals[0][1] == 0:
            self._flipped ^= {target}
            literals = ((literals[0][0], 1),)
        self.items.append(Flip(literals, target))

    def _turn(self, controls: Sequence[int], values: Sequence[int], angle: float) -> None:
        angle = math.remainder(angle, 2 * math.pi)
        if abs(angle) < 1e-15:
            return
        literals = self._literals(controls, values)
        if not literals:
            self.phase += angle
        elif len(literals) == 1:
            ((qubit, value),) = literals
            self.phase += 0.0 if value else angle
            self.items.append(One(_turn_gate(angle if value else -angle), qubit))
        else:
            self.items.append(Turn(literals, angle))

    def _spin(
        self, controls: Sequence[int], values: Sequence[int], target: int, angle: float
    ) -> None:
        if target in self._flipped:
            angle = -angle
        literals = self._literals(controls, values)
        if literals:
            self.items.append(Spin(literals, target, angle))
        else:
            self.items.append(One(Gate("rz", (angle,)), target))


_FRAMES: dict[str, tuple[tuple[Gate, ...], float, float]] = {
    # gate: V in time order, and the angles a, b of its eigenvalues
    "y": ((Gate("h"), Gate("s")), 0.0, math.pi),
    "h": ((Gate("ry", (math.pi / 4,)),), 0.0, math.pi),
    "sx": ((Gate("h"),), 0.0, math.pi / 2),
    "sxdg": ((Gate("h"),), 0.0, -math.pi / 2),
    "z": ((), 0.0, math.pi),
    "s": ((), 0.0, math.pi / 2),
    "sdg": ((), 0.0, -math.pi / 2),
    "t": ((), 0.0, math.pi / 4),
    "tdg": ((), 0.0, -math.pi / 4),
}


def _eigenframe(gate: Gate) -> tuple[tuple[Gate, ...], float, float]:
    if gate.name in _FRAMES:
        return _FRAMES[gate.name]
    if gate.name == "p":
        return (), 0.0, gate.params[0]
    if gate.name in ("rx", "ry"):
        half = gate.params[0] / 2
        turned = () if gate.name == "rx" else (Gate("s"),)
        return (Gate("h"), *turned), -half, half
    matrix = gate.matrix()
    special = matrix / cmath.sqrt(complex(np.linalg.det(matrix)))
    _, vectors = np.linalg.eigh((special - special.conj().T) / 2j)
    a, b = np.angle(np.diag(vectors.conj().T @ matrix @ vectors)).tolist()
    return tuple(synthesise_one_qubit(vectors, ("u",))[0]), a, b


def _turn_gate(angle: float) -> Gate:
    return Gate("p", (angle,))
