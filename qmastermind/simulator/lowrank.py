"""Runs of reflections and sparse phases, carried out in the small space that they act in.

Reflections ``1 + g |v><v|`` and phases on few basis states S change a state only by multiples of
the vectors v, and on S. So a whole run of them, with all its loops, is followed in the overlaps
``<v|state>`` and the amplitudes on S alone, exactly; the state itself is read once and written
once at the end. T Grover iterations cost T small steps and two passes over memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qmastermind.simulator.engine import Engine, tiles
from qmastermind.simulator.ops import Complexes


@dataclass(frozen=True, slots=True, eq=False)
class Vector:
    """A unit vector over the leading qubits of a cluster: the outer product of two factors."""

    high: Complexes
    low: Complexes

    def at(self, rows: NDArray[np.int64]) -> Complexes:
        """The entries of some rows."""
        size = len(self.low)
        return self.high[rows // size] * self.low[rows % size]

    def equals(self, other: Vector) -> bool:
        """Whether both have the same factors."""
        return np.array_equal(self.high, other.high) and np.array_equal(self.low, other.low)

    def dot(self, other: Vector) -> complex:
        """``<self|other>``."""
        if len(self.low) == len(other.low):
            return complex(np.vdot(self.high, other.high) * np.vdot(self.low, other.low))
        short, long = sorted((self, other), key=lambda v: len(v.low))
        split = len(long.low) // len(short.low)
        high = short.high.reshape(-1, split) @ (long.low.conj().reshape(split, -1) @ short.low)
        value = complex(np.vdot(long.high, high))
        return value if short is other else value.conjugate()


@dataclass(frozen=True, slots=True, eq=False)
class Reflect:
    """``1 + gain |vector><vector|`` on the leading qubits, at some ``columns`` of the others."""

    vector: Vector
    gain: complex
    columns: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Multiplies the amplitudes at ``indices`` by ``factors`` (one for each, or one for all)."""

    indices: NDArray[np.int64]
    factors: Complexes


@dataclass(frozen=True, slots=True, eq=False)
class Again:
    """Instructions repeated."""

    body: tuple[Instruction, ...]
    repetitions: int


Instruction: TypeAlias = Reflect | Scale | Again


class LowRank:
    """A step of a plan: a run of :class:`Reflect` and :class:`Scale`.

    Args:
        instructions: In time order; all vectors are over the same leading qubits.
    """

    gates = 0

    def __init__(self, instructions: Sequence[Instruction]) -> None:
        self._instructions = tuple(instructions)
        self._support = np.unique(
            np.concatenate(
                [np.zeros(0, dtype=np.int64)]
                + [step.indices for step in _flat(instructions) if isinstance(step, Scale)]
            )
        )
        self._places = {
            id(step): np.searchsorted(self._support, step.indices)
            for step in _flat(instructions)
            if isinstance(step, Scale)
        }
        self._vectors: list[Vector] = []
        self._number: dict[int, int] = {}  # by identity; equal vectors share a number
        for step in _flat(instructions):
            if isinstance(step, Reflect):
                same = (j for j, v in enumerate(self._vectors) if v.equals(step.vector))
                self._number[id(step)] = number = next(same, len(self._vectors))
                if number == len(self._vectors):
                    self._vectors.append(step.vector)
        gram = [[v.dot(w) for w in self._vectors] for v in self._vectors]
        self._gram = np.array(gram, dtype=np.complex128)

    def apply(self, state: Complexes, engine: Engine) -> None:
        """Carries the run out, in place.

        With ``state[d, r]``, d over the reflected qubits and r over the others, the state is at
        all times the initial one, plus ``added[j, r] * v_j[d]``, plus ``apart`` on the support.
        Overlaps are taken from that and never from earlier ones, so that rounding errors add up
        no faster than in the gates.
        """
        vectors, support = self._vectors, self._support
        width = vectors[0].high.size * vectors[0].low.size if vectors else state.size
        cube = state.reshape(width, -1)
        rows, columns = np.divmod(support, cube.shape[1])
        entries = np.array([v.at(rows) for v in vectors]).reshape(len(vectors), len(support))
        duals = entries.conj()
        overlaps = np.array([_overlap(v, cube, engine) for v in vectors])
        added = np.zeros((len(vectors), cube.shape[1]), dtype=np.complex128)
        initial = state[support]
        apart = np.zeros_like(initial)

        def smooth(at: NDArray[np.int64] | slice) -> Complexes:
            """The amplitudes on some of the support without what is apart."""
            total: Complexes = initial[at] + np.sum(entries[:, at] * added[:, columns[at]], axis=0)
            return total

        def follow(instructions: Sequence[Instruction]) -> None:
            for step in instructions:
                if isinstance(step, Again):
                    for _ in range(step.repetitions):
                        follow(step.body)
                elif isinstance(step, Reflect):
                    j = self._number[id(step)]
                    overlap = overlaps[j] + self._gram[j] @ added
                    if len(overlap) == 1:
                        overlap += duals[j] @ apart
                    else:
                        np.add.at(overlap, columns, duals[j] * apart)
                    added[j, step.columns] += step.gain * overlap[step.columns]
                else:
                    at = self._places[id(step)]
                    flat = smooth(at)
                    apart[at] = (flat + apart[at]) * step.factors - flat

        follow(self._instructions)
        final = smooth(slice(None)) + apart
        for v, multiples in zip(vectors, added, strict=True):
            _add(v, multiples, cube, engine)
        state[support] = final


def _flat(instructions: Sequence[Instruction]) -> Iterator[Reflect | Scale]:
    """Each instruction once, however often it is repeated."""
    for step in instructions:
        if isinstance(step, Again):
            yield from _flat(step.body)
        else:
            yield step


def _overlap(vector: Vector, cube: Complexes, engine: Engine) -> Complexes:
    """``<vector|cube[:, r]>`` for every r; the same sum whatever the number of threads."""
    columns = cube.shape[1]
    parts = cube.reshape(len(vector.high), len(vector.low), columns)
    high, low = vector.high.conj(), vector.low.conj()

    def one(tile: tuple[slice, slice]) -> Complexes:
        i, j = tile
        # not by BLAS, which would take threads of its own
        part: Complexes = np.einsum("h,hr->r", high[i], np.einsum("l,hlr->hr", low[j], parts[i, j]))
        return part

    total: Complexes = np.sum(engine.map(one, tiles(*parts.shape)), axis=0)
    return total


def _add(vector: Vector, multiples: Complexes, cube: Complexes, engine: Engine) -> None:
    """Adds ``vector[d] * multiples[r]`` to ``cube[d, r]``, in place."""
    parts = cube.reshape(len(vector.high), len(vector.low), cube.shape[1])

    def one(tile: tuple[slice, slice]) -> None:
        i, j = tile
        block = np.multiply.outer(vector.low[j], multiples)
        parts[i, j] += np.multiply.outer(vector.high[i], block)

    engine.map(one, tiles(*parts.shape))
