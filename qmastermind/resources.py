"""The one counter: depth, two-qubit depth and gate counts of a neutral circuit.

Convention. Depth is the number of layers when every gate starts as soon as its qubits are free
and takes one layer, virtual rotations included. Barriers, measurements, resets and the global
phase take none, and a barrier does not hold gates back. A gate on three or more qubits counts as
one layer of depth; it is no two-qubit gate and is counted apart, so that a circuit with
``multi_qubit_gates > 0`` shows that its depth is not that of hardware.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from qmastermind.circuit import Apply, Box, Circuit
from qmastermind.gates import Gate
from qmastermind.target import operation_name

Layers: TypeAlias = NDArray[Any]  # float64, or object for Python's integers


@dataclass(frozen=True)
class Resources:
    """What a circuit needs, under the convention of this module.

    Attributes:
        qubits: Number of qubits, ancillas included.
        ancillas: Number of those that are ancillas.
        depth: Layers of gates.
        two_qubit_depth: Layers when only two-qubit gates take one.
        two_qubit_gates: Gates on exactly two qubits, controls included.
        multi_qubit_gates: Gates on three or more qubits.
        one_qubit_gates: Gates on one qubit.
        virtual_rz: How many of those are ``rz``, free on most hardware.
        t_gates: ``t`` and ``tdg``, and ``p`` or ``rz`` by an odd multiple of pi/4.
        t_depth: Layers when only those take one.
        counts: Gates by basis name.
    """

    qubits: int
    ancillas: int
    depth: int
    two_qubit_depth: int
    two_qubit_gates: int
    multi_qubit_gates: int
    one_qubit_gates: int
    virtual_rz: int
    t_gates: int
    t_depth: int
    counts: Mapping[str, int]

    def as_dict(self) -> dict[str, object]:
        """The figures as JSON-ready values."""
        return {**asdict(self), "counts": dict(self.counts)}


def count(circuit: Circuit) -> Resources:
    """Counts a circuit, boxes opened.

    A repeated box costs one pass over its body, and q^3 log(repetitions) additions for q qubits.
    """
    tally = _Tally(circuit.num_qubits, 1)
    tally.add(circuit, range(circuit.num_qubits))
    depth, two_qubit_depth, t_depth = (int(d) for d in tally.layers.max(axis=(1, 2), initial=0))
    widths = tally.widths
    return Resources(
        qubits=circuit.num_qubits,
        ancillas=len(circuit.ancillas),
        depth=depth,
        two_qubit_depth=two_qubit_depth,
        two_qubit_gates=widths[2],
        multi_qubit_gates=widths[3],
        one_qubit_gates=widths[1],
        virtual_rz=tally.counts["rz"],
        t_gates=tally.t_gates,
        t_depth=t_depth,
        counts=MappingProxyType(dict(tally.counts)),
    )


class _Tally:
    """Counts gates, and follows the layers that each qubit has reached from each input.

    ``layers[kind, q, i]`` is the longest path from input i to qubit q: in all gates, two-qubit
    gates, T gates. With one input that is the depth so far; with one a qubit it is the
    (max, +) matrix of a circuit, whose powers are the depths of its repetitions.
    """

    def __init__(self, num_qubits: int, inputs: int) -> None:
        self.layers: Layers = np.zeros((3, num_qubits, inputs))
        self.counts: Counter[str] = Counter()
        self.widths: Counter[int] = Counter()
        self.t_gates = 0

    @classmethod
    def of_body(cls, circuit: Circuit) -> _Tally:
        tally = cls(circuit.num_qubits, circuit.num_qubits)
        tally.layers[:] = -np.inf
        for q in range(circuit.num_qubits):
            tally.layers[:, q, q] = 0
        tally.add(circuit, range(circuit.num_qubits))
        return tally

    def add(self, circuit: Circuit, where: Sequence[int]) -> None:
        for op in circuit.operations:
            if isinstance(op, Apply):
                self._add_gate(op, [where[q] for q in op.qubits])
            elif isinstance(op, Box):
                placed = [where[q] for q in op.qubits]
                if op.repetitions == 1:
                    self.add(op.circuit, placed)
                elif op.repetitions > 1:
                    self._add_repeated(op, placed)

    def _add_gate(self, op: Apply, qubits: list[int]) -> None:
        if not qubits:
            return  # a diagonal over no qubit: a global phase
        self.counts[operation_name(op)] += 1
        self.widths[min(len(qubits), 3)] += 1
        is_t = _is_t(op)
        self.t_gates += is_t
        reached = self.layers[:, qubits].max(axis=1)
        reached[0] += 1
        reached[1] += len(qubits) == 2
        reached[2] += is_t
        self.layers[:, qubits] = reached[:, None]

    def _add_repeated(self, op: Box, qubits: list[int]) -> None:
        body = self.of_body(op.circuit)
        for name, n in body.counts.items():
            self.counts[name] += n * op.repetitions
        for width, n in body.widths.items():
            self.widths[width] += n * op.repetitions
        self.t_gates += body.t_gates * op.repetitions
        longest = int(body.layers.max(initial=0)) * op.repetitions
        if longest + int(self.layers.max(initial=0)) >= _EXACT:
            self.layers, body.layers = _in_integers(self.layers), _in_integers(body.layers)
        self.layers[:, qubits] = _repeated(body.layers, op.repetitions, self.layers[:, qubits])


_EXACT = 2**53
"""Longer paths are counted in Python's integers, as floats cannot hold them."""


def _in_integers(layers: Layers) -> Layers:
    converted = layers.astype(object)
    reached = layers > -math.inf
    converted[reached] = [int(n) for n in layers[reached]]
    return converted


def _repeated(body: Layers, repetitions: int, reached: Layers) -> Layers:
    """``reached`` after so many times ``body``, by squaring."""
    power, left = body, repetitions
    while left:
        if left & 1:
            reached = _after(power, reached)
        left >>= 1
        if left:
            power = _after(power, power)
    return reached


def _after(second: Layers, first: Layers) -> Layers:
    """The (max, +) product, one inner qubit at a time so that it takes no more memory."""
    longest = second[:, :, :1] + first[:, :1]
    for q in range(1, first.shape[1]):
        np.maximum(longest, second[:, :, q, None] + first[:, None, q], out=longest)
    return longest


def _is_t(op: Apply) -> bool:
    if op.controls or not isinstance(op.gate, Gate):
        return False
    if op.gate.name in ("t", "tdg"):
        return True
    if op.gate.name not in ("p", "rz"):
        return False
    eighths = op.gate.params[0] / (math.pi / 4)
    return abs(eighths - round(eighths)) < 1e-9 and round(eighths) % 2 == 1
