"""Runs on PennyLane's devices."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

from qmastermind.backend import Capability
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Measure, Register
from qmastermind.errors import BackendError, TooLargeError, UnknownNameError, UnsupportedError
from qmastermind.registry import get_backend
from qmastermind.target import Target
from qmastermind.testing.reference import distribution
from qmastermind.testing.statistics import chi_squared_p_value
from qmastermind.testing.strategies import circuits

qml = pytest.importorskip("pennylane")

from qmastermind_pennylane import PennyLaneBackend  # noqa: E402

DEVICES = ("default.qubit", "lightning.qubit")


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=40)
@given(circuit=circuits(measured=True))
def test_exact_probabilities(device: str, circuit: Circuit) -> None:
    exact = PennyLaneBackend(device).probabilities(circuit).array()
    np.testing.assert_allclose(exact, distribution(circuit), atol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=25)
@given(circuit=circuits(max_qubits=3, max_operations=8, measured=True, dynamic=True))
def test_whatever_is_measured_in_between(device: str, circuit: Circuit) -> None:
    backend, expected = PennyLaneBackend(device), distribution(circuit)
    np.testing.assert_allclose(backend.probabilities(circuit).array(), expected, atol=1e-6)
    counts = backend.run(circuit, 400, seed=11).counts
    # 25 examples at 1e-7 each: a right program fails once in 400,000 runs
    assert chi_squared_p_value(counts, expected) > 1e-7


def test_a_device_that_defers_measurements() -> None:
    backend = get_backend("pennylane:reference.qubit")
    b = CircuitBuilder(Register("q", 2))
    b.h(0)
    b.measure([0])
    b.reset(0)
    b.ry(0.7, 0)
    b.x(1, [0])
    circuit = b.build().measured([1])
    counts = backend.run(circuit, 500, seed=3).counts
    assert chi_squared_p_value(counts, distribution(circuit)) > 1e-6


def test_lightning_takes_wide_circuits_shot_by_shot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qmastermind_pennylane.backend._MAX_DEFERRED", 4)
    b = CircuitBuilder(Register("q", 2))
    for _ in range(4):
        b.ry(0.4, 0)
        b.reset(0)
        b.x(1, [0])
    b.ry(0.9, 1)
    b.measure([1])
    b.h(1)
    circuit = b.build().measured([1, 0])
    counts = PennyLaneBackend("lightning.qubit").run(circuit, 100, seed=3).counts
    assert chi_squared_p_value(counts, distribution(circuit)) > 1e-6


def test_a_bit_written_twice_keeps_the_last() -> None:
    b = CircuitBuilder(Register("q", 2))
    b.x(1)
    b.add(Measure(0, 1))
    b.add(Measure(1, 1))
    b.x(1)
    b.add(Measure(1, 3))
    for device in DEVICES:
        assert PennyLaneBackend(device).run(b.build(), 20).counts == {"0100": 20}


def test_bits_that_are_never_written_are_0() -> None:
    b = CircuitBuilder(Register("q", 2))
    b.x(0)
    b.add(Measure(0, 2))
    backend = PennyLaneBackend()
    assert backend.run(b.build(), 20).counts == {"001": 20}
    assert backend.probabilities(b.build()).probability("001") == pytest.approx(1)
    empty = Circuit((Register("q", 1),), (), num_bits=2)
    assert backend.run(empty, 5).counts == {"00": 5}
    assert backend.probabilities(empty).probability("00") == pytest.approx(1)


def test_seeds_repeat_and_differ() -> None:
    b = CircuitBuilder(Register("q", 6))
    for q in range(6):
        b.h(q)
    circuit = b.build().measured()
    for device in DEVICES:
        backend = PennyLaneBackend(device)
        first, again, other = (backend.run(circuit, 200, seed=s).counts for s in (1, 1, 2))
        assert first == again != other


def test_names_and_capabilities() -> None:
    assert get_backend("pennylane").name == "pennylane"
    assert get_backend("pennylane:lightning.qubit").name == "pennylane"
    assert get_backend("pennylane:default.qubit").name == "pennylane:default.qubit"
    assert get_backend("pennylane:default.qubit").can(Capability.EXACT)
    clifford = get_backend("pennylane:default.clifford")
    assert not clifford.can(Capability.EXACT)
    assert clifford.can(Capability.RUN)
    with pytest.raises(UnsupportedError):
        clifford.probabilities(Circuit((Register("q", 1),)).measured())
    with pytest.raises(UnknownNameError, match=r"lightning\.qubit.*Did you mean 'default\.qubit'"):
        get_backend("pennylane:defualt.qubit")


def test_what_a_device_cannot_do_is_our_error() -> None:
    b = CircuitBuilder(Register("q", 1))
    b.ry(0.3, 0)
    with pytest.raises(BackendError, match="PennyLane failed"):
        get_backend("pennylane:default.clifford").run(b.build().measured(), 10)


def test_states_that_do_not_fit_are_refused() -> None:
    b = CircuitBuilder(Register("q", 60))
    for q in range(60):
        b.h(q)
    with pytest.raises(TooLargeError):
        PennyLaneBackend().run(b.build().measured())


def test_compiled_for_a_large_device_only_the_used_qubits_are_simulated() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.h(0)
    b.x(2, [0])
    source = b.build().measured()
    backend = PennyLaneBackend()
    compiled = backend.compile(source, Target.heavy_hex(7))
    counts = backend.submit(compiled, 200, seed=1).result().counts
    assert set(counts) == {"000", "101"}


def test_importing_the_plugin_imports_no_pennylane() -> None:
    code = "import sys, qmastermind_pennylane; sys.exit('pennylane' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
