"""Finding a job by its tag: after an interruption, a lost answer, or one answer too many."""

from __future__ import annotations

import time
from collections.abc import Callable

from qmastermind_qiskit.ibm.client import Finder
from qmastermind_qiskit.ibm.errors import IbmError, RecordError
from qmastermind_qiskit.ibm.records import SENDING, SENT, JobRecord, JobStore

Notify = Callable[[str], None]
"""Tells the user something that must not go unnoticed."""

Connect = Callable[[JobRecord], Finder]
"""Gives the connection to the instance of a record."""

LOOKS = 3
"""How often a job is looked for that may exist."""
LOOK_SECONDS = 1.0


def recover(record: JobRecord, client: Finder, store: JobStore, notify: Notify) -> JobRecord:
    """Finds out by its tag whether the job of a record in state ``sending`` exists.

    Returns:
        The record with the job's id and state ``sent``, or as it was if there is no such job.
    """
    if record.state != SENDING:
        return record
    ids = client.find(record.tag)
    if not ids:
        return record
    record = store.save(record, state=SENT, job_id=ids[0])
    return _tell_doubles(record, ids, store, notify)


def look_for(
    record: JobRecord, client: Finder, store: JobStore, notify: Notify
) -> JobRecord | None:
    """Looks several times for a job that may exist; its record, or None if it was not found."""
    for look in range(LOOKS):
        time.sleep(LOOK_SECONDS * look)
        try:
            found = recover(record, client, store, notify)
        except RecordError:
            raise  # it was found
        except IbmError:
            continue
        if found.state != SENDING:
            return found
    return None


def note_doubles(
    record: JobRecord, client: Finder, store: JobStore, notify: Notify, looks: int = 1
) -> JobRecord:
    """Tells of other jobs with the record's tag.

    The client repeats a request that the service answered with an error, and an attempt that
    seemed lost may show up late, which is what more than one look is for.
    """
    for look in range(looks):
        time.sleep(LOOK_SECONDS * look)
        try:
            ids = client.find(record.tag)
        except IbmError:
            continue  # the job is safe; this was a precaution
        if any(job_id != record.job_id for job_id in ids):
            return _tell_doubles(record, ids, store, notify)
    return record


def _tell_doubles(record: JobRecord, ids: list[str], store: JobStore, notify: Notify) -> JobRecord:
    doubles = tuple(job_id for job_id in ids if job_id != record.job_id)
    if not doubles:
        return record
    commands = ", ".join(f"`qmastermind ibm cancel {job_id}`" for job_id in doubles)
    notify(
        f"the service has job {record.job_id} {len(ids)} times; what is too many is ended by "
        f"{commands}"
    )
    known = tuple(dict.fromkeys((*record.doubles, *doubles)))
    return record if known == record.doubles else store.save(record, doubles=known)


def how_to_return(record: JobRecord) -> str:
    """The command that goes on with a job, in words."""
    return f"Return with: qmastermind ibm result {record.job_id or record.tag} --wait"


def where(record: JobRecord) -> str:
    """A record's job, its tag and the command that goes on with it, in words."""
    job = f"job {record.job_id}" if record.job_id else "an attempt that may exist"
    return f"{job} is with {record.device}; tag {record.tag}. {how_to_return(record)}"
