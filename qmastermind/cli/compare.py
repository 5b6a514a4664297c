"""``qmastermind compare``: one circuit through many compilers, counted alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qmastermind.cli.common import (
    ColoursOption,
    PositionsOption,
    RulesOption,
    choose_secret,
    err_console,
    read_rules,
)
from qmastermind.errors import UsageError
from qmastermind.validation import check_tolerance

if TYPE_CHECKING:
    from qmastermind.comparison import Cell, Row


_SUITE_TAKES = {
    *("suite", "backends", "repeat", "seed", "timeout", "tolerance", "workers", "scheduler"),
    *("no_cache", "json", "csv", "markdown", "html", "plot"),
}
"""The options beside which ``--suite`` can stand: it brings circuits and targets of its own."""


def compare(
    context: typer.Context,
    circuit: Annotated[
        str | None,
        typer.Option(
            "--circuit",
            help="grover, grover-iteration (the default), oracle, deutsch, feedback, FILE.qasm, or "
            "FILE.py:NAME for a Circuit or a function that returns one.",
        ),
    ] = None,
    suite: Annotated[
        str | None, typer.Option("--suite", help="article, scaling, oracles or devices.")
    ] = None,
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    secret: Annotated[
        str | None,
        typer.Option(
            "--secret",
            help="Code inside the oracle, or random to draw one with the seed; by default always "
            "the same.",
        ),
    ] = None,
    iterations: Annotated[int | None, typer.Option("--iterations", help="For grover.")] = None,
    space: Annotated[str, typer.Option("--space", help="all or valid.")] = "all",
    backends: Annotated[
        str | None,
        typer.Option(
            "--backends",
            help="Comma-separated names; by default those of qiskit, cirq, pennylane and tket that "
            "are installed.",
        ),
    ] = None,
    levels: Annotated[
        str, typer.Option("--levels", help="default, best or 0 to 3, comma-separated.")
    ] = "default",
    target: Annotated[
        list[str] | None,
        typer.Option("--target", help="all-to-all, line, grid, heavy-hex, ibm:NAME; may repeat."),
    ] = None,
    basis: Annotated[str, typer.Option("--basis", help="Comma-separated.")] = "rz,sx,x,cx",
    lowering: Annotated[str, typer.Option("--lowering", help="framework, ours or both.")] = "both",
    ancillas: Annotated[
        str, typer.Option("--ancillas", help="Clean spare qubits, comma-separated.")
    ] = "0",
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="Seeds a cell.")] = 1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The first seed.")] = 1,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout", min=0.1, help="Seconds that compiling may take, and again its proof."
        ),
    ] = 300.0,
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance",
            help="Largest distance of results that count as equivalent: 1e-6 (scaling: 1e-4).",
        ),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes.")] = 1,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", help="Address of a Dask scheduler.")
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Compute every row anew, and keep none.")
    ] = False,
    json: Annotated[
        Path | None, typer.Option("--json", help="Write JSON; - prints it, and nothing else.")
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Write CSV.")] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", help="Write Markdown.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a report.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Write the plot.")] = None,
) -> None:
    """Compiles circuits with several frameworks and ranks what was shown equivalent.

    Ends with 0 if every backend has a row that was shown equivalent, with 1 if one has none, with
    2 for misuse or a file that could not be written, with 130 after Ctrl-C.
    """
    from qmastermind.cli.compare_output import check_files, show, write
    from qmastermind.comparison import CIRCUITS, in_order, run_cells

    files = {"json": json, "csv": csv, "markdown": markdown, "html": html, "plot": plot}
    check_files(files)
    if circuit is None:
        circuit = "grover-iteration"
    _check_options(_given(context), circuit, target or [], suite)
    cache = _cache(no_cache)
    about: dict[str, str] = {}
    requested = _backends(backends)
    if suite is not None:
        with err_console().status("reading circuits and targets"):
            cells = _suite_cells(suite, requested, _seeds(seed, repeat))
    else:
        game = read_rules(rules, positions, colours)
        code = choose_secret(secret or "random", game, 0 if secret is None else seed)
        if circuit in CIRCUITS:
            about["secret"] = str(code)
        cells = _cells(
            circuit,
            {"rules": game, "secret": code, "iterations": iterations, "space": space},
            {"backends": requested, "levels": _levels(levels),
             "lowerings": _lowerings(lowering), "targets": target or ["all-to-all"],
             "basis": tuple(_names(basis)), "ancillas": _numbers(ancillas),
             "seeds": _seeds(seed, repeat)},
        )  # fmt: skip
    if tolerance is not None:
        cells = [replace(cell, tolerance=check_tolerance(tolerance)) for cell in cells]
    rows: list[Row] = []
    interrupted = False
    try:
        for row in _progress(
            run_cells(
                cells,
                cache=cache,
                timeout=timeout,
                workers=workers,
                scheduler=scheduler,
            ),
            len(cells),
        ):
            rows.append(row)
    except KeyboardInterrupt:
        interrupted = True
    rows = in_order(rows, cells)
    if interrupted:
        about["interrupted"] = f"interrupted: {len(rows)} of {len(cells)} rows"
    if all(str(path) != "-" for path in files.values()):
        show(rows)
    written = write(rows, cells, files, about)
    if interrupted:
        kept = "" if cache is None else "; finished ones are kept"
        err_console().print(about["interrupted"] + kept)
        raise typer.Exit(130)
    if not written:
        raise typer.Exit(2)
    without = _without_result(requested, rows)
    if without:
        err_console().print(f"no row shown equivalent of: {', '.join(without)}")
        raise typer.Exit(1)


def _cache(unwanted: bool) -> Path | None:
    """The folder of finished rows, unless it is not wanted or cannot be used."""
    from qmastermind.comparison import default_cache
    from qmastermind.comparison.runner import Cache

    folder = None if unwanted else default_cache()
    problem = Cache(folder).problem()
    if not problem:
        return folder
    text = f"note: rows cannot be kept, and the sweep cannot be resumed: {problem}"
    err_console().print(text, style="yellow", markup=False, soft_wrap=True)
    return None


def _without_result(requested: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The backends that were asked for and have no row that was shown equivalent."""
    shown = {row.backend for row in rows if row.ranked}
    return [name for name in dict.fromkeys(requested) if name not in shown]


