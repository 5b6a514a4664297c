"""Multi-controlled gates without any ancilla.

The blocks: an X up to phase, a rotation, an increment up to phase; and from these the exact phase
of the all-ones state, which the first two alone cannot give, for its determinant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.synthesis.conjunction import combine, plan
from qmastermind.synthesis.phases import all_ones_turns
from qmastermind.synthesis.toffoli import (
    ccp,
    cp,
    imaginary_ccz,
    relative_c3x,
    relative_ccx,
    turn,
)

IntArray: TypeAlias = NDArray[np.int64]


def relative_x_cost(controls: int) -> int:
    """CX of :func:`relative_x`: 0, 1, 3, then 6 k - 12 for k controls."""
    return (0, 1, 3)[controls] if controls < 3 else 6 * controls - 12


def relative_x(b: CircuitBuilder, controls: Sequence[int], target: int) -> None:
    """X on the target if all controls are 1, times a phase on each basis state.

    To undo it, take the inverse of the circuit. Cost for k controls: 0, 1, 3, then 6 k - 12 CX.

    With four and more controls it is a relative-phase Toffoli whose outer control is one qubit and
    whose inner one is the AND of the others. The inner X need be right only if the outer control
    is 1, so that this qubit is conditionally clean for it. Source: a relative-phase X without
    ancilla, Silva and Silva, arXiv:2507.00400; ancillas as in
    :mod:`qmastermind.synthesis.conjunction`.
    """
    if not controls:
        b.x(target)
    elif len(controls) == 1:
        b.x(target, controls)
    elif len(controls) == 2:
        relative_ccx(b, controls[0], controls[1], target)
    elif len(controls) == 3:
        relative_c3x(b, controls[0], controls[1], controls[2], target)
    else:
        outer, *inner = controls
        _outer(b, outer, target)
        imaginary_flip(b, inner, [outer], target)
        _outer(b, outer, target)


def _outer(b: CircuitBuilder, control: int, target: int) -> None:
    b.h(target)
    b.t(target)
    b.x(target, [control])
    b.tdg(target)
    b.h(target)


def imaginary_flip(
    b: CircuitBuilder,
    controls: Sequence[int],
    ones: Sequence[int],
    target: int,
    *,
    inverse: bool = False,
) -> None:
    """diag(i, -i) on the target if all controls are 1, provided that ``ones`` are all 1.

    If not, it is diag(i, -i) on some other condition of the controls and ``ones``, the same for
    the inverse. Cost: 6 k - 8 CX for k > 1 controls; for one control it is a CZ, without the i.
    """
    if len(controls) == 1:
        cp(b, math.pi, controls[0], target)
        return
    wires = (*controls, *ones)
    steps = plan(len(controls), 0, len(ones), final=2)
    first, second = combine(b, steps, wires)
    imaginary_ccz(b, first, second, target, inverse=inverse)
    combine(b, steps, wires, inverse=True)


def rotation_cost(controls: int) -> int:
    """CX of :func:`controlled_rz`: 0, 2, 4, 10, then 12 k - 32 for k controls."""
    return (0, 2, 4, 10)[controls] if controls < 4 else 12 * controls - 32


def controlled_rz(b: CircuitBuilder, angle: float, controls: Sequence[int], target: int) -> None:
    """exp(-i angle Z / 2) on the target if all controls are 1, exactly.

    Cost: 0, 2, 4, 10, then 12 k - 32 CX for k controls. A commutator of two flips with a quarter
    turn: where one flip does not act, the other is done twice and cancels. So the two controls
    of the one may be conditionally clean ancillas of the other. Source: Barenco et al., Phys. Rev.
    A 52, 3457 (1995), lemma 7.9; Zindorf and Bose, arXiv:2404.02279, reach 12 k likewise.
    """
    if not controls:
        b.rz(angle, target)
        return
    if len(controls) == 1:
        for sign in (1, -1):
            b.rz(sign * angle / 2, target)
            b.x(target, controls)
        return
    share = min(2, len(controls) // 2)
    small, large = controls[:share], controls[share:]
    for again in (False, True):
        _flip(b, large, small, target, inverse=again)
        b.rz(-angle / 4, target)
        _flip(b, small, (), target, inverse=again)
        b.rz(angle / 4, target)


def _flip(
    b: CircuitBuilder, controls: Sequence[int], ones: Sequence[int], target: int, *, inverse: bool
) -> None:
    b.h(target)
    imaginary_flip(b, controls, ones, target, inverse=inverse)
    b.h(target)


_SMALLEST_TABLE = 32


def _table_size(qubits: int) -> int:
    """A power of two, so that growing circuits share a few tables."""
    return max(_SMALLEST_TABLE, 1 << qubits.bit_length())


def _block_costs(size: int, carried: int) -> IntArray:
    """CX to keep a carry of 0, 1, ... bits, to undo it and to increment them, under a carry or not.

    ``carried`` is 1 if there is a carry into the block, which is one more control.
    """
    carry = np.array([relative_x_cost(k) for k in range(size + 2)], dtype=np.int64)
    flips = np.cumsum(carry)  # flips[k]: the CX to flip bits under 0, 1, ..., k controls
    blocks = np.arange(size + 1)
    return 2 * carry[blocks + carried] + flips[np.maximum(blocks - 1 + carried, 0)]


def _last_costs(size: int, carried: int) -> IntArray:
    """CX to increment the last 0, 1, ... bits, which need no carry out of them."""
    flips = np.cumsum([relative_x_cost(k) for k in range(size + 1)])
    return flips[np.maximum(np.arange(size + 1) - 1 + carried, 0)]


@lru_cache(maxsize=8)
def _increments(size: int) -> tuple[IntArray, IntArray]:
    """Least CX of an increment with c clean qubits at [bits, c], for bits + c <= size.

    The second table is the same under a carry, which is what remains after a block. More than
    bits - 2 clean qubits are of no use, so that half as many columns are enough.
    """
    tables: list[IntArray] = []
    for carried in (1, 0):
        block, last = _block_costs(size, carried), _last_costs(size, carried)
        table = np.repeat(last[:, None], size // 2 + 1, axis=1)
        rest = tables[0] if tables else table
        for bits in range(3 - carried, size + 1):
            first = np.arange(2 - carried, bits)
            after = block[first, None] + rest[bits - first, :-1]
            np.minimum(table[bits, 1:], after.min(axis=0), out=table[bits, 1:])
        tables.append(table)
    return tables[1], tables[0]


def _useful(bits: int, clean: int) -> int:
    return max(0, min(clean, bits - 2))


def _blocks(bits: int, clean: int) -> tuple[int, ...]:
    """The numbers of bits over which a carry is kept; of equal cost the first in order."""
    left = _useful(bits, clean)
    whole, rest = _increments(_table_size(bits + left))
    ends: list[int] = []
    done = 0
    while True:
        carried = int(done > 0)
        best = (rest if carried else whole)[bits - done, left]
        if best == _last_costs(bits, carried)[bits - done]:
            return tuple(ends)
        block = _block_costs(bits, carried)
        left -= 1
        done += next(
            first
            for first in range(2 - carried, bits - done)
            if block[first] + rest[bits - done - first, left] == best
        )
        ends.append(done)


def increment_cost(bits: int, clean: int) -> int:
    """CX of :func:`increment` with that many clean qubits."""
    clean = _useful(bits, clean)
    return int(_increments(_table_size(bits + clean))[0][bits, clean])


def increment(b: CircuitBuilder, bits: Sequence[int], clean: Sequence[int] = ()) -> None:
    """Maps v to v + 1 mod 2^n, times a phase on each basis state; v little-endian in ``bits``.

    Carries are kept in the clean qubits after blocks of bits; all blocks are incremented under
    their carries; then the carries are undone from the top. A block that was all ones is all
    zeros by then, which is why the blocks need not wait for each other. Cost: at
    most 7 n - 13 CX for n > 1 with n - 2 clean qubits; 3 n^2 - 15 n + 22 for n > 2 with none;
    :func:`increment_cost` is the least over all blocks.
    """
    ends = _blocks(len(bits), len(clean))
    starts = (0, *ends, len(bits))
    blocks = [bits[start:stop] for start, stop in pairwise(starts)]
    known = [(), *((q,) for q in clean[: len(ends)])]  # the carry into a block
    size = 1 + max((*bits, *clean))
    carries = []
    for i, carry in enumerate(clean[: len(ends)]):
        builder = CircuitBuilder(Register("x", size))
        relative_x(builder, (*known[i], *blocks[i]), carry)
        carries.append(builder.build())
        _add(b, carries[i])
    for block, control in zip(blocks, known, strict=True):
        for j in reversed(range(len(block))):
            relative_x(b, (*control, *block[:j]), block[j])
    for i in reversed(range(len(carries))):
        for qubit in blocks[i]:
            b.x(qubit)
        _add(b, carries[i].inverse())
        for qubit in blocks[i]:
            b.x(qubit)


_DIRECT = (0, 0, 2, 6, 14, 30)


@lru_cache(maxsize=8)
def _splits(size: int) -> list[tuple[int, int]]:
    """Least CX of :func:`phase`, and how many qubits count (none: turns of all parities)."""
    best = [(cost, 0) for cost in _DIRECT]
    table = _increments(size)[0].tolist()
    for qubits in range(len(_DIRECT), size + 1):
        best.append(
            min(
                (
                    best[qubits - high][0]
                    + 4 * relative_x_cost(qubits - high)
                    + 8 * (high - 1)
                    + 2 * table[high][_useful(high, qubits - high)],
                    high,
                )
                for high in range(2, qubits)
            )
        )
    return best


def _split(qubits: int) -> tuple[int, int]:
    return _splits(_table_size(qubits))[qubits]


def phase_cost(qubits: int) -> int:
    """CX of :func:`phase` for an angle that is not pi; at pi two qubits take 1."""
    return _split(qubits)[0]


def splits(qubits: int) -> list[int]:
    """Group sizes for :func:`phase` worth trying: the one of least CX, and one more for depth."""
    best = _split(qubits)[1]
    return sorted({best, min(best + 1, qubits - 1)}) if best else []


def phase(b: CircuitBuilder, angle: float, qubits: Sequence[int], group: int = 0) -> None:
    """exp(i angle) if all qubits are 1, on no ancilla.

    The qubits are split in L and H. Let v be the integer in the h qubits of H, and "turning" the
    phase phi(v) = beta (v - (2^h - 1) / 2), one Rz a qubit. To turn back, increment v, turn,
    decrement gives the phase beta, but beta - 2^h beta where v is all ones. Done under
    control of L that is what is wanted, up to a phase of L alone: the same again for L. Only the
    turns need the control, and they get it from complementing v, which negates phi: an X
    controlled by L up to phase, spread over H by CX. The increments matter only if L is all ones,
    so that the qubits of L are their conditionally clean ancillas.

    Cost T(w), the least over w = l + h of T(l) + 4 R(l) + 2 I(h, l) + 8 (h - 1), with R and I of
    :func:`relative_x` and :func:`increment`; and 2^w - 2 for w < 6.

    Args:
        b: Where the gates go.
        angle: Radians.
        qubits: All alike.
        group: The size h of H; by default that of least CX.

    Source: a phase from turns between increments is Gidney, "Constructing large controlled nots"
    (2015), part 3; the split, the control by complement and L as ancillas are this library's.
    """
    h = group or _split(len(qubits))[1]
    if not h:
        _direct(b, angle, qubits)
        return
    low, high = tuple(qubits[:-h]), tuple(qubits[-h:])
    size = 1 + max(qubits)
    up, complement = CircuitBuilder(Register("x", size)), CircuitBuilder(Register("x", size))
    for qubit in low:
        up.x(qubit)
    increment(up, high, low)
    for qubit in low:
        up.x(qubit)
    _complement(complement, low, high)
    flip = complement.build()
    beta = -angle / 2**h

    def turn_if_low(sign: float) -> None:
        for way, circuit in ((sign, flip), (-sign, flip.inverse())):
            for place, qubit in enumerate(high):
                b.rz(way * beta * 2**place / 2, qubit)
            _add(b, circuit)

    turn_if_low(-1)
    _add(b, up.build())
    turn_if_low(1)
    _add(b, up.build().inverse())
    phase(b, angle / 2**h, low)


def _complement(b: CircuitBuilder, low: Sequence[int], group: Sequence[int]) -> None:
    """X on all of ``group`` if ``low`` are all 1, up to phase; depth logarithmic in the group."""
    # qubit j copies from j without its top bit, so that each round doubles
    spread = [(group[j - (1 << j.bit_length() - 1)], group[j]) for j in range(1, len(group))]
    for source, copy in reversed(spread):
        b.x(copy, [source])
    relative_x(b, low, group[0])
    for source, copy in spread:
        b.x(copy, [source])


def _direct(b: CircuitBuilder, angle: float, qubits: Sequence[int]) -> None:
    if len(qubits) == 1:
        turn(b, angle, *qubits)
    elif len(qubits) == 2:
        cp(b, angle, *qubits)
    elif len(qubits) == 3:
        ccp(b, angle, *qubits)
    else:
        all_ones_turns(b, angle, qubits)


def _add(b: CircuitBuilder, circuit: Circuit) -> None:
    for op in circuit.operations:
        b.add(op)
