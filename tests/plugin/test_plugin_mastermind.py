"""The 4x6 game on every backend: the same solution and the embedded simulator's probabilities."""

import numpy as np
import pytest

from qmastermind.algorithms import pair_query
from qmastermind.algorithms.grover import grover, plan
from qmastermind.circuit import Circuit
from qmastermind.encoding import Encoding
from qmastermind.game import Codemaker, Rules
from qmastermind.oracle import ColourPairOracle, MatchOracle
from qmastermind.registry import get_backend, registered_backends
from qmastermind.simulator import StatevectorBackend
from qmastermind.solvers import DeutschSolver, GroverSolver

BACKENDS = ("cirq", "pennylane:default.qubit", "pennylane:lightning.qubit", "qiskit", "tket")
RULES = Rules(4, 6)
SECRET = RULES.code("RBRY")


def is_missing(name: str) -> bool:
    cls = registered_backends()[name.partition(":")[0]].cls
    return cls is None or bool(cls.info.missing())


runnable = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.skipif(is_missing(name), reason="not installed"))
        for name in BACKENDS
    ],
)


def grover_circuit() -> Circuit:
    encoding = Encoding(RULES)
    oracle = MatchOracle(SECRET, encoding)
    return grover(oracle, encoding.prepare("valid"), plan=plan(RULES.num_codes)).measured()


def deutsch_circuits() -> list[Circuit]:
    return [pair_query(ColourPairOracle(SECRET, 0, c)) for c in range(1, RULES.colours)]


@runnable
def test_probabilities_are_those_of_the_embedded_simulator(name: str) -> None:
    for circuit in (grover_circuit(), *deutsch_circuits()):
        expected = StatevectorBackend().probabilities(circuit).array()
        found = get_backend(name).probabilities(circuit).array()
        np.testing.assert_allclose(found, expected, atol=1e-6)


@runnable
def test_grover_and_deutsch_find_the_secret(name: str) -> None:
    for solver in (GroverSolver(backend=name, seed=5), DeutschSolver(backend=name, seed=5)):
        solution = solver.solve(Codemaker(SECRET, RULES))
        assert solution.verified
        assert solution.code == SECRET
