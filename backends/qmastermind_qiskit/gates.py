"""Which Qiskit gate is which of ours. Imports Qiskit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from qiskit.circuit import Gate as NativeGate
from qiskit.circuit import library

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Phases, Register, remap
from qmastermind.errors import TooLargeError
from qmastermind.gates import Gate

CLASSES: dict[str, type[NativeGate]] = {
    "x": library.XGate,
    "y": library.YGate,
    "z": library.ZGate,
    "h": library.HGate,
    "s": library.SGate,
    "sdg": library.SdgGate,
    "t": library.TGate,
    "tdg": library.TdgGate,
    "sx": library.SXGate,
    "sxdg": library.SXdgGate,
    "rx": library.RXGate,
    "ry": library.RYGate,
    "rz": library.RZGate,
    "p": library.PhaseGate,
    "u": library.UGate,
    "rzz": library.RZZGate,
    "ecr": library.ECRGate,
    "swap": library.SwapGate,
}
"""Qiskit's class for each of our gates; the matrices agree, phase included."""

_MAX_TABLE_QUBITS = 20


def native_gate(gate: Gate, values: Sequence[int] = ()) -> NativeGate:
    """Qiskit's gate for one of ours under controls.

    One-qubit gates take any number of controls, ``swap`` a closed one, other two-qubit gates none;
    :func:`spelled` brings everything into this form. Qiskit reads ``ctrl_state`` with the first
    control as its lowest bit. Without ``annotated=False`` it may hand out an
    ``AnnotatedOperation``, which its exporters refuse.

    Args:
        gate: Our gate.
        values: The state of each control, first control first.
    """
    name, params = gate.name, gate.params
    if not values:
        return CLASSES[name](*params)
    state = sum(v << i for i, v in enumerate(values))
    if name in _EIGHTHS and (len(values) > 1 or name in ("t", "tdg")):
        # As a controlled phase: the same matrix and the same CX count, built ten times as fast.
        base: NativeGate = library.PhaseGate(_EIGHTHS[name] * math.pi / 4)
    else:
        base = CLASSES[name](*params)
    return base.control(len(values), ctrl_state=state, annotated=False)


_EIGHTHS = {"s": 2, "sdg": -2, "t": 1, "tdg": -1}


def native_diagonal(phases: Phases) -> library.DiagonalGate:
    """Qiskit's diagonal; goes on the targets in reverse order, as Qiskit counts from the last."""
    return library.DiagonalGate(np.exp(1j * phases.table()).tolist())


def spelled(op: Apply) -> Iterator[Apply]:
    """An operation as ones that Qiskit has as a single gate.

    What Qiskit lacks, or controls badly, is written with gates that it controls well: a swap, an
    ``rzz`` or an ``ecr`` under controls is one controlled one-qubit gate between gates that need
    no control (11 controls on a swap: 529 CX after compilation instead of 1584).

    A diagonal becomes one multi-controlled phase for each basis state with an angle where that
    takes fewer two-qubit gates than Qiskit's DiagonalGate, and always for a single state, because
    a multi-controlled Z uses spare qubits (60 instead of 440 CX on 12 qubits with one clean spare)
    and no table of 2^n numbers is built.

    Raises:
        TooLargeError: For a dense diagonal over more than 20 qubits.
    """
    if isinstance(op.gate, Phases):
        yield from _diagonal(op.gate, op)
        return
    name, controls, values = op.gate.name, op.controls, op.values
    # Aer takes the first target of a swap for a control where the control is open.
    if not controls or op.gate.kind.num_qubits == 1 or (name == "swap" and values == (1,)):
        yield op
        return
    first, second = op.targets
    if name == "swap":
        outer = Apply(Gate("x"), (first,), (second,), (1,))
        yield outer
        yield Apply(Gate("x"), (second,), (*controls, first), (*values, 1))
        yield outer
    elif name == "rzz":
        outer = Apply(Gate("x"), (second,), (first,), (1,))
        yield outer
        yield Apply(Gate("rz", op.gate.params), (second,), controls, values)
        yield outer
    else:  # ecr = V X(first) V^-1 with V = exp(-i pi/8 Z(first) X(second)), V^-1 first
        hadamard = Apply(Gate("h"), (second,))
        for turn in (math.pi / 4, -math.pi / 4):
            yield hadamard
            yield Apply(Gate("rzz", (turn,)), op.targets)
            yield hadamard
            if turn > 0:
                yield Apply(Gate("x"), (first,), controls, values)


def _diagonal(phases: Phases, op: Apply) -> Iterator[Apply]:
    qubits, width = op.qubits, len(op.qubits)
    prefix = sum(v << i for i, v in enumerate(reversed(op.values))) << phases.num_qubits
    turning = np.flatnonzero(np.remainder(phases.angles, 2 * math.pi))
    angles = phases.angles[turning]
    states = prefix + (turning if phases.indices is None else phases.indices[turning])
    if len(states) <= 1 or len(states) * _phase_cost(width) <= 2**width - 2:
        builder = CircuitBuilder(Register("q", width))
        for state, angle in zip(states, angles, strict=True):
            bits = [int(b) for b in format(int(state), f"0{width}b")]
            builder.phase_on(float(angle), range(width), bits)
        for step in builder.build().flat():
            yield remap(step, qubits)
        return
    if width > _MAX_TABLE_QUBITS:
        raise TooLargeError(
            f"a diagonal with {len(states)} angles over {width} qubits is too large for Qiskit's "
            f"DiagonalGate (at most {_MAX_TABLE_QUBITS} qubits); build it from gates"
        )
    table = np.zeros(2**width)
    table[states] = angles
    yield Apply(Phases(width, table), qubits)


def _phase_cost(num_qubits: int) -> int:
    """CX gates of a phase on one basis state in Qiskit 2.6 without spare qubits, as measured.

    A DiagonalGate takes 2^n - 2.
    """
    few = (0, 0, 2, 6, 20, 44)
    if num_qubits < len(few):
        return few[num_qubits]
    return 4 * num_qubits**2 - 12 * num_qubits + 8
