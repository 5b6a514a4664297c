"""Gates of Cirq in terms of ours."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import cirq
import numpy as np

from qmastermind.gates import Gate
from qmastermind.synthesis.one_qubit import synthesise_one_qubit

_MAX_MATRIX_QUBITS = 8  # up to here a gate without a rule is decomposed from its matrix


def diagonal_angles(gate: cirq.Gate) -> list[float] | None:
    """The angles of a diagonal that Cirq keeps as a table, first qubit most significant."""
    if isinstance(gate, cirq.DiagonalGate | cirq.ThreeQubitDiagonalGate):
        return [float(a) for a in gate.diag_angles_radians]
    if isinstance(gate, cirq.TwoQubitDiagonalGate):
        return [float(a) for a in np.angle(np.diag(cirq.unitary(gate)))]
    return None


class Neutral(NamedTuple):
    """A gate of Cirq as ours: its first ``controls`` qubits control ``gate``.

    Attributes:
        gate: None for the identity.
        inner_phase: Radians, under the gate's own controls.
        phase: Radians, outside of them.
        controls: Number of own controls.
    """

    gate: Gate | None
    inner_phase: float = 0.0
    phase: float = 0.0
    controls: int = 0


def neutral_gate(gate: cirq.Gate) -> Neutral | None:
    """A gate that is one of ours, up to phases and its own controls; None for others."""
    return eigen_gate(gate) or _matrix_gate(gate)


def eigen_gate(gate: cirq.Gate) -> Neutral | None:
    """A power of a Pauli, Hadamard, ZZ or SWAP gate or of a controlled one; None for others.

    A power t with global shift s is ``exp(i pi t (s + 1/2))`` times the rotation by pi t; of a
    controlled gate the shift turns the whole.
    """
    if isinstance(gate, cirq.CSwapGate):
        return Neutral(Gate("swap"), controls=1)
    if not isinstance(gate, cirq.EigenGate):
        return None
    t = float(gate.exponent)
    shifted = math.pi * t * float(gate.global_shift)
    half_turn = math.pi * t / 2
    match gate:
        case cirq.ZPowGate(global_shift=-0.5):
            return Neutral(Gate("rz", (math.pi * t,)))
        case cirq.ZPowGate() | cirq.CZPowGate() | cirq.CCZPowGate():
            named = _named(_Z_POWERS, t) or Gate("p", (math.pi * t,))
            return Neutral(named, 0.0, shifted, _own_controls(gate))
        case cirq.XPowGate(global_shift=-0.5):
            return Neutral(Gate("rx", (math.pi * t,)))
        case cirq.XPowGate() | cirq.CXPowGate() | cirq.CCXPowGate():
            own = _own_controls(gate)
            power = _named(_X_POWERS, t)
            if power is not None:
                return Neutral(power, 0.0, shifted, own)
            return Neutral(Gate("rx", (math.pi * t,)), half_turn, shifted, own)
        case cirq.YPowGate(global_shift=-0.5):
            return Neutral(Gate("ry", (math.pi * t,)))
        case cirq.YPowGate():
            if t % 2 == 1:
                return Neutral(Gate("y"), phase=shifted)
            return Neutral(Gate("ry", (math.pi * t,)), phase=shifted + half_turn)
        case cirq.ZZPowGate():
            return Neutral(Gate("rzz", (math.pi * t,)), phase=shifted + half_turn)
        case cirq.HPowGate() if t % 2 == 1:
            return Neutral(Gate("h"), phase=shifted)
        case cirq.SwapPowGate() if t % 2 == 1:
            return Neutral(Gate("swap"), phase=shifted)
    return None


def _own_controls(gate: cirq.Gate) -> int:
    if isinstance(gate, cirq.CCXPowGate | cirq.CCZPowGate):
        return 2
    return 1 if isinstance(gate, cirq.CXPowGate | cirq.CZPowGate) else 0


def _named(powers: Mapping[float, str], exponent: float) -> Gate | None:
    name = powers.get(exponent % 2)
    return None if name is None else Gate(name)


_Z_POWERS = {1.0: "z", 0.5: "s", 1.5: "sdg", 0.25: "t", 1.75: "tdg"}
_X_POWERS = {1.0: "x", 0.5: "sx", 1.5: "sxdg"}


def _matrix_gate(gate: cirq.Gate) -> Neutral | None:
    """Any other unitary on one qubit, and the matrix that ecr is written as."""
    width = cirq.num_qubits(gate)
    if width == 2 and isinstance(gate, cirq.MatrixGate):
        ecr = Gate("ecr")
        return Neutral(ecr) if np.allclose(cirq.unitary(gate), ecr.matrix(), atol=1e-12) else None
    if width != 1 or not cirq.has_unitary(gate):
        return None
    gates, phase = synthesise_one_qubit(cirq.unitary(gate), ("u",))
    return Neutral(gates[0] if gates else None, phase=phase)


def parts(op: cirq.Operation) -> list[cirq.Operation] | None:
    """Cirq's decomposition into what can be read: by rule if there is one, or from the matrix.

    Correct up to the phase; None if Cirq has none.
    """
    found: list[cirq.Operation] = cirq.decompose(
        op, keep=is_readable, fallback_decomposer=_from_matrix, on_stuck_raise=None
    )
    return found if all(map(is_readable, found)) else None


def is_readable(op: cirq.Operation) -> bool:
    """Whether an operation needs no decomposition."""
    op = op.untagged
    gate = op.gate
    if isinstance(op, cirq.ControlledOperation):
        return is_readable(op.sub_operation)
    if isinstance(gate, cirq.ControlledGate):
        return is_readable(gate.sub_gate.on(*op.qubits[gate.num_controls() :]))
    if gate is None:
        return isinstance(op, cirq.ClassicallyControlledOperation | cirq.CircuitOperation)
    return (
        isinstance(gate, _READ_AS_THEY_ARE)
        or diagonal_angles(gate) is not None
        or neutral_gate(gate) is not None
    )


_READ_AS_THEY_ARE = (
    cirq.MeasurementGate,
    cirq.ResetChannel,
    cirq.IdentityGate,
    cirq.WaitGate,
    cirq.GlobalPhaseGate,
)


def _from_matrix(op: cirq.Operation) -> list[cirq.Operation] | None:
    if not cirq.has_unitary(op) or len(op.qubits) > _MAX_MATRIX_QUBITS:
        return None
    matrix = cirq.unitary(op)
    if len(op.qubits) == 2:
        return list(
            cirq.two_qubit_matrix_to_cz_operations(*op.qubits, matrix, allow_partial_czs=True)
        )
    return list(cirq.flatten_to_ops(cirq.quantum_shannon_decomposition(list(op.qubits), matrix)))
