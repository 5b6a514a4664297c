"""The backends ``fake`` (a stored device, simulated here) and ``ibm`` (a device of the account).

Both compile for their device with several layouts, and both keep a record of a job that is
submitted, before it is sent. They differ in where it goes.
"""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from qmastermind.backend import Backend, BackendInfo, Capability, Compiled, Job, Result
from qmastermind.circuit import Circuit
from qmastermind.errors import UnsupportedError, UsageError
from qmastermind.results import Counts
from qmastermind.target import Target
from qmastermind.validation import check_seed
from qmastermind_qiskit.ibm.account import IbmClient
from qmastermind_qiskit.ibm.client import Client, RunOptions
from qmastermind_qiskit.ibm.compilation import compile_circuit, require_isa, require_room
from qmastermind_qiskit.ibm.device import Device, snapshot, snapshot_names
from qmastermind_qiskit.ibm.errors import JobFailedError
from qmastermind_qiskit.ibm.forecast import forecast
from qmastermind_qiskit.ibm.jobs import cancel, look
from qmastermind_qiskit.ibm.jobs import result as fetch
from qmastermind_qiskit.ibm.noise import NoisySimulator
from qmastermind_qiskit.ibm.plan import PartPlan, Plan
from qmastermind_qiskit.ibm.records import FINAL, JobRecord, JobStore
from qmastermind_qiskit.ibm.submit import submit
from qmastermind_qiskit.ibm.tasks import plain

if TYPE_CHECKING:
    from qiskit_aer.noise import NoiseModel

_log = logging.getLogger(__name__)


class _DeviceBackend(Backend):
    """What both share: compilation for a device, and jobs with records."""

    @cached_property
    def device(self) -> Device:
        """The device with its calibration."""
        raise NotImplementedError

    @cached_property
    def target(self) -> Target:
        """The device as a target for any framework; broken couplings are left out."""
        from qmastermind_qiskit.devices import target_from_qiskit

        return target_from_qiskit(self.device.backend)

    @property
    def name(self) -> str:
        """The registered name and the device's, such as ``fake:torino``."""
        short = self.device.name.removeprefix("fake_").removeprefix("ibm_")
        return f"{self.info.name}:{short}"

    def compile(
        self,
        circuit: Circuit,
        target: Target | None = None,
        level: int = 3,
        seed: int | None = None,
    ) -> Compiled:
        """Compiles for this device with its calibration; lower levels keep bad qubits.

        Args:
            circuit: With or without measurements. All its qubits start in |0>.
            target: This device's own, or None.
            level: Qiskit's optimisation level, 0 to 3.
            seed: Of layout and routing.

        Raises:
            UnsupportedError: For another target.
            TooLargeError: If the device has too few qubits.
        """
        from qmastermind_qiskit.importer import from_qiskit

        if target is not None and target != self.target:
            raise UnsupportedError(f"backend {self.name!r} compiles for its own device only")
        started = time.perf_counter()
        require_room(circuit, self.device)
        placed = compile_circuit(circuit, self.device, level, seed)
        return Compiled(
            source=circuit,
            circuit=from_qiskit(placed.native),
            native=placed.native,
            target=self.target,
            backend=self.name,
            version=self.version,
            level=level,
            passes=f"preset pass manager, level {level}",
            seed=seed,
            seconds=time.perf_counter() - started,
            initial_layout=placed.initial_layout,
            final_layout=placed.final_layout,
        )

    def expected_success(self, circuit: Circuit) -> float:
        """The share of runs of a compiled circuit in which nothing is expected to go wrong.

        The product of calibrated process fidelities, with idle decay, and with readout where the
        circuit measures: :func:`qmastermind_qiskit.ibm.fidelity.expected_success`.

        Args:
            circuit: Neutral, in the basis of :attr:`target` and on this device's physical qubits,
                by whichever framework it was compiled.

        Returns:
            In [0, 1], an optimistic bound; 0 if the circuit uses what is reported as broken.

        Raises:
            TooLargeError: If the circuit has more qubits than the device.
            NotIsaError: If it has a gate or a coupling that the device lacks.
        """
        from qmastermind_qiskit.ibm.fidelity import expected_success

        return expected_success(circuit, self.device)


