"""``qmastermind ibm``: from forecast to result. Imports nothing heavy before a command runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qmastermind.cli.common import (
    BlanksFlag,
    ColoursOption,
    JsonFlag,
    NoRepeatsFlag,
    PositionsOption,
    RulesOption,
    SeedOption,
    console,
    err_console,
    print_json,
    read_rules,
)
from qmastermind.errors import UsageError

if TYPE_CHECKING:
    from qmastermind_qiskit.ibm.client import Client, IbmClient, Progress
    from qmastermind_qiskit.ibm.decode import Outcome
    from qmastermind_qiskit.ibm.device import Device
    from qmastermind_qiskit.ibm.records import JobRecord
    from qmastermind_qiskit.ibm.requests import Request

app = typer.Typer(
    help="IBM's devices: forecast first, submit without losing the job, decode any time later.",
    no_args_is_help=True,
)


class SpaceName(str, Enum):
    """What Grover's search prepares."""

    VALID = "valid"
    ALL = "all"


class PairsName(str, Enum):
    """Which pairs of colours are asked about."""

    STAR = "star"
    PATHS = "paths"


class Mode(str, Enum):
    """How jobs are put to the service."""

    JOB = "job"
    BATCH = "batch"
    SESSION = "session"


class Sampler(str, Enum):
    """Which of the client's samplers."""

    AUTO = "auto"
    NEW = "new"
    OLD = "old"


class Decoupling(str, Enum):
    """Pulse sequences for waiting qubits."""

    XX = "XX"
    XPXM = "XpXm"
    XY4 = "XY4"


CircuitOption = Annotated[
    str, typer.Option("--circuit", help="deutsch, adaptive, grover, or a file in OpenQASM.")
]
SecretOption = Annotated[
    list[str] | None,
    typer.Option("--secret", help="RBRY, 1513 or random; more than once for several jobs."),
]
MarkedOption = Annotated[
    str | None, typer.Option("--marked", help="For grover: bitstrings to search, 101,110.")
]
IterationsOption = Annotated[
    str, typer.Option("--iterations", help="For grover: a number, or auto for the best forecast.")
]
SpaceOption = Annotated[
    SpaceName, typer.Option("--space", help="For grover with a secret: what is searched.")
]
PairsOption = Annotated[
    PairsName, typer.Option("--pairs", help="For deutsch: all with the first colour, or fewer.")
]
DeviceOption = Annotated[
    str | None, typer.Option("--device", help="fake_torino (stored, runs here) or ibm_torino.")
]
ShotsOption = Annotated[int, typer.Option("--shots", help="Of each circuit.")]
LevelOption = Annotated[int, typer.Option("--level", min=0, max=3, help="Of Qiskit's compiler.")]
LayoutsOption = Annotated[
    int, typer.Option("--layouts", min=1, help="Layouts to try; the best forecast is kept.")
]
NoBarrierFlag = Annotated[
    bool, typer.Option("--no-barrier", help="Let the compiler merge the oracle away.")
]
IdArgument = Annotated[
    str, typer.Argument(help="Job id, record tag, their beginning, or a record file.")
]


