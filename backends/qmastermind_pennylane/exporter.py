"""Neutral circuit to ``qml.tape.QuantumScript``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pennylane as qml

from qmastermind.circuit import Apply, Barrier, Box, Circuit, Measure, Phases, Reset
from qmastermind.gates import Gate
from qmastermind.plugin import framework_errors, multi_controlled_form


def to_pennylane(circuit: Circuit) -> qml.tape.QuantumScript:
    """Writes a circuit for PennyLane.

    Qubit i becomes wire i; give a device the wires ``range(circuit.num_qubits)``, or PennyLane
    orders them as they occur. A Z under controls becomes ``MultiControlledX`` between two
    ``Hadamard`` (which its simulators apply many times faster than ``ctrl(PauliZ)``), other
    gates under controls ``qml.ctrl`` with their control values, a dense diagonal a
    ``DiagonalQubitUnitary``. The global phase is kept, as a ``GlobalPhase``.

    Final measurements become one ``qml.counts`` over the measured wires in the order of their
    bits; if there are others, or a bit is not written, every measurement becomes one in
    mid-circuit, and the counts are over their values, last writers only, in the order of the
    bits. A reset is a mid-circuit measurement with ``reset=True``.

    Args:
        circuit: Any circuit.

    Returns:
        The script, boxes opened, without shots.
    """
    exporter = Exporter()
    measured: dict[int, int] = {}
    if circuit.has_final_measurements_only():
        measured = circuit.final_measurements()
    processes: list[Any] = []
    with framework_errors("PennyLane"), qml.QueuingManager.stop_recording():
        if measured and sorted(measured) == list(range(circuit.num_bits)):
            wires = [measured[bit] for bit in range(circuit.num_bits)]
            operations = exporter.operations(circuit.without_measurements())
            processes.append(qml.counts(wires=wires))
        else:
            operations = exporter.operations(circuit)
            processes = exporter.processes()
        if circuit.total_global_phase:
            operations = [*operations, qml.GlobalPhase(-circuit.total_global_phase)]
    return qml.tape.QuantumScript(operations, processes)


_BORROW_X, _BORROW_Z = 4, 5  # numbers of controls from which borrowed wires save gates


class Exporter:
    """Writes operations, and remembers the measurements among them.

    Args:
        compiling: Writes a Z under controls as ``qml.ctrl(PauliZ)``, which PennyLane decomposes
            into fewer gates than ``MultiControlledX`` if it has no work wires.
        clean: Wires in |0> that nothing else acts on, for multi-controlled gates to work on.
        lenders: Wires that multi-controlled gates may borrow, in whatever state those are, where
            there are no clean ones.

    Attributes:
        values: The value that each classical bit was given last.
        bits: The bit of each measurement, by its identifier.
        borrowed: Whether a wire was borrowed.
        worked: Whether a clean wire was used.
    """

    def __init__(
        self,
        *,
        compiling: bool = False,
        clean: Sequence[int] = (),
        lenders: Sequence[int] = (),
    ) -> None:
        self.values: dict[int, Any] = {}
        self.bits: dict[str, int] = {}
        self.borrowed = self.worked = False
        self._compiling = compiling
        self._clean = tuple(clean)
        self._lenders = tuple(lenders)
        self._boxes: dict[tuple[int, tuple[int, ...]], list[Any]] = {}

    def operations(self, circuit: Circuit, wires: Sequence[int] | None = None) -> list[Any]:
        """The operations of a circuit, qubit i on ``wires[i]``, without the global phase."""
        place = range(circuit.num_qubits) if wires is None else wires
        result: list[Any] = []
        for op in circuit.operations:
            chosen = [place[q] for q in op.qubits]
            match op:
                case Apply():
                    for part in multi_controlled_form(op):
                        result += self._apply(part, [place[q] for q in part.qubits])
                case Barrier():
                    result.append(qml.Barrier(wires=chosen))
                case Measure():
                    value = _measure(chosen[0], reset=False)
                    self.values[op.bit] = value
                    self.bits[identifier(value.measurements[0])] = op.bit
                    result += value.measurements
                case Reset():
                    result += _measure(chosen[0], reset=True).measurements
                case Box():
                    result += self._box(op.circuit, tuple(chosen)) * op.repetitions
        return result

    def processes(self) -> list[Any]:
        """Counts over the values of all bits that were written, in their order."""
        values = [self.values[bit] for bit in sorted(self.values)]
        return [qml.counts(values)] if values else []

    def _box(self, body: Circuit, wires: tuple[int, ...]) -> list[Any]:
        key = (id(body), wires)
        if key not in self._boxes:
            self._boxes[key] = self.operations(body, wires)
        return self._boxes[key]

    def _apply(self, op: Apply, wires: list[int]) -> list[Any]:
        n = len(op.controls)
        controls, targets = wires[:n], wires[n:]
        if isinstance(op.gate, Phases):
            return [qml.DiagonalQubitUnitary(np.exp(1j * op.gate.table()), wires=targets)]
        name = op.gate.name
        if not n:
            return [_plain(op.gate, targets)]
        values = [bool(v) for v in op.values]
        if name == "z" or (name == "p" and op.gate.params == (math.pi,)):
            if n == 1 and all(values):
                return [qml.CZ(wires)]
            if self._compiling and not (n >= _BORROW_Z and self._work(wires)):
                z = qml.PauliZ(targets[0])
                return [qml.ctrl(z, control=controls, control_values=values)]
            flip = qml.Hadamard(targets[0])
            return [flip, self._multi_controlled_x(wires, values), flip]
        if name == "x":
            return [self._multi_controlled_x(wires, values)]
        return [qml.ctrl(_plain(op.gate, targets), control=controls, control_values=values)]

    def _multi_controlled_x(self, wires: list[int], values: list[bool]) -> Any:
        if len(wires) <= 3 and all(values):
            return (qml.CNOT if len(wires) == 2 else qml.Toffoli)(wires)
        work = self._work(wires) if len(values) >= _BORROW_X else ()
        self.worked = self.worked or bool(work and self._clean)
        self.borrowed = self.borrowed or bool(work and not self._clean)
        return qml.MultiControlledX(
            wires,
            control_values=values,
            work_wires=work,
            work_wire_type="zeroed" if self._clean else "borrowed",
        )

    def _work(self, wires: list[int]) -> tuple[int, ...]:
        """Wires for a gate on ``wires`` to work on, two fewer than it has controls."""
        lent = self._clean or self._lenders
        return tuple(w for w in lent if w not in wires)[: max(0, len(wires) - 3)]


def identifier(measurement: Any) -> str:
    """What tells a mid-circuit measurement from all others, also after its wires were mapped."""
    found: str | None = getattr(measurement, "meas_uid", None)
    return measurement.id if found is None else found  # the name before PennyLane 0.44


def _measure(wire: int, *, reset: bool) -> Any:
    with qml.queuing.AnnotatedQueue():
        return qml.measure(wire, reset=reset)


def _plain(gate: Gate, wires: list[int]) -> Any:
    if gate.name in _INVERSES:
        return qml.adjoint(_INVERSES[gate.name](wires))
    return _KINDS[gate.name](*gate.params, wires=wires)


_KINDS = {
    "x": qml.PauliX,
    "y": qml.PauliY,
    "z": qml.PauliZ,
    "h": qml.Hadamard,
    "s": qml.S,
    "t": qml.T,
    "sx": qml.SX,
    "rx": qml.RX,
    "ry": qml.RY,
    "rz": qml.RZ,
    "p": qml.PhaseShift,
    "u": qml.U3,
    "rzz": qml.IsingZZ,
    "ecr": qml.ECR,
    "swap": qml.SWAP,
}
_INVERSES = {"sdg": qml.S, "tdg": qml.T, "sxdg": qml.SX}
