"""The commands of ``qmastermind ibm`` about jobs that were sent."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qmastermind.cli.common import JsonFlag, print_json
from qmastermind_qiskit.ibm.cli_common import Connections, IdArgument, notify, spinner

if TYPE_CHECKING:
    from qmastermind_qiskit.ibm.client import Progress
    from qmastermind_qiskit.ibm.decode import Outcome
    from qmastermind_qiskit.ibm.errors import IbmError
    from qmastermind_qiskit.ibm.records import JobRecord


def jobs(
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Ask the service where each job stands.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Lists the job records of this machine."""
    from qmastermind.errors import MissingDependencyError
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.errors import IbmError
    from qmastermind_qiskit.ibm.jobs import look
    from qmastermind_qiskit.ibm.records import FINAL, JobStore

    store = JobStore()
    records, problems = store.scan()
    if refresh:
        connections = Connections()
        for i, record in enumerate(records):
            if record.state in FINAL:
                continue
            try:
                records[i], _ = look(record, connections(record), store, notify)
            except (IbmError, MissingDependencyError) as error:  # the list is shown all the same
                problems.append(f"{record.job_id or record.tag}: {error}")
    for problem in problems:
        notify(problem)
    if json:
        print_json({"jobs": [show.summary(r) for r in records], "problems": problems})
    else:
        show.jobs(records)


def status(job: IdArgument, json: JsonFlag = False) -> None:
    """Says where a job stands, and finds out whether an interrupted one arrived."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.jobs import look
    from qmastermind_qiskit.ibm.records import JobStore

    store = JobStore()
    record = store.find(job)
    record, progress = look(record, Connections()(record), store, notify)
    if json:
        print_json({**show.summary(record), "status": progress.status})
    else:
        show.status(record, progress)


def result(
    job: IdArgument,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the job is done.")] = False,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0, help="Seconds to wait at most.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Fetches, decodes and checks the result of a job."""
    from qmastermind_qiskit.ibm.jobs import of_double
    from qmastermind_qiskit.ibm.records import JobStore

    record = JobStore().find(job)
    if job in record.doubles:
        record = of_double(record, job)
    finish([record], Connections(), json, timeout, wait or timeout is not None)


def cancel(job: IdArgument, json: JsonFlag = False) -> None:
    """Cancels a job, or a double of it."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.jobs import cancel as end
    from qmastermind_qiskit.ibm.records import JobStore

    store = JobStore()
    record = store.find(job)
    double = job if job in record.doubles else None
    record = end(record, Connections()(record, ended=double is None), store, notify, double)
    if json:
        print_json(show.summary(record))
    else:
        show.cancelled(record, double)


def finish(
    records: Sequence[JobRecord],
    connections: Connections,
    json: bool,
    timeout: float | None,
    wait: bool = True,
) -> None:
    """Waits for jobs, shows what came of each, and fails if one failed or an answer is wrong."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.decode import decode
    from qmastermind_qiskit.ibm.errors import IbmError
    from qmastermind_qiskit.ibm.jobs import result as fetch
    from qmastermind_qiskit.ibm.records import JobStore
    from qmastermind_qiskit.ibm.recovery import how_to_return

    store = JobStore()
    done: list[tuple[JobRecord, Outcome | IbmError]] = []
    interrupted = False
    for record in records:
        with spinner(f"job {record.job_id}") as tell:

            def watch(progress: Progress, seconds: float, record: JobRecord = record) -> None:
                tell(show.progress(record, progress, seconds))

            try:
                record = fetch(
                    record,
                    connections(record),
                    store,
                    notify,
                    wait=wait,
                    timeout=timeout,
                    watch=watch,
                )
                done.append((record, decode(record)))
            except IbmError as error:
                if len(records) == 1:
                    raise
                with suppress(IbmError):  # what became of it is in its record by now
                    record = store.find(record.tag)
                done.append((record, error))
            except KeyboardInterrupt:
                interrupted = True
                break
    if json and not interrupted:
        rows = [{**show.summary(r), **_came_of(o)} for r, o in done]
        print_json(rows[0] if len(rows) == 1 else {"jobs": rows})
    elif not json:
        for record, outcome in done:
            show.outcome(record, outcome)
    if interrupted:
        for waiting in records[len(done) :]:
            notify(f"job {waiting.job_id} goes on. {how_to_return(waiting)}")
        raise KeyboardInterrupt
    if any(isinstance(o, IbmError) or o.verified is False for _, o in done):
        raise typer.Exit(1)


def _came_of(outcome: Outcome | IbmError) -> dict[str, Any]:
    return {"error": str(outcome)} if isinstance(outcome, Exception) else outcome.as_dict()
