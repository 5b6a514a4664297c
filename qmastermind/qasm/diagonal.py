"""Diagonals in terms of gates, as neither version of the language has any."""

from __future__ import annotations

from collections.abc import Iterator

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Barrier, Circuit, Measure, Phases, Register, Reset, remap
from qmastermind.errors import TooLargeError
from qmastermind.gates import Gate

MAX_PHASES = 4096
"""Most basis states with a phase that one diagonal is written out for."""


def spelled_out(circuit: Circuit) -> Iterator[Apply | Barrier | Measure | Reset]:
    """The operations with boxes opened and each diagonal as one controlled phase a basis state.

    Raises:
        TooLargeError: For a diagonal with more than 4096 phases.
    """
    for op in circuit.flat():
        if isinstance(op, Apply) and isinstance(op.gate, Phases):
            yield from _phases(op, op.gate)
        else:
            yield op


def named_gate(op: Apply) -> Gate:
    """The gate of an operation that comes from :func:`spelled_out`."""
    assert isinstance(op.gate, Gate)
    return op.gate


def _phases(op: Apply, diagonal: Phases) -> Iterator[Apply]:
    table = diagonal.table()
    states = table.nonzero()[0]
    if len(states) > MAX_PHASES:
        raise TooLargeError(
            f"a diagonal with {len(states)} phases would be written as as many gates "
            f"(at most {MAX_PHASES}); build it from gates first"
        )
    width = len(op.targets)
    builder = CircuitBuilder(Register("q", len(op.qubits)))
    for state in states:
        values = [int(c) for c in format(state, f"0{width}b")]
        builder.phase_on(float(table[state]), range(len(op.qubits)), [*op.values, *values])
    for inner in builder.build().operations:
        yield remap(inner, op.qubits)
