"""``qmastermind compare``: one circuit through many compilers, counted alike."""

from __future__ import annotations

import datetime
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from qmastermind.cli.common import (
    ColoursOption,
    PositionsOption,
    RulesOption,
    choose_secret,
    console,
    err_console,
    read_rules,
    report_unwritable,
    write_file,
)
from qmastermind.errors import UsageError

if TYPE_CHECKING:
    from qmastermind.circuit import Circuit
    from qmastermind.compare import Cell, Row


def compare(
    circuit: Annotated[
        str,
        typer.Option(
            "--circuit",
            help="grover, grover-iteration, oracle, deutsch, feedback, FILE.qasm or FILE.py:NAME.",
        ),
    ] = "grover-iteration",
    suite: Annotated[
        str | None, typer.Option("--suite", help="article, scaling, oracles or devices.")
    ] = None,
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    secret: Annotated[str, typer.Option("--secret", help="Code inside the oracle.")] = "random",
    iterations: Annotated[int | None, typer.Option("--iterations", help="For grover.")] = None,
    space: Annotated[str, typer.Option("--space", help="all or valid.")] = "all",
    backends: Annotated[
        str, typer.Option("--backends", help="Comma-separated names.")
    ] = "qiskit,cirq,pennylane,tket",
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
        float, typer.Option("--timeout", min=0.1, help="Seconds a cell may take.")
    ] = 120.0,
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
    """Compiles circuits with several frameworks and ranks what was proved equivalent."""
    from qmastermind.compare import default_cache, run_cells

    if suite is not None:
        cells = _suite_cells(suite, _names(backends), _seeds(seed, repeat))
    else:
        game = read_rules(rules, positions, colours)
        cells = _cells(
            circuit,
            {"rules": game, "secret": choose_secret(secret, game, seed),
             "iterations": iterations, "space": space},
            {"backends": _names(backends), "levels": _levels(levels),
             "lowerings": _lowerings(lowering), "targets": target or ["all-to-all"],
             "basis": tuple(_names(basis)), "ancillas": _numbers(ancillas),
             "seeds": _seeds(seed, repeat)},
        )  # fmt: skip
    rows: list[Row] = []
    interrupted = False
    try:
        for row in _progress(
            run_cells(
                cells,
                cache=None if no_cache else default_cache(),
                timeout=timeout,
                workers=workers,
                scheduler=scheduler,
            ),
            len(cells),
        ):
            rows.append(row)
    except KeyboardInterrupt:
        interrupted = True
    if str(json) != "-":
        _show(rows)
    written = _write(rows, cells, {"json": json, "csv": csv, "markdown": markdown, "html": html,
                                   "plot": plot})  # fmt: skip
    if interrupted:
        err_console().print(
            f"interrupted: {len(rows)} of {len(cells)} rows; finished ones are kept"
        )
        raise typer.Exit(130)
    if not written:
        raise typer.Exit(2)
    if not any(row.ranked for row in rows):
        raise typer.Exit(1)


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError("expected at least one name")
    return names


def _levels(text: str) -> list[int]:
    from qmastermind.compare import LEVELS

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
    if text not in ("framework", "ours", "both"):
        raise UsageError(f"unknown lowering {text!r}; known: framework, ours, both")
    return ["framework", "ours"] if text == "both" else [text]


def _numbers(text: str) -> list[int]:
    if not all(name.isdigit() for name in _names(text)):
        raise UsageError(f"expected numbers of spare qubits, not {text!r}")
    return [int(name) for name in _names(text)]


def _seeds(first: int, repeat: int) -> tuple[int, ...]:
    return tuple(range(first, first + repeat))


def _cells(name: str, case: dict[str, Any], options: dict[str, Any]) -> list[Cell]:
    from qmastermind.compare import OURS, build_case, grid
    from qmastermind.compare.runner import backend_version

    for backend in options["backends"]:
        if backend != OURS:
            backend_version(backend)  # an unknown name fails before anything is computed
    return grid({name: build_case(name, **case)}, **options)


def _suite_cells(name: str, backends: list[str], seeds: tuple[int, ...]) -> list[Cell]:
    from qmastermind.compare import suite
    from qmastermind.compare.runner import backend_version

    for backend in backends:
        backend_version(backend)
    devices: list[str] = []
    if name == "devices":
        from qmastermind.registry import get_backend

        devices = list(getattr(get_backend("fake"), "devices", list)())
    return suite(name, backends=backends, seeds=seeds, devices=devices)


def _progress(rows: Any, total: int) -> Any:
    from rich.progress import track

    return track(rows, "compiling", total=total, console=err_console(), transient=True)


def _show(rows: Sequence[Row]) -> None:
    from rich.markup import escape
    from rich.table import Table

    from qmastermind.compare.tables import COLUMNS, blocks, cells_of, ranked, title

    out = console()
    for block, members in blocks(rows).items():
        table = Table(title=title(block), title_justify="left", box=None, pad_edge=False)
        for key, heading in COLUMNS:
            side: Literal["left", "right"] = "left" if key in ("label", "verdict") else "right"
            table.add_column(heading, justify=side, no_wrap=key != "verdict")
        for rank, row in ranked(members):
            cells = cells_of(row, rank)
            style = "red" if rank is None else "green" if rank == 1 else ""
            table.add_row(*(escape(cells[key]) for key, _ in COLUMNS), style=style)
        out.print(table)
        out.print()


def _write(rows: Sequence[Row], cells: Sequence[Cell], files: dict[str, Path | None]) -> bool:
    from qmastermind.compare.report import plot, to_html
    from qmastermind.compare.tables import to_csv, to_json, to_markdown

    about = _about(rows)
    circuits: dict[str, Circuit] = {cell.name: cell.circuit for cell in cells}
    makers: dict[str, Callable[[], str]] = {
        "json": lambda: to_json(rows, about),
        "csv": lambda: to_csv(rows),
        "markdown": lambda: to_markdown(rows),
        "html": lambda: to_html(rows, about, circuits),
    }
    done = True
    for kind, make in makers.items():
        path = files[kind]
        if path is None:
            continue
        if str(path) == "-":
            typer.echo(make())
        else:
            done &= write_file(path, make(), kind.upper())
    if files["plot"] is not None:
        try:
            plot(rows, files["plot"])
        except OSError as error:
            report_unwritable(files["plot"], "plot", error)
            done = False
    return done


def _about(rows: Sequence[Row]) -> dict[str, Any]:
    from importlib.metadata import version

    versions = {"qmastermind": version("qmastermind")}
    versions.update({row.backend: row.version for row in rows if row.version})
    return {
        "command": "qmastermind " + shlex.join(sys.argv[1:]),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": versions,
    }
