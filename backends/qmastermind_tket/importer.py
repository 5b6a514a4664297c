"""``pytket.Circuit`` to neutral circuit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytket
from pytket.circuit import DiagonalBox, Op, OpType, QControlBox, Qubit
from pytket.passes import AutoRebase

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Measure, Phases, Register
from qmastermind.errors import CircuitError, UnsupportedError
from qmastermind.gates import Gate
from qmastermind.plugin import framework_errors
from qmastermind.synthesis.one_qubit import synthesise_one_qubit
from qmastermind_tket.gates import CONTROLLED, MULTI_CONTROLLED, OTHER_CONTROLLED, PLAIN

_NAMES = {kind: name for name, kind in PLAIN.items()}
_OWN_CONTROLS = {kind: (PLAIN[name], n) for (name, n), kind in CONTROLLED.items()}
_OWN_CONTROLS |= {kind: (inner, 1) for kind, inner in OTHER_CONTROLLED.items()}
_MANY_CONTROLS = {kind: PLAIN[name] for name, kind in MULTI_CONTROLLED.items()}


def from_tket(circuit: pytket.Circuit, qubits: Sequence[Qubit] | None = None) -> Circuit:
    """Reads a circuit of tket, with its global phase.

    Boxes are opened, and other gates that the neutral circuit does not have are rebased by tket
    to TK1 and CX. An implicit permutation of the qubits becomes swaps at the end.

    Args:
        circuit: Without symbols and classical control.
        qubits: The qubits in order. Default: ``circuit.qubits``, which tket sorts by name.

    Returns:
        A circuit with one register ``q``; classical bits in the order of ``circuit.bits``.

    Raises:
        CircuitError: For symbols, or qubits that are not in ``qubits``.
        UnsupportedError: For classical control and other operations that are neither unitary,
            measurement nor reset.
    """
    with framework_errors("tket"):
        return _read(circuit, qubits)


def _read(circuit: pytket.Circuit, qubits: Sequence[Qubit] | None) -> Circuit:
    if circuit.is_symbolic():
        names = ", ".join(sorted(map(str, circuit.free_symbols())))
        raise CircuitError(f"the circuit has unresolved symbols ({names}); substitute them first")
    order = list(circuit.qubits if qubits is None else qubits)
    missing = [str(q) for q in circuit.qubits if q not in set(order)]
    if missing:
        raise CircuitError(f"qubits of the circuit are not in the order given: {missing}")
    builder = CircuitBuilder(*([Register("q", len(order))] if order else []))
    bits = {bit: i for i, bit in enumerate(circuit.bits)}
    _Importer(builder, bits).circuit(circuit, order, range(len(order)), (), ())
    built = builder.build()
    return Circuit(built.registers, built.operations, len(bits), built.global_phase)


class _Importer:
    """Adds operations to a builder, each under controls that are already numbered."""

    def __init__(self, builder: CircuitBuilder, bits: dict[Any, int]) -> None:
        self.builder = builder
        self.bits = bits

    def circuit(
        self,
        circuit: pytket.Circuit,
        order: Sequence[Qubit],
        place: Sequence[int],
        controls: tuple[int, ...],
        values: tuple[int, ...],
    ) -> None:
        """Adds a circuit whose qubit ``order[i]`` is ``place[i]``."""
        if circuit.has_implicit_wireswaps:
            circuit = circuit.copy()
            circuit.replace_implicit_wire_swaps()
        index = dict(zip(order, place, strict=True))
        for command in circuit.get_commands():
            qubits = tuple(index[q] for q in command.qubits)
            if command.op.type == OpType.Measure:
                self.builder.add(Measure(qubits[0], self.bits[command.bits[0]]))
            elif command.op.type == OpType.Barrier:
                if qubits:
                    self.builder.barrier(qubits)
            elif command.bits or command.op.type == OpType.Conditional:
                raise UnsupportedError(f"classical control is not supported: {command}")
            else:
                self.operation(command.op, qubits, controls, values)
        self._phase(float(circuit.phase) * math.pi, controls, values)

    def operation(
        self, op: Op, qubits: tuple[int, ...], controls: tuple[int, ...], values: tuple[int, ...]
    ) -> None:
        """Adds a unitary operation, or a reset."""
        kind = op.type
        if kind in _NAMES:
            gate = Gate(_NAMES[kind], tuple(float(p) * math.pi for p in op.params))
            self.builder.gate(gate, qubits, controls, values)
        elif kind in _OWN_CONTROLS or kind in _MANY_CONTROLS:
            inner, n = _OWN_CONTROLS.get(kind) or (_MANY_CONTROLS[kind], len(qubits) - 1)
            more = controls + qubits[:n], values + (1,) * n
            self.operation(Op.create(inner, op.params), qubits[n:], *more)
        elif isinstance(op, QControlBox):
            n = op.get_n_controls()
            states = tuple(int(v) for v in op.get_control_state_bits())
            self.operation(op.get_op(), qubits[n:], controls + qubits[:n], values + states)
        elif isinstance(op, DiagonalBox):
            table = np.angle(op.get_diagonal())
            self.builder.diagonal(Phases(len(qubits), table), qubits, controls, values)
        elif kind == OpType.Phase:
            self._phase(float(op.params[0]) * math.pi, controls, values)
        elif kind == OpType.Reset:
            self.builder.reset(qubits[0])
        elif kind == OpType.noop:
            return
        elif hasattr(op, "get_circuit"):
            body = op.get_circuit()
            self.circuit(body, body.qubits, qubits, controls, values)
        elif op.is_gate():
            self._other_gate(op, qubits, controls, values)
        else:
            raise UnsupportedError(f"{op} is neither unitary, measurement nor reset")

    def _other_gate(
        self, op: Op, qubits: tuple[int, ...], controls: tuple[int, ...], values: tuple[int, ...]
    ) -> None:
        if len(qubits) > 1:
            body = pytket.Circuit(len(qubits))
            body.add_gate(op, list(range(len(qubits))))
            AutoRebase({OpType.CX, OpType.TK1}).apply(body)
            self.circuit(body, body.qubits, qubits, controls, values)
            return
        try:
            matrix = op.get_unitary()
        except RuntimeError as error:  # Collapse counts as a gate
            raise UnsupportedError(f"{op} is neither unitary, measurement nor reset") from error
        gates, phase = synthesise_one_qubit(matrix, ("u",))
        for gate in gates:
            self.builder.gate(gate, qubits, controls, values)
        self._phase(phase, controls, values)

    def _phase(self, angle: float, controls: tuple[int, ...], values: tuple[int, ...]) -> None:
        angle = math.remainder(angle, 2 * math.pi)
        if abs(angle) < 1e-15:
            return
        if controls:
            self.builder.phase_on(angle, controls, values)
        else:
            self.builder.global_phase += angle
