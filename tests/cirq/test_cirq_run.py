"""Runs on Cirq's simulators."""

import subprocess
import sys
from io import StringIO

import numpy as np
import pytest
from hypothesis import given, settings

from qmastermind.backend import Capability
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Measure, Phases, Register
from qmastermind.errors import (
    BackendError,
    MissingDependencyError,
    TooLargeError,
    UnknownNameError,
    UnsupportedError,
)
from qmastermind.gates import Gate
from qmastermind.registry import get_backend
from qmastermind.testing.reference import distribution, unitary
from qmastermind.testing.statistics import chi_squared_p_value
from qmastermind.testing.strategies import circuits

cirq = pytest.importorskip("cirq")

from qmastermind_cirq import CirqBackend, from_cirq  # noqa: E402


@settings(max_examples=60)
@given(circuit=circuits(measured=True))
def test_exact_probabilities(circuit: Circuit) -> None:
    exact = CirqBackend().probabilities(circuit).array()
    np.testing.assert_allclose(exact, distribution(circuit), atol=1e-9)


@settings(max_examples=25)
@given(circuit=circuits(max_qubits=3, max_operations=8, measured=True, dynamic=True))
def test_sampled_counts_fit_whatever_is_measured_in_between(circuit: Circuit) -> None:
    counts = CirqBackend().run(circuit, 400, seed=11).counts
    # 25 examples at 1e-7 each: a right program fails once in 400,000 runs
    assert chi_squared_p_value(counts, distribution(circuit)) > 1e-7


def test_a_bit_written_twice_keeps_the_last() -> None:
    b = CircuitBuilder(Register("q", 2))
    b.x(1)
    b.add(Measure(0, 1))
    b.add(Measure(1, 1))
    b.x(1)
    b.add(Measure(1, 0))
    assert CirqBackend().run(b.build(), 20).counts == {"01": 20}


def test_bits_that_are_never_written_are_0() -> None:
    b = CircuitBuilder(Register("q", 2))
    b.x(0)
    b.add(Measure(0, 2))
    assert CirqBackend().run(b.build(), 20).counts == {"001": 20}
    assert CirqBackend().probabilities(b.build()).probability("001") == pytest.approx(1)
    empty = Circuit((Register("q", 1),), (), num_bits=2)
    assert CirqBackend().run(empty, 5).counts == {"00": 5}


def test_exact_probabilities_need_final_measurements() -> None:
    b = CircuitBuilder(Register("q", 1))
    b.measure([0])
    b.h(0)
    with pytest.raises(UnsupportedError, match="final"):
        CirqBackend().probabilities(b.build())


def test_names() -> None:
    assert get_backend("cirq").name == get_backend("cirq:simulator").name == "cirq"
    with pytest.raises(UnknownNameError, match="qsim, simulator"):
        get_backend("cirq:qsym")


def test_qsim_without_qsimcirq_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qmastermind.backend._installed_version", lambda package: (
        None if package == "qsimcirq" else "1.0"
    ))  # fmt: skip
    with pytest.raises(
        MissingDependencyError, match=r"qsimcirq.*pip install 'qmastermind\[qsim\]'"
    ):
        get_backend("cirq:qsim")


def test_qsim_runs_the_same_circuits() -> None:
    pytest.importorskip("qsimcirq")
    backend = get_backend("cirq:qsim")
    assert backend.name == "cirq:qsim"
    assert backend.can(Capability.RUN)
    b = CircuitBuilder(Register("q", 5))
    for q in range(5):
        b.ry(0.3 + q, q)
    b.gate(Gate("ecr"), (3, 1))
    b.x(0, [1, 2, 3, 4], [0, 1, 1, 0])
    b.p(0.7, 4, [0, 2], [1, 0])
    circuit = b.build().measured([3, 0, 4])
    exact = distribution(circuit)
    np.testing.assert_allclose(backend.probabilities(circuit).array(), exact, atol=1e-5)
    counts = backend.run(circuit, 2000, seed=4).counts
    assert chi_squared_p_value(counts, exact) > 1e-6
    assert backend.run(circuit, 2000, seed=4).counts == counts


def test_states_that_do_not_fit_are_refused() -> None:
    circuit = Circuit((Register("q", 60),)).measured()
    with pytest.raises(TooLargeError):
        CirqBackend().run(circuit)


def test_a_failure_of_cirq_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise ValueError("boom")

    monkeypatch.setattr(cirq.Simulator, "run", fail)
    with pytest.raises(BackendError, match="Cirq failed: ValueError: boom"):
        CirqBackend().run(Circuit((Register("q", 1),)).measured())


def test_export_is_read_by_cirq() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.h(0)
    b.x(2, [0, 1], [1, 0])
    b.barrier()
    b.diagonal(Phases(3, np.linspace(0, 2, 8)), (2, 0, 1))
    text = CirqBackend().export(b.build(), "cirq-json").decode()
    read = from_cirq(cirq.read_json(StringIO(text)))
    np.testing.assert_allclose(unitary(read), unitary(b.build()), atol=1e-9)


def test_importing_the_plugin_imports_no_cirq() -> None:
    code = "import sys, qmastermind_cirq; sys.exit('cirq' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