def _backends(text: str | None) -> list[str]:
    from qmastermind.comparison import FRAMEWORKS, OURS
    from qmastermind.registry import registered_backends

    if text is not None:
        return _names(text)
    plugins = {name: registered_backends().get(name) for name in FRAMEWORKS}
    missing = [n for n, p in plugins.items() if p is None or p.cls is None or p.cls.info.missing()]
    if missing:
        err_console().print(f"not installed: {', '.join(missing)}")
    return [name for name in FRAMEWORKS if name not in missing] or [OURS]


def _given(context: typer.Context) -> list[str]:
    """The options that were written on the command line."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return [name for name, source in sources.items() if source and source.name == "COMMANDLINE"]


def _check_options(
    given: Sequence[str], circuit: str, targets: Sequence[str], suite: str | None
) -> None:
    """An option that would change nothing is refused, not ignored."""
    from qmastermind.comparison import CIRCUITS

    def written(names: Iterable[str]) -> str:
        return ", ".join("--" + name.replace("_", "-") for name in names)

    if suite is not None:
        excluded = [name for name in given if name not in _SUITE_TAKES]
        if excluded:
            raise UsageError(
                f"--suite brings circuits and targets of its own: it excludes {written(excluded)}"
            )
        return
    meant_for = {
        **dict.fromkeys(("rules", "positions", "colours", "secret"), CIRCUITS),
        "iterations": ("grover",),
        "space": ("grover", "grover-iteration"),
    }
    idle = [name for name in given if circuit not in meant_for.get(name, (circuit,))]
    if idle:
        raise UsageError(f"--circuit {circuit} does not depend on {written(idle)}")
    if "basis" in given and targets and all(target.startswith("ibm:") for target in targets):
        raise UsageError("a device brings its own basis: it excludes --basis")


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError("expected at least one name")
    return names


def _levels(text: str) -> list[int]:
    from qmastermind.comparison import LEVELS

    levels = []
    for name in _names(text):
        if name in LEVELS:
            levels.append(LEVELS[name])
        elif name in ("0", "1", "2", "3"):
            levels.append(int(name))
        else:
            raise UsageError(f"unknown level {name!r}; known: default, best, 0, 1, 2, 3")
    return levels


def _lowerings(text: str) -> list[str]:
    return ["framework", "ours"] if text == "both" else [text]


def _numbers(text: str) -> list[int]:
    if not all(name.isdigit() for name in _names(text)):
        raise UsageError(f"expected numbers of spare qubits, not {text!r}")
    return [int(name) for name in _names(text)]


def _seeds(first: int, repeat: int) -> tuple[int, ...]:
    return tuple(range(first, first + repeat))


def _cells(name: str, case: dict[str, Any], options: dict[str, Any]) -> list[Cell]:
    from qmastermind.comparison import build_case, grid

    built = build_case(name, **case)
    built.check_size()
    return grid({name: built}, **options)


def _suite_cells(name: str, backends: list[str], seeds: tuple[int, ...]) -> list[Cell]:
    from qmastermind.comparison import suite
    from qmastermind.comparison.devices import stored_devices

    devices = stored_devices() if name == "devices" else []
    return suite(name, backends=backends, seeds=seeds, devices=devices)


def _progress(rows: Any, total: int) -> Any:
    from rich.progress import track

    return track(rows, "compiling", total=total, console=err_console(), transient=True)
