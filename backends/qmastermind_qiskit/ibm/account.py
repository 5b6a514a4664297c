"""An account at IBM's service: its client behind our interface, its errors as ours.

IBM's client has two samplers: the older one, which the service runs, and its successor, which
prepares everything here. They differ in their options and in what they check, so that both are
driven from this one place. Sessions are not used: the open plan refuses them, and a job with
several parts, or a batch, needs none.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

from qmastermind.results import Counts
from qmastermind_qiskit.ibm.asking import asking, require_no_outage
from qmastermind_qiskit.ibm.client import (
    NotTakenError,
    Progress,
    RemoteJob,
    RunOptions,
    SamplerChoice,
)
from qmastermind_qiskit.ibm.device import Device, from_backend
from qmastermind_qiskit.ibm.errors import (
    ClientUnsupportedError,
    DeviceNotFoundError,
    IbmError,
    JobFailedError,
    NoDeviceError,
    ServiceFaultError,
    UsageSpentError,
    redact,
)
from qmastermind_qiskit.ibm.posting import watching

if TYPE_CHECKING:
    from qiskit import QuantumCircuit

CLIENT = "qiskit-ibm-runtime"
OLDEST = (0, 50)
"""The oldest version of the client that this is tested with."""


def client_version() -> str:
    """The installed version of IBM's client.

    Raises:
        ClientUnsupportedError: If it is missing or too old.
    """
    try:
        version = importlib.metadata.version(CLIENT)
    except importlib.metadata.PackageNotFoundError:
        raise ClientUnsupportedError(f"{CLIENT} is not installed") from None
    numbers = tuple(int(n) for n in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise ClientUnsupportedError(f"{CLIENT} {version} is installed, at least {oldest} works")
    return version


class IbmClient:
    """An account at IBM's service. Holds credentials, so it can be neither pickled nor copied.

    Args:
        service: IBM's own object.
        outages: Which it met while it looked for the account's instances.
    """

    def __init__(self, service: Any, outages: Sequence[IbmError] = ()) -> None:
        self._service = service
        self._outages = list(outages)
        self._one_at_a_time = Lock()
        with asking("reading the instance"):
            self.instance = str(service.active_instance())

    @classmethod
    def connect(cls, instance: str | None = None) -> IbmClient:
        """Signs in with the environment or the saved account, as IBM's client finds them.

        Args:
            instance: Takes the place of the account's own, for a job of another instance.

        Raises:
            IbmError: With the reason: no account, a bad token, no network, no access.
        """
        client_version()
        with asking("signing in") as outages:
            from qiskit_ibm_runtime import QiskitRuntimeService

            service = QiskitRuntimeService(instance=instance)
        return cls(service, outages)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a connection holds credentials and cannot be pickled or copied")

    def __repr__(self) -> str:
        return f"IbmClient({self.instance.rpartition(':a/')[0] or 'instance'}...)"

    def plan(self) -> str:
        """Name of the instance's plan, in lower case; empty if unknown."""
        with asking("reading the plan"):
            for instance in self._service.instances():
                if instance["crn"] == self.instance:
                    return str(instance["plan"])
        return ""

    def usage(self) -> dict[str, Any]:
        """Seconds ``consumed``, ``limit`` and ``remaining`` (None if unlimited or not told)."""
        with asking("reading the usage"):
            raw = self._service.usage()
        remaining = raw.get("usage_remaining_seconds")
        if raw.get("usage_limit_reached"):
            remaining = 0
        return {
            "consumed": raw.get("usage_consumed_seconds"),
            "limit": raw.get("usage_limit_seconds"),
            "remaining": remaining,
        }

    def require_usage(self) -> dict[str, Any]:
        """The usage, if anything is left.

        Raises:
            UsageSpentError: If not.
        """
        usage = self.usage()
        if usage["remaining"] is not None and usage["remaining"] <= 0:
            raise UsageSpentError(
                f"the instance has used up its {usage['limit'] or 'allotted'} seconds"
            )
        return usage

    def device_names(self) -> list[str]:
        """Names of the account's devices."""
        with asking("listing the devices") as outages:
            names = sorted(backend.name for backend in self._service.backends())
        if not names:
            require_no_outage([*outages, *self._outages])
        return names

    def device(self, name: str) -> Device:
        """A device with its calibration of now.

        Raises:
            DeviceNotFoundError: If the account has none of that name.
        """
        try:
            with asking(f"loading the device {name}"):
                device = from_backend(lambda: self._service.backend(name))
                # Without a fixed instance the client chooses one that has the device.
                self.instance = str(self._service.active_instance())
        except DeviceNotFoundError:
            require_no_outage(self._outages)
            raise
        return device

    def least_busy(self, num_qubits: int) -> Device:
        """The working device with the shortest queue that has enough qubits.

        Raises:
            NoDeviceError: If there is none.
        """
        try:
            with asking(f"choosing a device of {num_qubits} qubits"):
                # Any other condition makes the client load every device's configuration.
                chosen = self._service.least_busy(min_num_qubits=num_qubits)
        except DeviceNotFoundError:
            require_no_outage(self._outages)
            raise NoDeviceError(
                f"no device of {num_qubits} or more qubits is online at this moment"
            ) from None
        return self.device(chosen.name)

    def status(self, device: Device) -> dict[str, Any]:
        """Whether the device is ``operational``, its ``message``, and ``pending`` jobs."""
        with asking(f"reading the status of {device.name}"):
            status = device.backend.status()
        return {
            "operational": bool(status.operational),
            "message": status.status_msg,
            "pending": status.pending_jobs,
        }

    @contextmanager
    def batch(self, device: Device) -> Iterator[Any]:
        """A batch for several jobs; closed at the end, when the jobs in it run on."""
        with asking("opening a batch"):
            from qiskit_ibm_runtime import Batch

            batch = Batch(backend=device.backend)
        try:
            yield batch
        finally:
            # The jobs are safe; a batch that is not closed ends by itself.
            with suppress(IbmError), asking("closing the batch"):
                batch.close()

    def send(
        self,
        circuits: Sequence[QuantumCircuit],
        device: Device,
        options: RunOptions,
        tag: str,
        batch: Any = None,
    ) -> str:
        """Sends circuits as one job with a part each; never tries a second time itself.

        Raises:
            NotTakenError: If nothing left, or the service refused it: no job exists.
            IbmError: If the job may exist.
        """
        with self._one_at_a_time, watching(self._service, tag) as post:
            try:
                with asking("submitting the job"):
                    sampler = _sampler(batch or device.backend, options, tag)
                    return str(sampler.run(list(circuits), shots=options.shots).job_id())
            except IbmError as error:
                if post.made_nothing:
                    raise NotTakenError(error) from None
                raise

    def find(self, tag: str) -> list[str]:
        """Ids of the jobs with a tag, oldest first."""
        with asking("looking for the job"):
            jobs = self._service.jobs(job_tags=[tag], limit=None, descending=False)
            return [str(job.job_id()) for job in sorted(jobs, key=_created)]

    def job(self, job_id: str) -> RemoteJob:
        """The job of an id."""
        with asking(f"looking up job {job_id}"):
            return AccountJob(self._service.job(job_id))


