"""Neutral circuit to ``pytket.Circuit``. tket counts angles in half-turns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from pytket.circuit import Circuit as TketCircuit
from pytket.circuit import DiagonalBox, Op, OpType, QControlBox

from qmastermind.circuit import Apply, Barrier, Circuit, Measure, Phases, Reset
from qmastermind.gates import Gate
from qmastermind.plugin import multi_controlled_form

GATE_TYPES = {
    "x": OpType.X,
    "y": OpType.Y,
    "z": OpType.Z,
    "h": OpType.H,
    "s": OpType.S,
    "sdg": OpType.Sdg,
    "t": OpType.T,
    "tdg": OpType.Tdg,
    "sx": OpType.SX,
    "sxdg": OpType.SXdg,
    "rx": OpType.Rx,
    "ry": OpType.Ry,
    "rz": OpType.Rz,
    "p": OpType.U1,
    "u": OpType.U3,
    "rzz": OpType.ZZPhase,
    "ecr": OpType.ECR,
    "swap": OpType.SWAP,
}
"""tket's type of each of our gates; all agree with ours to the phase."""

CONTROLLED_TYPES = {
    ("x", 1): OpType.CX,
    ("x", 2): OpType.CCX,
    ("y", 1): OpType.CY,
    ("z", 1): OpType.CZ,
    ("h", 1): OpType.CH,
    ("s", 1): OpType.CS,
    ("sdg", 1): OpType.CSdg,
    ("sx", 1): OpType.CSX,
    ("sxdg", 1): OpType.CSXdg,
    ("rx", 1): OpType.CRx,
    ("ry", 1): OpType.CRy,
    ("rz", 1): OpType.CRz,
    ("p", 1): OpType.CU1,
    ("u", 1): OpType.CU3,
    ("swap", 1): OpType.CSWAP,
}
"""tket's own controlled gates, by our gate and its number of controls."""

ANY_CONTROLS = {
    "x": OpType.CnX,
    "y": OpType.CnY,
    "z": OpType.CnZ,
    "rx": OpType.CnRx,
    "ry": OpType.CnRy,
    "rz": OpType.CnRz,
}
"""tket's gates that take any number of controls."""


def to_tket(circuit: Circuit) -> TketCircuit:
    """Writes a circuit for tket.

    Qubit i becomes ``q[i]``, bit b ``c[b]``. Gates under controls become tket's own (``CnX``,
    ``CnZ``, ...) where it has one, else a ``QControlBox``; a control on 0 stands between two X. A
    dense diagonal becomes a ``DiagonalBox``. The global phase is kept.

    Args:
        circuit: Any circuit.

    Returns:
        The circuit, boxes opened.
    """
    native = TketCircuit(circuit.num_qubits, circuit.num_bits)
    for op in circuit.flat():
        match op:
            case Apply():
                for part in multi_controlled_form(op):
                    _add(native, part)
            case Barrier():
                native.add_barrier(list(op.qubits))
            case Measure():
                native.Measure(op.qubit, op.bit)
            case Reset():
                native.Reset(op.qubit)
    phase = circuit.total_global_phase
    if phase:
        native.add_phase(phase / math.pi)
    return native


def _add(native: TketCircuit, op: Apply) -> None:
    opened = [q for q, value in zip(op.controls, op.values, strict=True) if not value]
    for q in opened:
        native.X(q)
    if isinstance(op.gate, Phases):
        box = DiagonalBox(np.exp(1j * op.gate.table()))
        if op.controls:
            native.add_gate(QControlBox(box, len(op.controls)), list(op.qubits))
        else:
            native.add_gate(box, list(op.qubits))
    else:
        _add_gate(native, op.gate, len(op.controls), op.qubits)
    for q in opened:
        native.X(q)


def _add_gate(native: TketCircuit, gate: Gate, num_controls: int, qubits: Sequence[int]) -> None:
    params = [angle / math.pi for angle in gate.params]
    kind = (
        GATE_TYPES[gate.name]
        if not num_controls
        else CONTROLLED_TYPES.get((gate.name, num_controls), ANY_CONTROLS.get(gate.name))
    )
    if kind is not None:
        native.add_gate(kind, params, list(qubits))
        return
    base = Op.create(GATE_TYPES[gate.name], params)
    native.add_gate(QControlBox(base, num_controls), list(qubits))
