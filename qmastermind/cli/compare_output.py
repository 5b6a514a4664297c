"""What ``qmastermind compare`` prints and writes."""

from __future__ import annotations

import datetime
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from qmastermind.cli.common import console, report_unwritable, write_file
from qmastermind.errors import UsageError

if TYPE_CHECKING:
    from qmastermind.circuit import Circuit
    from qmastermind.comparison import Cell, Row

_FILE_WIDTH = 220
_WIDE = 150
_LESS_WANTED = ("used_ancillas", "virtual_rz", "native_depth")  # left out of narrow terminals


def show(rows: Sequence[Row]) -> None:
    """Prints a table a block, and below it why rows are not ranked."""
    from rich.markup import escape
    from rich.table import Table

    from qmastermind.comparison.tables import (
        HEADINGS,
        blocks,
        cells_of,
        columns,
        label,
        outcome,
        ranked,
        remarks,
        title,
    )

    out = console()
    if not out.is_terminal:
        out.width = max(out.width, _FILE_WIDTH)  # in a file there is room for everything
    for block, members in blocks(rows).items():
        table = Table(title=title(block), title_justify="left", box=None, pad_edge=False)
        keys = columns(members)
        if out.width < _WIDE:
            keys = [key for key in keys if key not in _LESS_WANTED]
        for key in keys:
            side: Literal["left", "right"] = "left" if key in ("label", "verdict") else "right"
            heading = HEADINGS[key] if side == "left" else HEADINGS[key].replace(" ", "\n")
            table.add_column(heading, justify=side, no_wrap=True, vertical="bottom")
        for rank, row in ranked(members):
            cells = {**cells_of(row, rank), "verdict": outcome(row)}
            style = "red" if rank is None else "green" if rank == 1 else ""
            table.add_row(*(escape(cells[key]) for key in keys), style=style)
        out.print(table)
        for why, whose in remarks(members).items():
            names = "; ".join(map(label, whose))
            style = "" if whose[0].ranked else "red"
            out.print(f"{names}: {why}", style=style, markup=False, soft_wrap=True)
        out.print()


def check_files(files: dict[str, Path | None]) -> None:
    """Refuses, before anything is compiled, what could not be written after it.

    Raises:
        UsageError: If two formats have one file, or a file can surely not be written.
        MissingDependencyError: If there is no matplotlib and a plot is wanted.
    """
    seen: set[Path] = set()
    for path in files.values():
        if path is None:
            continue
        if path.absolute() in seen:
            where = "standard output" if str(path) == "-" else str(path)
            raise UsageError(f"only one of the formats can go to {where}")
        seen.add(path.absolute())
        if str(path) != "-" and (path.is_dir() or not os.access(path.absolute().parent, os.W_OK)):
            reason = "is a folder" if path.is_dir() else "its folder cannot be written"
            raise UsageError(f"cannot write {path}: {reason}")
    if files["plot"] is not None:
        from qmastermind.plotting import check_ending

        check_ending(files["plot"])


def write(
    rows: Sequence[Row],
    cells: Sequence[Cell],
    files: dict[str, Path | None],
    about: dict[str, str],
) -> bool:
    """Writes the files that were asked for, by kind; False if one could not be written.

    Args:
        rows: What there is.
        cells: What was wanted.
        files: Where each kind goes.
        about: What the files say of the sweep beside command, date and versions.
    """
    from qmastermind.comparison.charts import plot
    from qmastermind.comparison.report import to_html
    from qmastermind.comparison.tables import to_csv, to_json, to_markdown

    about = {**_about(rows, cells), **about}
    circuits: dict[str, Circuit] = {cell.name: cell.circuit for cell in cells}
    makers: dict[str, Callable[[], str]] = {
        "json": lambda: to_json(rows, about),
        "csv": lambda: to_csv(rows),
        "markdown": lambda: to_markdown(rows, about),
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


def _about(rows: Sequence[Row], cells: Sequence[Cell]) -> dict[str, Any]:
    from importlib.metadata import version

    from qmastermind.comparison import OURS

    versions = {"qmastermind": version("qmastermind")}
    others = (cell.backend.partition(":")[0] for cell in cells if cell.backend != OURS)
    versions.update(dict.fromkeys(others, "without a result"))
    # A device's own compiler is that of its backend, fake:torino that of fake.
    versions.update({row.backend.partition(":")[0]: row.version for row in rows if row.version})
    return {
        "command": "qmastermind " + shlex.join(sys.argv[1:]),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": versions,
    }