def _created(job: Any) -> Any:
    return job.creation_date or 0


def _sampler(mode: Any, options: RunOptions, tag: str) -> Any:
    sampler = _sampler_class(options.sampler)(mode=mode)
    chosen = sampler.options
    if options.max_seconds is not None:
        chosen.max_execution_time = options.max_seconds
    chosen.environment.job_tags = [tag, "qmastermind"]
    if options.dynamical_decoupling is not None:
        chosen.dynamical_decoupling.enable = True
        chosen.dynamical_decoupling.sequence_type = options.dynamical_decoupling
    if options.twirling:
        chosen.twirling.enable_gates = True
        chosen.twirling.enable_measure = True
    return sampler


def _sampler_class(choice: SamplerChoice) -> Any:
    if choice != "old":
        try:
            from qiskit_ibm_runtime.executor_sampler import Sampler
        except ImportError:
            if choice == "new":
                raise ClientUnsupportedError(
                    f"{CLIENT} {client_version()} has no executor_sampler.Sampler"
                ) from None
        else:
            return Sampler
    from qiskit_ibm_runtime import SamplerV2

    return SamplerV2


def sampler_name(choice: SamplerChoice) -> str:
    """Which sampler class a choice means with the installed client."""
    cls = _sampler_class(choice)
    return f"{cls.__module__}.{cls.__qualname__}"


class AccountJob:
    """A job at IBM's service.

    Args:
        job: IBM's own object.
    """

    def __init__(self, job: Any) -> None:
        self._job = job
        self.job_id = str(job.job_id())

    def __reduce__(self) -> NoReturn:
        raise TypeError("a job holds credentials; keep its record instead")

    def progress(self) -> Progress:
        """Asks where it stands."""
        with asking(f"asking for the status of job {self.job_id}"):
            status = _STATUS.get(_status_name(self._job.status()), "running")
            reason = (self._job.error_message() or "") if status == "failed" else ""
        position = None
        if status == "queued":
            with asking(f"asking for the queue of job {self.job_id}"):
                position = self._job.metrics().get("position_in_queue")
        return Progress(status, redact(reason), position)

    def counts(self) -> list[Counts]:
        """The counts of each part, bit 0 leftmost."""
        with asking(f"reading the result of job {self.job_id}"):
            result = self._job.result(timeout=30)
            if result is None:
                raise ServiceFaultError(f"the result of job {self.job_id} is empty")
            return [_counts(part) for part in result]

    def seconds(self) -> float | None:
        """Device seconds charged for it, once known."""
        with asking(f"asking for the usage of job {self.job_id}"):
            return self._job.usage() or None

    def cancel(self) -> None:
        """Asks for it to be cancelled.

        Raises:
            JobFailedError: If it is in a state that cannot be cancelled.
        """
        from qiskit_ibm_runtime.exceptions import RuntimeInvalidStateError

        with asking(f"cancelling job {self.job_id}"):
            try:
                self._job.cancel()
            except RuntimeInvalidStateError:
                raise JobFailedError(
                    f"job {self.job_id} cannot be cancelled: it is {self.progress().status}", ""
                ) from None


_STATUS = {
    "INITIALIZING": "queued",
    "QUEUED": "queued",
    "RUNNING": "running",
    "DONE": "done",
    "CANCELLED": "cancelled",
    "ERROR": "failed",
}


def _status_name(status: Any) -> str:
    """Real jobs give text, local ones an enumeration."""
    return str(getattr(status, "name", status)).upper()


def _counts(part: Any) -> Counts:
    """The shots of one part over all its registers, in our bit order."""
    found = Counts()
    for bits, number in part.join_data().get_counts().items():
        key = bits[::-1]
        found[key] = found.get(key, 0) + int(number)
    return found
