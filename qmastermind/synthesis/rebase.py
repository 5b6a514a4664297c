"""Rewrites a circuit of one- and two-qubit gates in another basis, pair by pair.

This is the last step after a compiler that does not know the basis that was asked for: runs of
one-qubit gates are multiplied and written anew (:mod:`qmastermind.synthesis.one_qubit`), and each
two-qubit gate becomes one-qubit gates and the basis's own entangling gate on the same pair, so
that a coupling map still holds. It neither moves nor cancels two-qubit gates.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from qmastermind.circuit import Apply, Barrier, Circuit, Measure, Operation, Reset
from qmastermind.errors import UnsupportedError
from qmastermind.gates import Gate
from qmastermind.synthesis.one_qubit import synthesise_one_qubit
from qmastermind.target import check_basis, operation_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.complex128]

ENTANGLERS = ("cx", "cz", "ecr", "rzz", "cp")
"""Basis gates that two-qubit gates can be written in, best first."""

_QUARTER = math.pi / 4
_HALF = math.pi / 2


def rebase(circuit: Circuit, basis: Collection[str]) -> Circuit:
    """Writes a circuit in a basis, exactly, with its global phase; boxes are opened.

    A run of one-qubit gates that is in the basis already, and no longer than what would replace
    it, stays as it is. Cost: a cz for a cx or back costs two h, which merge into their
    neighbours; a swap three entangling gates; a controlled one-qubit gate at most two.

    Args:
        circuit: Every gate on one or two qubits, or in the basis.
        basis: Names as in :attr:`qmastermind.target.Target.basis`.

    Raises:
        UnsupportedError: For a gate on three or more qubits outside the basis, or if the basis
            has no entangling gate or cannot express a one-qubit gate.
        UsageError: For an unknown basis gate.
    """
    rebaser = _Rebaser(frozenset(check_basis(basis)), circuit.num_qubits)
    for op in circuit.flat():
        rebaser.operation(op)
    rebaser.flush(range(circuit.num_qubits))
    phase = math.remainder(circuit.total_global_phase + rebaser.phase, 2 * math.pi)
    return replace(circuit, operations=tuple(rebaser.operations), global_phase=phase)


@dataclass
class _Rebaser:
    basis: frozenset[str]
    num_qubits: int
    operations: list[Operation] = field(default_factory=list)
    phase: float = 0.0

    def __post_init__(self) -> None:
        self._pending: list[list[Gate | Matrix]] = [[] for _ in range(self.num_qubits)]

    def operation(self, op: Apply | Barrier | Measure | Reset) -> None:
        if not isinstance(op, Apply):
            self.flush(op.qubits)
            self.operations.append(op)
        elif len(op.qubits) == 1 and isinstance(op.gate, Gate):
            self.one(op.targets[0], op.gate)
        elif operation_name(op) in self.basis:
            self.flush(op.qubits)
            self.operations.append(op)
        elif len(op.qubits) == 1:
            a, b = op.gate.table()  # type: ignore[union-attr]  # Gate was ruled out above
            self.phase += a
            self.one(op.targets[0], Gate("p", (b - a,)))
        elif len(op.qubits) == 2:
            self._two(op)
        else:
            raise UnsupportedError(
                f"{operation_name(op)} acts on {len(op.qubits)} qubits and is not in the basis "
                f"{{{', '.join(sorted(self.basis))}}}; it has to be decomposed first"
            )

    def one(self, qubit: int, gate: Gate | Matrix) -> None:
        self._pending[qubit].append(gate)

    def flush(self, qubits: Collection[int]) -> None:
        for qubit in qubits:
            run = self._pending[qubit]
            if not run:
                continue
            self._pending[qubit] = []
            gates, phase = self._written(run)
            self.phase += phase
            self.operations += [Apply(gate, (qubit,)) for gate in gates]

    def _written(self, run: Sequence[Gate | Matrix]) -> tuple[list[Gate], float]:
        kept = [g for g in run if isinstance(g, Gate) and g.name in self.basis]
        in_basis = len(kept) == len(run)
        try:
            gates, phase = synthesise_one_qubit(_product(run), self.basis)
        except UnsupportedError:
            # A basis of fixed gates may have each gate of a run, and not their product.
            if len(run) == 1:
                raise
            parts = [self._written([gate]) for gate in run]
            return [g for part, _ in parts for g in part], sum(phase for _, phase in parts)
        return (kept, 0.0) if in_basis and len(kept) <= len(gates) else (gates, phase)

    def _two(self, op: Apply) -> None:
        if not isinstance(op.gate, Gate):
            self._diagonal(op)
        elif not op.controls:
            self._uncontrolled(op.gate, *op.targets)
        else:
            (control,), (target,), (value,) = op.controls, op.targets, op.values
            if not value:
                self.one(control, Gate("x"))
            self._controlled(op.gate, control, target)
            if not value:
                self.one(control, Gate("x"))

    def _uncontrolled(self, gate: Gate, a: int, b: int) -> None:
        if gate.name == "swap":
            for control, target in ((a, b), (b, a), (a, b)):
                self._cx(control, target)
        elif gate.name == "rzz":
            self._rzz(gate.params[0], a, b)
        else:  # ecr = exp(i pi/4 ZX) X on the first qubit, and cx holds the same exponential
            self.one(a, Gate("x"))
            self._cx(a, b)
            self.one(a, Gate("rz", (-_HALF,)))
            self.one(b, Gate("rx", (-_HALF,)))
            self.phase -= _QUARTER

    def _controlled(self, gate: Gate, control: int, target: int) -> None:
        if gate.name == "x":
            self._cx(control, target)
        elif gate.name == "z":
            self._cz(control, target)
        else:
            # In the gate's eigenbasis it is diag(exp(ia), exp(ib)): a phase a of the control,
            # and b - a of both.
            frame, a, b = _eigenframe(gate.matrix())
            self.one(control, Gate("p", (a,)))
            self.one(target, frame.conj().T)
            self._cp(b - a, control, target)
            self.one(target, frame)

    def _diagonal(self, op: Apply) -> None:
        # exp(i f(x, y)) = exp(i (f00 + (f10 - f00) x + (f01 - f00) y + f xy))
        angles = np.zeros(4)
        table = op.gate.table()  # type: ignore[union-attr]  # called for diagonals only
        if op.controls:
            start = 2 * op.values[0]
            angles[start : start + 2] = table
        else:
            angles[:] = table
        first, second = op.qubits
        f00, f01, f10, f11 = (float(x) for x in angles)
        self.phase += f00
        self.one(first, Gate("p", (f10 - f00,)))
        self.one(second, Gate("p", (f01 - f00,)))
        self._cp(f11 - f10 - f01 + f00, first, second)

    def _cp(self, angle: float, a: int, b: int) -> None:
        angle = math.remainder(angle, 2 * math.pi)
        if abs(angle) < 1e-12:
            return
        if abs(abs(angle) - math.pi) < 1e-12:
            self._cz(a, b)
        elif "cp" in self.basis:
            self._emit(Apply(Gate("p", (angle,)), (b,), (a,), (1,)))
        else:
            self.one(a, Gate("p", (angle / 2,)))
            self.one(b, Gate("p", (angle / 2,)))
            self.phase -= angle / 4
            self._rzz(-angle / 2, a, b)

    def _rzz(self, angle: float, a: int, b: int) -> None:
        quarters = round(angle / _HALF)
        if "rzz" in self.basis:
            self._emit(Apply(Gate("rzz", (angle,)), (a, b)))
        elif abs(angle - quarters * _HALF) < 1e-12:
            # a half turn of ZZ is local, and a quarter turn is one cz and local turns
            halves, odd = divmod(quarters, 2)
            self.phase += odd * _QUARTER - halves * _HALF
            for qubit in (a, b):
                self.one(qubit, Gate("p", (halves * math.pi,)))
                self.one(qubit, Gate("rz", (odd * _HALF,)))
            if odd:
                self._cz(a, b)
        elif "cp" in self.basis and not {"cx", "cz"} & self.basis:
            self.phase -= angle / 2
            self.one(a, Gate("p", (angle,)))
            self.one(b, Gate("p", (angle,)))
            self._emit(Apply(Gate("p", (-2 * angle,)), (b,), (a,), (1,)))
        else:
            self._cx(a, b)
            self.one(b, Gate("rz", (angle,)))
            self._cx(a, b)

    def _cx(self, control: int, target: int) -> None:
        basis = self.basis
        if "cx" in basis:
            self._emit(Apply(Gate("x"), (target,), (control,), (1,)))
        elif "cz" in basis or "ecr" not in basis:
            self.one(target, Gate("h"))
            self._cz(control, target)
            self.one(target, Gate("h"))
        else:
            self.one(control, Gate("x"))
            self._emit(Apply(Gate("ecr"), (control, target)))
            self.one(control, Gate("rz", (_HALF,)))
            self.one(target, Gate("rx", (_HALF,)))
            self.phase += _QUARTER

    def _cz(self, a: int, b: int) -> None:
        basis = self.basis
        if "cz" in basis:
            self._emit(Apply(Gate("z"), (b,), (a,), (1,)))
        elif "cx" in basis or "ecr" in basis:
            a, b = self._cheaper_target(a, b)
            self.one(b, Gate("h"))
            self._cx(a, b)
            self.one(b, Gate("h"))
        elif "rzz" in basis:
            self._emit(Apply(Gate("rzz", (-_HALF,)), (a, b)))
            self.one(a, Gate("rz", (_HALF,)))
            self.one(b, Gate("rz", (_HALF,)))
            self.phase += _QUARTER
        elif "cp" in basis:
            self._emit(Apply(Gate("p", (math.pi,)), (b,), (a,), (1,)))
        else:
            raise UnsupportedError(
                f"the basis {{{', '.join(sorted(basis))}}} has no two-qubit gate that is known "
                f"here; add one of {', '.join(ENTANGLERS)}"
            )

    def _cheaper_target(self, a: int, b: int) -> tuple[int, int]:
        """Orders a pair so that an h on the second merges best with the gates before it."""

        def cost(control: int, target: int) -> int:
            runs = self._pending[control], [*self._pending[target], Gate("h")]
            return sum(len(self._written(run)[0]) for run in runs if run)

        return (b, a) if cost(b, a) < cost(a, b) else (a, b)

    def _emit(self, op: Apply) -> None:
        self.flush(op.qubits)
        self.operations.append(op)


def _product(run: Sequence[Gate | Matrix]) -> Matrix:
    matrix: Matrix = np.eye(2, dtype=np.complex128)
    for gate in run:
        matrix = (gate.matrix() if isinstance(gate, Gate) else gate) @ matrix
    return matrix


def _eigenframe(matrix: Matrix) -> tuple[Matrix, float, float]:
    """(V, a, b) with ``matrix = V diag(exp(ia), exp(ib)) V^dagger``, V unitary."""
    root = cmath.sqrt(complex(np.linalg.det(matrix)))
    special = matrix / root  # in SU(2): its anti-hermitian part holds the axis
    _, frame = np.linalg.eigh((special - special.conj().T) / 2j)
    diagonal = np.diag(frame.conj().T @ matrix @ frame)
    return frame, float(np.angle(diagonal[0])), float(np.angle(diagonal[1]))
