"""Neutral circuit to ``cirq.Circuit``."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from functools import lru_cache

import cirq

from qmastermind.circuit import Apply, Barrier, Box, Circuit, Measure, Phases, Reset
from qmastermind.gates import Gate
from qmastermind.plugin import framework_errors, multi_controlled_form

BARRIER_TAG = "qmastermind.barrier"
"""Tag of the identity that stands for a barrier; a compiler must be told to ignore it."""


def to_cirq(circuit: Circuit) -> cirq.Circuit:
    """Writes a circuit for Cirq.

    Qubit i becomes ``LineQubit(i)``; Cirq forgets qubits without operations, so give
    ``qubit_order=cirq.LineQubit.range(circuit.num_qubits)`` where an order is asked for. Bit b
    becomes the measurement key ``c<b>``. Gates under controls become Cirq's own controlled gates
    with their control values, a barrier becomes an identity tagged :data:`BARRIER_TAG`, a dense
    diagonal a ``DiagonalGate``. The global phase is kept.

    Args:
        circuit: Any circuit.

    Returns:
        The circuit, boxes opened; of one repeated box, each operation exists once.
    """
    phase = circuit.total_global_phase
    with framework_errors("Cirq"):
        operations = operations_for(circuit, cirq.LineQubit.range(circuit.num_qubits))
        if phase:
            operations = [*operations, cirq.global_phase_operation(cmath.exp(1j * phase))]
        return cirq.Circuit(operations)


def operations_for(circuit: Circuit, qubits: Sequence[cirq.Qid]) -> list[cirq.Operation]:
    """The operations of :func:`to_cirq` on chosen qubits, without the global phase."""
    return _Exporter().operations(circuit, qubits)


class _Exporter:
    def __init__(self) -> None:
        self._boxes: dict[tuple[int, tuple[cirq.Qid, ...]], list[cirq.Operation]] = {}

    def operations(self, circuit: Circuit, qubits: Sequence[cirq.Qid]) -> list[cirq.Operation]:
        result: list[cirq.Operation] = []
        for op in circuit.operations:
            chosen = [qubits[q] for q in op.qubits]
            match op:
                case Apply():
                    result += [
                        _gate(part.gate, part.values).on(*(qubits[q] for q in part.qubits))
                        for part in multi_controlled_form(op)
                    ]
                case Barrier():
                    fence = cirq.IdentityGate(len(chosen)).on(*chosen)
                    result.append(fence.with_tags(BARRIER_TAG))
                case Measure():
                    result.append(cirq.MeasurementGate(1, key=f"c{op.bit}").on(*chosen))
                case Reset():
                    result.append(cirq.ResetChannel().on(*chosen))
                case Box():
                    result += self._box(op.circuit, tuple(chosen)) * op.repetitions
        return result

    def _box(self, body: Circuit, qubits: tuple[cirq.Qid, ...]) -> list[cirq.Operation]:
        key = (id(body), qubits)
        if key not in self._boxes:
            self._boxes[key] = self.operations(body, qubits)
        return self._boxes[key]


@lru_cache(maxsize=4096)
def _gate(gate: Gate | Phases, values: tuple[int, ...]) -> cirq.Gate:
    base = _diagonal(gate) if isinstance(gate, Phases) else _plain(gate)
    return base.controlled(len(values), control_values=values) if values else base


def _diagonal(phases: Phases) -> cirq.Gate:
    return cirq.DiagonalGate(phases.table().tolist())


def _plain(gate: Gate) -> cirq.Gate:
    if gate.name in _FIXED:
        return _FIXED[gate.name]
    match gate.name, gate.params:
        case "rx", (t,):
            return cirq.rx(t)
        case "ry", (t,):
            return cirq.ry(t)
        case "rz", (t,):
            return cirq.rz(t)
        case "p", (t,):
            return cirq.ZPowGate(exponent=t / math.pi)
        case "rzz", (t,):
            return cirq.ZZPowGate(exponent=t / math.pi, global_shift=-0.5)
    # u and ecr: Cirq's own forms differ by a phase, which matters under a control
    return cirq.MatrixGate(gate.matrix(), name=str(gate))


_FIXED = {
    "x": cirq.X,
    "y": cirq.Y,
    "z": cirq.Z,
    "h": cirq.H,
    "s": cirq.S,
    "sdg": cirq.S**-1,
    "t": cirq.T,
    "tdg": cirq.T**-1,
    "sx": cirq.X**0.5,
    "sxdg": cirq.X**-0.5,
    "swap": cirq.SWAP,
}
