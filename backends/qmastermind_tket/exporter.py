"""Neutral circuit to ``pytket.Circuit``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pytket
from pytket.circuit import DiagonalBox, Op, QControlBox

from qmastermind.circuit import Apply, Barrier, Box, Circuit, Measure, Phases, Reset
from qmastermind.gates import Gate
from qmastermind.plugin import framework_errors, multi_controlled_form
from qmastermind_tket.gates import CONTROLLED, MULTI_CONTROLLED, PLAIN


def to_tket(circuit: Circuit) -> pytket.Circuit:
    """Writes a circuit for tket.

    Qubit i becomes ``q[i]``, bit b ``c[b]``; angles become half-turns. A gate under controls
    becomes ``CX``, ``CnX``, ``CnZ``, ``CnRy`` and so on where tket has one and all controls must
    be 1, and otherwise a ``QControlBox`` with the control state; a dense diagonal becomes a
    ``DiagonalBox``. The global phase is kept.

    Args:
        circuit: Any circuit.

    Returns:
        The circuit, boxes opened.
    """
    with framework_errors("tket"):
        native = pytket.Circuit(circuit.num_qubits, circuit.num_bits)
        _write(native, circuit, range(circuit.num_qubits))
        native.add_phase(circuit.total_global_phase / math.pi)
    return native


def _write(native: pytket.Circuit, circuit: Circuit, place: Sequence[int]) -> None:
    for op in circuit.operations:
        qubits = [place[q] for q in op.qubits]
        match op:
            case Apply():
                for part in multi_controlled_form(op):
                    _add(native, part, [place[q] for q in part.qubits])
            case Barrier():
                native.add_barrier(qubits)
            case Measure():
                native.Measure(qubits[0], op.bit)
            case Reset():
                native.Reset(qubits[0])
            case Box():
                for _ in range(op.repetitions):
                    _write(native, op.circuit, qubits)


def _add(native: pytket.Circuit, op: Apply, qubits: list[int]) -> None:
    gate, n = op.gate, len(op.controls)
    if isinstance(gate, Phases):
        native.add_diagonal_box(DiagonalBox(np.exp(1j * gate.table())), qubits)
        return
    kind = PLAIN[gate.name] if not n else None
    if n and all(op.values):
        kind = CONTROLLED.get((gate.name, n)) or MULTI_CONTROLLED.get(gate.name)
    if kind is not None:
        native.add_gate(kind, [p / math.pi for p in gate.params], qubits)
    else:
        native.add_qcontrolbox(_controlled(gate, op.values), qubits)


@lru_cache(maxsize=4096)
def _controlled(gate: Gate, values: tuple[int, ...]) -> QControlBox:
    inner = Op.create(PLAIN[gate.name], [p / math.pi for p in gate.params])
    return QControlBox(inner, len(values), [bool(v) for v in values])