class FakeBackend(_DeviceBackend):
    """A stored device of IBM: runs are simulated here with its noise, idle time included.

    Args:
        device: Its name, such as ``torino``, or a device that was read otherwise.
        noise_model: A noise model of Aer for the device's qubits, in place of the calibrated one.
    """

    info: ClassVar[BackendInfo] = BackendInfo(
        name="fake",
        summary="stored IBM devices, simulated with their noise: fake:torino",
        packages=("qiskit", "qiskit-aer", "qiskit-ibm-runtime"),
        extra="ibm",
        capabilities=frozenset(
            {Capability.RUN, Capability.SEED, Capability.MID_CIRCUIT, Capability.OWN_DEVICE}
        ),
    )

    def __init__(
        self, device: str | Device = "manila", noise_model: NoiseModel | None = None
    ) -> None:
        self.require()
        self._given = device
        self._model = noise_model

    @classmethod
    def create(cls, argument: str | None = None) -> FakeBackend:
        """Makes a backend; the argument is a device: ``fake:torino``. Default: ``manila``.

        Raises:
            DeviceNotFoundError: If there is no stored device of that name.
            MissingDependencyError: If a package is missing.
        """
        cls.require()
        backend = cls(argument or "manila")
        _ = backend.device  # an unknown name fails here, not in the middle of a run
        return backend

    @classmethod
    def devices(cls) -> list[str]:
        """Names of the stored devices, each an argument of this backend.

        Raises:
            MissingDependencyError: If a package is missing.
        """
        cls.require()
        return snapshot_names()

    @cached_property
    def device(self) -> Device:
        """The stored device."""
        return snapshot(self._given) if isinstance(self._given, str) else self._given

    @cached_property
    def simulator(self) -> NoisySimulator:
        """What runs circuits with the device's noise."""
        return NoisySimulator(self.device, self._model)

    def _run(self, circuit: Circuit, shots: int, seed: int | None) -> Result:
        return self._run_compiled(self.compile(circuit, seed=seed), shots, seed)

    def _run_compiled(self, compiled: Compiled, shots: int, seed: int | None) -> Result:
        require_isa([compiled.native], self.device)
        return Result(self.simulator.run([compiled.native], shots, seed)[0])


