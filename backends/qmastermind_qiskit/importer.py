"""From a QuantumCircuit to the neutral circuit. Imports Qiskit."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from qiskit.circuit import (
    AnnotatedOperation,
    BoxOp,
    CircuitInstruction,
    ControlFlowOp,
    ControlledGate,
    ControlModifier,
    Delay,
    Instruction,
    InverseModifier,
    PowerModifier,
    QuantumCircuit,
    library,
)
from qiskit.circuit import Barrier as NativeBarrier
from qiskit.circuit import Gate as NativeGate
from qiskit.circuit import Measure as NativeMeasure
from qiskit.circuit import Reset as NativeReset
from qiskit.transpiler import PassManager
from qiskit.transpiler.passes import HighLevelSynthesis

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import (
    Apply,
    Barrier,
    Box,
    Circuit,
    Measure,
    Operation,
    Phases,
    Register,
    Reset,
    remap,
)
from qmastermind.errors import UnsupportedError, UsageError
from qmastermind.gates import Gate
from qmastermind_qiskit.failures import our_errors
from qmastermind_qiskit.gates import CLASSES
from qmastermind_qiskit.registers import neutral_registers

_PLAIN = {name: name for name in CLASSES} | {"u1": "p", "u3": "u"}
_BY_CLASS = {kind: name for name, kind in CLASSES.items()} | {
    library.U1Gate: "p",
    library.U3Gate: "u",
}
_CONTROLLED = {
    "cx": ("x", 1),
    "cy": ("y", 1),
    "cz": ("z", 1),
    "ch": ("h", 1),
    "cs": ("s", 1),
    "csdg": ("sdg", 1),
    "csx": ("sx", 1),
    "cp": ("p", 1),
    "cu1": ("p", 1),
    "crx": ("rx", 1),
    "cry": ("ry", 1),
    "crz": ("rz", 1),
    "cu3": ("u", 1),
    "cswap": ("swap", 1),
    "ccx": ("x", 2),
    "ccz": ("z", 2),
    "c3sx": ("sx", 3),
}


def from_qiskit(native: QuantumCircuit) -> Circuit:
    """The neutral form of a circuit of Qiskit.

    Qubit i is qubit i and classical bit i, counted over all classical registers, is bit i.
    Registers keep their names where these are identifiers; an AncillaRegister becomes an ancilla
    register, which promises that it starts and ends in |0>. Qiskit's standard gates, controlled
    gates of any kind and diagonals are read as such, everything else through its definition, or
    through Qiskit's synthesis where it has none. A gate or instruction that a user made of a
    circuit (``to_gate``) becomes a box. The global phase is kept. Identities and delays are
    dropped: a delay says when, not what.

    Args:
        native: Without free parameters and without classical control.

    Raises:
        UsageError: If it is no QuantumCircuit.
        UnsupportedError: For free parameters, control flow, classical variables, and instructions
            that are not defined.
    """
    if not isinstance(native, QuantumCircuit):
        raise UsageError(f"expected a QuantumCircuit of Qiskit, not {type(native).__name__}")
    with our_errors("reading a circuit of Qiskit"):
        return _Reader().circuit(native)


class _Place(NamedTuple):
    """Where an operation goes: its qubits and bits, and the controls that it is under."""

    qubits: tuple[int, ...]
    bits: tuple[int, ...] = ()
    controls: tuple[int, ...] = ()
    values: tuple[int, ...] = ()


class _Reader:
    """Collects the operations of one circuit."""

    def __init__(self) -> None:
        self._operations: list[Operation] = []
        self._phase = 0.0
        self._depth = 0
        # By identity of the definition, which is kept beside its body so that it stays alive.
        self._bodies: dict[int, tuple[QuantumCircuit, Circuit]] = {}

    def circuit(self, native: QuantumCircuit) -> Circuit:
        if native.num_parameters:
            names = ", ".join(sorted(p.name for p in native.parameters))
            raise UnsupportedError(
                f"the circuit has free parameters: {names}; bind them with assign_parameters"
            )
        if native.num_vars or native.num_stretches:
            raise UnsupportedError("classical variables are not supported; take them out")
        at = _Place(tuple(range(native.num_qubits)), tuple(range(native.num_clbits)))
        self._inline(native, at)
        return Circuit(
            neutral_registers(native), tuple(self._operations), native.num_clbits, self._phase
        )

    def _inline(self, native: QuantumCircuit, at: _Place) -> None:
        """Adds every operation of a circuit of Qiskit whose qubit i is ``at.qubits[i]``."""
        self._depth += 1
        self._turn(float(native.global_phase), at)
        qubits = dict(zip(native.qubits, at.qubits, strict=True))
        bits = dict(zip(native.clbits, at.bits, strict=True))
        for step in native.data:
            where = _Place(
                tuple([qubits[q] for q in step.qubits]),
                tuple([bits[c] for c in step.clbits]),
                at.controls,
                at.values,
            )
            if not (step.is_standard_gate() and self._standard(step, where)):
                self._general(step.operation, where)
        self._depth -= 1

    def _standard(self, step: CircuitInstruction, at: _Place) -> bool:
        """Adds a gate of Qiskit's library that is one of ours; False if it is not."""
        name, count = _PLAIN.get(step.name), 0
        if name is None:
            if step.name not in _CONTROLLED:
                return False
            name, count = _CONTROLLED[step.name]
        qubits, controls = at.qubits[count:], at.controls + at.qubits[:count]
        gate = Gate(name, tuple([float(p) for p in step.params]))
        self._operations.append(Apply(gate, qubits, controls, at.values + (1,) * count))
        return True

    def _apply(self, gate: Gate | Phases, at: _Place) -> None:
        self._operations.append(Apply(gate, at.qubits, at.controls, at.values))

    def _turn(self, angle: float, at: _Place) -> None:
        """A global phase, which under controls is a phase of their state."""
        if not at.controls:
            self._phase += angle
        elif angle:
            builder = CircuitBuilder(Register("q", len(at.controls)))
            builder.phase_on(angle, range(len(at.controls)), at.values)
            self._operations += [remap(op, at.controls) for op in builder.build().operations]

    def _general(self, op: Any, at: _Place) -> None:
        match op:
            case NativeBarrier():
                self._operations.append(Barrier(at.qubits))
            case NativeMeasure():
                self._operations.append(Measure(at.qubits[0], at.bits[0]))
            case NativeReset():
                self._operations.append(Reset(at.qubits[0]))
            case Delay() | library.IGate():
                pass
            case BoxOp():
                self._inline(op.blocks[0], at)
            case ControlFlowOp():
                raise UnsupportedError(
                    f"control flow ({op.name}) is not supported: a neutral circuit has no "
                    "classical control; unroll it or defer the measurements"
                )
            case library.GlobalPhaseGate():
                self._turn(float(op.params[0]), at)
            case library.U2Gate():
                self._apply(Gate("u", (math.pi / 2, *(float(p) for p in op.params))), at)
            case library.DiagonalGate():
                # Qiskit counts from the last qubit.
                self._apply(_phases(op), at._replace(qubits=at.qubits[::-1]))
            case ControlledGate() if op.num_qubits == op.num_ctrl_qubits + op.base_gate.num_qubits:
                self._controlled(op, at)
            case AnnotatedOperation():
                self._modified(op, at)
            case _:
                self._defined(op, at)

    def _controlled(self, op: ControlledGate, at: _Place) -> None:
        count = op.num_ctrl_qubits
        states = tuple(op.ctrl_state >> i & 1 for i in range(count))
        inner = _Place(at.qubits[count:], (), at.controls + at.qubits[:count], at.values + states)
        name = _BY_CLASS.get(op.base_gate.base_class)
        if name is None:
            self._general(op.base_gate, inner)
            return
        params = [float(p) for p in op.params]
        if name == "u" and len(params) == 4:
            # Qiskit's cu: the fourth angle is a phase that its base gate does not know of.
            self._turn(params.pop(), inner)
        self._apply(Gate(name, tuple(params)), inner)

    def _modified(self, op: AnnotatedOperation, at: _Place) -> None:
        body, qubits = _carried_out(op), at.qubits
        if at.controls:
            body = body.controlled(len(at.controls), at.values)
            qubits = at.controls + qubits
        self._phase += body.total_global_phase
        self._operations += [remap(step, qubits) for step in body.flat()]

    def _defined(self, op: Any, at: _Place) -> None:
        definition = getattr(op, "definition", None)
        if definition is None:
            definition = _synthesised(op)
        # Composites inside of Qiskit's own gates are no structure that anybody made.
        if not at.controls and self._depth == 1 and type(op) in (NativeGate, Instruction):
            body = self._body(definition)
            if body.is_unitary:
                self._add_box(Box(body, at.qubits, 1, _label(op)))
                return
        self._inline(definition, at)

    def _body(self, definition: QuantumCircuit) -> Circuit:
        key = id(definition)
        if key not in self._bodies:
            self._bodies[key] = (definition, _Reader().circuit(definition))
        return self._bodies[key][1]

    def _add_box(self, box: Box) -> None:
        last = self._operations[-1] if self._operations else None
        if (
            isinstance(last, Box)
            and last.circuit is box.circuit
            and (last.qubits, last.label) == (box.qubits, box.label)
        ):
            self._operations[-1] = replace(last, repetitions=last.repetitions + 1)
        else:
            self._operations.append(box)


