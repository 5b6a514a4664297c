"""``qmastermind ledger``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qmastermind.cli.common import JsonFlag, console, err_console, print_json
from qmastermind.errors import QmastermindError, UsageError

if TYPE_CHECKING:
    from rich.progress import Progress

    from qmastermind_classical.exact.cells import Cell
    from qmastermind_classical.exact.jobs import Job, Proof
    from qmastermind_classical.exact.ledger import Ledger
    from qmastermind_classical.exact.method import Effort


def ledger(
    games: Annotated[
        str,
        typer.Option(
            "--games",
            help="Cells such as 4x6, 2x2-9, 4x10d (all different), 4x6/5 (at most 5 guesses), "
            "or published.",
        ),
    ] = "published",
    results: Annotated[
        Path, typer.Option("--results", help="The results file: read, skipped, added to.")
    ] = Path("ledger.json"),
    trees: Annotated[
        Path | None, typer.Option("--trees", help="Directory for the strategy trees.")
    ] = None,
    methods: Annotated[
        str, typer.Option("--methods", help="Prove with these: main, cross, plain-keys.")
    ] = "main",
    workers: Annotated[
        int, typer.Option("--workers", min=1, help="Worker processes of this machine.")
    ] = 1,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", help="Address of a Dask scheduler to use instead.")
    ] = None,
    checkpoint_every: Annotated[
        float, typer.Option("--checkpoint-every", min=0.0, help="Seconds between checkpoints.")
    ] = 60.0,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table in Markdown.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Computes the table of optimal totals; stops if one is not what is published.

    Every result is in the results file as soon as it is there. What the file holds is not computed
    again; an interrupted or killed run is resumed by the same command.
    """
    from qmastermind_classical.exact.cells import read_cells
    from qmastermind_classical.exact.jobs import Job
    from qmastermind_classical.exact.ledger import Ledger
    from qmastermind_classical.exact.ledger import markdown as as_markdown
    from qmastermind_classical.exact.method import METHODS, check_size

    cells = read_cells(games)
    names = list(dict.fromkeys(methods.replace(",", " ").split()))
    if not names or not METHODS.keys() >= set(names):
        raise UsageError(f"unknown methods {methods!r}; known: {', '.join(METHODS)}")
    if scheduler is not None and workers > 1:
        raise UsageError("give either --workers or --scheduler")
    if not results.absolute().parent.is_dir():
        raise UsageError(f"cannot write {results}: there is no directory {results.parent}")
    for cell in cells:
        check_size(cell.rules)
    book = Ledger.open(results)
    missing = book.missing(cells, names)
    work = results.absolute().with_name(f"{results.stem}-work")
    jobs = [Job(cell, method, work, checkpoint_every) for cell, method in missing]
    try:
        if jobs:
            work.mkdir(exist_ok=True)
        if trees is not None:
            trees.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the directory {error.filename}: {error.strerror}") from error
    try:
        with _progress() as bar:
            for proof in _run(jobs, workers, scheduler, bar):
                _enter(book, proof, trees)
    except KeyboardInterrupt:
        err_console().print(
            f"interrupted; {results} and {work} hold what is done: run it again", soft_wrap=True
        )
        raise
    if jobs and not any(work.iterdir()):
        work.rmdir()

    if json:
        print_json(
            {
                "results": str(results),
                "computed": len(jobs),
                "skipped": len(cells) * len(names) - len(jobs),
                "cells": {cell.spec: book.records[cell] for cell in cells},
            }
        )
    elif markdown:
        typer.echo(as_markdown(book, cells), nl=False)
    else:
        _show(book, cells)


def _run(
    jobs: Sequence[Job], workers: int, scheduler: str | None, bar: Progress
) -> Iterator[Proof]:
    from qmastermind_classical.exact.jobs import run_here, run_in_processes, run_on_cluster

    overall = bar.add_task("cells", total=len(jobs))
    now = bar.add_task("", total=None, visible=workers == 1 and scheduler is None)

    def tell(cell: Cell, method: str, effort: Effort) -> None:
        bar.update(now, description=f"{cell.name} ({method}): {effort.expanded:,} sets")

    if scheduler is not None:
        proofs = run_on_cluster(jobs, scheduler)
    elif workers > 1:
        proofs = run_in_processes(jobs, workers)
    else:
        proofs = run_here(jobs, tell)
    for proof in proofs:
        yield proof
        bar.advance(overall)


def _enter(book: Ledger, proof: Proof, trees: Path | None) -> None:
    from qmastermind.files import replacing

    path = None
    try:
        if trees is not None and proof.tree:
            path = trees / f"{proof.cell.slug}.{proof.method}.json"
            with replacing(path, "w") as file:
                file.write(proof.tree)
        book.enter(proof, None if path is None else path.name)
        book.save()
    except OSError as error:
        raise QmastermindError(
            f"cannot write {error.filename}: {error.strerror}; the result that is lost is "
            f"{proof.cell.name}, total {proof.values.get('total')}"
        ) from error


def _progress() -> Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    err = err_console()
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=err, transient=True, disable=not err.is_terminal,
    )  # fmt: skip


def _show(book: Ledger, cells: Sequence[Cell]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from qmastermind_classical.exact.ledger import HEADINGS, row

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in HEADINGS[:-1]:
        wide = heading in ("game", "value")
        table.add_column(heading, no_wrap=heading != "value", justify="left" if wide else "right")
    for cell in cells:
        first = dict(list(book.records[cell]["proofs"].items())[:1])
        table.add_row(*row(cell, {**book.records[cell], "proofs": first})[:-1])
    console().print(table)
