"""``qmastermind oracle``: look at an oracle before it is used."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from qmastermind.cli.common import JsonFlag, console, print_json, write_file
from qmastermind.cli.sources import (
    DimacsOption,
    FormulaOption,
    MarkedOption,
    PredicateOption,
    read_oracle,
)
from qmastermind.errors import UnknownNameError

oracle = typer.Typer(
    name="oracle", help="Shows an oracle, and what it costs.", no_args_is_help=True
)

_MAX_LISTED_BITS = 16


@oracle.command()
def show(
    dimacs: DimacsOption = None,
    formula: FormulaOption = None,
    predicate: PredicateOption = None,
    marked: MarkedOption = None,
    most: Annotated[int, typer.Option("--most", help="How many assignments to list.")] = 10,
    json: JsonFlag = False,
) -> None:
    """Shows the variables in order, what is marked, and the circuit of a small oracle."""
    subject = read_oracle(dimacs, formula, predicate, marked)
    report: dict[str, Any] = {
        "label": subject.label,
        "variables": [{"name": v.name, "values": v.size} for v in subject.variables],
        "qubits": subject.phase().num_qubits,
    }
    if subject.num_bits <= _MAX_LISTED_BITS:
        found = list(subject.marked())
        report["marked"] = len(found)
        report["assignments"] = [subject.variables.decode(x) for x in islice(found, most)]
    if json:
        print_json(report)
        return
    out = console()
    names = ", ".join(
        v.name if v.size == 2 else f"{v.name} (0..{v.size - 1})" for v in subject.variables
    )
    out.print(f"variables: {names}", markup=False)
    if "marked" in report:
        out.print(f"marked: {report['marked']} of {subject.variables.num_assignments}")
        for assignment in report["assignments"]:
            out.print("  " + ", ".join(f"{k}={v}" for k, v in assignment.items()))
    body = subject.phase().flattened()
    if len(body.operations) <= 60:
        out.print(body.draw(out.width), markup=False, soft_wrap=True)
    else:
        out.print(f"circuit: {body.num_qubits} qubits, {len(body.operations)} operations")


@oracle.command()
def cost(
    dimacs: DimacsOption = None,
    formula: FormulaOption = None,
    predicate: PredicateOption = None,
    marked: MarkedOption = None,
    json: JsonFlag = False,
) -> None:
    """Estimates qubits and Toffoli gates of the designs that an oracle has."""
    from qmastermind.oracle.algebra import as_expression

    subject = as_expression(read_oracle(dimacs, formula, predicate, marked))
    designs = {"wide": subject.cost, "narrow": subject.narrowed().cost}
    if designs["wide"] == designs["narrow"]:
        designs = {"only": designs["wide"]}
    if json:
        print_json({name: vars(figures) for name, figures in designs.items()})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("design", "qubits", "ancillas", "Toffolis", "gates by number of controls"):
        table.add_column(column)
    for name, figures in designs.items():
        gates = ", ".join(f"{c}: {n}" for c, n in figures.gates.items())
        row = (name, str(figures.qubits), str(figures.ancillas), str(figures.toffolis), gates)
        table.add_row(*row)
    console().print(table)


@oracle.command()
def export(
    dimacs: DimacsOption = None,
    formula: FormulaOption = None,
    predicate: PredicateOption = None,
    marked: MarkedOption = None,
    form: Annotated[str, typer.Option("--format", help="qasm3 or qasm2.")] = "qasm3",
    bit: Annotated[bool, typer.Option("--bit", help="The bit oracle, not the phase.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A file; default stdout.")
    ] = None,
) -> None:
    """Writes the circuit of an oracle as OpenQASM."""
    from qmastermind.qasm import to_qasm2, to_qasm3

    writers = {"qasm3": to_qasm3, "qasm2": to_qasm2}
    if form not in writers:
        raise UnknownNameError("format", form, writers)
    subject = read_oracle(dimacs, formula, predicate, marked)
    text = writers[form](subject.bit_flip() if bit else subject.phase())
    if output is None:
        typer.echo(text)
    elif not write_file(output, text, "circuit"):
        raise typer.Exit(2)
