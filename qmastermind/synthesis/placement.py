"""Puts a construction in the place of each item, on ancillas that are free at that point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Box, Circuit, Operation, Register, remap
from qmastermind.gates import Gate
from qmastermind.synthesis.constructions import (
    SEVEN_PARITIES,
    Candidate,
    Task,
    choose,
    construct,
    held_flip,
)
from qmastermind.synthesis.diagonal import conditions, parities
from qmastermind.synthesis.explanation import Explanation
from qmastermind.synthesis.items import (
    Clean,
    Fence,
    Flip,
    Item,
    Literals,
    One,
    Spin,
    Table,
    Turn,
    touched,
)
from qmastermind.synthesis.phases import parity_turns
from qmastermind.synthesis.policy import Objective
from qmastermind.synthesis.rewrites import merge_phases
from qmastermind.synthesis.toffoli import ccp

_LEFT_FREE = 2  # added ancillas that no flip may hold


@dataclass(frozen=True)
class Body:
    """A lowered circuit: after its own qubits come clean ancillas, then borrowed qubits."""

    circuit: Circuit
    clean: int
    borrowed: int


@dataclass(frozen=True)
class Settings:
    """What holds for all of a lowering."""

    basis: frozenset[str]
    objective: Objective
    borrow: bool
    coupled: bool
    explanation: Explanation
    lower_body: Callable[[Circuit, int, int], Body]


class Placer:
    """Writes the items of one circuit as one-qubit gates, CX and fences.

    Its wires are the circuit's qubits, then ``clean`` ancillas, then ``borrowed`` qubits from
    outside; :meth:`used` tells which of the latter two it used.

    Attributes:
        operations: The result.
        phase: Global phase in radians.
    """

    def __init__(
        self,
        settings: Settings,
        circuit: Circuit,
        items: Sequence[Item],
        clean: int,
        borrowed: int,
    ) -> None:
        self.operations: list[Operation] = []
        self.phase = 0.0
        self._settings = settings
        self._items = items
        self._size = circuit.num_qubits
        self._added = tuple(range(self._size, self._size + clean))
        self._outside = tuple(range(self._size + clean, self._size + clean + borrowed))
        self._zeros = _known_zeros(circuit, items)
        self._free_at = [0] * (self._size + clean + borrowed)
        # For each pair of flips between its two: circuit, ancillas that it holds, its choice
        self._pairs: dict[int, tuple[Circuit, tuple[int, ...], Candidate | None]] = {}
        self._held: set[int] = set()
        # For sets of three qubits, the last phase on them: order, whether late, where it ended
        self._triples: dict[frozenset[int], tuple[tuple[int, ...], bool, int]] = {}
        self._partner = {
            item.pair: index
            for index, item in enumerate(items)
            if isinstance(item, Flip) and item.second and item.pair is not None
        }

    def run(self) -> None:
        """Places every item."""
        for index, item in enumerate(self._items):
            self._place(item, index)

    def used(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The added clean ancillas and the outside qubits that were used."""
        touched_wires = {q for op in self.operations for q in op.qubits}
        return (
            tuple(q for q in self._added if q in touched_wires),
            tuple(q for q in self._outside if q in touched_wires),
        )

    def _place(self, item: Item, index: int) -> None:
        match item:
            case One():
                self._emit(Apply(item.gate, (item.qubit,)))
            case Fence():
                self._fence(item.operation, index)
            case Turn():
                qubits = tuple(q for q, _ in item.literals)
                self._task("phase", item.literals, qubits, item.angle, index)
            case Spin():
                qubits = (*(q for q, _ in item.literals), item.target)
                self._task("rotation", item.literals, qubits, item.angle, index)
            case Flip():
                self._flip(item, index)
            case Table():
                self._table(item, index)

    def _emit(self, op: Operation, layers: int = 1) -> None:
        end = max((self._free_at[q] for q in op.qubits), default=0) + layers
        for q in op.qubits:
            self._free_at[q] = end
        self.operations.append(op)

    def _fence(self, op: Operation, index: int) -> None:
        if not isinstance(op, Box):
            self._emit(op, 0)
            return
        clean, lent = self._at_hand(op.qubits, index)
        body = self._settings.lower_body(op.circuit, len(clean), len(lent))
        ancillas = clean[: body.clean] + lent[: body.borrowed]
        self._emit(replace(op, circuit=body.circuit, qubits=op.qubits + ancillas))

    def _at_hand(
        self, qubits: Sequence[int], *indices: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The clean ancillas and the borrowed ones for ``qubits`` at all of these items.

        Those come first that are free when the qubits are, then those that are free soonest.
        """
        ready = max((self._free_at[q] for q in qubits), default=0)

        def soonest(q: int) -> tuple[int, int]:
            return max(ready, self._free_at[q]), q

        zeros = frozenset.intersection(*(self._zeros[i] for i in indices)) - set(qubits)
        clean = sorted({*zeros, *self._added} - self._held, key=soonest)
        if not self._settings.borrow:
            return tuple(clean), ()
        idle = {*range(self._size), *self._outside} - set(qubits)
        idle -= self._zeros[indices[0]]
        return tuple(clean), tuple(sorted(idle, key=soonest))

    def _flip(self, item: Flip, index: int) -> None:
        if len(item.literals) == 1:
            self._emit(Apply(Gate("x"), (item.target,), (item.literals[0][0],), (1,)))
            return
        controls = tuple(q for q, _ in item.literals)
        if item.pair is None:
            self._emit(Apply(Gate("h"), (item.target,)))
            self._task("phase", item.literals, (*controls, item.target), math.pi, index)
            self._emit(Apply(Gate("h"), (item.target,)))
            return
        qubits = (*controls, item.target)
        if item.second:
            circuit, ancillas, candidate = self._pairs.pop(item.pair)
            self._held -= set(ancillas)
            if candidate is not None:
                ancillas = self._at_hand(qubits, index)[0][: candidate.clean]
            self._write(circuit.inverse(), item.literals, qubits + ancillas, 0)
            return
        held = self._to_hold(len(controls))
        if held:
            circuit = held_flip(len(controls))
            self._held |= set(held)
            self._pairs[item.pair] = (circuit, held, None)
            self._settings.explanation.held += 1
            self._write(circuit, item.literals, qubits + held, 0)
            return
        clean, _ = self._at_hand(qubits, index, self._partner[item.pair])
        candidate = self._choose(Task("flip", len(qubits)), len(clean), 0)
        circuit = construct(Task("flip", len(qubits)), candidate)
        self._pairs[item.pair] = (circuit, (), candidate)
        self._write(circuit, item.literals, qubits + clean[: candidate.clean], candidate.depth)

    def _to_hold(self, controls: int) -> tuple[int, ...]:
        """Added ancillas that a flip may keep until its partner; some are left for what is between.

        The circuit's own ancillas are not held: they may be needed for what they are there for.
        """
        free = [q for q in self._added if q not in self._held]
        if controls < 4 or len(free) < controls - 2 + _LEFT_FREE:
            return ()
        return tuple(free[2 - controls :])

    def _task(
        self,
        kind: str,
        literals: Literals,
        qubits: tuple[int, ...],
        angle: float,
        index: int,
    ) -> None:
        task = Task("phase" if kind == "phase" else "rotation", len(qubits), angle)
        clean, lent = self._at_hand(qubits, index)
        candidate = self._choose(task, len(clean), len(lent))
        if len(qubits) == 3 and candidate.name == SEVEN_PARITIES:
            self._triple(literals, qubits, angle, candidate.depth)
            return
        wires = qubits + clean[: candidate.clean] + lent[: candidate.borrowed]
        self._write(construct(task, candidate), literals, wires, candidate.depth)

    def _triple(
        self, literals: Literals, qubits: tuple[int, ...], angle: float, layers: int
    ) -> None:
        """A phase on three qubits, turned so that it shares CX with one just before it."""
        order, late, end = self._triples.get(frozenset(qubits), (qubits, True, 0))
        since = (op for op in self.operations[end:] if not set(qubits).isdisjoint(op.qubits))
        if not late and all(len(op.qubits) == 1 for op in since):
            order, late = (*order[1:], order[0]), True
        else:
            order, late = qubits, False
        b = CircuitBuilder(Register("x", 3))
        ccp(b, angle, 0, 1, 2, late=late)
        self._write(b.build(), literals, order, layers)
        self._triples[frozenset(qubits)] = (order, late, len(self.operations))

    def _choose(self, task: Task, clean: int, borrowed: int) -> Candidate:
        settings = self._settings
        chosen = choose(
            task, settings.basis, clean, borrowed, settings.objective, coupled=settings.coupled
        )
        settings.explanation.record(task, settings.basis, clean, borrowed, chosen)
        return chosen

    def _write(
        self, circuit: Circuit, literals: Literals, wires: Sequence[int], layers: int
    ) -> None:
        """Adds a construction on these wires, between X where a literal wants a 0."""
        opened = [Apply(Gate("x"), (q,)) for q, value in literals if not value]
        self.operations += opened
        self.operations += [remap(op, wires) for op in circuit.operations]
        self.operations += opened
        self.phase += circuit.global_phase
        end = max(self._free_at[q] for q in wires) + layers
        for q in wires:
            self._free_at[q] = end

    def _table(self, item: Table, index: int) -> None:
        """A diagonal: condition by condition, or by its parities if that is cheaper."""
        controls = tuple(q for q, _ in item.literals)
        products = [
            Turn(tuple(sorted((*item.literals, *literals))), angle)
            for literals, angle in conditions(item.phases, item.targets)
        ]
        turns, phase = merge_phases(products)
        dense = parities(item.phases, item.targets, item.literals)
        if dense is not None and self._cheaper(dense, turns, controls + item.targets, index):
            constant, angles, qubits = dense
            self.phase += constant
            b = CircuitBuilder(Register("x", self._size))
            parity_turns(b, angles, qubits)
            for op in b.build().operations:
                self._emit(op)
            return
        self.phase += phase
        for each in turns:
            self._place(each, index)

    def _cheaper(
        self,
        dense: tuple[float, dict[int, float], tuple[int, ...]],
        turns: Sequence[Item],
        qubits: tuple[int, ...],
        index: int,
    ) -> bool:
        settings = self._settings
        clean, lent = self._at_hand(qubits, index)
        one_by_one = 0
        most = 2 ** len(dense[2])
        for turn in turns:
            if isinstance(turn, Turn):
                task = Task("phase", len(turn.literals), turn.angle)
                chosen = choose(task, settings.basis, len(clean), len(lent), settings.objective)
                one_by_one += chosen.two_qubit_gates
            if one_by_one >= most:
                break
        b = CircuitBuilder(Register("x", len(dense[2])))
        parity_turns(b, dense[1], range(len(dense[2])))
        gates = sum(bool(op.controls) for op in b.build().operations if isinstance(op, Apply))
        return gates < one_by_one


def _known_zeros(circuit: Circuit, items: Sequence[Item]) -> list[frozenset[int]]:
    """For each item, the circuit's ancillas that are known to be |0> there.

    An ancilla is |0> before the first item that touches it, after the last, and from where a box
    that used it as an ancilla ended until it is touched again.
    """
    last = dict.fromkeys(circuit.ancillas, -1)
    for index, item in enumerate(items):
        if not isinstance(item, Clean):
            last.update((q, index) for q in touched(item) if q in last)
    zeros = {*circuit.ancillas}
    found = []
    for index, item in enumerate(items):
        if isinstance(item, Clean):
            zeros.update(item.qubits)
        else:
            zeros.difference_update(touched(item))
        found.append(frozenset(zeros))
        zeros.update(q for q, end in last.items() if end == index)
    return found