def _label(op: Instruction) -> str:
    """The label, or the name unless Qiskit or our own conversion made it up."""
    if op.label is not None:
        return str(op.label)
    return "" if re.fullmatch(r"circuit-[\d-]+|block(_\d+)?", op.name) else str(op.name)


def _phases(op: library.DiagonalGate) -> Phases:
    angles = np.angle(np.asarray(op.params, dtype=np.complex128))
    turning = np.flatnonzero(angles)
    if 2 * len(turning) < len(angles):
        return Phases(op.num_qubits, angles[turning], turning)
    return Phases(op.num_qubits, angles)


def _carried_out(op: AnnotatedOperation) -> Circuit:
    """The operation with its modifiers carried out, controls in front of the base's qubits."""
    base = QuantumCircuit(op.base_op.num_qubits)
    base.append(op.base_op, base.qubits)
    body = _Reader().circuit(base)
    for modifier in op.modifiers:
        match modifier:
            case InverseModifier():
                body = body.inverse()
            case ControlModifier():
                state = modifier.ctrl_state
                count = modifier.num_ctrl_qubits
                body = body.controlled(count, [state >> i & 1 for i in range(count)])
            case PowerModifier() if modifier.power == int(modifier.power):
                body = body.power(int(modifier.power))
            case _:
                raise UnsupportedError(
                    f"the modifier {modifier} of {op.base_op.name} is not supported: "
                    "whole powers, inverses and controls are"
                )
    return body


def _synthesised(op: Any) -> QuantumCircuit:
    """What Qiskit's synthesis makes of an operation without a definition."""
    name = getattr(op, "name", type(op).__name__)
    whole = QuantumCircuit(op.num_qubits, op.num_clbits)
    whole.append(op, whole.qubits, whole.clbits)
    made: QuantumCircuit = PassManager([HighLevelSynthesis()]).run(whole)
    if any(step.name == name for step in made.data):
        raise UnsupportedError(
            f"the instruction {name!r} has no definition, so what it does is unknown"
        )
    return made
