import itertools
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("qiskit.circuit")  # not this folder, which is importable as "qiskit"
pytest.importorskip("qiskit_aer")

from hypothesis import given, settings
from qiskit import QuantumCircuit
from qiskit.primitives import StatevectorSampler
from qiskit_aer import AerSimulator
from qiskit_aer.noise import NoiseModel, depolarizing_error
from qiskit_aer.primitives import SamplerV2
from qiskit_truth import chi_squared_p

from qmastermind.backend import Capability
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Phases, Query, Register
from qmastermind.errors import (
    BackendError,
    MissingDependencyError,
    TooLargeError,
    UnknownNameError,
    UnsupportedError,
    UsageError,
)
from qmastermind.gates import GATES, Gate
from qmastermind.registry import get_backend
from qmastermind.simulator import StatevectorBackend
from qmastermind.target import Target
from qmastermind.testing.reference import distribution, unitary
from qmastermind.testing.strategies import circuits
from qmastermind_qiskit import QiskitBackend, from_qiskit, to_qiskit
from qmastermind_qiskit.aer import to_aer

FALSE_ALARM = 1e-6  # of each chi-squared test


def on(size):
    return CircuitBuilder(Register("x", size))


def asymmetric():
    b = on(3)
    b.ry(0.5, 0)
    b.ry(1.2, 1)
    b.x(2, [0, 1], [1, 0])
    b.measure([2, 0, 1])
    return b.build()


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("count", range(5))
def test_aer_has_every_gate_under_every_pattern_of_controls(name, count):
    """Aer's own unitary of the circuit that it is given."""
    kind = GATES[name]
    width = kind.num_qubits + count
    order = np.random.default_rng(count).permutation(width).tolist()
    angles = (0.3, -1.1, 0.7)[: kind.num_params]
    patterns = list(itertools.product((0, 1), repeat=count))
    for values in patterns[:: 1 if count < 3 else 3]:
        b = on(width)
        b.global_phase = 0.4
        b.gate(Gate(name, angles), order[count:], order[:count], values)
        native = to_aer(b.build())
        native.save_unitary()
        made = AerSimulator(method="unitary").run(native).result().get_unitary()
        assert np.abs(made.reverse_qargs().data - unitary(b.build())).max() < 1e-9


@given(circuits(measured=True))
@settings(max_examples=60)
def test_exact_probabilities(circuit):
    found = QiskitBackend().probabilities(circuit).array()
    assert np.allclose(found, distribution(circuit), atol=1e-9)


@given(circuits(max_qubits=3, max_operations=8, dynamic=True, measured=True))
@settings(max_examples=40)
def test_counts_with_measurement_and_reset_in_between(circuit):
    counts = QiskitBackend().run(circuit, 2000, seed=11).counts
    assert counts.shots == 2000
    assert chi_squared_p(counts, distribution(circuit)) > FALSE_ALARM


class TestBits:
    def test_bit_0_is_leftmost(self):
        b = on(3)
        b.x(0)
        assert QiskitBackend().run(b.build().measured(), 10).counts == {"100": 10}

    def test_bits_follow_the_measurement_and_not_the_qubit(self):
        b = on(3)
        b.x(0)
        b.measure([1, 0])
        assert QiskitBackend().run(b.build(), 10).counts == {"01": 10}
        assert QiskitBackend().probabilities(b.build()).probability("01") == pytest.approx(1)

    def test_bits_that_nothing_is_written_to_are_0(self):
        native = QuantumCircuit(1, 4)
        native.x(0)
        native.measure(0, 2)
        circuit = from_qiskit(native)
        assert QiskitBackend().run(circuit, 10).counts == {"0010": 10}
        assert QiskitBackend().probabilities(circuit).array()[0b0010] == pytest.approx(1)

    def test_qiskits_samplers_agree_once_their_strings_are_turned_round(self):
        native = to_qiskit(asymmetric())
        for sampler in (StatevectorSampler(seed=3), SamplerV2(seed=3)):
            compiled = QiskitBackend().compile(asymmetric(), level=1).native
            runs = compiled if isinstance(sampler, SamplerV2) else native
            (outcome,) = sampler.run([runs], shots=4000).result()
            turned = {k[::-1]: v for k, v in outcome.data.result.get_counts().items()}
            assert chi_squared_p(turned, distribution(asymmetric())) > FALSE_ALARM

    def test_a_dense_diagonal_is_run_whole(self):
        b = on(4)
        for q in range(4):
            b.h(q)
        angles = np.random.default_rng(4).normal(size=16)
        b.diagonal(Phases(4, angles), [2, 0, 3, 1])
        for q in range(4):
            b.h(q)
        assert to_aer(b.build()).count_ops()["diagonal"] == 1
        circuit = b.build().measured()
        found = QiskitBackend().probabilities(circuit).array()
        assert np.allclose(found, distribution(circuit), atol=1e-9)


