"""After sending: where a job stands, its result, its end. All that is needed is the record."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from qmastermind_qiskit.ibm.client import Finder, Progress, RemoteJob
from qmastermind_qiskit.ibm.errors import (
    IbmError,
    JobCancelledError,
    JobFailedError,
    JobNotFoundError,
    JobTimeoutError,
    RecordError,
    is_transient,
)
from qmastermind_qiskit.ibm.records import (
    CANCELLED,
    DONE,
    FAILED,
    FINAL,
    REFUSED,
    SENDING,
    SENT,
    JobRecord,
    JobStore,
)
from qmastermind_qiskit.ibm.recovery import LOOKS, Notify, how_to_return, note_doubles, recover

T = TypeVar("T")

FIRST_POLL = 0.2
SLOWEST_POLL = 10.0
PATIENCE = 1800.0
"""Seconds of outage that are waited through, where no other time is given."""

LATE = 3600.0
"""Seconds after which an attempt of which the service knows no job can be given up."""

Watch = Callable[[Progress, float], None]
"""Called after each look at a job that is waited for, with the seconds so far."""


def look(
    record: JobRecord, client: Finder, store: JobStore, notify: Notify
) -> tuple[JobRecord, Progress]:
    """Asks the service once where a job stands, and brings its record up to date.

    Whatever is final is written before it is returned, the counts of a job that is done included.

    Raises:
        IbmError: If the service cannot be asked.
    """
    if record.state in FINAL:
        return record, Progress(record.state, record.reason)
    record = recover(record, client, store, notify)
    if record.state == SENDING:
        return record, Progress("unknown", _being_sent(store))
    job = _job(record, client)
    progress = job.progress()
    if progress.status == "done":
        counts = _patiently(job.counts)
        seconds = _quietly(job.seconds)
        if record.attempts > 1:  # the last chance to hear of a job that seemed lost
            record = note_doubles(record, client, store, notify, LOOKS)
        return store.save(record, state=DONE, results=tuple(counts), seconds=seconds), progress
    if progress.status == "failed":
        return store.save(record, state=FAILED, reason=progress.reason), progress
    if progress.status == "cancelled":
        return store.save(record, state=CANCELLED), progress
    return record, progress


def result(
    record: JobRecord,
    client: Finder,
    store: JobStore,
    notify: Notify,
    *,
    wait: bool = True,
    timeout: float | None = None,
    watch: Watch | None = None,
) -> JobRecord:
    """The record with the counts of a job that is done.

    Args:
        record: Of the job.
        client: Where it runs.
        store: Where the record is kept; the counts are kept there too, so that they are fetched
            once.
        notify: Told of doubles.
        wait: Wait until it is done.
        timeout: Seconds to wait at most; default as long as it takes.
        watch: Told how it goes.

    Raises:
        JobTimeoutError: If it is not done (yet); it goes on.
        JobFailedError: With the service's reason.
        JobCancelledError: If it was cancelled.
        JobNotFoundError: If it never arrived.
    """
    started = last_heard = time.monotonic()
    pause = FIRST_POLL
    while True:
        bad = False
        try:
            record, progress = look(record, client, store, notify)
            last_heard = time.monotonic()
        except RecordError:
            raise  # it says how to go on itself
        except IbmError as error:
            bad = True
            silence = time.monotonic() - last_heard
            if not wait or not is_transient(error) or (timeout is None and silence > PATIENCE):
                raise error.but(how_to_return(record)) from None
            progress = Progress("unknown", str(error))
        if record.state in FINAL:
            return _require_done(record)
        if record.state == SENDING and not bad and not (wait and progress.reason):
            raise _not_arrived(record, progress.reason)
        waited = time.monotonic() - started
        if watch is not None:
            watch(progress, waited)
        if not wait or (timeout is not None and waited >= timeout):
            raise JobTimeoutError(
                f"job {record.job_id or record.tag} is {progress.status}"
                + (f" after {waited:.0f} s of waiting" if wait else "")
                + (f" ({progress.reason.rstrip('. ')})" if progress.reason else ""),
                f"It goes on. {how_to_return(record)}",
            )
        left = pause if timeout is None else max(0.0, min(pause, timeout - waited))
        time.sleep(left)
        pause = min(SLOWEST_POLL, pause * 1.5)


def cancel(
    record: JobRecord,
    client: Finder,
    store: JobStore,
    notify: Notify,
    double: str | None = None,
) -> JobRecord:
    """Asks for a job to be cancelled, and looks what became of it.

    Args:
        record: Of the job.
        client: Where it runs.
        store: Where the record is kept.
        notify: Told of doubles.
        double: One of the record's doubles, to be cancelled in place of the job itself.

    Returns:
        The record: ``cancelled`` once the service says so, and until then as it was, with a note.
        An attempt of an hour ago of which the service knows no job is given up.

    Raises:
        JobFailedError: If it has ended already, or ended otherwise.
        JobNotFoundError: If it did not arrive yet.
    """
    if double is not None:
        client.job(double).cancel()
        return store.save(record, notes=_with_note(record, f"cancelling of {double} was asked for"))
    record = recover(record, client, store, notify)
    if record.state == SENDING:
        sender = _being_sent(store)
        if sender or _age(record) < LATE:
            raise _not_arrived(record, sender)
        return store.save(record, state=CANCELLED, reason="it never arrived, and was given up")
    if record.state in FINAL:
        raise _has_ended(record)
    try:
        _job(record, client).cancel()
    except JobFailedError:
        record, _ = look(record, client, store, notify)
        if record.state in FINAL:
            raise _has_ended(record) from None
        raise
    record = store.save(record, notes=_with_note(record, "cancelling was asked for"))
    for pause in (0.0, FIRST_POLL, 5 * FIRST_POLL, 10 * FIRST_POLL):
        time.sleep(pause)
        try:
            record, _ = look(record, client, store, notify)
        except IbmError as error:
            if not is_transient(error):
                raise
        if record.state == CANCELLED:
            return record
        if record.state in FINAL:
            raise _has_ended(record)
    return record


def of_double(record: JobRecord, double: str) -> JobRecord:
    """The record as that of a double, which has the result if the job itself came to nothing."""
    if record.state not in (FAILED, CANCELLED):
        return record
    others = tuple(job for job in (record.job_id, *record.doubles) if job and job != double)
    return replace(record, state=SENT, job_id=double, reason="", doubles=others)


def _age(record: JobRecord) -> float:
    """Seconds since a record was written; 0 if it does not tell."""
    try:
        return (datetime.now(UTC) - datetime.fromisoformat(record.updated)).total_seconds()
    except (ValueError, TypeError):  # damaged, or without a zone
        return 0.0


def _with_note(record: JobRecord, note: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*record.notes, note)))


def _has_ended(record: JobRecord) -> JobFailedError:
    if record.job_id is None:
        why = record.reason if record.state == CANCELLED else "the service refused it"
        return JobFailedError(f"there is no job to cancel: {why} (tag {record.tag})", "")
    back = f"qmastermind ibm result {record.job_id} shows it." if record.state == DONE else ""
    return JobFailedError(f"job {record.job_id} cannot be cancelled: it is {record.state}", back)


def _being_sent(store: JobStore) -> str:
    """Who may be sending a record without a job at this moment; empty if nobody."""
    sender = store.sender()
    return "" if sender is None else f"{sender} is sending jobs at this moment"


def _not_arrived(record: JobRecord, why: str) -> JobNotFoundError:
    return JobNotFoundError(
        f"the service knows no job with the tag {record.tag}: it did not arrive, or not yet"
        + (f" ({why})" if why else ""),
        f"Later: qmastermind ibm status {record.tag}. Sending the same again looks for it first.",
    )


def _job(record: JobRecord, client: Finder) -> RemoteJob:
    assert record.job_id is not None  # every state but SENDING and REFUSED has one
    return client.job(record.job_id)


def _patiently(ask: Callable[[], T]) -> T:
    """Reading a result again does no harm."""
    for pause in (0.5, 1.0, 2.0):
        try:
            return ask()
        except IbmError as error:
            if not is_transient(error):
                raise
        time.sleep(pause)
    return ask()


def _quietly(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except IbmError:
        return None


def _require_done(record: JobRecord) -> JobRecord:
    name = record.job_id or record.tag
    if record.state == FAILED:
        raise JobFailedError(f"job {name} failed: {record.reason}", _failure_hint(record))
    if record.state == CANCELLED:
        raise JobCancelledError(f"job {name} was cancelled")
    if record.state == REFUSED:
        raise JobFailedError(f"the service refused {name}: {record.reason}")
    return record


def _failure_hint(record: JobRecord) -> str | None:
    if "1305" in record.reason:
        return "It ran longer than allowed: raise --max-seconds, or take fewer shots."
    if "1517" in record.reason:
        return "The device does not have an instruction of it: compile it again for this device."
    return None
