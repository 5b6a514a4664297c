"""From a QuantumCircuit to the neutral circuit. Imports Qiskit."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

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

from qmastermind.circuit import (
    Apply,
    Barrier,
    Box,
    Circuit,
    CircuitBuilder,
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
        self._inline(native, range(native.num_qubits), range(native.num_clbits), (), ())
        return Circuit(
            neutral_registers(native), tuple(self._operations), native.num_clbits, self._phase
        )

    def _inline(
        self,
        native: QuantumCircuit,
        qubits: Sequence[int],
        bits: Sequence[int],
        controls: tuple[int, ...],
        values: tuple[int, ...],
    ) -> None:
        """Adds a circuit of Qiskit whose qubit i is ``qubits[i]``, all of it under controls."""
        self._depth += 1
        self._turn(float(native.global_phase), controls, values)
        place = dict(zip(native.qubits, qubits, strict=True))
        bit_place = dict(zip(native.clbits, bits, strict=True))
        for step in native.data:
            where = tuple([place[q] for q in step.qubits])
            if step.is_standard_gate() and self._standard(step, where, controls, values):
                continue
            self._general(
                step.operation, where, [bit_place[c] for c in step.clbits], controls, values
            )
        self._depth -= 1

    def _standard(
        self,
        step: CircuitInstruction,
        qubits: tuple[int, ...],
        controls: tuple[int, ...],
        values: tuple[int, ...],
    ) -> bool:
        """Adds a gate of Qiskit's library that is one of ours; False if it is not."""
        name, count = _PLAIN.get(step.name), 0
        if name is None:
            if step.name not in _CONTROLLED:
                return False
            name, count = _CONTROLLED[step.name]
        params = tuple([float(p) for p in step.params])
        self._operations.append(
            Apply(
                Gate(name, params),
                qubits[count:],
                controls + qubits[:count],
                values + (1,) * count,
            )
        )
        return True

    def _turn(self, angle: float, controls: tuple[int, ...], values: tuple[int, ...]) -> None:
        """A global phase, which under controls is a phase of their state."""
        if not controls:
            self._phase += angle
        elif angle:
            builder = CircuitBuilder(Register("q", len(controls)))
            builder.phase_on(angle, range(len(controls)), values)
            self._operations += [remap(op, controls) for op in builder.build().operations]

    def _general(
        self,
        op: Any,
        qubits: tuple[int, ...],
        bits: Sequence[int],
        controls: tuple[int, ...],
        values: tuple[int, ...],
    ) -> None:
        match op:
            case NativeBarrier():
                self._operations.append(Barrier(qubits))
            case NativeMeasure():
                self._operations.append(Measure(qubits[0], bits[0]))
            case NativeReset():
                self._operations.append(Reset(qubits[0]))
            case Delay() | library.IGate():
                pass
            case BoxOp():
                self._inline(op.blocks[0], qubits, bits, controls, values)
            case ControlFlowOp():
                raise UnsupportedError(
                    f"control flow ({op.name}) is not supported: a neutral circuit has no "
                    "classical control; unroll it or defer the measurements"
                )
            case library.GlobalPhaseGate():
                self._turn(float(op.params[0]), controls, values)
            case library.U2Gate():
                gate = Gate("u", (math.pi / 2, float(op.params[0]), float(op.params[1])))
                self._operations.append(Apply(gate, qubits, controls, values))
            case library.DiagonalGate():
                # Qiskit counts from the last qubit.
                phases = _phases(np.asarray(op.params, dtype=np.complex128), op.num_qubits)
                self._operations.append(Apply(phases, qubits[::-1], controls, values))
            case ControlledGate() if op.num_qubits == op.num_ctrl_qubits + op.base_gate.num_qubits:
                self._controlled(op, qubits, controls, values)
            case AnnotatedOperation():
                body = _modified(op)
                self._circuit(body, qubits, controls, values)
            case _:
                self._defined(op, qubits, bits, controls, values)

    def _controlled(
        self,
        op: ControlledGate,
        qubits: tuple[int, ...],
        controls: tuple[int, ...],
        values: tuple[int, ...],
    ) -> None:
        count = op.num_ctrl_qubits
        controls += qubits[:count]
        values += tuple(op.ctrl_state >> i & 1 for i in range(count))
        base, targets = op.base_gate, qubits[count:]
        if isinstance(op, library.CUGate):
            # Its fourth angle is a phase of the controlled gate, not of the base gate.
            self._turn(float(op.params[3]), controls, values)
        ours = _ours(base)
        if ours is not None:
            self._operations.append(Apply(ours, targets, controls, values))
        else:
            self._general(base, targets, (), controls, values)

    def _circuit(
        self,
        body: Circuit,
        qubits: tuple[int, ...],
        controls: tuple[int, ...],
        values: tuple[int, ...],
    ) -> None:
        if controls:
            body = body.controlled(len(controls), values)
            qubits = controls + qubits
        self._phase += body.total_global_phase
        self._operations += [remap(op, qubits) for op in body.flat()]

    def _defined(
        self,
        op: Any,
        qubits: tuple[int, ...],
        bits: Sequence[int],
        controls: tuple[int, ...],
        values: tuple[int, ...],
    ) -> None:
        definition = getattr(op, "definition", None)
        if definition is None:
            definition = _synthesised(op)
        # Composites inside of Qiskit's own gates are no structure that anybody made.
        if not controls and self._depth == 1 and type(op) in (NativeGate, Instruction):
            body = self._body(definition)
            if body.is_unitary:
                self._add_box(Box(body, qubits, 1, _label(op)))
                return
        self._inline(definition, qubits, bits, controls, values)

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
    return "" if re.fullmatch(r"circuit-[\d-]+|box(_\d+)?", op.name) else str(op.name)


def _ours(gate: NativeGate) -> Gate | None:
    """The gate of ours that a gate without controls is."""
    name = _BY_CLASS.get(gate.base_class)
    return None if name is None else Gate(name, tuple(float(p) for p in gate.params))


def _phases(diagonal: np.ndarray[Any, np.dtype[np.complex128]], num_qubits: int) -> Phases:
    angles = np.angle(diagonal)
    turning = np.flatnonzero(angles)
    if 2 * len(turning) < len(angles):
        return Phases(num_qubits, angles[turning], turning)
    return Phases(num_qubits, angles)


def _modified(op: AnnotatedOperation) -> Circuit:
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
