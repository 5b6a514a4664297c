"""The form in which two circuits are compared: unitary, with named inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from qmastermind.backend import Compiled
from qmastermind.circuit import (
    Apply,
    Barrier,
    Circuit,
    Measure,
    Operation,
    Register,
    Reset,
    remap,
)
from qmastermind.errors import CircuitError
from qmastermind.gates import Gate


@dataclass(frozen=True)
class Side:
    """One of the two circuits.

    Attributes:
        circuit: Without measurement, reset and global phase, on no more qubits than are used.
        starts: For each data qubit, the qubit on which it enters; all others enter in |0>.
        num_bits: Number of classical bits, written or not.
        bits: The classical bits that are written, in order.
        kept: The data qubits that are not measured at the end, by number.
        outputs: The qubit of each of ``bits``, then of each of ``kept``.
        hidden: Qubits whose final value nobody sees. All that are not outputs end in |0>.
    """

    circuit: Circuit
    starts: tuple[int, ...]
    num_bits: int
    bits: tuple[int, ...]
    kept: tuple[int, ...]
    outputs: tuple[int, ...]
    hidden: tuple[int, ...]

    def mismatch(self, other: Side) -> str | None:
        """Why the two cannot be compared at all, or None."""
        if len(self.starts) != len(other.starts):
            return f"{len(self.starts)} data qubits against {len(other.starts)}"
        if self.num_bits != other.num_bits:
            return f"{self.num_bits} classical bits against {other.num_bits}"
        if self.bits != other.bits:
            return f"bits {_listed(self.bits)} are measured, against {_listed(other.bits)}"
        if self.kept != other.kept:
            return (
                f"data qubits {_listed(self.kept)} are left unmeasured, "
                f"against {_listed(other.kept)}"
            )
        return None


def side(x: Circuit | Compiled) -> Side:
    """Brings a circuit, or a compiled one with its layouts, into this form."""
    if isinstance(x, Compiled):
        source, circuit, first, last = x.source, x.circuit, x.initial_layout, x.final_layout
        _check_layout("initial", first, source, circuit)
        _check_layout("final", last, source, circuit)
    else:
        source = circuit = x
        first = last = tuple(range(x.num_qubits))
    read = _measured_last(source)
    kept = tuple(i for i, q in enumerate(source.data) if q not in read)
    unitary, where, hidden = _deferred(circuit)
    bits = tuple(sorted(where))
    ends = tuple(last[source.data[i]] for i in kept)
    outputs = tuple(where[b] for b in bits) + ends
    if len(set(outputs)) < len(outputs):
        raise CircuitError(
            f"the final layout puts unmeasured qubits on {ends}, of which some are measured"
        )
    return _compact(
        Side(
            circuit=unitary,
            starts=tuple(first[q] for q in source.data),
            num_bits=source.num_bits,
            bits=bits,
            kept=kept,
            outputs=outputs,
            hidden=tuple(q for q in hidden if q not in outputs),
        )
    )


def _check_layout(which: str, layout: Sequence[int], source: Circuit, circuit: Circuit) -> None:
    inside = all(0 <= q < circuit.num_qubits for q in layout)
    if len(layout) != source.num_qubits or len(set(layout)) < len(layout) or not inside:
        raise CircuitError(
            f"the {which} layout {tuple(layout)} does not place {source.num_qubits} qubits "
            f"on {circuit.num_qubits}"
        )


def _measured_last(circuit: Circuit) -> set[int]:
    """Qubits on which nothing follows a measurement."""
    measured: set[int] = set()
    for op in circuit.operations:
        if isinstance(op, Measure):
            measured.add(op.qubit)
        elif not isinstance(op, Barrier):
            measured.difference_update(op.qubits)
    return measured


def _deferred(circuit: Circuit) -> tuple[Circuit, dict[int, int], list[int]]:
    """Puts off measurements: the unitary part, the qubit of each bit, and the hidden qubits.

    A final measurement just names its qubit. Any other copies its qubit to a fresh one, and a
    reset exchanges its qubit with a fresh one; what is in those later is not seen by anybody.
    """
    if circuit.has_final_measurements_only():
        return circuit.without_measurements(), circuit.final_measurements(), []
    where: dict[int, int] = {}
    hidden: list[int] = []
    operations: list[Operation] = []
    fresh = circuit.num_qubits
    for op in circuit.operations:
        if isinstance(op, Measure):
            if op.bit in where:
                hidden.append(where[op.bit])
            where[op.bit] = fresh
            operations.append(Apply(Gate("x"), (fresh,), (op.qubit,), (1,)))
            fresh += 1
        elif isinstance(op, Reset):
            hidden.append(fresh)
            operations.append(Apply(Gate("swap"), (op.qubit, fresh)))
            fresh += 1
        else:
            operations.append(op)
    hidden += sorted(_measured_last(circuit))
    registers = (Register("deferred", fresh),)
    return Circuit(registers, tuple(operations), 0, circuit.global_phase), where, hidden


def _compact(x: Side) -> Side:
    """Opens boxes, drops barriers, the global phase, and qubits that nothing touches."""
    operations = [op for op in x.circuit.flat() if isinstance(op, Apply)]
    used = {q for op in operations for q in op.qubits}
    used.update(x.starts, x.outputs, x.hidden)
    new = {q: i for i, q in enumerate(sorted(used))}
    place = [new.get(q, -1) for q in range(max(used, default=0) + 1)]
    return replace(
        x,
        circuit=Circuit(
            (Register("q", max(len(used), 1)),),
            tuple(remap(op, place) for op in operations),
        ),
        starts=tuple(place[q] for q in x.starts),
        outputs=tuple(place[q] for q in x.outputs),
        hidden=tuple(place[q] for q in x.hidden),
    )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "none"
