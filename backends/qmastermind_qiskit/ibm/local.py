"""Jobs of stored devices: they run here, with the device's noise, and end in their record."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, NoReturn

from qmastermind_qiskit.ibm.errors import JobNotFoundError
from qmastermind_qiskit.ibm.noise import NoisySimulator
from qmastermind_qiskit.ibm.records import DONE, JobRecord, JobStore

if TYPE_CHECKING:
    from qmastermind_qiskit.ibm.plan import Plan


def run(plan: Plan, record: JobRecord, store: JobStore) -> JobRecord:
    """Runs a plan here and returns its record with the counts.

    Nothing is written before: a run that is interrupted has cost nothing and is simply repeated.
    Decoupling and twirling are not applied: the simulated noise has nothing that they undo.

    Args:
        plan: For a stored device.
        record: What is known of it beforehand.
        store: Where the record is kept.
    """
    counts = NoisySimulator(plan.device).run(plan.circuits, plan.options.shots, plan.options.seed)
    job_id = f"local-{uuid.uuid4().hex[:12]}"
    return store.save(record, state=DONE, job_id=job_id, results=tuple(counts))


class NoService:
    """Whom to ask about a local job: nobody, as its record has all there is."""

    instance = ""

    def find(self, tag: str) -> list[str]:
        """No jobs."""
        return []

    def job(self, job_id: str) -> NoReturn:
        """Raises JobNotFoundError: what a record does not have is lost."""
        raise JobNotFoundError(f"job {job_id} has left no counts in its record", "Run it again.")