class TestRuns:
    def test_seeds_repeat_and_differ(self):
        backend = QiskitBackend()
        first = backend.run(asymmetric(), 500, seed=1).counts
        assert backend.run(asymmetric(), 500, seed=1).counts == first
        assert QiskitBackend().run(asymmetric(), 500, seed=1).counts == first
        assert backend.run(asymmetric(), 500, seed=2).counts != first

    def test_compiled_circuits_give_the_same_distribution(self):
        backend = QiskitBackend()
        compiled = backend.compile(asymmetric(), Target.line(4), 3, 1)
        counts = backend.submit(compiled, 4000, seed=5).result().counts
        assert chi_squared_p(counts, distribution(asymmetric())) > FALSE_ALARM

    def test_queries_are_counted_once_a_run(self):
        class Tally(Query):
            def __init__(self):
                self.seen = []

            def record(self, uses, shots):
                self.seen.append((uses, shots))

        oracle = on(2)
        oracle.z(1, [0])
        query = Tally()
        b = on(2)
        b.append(oracle.build(), [0, 1], repetitions=3, query=query)
        circuit = b.build().measured()
        backend = QiskitBackend("fake_manila")
        QiskitBackend().run(circuit, 10)
        backend.run(circuit, 20)
        backend.submit(backend.compile(circuit, seed=1), 30).result()
        assert query.seen == [(3, 10), (3, 20), (3, 30)]

    def test_hundred_qubits_of_a_clifford_circuit(self):
        b = on(100)
        for q in range(100):
            b.h(q)
        for q in range(0, 100, 3):
            b.z(q)
        for q in range(100):
            b.h(q)
        (bits,) = QiskitBackend().run(b.build().measured(), 5).counts
        assert bits == ("100" * 34)[:100]

    @pytest.mark.parametrize(
        "name",
        [
            "aer",
            "aer_simulator",
            "aer_simulator_statevector",
            "aer_simulator_density_matrix",
            "aer_simulator_matrix_product_state",
            "basic_simulator",
        ],
    )
    def test_local_backends_of_a_name(self, name):
        backend = get_backend(f"qiskit:{name}")
        assert backend.name == f"qiskit:{name}"
        counts = backend.run(asymmetric(), 2000, seed=3).counts
        assert chi_squared_p(counts, distribution(asymmetric())) > FALSE_ALARM
        assert backend.run(asymmetric(), 2000, seed=3).counts == counts

    def test_the_stabilizer_method(self):
        b = on(2)
        b.h(0)
        b.x(1, [0], [0])
        counts = QiskitBackend("aer_simulator_stabilizer").run(b.build().measured(), 100, 1).counts
        assert set(counts) == {"01", "10"}
        with pytest.raises(UnsupportedError, match="stabilizer"):
            QiskitBackend("aer_simulator_stabilizer").run(asymmetric(), 100, 1)


class TestDevices:
    def test_a_stored_device(self):
        fakes = pytest.importorskip("qiskit_ibm_runtime.fake_provider")
        backend = QiskitBackend(fakes.FakeManilaV2())
        assert backend.name == "qiskit:fake_manila"
        b = on(3)
        b.x(0)
        b.x(2, [0])
        circuit = b.build().measured([2, 1, 0])
        result = backend.run(circuit, 1000, seed=4)
        assert result.counts["101"] > 800
        assert result.counts["101"] < 1000, "the device is noisy"
        assert backend.run(circuit, 1000, seed=4).counts == result.counts
        assert not backend.can(Capability.EXACT)
        assert backend.can(Capability.MID_CIRCUIT)
        with pytest.raises(UnsupportedError, match="no exact probabilities"):
            backend.probabilities(circuit)

    def test_what_was_compiled_for_it_runs_as_it_is(self):
        pytest.importorskip("qiskit_ibm_runtime")
        backend = QiskitBackend("fake_manila")
        compiled = backend.compile(asymmetric(), level=3, seed=1)
        assert compiled.target == backend.device
        assert set(compiled.native.count_ops()) <= {"rz", "sx", "x", "cx", "measure", "barrier"}
        ran = []
        original = backend.native.run
        backend.native.run = lambda native, **options: (
            ran.append(native) or original(native, **options)
        )
        backend.submit(compiled, 100, seed=1).result()
        assert ran == [compiled.native]
        elsewhere = QiskitBackend().compile(asymmetric(), level=0)
        assert backend.submit(elsewhere, 100, seed=1).result().counts.shots == 100
        assert ran[-1] is not elsewhere.native

    def test_noise_reaches_multi_controlled_gates(self):
        """Left whole, a multi-controlled gate would escape noise that goes by gate names."""
        noise = NoiseModel(basis_gates=["rz", "sx", "x", "cx"])
        noise.add_all_qubit_quantum_error(depolarizing_error(0.1, 2), ["cx"])
        b = on(4)
        for q in range(3):
            b.x(q)
        b.x(3, [0, 1, 2])
        circuit = b.build().measured()
        noisy = QiskitBackend(AerSimulator(noise_model=noise)).run(circuit, 2000, seed=1).counts
        assert 100 < noisy["1111"] < 1000
        assert QiskitBackend().run(circuit, 2000, seed=1).counts == {"1111": 2000}

    def test_it_can_be_what_it_declares(self):
        backend = QiskitBackend()
        assert all(backend.can(capability) for capability in backend.info.capabilities)
        assert not backend.can(Capability.REMOTE)


