"""Steps of a plan other than runs of reflections: gates, diagonals, repetitions.

Here qubits are bit positions of an index into the state, 0 the least significant, and sets of
them are integers used as masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qmastermind.simulator.engine import Engine, tiles
from qmastermind.simulator.ops import Complexes

if TYPE_CHECKING:
    from qmastermind.simulator.blocks import Block

    Index: TypeAlias = tuple[int | slice, ...]
    View: TypeAlias = tuple[tuple[int, ...], tuple[Index, ...], tuple[complex, ...]]


class Step(Protocol):
    """What a plan is made of."""

    def apply(self, state: Complexes, engine: Engine) -> None:
        """Changes the state in place."""

    @property
    def gates(self) -> int:
        """How many gates have to be applied one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """A 2x2 matrix on ``bit`` of the indices i with ``i & mask == value``."""

    bit: int
    matrix: Complexes
    mask: int = 0
    value: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A factor on the indices i with ``i & mask == value``."""

    mask: int
    value: int
    factor: complex


LocalGate: TypeAlias = Turn | Factor


class Gates:
    """Gates in time order."""

    def __init__(self, ops: Sequence[LocalGate], width: int) -> None:
        self.ops = tuple(ops)
        self._width = width

    @property
    def gates(self) -> int:
        """How many."""
        return len(self.ops)

    def apply(self, state: Complexes, engine: Engine) -> None:
        """One pass over memory a block of gates if compiled, else one a gate."""
        if engine.compiled:
            from qmastermind.simulator.blocks import run_blocks

            run_blocks(self._blocks, state, engine)
            return
        for shape, places, matrix in self._views:
            part = state.reshape(shape)
            if len(places) == 1:
                part[places[0]] *= matrix[0]
                continue
            zero, one = part[places[0]], part[places[1]]
            before = zero.copy()
            if matrix == _X:
                zero[...] = one
                one[...] = before
            else:
                a, b, c, d = matrix
                zero *= a
                zero += b * one
                one *= d
                one += c * before

    @cached_property
    def _blocks(self) -> tuple[Block, ...]:
        from qmastermind.simulator.blocks import form_blocks

        return form_blocks(self.ops, self._width)

    @cached_property
    def _views(self) -> list[View]:
        """For each gate: a shape with an axis for each of its bits, places in it, its entries."""
        views: list[View] = []
        for op in self.ops:
            if isinstance(op, Turn):
                shape, zero = _axes(self._width, op.mask | 1 << op.bit, op.value)
                _, one = _axes(self._width, op.mask | 1 << op.bit, op.value | 1 << op.bit)
                views.append((shape, (zero, one), tuple(op.matrix.reshape(-1).tolist())))
            else:
                shape, place = _axes(self._width, op.mask, op.value)
                views.append((shape, (place,), (op.factor,)))
        return views


_X = (0, 1, 1, 0)


def _axes(width: int, mask: int, value: int) -> tuple[tuple[int, ...], Index]:
    """The shape of the state with the bits of ``mask`` as axes, and the place of ``value``."""
    shape: list[int] = []
    place: list[int | slice] = []
    above = width
    for bit in range(width - 1, -1, -1):
        if mask >> bit & 1:
            shape += [2 ** (above - bit - 1), 2]
            place += [slice(None), value >> bit & 1]
            above = bit
    return (*shape, 2**above), (*place, slice(None))


class Diagonal:
    """A table of factors over some bits, where ``index & mask == value``.

    Args:
        bits: Most significant bit of an index into ``factors`` first.
        factors: Shape ``(2**len(bits),)``.
        mask: Bits of controls.
        value: What these hold.
        width: Of the state.
    """

    gates = 0

    def __init__(
        self, bits: Sequence[int], factors: Complexes, mask: int, value: int, width: int
    ) -> None:
        self._factors = factors
        self._low_bit = bits[-1]
        self._dense = not mask and list(bits) == list(range(bits[0], bits[-1] - 1, -1))
        if not self._dense:
            self._factors = np.append(factors, 1)  # the last is for where a control is off
            self._high = _table_index(range(width // 2, width), bits, mask, value)
            self._low = _table_index(range(width // 2), bits, mask, value)

    def apply(self, state: Complexes, engine: Engine) -> None:
        """One pass over memory."""
        if self._dense:
            factors = self._factors[:, None]
            cube = state.reshape(-1, len(factors), 1 << self._low_bit)

            def multiply(tile: tuple[slice, slice]) -> None:
                cube[tile] *= factors[tile[1]]

            engine.map(multiply, tiles(*cube.shape))
            return
        rows = state.reshape(len(self._high), -1)
        off = self._low < 0

        def look_up(row: int) -> None:
            if self._high[row] >= 0:
                index = self._high[row] + self._low
                index[off] = -1
                rows[row] *= self._factors[index]

        engine.map(look_up, range(len(rows)))


def _table_index(some: range, bits: Sequence[int], mask: int, value: int) -> NDArray[np.int64]:
    """For each value of ``some`` bits their share of the table index, or -1 if a control is off."""
    x = np.arange(2 ** len(some), dtype=np.int64) << some.start
    index = np.zeros_like(x)
    for place, bit in enumerate(reversed(bits)):
        index |= (x >> bit & 1) << place
    controls = mask & (2**some.stop - 2**some.start)
    return np.where((x ^ value) & controls, -1, index)


class Repeat:
    """Steps repeated."""

    def __init__(self, steps: Sequence[Step], repetitions: int) -> None:
        self._steps = tuple(steps)
        self._repetitions = repetitions

    @property
    def gates(self) -> int:
        """How many gates have to be applied one by one."""
        return self._repetitions * sum(step.gates for step in self._steps)

    def apply(self, state: Complexes, engine: Engine) -> None:
        """Changes the state in place."""
        for _ in range(self._repetitions):
            for step in self._steps:
                step.apply(state, engine)
