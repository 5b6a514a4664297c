"""Jobs of stored devices: the same interface as IBM's service, run here with the device's noise."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qmastermind.results import Counts
from qmastermind_qiskit.ibm.client import Progress, RunOptions
from qmastermind_qiskit.ibm.errors import JobFailedError, JobNotFoundError
from qmastermind_qiskit.ibm.noise import NoisySimulator
from qmastermind_qiskit.ibm.records import home, write_atomically

if TYPE_CHECKING:
    from qiskit import QuantumCircuit

    from qmastermind_qiskit.ibm.device import Device


class LocalClient:
    """Runs a job while it is sent, and keeps its counts in a file.

    Decoupling and twirling are not applied: the simulated noise has nothing that they undo.

    Args:
        folder: Where the counts are kept; default ``ibm/local`` under the user's data folder.
    """

    instance = ""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or home() / "ibm" / "local"

    def batch(self, device: Device) -> AbstractContextManager[None]:
        """There are no batches."""
        return nullcontext()

    def send(
        self,
        circuits: Sequence[QuantumCircuit],
        device: Device,
        options: RunOptions,
        tag: str,
        batch: Any = None,
    ) -> str:
        """Runs circuits and returns the id under which their counts are kept."""
        counts = NoisySimulator(device).run(circuits, options.shots, options.seed)
        job_id = f"local-{uuid.uuid4().hex[:12]}"
        text = json.dumps({"tag": tag, "device": device.name, "counts": counts})
        write_atomically(self.folder / f"{job_id}.json", text)
        return job_id

    def find(self, tag: str) -> list[str]:
        """Ids of the jobs with a tag."""
        return sorted(
            path.stem
            for path in self.folder.glob("*.json")
            if json.loads(path.read_text(encoding="utf-8"))["tag"] == tag
        )

    def job(self, job_id: str) -> LocalJob:
        """The job of an id.

        Raises:
            JobNotFoundError: If it was not run on this machine.
        """
        path = self.folder / f"{job_id}.json"
        if not path.is_file():
            raise JobNotFoundError(f"job {job_id} was not run on this machine")
        counts = json.loads(path.read_text(encoding="utf-8"))["counts"]
        return LocalJob(job_id, [Counts(part) for part in counts])


class LocalJob:
    """A job that is done."""

    def __init__(self, job_id: str, counts: list[Counts]) -> None:
        self.job_id = job_id
        self._counts = counts

    def progress(self) -> Progress:
        """Always ``done``."""
        return Progress("done")

    def counts(self) -> list[Counts]:
        """The counts of each part, bit 0 leftmost."""
        return self._counts

    def seconds(self) -> float | None:
        """Nothing is charged."""
        return None

    def cancel(self) -> None:
        """Raises JobFailedError: it is done."""
        raise JobFailedError(f"job {self.job_id} cannot be cancelled: it is done", "")
