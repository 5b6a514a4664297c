"""What people see of devices, forecasts and jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rich.table import Table

from qmastermind.cli.common import console
from qmastermind_qiskit.ibm.forecast import OPTIMISTIC
from qmastermind_qiskit.ibm.records import CANCELLED, SENDING
from qmastermind_qiskit.ibm.recovery import where

if TYPE_CHECKING:
    from qmastermind_qiskit.ibm.client import Progress
    from qmastermind_qiskit.ibm.decode import Outcome
    from qmastermind_qiskit.ibm.doctor import Finding
    from qmastermind_qiskit.ibm.errors import IbmError
    from qmastermind_qiskit.ibm.plan import Plan
    from qmastermind_qiskit.ibm.records import JobRecord

_VERDICT = {
    "go": "[green]go[/green]",
    "warn": "[yellow]warn[/yellow]",
    "refuse": "[red]refuse[/red]",
}


def _table(*columns: str, right: Sequence[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        justify: Literal["left", "right"] = "right" if column in right else "left"
        table.add_column(column, justify=justify, no_wrap=number == 0, overflow="fold")
    return table


def devices(rows: Sequence[Mapping[str, Any]]) -> None:
    """A table of devices; queues where they are known."""
    online = any("pending" in row for row in rows)
    numbers = ("qubits", "couplings", "unusable", "2q error", "readout", "T1 us", "queue")
    table = _table(
        "device", "qubits", "gates", "couplings", "unusable", "2q error", "readout", "T1 us",
        *(["queue", "state"] if online else []),
        right=numbers,
    )  # fmt: skip
    for row in rows:
        more = []
        if online:
            more = [str(row["pending"]), row["message"] if row["operational"] else "offline"]
        table.add_row(
            row["name"],
            str(row["qubits"]),
            " ".join(row["two_qubit_gates"]) or "-",
            str(row["couplings"]),
            str(len(row["unusable_edges"]) or "-"),
            _figure(row["median_two_qubit_error"], ".4f"),
            _figure(row["median_readout_error"], ".4f"),
            _figure(row["median_t1_us"], ".0f"),
            *more,
        )
    console().print(table)
    console().print(
        "medians over what is usable; unusable: directed couplings whose calibration failed",
        style="dim",
    )


def _figure(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def findings(found: Sequence[Finding]) -> None:
    """The doctor's list."""
    signs = {True: "[green]ok[/green]", False: "[red]no[/red]", None: "[yellow]--[/yellow]"}
    out = console()
    for finding in found:
        out.print(f"{signs[finding.ok]}  [bold]{finding.name}[/bold]: ", end="", soft_wrap=True)
        out.print(finding.text, markup=False, soft_wrap=True)


def forecast(plan: Plan, merged: Plan | None) -> None:
    """A plan's forecast; ``merged`` is shown beside it for comparison."""
    out = console()
    out.print(f"[bold]{plan.task.title}[/bold] on [bold]{plan.device.name}[/bold]")
    table = _table(
        "circuit", "success", "ideal", "fidelity", "2q gates", "depth", "us", "shots needed",
        "verdict",
        right=("success", "ideal", "fidelity", "2q gates", "depth", "us", "shots needed"),
    )  # fmt: skip
    for part in plan.parts:
        f = part.forecast
        table.add_row(
            part.part.name,
            f"{f.success:.4f}",
            _figure(f.ideal, ".4f"),
            f"{f.fidelity:.3g}",
            str(f.two_qubit_gates),
            str(f.depth),
            f"{1e6 * f.duration:.1f}",
            f"{f.shots_needed:,}" if f.shots_needed else "-" if f.ideal is None else "never",
            _VERDICT[f.verdict],
        )
    out.print(table)
    if plan.tried:
        trials = ", ".join(f"{k}: {f.success:.4f}" for k, f in plan.tried.items())
        out.print(f"iterations tried, with their success: {trials}", style="dim")
    if merged is not None:
        depth = max(p.forecast.depth for p in merged.parts)
        success = min(p.forecast.success for p in merged.parts)
        out.print(
            f"without the barriers the compiler merges the oracle away: depth {depth}, success "
            f"{success:.4f}; then no query is left to speak of",
            style="dim",
        )
    for note in plan.device.notes:
        out.print(f"about the data: {note}", style="dim", markup=False)
    out.print(
        f"{_VERDICT[plan.verdict]}: {plan.reason}; about {plan.seconds:.1f} device seconds for "
        f"{plan.options.shots:,} shots of each circuit"
    )
    if plan.too_long:
        out.print(
            f"[red]too long[/red]: {plan.too_long}; --max-seconds {plan.enough_seconds} of submit "
            "allows it",
            soft_wrap=True,
        )
    out.print(OPTIMISTIC, style="dim")