class TestRefused:
    def test_more_qubits_than_memory_says_what_fits(self):
        b = on(48)
        for q in range(48):
            b.ry(0.1, q)
        b.p(0.3, 0, range(1, 48))
        circuit = b.build().measured()
        for work in (QiskitBackend().run, QiskitBackend().probabilities):
            with pytest.raises(TooLargeError, match=r"at most \d\d qubits fit"):
                work(circuit)

    def test_more_qubits_than_the_device(self):
        pytest.importorskip("qiskit_ibm_runtime")
        with pytest.raises(TooLargeError, match=r"6 qubits, target .fake_manila. has 5"):
            QiskitBackend("fake_manila").run(on(6).build().measured(), 10)
        with pytest.raises(TooLargeError, match="basic_simulator"):
            QiskitBackend("basic_simulator").run(on(26).build().measured(), 10)

    def test_names_that_there_are_not(self):
        with pytest.raises(UnknownNameError, match="Did you mean 'basic_simulator'"):
            get_backend("qiskit:basic_simulatr")

    def test_a_stored_device_without_the_client(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "qiskit_ibm_runtime", None)
        with pytest.raises(MissingDependencyError, match=r"qmastermind\[ibm\]"):
            get_backend("qiskit:fake_manila")

    def test_something_that_is_no_backend(self):
        with pytest.raises(UsageError, match="BackendV2"):
            QiskitBackend(3).run(asymmetric())

    def test_nothing_measured_and_no_shots(self):
        with pytest.raises(UsageError, match="measures nothing"):
            QiskitBackend().run(on(1).build())
        with pytest.raises(UsageError, match="at least 1"):
            QiskitBackend().run(asymmetric(), 0)

    def test_probabilities_of_what_is_not_final(self):
        b = on(1)
        b.measure([0])
        b.h(0)
        b.measure([0])
        with pytest.raises(UnsupportedError, match="final"):
            QiskitBackend().probabilities(b.build())

    def test_no_bits_have_the_empty_distribution(self):
        assert QiskitBackend().probabilities(on(2).build()).array().tolist() == [1.0]

    def test_a_failing_framework_raises_ours(self, monkeypatch):
        backend = QiskitBackend()

        def fail(*args, **options):
            raise KeyError("deep inside")

        monkeypatch.setattr(backend.native, "run", fail)
        with pytest.raises(BackendError, match=r"running on aer_simulator.*deep inside"):
            backend.run(asymmetric())

    def test_a_panic_raises_ours(self, monkeypatch):
        class PanicException(BaseException):
            pass

        backend = QiskitBackend()

        def panic(*args, **options):
            raise PanicException("index out of bounds")

        monkeypatch.setattr(backend.native, "run", panic)
        with pytest.raises(BackendError, match="index out of bounds"):
            backend.run(asymmetric())

    def test_an_interrupt_is_not_swallowed(self, monkeypatch):
        backend = QiskitBackend()

        def stop(*args, **options):
            raise KeyboardInterrupt

        monkeypatch.setattr(backend.native, "run", stop)
        with pytest.raises(KeyboardInterrupt):
            backend.run(asymmetric())


def test_importing_the_plugin_imports_no_qiskit():
    code = (
        "import sys, qmastermind_qiskit as q\n"
        "from qmastermind.registry import registered_backends\n"
        "b = registered_backends()['qiskit'].cls()\n"
        "b.name, b.info.missing(), dir(q)\n"
        "print([m for m in sys.modules if m.partition('.')[0].startswith('qiskit')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_empty_circuit():
    assert QiskitBackend().compile(Circuit((Register("x", 2),))).circuit.operations == ()


@pytest.mark.parametrize("gate", ["s", "sdg", "t", "tdg", "z"])
def test_phases_between_two_x_on_many_qubits(gate):
    """From 14 qubits on Aer's fusion is wrong about s and sdg between two X."""
    builder = CircuitBuilder(Register("x", 16))
    builder.h(0)
    builder.x(1, [0])
    builder.p(1.7, 3, [1])
    builder.x(1)
    builder.gate(Gate(gate), [1])
    builder.x(1)
    for qubit in range(4):
        builder.h(qubit)
    circuit = builder.build().measured([0, 1, 3])
    expected = StatevectorBackend().probabilities(circuit).array()
    assert np.allclose(QiskitBackend().probabilities(circuit).array(), expected)
