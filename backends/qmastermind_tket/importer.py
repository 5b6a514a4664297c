"""``pytket.Circuit`` to neutral circuit."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from pytket.circuit import Circuit as TketCircuit
from pytket.circuit import Command, OpType, Qubit
from pytket.passes import DecomposeBoxes

from qmastermind.circuit import Barrier, Circuit, CircuitBuilder, Measure, Register
from qmastermind.errors import UnsupportedError
from qmastermind.gates import Gate
from qmastermind.synthesis.one_qubit import synthesise_one_qubit
from qmastermind_tket.exporter import ANY_CONTROLS, CONTROLLED_TYPES, GATE_TYPES

Part: TypeAlias = tuple[Gate, tuple[int, ...], tuple[int, ...]]
"""A gate, the places of its targets, the places of its controls, among a command's qubits."""

_PLAIN = {kind: name for name, kind in GATE_TYPES.items()}
_CONTROLLED = {kind: (name, n) for (name, n), kind in CONTROLLED_TYPES.items()}
_ANY_CONTROLS = {kind: name for name, kind in ANY_CONTROLS.items()}
_SKIPPED = {OpType.noop, OpType.Phase}


def from_tket(circuit: TketCircuit, qubits: Sequence[Qubit] | None = None) -> Circuit:
    """Reads a circuit of tket, for everything that its passes emit.

    Boxes are opened by tket, and an implicit permutation of the wires becomes swaps.

    Args:
        circuit: With numbers for all its angles, and no classical control.
        qubits: Its qubits in our order, others among them being idle; default its own order.

    Returns:
        A circuit with one register ``q``; bit b is tket's b-th bit. The global phase is kept.

    Raises:
        UnsupportedError: For symbols, conditions, or an operation without a unitary.
    """
    copy = circuit.copy()
    if copy.free_symbols():
        names = ", ".join(sorted(str(s) for s in copy.free_symbols()))
        raise UnsupportedError(f"the circuit has symbols without a value: {names}")
    DecomposeBoxes().apply(copy)
    if copy.has_implicit_wireswaps:
        copy.replace_implicit_wire_swaps()
    order: Mapping[Qubit, int] = {q: i for i, q in enumerate(qubits or copy.qubits)}
    bits = {b: i for i, b in enumerate(copy.bits)}
    builder = CircuitBuilder(Register("q", max(1, len(order))))
    for command in copy.get_commands():
        where = [order[q] for q in command.qubits]
        kind = command.op.type
        if kind == OpType.Measure:
            builder.add(Measure(where[0], bits[command.bits[0]]))
        elif kind == OpType.Reset:
            builder.reset(where[0])
        elif kind == OpType.Barrier:
            if where:
                builder.add(Barrier(tuple(where)))
        elif kind not in _SKIPPED:
            for gate, targets, controls in _parts(command):
                builder.gate(gate, [where[t] for t in targets], [where[c] for c in controls])
            builder.global_phase += _phase_beside(command)
    builder.global_phase += math.pi * float(copy.phase)
    read = builder.build()
    return Circuit(read.registers, read.operations, len(bits), read.global_phase)


def _parts(command: Command) -> list[Part]:
    kind, width = command.op.type, len(command.qubits)
    if command.op.is_gate():
        angles = tuple(math.pi * float(p) for p in command.op.params)
        places = tuple(range(width))
        if kind in _PLAIN:
            return [(Gate(_PLAIN[kind], angles), places, ())]
        if kind in _CONTROLLED:
            name, controls = _CONTROLLED[kind]
            return [(Gate(name, angles), places[controls:], places[:controls])]
        if kind in _ANY_CONTROLS:
            return [(Gate(_ANY_CONTROLS[kind], angles), places[-1:], places[:-1])]
        if kind in _COMPOSED:
            return _COMPOSED[kind](*angles)
        if width == 1:
            gates, _ = synthesise_one_qubit(command.op.get_unitary(), ("u",))
            return [(gate, (0,), ()) for gate in gates]
    raise UnsupportedError(f"cannot read tket's operation {command.op.get_name()!r}")


def _phase_beside(command: Command) -> float:
    """The global phase that :func:`_parts` leaves out, for gates read through their unitary."""
    kind = command.op.type
    known = (_PLAIN, _CONTROLLED, _ANY_CONTROLS, _COMPOSED)
    if any(kind in table for table in known):
        return 0.0
    return synthesise_one_qubit(command.op.get_unitary(), ("u",))[1]


def _tk1(a: float, b: float, c: float) -> list[Part]:
    return [(Gate(name, (t,)), (0,), ()) for name, t in (("rz", c), ("rx", b), ("rz", a))]


def _phased_x(a: float, b: float) -> list[Part]:
    return _tk1(b, a, -b)


def _zz(angle: float) -> list[Part]:
    return [(Gate("rzz", (angle,)), (0, 1), ())]


def _xx(angle: float) -> list[Part]:
    turn: list[Part] = [(Gate("h"), (q,), ()) for q in (0, 1)]
    return [*turn, *_zz(angle), *turn]


def _yy(angle: float) -> list[Part]:
    into: list[Part] = [(Gate("rx", (math.pi / 2,)), (q,), ()) for q in (0, 1)]
    back: list[Part] = [(Gate("rx", (-math.pi / 2,)), (q,), ()) for q in (0, 1)]
    return [*into, *_zz(angle), *back]


def _tk2(a: float, b: float, c: float) -> list[Part]:
    return [*_xx(a), *_yy(b), *_zz(c)]


def _iswap(angle: float) -> list[Part]:
    return [*_xx(-angle / 2), *_yy(-angle / 2)]


def _controlled_rx(angle: float) -> list[Part]:
    return [(Gate("rx", (angle,)), (1,), (0,))]


_COMPOSED: dict[OpType, Callable[..., list[Part]]] = {
    OpType.TK1: _tk1,
    OpType.TK2: _tk2,
    OpType.PhasedX: _phased_x,
    OpType.V: lambda: [(Gate("rx", (math.pi / 2,)), (0,), ())],
    OpType.Vdg: lambda: [(Gate("rx", (-math.pi / 2,)), (0,), ())],
    OpType.U2: lambda a, b: [(Gate("u", (math.pi / 2, a, b)), (0,), ())],
    OpType.XXPhase: _xx,
    OpType.YYPhase: _yy,
    OpType.ZZMax: lambda: _zz(math.pi / 2),
    OpType.ISWAP: _iswap,
    OpType.ISWAPMax: lambda: _iswap(math.pi),
    OpType.CV: lambda: _controlled_rx(math.pi / 2),
    OpType.CVdg: lambda: _controlled_rx(-math.pi / 2),
}
