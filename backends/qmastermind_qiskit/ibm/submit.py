"""Sending a plan so that its job cannot be lost, and is not sent twice unnoticed.

The order is what makes it safe. The record, with a tag that nobody else has, is on disk before
anything is sent; the circuits are sent with this tag; then the record gets the job's id. If the
program dies in between, the record says ``sending``, and the tag tells whether the job exists.
The same work is sent once: a second time it leads to the job that there is, unless it is asked for.
"""

from __future__ import annotations

import importlib.metadata
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from qmastermind.errors import BackendError
from qmastermind_qiskit.ibm.account import sampler_name
from qmastermind_qiskit.ibm.client import Client
from qmastermind_qiskit.ibm.compilation import require_isa
from qmastermind_qiskit.ibm.errors import (
    ForecastRefusedError,
    IbmError,
    SubmissionUnclearError,
)
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

Notify = Callable[[str], None]
"""Tells the user something that must not go unnoticed."""

LOOKS = 3
"""How often a job is looked for that may exist."""
_LOOK_SECONDS = 1.0


def submit(
    plan: Plan,
    client: Client,
    store: JobStore,
    notify: Notify,
    *,
    force: bool = False,
    again: bool = False,
    batch: Any = None,
) -> JobRecord:
    """Sends a plan as one job and returns its record, which has the job's id.

    Args:
        plan: What to send.
        client: Where to.
        store: Where the record is kept.
        notify: Told of an earlier attempt, and of doubles.
        force: Send it whatever the forecast says.
        again: Send it although there is a job with the same work.
        batch: An open batch of the client, or None for a job of its own.

    Returns:
        The record of the job; of the earlier one if there is a job with the same work that did
        not fail and was not cancelled.

    Raises:
        ForecastRefusedError: If the forecast speaks against it; nothing was sent.
        NotIsaError: If the device does not have an instruction; nothing was sent.
        SubmissionUnclearError: If no answer came; the record stays, and its tag tells later.
        IbmError: If the service refused it; no job exists.
    """
    if not force:
        _require_hope(plan)
    require_isa(plan.circuits, plan.device)
    record = _new_record(plan, client, batch)
    # A local run costs nothing, and is repeated for its noise.
    earlier = None if plan.device.is_local else _earlier(plan, store)
    if earlier is not None and again:
        name = earlier.job_id or earlier.tag
        notify(f"the same work is job {name} already; it is sent once more")
    elif earlier is not None:
        earlier = recover(earlier, client, store, notify)
        if earlier.state != SENDING:
            notify(
                f"nothing was sent: the same work is job {earlier.job_id} already, sent at "
                f"{earlier.created}; --again sends it once more"
            )
            return earlier
        notify(
            f"an earlier attempt to send the same work was interrupted ({earlier.tag}), and the "
            "service knows no job of it; it is sent now, under the same tag"
        )
        record = replace(
            record,
            tag=earlier.tag,
            created=earlier.created,
            notes=earlier.notes,
            attempts=earlier.attempts + 1,
        )
    record = store.save(record)
    return _send(plan, record, client, store, notify, batch)


def submit_all(
    plans: Sequence[Plan],
    client: Client,
    store: JobStore,
    notify: Notify,
    *,
    mode: str | None = None,
    force: bool = False,
    again: bool = False,
) -> list[JobRecord]:
    """Sends several plans for one device; arguments as in :func:`submit`.

    Args:
        plans: One job each.
        client: Where to.
        store: Where the records are kept.
        notify: Told what must not go unnoticed.
        mode: ``job`` or ``batch``; default a batch if there is more than one plan. Local runs
            have no batches.
        force: Send them whatever the forecasts say.
        again: Send them although there are jobs with the same work.

    Raises:
        ForecastRefusedError: If one of them is refused; nothing was sent.
        IbmError: As for one plan; those before it were sent and have their records.
    """
    if not force:
        for plan in plans:
            _require_hope(plan)
    chosen = mode or ("batch" if len(plans) > 1 else "job")
    with client.batch(plans[0].device) if chosen == "batch" else nullcontext() as batch:
        return [
            submit(plan, client, store, notify, force=force, again=again, batch=batch)
            for plan in plans
        ]


