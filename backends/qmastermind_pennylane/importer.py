"""``qml.tape.QuantumScript`` to neutral circuit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pennylane as qml
from pennylane.ops.op_math import Adjoint, Controlled, Pow

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Barrier, Circuit, Measure, Phases, Register, remap
from qmastermind.errors import CircuitError, UnsupportedError
from qmastermind.gates import Gate
from qmastermind.plugin import framework_errors
from qmastermind.simulator import statevector
from qmastermind.synthesis.one_qubit import synthesise_one_qubit
from qmastermind_pennylane.exporter import identifier

_MAX_MATRIX_WIRES = 8  # up to here a matrix is used where a decomposition is missing or inexact


def from_pennylane(script: qml.tape.QuantumScript, wires: Sequence[Any] | None = None) -> Circuit:
    """Reads a script or tape of PennyLane.

    Operations that the neutral circuit does not have are decomposed by PennyLane; a phase that
    the decomposition of one with a matrix loses is put right on at most 8 wires.

    Mid-circuit measurements become bits: those whose values are measured at the end get the
    place that they have there, the others follow in time order. ``counts``, ``sample`` and
    ``probs`` over wires become measurements at the end; ``state`` is left out.

    Args:
        script: With numbers for parameters, without classical control or post-selection.
        wires: The wires in order. Default: 0 up to the highest one if all are whole numbers,
            otherwise in the order in which they occur.

    Returns:
        A circuit with one register ``q``.

    Raises:
        CircuitError: For parameters that are no numbers, batches, or wires not in ``wires``.
        UnsupportedError: For an operation or measurement that the neutral circuit cannot hold.
    """
    with framework_errors("PennyLane"):
        return _read_script(script, wires)


def _read_script(script: qml.tape.QuantumScript, wires: Sequence[Any] | None) -> Circuit:
    order = _order(script) if wires is None else list(wires)
    index = {wire: i for i, wire in enumerate(order)}
    missing = [wire for wire in script.wires if wire not in index]
    if missing:
        raise CircuitError(f"wires of the script are not in the order given: {missing}")
    if script.batch_size is not None:
        raise CircuitError("a script with batches of parameters is no single circuit")
    builder = _read(script.operations, order, _bits_of_values(script))
    for process in script.measurements:
        if isinstance(process, qml.measurements.StateMP) or process.mv is not None:
            continue
        measured = [index[w] for w in process.wires or order]
        builder.measure(measured)
    return builder.build()


def read_operations(
    operations: Iterable[Any], wires: Sequence[Any], bits: Mapping[str, int]
) -> Circuit:
    """Reads operations on ``wires``; ``bits`` has the bit of each measurement's identifier."""
    return _read(operations, wires, bits).build()


def _read(
    operations: Iterable[Any], wires: Sequence[Any], bits: Mapping[str, int]
) -> CircuitBuilder:
    builder = CircuitBuilder(*([Register("q", len(wires))] if wires else []))
    importer = _Importer(builder, {wire: i for i, wire in enumerate(wires)}, bits)
    with qml.QueuingManager.stop_recording():
        for op in operations:
            importer.operation(op, (), ())
    return builder


def _order(script: qml.tape.QuantumScript) -> list[Any]:
    found: list[Any] = script.wires.tolist()
    if found and all(isinstance(w, int) and w >= 0 for w in found):
        return list(range(max(found) + 1))
    return found


_READ_MEASUREMENTS = (
    qml.measurements.CountsMP,
    qml.measurements.SampleMP,
    qml.measurements.ProbabilityMP,
    qml.measurements.StateMP,
)


def _bits_of_values(script: qml.tape.QuantumScript) -> dict[str, int]:
    """The classical bit of each mid-circuit measurement, by its identifier."""
    bits: dict[str, int] = {}
    for process in script.measurements:
        if not isinstance(process, _READ_MEASUREMENTS) or process.obs is not None:
            raise UnsupportedError(
                f"{process} is no measurement of bits; counts, sample and probs over wires are"
            )
        if process.mv is None:
            continue
        values = process.mv if isinstance(process.mv, list | tuple) else [process.mv]
        for value in values:
            if len(value.measurements) != 1:
                raise UnsupportedError(f"arithmetic on measured values is not supported: {value}")
            bits.setdefault(identifier(value.measurements[0]), len(bits))
    for op in script.operations:
        if isinstance(op, qml.measurements.MidMeasureMP) and not op.reset:
            bits.setdefault(identifier(op), len(bits))
    return bits


