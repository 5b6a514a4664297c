"""``qmastermind verify``: whether two files of OpenQASM do the same."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from qmastermind.cli.common import JsonFlag, console, print_json


def verify(
    first: Annotated[Path, typer.Argument(metavar="A", help="A file of OpenQASM 2.0 or 3.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
    method: Annotated[
        str, typer.Option("--method", help="auto, unitary, states or qcec.")
    ] = "auto",
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0, help="Largest distance of equal states.")
    ] = 1e-6,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds that qcec may take.")
    ] = 60.0,
    json: JsonFlag = False,
) -> None:
    """Says whether two circuits do the same up to global phase, and which method decided.

    Data qubits correspond by number; ancillas, marked as `qmastermind export` does it, need not.
    Ends with 0 if they are equivalent, with 1 if not or if it could not be decided.
    """
    from qmastermind.equivalence import equivalent
    from qmastermind.qasm import read_file

    verdict = equivalent(
        read_file(first), read_file(second), method=method, tolerance=tolerance, timeout=timeout
    )
    if json:
        print_json({"equal": verdict.equal, "method": verdict.method, "detail": verdict.detail})
    else:
        colour = {True: "green", False: "red", None: "yellow"}[verdict.equal]
        console().print(str(verdict), style=colour, markup=False, soft_wrap=True)
    if verdict.equal is not True:
        raise typer.Exit(1)