@app.command()
def devices(
    offline: Annotated[
        bool, typer.Option("--offline", help="The snapshots that come with IBM's client.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Lists devices with their gates, median errors and unusable couplings."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.device import snapshots

    with _spinner("reading calibrations"):
        if offline:
            rows = [device.summary() for device in snapshots()]
        else:
            client = _connect()
            rows = []
            for name in client.device_names():
                device = client.device(name)
                rows.append({**device.summary(), **client.status(device)})
    if json:
        print_json({"devices": rows})
    else:
        show.devices(rows)


@app.command()
def doctor(json: JsonFlag = False) -> None:
    """Checks versions, account, network, plan and remaining seconds; shows no token."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.doctor import examine

    _quiet()
    with _spinner("examining"):
        findings = examine()
    healthy = all(finding.ok is not False for finding in findings)
    if json:
        rows = [{"name": f.name, "ok": f.ok, "text": f.text} for f in findings]
        print_json({"healthy": healthy, "findings": rows})
    else:
        show.findings(findings)
    if not healthy:
        raise typer.Exit(1)


@app.command()
def forecast(
    circuit: CircuitOption,
    device: DeviceOption = None,
    secret: SecretOption = None,
    marked: MarkedOption = None,
    iterations: IterationsOption = "auto",
    space: SpaceOption = SpaceName.VALID,
    pairs: PairsOption = PairsName.STAR,
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    no_repeats: NoRepeatsFlag = False,
    blanks: BlanksFlag = False,
    shots: ShotsOption = 4000,
    level: LevelOption = 3,
    layouts: LayoutsOption = 4,
    no_barrier: NoBarrierFlag = False,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Says what to expect of a circuit on a device, and whether it is worth sending."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.client import RunOptions
    from qmastermind_qiskit.ibm.plan import Compilation
    from qmastermind_qiskit.ibm.requests import Request

    game = read_rules(rules, positions, colours, no_repeats, blanks)
    request = Request(
        circuit,
        secret,
        marked,
        iterations,
        space.value,
        pairs.value,
        game,
        not no_barrier,
        seed,
    )
    options, how = RunOptions(shots=shots), Compilation(level, layouts)
    with _spinner("compiling"):
        target, _ = _device(device, False, request)
        (planned, *more) = request.plans(target, options, how)
        if more:
            raise UsageError("give one --secret: a forecast is about one job")
        merged = None if no_barrier else request.merged(target, options, how)
    if json:
        print_json(planned.as_dict() | {"without_barrier": merged and merged.as_dict()})
    else:
        show.forecast(planned, merged)


@app.command()
def submit(
    circuit: CircuitOption,
    device: DeviceOption = None,
    least_busy: Annotated[
        bool, typer.Option("--least-busy", help="The account's device with the shortest queue.")
    ] = False,
    secret: SecretOption = None,
    marked: MarkedOption = None,
    iterations: IterationsOption = "auto",
    space: SpaceOption = SpaceName.VALID,
    pairs: PairsOption = PairsName.STAR,
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    no_repeats: NoRepeatsFlag = False,
    blanks: BlanksFlag = False,
    shots: ShotsOption = 4000,
    level: LevelOption = 3,
    layouts: LayoutsOption = 4,
    no_barrier: NoBarrierFlag = False,
    max_seconds: Annotated[
        int, typer.Option("--max-seconds", min=1, help="Device seconds that a job may take.")
    ] = 30,
    dynamical_decoupling: Annotated[
        Decoupling | None,
        typer.Option("--dynamical-decoupling", help="Pulses on waiting qubits."),
    ] = None,
    twirling: Annotated[
        bool, typer.Option("--twirling", help="Randomise gates and measurements.")
    ] = False,
    mode: Annotated[
        Mode | None, typer.Option("--mode", help="Default: job; batch for several secrets.")
    ] = None,
    sampler: Annotated[
        Sampler, typer.Option("--sampler", help="Of IBM's client; auto prefers the new one.")
    ] = Sampler.AUTO,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Do everything but send; forecast and checks.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Send it whatever the forecast says.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Send it although the same job was sent before.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the result.")] = False,
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0, help="Seconds to wait at most.")
    ] = None,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Sends circuits to a device; the job's record is on disk before anything is sent."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.client import RunOptions
    from qmastermind_qiskit.ibm.plan import Compilation
    from qmastermind_qiskit.ibm.records import JobStore
    from qmastermind_qiskit.ibm.requests import Request, refuse_session
    from qmastermind_qiskit.ibm.submit import submit_all

    if mode is Mode.SESSION:
        refuse_session()
    game = read_rules(rules, positions, colours, no_repeats, blanks)
    request = Request(
        circuit,
        secret,
        marked,
        iterations,
        space.value,
        pairs.value,
        game,
        not no_barrier,
        seed,
    )
    options = RunOptions(
        shots,
        max_seconds,
        dynamical_decoupling.value if dynamical_decoupling else None,
        twirling,
        sampler.value,
        seed,
    )
    with _spinner("compiling"):
        target, client = _device(device, least_busy, request)
        plans = request.plans(target, options, Compilation(level, layouts))
    if dry_run:
        if json:
            print_json({"sent": False, "plans": [p.as_dict() for p in plans]})
        else:
            for planned in plans:
                show.forecast(planned, None)
            console().print("dry run: nothing was sent")
        return
    records = submit_all(
        plans,
        client,
        JobStore(),
        _notify,
        mode=mode and mode.value,
        force=force,
        again=again,
    )
    if wait or target.is_local:
        _finish(records, client, json, timeout)
    elif json:
        print_json({"sent": True, "jobs": [show.summary(r) for r in records]})
    else:
        for record in records:
            show.sent(record)


@app.command()
def jobs(
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Ask the service where each job stands.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Lists the job records of this machine."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.jobs import look
    from qmastermind_qiskit.ibm.records import FINAL, JobStore

    store = JobStore()
    records, problems = store.scan()
    if refresh:
        clients: dict[str, Client] = {}
        for i, record in enumerate(records):
            if record.state not in FINAL:
                client = clients.setdefault(record.instance, _client_of(record))
                records[i], _ = look(record, client, store, _notify)
    for problem in problems:
        _notify(problem)
    if json:
        print_json({"jobs": [show.summary(r) for r in records], "problems": problems})
    else:
        show.jobs(records)


@app.command()
def status(job: IdArgument, json: JsonFlag = False) -> None:
    """Says where a job stands, and finds out whether an interrupted one arrived."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.jobs import look
    from qmastermind_qiskit.ibm.records import JobStore

    store = JobStore()
    record = store.find(job)
    record, progress = look(record, _client_of(record), store, _notify)
    if json:
        print_json({**show.summary(record), "status": progress.status})
    else:
        show.status(record, progress)


@app.command()
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
    _finish([record], _client_of(record), json, timeout, wait or timeout is not None)


@app.command()
def cancel(job: IdArgument, json: JsonFlag = False) -> None:
    """Cancels a job."""
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.jobs import cancel as end
    from qmastermind_qiskit.ibm.records import JobStore

    store = JobStore()
    record = store.find(job)
    record = end(record, _client_of(record), store, _notify)
    if json:
        print_json(show.summary(record))
    else:
        console().print(f"job {record.job_id} is cancelled")


def _finish(
    records: list[JobRecord],
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
        with _spinner(f"job {record.job_id}") as spinner:

            def watch(progress: Progress, seconds: float, record: JobRecord = record) -> None:
                spinner(show.progress(record, progress, seconds))

            try:
                record = fetch(
                    record, client, store, _notify, wait=wait, timeout=timeout, watch=watch
                )
            except KeyboardInterrupt:
                for waiting in records[len(done) :]:
                    _notify(f"job {waiting.job_id} goes on. {how_to_return(waiting)}")
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


def _device(name: str | None, least_busy: bool, request: Request) -> tuple[Device, Client]:
    """The device that was asked for, and what sends to it."""
    from qmastermind_qiskit.ibm.device import snapshot
    from qmastermind_qiskit.ibm.local import LocalClient

    if (name is None) == (not least_busy):
        raise UsageError("give either --device NAME or --least-busy")
    if name is not None and not name.startswith("ibm_"):
        return snapshot(name), LocalClient()
    client = _connect()
    client.require_usage()
    device = client.device(name) if name else client.least_busy(request.num_qubits)
    state = client.status(device)
    if not state["operational"] or state["message"] != "active":
        _notify(f"{device.name} reports the state {state['message']!r}: jobs may wait long")
    return device, client


def _client_of(record: JobRecord) -> Client:
    from qmastermind_qiskit.ibm.local import LocalClient
    from qmastermind_qiskit.ibm.records import FINAL

    if record.instance and record.state not in FINAL:
        return _connect(record.instance)
    return LocalClient()  # nothing is asked about a job that has ended


def _connect(instance: str | None = None) -> IbmClient:
    from qmastermind_qiskit.ibm.client import IbmClient

    _quiet()
    return IbmClient.connect(instance)


def _quiet() -> None:
    """IBM's client tells its log things that are told here in other words."""
    import logging

    logging.getLogger("qiskit_ibm_runtime").setLevel(logging.ERROR)


def _notify(text: str) -> None:
    err_console().print(f"note: {text}", style="yellow", markup=False, soft_wrap=True)


@contextmanager
def _spinner(text: str) -> Iterator[Any]:
    """Shows on a terminal's stderr that something is going on; gives a function to change it."""
    with err_console().status(text) as shown:
        yield shown.update