def summary(record: JobRecord) -> dict[str, Any]:
    """What is told of a record, JSON-ready."""
    return {
        "tag": record.tag,
        "job_id": record.job_id,
        "state": record.state,
        "device": record.device,
        "mode": record.mode,
        "task": record.task["title"],
        "shots": record.shots,
        "created": record.created,
        "updated": record.updated,
        "seconds": record.seconds,
        "reason": record.reason,
        "notes": list(record.notes),
        "doubles": list(record.doubles),
    }


def sent(record: JobRecord) -> None:
    """A job that is with the service."""
    console().print(where(record), markup=False, soft_wrap=True)


def cancelled(record: JobRecord, double: str | None) -> None:
    """What came of cancelling a job or a double of it."""
    if double is not None:
        text = f"cancelling of {double} was asked for; job {record.job_id} is left as it is"
    elif record.job_id is None:
        text = f"the service knows no job of {record.tag}, and it is given up"
    elif record.state == CANCELLED:
        text = f"job {record.job_id} is cancelled"
    else:
        text = (
            f"cancelling of job {record.job_id} was asked for, but it has not ended yet: "
            f"qmastermind ibm status {record.job_id}"
        )
    console().print(text, soft_wrap=True)


def jobs(records: Sequence[JobRecord]) -> None:
    """A table of records, newest first."""
    table = _table("job", "device", "state", "task", "created")
    for record in reversed(records):
        table.add_row(
            record.job_id or record.tag,
            record.device,
            record.state,
            record.task["title"],
            record.created[:16].replace("T", " "),
        )
    console().print(table if records else "no job records")


def status(record: JobRecord, progress: Progress) -> None:
    """Where a job stands."""
    out = console()
    if record.state == SENDING:
        out.print(
            f"the service knows no job with the tag {record.tag}: it did not arrive, or not yet; "
            f"{progress.reason or 'sending the same again looks for it first'}",
            soft_wrap=True,
        )
        return
    place = "" if progress.position is None else f", place {progress.position} in the queue"
    out.print(f"job [bold]{record.job_id}[/bold] on {record.device}: {progress.status}{place}")
    if record.reason:
        out.print(record.reason, markup=False, soft_wrap=True)
    for note in record.notes:
        out.print(f"note: {note}", style="yellow", markup=False, soft_wrap=True)
    for double in record.doubles:
        text = f"note: {double} is a double of it: qmastermind ibm cancel {double}"
        out.print(text, style="yellow", markup=False, soft_wrap=True)


def progress(record: JobRecord, progress: Progress, seconds: float) -> str:
    """One line while waiting."""
    place = "" if progress.position is None else f", place {progress.position} in the queue"
    return f"job {record.job_id}: {progress.status}{place}, {seconds:.0f} s"


def outcome(record: JobRecord, found: Outcome | IbmError) -> None:
    """What came of a job, its forecast beside it."""
    out = console()
    if isinstance(found, Exception):
        out.print(f"job {record.job_id} on {record.device}: {found}", markup=False, soft_wrap=True)
        return
    table = _table(
        "circuit", "decided", "weakest share", "success", "forecast", "shots",
        right=("weakest share", "success", "forecast", "shots"),
    )  # fmt: skip
    for part in found.parts:
        table.add_row(
            part.name,
            part.decided,
            f"{min(part.agreement):.3f}",
            _figure(part.success, ".4f"),
            f"{part.forecast:.4f}",
            f"{part.shots:,}",
        )
    out.print(f"job [bold]{record.job_id}[/bold] on {record.device}: {record.task['title']}")
    out.print(table)
    if found.verified:
        out.print(f"[bold green]verified[/bold green]: [bold]{found.answer}[/bold]")
    elif found.verified is None:
        out.print(f"most frequent: [bold]{found.answer}[/bold]")
    else:
        text = found.problem or f"found {found.answer}, which is not right"
        out.print("[bold red]not solved[/bold red]: ", end="")
        out.print(text, markup=False)
    if record.seconds is not None:
        out.print(f"{record.seconds:g} device seconds were charged", style="dim")
