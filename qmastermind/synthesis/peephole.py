"""Small rewrites of circuits of one-qubit gates and CX.

The rewrites, each an identity of unitaries, phase included:

* one-qubit gates that commute with a CX (diagonal ones on its control, functions of X on its
  target) wait until they meet something they do not commute with, and merge there;
* two equal CX cancel if only such gates and CX are in between;
* two CX on one pair, in either direction, with one-qubit gates in between are one or none where
  :func:`two_cx` says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from qmastermind.circuit import Apply, Operation
from qmastermind.gates import Gate
from qmastermind.synthesis.one_qubit import ATOL, product

Entries: TypeAlias = tuple[complex, complex, complex, complex]

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

    def _settle(self, qubit: int, commutes: Callable[[Entries], bool]) -> None:
        """Lets the waiting gates pass a CX if they commute with it, else writes them."""
        waiting = self._waiting[qubit]
        if waiting and not commutes(product(waiting)):
            tail = len(waiting)
            while commutes(product(waiting[tail - 1 :])):
                tail -= 1
            self._flush(qubit, waiting[tail:])

    def _cx(self, control: int, target: int, op: Operation) -> None:
        self._settle(control, is_diagonal)
        self._settle(target, is_function_of_x)
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
    if not is_function_of_x(product(target)) and is_function_of_x(product((_Z, *target))):
        target, before = (_Z, *target), [(_Z, 0), (_Z, 1)]
    if not is_diagonal(product(control)) and is_diagonal(product((*control, _X))):
        control, after = (*control, _X), [(_X, 0), (_X, 1)]
    on_control: list[_Step] = [(gate, 0) for gate in control]
    on_target: list[_Step] = [(gate, 1) for gate in target]
    if is_function_of_x(product(target)):
        if is_diagonal(product(control)):
            return [*before, *on_control, *on_target, *after], 0.0
        found = _quarter_turned(control, 0)
        rest = on_target
    elif is_diagonal(product(control)):
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


def _identity_phase(entries: Entries) -> float | None:
    a, b, c, d = entries
    if abs(b) + abs(c) + abs(a - d) > ATOL:
        return None
    return math.atan2(a.imag, a.real)


def is_diagonal(entries: Entries) -> bool:
    """Whether a one-qubit gate, its entries row by row, commutes with Z."""
    return abs(entries[1]) + abs(entries[2]) < ATOL


def is_function_of_x(entries: Entries) -> bool:
    """Whether it commutes with X."""
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
