"""Takes a diagonal apart into independent pieces on as few qubits as it really needs.

A diagonal that is a product over groups of its qubits joins only the qubits within a group, and a
qubit that it does not depend on is left alone, so that circuits stay in small groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qmastermind.circuit import Phases
from qmastermind.simulator.memory import AMPLITUDE_BYTES, require_memory

_DENSE_QUBITS = 16  # a list of states over up to so many qubits is looked at as a table
_FEW = 16  # entries that are listed however small the table
_TOLERANCE = 1e-13
_ROUNDING = 1e-15
_PROBES = 32


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A diagonal on some of the qubits of another one.

    Attributes:
        axes: Positions among the qubits of the other; the first is most significant.
        factors: For each of ``indices``, or for each basis state if that is None.
        indices: Basis states whose factor is not 1, increasing, or None.
    """

    axes: tuple[int, ...]
    factors: NDArray[np.complex128]
    indices: NDArray[np.int64] | None


def pieces(phases: Phases) -> list[Piece]:
    """The independent pieces whose product is the diagonal.

    Raises:
        TooLargeError: If a full table of factors does not fit into memory.
    """
    axes = list(range(phases.num_qubits))
    if phases.indices is None:
        require_memory(phases.num_qubits, 2 * AMPLITUDE_BYTES)
    factors = np.exp(1j * phases.angles)
    if phases.indices is not None:
        axes, indices, factors = _without_idle(axes, phases.indices, factors)
        if len(axes) > _DENSE_QUBITS:
            return [Piece(tuple(axes), factors, indices)] if len(indices) else []
        listed, factors = factors, np.ones(2 ** len(axes), dtype=np.complex128)
        factors[indices] = listed
    parts = _split(factors, _groups(factors, len(axes)))
    return [_compact(tuple(axes[a] for a in g), part) for g, part in parts if np.any(part != 1)]


def _compact(axes: tuple[int, ...], factors: NDArray[np.complex128]) -> Piece:
    (indices,) = np.nonzero(factors != 1)
    if len(indices) <= max(_FEW, len(factors) // 32):
        return Piece(axes, factors[indices], indices)
    return Piece(axes, factors, None)


def _without_idle(
    axes: list[int], indices: NDArray[np.int64], factors: NDArray[np.complex128]
) -> tuple[list[int], NDArray[np.int64], NDArray[np.complex128]]:
    """Drops states with factor 1, then qubits whose value makes no difference."""
    indices, factors = indices[factors != 1], factors[factors != 1]
    kept: list[int] = []
    for axis in reversed(axes):  # from the least significant bit
        bit = np.int64(1 << len(kept))
        flipped = indices ^ bit
        order = np.argsort(flipped)
        if np.array_equal(flipped[order], indices) and np.array_equal(factors[order], factors):
            zero = (indices & bit) == 0
            indices, factors = indices[zero], factors[zero]
            indices = indices >> (len(kept) + 1) << len(kept) | indices & (bit - 1)
        else:
            kept.append(axis)
    return kept[::-1], indices, factors


def _groups(factors: NDArray[np.complex128], width: int) -> list[list[int]]:
    """Axes joined where a mixed second difference of the table differs from 1 at some probe.

    Only a proposal when the table is larger than the probes: :func:`_split` checks it.
    """
    size = len(factors)
    probes = np.arange(size)
    if size > _PROBES**2:
        probes = np.random.default_rng(0).integers(size, size=_PROBES)
    groups = [[a] for a in range(width)]
    for q in range(width):
        for r in range(q):
            mine = next(g for g in groups if q in g)
            if r in mine:
                continue
            a, b = 1 << (width - 1 - q), 1 << (width - 1 - r)
            neither = probes & ~(a | b)
            cross = factors[neither] * factors[neither | a | b]
            cross -= factors[neither | a] * factors[neither | b]
            if np.any(np.abs(cross) > _TOLERANCE):
                other = next(g for g in groups if r in g)
                groups.remove(other)
                mine += other
    return [sorted(g) for g in groups]


def _split(
    factors: NDArray[np.complex128], groups: list[list[int]]
) -> list[tuple[tuple[int, ...], NDArray[np.complex128]]]:
    """One table a group, and a common factor on no axes; the whole if that is no product."""
    width = sum(map(len, groups))
    whole = [(tuple(range(width)), factors)]
    if len(groups) < 2:
        return whole
    cube = factors.reshape((2,) * width)
    common = factors[0]
    parts: list[tuple[tuple[int, ...], NDArray[np.complex128]]] = [((), factors[:1])]
    product = np.full((1,) * width, common)
    for group in groups:
        at = tuple(slice(None) if a in group else slice(0, 1) for a in range(width))
        part = cube[at] / common
        part[np.abs(part - 1) < _ROUNDING] = 1
        product = product * part
        parts.append((tuple(group), part.reshape(-1)))
    return parts if np.all(np.abs(product - cube) <= _TOLERANCE) else whole
