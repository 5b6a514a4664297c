"""The number of iterations under noise: what is kept decides, not who says so."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.algorithms import plan, plan_from_share, success_probability
from qmastermind.algorithms.forecast import backend_fidelity
from qmastermind.algorithms.search import search_known
from qmastermind.backend import Backend, BackendInfo, Capability, Compiled
from qmastermind.errors import UsageError
from qmastermind.oracle import TableOracle, bits, from_formula
from qmastermind.resources import count
from qmastermind.simulator import StatevectorBackend
from qmastermind.synthesis import lower
from qmastermind.target import Target


def forecast(kept, number, size, marked):
    return kept * success_probability(number, size, marked) + (1 - kept) * marked / size


@given(st.integers(2, 400), st.data())
def test_no_number_has_a_better_forecast(size, data):
    marked = data.draw(st.integers(1, size))
    kept = data.draw(st.floats(0, 1))
    chosen = plan(size, marked, fidelity=kept)
    ideal = plan(size, marked).iterations
    best = max(forecast(kept**k, k, size, marked) for k in range(ideal + 1))
    assert chosen.forecast == pytest.approx(best)
    assert chosen.iterations <= ideal
    assert chosen.success_probability == pytest.approx(
        success_probability(chosen.iterations, size, marked)
    )


def test_without_noise_nothing_changes():
    for size, marked in ((8, 1), (1296, 1), (1296, 14), (64, 40)):
        noisy = plan(size, marked, fidelity=1.0)
        assert noisy.iterations == plan(size, marked).iterations
        assert noisy.forecast == pytest.approx(noisy.success_probability)
    assert plan(8).forecast is None


def test_two_iterations_beat_three_on_four_noisy_qubits():
    """Process fidelities of a stored 133-qubit device for 1, 2 and 3 iterations on 4 qubits.

    Without noise 3 iterations are best; simulations of the device agree that 2 are there.
    """
    kept = {0: 1.0, 1: 0.79, 2: 0.64, 3: 0.54}
    assert plan(16).iterations == 3
    assert plan(16, fidelity=kept.__getitem__).iterations == 2


def test_a_function_is_asked_no_more_than_is_needed():
    asked = []

    def kept(number):
        asked.append(number)
        return 0.2**number

    assert plan(4096, fidelity=kept).iterations == 1
    assert asked == [0, 1, 2, 3, 4, 5]  # of 51
    assert plan(4096, iterations=7, fidelity=kept).forecast == pytest.approx(
        forecast(0.2**7, 7, 4096, 1)
    )


def test_misuse():
    for wrong in (-0.1, 1.5, lambda _: 2.0, math.nan):
        with pytest.raises(UsageError, match="between 0 and 1"):
            plan(16, fidelity=wrong)
    with pytest.raises(UsageError, match="a number of iterations of its own"):
        plan(16, exact=True, fidelity=0.9)
    for share in (0, -0.5, 1.5):
        with pytest.raises(UsageError, match=r"share of marked states in \(0, 1\]"):
            plan_from_share(share)
    for wrong in (2.5, "2", None):
        with pytest.raises(UsageError, match="must be a whole number"):
            plan(wrong)
    with pytest.raises(UsageError, match=r"iterations must be a whole number, not 1\.5"):
        plan(16, iterations=1.5)
    assert plan(np.int64(16), np.int64(1)).iterations == 3


class Lossy(Backend):
    """Keeps a fixed share a two-qubit gate, and says so."""

    info = BackendInfo("lossy", "for tests", capabilities=frozenset({Capability.RUN}))

    def __init__(self, kept):
        self.kept = kept
        self.compilations = 0

    def _run(self, circuit, shots, seed):
        return StatevectorBackend().run(circuit, shots, seed)

    def compile(self, circuit, target=None, level=2, seed=None):
        self.compilations += 1
        made = lower(circuit)
        whole = tuple(range(circuit.num_qubits))
        return Compiled(
            circuit, made, None, Target.all_to_all(), "lossy", "1", level, "", seed, 0.0,
            whole, whole,
        )  # fmt: skip

    def expected_success(self, circuit):
        return self.kept ** count(circuit).two_qubit_gates


def test_a_backend_that_knows_its_noise_is_asked():
    oracle = from_formula("a & ~b & c & d")
    backend = Lossy(0.99)
    fidelity = backend_fidelity(oracle, backend)
    assert fidelity(0) == 1.0
    assert 0 < fidelity(2) < fidelity(1) < 1
    before = backend.compilations
    assert fidelity(2) == fidelity(2)
    assert backend.compilations == before  # each number is compiled once
    chosen = plan(16, fidelity=fidelity)
    assert chosen.iterations == max(range(4), key=lambda k: forecast(fidelity(k), k, 16, 1))
    found = search_known(oracle, backend, 1, fidelity=fidelity, seed=1)
    assert found.iterations == chosen.iterations
    assert found.assignment == {"a": 1, "b": 0, "c": 1, "d": 1}
    assert plan(16, fidelity=backend_fidelity(oracle, Lossy(0.9))).iterations == 1


def test_a_backend_without_a_forecast_is_not_asked():
    assert backend_fidelity(from_formula("a & b"), StatevectorBackend()) is None


def test_a_miss_under_noise_is_bounded_by_the_forecast():
    nothing = TableOracle([], bits(*"abc"))
    found = search_known(nothing, StatevectorBackend(), 1, fidelity=0.5, shots=10, seed=1)
    hit = plan(8, fidelity=0.5).forecast
    assert found.bits is None
    assert found.failure_bound == pytest.approx((1 - hit) ** 10)


def test_a_stored_device_prefers_fewer_iterations():
    """Four qubits on a device with couplings to its neighbours only: 2 iterations, not 3."""
    pytest.importorskip("qiskit_ibm_runtime")
    from qmastermind.registry import get_backend

    backend = get_backend("fake:torino")
    oracle = from_formula("a & ~b & c & d")
    fidelity = backend_fidelity(oracle, backend, seed=1)
    chosen = plan(16, fidelity=fidelity)
    assert plan(16).iterations == 3
    assert chosen.iterations < 3
    assert 0.3 < chosen.forecast < 0.9


def test_the_solver_takes_a_fidelity():
    from qmastermind.game import Codemaker
    from qmastermind.solvers import GroverSolver

    solution = GroverSolver(fidelity=0.9, shots=200, seed=1).solve(Codemaker("RBRY"))
    chosen = plan(1296, fidelity=0.9)
    assert solution.details["iterations"] == chosen.iterations < 28
    assert solution.details["forecast"] == pytest.approx(chosen.forecast)
    assert solution.details["success_probability"] == pytest.approx(chosen.success_probability)
