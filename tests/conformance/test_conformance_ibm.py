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


class Here:
    """A service whose jobs are done as soon as they are sent."""

    instance = "here"

    def __init__(self):
        self.jobs = {}

    def send(self, circuits, device, options, tag, batch=None):
        from qmastermind_qiskit.ibm.noise import NoisySimulator

        job = FinishedJob(f"d{len(self.jobs)}", NoisySimulator(device).run(circuits, options.shots))
        self.jobs[job.job_id] = tag, job
        return job.job_id

    def find(self, tag):
        return [job_id for job_id, (own, _) in self.jobs.items() if own == tag]

    def job(self, job_id):
        return self.jobs[job_id][1]


class FinishedJob:
    def __init__(self, job_id, counts):
        self.job_id, self._counts = job_id, counts

    def progress(self):
        from qmastermind_qiskit.ibm.client import Progress

        return Progress("done")

    def counts(self):
        return self._counts

    def seconds(self):
        return None

    def cancel(self):
        from qmastermind_qiskit.ibm.errors import JobFailedError

        raise JobFailedError(f"job {self.job_id} cannot be cancelled: it is done", "")


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

        backend = IbmBackend(DEVICE, force=True)
        backend.device, backend.client = without_noise(), Here()
        return backend

    # It compiles as the stored device does, which takes all gates; each run writes its record.
    @pytest.mark.parametrize("num_controls", [0, 2])
    @pytest.mark.parametrize("name", ["x", "p", "u", "swap"])
    def test_gate(self, runner, name, num_controls):
        super().test_gate(runner, name, num_controls)

    @pytest.mark.parametrize("num_controls", [1])
    def test_diagonal(self, runner, num_controls):
        super().test_diagonal(runner, num_controls)
