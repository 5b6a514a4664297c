"""``qmastermind ibm``: from forecast to result. Imports nothing heavy before a command runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

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
    print_json,
    read_rules,
)
from qmastermind.errors import UsageError
from qmastermind_qiskit.ibm.cli_common import (
    CircuitOption,
    Connections,
    Decoupling,
    DeviceOption,
    IterationsOption,
    LayoutsOption,
    LevelOption,
    MarkedOption,
    Mode,
    NoBarrierFlag,
    PairsName,
    PairsOption,
    Sampler,
    SecretOption,
    ShotsOption,
    SpaceName,
    SpaceOption,
    connect,
    notify,
    quiet,
    require_extra,
    spinner,
)
from qmastermind_qiskit.ibm.cli_jobs import cancel, finish, jobs, result, status

if TYPE_CHECKING:
    from qmastermind_qiskit.ibm.account import IbmClient
    from qmastermind_qiskit.ibm.device import Device
    from qmastermind_qiskit.ibm.plan import Plan
    from qmastermind_qiskit.ibm.requests import Request

app = typer.Typer(
    help="IBM's devices: forecast first, submit without losing the job, decode any time later.",
    no_args_is_help=True,
)


@app.command()
def devices(
    offline: Annotated[
        bool, typer.Option("--offline", help="The snapshots that come with IBM's client.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Lists devices with their gates, median errors and unusable couplings."""
    require_extra()
    from qmastermind_qiskit.ibm import show
    from qmastermind_qiskit.ibm.device import snapshots

    with spinner("reading calibrations"):
        if offline:
            rows = [device.summary() for device in snapshots()]
        else:
            client = connect()
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

    quiet()
    with spinner("examining"):
        findings = examine()
    healthy = all(finding.ok is not False for finding in findings)
    if json:
        rows = [{"name": f.name, "ok": f.ok, "text": f.text} for f in findings]
        print_json({"healthy": healthy, "findings": rows})
    else:
        show.findings(findings)
    if not healthy:
        require_extra()  # without it nothing can be done at all
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
    with spinner("compiling"):
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
    from qmastermind_qiskit.ibm.submit import run_all, submit_all

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
        "least busy" if device is None else device,
    )
    options = RunOptions(
        shots,
        max_seconds,
        dynamical_decoupling.value if dynamical_decoupling else None,
        twirling,
        sampler.value,
        seed,
    )
    with spinner("compiling"):
        target, client = _device(device, least_busy, request)
        plans = request.plans(target, options, Compilation(level, layouts))
    _check_costs(plans, client)
    if dry_run:
        if json:
            print_json({"sent": False, "plans": [p.as_dict() for p in plans]})
        else:
            for planned in plans:
                show.forecast(planned, None)
            console().print("dry run: nothing was sent")
        return
    if client is None:
        finish(run_all(plans, JobStore(), force=force), Connections(), json, timeout)
        return
    connections = Connections(client)
    records = submit_all(
        plans,
        client,
        JobStore(),
        notify,
        mode=mode and mode.value,
        force=force,
        again=again,
        connect=connections,
    )
    if wait:
        finish(records, connections, json, timeout)
    elif json:
        print_json({"sent": True, "jobs": [show.summary(r) for r in records]})
    else:
        for record in records:
            show.sent(record)


def _device(
    name: str | None, least_busy: bool, request: Request
) -> tuple[Device, IbmClient | None]:
    """The device that was asked for, and its account; None for a stored one."""
    require_extra()
    from qmastermind_qiskit.ibm.device import snapshot

    if (name is None) == (not least_busy):
        raise UsageError("give either --device NAME or --least-busy")
    if name is not None and not name.startswith("ibm_"):
        return snapshot(name), None
    client = connect()
    device = client.device(name) if name else client.least_busy(request.num_qubits)
    state = client.status(device)
    if not state["operational"] or state["message"] != "active":
        notify(f"{device.name} reports the state {state['message']!r}: jobs may wait long")
    return device, client


def _check_costs(plans: Sequence[Plan], client: IbmClient | None) -> None:
    """Looks at what the instance has left; tells what a local run leaves out."""
    if client is None:
        options = plans[0].options
        if options.twirling or options.dynamical_decoupling:
            notify("decoupling and twirling are left out: simulated noise has nothing to undo")
        return
    remaining = client.require_usage()["remaining"]
    seconds = sum(plan.seconds for plan in plans)
    if remaining is not None and seconds > remaining:
        notify(f"about {seconds:.0f} device seconds are needed, and {remaining:.0f} remain")


for function in (jobs, status, result, cancel):
    app.command()(function)
