"""The suite on backends that are one device: a stored one, and one of an account.

Both without noise, since the suite compares with exact distributions. What is sent to the account's
device runs here, and its records are written as for any other job.
"""

import math
from dataclasses import replace

import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

DEVICE = "guadalupe"  # 16 qubits, with reset


def without_noise():
    """The device with every error 0, as one of an account."""
    from qiskit.transpiler import InstructionProperties, QubitProperties, Target

    from qmastermind_qiskit.ibm.device import Readout, snapshot
    from qmastermind_qiskit.ibm.noise import _described

    device = snapshot(DEVICE)
    ideal = Target(
        num_qubits=device.num_qubits,
        dt=device.target.dt,
        qubit_properties=[QubitProperties(t1=math.inf, t2=math.inf)] * device.num_qubits,
    )
    for name in device.target.operation_names:
        entries = {
            qubits: InstructionProperties(entry.duration, 0.0)
            for qubits, entry in device.target[name].items()
        }
        ideal.add_instruction(device.target.operation_from_name(name), entries, name=name)
    return replace(
        device,
        name=f"ibm_{DEVICE}",
        target=ideal,
        readout=(Readout(0.0, 0.0),) * device.num_qubits,
        backend=_described(f"ibm_{DEVICE}", ideal),
    )


class NativeCircuits(BackendConformance):
    def read_native(self, compiled):
        from qmastermind_qiskit.importer import from_qiskit

        return from_qiskit(compiled.native)


class TestFake(NativeCircuits):
    @classmethod
    def make_backend(cls):
        from qiskit_aer.noise import NoiseModel

        from qmastermind_qiskit.ibm.backend import FakeBackend

        return FakeBackend(DEVICE, noise_model=NoiseModel())


class TestIbm(NativeCircuits):
    @pytest.fixture(autouse=True)
    def _home(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("QMASTERMIND_HOME", str(tmp_path))
        for name in ("QISKIT_IBM_TOKEN", "QISKIT_IBM_INSTANCE", "QISKIT_IBM_URL"):
            monkeypatch.delenv(name, raising=False)

    @classmethod
    def make_backend(cls):
        from qmastermind_qiskit.ibm.backend import IbmBackend
        from qmastermind_qiskit.ibm.local import LocalClient

        backend = IbmBackend(DEVICE, force=True)
        backend.device, backend.client = without_noise(), LocalClient()
        return backend

    # It compiles as the stored device does, which takes all gates; each run writes its record.
    @pytest.mark.parametrize("num_controls", [0, 2])
    @pytest.mark.parametrize("name", ["x", "p", "u", "swap"])
    def test_gate(self, runner, name, num_controls):
        super().test_gate(runner, name, num_controls)

    @pytest.mark.parametrize("num_controls", [1])
    def test_diagonal(self, runner, num_controls):
        super().test_diagonal(runner, num_controls)