class IbmBackend(_DeviceBackend):
    """A device of an IBM Quantum account.

    A run waits for its job. :meth:`submit` does not: the job's record is on disk before it is
    sent, and ``qmastermind ibm result`` finds it whatever becomes of this process.

    Args:
        device: Its name, such as ``torino`` or ``ibm_torino``; default the least busy.
        options: How jobs are run; the shots are given with each.
        force: Send circuits whatever the forecast says.
    """

    info: ClassVar[BackendInfo] = BackendInfo(
        name="ibm",
        summary="devices of an IBM Quantum account: ibm:torino",
        packages=("qiskit", "qiskit-aer", "qiskit-ibm-runtime"),
        extra="ibm",
        capabilities=frozenset({Capability.RUN, Capability.OWN_DEVICE, Capability.REMOTE}),
    )

    def __init__(
        self,
        device: str | None = None,
        options: RunOptions | None = None,
        force: bool = False,
    ) -> None:
        self.require()
        self._given = device
        self.options = options or RunOptions()
        self.force = force

    @classmethod
    def create(cls, argument: str | None = None) -> IbmBackend:
        """Makes a backend; nothing is asked of the service before it is used.

        Raises:
            UsageError: If no device is named.
            MissingDependencyError: If a package is missing.
        """
        cls.require()
        if argument is None:
            raise UsageError(
                "name a device: ibm:torino; `qmastermind ibm devices` lists those of the account"
            )
        return cls(argument)

    @classmethod
    def devices(cls) -> list[str]:
        """Names of the account's devices, each an argument of this backend.

        Raises:
            MissingDependencyError: If a package is missing.
            IbmError: If the service cannot be asked.
        """
        cls.require()
        return IbmClient.connect().device_names()

    @cached_property
    def client(self) -> IbmClient:
        """The connection."""
        return IbmClient.connect()

    @cached_property
    def device(self) -> Device:
        """The device with its calibration of when it was first needed."""
        if self._given is None:
            return self.client.least_busy(1)
        return self.client.device("ibm_" + self._given.removeprefix("ibm_"))

    def submit(self, compiled: Compiled, shots: int = 1024, seed: int | None = None) -> IbmJob:
        """Sends a compiled circuit as a job of its own.

        Args:
            compiled: By this backend.
            shots: At least 1.
            seed: Has no effect on a device.

        Raises:
            UnsupportedError: If the circuit measures or resets before its end.
            ForecastRefusedError: If the forecast speaks against it and ``force`` is not set.
            IbmError: If the service refuses it.
        """
        check_seed(seed)
        job = self._send(compiled, shots)
        for query, uses in compiled.source.query_uses().items():
            query.record(uses, shots)
        return job

    def _send(self, compiled: Compiled, shots: int) -> IbmJob:
        if compiled.backend != self.name:
            raise UsageError(f"{self.name} runs what it compiled itself, not {compiled.backend}")
        if not compiled.source.has_final_measurements_only():
            raise UnsupportedError(
                f"backend {self.name!r} sends circuits that measure at their end only; "
                "a stored device runs others: fake:" + self.device.name.removeprefix("ibm_")
            )
        task = plain(compiled.source, "circuit")
        (part,) = task.parts
        expected = forecast(compiled.native, self.device, part.ideal, part.answer, shots)
        placed = PartPlan(
            part,
            compiled.native,
            expected,
            compiled.initial_layout,
            compiled.final_layout,
            compiled.seed,
        )
        plan = Plan(task, self.device, replace(self.options, shots=shots), (placed,))
        store = JobStore()
        record = submit(plan, self.client, store, _log.warning, force=self.force, again=True)
        return IbmJob(record, self.client, store)

    def _run(self, circuit: Circuit, shots: int, seed: int | None) -> Result:
        return self._send(self.compile(circuit, seed=seed), shots).result()


class IbmJob(Job):
    """A job with a record.

    Args:
        record: As :func:`~qmastermind_qiskit.ibm.submit.submit` returned it.
        client: Where it runs.
        store: Where its record is kept.
    """

    def __init__(self, record: JobRecord, client: Client, store: JobStore) -> None:
        assert record.job_id is not None  # it was sent
        self.job_id = record.job_id
        self.record = record
        self._client, self._store = client, store

    def status(self) -> str:
        """One of ``queued``, ``running``, ``done``, ``failed``, ``cancelled``."""
        self.record, progress = look(self.record, self._client, self._store, _log.warning)
        return progress.status

    def result(self, timeout: float | None = None) -> Result:
        """Waits for the counts, at most ``timeout`` seconds.

        Raises:
            JobTimeoutError: If they are not there; the job goes on.
            JobFailedError: With the service's reason.
            JobCancelledError: If it was cancelled.
        """
        self.record = fetch(self.record, self._client, self._store, _log.warning, timeout=timeout)
        assert self.record.results is not None  # a record that is done has them
        return Result(Counts(self.record.results[0]))

    def cancel(self) -> None:
        """Asks for the job to be cancelled; a finished job stays as it is."""
        if self.record.state in FINAL:
            return
        try:
            self.record = cancel(self.record, self._client, self._store, _log.warning)
        except JobFailedError:
            self.status()
            if self.record.state not in FINAL:
                raise
