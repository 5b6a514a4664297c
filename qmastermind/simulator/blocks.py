"""Forms blocks of gates that act within the L2 cache, for one pass over memory each.

A gate needs only its target in the block: controls and phases outside it select whole parts of
the state. So a block takes every gate that is next in line, up to commutation, until its targets
are too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qmastermind.simulator.engine import Engine
from qmastermind.simulator.ops import Complexes
from qmastermind.simulator.steps import Factor, LocalGate, Turn

_BLOCK_QUBITS = 13  # a buffer of 2**13 amplitudes takes 128 KiB
_LANE_QUBITS = 3  # lowest bits of the buffer, one SIMD register; targets there are slow
_LINE_QUBITS = 3  # lowest bits of the state: runs of two cache lines

Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Arguments of :func:`qmastermind.simulator.kernels.apply_block`."""

    outer: Words
    chunks: Words
    places: Words
    lanes: Words
    gates: Words
    entries: NDArray[np.float64]


def form_blocks(ops: Iterable[LocalGate], width: int) -> tuple[Block, ...]:
    """Blocks that together do what the gates do, in time order, on ``width`` qubits."""
    remaining = fuse(ops)
    blocks = []
    while remaining:
        taken, remaining = _take(remaining, width)
        blocks.append(_pack(taken, width))
    return tuple(blocks)


def fuse(ops: Iterable[LocalGate]) -> list[LocalGate]:
    """Multiplies gates on a single qubit together where nothing comes between them."""
    fused: list[LocalGate] = []
    pending: dict[int, Complexes] = {}

    def flush(bit: int) -> None:
        matrix = pending.pop(bit, None)
        if matrix is None:
            return
        if matrix[0, 1] == 0 == matrix[1, 0]:
            for value in (0, 1):
                if matrix[value, value] != 1:
                    fused.append(Factor(1 << bit, value << bit, complex(matrix[value, value])))
        else:
            fused.append(Turn(bit, matrix))

    for op in ops:
        if isinstance(op, Turn) and not op.mask:
            pending[op.bit] = op.matrix @ pending.get(op.bit, np.eye(2))
        elif isinstance(op, Factor) and op.mask.bit_count() == 1:
            bit = op.mask.bit_length() - 1
            matrix = np.array(pending.get(bit, np.eye(2)), dtype=np.complex128)
            matrix[op.value >> bit] *= op.factor
            pending[bit] = matrix
        else:
            for bit in list(pending):
                if _mask(op) >> bit & 1:
                    flush(bit)
            fused.append(op)
    for bit in list(pending):
        flush(bit)
    return fused


def _mask(op: LocalGate) -> int:
    """All bits that a gate acts on."""
    return op.mask | _target(op)


def _target(op: LocalGate) -> int:
    """The bit that a gate changes, as a power of two; 0 for a factor."""
    return 1 << op.bit if isinstance(op, Turn) else 0


def _take(ops: Sequence[LocalGate], width: int) -> tuple[list[LocalGate], list[LocalGate]]:
    """The gates of the next block, and those left; a gate jumps ahead of others if it commutes."""
    room = max(1, min(_BLOCK_QUBITS, width) - _LANE_QUBITS)
    taken: list[LocalGate] = []
    left: list[LocalGate] = []
    targets = 0
    turned = read = 0  # bits that gates left behind change, or depend on
    for place, op in enumerate(ops):
        target = _target(op)
        commutes = not (op.mask & turned or target & (turned | read))
        if commutes and (targets | target).bit_count() <= room:
            targets |= target
            taken.append(op)
        else:
            turned |= target
            read |= op.mask
            left.append(op)
            if turned.bit_count() == width:
                return taken, [*left, *ops[place + 1 :]]
    return taken, left


def _pack(ops: Sequence[LocalGate], width: int) -> Block:
    use = [0] * width
    targets = 0
    for op in ops:
        targets |= _target(op)
        for bit in range(width):
            use[bit] += op.mask >> bit & 1
    # In the block are the targets, the lowest bits, and others that leave parts large enough.
    wanted = sorted(range(width), key=lambda b: (b >= _LINE_QUBITS and not targets >> b & 1, b))
    inside = sorted(wanted[:_BLOCK_QUBITS])
    # Lowest in the buffer come bits that are no target, and among them those least controlled.
    buffer = sorted(inside, key=lambda b: (targets >> b & 1, use[b], b))
    place = {bit: i for i, bit in enumerate(buffer)}
    line = [b for b in inside if b < _LINE_QUBITS]
    above = inside[len(line) :]
    rows = [_row(op, place, len(buffer)) for op in ops]
    return Block(
        outer=np.array([b for b in range(width) if b not in place], dtype=np.uint64),
        chunks=_offsets(above),
        places=_offsets([place[b] for b in above]),
        lanes=_offsets([place[b] for b in line]),
        gates=np.array([row for row, _ in rows], dtype=np.uint64).reshape(-1, 8),
        entries=np.array([numbers for _, numbers in rows], dtype=np.float64).reshape(-1, 8),
    )


def _offsets(bits: Sequence[int]) -> Words:
    """The sums of all subsets of powers of two, in the order of the subsets as numbers."""
    found = np.zeros(1, dtype=np.uint64)
    for bit in bits:
        found = np.concatenate([found, found + np.uint64(1 << bit)])
    return found


def _row(op: LocalGate, place: dict[int, int], width: int) -> tuple[list[int], list[float]]:
    from qmastermind.simulator.kernels import FACTOR, FLIP, MATRIX, REAL

    inner = {b: i for b, i in place.items() if op.mask >> b & 1}
    held = sum((op.value >> b & 1) << i for b, i in inner.items())
    fixed = sum(1 << i for i in inner.values())
    outer = op.mask & ~sum(1 << b for b in inner)
    if isinstance(op, Turn):
        target = 1 << place[op.bit]
        entries = op.matrix.reshape(-1)
        flips = entries.tolist() == [0, 1, 1, 0]
        kind = FLIP if flips else MATRIX if np.any(entries.imag) else REAL
    else:
        target, kind, entries = 0, FACTOR, np.array([op.factor, 0, 0, 0], dtype=np.complex128)
    fixed |= target
    length = fixed & -fixed or 1 << width
    count = (1 << width - fixed.bit_count()) // length
    row = [kind, target, fixed, held, length, count, outer, op.value & outer]
    return row, entries.view(np.float64).tolist()


def run_blocks(blocks: Sequence[Block], state: Complexes, engine: Engine) -> None:
    """Applies blocks in place; parts of a block on different threads."""
    from qmastermind.simulator.kernels import apply_block

    numbers = state.view(np.float64)
    for block in blocks:
        parts = 1 << len(block.outer)
        share = max(1, parts // (4 * engine.threads))

        def work(first: int, block: Block = block, share: int = share) -> None:
            apply_block(
                numbers,
                first,
                first + share,
                block.outer,
                block.chunks,
                block.places,
                block.lanes,
                block.gates,
                block.entries,
            )

        engine.map(work, range(0, parts, share))
