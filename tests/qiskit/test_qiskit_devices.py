import math

import pytest

pytest.importorskip("qiskit.circuit")  # not this folder, which is importable as "qiskit"
pytest.importorskip("qiskit_ibm_runtime")

from qiskit.circuit import Parameter, library
from qiskit.providers.fake_provider import GenericBackendV2
from qiskit.transpiler import InstructionProperties, QubitProperties
from qiskit.transpiler import Target as NativeTarget
from qiskit_aer import AerSimulator
from qiskit_ibm_runtime import fake_provider as fakes
from qiskit_truth import assert_compiled

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import UnsupportedError
from qmastermind.target import Target
from qmastermind_qiskit import QiskitBackend, named_backend, target_from_qiskit, unusable_couplings


class Device(GenericBackendV2):
    """A backend with a target of the test's own."""

    def __init__(self, target):
        super().__init__(num_qubits=target.num_qubits)
        self._target = target


def device(errors, one_qubit_errors=None, gate=None):
    """Couplings with these error rates, None for no entry, "none" for an entry without a rate."""
    qubits = 1 + max(max(pair) for pair in errors)
    native = NativeTarget(num_qubits=qubits)
    ones = one_qubit_errors or {}
    native.add_instruction(
        library.SXGate(),
        {(q,): InstructionProperties(error=ones.get(q, 1e-4)) for q in range(qubits)},
    )
    native.add_instruction(library.XGate(), {(q,): None for q in range(qubits)})
    native.add_instruction(library.RZGate(Parameter("t")), {(q,): None for q in range(qubits)})
    native.add_instruction(
        gate or library.CZGate(),
        {
            pair: None if error == "none" else InstructionProperties(error=error)
            for pair, error in errors.items()
        },
    )
    return Device(native)


def circuit():
    b = CircuitBuilder(Register("x", 3))
    b.h(0)
    b.z(2, [0, 1], [0, 1])
    b.swap(0, 2)
    b.t(1)
    return b.build()


def test_the_basis_and_the_couplings():
    target = target_from_qiskit(fakes.FakeManilaV2())
    assert set(target.basis) == {"rz", "sx", "x", "cx"}
    assert target.num_qubits == 5
    assert target.coupling == {(0, 1), (1, 2), (2, 3), (3, 4)}
    assert target.name == "fake_manila"


def test_the_old_basis_of_ibm_is_ours_under_other_names():
    assert set(target_from_qiskit(fakes.FakeAlmadenV2()).basis) == {"p", "u", "cx"}


@pytest.mark.parametrize(
    ("kind", "qubits", "couplings", "bad", "gate"),
    [
        # Couplings without direction; the calibration data ship with qiskit-ibm-runtime.
        ("FakeTorino", 133, 150, 11, "cz"),
        ("FakeSherbrooke", 127, 144, 9, "ecr"),
        ("FakeFez", 156, 176, 7, "cz"),
    ],
)
def test_ibms_stored_devices_without_their_broken_couplings(kind, qubits, couplings, bad, gate):
    backend = getattr(fakes, kind)()
    target = target_from_qiskit(backend)
    unusable = unusable_couplings(backend)
    assert (target.num_qubits, len(unusable)) == (qubits, bad)
    assert len(target.coupling) == couplings - bad
    assert target.coupling.isdisjoint(unusable)
    assert gate in target.basis
    assert all("error rate 1" in reason for reason in unusable.values())


def test_a_device_whose_couplings_are_all_broken():
    with pytest.raises(UnsupportedError, match=r"fake_kyoto.*all of its 144 couplings"):
        target_from_qiskit(fakes.FakeKyoto())


def test_missing_and_unit_error_rates():
    backend = device({(0, 1): 0.01, (1, 2): 1.0, (2, 3): "none", (3, 4): 0.02, (4, 0): 1})
    assert unusable_couplings(backend) == {
        (0, 4): "cz has error rate 1",
        (1, 2): "cz has error rate 1",
        (2, 3): "cz has no error rate",
    }
    assert target_from_qiskit(backend).coupling == {(0, 1), (3, 4)}


def test_one_good_direction_is_enough():
    backend = device({(0, 1): 1.0, (1, 0): 0.01, (1, 2): 0.01}, gate=library.CXGate())
    assert unusable_couplings(backend) == {}


def test_a_qubit_with_a_broken_gate_takes_its_couplings_along():
    backend = device({(0, 1): 0.01, (1, 2): 0.01, (2, 3): 0.01}, {2: 1.0})
    assert unusable_couplings(backend) == {
        (1, 2): "sx on qubit 2 has error rate 1",
        (2, 3): "sx on qubit 2 has error rate 1",
    }


def test_no_error_rates_at_all_are_an_ideal_device():
    backend = device({(0, 1): "none", (1, 2): "none"})
    assert unusable_couplings(backend) == {}
    assert target_from_qiskit(backend).coupling == {(0, 1), (1, 2)}


