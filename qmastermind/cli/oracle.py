"""``qmastermind oracle``: look at an oracle before it is used."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from qmastermind.cli.common import (
    ColoursOption,
    JsonFlag,
    PositionsOption,
    RulesOption,
    console,
    number_of,
    print_json,
)
from qmastermind.cli.export import write_circuit
from qmastermind.cli.sources import (
    DesignOption,
    DimacsOption,
    FormulaOption,
    HistoryOption,
    MarkedOption,
    PredicateOption,
    game_of,
    read_oracle,
)
from qmastermind.oracle.base import Oracle
from qmastermind.oracle.consistency import ConsistencyOracle, Design

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
    history: HistoryOption = None,
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    design: DesignOption = "auto",
    most: Annotated[int, typer.Option("--most", min=0, help="How many assignments to list.")] = 10,
    json: JsonFlag = False,
) -> None:
    """Shows the variables in order, what is marked, and the circuit of a small oracle."""
    game = game_of(rules, positions, colours)
    subject = read_oracle(dimacs, formula, predicate, marked, history, game, design)
    report: dict[str, Any] = {
        "label": subject.label,
        "variables": [{"name": v.name, "values": v.size} for v in subject.variables],
        "qubits": subject.phase().num_qubits,
    }
    if isinstance(subject, ConsistencyOracle):
        report["design"] = subject.design
    if subject.num_bits <= _MAX_LISTED_BITS:
        found = list(subject.marked())
        report["marked"] = len(found)
        report["assignments"] = [subject.variables.decode(x) for x in islice(found, most)]
        if isinstance(subject, ConsistencyOracle):
            report["codes"] = [str(subject.encoding.decode(x)) for x in islice(found, most)]
    if json:
        print_json(report)
        return
    out = console()
    names = ", ".join(
        v.name if v.size == 2 else f"{v.name} (0..{v.size - 1})" for v in subject.variables
    )
    out.print(f"variables: {names}", markup=False)
    if "marked" in report:
        out.print(f"marked: {report['marked']:,} of {subject.variables.num_assignments:,}")
        for i, assignment in enumerate(report["assignments"]):
            text = ", ".join(f"{k}={v}" for k, v in assignment.items())
            code = f"{report['codes'][i]}: " if "codes" in report else ""
            out.print(f"  {code}{text}", markup=False)
    body = subject.phase().flattened()
    if len(body.operations) <= 60:
        out.print(body.draw(out.width), markup=False, soft_wrap=True)
    else:
        made = f" ({report['design']})" if "design" in report else ""
        size = number_of(len(body.operations), "operation")
        out.print(f"circuit{made}: {number_of(body.num_qubits, 'qubit')}, {size}")


@oracle.command()
def cost(
    dimacs: DimacsOption = None,
    formula: FormulaOption = None,
    predicate: PredicateOption = None,
    marked: MarkedOption = None,
    history: HistoryOption = None,
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    json: JsonFlag = False,
) -> None:
    """Estimates qubits and Toffoli gates of the designs that an oracle has."""
    game = game_of(rules, positions, colours)
    subject = read_oracle(dimacs, formula, predicate, marked, history, game, None)
    designs = {name: one.cost for name, one in _designs(subject).items()}
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


def _designs(subject: Oracle) -> dict[str, Oracle]:
    """The oracle in every form that its circuit can have, by name."""
    from qmastermind.oracle.algebra import ExpressionOracle

    if isinstance(subject, ConsistencyOracle):
        names: list[Design] = ["counters", "one-hot"]
        if subject.consistent is not None:
            names.append("table")
        return {n: ConsistencyOracle(subject.history, subject.encoding, n) for n in names}
    if isinstance(subject, ExpressionOracle):
        return dict(subject.designs())
    return {"table": subject}


@oracle.command()
def export(
    dimacs: DimacsOption = None,
    formula: FormulaOption = None,
    predicate: PredicateOption = None,
    marked: MarkedOption = None,
    history: HistoryOption = None,
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    design: DesignOption = "auto",
    form: Annotated[
        str, typer.Option("--format", help="qasm3, qasm2, qiskit-qpy, cirq-json or tket-json.")
    ] = "qasm3",
    bit: Annotated[bool, typer.Option("--bit", help="The bit oracle, not the phase.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A file; default stdout.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Writes the circuit of an oracle as OpenQASM, or in the format of an installed framework."""
    game = game_of(rules, positions, colours)
    subject = read_oracle(dimacs, formula, predicate, marked, history, game, design)
    about = {
        "circuit": "bit oracle" if bit else "phase oracle",
        "variables": [{"name": v.name, "values": v.size} for v in subject.variables],
    }
    write_circuit(subject.bit_flip() if bit else subject.phase(), form, output, json, about)