def _require_hope(plan: Plan) -> None:
    if plan.verdict == "refuse":
        success = min(part.forecast.success for part in plan.parts)
        raise ForecastRefusedError(
            f"{plan.task.title} on {plan.device.name}: expected success {success:.2g}; "
            f"{plan.reason}"
        )


def _earlier(plan: Plan, store: JobStore) -> JobRecord | None:
    """The latest record of the same work, unless it came to nothing."""
    records, _ = store.scan()
    for record in reversed(records):
        if record.state in (SENDING, SENT, DONE) and record.fingerprint == plan.fingerprint:
            return record
    return None


def _send(
    plan: Plan,
    record: JobRecord,
    client: Client,
    store: JobStore,
    notify: Notify,
    batch: Any,
) -> JobRecord:
    try:
        job_id = client.send(plan.circuits, plan.device, plan.options, record.tag, batch)
    except KeyboardInterrupt:
        notify(
            "interrupted while sending: whether the job exists is told by "
            f"`qmastermind ibm status {record.tag}`"
        )
        raise
    except BackendError as error:
        if not isinstance(error, IbmError) or error.took_nothing:
            store.save(record, state=REFUSED, reason=str(error))
            raise
        # No answer, or a bad one: the job may exist all the same.
        return _look_for(record, client, store, notify, error)
    record = store.save(record, state=SENT, job_id=job_id)
    return note_doubles(record, client, store, notify)


def _look_for(
    record: JobRecord, client: Client, store: JobStore, notify: Notify, error: IbmError
) -> JobRecord:
    for attempt in range(LOOKS):
        time.sleep(_LOOK_SECONDS * attempt)
        try:
            found = recover(record, client, store, notify)
        except IbmError:
            continue
        if found.state != SENDING:
            notify(f"the connection was lost while sending, but job {found.job_id} arrived")
            return found
    raise SubmissionUnclearError(
        f"the circuits were sent, but no answer came ({error})",
        f"The tag {record.tag} tells later whether the job exists: "
        f"`qmastermind ibm status {record.tag}`. Sending the same again looks for it first.",
    )


def recover(record: JobRecord, client: Client, store: JobStore, notify: Notify) -> JobRecord:
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


def note_doubles(
    record: JobRecord, client: Client, store: JobStore, notify: Notify, looks: int = 1
) -> JobRecord:
    """Tells of other jobs with the record's tag.

    The client repeats a request that the service answered with an error, and an attempt that
    seemed lost may show up late, which is what more than one look is for.
    """
    for look in range(looks):
        time.sleep(_LOOK_SECONDS * look)
        try:
            ids = client.find(record.tag)
        except IbmError:
            continue  # the job is safe; this was a precaution
        if any(job_id != record.job_id for job_id in ids):
            return _tell_doubles(record, ids, store, notify)
    return record


def _tell_doubles(record: JobRecord, ids: list[str], store: JobStore, notify: Notify) -> JobRecord:
    doubles = [job_id for job_id in ids if job_id != record.job_id]
    if not doubles:
        return record
    note = f"the service has the job {len(ids)} times; also: {', '.join(doubles)}"
    notify(f"{note}; `qmastermind ibm cancel` ends those")
    return record if note in record.notes else store.save(record, notes=(*record.notes, note))


def _new_record(plan: Plan, client: Client, batch: Any) -> JobRecord:
    return JobRecord(
        tag=new_tag(),
        fingerprint=plan.fingerprint,
        device=plan.device.name,
        shots=plan.options.shots,
        task={"title": plan.task.title, **plan.task.decoding},
        parts=tuple(p.as_dict() for p in plan.parts),
        instance=client.instance,
        mode="job" if batch is None else "batch",
        batch_id=None if batch is None else str(batch.session_id),
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
