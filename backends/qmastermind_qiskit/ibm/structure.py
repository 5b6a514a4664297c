"""How a compiled circuit falls apart: qubits in use, and groups that no gate joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qiskit import QuantumCircuit

_NOTHING = frozenset({"barrier", "delay"})


def components(circuit: QuantumCircuit) -> list[tuple[int, ...]]:
    """Groups of qubits that gates on several qubits join, each in increasing order.

    Qubits on which nothing but barriers and delays act are in no group.
    """
    index = {q: i for i, q in enumerate(circuit.qubits)}
    parent: dict[int, int] = {}

    def root(q: int) -> int:
        parent.setdefault(q, q)
        while parent[q] != q:
            parent[q] = parent[parent[q]]
            q = parent[q]
        return q

    for instruction in circuit.data:
        if instruction.operation.name not in _NOTHING:
            first, *others = (index[q] for q in instruction.qubits)
            for q in (first, *others):
                parent[root(q)] = root(first)
    groups: dict[int, list[int]] = {}
    for q in sorted(parent):
        groups.setdefault(root(q), []).append(q)
    return [tuple(group) for group in groups.values()]


def used_qubits(circuit: QuantumCircuit) -> tuple[int, ...]:
    """The qubits that something other than a barrier or a delay acts on, in increasing order."""
    return tuple(sorted(q for group in components(circuit) for q in group))


def measured_qubits(circuit: QuantumCircuit) -> dict[int, int]:
    """For each classical bit that is written the qubit that it is read from."""
    return {
        circuit.find_bit(i.clbits[0]).index: circuit.find_bit(i.qubits[0]).index
        for i in circuit.data
        if i.operation.name == "measure"
    }


def restricted(circuit: QuantumCircuit, qubits: Sequence[int]) -> QuantumCircuit:
    """The circuit on the listed qubits alone, renumbered from 0 in their order."""
    from qiskit import QuantumCircuit
    from qiskit.circuit import QuantumRegister

    register = QuantumRegister(len(qubits), "q")
    place = {circuit.qubits[q]: register[i] for i, q in enumerate(qubits)}
    small = QuantumCircuit(register, *circuit.cregs)
    for instruction in circuit.data:
        where = [place[q] for q in instruction.qubits if q in place]
        if instruction.operation.name == "barrier":
            if where:
                small.barrier(where)
        elif len(where) == len(instruction.qubits):
            small.append(instruction.operation, where, instruction.clbits)
    return small
