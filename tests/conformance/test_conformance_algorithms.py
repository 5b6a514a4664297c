"""Grover's and Deutsch's searches on the 4 x 6 game, on every backend that runs circuits."""

import numpy as np
import pytest

from qmastermind.algorithms.deutsch import colour_pairs, decode_memberships, pair_query
from qmastermind.algorithms.grover import grover, plan
from qmastermind.backend import Capability
from qmastermind.encoding import Encoding
from qmastermind.game import Rules
from qmastermind.oracle.match import MatchOracle
from qmastermind.oracle.pegs import ColourPairOracle
from qmastermind.registry import get_backend
from qmastermind.simulator import StatevectorBackend
from qmastermind.testing.statistics import chi_squared_p_value

RULES = Rules(4, 6)
SECRET = RULES.code("OYGB")
ENCODING = Encoding(RULES)
FALSE_ALARM = 1e-7

# what each needs beside this package
BACKENDS = {
    "statevector": "numpy",
    "qiskit": "qiskit_aer",
    "cirq": "cirq.circuits",
    "pennylane:default.qubit": "pennylane.ops",
    "pennylane:lightning.qubit": "pennylane_lightning",
    "tket": "pytket.circuit",
}


@pytest.fixture(params=BACKENDS)
def backend(request):
    pytest.importorskip(BACKENDS[request.param])
    return get_backend(request.param)


def agrees(backend, circuit):
    """Compares with the embedded simulator, exactly or by counts; returns the most likely."""
    exact = StatevectorBackend().probabilities(circuit)
    if backend.can(Capability.EXACT):
        found = backend.probabilities(circuit)
        np.testing.assert_allclose(found.array(), exact.array(), atol=1e-6)
        return found.most_likely(1)[0][0]
    counts = backend.run(circuit, 4000, seed=7).counts
    assert chi_squared_p_value(counts, exact.array()) > FALSE_ALARM
    return counts.most_common(1)[0][0]


@pytest.mark.parametrize("space", ["valid", "all"])
def test_grover(backend, space):
    search = plan(ENCODING.size(space))
    start = ENCODING.prepare(space)
    circuit = grover(MatchOracle(SECRET, ENCODING), start, plan=search).measured()
    assert search.iterations == {"valid": 28, "all": 50}[space]
    exact = StatevectorBackend().probabilities(circuit).probability(ENCODING.encode(SECRET))
    assert exact == pytest.approx(search.success_probability, abs=1e-9)
    assert ENCODING.decode(agrees(backend, circuit)) == SECRET


def test_deutsch(backend):
    pairs = colour_pairs(RULES.colours)
    memberships = [agrees(backend, pair_query(ColourPairOracle(SECRET, *pair))) for pair in pairs]
    assert decode_memberships(pairs, memberships) == tuple(SECRET)
