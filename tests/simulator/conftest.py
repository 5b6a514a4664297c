"""A dense simulation that shares nothing with the simulator but the circuit's data classes."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from qmastermind.circuit import Apply, Box, Circuit, Phases

_S = 1 / math.sqrt(2)


def gate_matrix(name: str, params: tuple[float, ...]) -> Any:
    """Matrices from the literature, written out again."""
    t = params[0] if params else 0.0
    half, e = t / 2, cmath.exp
    table: dict[str, Any] = {
        "x": [[0, 1], [1, 0]],
        "y": [[0, -1j], [1j, 0]],
        "z": [[1, 0], [0, -1]],
        "h": [[_S, _S], [_S, -_S]],
        "s": [[1, 0], [0, 1j]],
        "sdg": [[1, 0], [0, -1j]],
        "t": [[1, 0], [0, e(0.25j * math.pi)]],
        "tdg": [[1, 0], [0, e(-0.25j * math.pi)]],
        "sx": [[0.5 + 0.5j, 0.5 - 0.5j], [0.5 - 0.5j, 0.5 + 0.5j]],
        "sxdg": [[0.5 - 0.5j, 0.5 + 0.5j], [0.5 + 0.5j, 0.5 - 0.5j]],
        "rx": [[math.cos(half), -1j * math.sin(half)], [-1j * math.sin(half), math.cos(half)]],
        "ry": [[math.cos(half), -math.sin(half)], [math.sin(half), math.cos(half)]],
        "rz": [[e(-1j * half), 0], [0, e(1j * half)]],
        "p": [[1, 0], [0, e(1j * t)]],
        "swap": [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 1]],
        "rzz": np.diag([e(-1j * half), e(1j * half), e(1j * half), e(-1j * half)]),
        "ecr": _S * np.array([[0, 0, 1, 1j], [0, 0, 1j, 1], [1, -1j, 0, 0], [-1j, 1, 0, 0]]),
    }
    if name == "u":
        theta, phi, lam = params
        c, s = math.cos(theta / 2), math.sin(theta / 2)
        return np.array([[c, -e(1j * lam) * s], [e(1j * phi) * s, e(1j * (phi + lam)) * c]])
    return np.array(table[name], dtype=complex)


def dense_unitary(circuit: Circuit) -> Any:
    """The unitary of a circuit: the product of one full matrix for each operation."""
    n = circuit.num_qubits
    total = cmath.exp(1j * circuit.global_phase) * np.eye(2**n)
    for op in circuit.operations:
        if isinstance(op, Box):
            body = np.linalg.matrix_power(dense_unitary(op.circuit), op.repetitions)
            total = _embed(body, op.qubits, (), (), n) @ total
        elif isinstance(op, Apply):
            if isinstance(op.gate, Phases):
                matrix = np.diag(np.exp(1j * op.gate.table()))
            else:
                matrix = gate_matrix(op.gate.name, op.gate.params)
            total = _embed(matrix, op.targets, op.controls, op.values, n) @ total
    return total


def _embed(
    matrix: Any, targets: Sequence[int], controls: Sequence[int], values: Sequence[int], n: int
) -> Any:
    """Entry by entry: a basis state keeps its other bits, and all of them if a control is off."""
    full = np.zeros((2**n, 2**n), dtype=complex)
    for column in range(2**n):
        bits = [column >> (n - 1 - q) & 1 for q in range(n)]
        if any(bits[c] != v for c, v in zip(controls, values, strict=True)):
            full[column, column] = 1
            continue
        source = int("0" + "".join(str(bits[t]) for t in targets), 2)
        for image in range(len(matrix)):
            for place, t in enumerate(targets):
                bits[t] = image >> (len(targets) - 1 - place) & 1
            row = int("0" + "".join(map(str, bits)), 2)
            full[row, column] += matrix[image, source]
    return full


@pytest.fixture(scope="session")
def dense() -> Callable[[Circuit], Any]:
    return dense_unitary


@pytest.fixture(scope="session")
def random_state() -> Callable[..., Any]:
    def make(num_qubits: int, seed: int = 0) -> Any:
        rng = np.random.default_rng(seed)
        state = rng.normal(size=2**num_qubits) + 1j * rng.normal(size=2**num_qubits)
        return state / np.linalg.norm(state)

    return make


@pytest.fixture(params=["numpy", "compiled"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to apply gates, whatever the size of the circuit."""
    monkeypatch.setattr(
        "qmastermind.simulator.evolution.NUMPY_SECONDS",
        math.inf if request.param == "numpy" else -1,
    )
    monkeypatch.setattr("qmastermind.simulator.evolution._COMPILED_QUBITS", 1)
    return str(request.param)
