"""The gate set: names, parameters, matrices, inverses. Angles are radians."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from qmastermind.errors import CircuitError, UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.complex128]


@dataclass(frozen=True)
class GateKind:
    """What a gate name means.

    Attributes:
        name: Lower-case name, as in OpenQASM where it has one.
        num_qubits: Number of target qubits.
        num_params: Number of angles.
        diagonal: Whether the matrix is diagonal for every parameter.
        hermitian: Whether the gate is its own inverse.
    """

    name: str
    num_qubits: int
    num_params: int
    diagonal: bool
    hermitian: bool
    build: Callable[..., Sequence[Sequence[complex]]]
    invert: Callable[..., tuple[str, tuple[float, ...]]]


def _u(theta: float, phi: float, lam: float) -> list[list[complex]]:
    c, s = math.cos(theta / 2), math.sin(theta / 2)
    return [
        [c, -cmath.exp(1j * lam) * s],
        [cmath.exp(1j * phi) * s, cmath.exp(1j * (phi + lam)) * c],
    ]


def _rx(t: float) -> list[list[complex]]:
    c, s = math.cos(t / 2), math.sin(t / 2)
    return [[c, -1j * s], [-1j * s, c]]


def _ry(t: float) -> list[list[complex]]:
    c, s = math.cos(t / 2), math.sin(t / 2)
    return [[c, -s], [s, c]]


def _rz(t: float) -> list[list[complex]]:
    return [[cmath.exp(-0.5j * t), 0], [0, cmath.exp(0.5j * t)]]


def _phase(t: float) -> list[list[complex]]:
    return [[1, 0], [0, cmath.exp(1j * t)]]


def _rzz(t: float) -> list[list[complex]]:
    even, odd = cmath.exp(-0.5j * t), cmath.exp(0.5j * t)
    return [[even, 0, 0, 0], [0, odd, 0, 0], [0, 0, odd, 0], [0, 0, 0, even]]


def _fixed(matrix: list[list[complex]]) -> Callable[[], list[list[complex]]]:
    return lambda: matrix


def _negated(name: str) -> Callable[..., tuple[str, tuple[float, ...]]]:
    return lambda *params: (name, tuple(-p for p in params))


def _to(name: str) -> Callable[..., tuple[str, tuple[float, ...]]]:
    return lambda: (name, ())


_H = math.sqrt(0.5)
_SX = [[0.5 + 0.5j, 0.5 - 0.5j], [0.5 - 0.5j, 0.5 + 0.5j]]
_SXDG = [[0.5 - 0.5j, 0.5 + 0.5j], [0.5 + 0.5j, 0.5 - 0.5j]]
_ECR = [[0, 0, _H, 1j * _H], [0, 0, 1j * _H, _H], [_H, -1j * _H, 0, 0], [-1j * _H, _H, 0, 0]]
_SWAP: list[list[complex]] = [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]]

GATES = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            GateKind("x", 1, 0, False, True, _fixed([[0, 1], [1, 0]]), _to("x")),
            GateKind("y", 1, 0, False, True, _fixed([[0, -1j], [1j, 0]]), _to("y")),
            GateKind("z", 1, 0, True, True, _fixed([[1, 0], [0, -1]]), _to("z")),
            GateKind("h", 1, 0, False, True, _fixed([[_H, _H], [_H, -_H]]), _to("h")),
            GateKind("s", 1, 0, True, False, _fixed([[1, 0], [0, 1j]]), _to("sdg")),
            GateKind("sdg", 1, 0, True, False, _fixed([[1, 0], [0, -1j]]), _to("s")),
            GateKind("t", 1, 0, True, False, _fixed(_phase(math.pi / 4)), _to("tdg")),
            GateKind("tdg", 1, 0, True, False, _fixed(_phase(-math.pi / 4)), _to("t")),
            GateKind("sx", 1, 0, False, False, _fixed(_SX), _to("sxdg")),
            GateKind("sxdg", 1, 0, False, False, _fixed(_SXDG), _to("sx")),
            GateKind("rx", 1, 1, False, False, _rx, _negated("rx")),
            GateKind("ry", 1, 1, False, False, _ry, _negated("ry")),
            GateKind("rz", 1, 1, True, False, _rz, _negated("rz")),
            GateKind("p", 1, 1, True, False, _phase, _negated("p")),
            GateKind("u", 1, 3, False, False, _u, lambda t, p, m: ("u", (-t, -m, -p))),
            GateKind("rzz", 2, 1, True, False, _rzz, _negated("rzz")),
            GateKind("ecr", 2, 0, False, True, _fixed(_ECR), _to("ecr")),
            GateKind("swap", 2, 0, False, True, _fixed(_SWAP), _to("swap")),
        )
    }
)
"""Every gate by name. Any of them takes any number of controls."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate with its angles, not yet applied to qubits.

    Attributes:
        name: A key of :data:`GATES`.
        params: Angles in radians; ``u`` takes (theta, phi, lambda).

    Raises:
        CircuitError: If the number of angles is wrong or one is not finite.
        UnknownNameError: If there is no such gate.
    """

    name: str
    params: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        kind = GATES.get(self.name)
        if kind is None:
            raise UnknownNameError("gate", self.name, GATES)
        if len(self.params) != kind.num_params:
            raise CircuitError(
                f"gate {self.name} takes {kind.num_params} angles, not {len(self.params)}"
            )
        if not all(math.isfinite(p) for p in self.params):
            raise CircuitError(f"gate {self.name} needs finite angles, not {self.params}")

    @property
    def kind(self) -> GateKind:
        """The entry of :data:`GATES`."""
        return GATES[self.name]

    def matrix(self) -> Matrix:
        """The unitary, of shape ``(2**t, 2**t)`` for t targets, first target most significant."""
        return np.array(self.kind.build(*self.params), dtype=np.complex128)

    def inverse(self) -> Gate:
        """The gate that undoes this one."""
        name, params = self.kind.invert(*self.params)
        return Gate(name, params)

    def __str__(self) -> str:
        if not self.params:
            return self.name
        return f"{self.name}({', '.join(f'{p:.6g}' for p in self.params)})"
