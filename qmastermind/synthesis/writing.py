"""Writes one-qubit gates and CX in a basis, turns about Z where they cost no layer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from qmastermind.circuit import Apply, Operation
from qmastermind.errors import UnsupportedError
from qmastermind.gates import Gate
from qmastermind.synthesis.one_qubit import product, synthesise_one_qubit
from qmastermind.synthesis.peephole import is_cx, is_diagonal, is_function_of_x

_Z = Gate("z")
_H = Gate("h")


def write_in(
    operations: Iterable[Operation], num_qubits: int, basis: Collection[str]
) -> tuple[list[Operation], float]:
    """Writes one-qubit gates in a basis, and CX as CX or CZ.

    Turns about Z that can wait until after a control do so, which saves their layer wherever
    they meet another.

    Args:
        operations: As for :func:`qmastermind.synthesis.peephole.simplify`.
        num_qubits: Width.
        basis: With ``cx`` or ``cz``; without either, CX is left for
            :func:`qmastermind.synthesis.rebase.rebase`.

    Returns:
        The operations, and the global phase in radians that was taken out.

    Raises:
        UnsupportedError: If the basis cannot express a one-qubit gate.
    """
    writer = _Writer(num_qubits, frozenset(basis))
    for op in operations:
        writer.add(op)
    return writer.operations(), writer.phase


_DIAGONAL = frozenset({"rz", "p", "z", "s", "sdg", "t", "tdg"})


class _Writer:
    """Writes operations in time order and keeps the layer in which each qubit is next free.

    A turn about Z that has to be written before a gate may go into any gap of its qubit since
    the last gate that it does not commute with; a gap costs no layer.
    """

    def __init__(self, num_qubits: int, basis: frozenset[str]) -> None:
        self.phase = 0.0
        self._basis = basis
        self._cz = "cz" in basis and "cx" not in basis
        # The start, then each operation; each with the turns that were put into the gap after it.
        self._out: list[list[Operation]] = [[]]
        self._waiting: list[list[Gate]] = [[] for _ in range(num_qubits)]
        self._free = [0] * num_qubits
        # For each qubit: (index into _out, layers) of its gaps before the next gate
        self._gaps: list[list[tuple[int, int]]] = [[] for _ in range(num_qubits)]
        self._last = [0] * num_qubits
        self._known: dict[tuple[Gate, ...], tuple[list[Gate], float]] = {}

    def add(self, op: Operation) -> None:
        if is_cx(op):
            self._pair(op)
        elif isinstance(op, Apply) and len(op.qubits) == 1 and isinstance(op.gate, Gate):
            self._waiting[op.targets[0]].append(op.gate)
        else:
            for qubit in op.qubits:
                self._flush(qubit)
            self._write(op, ())

    def operations(self) -> list[Operation]:
        for qubit in range(len(self._waiting)):
            self._flush(qubit)
        return [op for group in self._out for op in group]

    def _pair(self, op: Operation) -> None:
        control, target = op.qubits
        self._before_control(control)
        if self._cz:
            self._waiting[target].append(_H)
            self._before_control(target)
            self._write(Apply(_Z, (target,), (control,), (1,)), (control, target))
            self._waiting[target].append(_H)
            return
        waiting = self._waiting[target]
        if waiting and not is_function_of_x(product(waiting)):
            self._flush(target)
        self._write(op, (control,))

    def _before_control(self, qubit: int) -> None:
        waiting = self._waiting[qubit]
        if waiting and not is_diagonal(product(waiting)):
            self._flush(qubit, keep_turns=True)

    def _flush(self, qubit: int, *, keep_turns: bool = False) -> None:
        waiting = self._waiting[qubit]
        if not waiting:
            return
        gates, phase = self._written(tuple(waiting))
        self.phase += phase
        start, end = 0, len(gates)
        while keep_turns and gates[end - 1].name in _DIAGONAL:
            end -= 1
        while start < end and gates[start].name in _DIAGONAL and self._fill(qubit, gates[start]):
            start += 1
        for gate in gates[start:end]:
            self._write(Apply(gate, (qubit,)), (qubit,) if gate.name in _DIAGONAL else ())
        self._waiting[qubit] = gates[end:]

    def _fill(self, qubit: int, turn: Gate) -> bool:
        """Puts a turn into a gap of its qubit, if there is one."""
        gaps = self._gaps[qubit]
        if not gaps:
            return False
        index, layers = gaps.pop()
        self._out[index].append(Apply(turn, (qubit,)))
        if layers > 1:
            gaps.append((index, layers - 1))
        return True

    def _write(self, op: Operation, turned: Sequence[int]) -> None:
        """Writes an operation that commutes with turns of the qubits ``turned``."""
        start = max(self._free[q] for q in op.qubits)
        for qubit in op.qubits:
            last, idle = self._last[qubit], start - self._free[qubit]
            if qubit not in turned:
                self._gaps[qubit] = []
            elif idle > 0:
                self._gaps[qubit].append((last, idle))
            self._last[qubit] = len(self._out)
            self._free[qubit] = start + isinstance(op, Apply)
        self._out.append([op])

    def _written(self, run: tuple[Gate, ...]) -> tuple[list[Gate], float]:
        known = self._known.get(run)
        if known is None:
            try:
                a, b, c, d = product(run)
                known = synthesise_one_qubit([[a, b], [c, d]], self._basis)
            except UnsupportedError:
                if not all(gate.name in self._basis for gate in run):
                    raise
                known = (list(run), 0.0)
            self._known[run] = known
        return known
