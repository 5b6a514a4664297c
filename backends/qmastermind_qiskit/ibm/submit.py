"""Sending plans so that no job can be lost, and none is sent twice unnoticed.

The order is what makes it safe. The record, with a tag that nobody else has, is on disk before
anything is sent; the circuits are sent with this tag; then the record gets the job's id. If the
program dies in between, the record says ``sending``, and the tag tells whether the job exists.
The same work is sent once: a second time it leads to the job that there is, unless it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

from qmastermind_qiskit.ibm.attempt import Attempt, new_record, same_work
from qmastermind_qiskit.ibm.client import Client
from qmastermind_qiskit.ibm.compilation import require_isa
from qmastermind_qiskit.ibm.errors import ForecastRefusedError, IbmError, TimeLimitError
from qmastermind_qiskit.ibm.local import run
from qmastermind_qiskit.ibm.plan import Plan
from qmastermind_qiskit.ibm.records import SENDING, JobRecord, JobStore
from qmastermind_qiskit.ibm.recovery import Connect, Notify, recover, where


def submit(
    plan: Plan,
    client: Client,
    store: JobStore,
    notify: Notify,
    *,
    force: bool = False,
    again: bool = False,
) -> JobRecord:
    """Sends one plan; arguments as in :func:`submit_all`."""
    (record,) = submit_all([plan], client, store, notify, force=force, again=again)
    return record


def submit_all(
    plans: Sequence[Plan],
    client: Client,
    store: JobStore,
    notify: Notify,
    *,
    mode: str | None = None,
    force: bool = False,
    again: bool = False,
    connect: Connect | None = None,
) -> list[JobRecord]:
    """Sends plans for one device as a job each; one process at a time does so.

    Args:
        plans: One job each.
        client: Where to.
        store: Where the records are kept.
        notify: Told what must not go unnoticed: earlier attempts, doubles, and each of several
            jobs as soon as it is sent.
        mode: ``job`` or ``batch``; default a batch if there is more than one plan.
        force: Send them whatever the forecasts say.
        again: Send them although there are jobs with the same work.
        connect: Asked about interrupted attempts of other instances; default: they are left alone.

    Returns:
        The record of each job, with its id; of the earlier one if there is a job with the same
        work that did not fail and was not cancelled.

    Raises:
        ForecastRefusedError: If a forecast speaks against it; nothing was sent.
        TimeLimitError: If a job needs more device seconds than it may take; nothing was sent.
        NotIsaError: If the device does not have an instruction; nothing was sent.
        SubmissionUnclearError: If no answer came; the record stays, and its tag tells later.
        RecordError: If a record cannot be written, or one that may be of the same work cannot be
            read.
        IbmError: If the service refused it; no job exists. Those before it were sent and told.
    """
    for plan in plans:
        if not force:
            _require_hope(plan)
            _require_time(plan)
        require_isa(plan.circuits, plan.device)
    chosen = mode or ("batch" if len(plans) > 1 else "job")
    sent: list[JobRecord] = []
    with store.alone(notify):
        settle([] if again else plans, client, store, notify, connect)
        with client.batch(plans[0].device) if chosen == "batch" else nullcontext() as batch:
            for plan in plans:
                attempt = Attempt(plan, client, store, notify, batch)
                sent.append(attempt.once_more() if again else attempt.unless_there_is_one())
                if len(plans) > 1:
                    notify(f"{len(sent)} of {len(plans)}: {where(sent[-1])}")
    return sent


def run_all(plans: Sequence[Plan], store: JobStore, *, force: bool = False) -> list[JobRecord]:
    """Runs plans for a stored device here: it costs nothing, and is repeated for its noise."""
    for plan in plans:
        if not force:
            _require_hope(plan)
        require_isa(plan.circuits, plan.device)
    return [run(plan, new_record(plan), store) for plan in plans]


def _require_hope(plan: Plan) -> None:
    if plan.verdict == "refuse":
        success = min(part.forecast.success for part in plan.parts)
        raise ForecastRefusedError(
            f"{plan.task.title} on {plan.device.name}: expected success {success:.2g}; "
            f"{plan.reason}"
        )


def _require_time(plan: Plan) -> None:
    if plan.too_long:
        raise TimeLimitError(
            f"{plan.task.title} on {plan.device.name}: {plan.too_long}",
            f"Nothing was sent. --max-seconds {plan.enough_seconds} (max_seconds of RunOptions) "
            "allows it, fewer shots need less; --force sends it as it is.",
        )


def settle(
    plans: Sequence[Plan],
    client: Client,
    store: JobStore,
    notify: Notify,
    connect: Connect | None = None,
) -> None:
    """Finds out about interrupted attempts, of whatever work, and tells what became of them.

    To be called when no other process is sending.

    Args:
        plans: Whose own earlier attempts on this instance are left to :class:`Attempt`.
        client: Where to.
        store: Where the records are kept.
        notify: Told of each attempt.
        connect: Asked about other instances.
    """
    records, _ = store.scan()
    own = {r.tag for plan in plans if (r := same_work(plan, records, client.instance))}
    for record in records:
        if record.state != SENDING or record.tag in own:
            continue
        name = f"an earlier attempt on {record.device} was interrupted ({record.tag})"
        try:
            if record.instance == client.instance:
                record = recover(record, client, store, notify)
            elif connect is not None:
                record = recover(record, connect(record), store, notify)
            else:
                continue
        except IbmError as error:
            notify(f"{name}, and whether its job exists is not known: {error}")
            continue
        if record.state == SENDING:
            notify(
                f"{name}, and the service knows no job of it; an hour later "
                f"`qmastermind ibm cancel {record.tag}` gives it up"
            )
        else:
            notify(f"{name} and did arrive: {where(record)}")
