"""How much of a search a noisy backend leaves over, asked of the backend itself.

The core knows no device. A backend that can say what it expects of a compiled circuit has a
method ``expected_success``, and nothing else is asked of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Protocol, runtime_checkable

from qmastermind.algorithms.grover import GroverPlan, grover
from qmastermind.backend import Backend, Compiled
from qmastermind.circuit import Circuit
from qmastermind.oracle.base import Oracle


@runtime_checkable
class Forecasting(Protocol):
    """What a backend with a noise forecast has beside the methods of every backend."""

    def compile(self, circuit: Circuit, *, seed: int | None = None) -> Compiled:
        """Compiles for the backend's own device."""
        ...

    def expected_success(self, circuit: Circuit) -> float:
        """The share of runs of a compiled circuit that no error is expected to spoil."""
        ...


def backend_fidelity(
    oracle: Oracle, backend: Backend, start: Circuit | None = None, seed: int | None = None
) -> Callable[[int], float] | None:
    """The fidelity of a search on a backend, for :func:`~qmastermind.algorithms.grover.plan`.

    Args:
        oracle: What is searched for.
        backend: Any.
        start: Prepares the search space; default the oracle's assignments.
        seed: Of the compilation.

    Returns:
        For a number of iterations the share of runs that no error spoils, each from one
        compilation and remembered; None for a backend without a forecast.
    """
    if not isinstance(backend, Forecasting):
        return None
    device: Forecasting = backend
    begin = oracle.variables.prepare() if start is None else start

    @cache
    def fidelity(iterations: int) -> float:
        circuit = grover(oracle, begin, plan=GroverPlan(iterations, math.pi, 0.0))
        compiled = device.compile(circuit.measured(range(oracle.num_bits)), seed=seed)
        return device.expected_success(compiled.circuit)

    return fidelity
