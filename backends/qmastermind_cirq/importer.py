"""``cirq.Circuit`` to neutral circuit."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import cirq
import numpy as np

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Barrier, Circuit, Measure, Phases, Register
from qmastermind.errors import CircuitError, UnsupportedError
from qmastermind.plugin import framework_errors
from qmastermind_cirq.exporter import BARRIER_TAG
from qmastermind_cirq.gates import diagonal_angles, neutral_gate, parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAX_PHASE_QUBITS = 16  # up to here the phase that a decomposition loses is found from a state


def from_cirq(circuit: cirq.AbstractCircuit, qubits: Sequence[cirq.Qid] | None = None) -> Circuit:
    """Reads a circuit of Cirq.

    Gates that the neutral circuit does not have are decomposed by Cirq, up to the phase, which
    is put right for gates on at most 16 qubits. Measurement keys of the form ``c<b>`` become bit
    b if all are of that form; other keys become bits in the order in which they first occur. A
    key that is measured again overwrites its bits.

    Args:
        circuit: Without parameters, classical control or noise, on qubits of dimension 2.
        qubits: The qubits in order. Default: all of ``LineQubit(0)`` up to the highest one if
            all are line qubits, otherwise those that occur, in Cirq's order.

    Returns:
        A circuit with one register ``q``.

    Raises:
        CircuitError: For parameters, qudits, or qubits that are not in ``qubits``.
        UnsupportedError: For an operation that is neither unitary, measurement nor reset.
    """
    with framework_errors("Cirq"):
        return _read(circuit, qubits)


def _read(circuit: cirq.AbstractCircuit, qubits: Sequence[cirq.Qid] | None) -> Circuit:
    if cirq.is_parameterized(circuit):
        names = ", ".join(sorted(cirq.parameter_names(circuit)))
        raise CircuitError(f"the circuit has unresolved parameters ({names}); resolve them first")
    _require_definite(circuit)
    order = _order(circuit) if qubits is None else list(qubits)
    index = {qubit: i for i, qubit in enumerate(order)}
    missing = sorted(circuit.all_qubits() - index.keys())
    if missing:
        raise CircuitError(f"qubits of the circuit are not in the order given: {missing}")
    if any(qubit.dimension != 2 for qubit in index):
        raise CircuitError("only qubits of dimension 2 can be read")
    builder = CircuitBuilder(*([Register("q", len(order))] if order else []))
    importer = _Importer(builder, index, _bits(circuit))
    for op in circuit.all_operations():
        importer.operation(op, (), ())
    return builder.build()


def _require_definite(circuit: cirq.AbstractCircuit) -> None:
    """Raises UnsupportedError for a part that is repeated until a measurement says so."""
    for op in circuit.all_operations():
        inner = op.untagged
        while isinstance(inner, cirq.ControlledOperation | cirq.ClassicallyControlledOperation):
            inner = (
                inner.sub_operation
                if isinstance(inner, cirq.ControlledOperation)
                else inner.without_classical_controls()
            ).untagged
        if isinstance(inner, cirq.CircuitOperation):
            if inner.repeat_until is not None:
                raise UnsupportedError(
                    f"classical control is not supported: repeat_until {inner.repeat_until}"
                )
            _require_definite(inner.circuit)


def _order(circuit: cirq.AbstractCircuit) -> list[cirq.Qid]:
    found = sorted(circuit.all_qubits())
    if found and all(isinstance(q, cirq.LineQubit) and q.x >= 0 for q in found):
        return list(cirq.LineQubit.range(found[-1].x + 1))
    return found


def _bits(circuit: cirq.AbstractCircuit) -> dict[str, list[int]]:
    """The classical bits of each measurement key."""
    widths: dict[str, int] = {}
    for op in circuit.all_operations():
        unrolled = op.untagged
        inner = [op]
        if isinstance(unrolled, cirq.CircuitOperation):
            inner = list(unrolled.mapped_circuit(deep=True).all_operations())
        for part in inner:
            if cirq.is_measurement(part):
                one_each = isinstance(part.gate, cirq.MeasurementGate)
                width = len(part.qubits) if one_each else 1  # a Pauli string has one outcome
                widths.setdefault(cirq.measurement_key_name(part), width)
    numbers = [re.fullmatch(r"c(\d+)", key) for key in widths]
    if all(numbers) and all(width == 1 for width in widths.values()):
        return {match[0]: [int(match[1])] for match in numbers if match}
    bits: dict[str, list[int]] = {}
    start = 0
    for key, width in widths.items():
        bits[key] = list(range(start, start + width))
        start += width
    return bits


class _Importer:
    """Adds operations to a builder, each under controls that are already numbered."""

    def __init__(
        self,
        builder: CircuitBuilder,
        index: Mapping[cirq.Qid, int],
        bits: Mapping[str, Sequence[int]],
    ) -> None:
        self.builder = builder
        self.index = index
        self.bits = bits

    def operation(
        self, op: cirq.Operation, controls: tuple[int, ...], values: tuple[int, ...]
    ) -> None:
        fence = BARRIER_TAG in op.tags
        op = op.untagged
        qubits = tuple(self.index[q] for q in op.qubits)
        if fence:
            self.builder.add(Barrier(qubits))
        elif isinstance(op, cirq.ClassicallyControlledOperation):
            raise UnsupportedError(f"classical control is not supported: {op}")
        elif isinstance(op, cirq.CircuitOperation):
            for inner in op.mapped_circuit(deep=True).all_operations():
                self.operation(inner, controls, values)
        elif isinstance(op, cirq.ControlledOperation):
            self._controlled(op.sub_operation, op.controls, op.control_values, controls, values)
        elif isinstance(op.gate, cirq.ControlledGate):
            n = op.gate.num_controls()
            inner = op.gate.sub_gate.on(*op.qubits[n:])
            self._controlled(inner, op.qubits[:n], op.gate.control_values, controls, values)
        elif isinstance(op.gate, cirq.MeasurementGate):
            self._measure(op.gate, qubits)
        elif isinstance(op.gate, cirq.ResetChannel):
            self.builder.reset(qubits[0])
        elif op.gate is None or not self._gate(op.gate, qubits, controls, values):
            self._decompose(op, controls, values)

    def _controlled(
        self,
        op: cirq.Operation,
        by: Sequence[cirq.Qid],
        control_values: cirq.AbstractControlValues,
        controls: tuple[int, ...],
        values: tuple[int, ...],
    ) -> None:
        more = tuple(self.index[q] for q in by)
        for states in sorted(control_values.expand()):
            self.operation(op, controls + more, values + tuple(int(v) for v in states))

    def _measure(self, gate: cirq.MeasurementGate, qubits: tuple[int, ...]) -> None:
        if gate.confusion_map:
            raise UnsupportedError(f"a measurement with a confusion map is not supported: {gate}")
        bits = self.bits[gate.key]
        for qubit, bit, invert in zip(qubits, bits, gate.full_invert_mask(), strict=True):
            if invert:
                self.builder.x(qubit)
            self.builder.add(Measure(qubit, bit))
            if invert:
                self.builder.x(qubit)

    def _gate(
        self,
        gate: cirq.Gate,
        qubits: tuple[int, ...],
        controls: tuple[int, ...],
        values: tuple[int, ...],
    ) -> bool:
        """Adds a gate that the neutral circuit has in some form, and says whether it did."""
        if isinstance(gate, cirq.IdentityGate | cirq.WaitGate):
            return True
        if isinstance(gate, cirq.GlobalPhaseGate):
            self._phase(cmath.phase(complex(gate.coefficient)), controls, values)
            return True
        table = diagonal_angles(gate)
        if table is not None:
            self.builder.diagonal(Phases(len(qubits), table), qubits, controls, values)
            return True
        found = neutral_gate(gate)
        if found is None:
            return False
        own = found.controls
        inner = controls + qubits[:own], values + (1,) * own
        if found.gate is not None:
            self.builder.gate(found.gate, qubits[own:], *inner)
        self._phase(found.inner_phase, *inner)
        self._phase(found.phase, controls, values)
        return True

    def _phase(self, angle: float, controls: tuple[int, ...], values: tuple[int, ...]) -> None:
        angle = math.remainder(angle, 2 * math.pi)
        if abs(angle) < 1e-15:
            return
        if controls:
            self.builder.phase_on(angle, controls, values)
        else:
            self.builder.global_phase += angle

    def _decompose(
        self, op: cirq.Operation, controls: tuple[int, ...], values: tuple[int, ...]
    ) -> None:
        found = parts(op)
        if found is None:
            raise UnsupportedError(
                f"{op} is neither unitary, measurement nor reset, or Cirq cannot decompose it"
            )
        for part in found:
            self.operation(part, controls, values)
        if not cirq.has_unitary(op):
            return
        if len(op.qubits) <= _MAX_PHASE_QUBITS:
            was, built = (_state(ops, op.qubits) for ops in ([op], found))
            self._phase(float(np.angle(np.vdot(built, was))), controls, values)
        elif controls:
            raise UnsupportedError(
                f"the phase of a controlled gate on {len(op.qubits)} qubits would be lost: {op}"
            )


def _state(operations: Sequence[cirq.Operation], qubits: Sequence[cirq.Qid]) -> NDArray[Any]:
    state: NDArray[Any] = cirq.Circuit(operations).final_state_vector(
        qubit_order=qubits, dtype=np.complex128
    )
    return state
