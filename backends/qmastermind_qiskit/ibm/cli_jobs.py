"""The commands of ``qmastermind ibm`` about jobs that were sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from qmastermind.cli.common import JsonFlag, console, print_json
from qmastermind_qiskit.ibm.cli_common import IdArgument, client_of, notify, spinner

if TYPE_CHECKING:
    from qmastermind_qiskit.ibm.client import Client, Progress
    from qmastermind_qiskit.ibm.decode import Outcome
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
        clients: dict[str, Client] = {}
        for i, record in enumerate(records):
            if record.state in FINAL:
                continue
            try:
                if record.instance not in clients:
                    clients[record.instance] = client_of(record)
                records[i], _ = look(record, clients[record.instance], store, notify)
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
    record, progress = look(record, client_of(record), store, notify)
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
    from qmastermind_qiskit.ibm.records import JobStore

    record = JobStore().find(job)
    finish([record], client_of(record), json, timeout, wait or timeout is not None)


def cancel(job: IdArgument, json: JsonFlag = False) -> None:
    """Cancels a job."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.jobs import cancel as end
    from qmastermind_qiskit.ibm.records import JobStore

    store = JobStore()
    record = store.find(job)
    record = end(record, client_of(record), store, notify)
    if json:
        print_json(show.summary(record))
    else:
        console().print(f"job {record.job_id} is cancelled")


def finish(
    records: Sequence[JobRecord],
    client: Client,
    json: bool,
    timeout: float | None,
    wait: bool = True,
) -> None:
    """Waits for jobs, shows what came of them, and fails if an answer is wrong."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.decode import decode
    from qmastermind_qiskit.ibm.jobs import how_to_return
    from qmastermind_qiskit.ibm.jobs import result as fetch
    from qmastermind_qiskit.ibm.records import JobStore

    store = JobStore()
    done: list[tuple[JobRecord, Outcome]] = []
    for record in records:
        with spinner(f"job {record.job_id}") as tell:

            def watch(progress: Progress, seconds: float, record: JobRecord = record) -> None:
                tell(show.progress(record, progress, seconds))

            try:
                record = fetch(
                    record, client, store, notify, wait=wait, timeout=timeout, watch=watch
                )
            except KeyboardInterrupt:
                for waiting in records[len(done) :]:
                    notify(f"job {waiting.job_id} goes on. {how_to_return(waiting)}")
                raise
        done.append((record, decode(record)))
    if json:
        rows = [{**show.summary(r), **o.as_dict()} for r, o in done]
        print_json(rows[0] if len(rows) == 1 else {"jobs": rows})
    else:
        for record, outcome in done:
            show.outcome(record, outcome)
    if any(outcome.verified is False for _, outcome in done):
        raise typer.Exit(1)
