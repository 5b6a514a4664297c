"""One plan on its way: written down, sent, written down again."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from qmastermind_qiskit.ibm.account import sampler_name
from qmastermind_qiskit.ibm.client import Client, NotTakenError
from qmastermind_qiskit.ibm.errors import IbmError, RecordError, SubmissionUnclearError
from qmastermind_qiskit.ibm.plan import Plan
from qmastermind_qiskit.ibm.records import (
    DONE,
    REFUSED,
    SENDING,
    SENT,
    JobRecord,
    JobStore,
    new_tag,
)
from qmastermind_qiskit.ibm.recovery import Notify, look_for, note_doubles, recover, where


@dataclass
class Attempt:
    """What is to be sent, and what it takes.

    Attributes:
        plan: What to send.
        client: Where to.
        store: Where the record is kept.
        notify: Told of an earlier attempt, and of doubles.
        batch: An open batch of the client, or None for a job of its own.
    """

    plan: Plan
    client: Client
    store: JobStore
    notify: Notify
    batch: Any = None

    def unless_there_is_one(self) -> JobRecord:
        """Sends the plan, or returns the record of the job that has its work already."""
        records, problems = self.store.scan()
        _require_readable(problems)
        record = self._new_record()
        earlier = same_work(self.plan, records, self.client.instance)
        if earlier is not None:
            earlier = self._what_became_of(earlier)
            if earlier.state != SENDING:
                self.notify(
                    f"nothing was sent: the same work is job {earlier.job_id} on {earlier.device} "
                    f"already, sent at {earlier.created[:19]}; --again sends it once more"
                )
                return earlier
            record = self._after(earlier, record)
        self._tell_of_other_instances(records)
        return self._send(self.store.save(record))

    def once_more(self) -> JobRecord:
        """Sends the plan, whatever there is."""
        records, problems = self.store.scan()
        for problem in problems:
            self.notify(f"{problem} It may be the record of the same work")
        earlier = same_work(self.plan, records, self.client.instance)
        if earlier is not None:
            name = earlier.job_id or earlier.tag
            self.notify(f"the same work is job {name} already; it is sent once more")
        return self._send(self.store.save(self._new_record()))

    def _what_became_of(self, earlier: JobRecord) -> JobRecord:
        try:
            return recover(earlier, self.client, self.store, self.notify)
        except RecordError:
            raise  # it was found
        except IbmError as error:
            raise error.but(
                "Nothing was sent: an earlier attempt to send the same work was interrupted, and "
                f"its job may exist: `qmastermind ibm status {earlier.tag}`."
            ) from None

    def _after(self, earlier: JobRecord, record: JobRecord) -> JobRecord:
        """The record to send under after an attempt of which there is no job, so far."""
        told = (
            f"an earlier attempt to send the same work was interrupted ({earlier.tag}), and the "
            "service knows no job of it; it is sent now"
        )
        if earlier.fingerprint != record.fingerprint:
            # If that one shows up late, its own record has to tell what it means.
            self.notify(
                f"{told}, to {record.device}, under another tag; should the first show up: "
                f"`qmastermind ibm status {earlier.tag}`"
            )
            return record
        self.notify(f"{told}, under the same tag")
        return replace(
            record,
            tag=earlier.tag,
            created=earlier.created,
            notes=earlier.notes,
            attempts=earlier.attempts + 1,
        )

    def _tell_of_other_instances(self, records: Sequence[JobRecord]) -> None:
        for record in records:
            if record.instance != self.client.instance and is_same(record, self.plan):
                self.notify(
                    f"the same work is with another instance too: {where(record)} (now it is sent "
                    "to the instance of this account)"
                )

    def _new_record(self) -> JobRecord:
        return replace(
            new_record(self.plan),
            instance=self.client.instance,
            mode="job" if self.batch is None else "batch",
            batch_id=None if self.batch is None else str(self.batch.session_id),
        )

    def _send(self, record: JobRecord) -> JobRecord:
        plan = self.plan
        try:
            job_id = self.client.send(
                plan.circuits, plan.device, plan.options, record.tag, self.batch
            )
        except NotTakenError as refusal:
            if record.attempts > 1:  # the job of an attempt before may still show up
                raise refusal.error.but(
                    "No job was made this time; whether one of an earlier attempt exists is told "
                    f"by `qmastermind ibm status {record.tag}`."
                ) from None
            with suppress(RecordError):  # then it stays ``sending``, and is looked for in vain
                self.store.save(record, state=REFUSED, reason=str(refusal.error))
            raise refusal.error.but(f"No job was made (tag {record.tag}).") from None
        except KeyboardInterrupt:
            self.notify(
                "interrupted while sending: whether the job exists is told by "
                f"`qmastermind ibm status {record.tag}`"
            )
            raise
        except IbmError as error:
            return self._look_for(record, error)
        record = self.store.save(record, state=SENT, job_id=job_id)
        return note_doubles(record, self.client, self.store, self.notify)

    def _look_for(self, record: JobRecord, error: IbmError) -> JobRecord:
        """After no answer, or a bad one: the job may exist all the same."""
        found = look_for(record, self.client, self.store, self.notify)
        if found is not None:
            self.notify(f"no good answer came while sending, but job {found.job_id} arrived")
            return found
        raise SubmissionUnclearError(
            f"the circuits were sent, but no answer came ({error})",
            f"The tag {record.tag} tells later whether the job exists: "
            f"`qmastermind ibm status {record.tag}`. Sending the same again looks for it first.",
        )


def _require_readable(problems: Sequence[str]) -> None:
    if problems:
        raise RecordError(
            f"nothing was sent: {'; '.join(problems)}",
            "It may be the record of the same work. Move it out of that folder, or send with "
            "--again.",
        )


def same_work(plan: Plan, records: Sequence[JobRecord], instance: str) -> JobRecord | None:
    """The latest record of a plan's work on an instance, unless it came to nothing."""
    for record in reversed(records):
        if record.instance == instance and is_same(record, plan):
            return record
    return None


def is_same(record: JobRecord, plan: Plan) -> bool:
    """Whether a record is of a plan's work, and may have come to something."""
    asked = plan.request != "" and record.request == plan.request
    made = record.fingerprint == plan.fingerprint
    return record.state in (SENDING, SENT, DONE) and (asked or made)


def new_record(plan: Plan) -> JobRecord:
    """What is known of a plan before it is sent or run."""
    return JobRecord(
        tag=new_tag(),
        fingerprint=plan.fingerprint,
        request=plan.request,
        device=plan.device.name,
        shots=plan.options.shots,
        task={"title": plan.task.title, **plan.task.decoding},
        parts=tuple(p.as_dict() for p in plan.parts),
        options={**plan.options.as_dict(), "sampler": _sampler(plan)},
        versions=versions(),
    )


def _sampler(plan: Plan) -> str:
    return "qiskit-aer" if plan.device.is_local else sampler_name(plan.options.sampler)


def versions() -> dict[str, str]:
    """Versions of what makes and sends the circuits."""
    found = {}
    for package in ("qmastermind", "qiskit", "qiskit-aer", "qiskit-ibm-runtime"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
