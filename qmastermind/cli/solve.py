"""``qmastermind solve``: play one game and show how it went."""

from __future__ import annotations

import time
from pathlib import Path
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
    choose_secret,
    console,
    print_json,
    read_rules,
    report_unwritable,
)
from qmastermind.errors import UsageError
from qmastermind.game import Code, Codemaker

if TYPE_CHECKING:
    from qmastermind.solver import Solution


def solve(
    solver: Annotated[str, typer.Option("--solver", help="See `qmastermind solvers`.")] = "grover",
    secret: Annotated[
        str, typer.Option("--secret", help="RBRY, 1513, 1,5,1,3 or random.")
    ] = "random",
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    no_repeats: NoRepeatsFlag = False,
    blanks: BlanksFlag = False,
    backend: Annotated[
        str | None, typer.Option("--backend", help="See `qmastermind backends`.")
    ] = None,
    space: Annotated[
        str | None, typer.Option("--space", help="valid codes only, or all bitstrings.")
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Succeed with probability 1.")] = False,
    iterations: Annotated[
        int | None, typer.Option("--iterations", help="Default: the best number.")
    ] = None,
    shots: Annotated[int | None, typer.Option("--shots", help="Samples a circuit.")] = None,
    pairs: Annotated[
        str | None, typer.Option("--pairs", help="deutsch: star, paths or blank.")
    ] = None,
    variant: Annotated[
        str | None, typer.Option("--variant", help="adaptive: auto, phases, blanks or padded.")
    ] = None,
    counting: Annotated[
        bool, typer.Option("--counting", help="adaptive: use the counting oracle.")
    ] = False,
    design: Annotated[
        str | None,
        typer.Option("--design", help="grover-feedback: auto, counters, one-hot or table."),
    ] = None,
    opening: Annotated[
        str | None, typer.Option("--opening", help="First guess of a classical solver.")
    ] = None,
    consistent: Annotated[
        bool, typer.Option("--consistent", help="one-step rules: guess only possible codes.")
    ] = False,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="NAME=VALUE, any other option of the solver; may repeat."),
    ] = None,
    seed: SeedOption = None,
    json: JsonFlag = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Write the histogram of the top codes.")
    ] = None,
) -> None:
    """Finds a secret code and checks it with the codemaker."""
    from qmastermind.registry import solver_class

    cls = solver_class(solver)
    game = read_rules(rules, positions, colours, no_repeats, blanks)
    hidden = choose_secret(secret, game, seed)
    given = {
        "backend": backend,
        "space": space,
        "exact": exact or None,
        "iterations": iterations,
        "shots": shots,
        "pairs": pairs,
        "variant": variant,
        "counting": counting or None,
        "design": design,
        "opening": opening,
        "consistent": consistent or None,
    }
    options = {name: value for name, value in given.items() if value is not None}
    for text in option or ():
        name, value = _name_and_value(text)
        if name in options:
            raise UsageError(f"the option {name} is given twice")
        options[name] = cls.read_option(name, value)
    if seed is not None and "seed" in cls.options():
        options["seed"] = seed  # a solver without chance repeats anyway
    breaker = cls.create(**options)
    codemaker = Codemaker(hidden, game)
    started = time.perf_counter()
    solution = breaker.solve(codemaker)
    seconds = time.perf_counter() - started

    report = _report(solver, codemaker, hidden, solution, seconds)
    report["backend"] = getattr(breaker, "backend", None)
    if json:
        print_json(report)
    else:
        _show(report, solution)
    plotted = plot is None or _plot(report, plot)
    if not solution.verified or not plotted:
        raise typer.Exit(1 if not solution.verified else 2)


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    name = name.strip().removeprefix("--").replace("-", "_")
    if not equals or not name.isidentifier():
        raise UsageError(f"--option takes NAME=VALUE, such as choice=expected-size, not {text!r}")
    return name, value


def _report(
    solver: str, codemaker: Codemaker, secret: Code, solution: Solution, seconds: float
) -> dict[str, Any]:
    queries = codemaker.queries
    return {
        "solver": solver,
        "backend": None,
        "rules": codemaker.rules.as_dict(),
        "secret": str(secret),
        "solution": None if solution.code is None else str(solution.code),
        "solved": solution.verified,
        "verified": solution.verified,
        "guesses": [
            {"guess": str(guess), "black": answer.black, "white": answer.white}
            for guess, answer in solution.guesses
        ],
        "queries": {
            "classical": queries.classical,
            "quantum": queries.quantum,
            "executions": queries.executions,
            "models": queries.models,
        },
        **solution.details,
        "seconds": seconds,
    }


def _show(report: dict[str, Any], solution: Solution) -> None:
    from rich.table import Table

    out = console()
    for number, (guess, answer) in enumerate(solution.guesses, 1):
        out.print(f"guess {number}: [bold]{guess}[/bold]  {answer}")
    for line in report.get("log", ()):
        out.print(line, style="dim", markup=False)
    if solution.verified:
        out.print(f"[bold green]solved[/bold green]: the secret is [bold]{solution.code}[/bold]")
    else:
        found = solution.code or "nothing that is a code"
        out.print(f"[bold red]not solved[/bold red]: found {found}")
    table = Table(show_header=False, box=None, pad_edge=False)
    for key, text in _facts(report):
        table.add_row(f"[dim]{key}[/dim]", text)
    out.print(table)
    counts = report.get("counts")
    if counts:
        top = Table(title="most frequent codes", title_justify="left", box=None, pad_edge=False)
        top.add_column("code")
        top.add_column("shots", justify="right")
        top.add_column("")
        largest = max(counts.values())
        for code, n in list(counts.items())[:8]:
            top.add_row(code, str(n), "█" * max(1, round(30 * n / largest)))
        out.print(top)


def _facts(report: dict[str, Any]) -> list[tuple[str, str]]:
    facts = [("solver", report["solver"])]
    if report["backend"]:
        facts.append(("backend", report["backend"]))
    if "success_probability" in report:
        share = f"{report['success_probability']:.9f} ({report['success_source']})"
        facts.append(("success probability", share))
    if "iterations" in report:
        facts.append(("iterations", str(report["iterations"])))
    queries = report["queries"]
    text = f"{queries['classical']} classical, {queries['quantum']} quantum"
    if queries["models"]:
        text += f" ({', '.join(f'{model}: {n}' for model, n in queries['models'].items())})"
    facts.append(("queries", text))
    if "depth" in report:
        basis = ", ".join(report["basis"])
        facts.append(
            (
                "circuit",
                f"{report['qubits']} qubits, depth {report['depth']}, {report['two_qubit_gates']} "
                f"two-qubit gates in the basis {{{basis}}}",
            )
        )
    facts.append(("seconds", f"{report['seconds']:.3f}"))
    return facts


def _plot(report: dict[str, Any], path: Path) -> bool:
    from qmastermind.plotting import plot_counts

    title = f"{report['solver']} on {report['backend']}: secret {report['secret']}"
    try:
        plot_counts(report.get("counts") or {}, title, path)
    except OSError as error:
        report_unwritable(path, "plot", error)
        return False
    return True
