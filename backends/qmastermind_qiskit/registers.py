"""Registers, both ways. Imports Qiskit."""

from __future__ import annotations

import re

from qiskit.circuit import AncillaRegister, ClassicalRegister, QuantumCircuit, QuantumRegister

from qmastermind.circuit import Circuit, Register


def native_registers(circuit: Circuit) -> list[QuantumRegister | ClassicalRegister]:
    """The registers under their names, and the bits as one named ``result``."""
    registers: list[QuantumRegister | ClassicalRegister] = [
        (AncillaRegister if r.ancilla else QuantumRegister)(r.size, r.name)
        for r in circuit.registers
    ]
    if circuit.num_bits:
        name = "result"
        while any(r.name == name for r in circuit.registers):
            name += "_"
        registers.append(ClassicalRegister(circuit.num_bits, name))
    return registers


def neutral_registers(native: QuantumCircuit) -> tuple[Register, ...]:
    """Registers in the order of the qubits; qubits that have none form some named ``q``."""
    starts = _starts(native)
    names: set[str] = set()
    found: list[Register] = []
    position = 0
    while position < native.num_qubits:
        register = starts.get(position)
        if register is None:
            name, ancilla = "q", False
            size = min([s for s in starts if s > position], default=native.num_qubits) - position
        else:
            size, ancilla = register.size, isinstance(register, AncillaRegister)
            name = re.sub(r"\W", "_", register.name)
            name = name if name.isidentifier() else f"q_{name}"
        while name in names:
            name += "_"
        names.add(name)
        found.append(Register(name, size, ancilla))
        position += size
    return tuple(found)


def _starts(native: QuantumCircuit) -> dict[int, QuantumRegister]:
    """Each register by its first qubit; none if they share qubits or are out of order.

    The neutral layer has neither.
    """
    taken: set[int] = set()
    starts: dict[int, QuantumRegister] = {}
    for register in native.qregs:
        places = [native.find_bit(q).index for q in register]
        if not places:
            continue
        if places != list(range(places[0], places[0] + len(places))) or taken & set(places):
            return {}
        taken.update(places)
        starts[places[0]] = register
    return starts
