"""A content hash of circuits and targets, the same in every process and session."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from qmastermind.circuit import Apply, Box, Circuit
from qmastermind.gates import Gate
from qmastermind.target import Target


def digest(*parts: object) -> str:
    """The SHA-256 of circuits, targets and plain values, in hexadecimal."""
    hasher = hashlib.sha256()
    for part in parts:
        for piece in _pieces(part):
            hasher.update(piece)
            hasher.update(b"\0")
    return hasher.hexdigest()


def _pieces(part: object) -> Iterator[bytes]:
    if isinstance(part, Circuit):
        yield f"circuit {part.registers!r} {part.num_bits} {part.global_phase!r}".encode()
        for op in part.operations:
            if isinstance(op, Box):
                yield f"box {op.qubits} {op.repetitions}".encode()
                yield from _pieces(op.circuit)
            elif isinstance(op, Apply) and not isinstance(op.gate, Gate):
                yield f"diagonal {op.targets} {op.controls} {op.values}".encode()
                yield op.gate.angles.tobytes()
                yield b"" if op.gate.indices is None else op.gate.indices.tobytes()
            else:
                yield repr(op).encode()
    elif isinstance(part, Target):
        coupling = None if part.coupling is None else sorted(part.coupling)
        yield f"target {part.basis} {part.num_qubits} {coupling} {part.name}".encode()
    else:
        yield repr(part).encode()
