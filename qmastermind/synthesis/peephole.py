"""Small rewrites of circuits of one-qubit gates and CX, and their writing in a basis.

The rewrites, each an identity of unitaries, phase included:

* one-qubit gates that commute with a CX (diagonal ones on its control, functions of X on its
  target) wait until they meet something they do not commute with, and merge there;
* two equal CX cancel if only such gates and CX are in between;
* two CX on one pair, in either direction, with one-qubit gates in between are one or none where
  :func:`two_cx` says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeAlias

from qmastermind.circuit import Apply, Operation
from qmastermind.errors import UnsupportedError
from qmastermind.gates import Gate
from qmastermind.synthesis.one_qubit import ATOL, product, synthesise_one_qubit

_Entries: TypeAlias = tuple[complex, complex, complex, complex]

_MAX_PASSES = 6
_LOOSE = 1e-9
_X = Gate("x")
_Z = Gate("z")
_H = Gate("h")


def is_cx(op: Operation) -> bool:
    """Whether this is a plain CX."""
    return (
        isinstance(op, Apply)
        and op.values == (1,)
        and isinstance(op.gate, Gate)
        and op.gate.name == "x"
    )


def simplify(operations: Iterable[Operation], num_qubits: int) -> tuple[list[Operation], float]:
    """Applies the rewrites until nothing changes any more.

    Args:
        operations: One-qubit gates and CX; everything else is a fence on its qubits.
        num_qubits: Width.

    Returns:
        The operations, and the global phase in radians that was taken out.
    """
    current, phase = list(operations), 0.0
    for _ in range(_MAX_PASSES):
        once = _Pass(num_qubits)
        for op in current:
            once.add(op)
        after = once.finish()
        phase += once.phase
        if _entanglers(after) == _entanglers(current):
            return after, phase
        current = after
    return current, phase


def _entanglers(operations: Sequence[Operation]) -> int:
    return sum(is_cx(op) for op in operations)


class _Pass:
    """One sweep, in time order."""

    def __init__(self, num_qubits: int) -> None:
        self.phase = 0.0
        self._out: list[Operation | None] = []
        self._waiting: list[list[Gate]] = [[] for _ in range(num_qubits)]
        # How often something happened on a qubit that does not commute with Z (or with X) on it.
        self._not_z = [0] * num_qubits
        self._not_x = [0] * num_qubits
        self._last_pair: list[int | None] = [None] * num_qubits
        self._since: list[list[int]] = [[] for _ in range(num_qubits)]
        self._open: dict[tuple[int, int, int, int], int] = {}

    def add(self, op: Operation) -> None:
        if is_cx(op):
            (control,), (target,) = op.controls, op.targets  # type: ignore[union-attr]
            self._cx(control, target, op)
        elif isinstance(op, Apply) and len(op.qubits) == 1 and isinstance(op.gate, Gate):
            self._waiting[op.targets[0]].append(op.gate)
        else:
            self._fence(op)

    def _fence(self, op: Operation) -> None:
        for qubit in op.qubits:
            self._flush(qubit, ())
            self._not_z[qubit] += 1
            self._not_x[qubit] += 1
            self._last_pair[qubit] = None
        self._out.append(op)

    def _flush(self, qubit: int, kept: Sequence[Gate]) -> None:
        """Writes what waits on a qubit, but for the gates ``kept`` at its end."""
        waiting = self._waiting[qubit]
        written = waiting[: len(waiting) - len(kept)]
        self._waiting[qubit] = list(kept)
        if not written:
            return
        angle = _identity_phase(product(written))
        if angle is not None:
            self.phase += angle
            return
        self._not_z[qubit] += 1
        self._not_x[qubit] += 1
        for gate in written:
            self._since[qubit].append(len(self._out))
            self._out.append(Apply(gate, (qubit,)))

    def _settle(self, qubit: int, commutes: Callable[[_Entries], bool]) -> None:
        """Lets the waiting gates pass a CX if they commute with it, else writes them."""
        waiting = self._waiting[qubit]
        if waiting and not commutes(product(waiting)):
            tail = len(waiting)
            while commutes(product(waiting[tail - 1 :])):
                tail -= 1
            self._flush(qubit, waiting[tail:])

    def _cx(self, control: int, target: int, op: Operation) -> None:
        self._settle(control, _is_diagonal)
        self._settle(target, _is_function_of_x)
        key = (control, target, self._not_z[control], self._not_x[target])
        earlier = self._open.pop(key, None)
        if earlier is not None:
            self._out[earlier] = None
        elif not self._merge(control, target):
            self._open[key] = len(self._out)
            for qubit in (control, target):
                self._last_pair[qubit] = len(self._out)
                self._since[qubit] = []
            self._out.append(op)
        self._not_x[control] += 1
        self._not_z[target] += 1

    def _merge(self, control: int, target: int) -> bool:
        """Takes this CX together with the one before on the same pair, if fewer CX do."""
        last = self._last_pair[control]
        if last is None or last != self._last_pair[target]:
            return False
        before = self._out[last]
        if before is None:
            return False
        pair = before.qubits
        indices = [i for q in pair for i in self._since[q]]
        gates = [[self._gate(i) for i in self._since[q]] for q in pair]
        # with its ends exchanged, a CX is the other way round between H
        ends = [] if pair == (control, target) else [_H]
        found = two_cx((*gates[0], *ends), (*gates[1], *ends))
        if found is None:
            return False
        steps, phase = found
        self.phase += phase
        for index in (last, *indices):
            self._out[index] = None
        for gate, end in (*steps, *((h, end) for h in ends for end in (0, 1))):
            controls = () if gate else (pair[end],)
            qubit = pair[end] if gate else pair[1 - end]
            self._out.append(Apply(gate or _X, (qubit,), controls, (1,) * len(controls)))
        for qubit in pair:
            # what follows meets gates that do not commute with anything
            self._not_z[qubit] += 1
            self._not_x[qubit] += 1
            self._last_pair[qubit] = None
        return True

    def _gate(self, index: int) -> Gate:
        op = self._out[index]
        if not isinstance(op, Apply) or not isinstance(op.gate, Gate):
            raise AssertionError("only gates are noted")
        return op.gate

    def finish(self) -> list[Operation]:
        for qubit in range(len(self._waiting)):
            self._flush(qubit, ())
        return [op for op in self._out if op is not None]


_Step: TypeAlias = tuple[Gate | None, int]
"""A gate on the control (0) or target (1) of a pair; None is CX, controlled by that end."""


def two_cx(control: Sequence[Gate], target: Sequence[Gate]) -> tuple[list[_Step], float] | None:
    """CX, then gates on its control and on its target, then the CX again, with at most one CX.

    It can be done if the gates commute with the CX, up to a Z of the target and an X of the
    control, or if those of one end are a quarter turn between turns that commute.

    Returns:
        The steps and a global phase in radians, or None.
    """
    before: list[_Step] = []
    after: list[_Step] = []
    if not _is_function_of_x(product(target)) and _is_function_of_x(product((_Z, *target))):
        target, before = (_Z, *target), [(_Z, 0), (_Z, 1)]
    if not _is_diagonal(product(control)) and _is_diagonal(product((*control, _X))):
        control, after = (*control, _X), [(_X, 0), (_X, 1)]
    on_control: list[_Step] = [(gate, 0) for gate in control]
    on_target: list[_Step] = [(gate, 1) for gate in target]
    if _is_function_of_x(product(target)):
        if _is_diagonal(product(control)):
            return [*before, *on_control, *on_target, *after], 0.0
        found = _quarter_turned(control, 0)
        rest = on_target
    elif _is_diagonal(product(control)):
        found = _quarter_turned((_H, *target, _H), 1)
        rest = on_control
        frame: list[_Step] = [(_H, 0), (_H, 1)]
        before, rest = [*before, *frame], [*frame, *rest]
    else:
        return None
    if found is None:
        return None
    steps, phase = found
    return [*before, *steps, *rest, *after], phase


def _quarter_turned(gates: Sequence[Gate], end: int) -> tuple[list[_Step], float] | None:
    """CX controlled by ``end``, a quarter turn of that end, CX: one CX between turns.

    CX Ry(pi/2) CX is exp(-i pi/4 YX), and CX is exp(i pi/4 ZX) up to one-qubit gates.
    """
    found = _quarter_turn(gates)
    if found is None:
        return None
    first, last, phase = found
    steps: list[_Step] = [(gate, end) for gate in (*_turns(first), Gate("sxdg"))]
    steps += [(None, end), (Gate("sdg"), end), (Gate("sxdg"), 1 - end), (Gate("sx"), end)]
    steps += [(gate, end) for gate in _turns(last)]
    return steps, phase + math.pi / 4


def _turns(angle: float) -> tuple[Gate, ...]:
    return () if abs(math.remainder(angle, 2 * math.pi)) < ATOL else (Gate("rz", (angle,)),)


def _identity_phase(entries: _Entries) -> float | None:
    a, b, c, d = entries
    if abs(b) + abs(c) + abs(a - d) > ATOL:
        return None
    return math.atan2(a.imag, a.real)


def _is_diagonal(entries: _Entries) -> bool:
    return abs(entries[1]) + abs(entries[2]) < ATOL


def _is_function_of_x(entries: _Entries) -> bool:
    a, b, c, d = entries
    return abs(a - d) + abs(b - c) < ATOL


def _quarter_turn(gates: Sequence[Gate]) -> tuple[float, float, float] | None:
    """(first, last, phase) if the gates are Rz(last) Ry(pi/2) Rz(first), up to that phase."""
    a, b, c, _ = product(gates)
    if any(abs(abs(x) - math.sqrt(0.5)) > _LOOSE for x in (a, c)):
        return None
    # entries of u(pi/2, last, first): 1, -e^{i first}, e^{i last}, e^{i (first + last)}
    first = _angle(-b / a)
    last = _angle(c / a)
    return first, last, _angle(a) + (first + last) / 2


def _angle(z: complex) -> float:
    return math.atan2(z.imag, z.real)


def write_in(
    operations: Iterable[Operation], num_qubits: int, basis: Collection[str]
) -> tuple[list[Operation], float]:
    """Writes one-qubit gates in a basis, and CX as CX or CZ.

    Turns about Z that can wait until after a control do so, which saves their layer wherever
    they meet another.

    Args:
        operations: As for :func:`simplify`.
        num_qubits: Width.
        basis: With ``cx`` or ``cz``; without either, CX is left for
            :func:`qmastermind.synthesis.rebase.rebase`.

    Returns:
        The operations, and the global phase in radians that was taken out.

    Raises:
        UnsupportedError: If the basis cannot express a one-qubit gate.
    """
    writer = _Writer(num_qubits, frozenset(basis))
    for op in operations:
        writer.add(op)
    return writer.operations(), writer.phase


_DIAGONAL = frozenset({"rz", "p", "z", "s", "sdg", "t", "tdg"})


class _Writer:
    """Writes operations in time order and keeps the layer in which each qubit is next free.

    A turn about Z that has to be written before a gate may go into any gap of its qubit since
    the last gate that it does not commute with; a gap costs no layer.
    """

    def __init__(self, num_qubits: int, basis: frozenset[str]) -> None:
        self.phase = 0.0
        self._basis = basis
        self._cz = "cz" in basis and "cx" not in basis
        # The start, then each operation; each with the turns that were put into the gap after it.
        self._out: list[list[Operation]] = [[]]
        self._waiting: list[list[Gate]] = [[] for _ in range(num_qubits)]
        self._free = [0] * num_qubits
        # For each qubit: (index into _out, layers) of its gaps before the next gate
        self._gaps: list[list[tuple[int, int]]] = [[] for _ in range(num_qubits)]
        self._last = [0] * num_qubits
        self._known: dict[tuple[Gate, ...], tuple[list[Gate], float]] = {}

    def add(self, op: Operation) -> None:
        if is_cx(op):
            self._pair(op)
        elif isinstance(op, Apply) and len(op.qubits) == 1 and isinstance(op.gate, Gate):
            self._waiting[op.targets[0]].append(op.gate)
        else:
            for qubit in op.qubits:
                self._flush(qubit)
            self._write(op, ())

    def operations(self) -> list[Operation]:
        for qubit in range(len(self._waiting)):
            self._flush(qubit)
        return [op for group in self._out for op in group]

    def _pair(self, op: Operation) -> None:
        control, target = op.qubits
        self._before_control(control)
        if self._cz:
            self._waiting[target].append(_H)
            self._before_control(target)
            self._write(Apply(_Z, (target,), (control,), (1,)), (control, target))
            self._waiting[target].append(_H)
            return
        waiting = self._waiting[target]
        if waiting and not _is_function_of_x(product(waiting)):
            self._flush(target)
        self._write(op, (control,))

    def _before_control(self, qubit: int) -> None:
        waiting = self._waiting[qubit]
        if waiting and not _is_diagonal(product(waiting)):
            self._flush(qubit, keep_turns=True)

    def _flush(self, qubit: int, *, keep_turns: bool = False) -> None:
        waiting = self._waiting[qubit]
        if not waiting:
            return
        gates, phase = self._written(tuple(waiting))
        self.phase += phase
        start, end = 0, len(gates)
        while keep_turns and gates[end - 1].name in _DIAGONAL:
            end -= 1
        while start < end and gates[start].name in _DIAGONAL and self._fill(qubit, gates[start]):
            start += 1
        for gate in gates[start:end]:
            self._write(Apply(gate, (qubit,)), (qubit,) if gate.name in _DIAGONAL else ())
        self._waiting[qubit] = gates[end:]

    def _fill(self, qubit: int, turn: Gate) -> bool:
        """Puts a turn into a gap of its qubit, if there is one."""
        gaps = self._gaps[qubit]
        if not gaps:
            return False
        index, layers = gaps.pop()
        self._out[index].append(Apply(turn, (qubit,)))
        if layers > 1:
            gaps.append((index, layers - 1))
        return True

    def _write(self, op: Operation, turned: Sequence[int]) -> None:
        """Writes an operation that commutes with turns of the qubits ``turned``."""
        start = max(self._free[q] for q in op.qubits)
        for qubit in op.qubits:
            last, idle = self._last[qubit], start - self._free[qubit]
            if qubit not in turned:
                self._gaps[qubit] = []
            elif idle > 0:
                self._gaps[qubit].append((last, idle))
            self._last[qubit] = len(self._out)
            self._free[qubit] = start + isinstance(op, Apply)
        self._out.append([op])

    def _written(self, run: tuple[Gate, ...]) -> tuple[list[Gate], float]:
        known = self._known.get(run)
        if known is None:
            try:
                a, b, c, d = product(run)
                known = synthesise_one_qubit([[a, b], [c, d]], self._basis)
            except UnsupportedError:
                if not all(gate.name in self._basis for gate in run):
                    raise
                known = (list(run), 0.0)
            self._known[run] = known
        return known