def test_simulators_have_no_coupling_map():
    assert target_from_qiskit(AerSimulator(method="density_matrix")).coupling is None
    assert target_from_qiskit(named_backend("basic_simulator")).coupling is None


def test_one_qubit():
    target = target_from_qiskit(fakes.FakeArmonkV2())
    assert (target.num_qubits, target.coupling) == (1, frozenset())


def test_every_stored_device_is_a_target():
    from qmastermind_qiskit.devices import _stored_devices

    names = sorted(_stored_devices(required=True))
    assert len(names) > 50
    for name in ("fake_cairo", "fake_fractional", "fake_prague", "fake_guadalupe", "fake_boston"):
        target = target_from_qiskit(named_backend(name))
        assert target.name == name
        assert any(gate in target.basis for gate in ("cx", "cz", "ecr"))


class TestCompile:
    @pytest.mark.parametrize("level", range(4))
    def test_for_the_device_itself(self, level):
        backend = QiskitBackend(fakes.FakeGuadalupeV2())
        compiled = backend.compile(circuit(), level=level, seed=2)
        assert compiled.target == target_from_qiskit(backend.native)
        assert compiled.target.name == "fake_guadalupe"
        assert_compiled(compiled)

    @pytest.mark.parametrize("level", range(4))
    def test_broken_couplings_are_avoided(self, level):
        """A ring of five whose shortest ways are broken."""
        errors = {(0, 1): 0.01, (1, 2): 1.0, (2, 3): 0.01, (3, 4): 0.01, (4, 0): 0.01}
        backend = QiskitBackend(device(errors))
        for seed in range(4):
            compiled = backend.compile(circuit(), level=level, seed=seed)
            assert (1, 2) not in compiled.target.coupling
            assert_compiled(compiled)

    def test_the_direction_of_a_gate_is_kept(self):
        backend = QiskitBackend(device({(1, 0): 0.01, (1, 2): 0.02}, gate=library.CXGate()))
        native = backend.compile(circuit(), level=3, seed=1).native
        pairs = {
            tuple(native.find_bit(q).index for q in s.qubits)
            for s in native.data
            if len(s.qubits) == 2
        }
        assert pairs <= {(1, 0), (1, 2)}

    @pytest.mark.parametrize("kind", ["FakeCairoV2", "FakeFractionalBackend", "FakePeekskill"])
    def test_unusual_devices(self, kind):
        compiled = QiskitBackend(getattr(fakes, kind)()).compile(circuit(), level=3, seed=1)
        assert_compiled(compiled)

    def test_a_large_device(self):
        b = CircuitBuilder(Register("x", 4))
        b.h(0)
        b.p(math.pi / 3, 3, [0, 1, 2], [1, 0, 1])
        compiled = QiskitBackend(fakes.FakeTorino()).compile(b.build(), level=3, seed=1)
        assert compiled.circuit.num_qubits == 133
        assert_compiled(compiled)

    def test_the_target_of_a_device_serves_any_backend(self):
        target = target_from_qiskit(fakes.FakeGuadalupeV2())
        compiled = QiskitBackend().compile(circuit(), target, 3, 1)
        assert isinstance(compiled.target, Target)
        assert_compiled(compiled)


@pytest.mark.parametrize(
    ("error", "reason"),
    [(None, "has no error rate"), (float("nan"), "has no error rate"), (1.0, "has error rate 1")],
)
def test_a_qubit_without_a_rate_that_others_have_is_not_used(error, reason):
    backend = device({(0, 1): 0.01, (1, 2): 0.01, (2, 3): 0.01}, {1: error})
    assert unusable_couplings(backend) == {
        (0, 1): f"sx on qubit 1 {reason}",
        (1, 2): f"sx on qubit 1 {reason}",
    }
    assert target_from_qiskit(backend).coupling == {(2, 3)}
    compiled = QiskitBackend(backend).compile(Circuit((Register("q", 1),)), level=3, seed=1)
    assert compiled.initial_layout != (1,)


def test_a_coupling_whose_rate_is_no_number_is_not_used():
    backend = device({(0, 1): float("nan"), (1, 2): 0.01})
    assert unusable_couplings(backend) == {(0, 1): "cz has no error rate"}


@pytest.mark.parametrize("seconds", [0.0, float("nan"), -1.0])
def test_a_qubit_that_loses_everything_at_once_is_not_used(seconds):
    backend = device({(0, 1): 0.01, (1, 2): 0.01})
    backend.target.qubit_properties = [
        QubitProperties(t1=1e-4, t2=1e-4),
        QubitProperties(t1=1e-4, t2=1e-4),
        QubitProperties(t1=seconds, t2=1e-4),
    ]
    assert unusable_couplings(backend) == {(1, 2): f"T1 of qubit 2 is {seconds:g}"}
