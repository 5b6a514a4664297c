"""From the neutral circuit to a QuantumCircuit. Imports Qiskit."""

from __future__ import annotations

import re

from qiskit.circuit import Gate as NativeGate
from qiskit.circuit import Instruction, QuantumCircuit

from qmastermind.circuit import Apply, Barrier, Box, Circuit, Measure, Operation, Phases, Reset
from qmastermind.gates import Gate
from qmastermind_qiskit.failures import our_errors
from qmastermind_qiskit.gates import native_diagonal, native_gate, spelled
from qmastermind_qiskit.registers import native_registers


def to_qiskit(circuit: Circuit, *, flatten: bool = False) -> QuantumCircuit:
    """The circuit in Qiskit's gates.

    Qubit i is Qiskit's qubit i and bit i its classical bit i; Qiskit prints bit 0 rightmost.
    Registers keep their names, ancilla registers become AncillaRegisters, and the bits are one
    ClassicalRegister named ``result``. Multi-controlled gates are Qiskit's own high-level gates,
    so that Qiskit chooses their decomposition. The global phase is kept.

    Args:
        circuit: Any neutral circuit.
        flatten: Open every box. Otherwise a box is a gate named ``block_<label>`` whose definition
            is written once however often it is repeated (an instruction if it holds a barrier,
            which Qiskit allows in no gate); Qiskit compiles both forms to the same result.

    Raises:
        TooLargeError: For a dense diagonal over more than 20 qubits.
    """
    with our_errors("converting to Qiskit"):
        return _Writer(flatten).write(circuit)


class _Writer:
    """Writes one circuit; gates and boxes that occur again are the same Qiskit objects."""

    def __init__(self, flatten: bool) -> None:
        self._flatten = flatten
        self._gates: dict[tuple[Gate, tuple[int, ...]], NativeGate] = {}
        self._boxes: dict[tuple[int, str], Instruction] = {}
        self._names: set[str] = set()

    def write(self, circuit: Circuit) -> QuantumCircuit:
        native = QuantumCircuit(*native_registers(circuit))
        native.global_phase = circuit.global_phase
        for op in circuit.operations:
            self._operation(native, op)
        return native

    def _operation(self, native: QuantumCircuit, op: Operation) -> None:
        match op:
            case Apply():
                for step in spelled(op):
                    self._apply(native, step)
            case Barrier():
                native.barrier(op.qubits)
            case Measure():
                native.measure(op.qubit, op.bit)
            case Reset():
                native.reset(op.qubit)
            case Box():
                self._box(native, op)

    def _apply(self, native: QuantumCircuit, op: Apply) -> None:
        if isinstance(op.gate, Phases):
            native.append(native_diagonal(op.gate), op.targets[::-1])
            return
        key = (op.gate, op.values)
        gate = self._gates.get(key)
        if gate is None:
            gate = self._gates[key] = native_gate(*key)
        native.append(gate, op.qubits)

    def _box(self, native: QuantumCircuit, box: Box) -> None:
        if self._flatten:
            for op in Circuit((), (box,)).flat():
                self._operation(native, op)
            native.global_phase += box.repetitions * box.circuit.total_global_phase
            return
        # The circuit that is written keeps its boxes alive, so identity is a safe and cheap key.
        key = (id(box.circuit), box.label)
        if key not in self._boxes:
            self._boxes[key] = self._definition(box)
        for _ in range(box.repetitions):
            native.append(self._boxes[key], box.qubits)

    def _definition(self, box: Box) -> Instruction:
        body = self.write(box.circuit)
        body.name = self._name(box.label)
        label = box.label or None
        if _fenced(box.circuit):
            return body.to_instruction(label=label)
        return body.to_gate(label=label)

    def _name(self, label: str) -> str:
        """A fresh name that is no gate of Qiskit, which goes by names when it knows one."""
        plain = re.sub(r"\W+", "_", label.replace("†", "_dg"), flags=re.ASCII).strip("_")
        stem = name = f"block_{plain}" if plain else "block"
        number = 1
        while name in self._names:
            number += 1
            name = f"{stem}_{number}"
        self._names.add(name)
        return name


def _fenced(circuit: Circuit) -> bool:
    return any(
        isinstance(op, Barrier) or (isinstance(op, Box) and _fenced(op.circuit))
        for op in circuit.operations
    )