class _Importer:
    """Adds operations to a builder, each under controls that are already numbered."""

    def __init__(
        self, builder: CircuitBuilder, index: Mapping[Any, int], bits: Mapping[str, int]
    ) -> None:
        self.builder = builder
        self.index = index
        self.bits = bits

    def operation(self, op: Any, controls: tuple[int, ...], values: tuple[int, ...]) -> None:
        qubits = tuple(self.index[w] for w in op.wires)
        if op.name in _NOTHING:
            return
        if isinstance(op, qml.Barrier):
            if not op.hyperparameters["only_visual"]:
                self.builder.add(Barrier(qubits))
        elif isinstance(op, qml.measurements.MidMeasureMP):
            self._measure(op, qubits[0])
        elif isinstance(op, qml.ops.op_math.Conditional):
            raise UnsupportedError(f"classical control is not supported: {op}")
        elif isinstance(op, qml.GlobalPhase):
            self._phase(-_number(op.parameters[0], op), controls, values)
        elif isinstance(op, Controlled):
            more = tuple(self.index[w] for w in op.control_wires)
            states = tuple(int(v) for v in op.control_values)
            self.operation(op.base, controls + more, values + states)
        elif isinstance(op, qml.DiagonalQubitUnitary):
            table = np.angle(np.asarray(op.parameters[0]))
            self.builder.diagonal(Phases(len(qubits), table), qubits, controls, values)
        elif isinstance(op, Pow) and float(op.z).is_integer():
            base = op.base if op.z >= 0 else qml.adjoint(op.base)
            for _ in range(abs(int(op.z))):
                self.operation(base, controls, values)
        elif not self._gate(op, qubits, controls, values):
            if isinstance(op, Adjoint) and not op.has_matrix:
                self._inverse(op.base, controls, values)
            else:
                self._decompose(op, controls, values)

    def _measure(self, op: Any, qubit: int) -> None:
        if op.postselect is not None:
            raise UnsupportedError("post-selection is not supported")
        bit = self.bits.get(identifier(op))
        if bit is None and not op.reset:
            raise UnsupportedError(f"a measurement inside another operation is not supported: {op}")
        if bit is not None:
            self.builder.add(Measure(qubit, bit))
        if op.reset:
            self.builder.reset(qubit)

    def _gate(
        self, op: Any, qubits: tuple[int, ...], controls: tuple[int, ...], values: tuple[int, ...]
    ) -> bool:
        """Adds an operation that is one of our gates, and says whether it did."""
        name = op.base.name if isinstance(op, Adjoint) else op.name
        if name in _GATES:
            base = op.base if isinstance(op, Adjoint) else op
            gate = Gate(_GATES[name], tuple(_number(p, op) for p in base.parameters))
            chosen = gate.inverse() if isinstance(op, Adjoint) else gate
            self.builder.gate(chosen, qubits, controls, values)
            return True
        if len(qubits) != 1 or not op.has_matrix:
            return False
        gates, phase = synthesise_one_qubit(_matrix(op), ("u",))
        for gate in gates:
            self.builder.gate(gate, qubits, controls, values)
        self._phase(phase, controls, values)
        return True

    def _phase(self, angle: float, controls: tuple[int, ...], values: tuple[int, ...]) -> None:
        angle = math.remainder(angle, 2 * math.pi)
        if abs(angle) < 1e-15:
            return
        if controls:
            self.builder.phase_on(angle, controls, values)
        else:
            self.builder.global_phase += angle

    def _decompose(self, op: Any, controls: tuple[int, ...], values: tuple[int, ...]) -> None:
        narrow = op.has_matrix and len(op.wires) <= _MAX_MATRIX_WIRES
        if op.has_decomposition:
            body = self._body(op.decomposition(), op.wires)
        elif narrow:
            parts = qml.QubitUnitary(_matrix(op), wires=op.wires).decomposition()
            body = self._body(parts, op.wires)
        else:
            raise UnsupportedError(f"PennyLane cannot decompose {op.name}")
        self._insert(body, op.wires, controls, values)
        if narrow:
            was = _matrix(op)[:, 0]
            self._phase(float(np.angle(np.vdot(statevector(body), was))), controls, values)

    def _inverse(self, op: Any, controls: tuple[int, ...], values: tuple[int, ...]) -> None:
        self._insert(self._body([op], op.wires).inverse(), op.wires, controls, values)

    def _body(self, operations: Sequence[Any], wires: Any) -> Circuit:
        """Operations as a circuit of their own over ``wires``."""
        return read_operations(operations, wires, {})

    def _insert(
        self, body: Circuit, wires: Any, controls: tuple[int, ...], values: tuple[int, ...]
    ) -> None:
        qubits = [self.index[w] for w in wires]
        for op in body.operations:
            if isinstance(op, Apply):
                targets = [qubits[q] for q in op.targets]
                inner = tuple(qubits[q] for q in op.controls)
                self.builder.gate(op.gate, targets, controls + inner, values + op.values)
            elif isinstance(op, Barrier) or not controls:
                self.builder.add(remap(op, qubits))
            else:
                raise UnsupportedError("a reset under control is not supported")
        self._phase(body.global_phase, controls, values)


def _number(value: Any, op: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise CircuitError(f"{op.name} has a parameter that is no number: {value}") from error


def _matrix(op: Any) -> Any:
    return np.asarray(qml.matrix(op, wire_order=op.wires), dtype=np.complex128)


_NOTHING = {"Identity", "Snapshot", "WireCut"}
_GATES = {
    "PauliX": "x",
    "PauliY": "y",
    "PauliZ": "z",
    "Hadamard": "h",
    "S": "s",
    "T": "t",
    "SX": "sx",
    "RX": "rx",
    "RY": "ry",
    "RZ": "rz",
    "PhaseShift": "p",
    "U1": "p",
    "U3": "u",
    "IsingZZ": "rzz",
    "ECR": "ecr",
    "SWAP": "swap",
}
