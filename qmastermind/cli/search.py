"""``qmastermind search``: find what an oracle marks."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qmastermind.cli.common import BackendOption, JsonFlag, SeedOption, console, print_json
from qmastermind.cli.sources import (
    DimacsOption,
    FormulaOption,
    MarkedOption,
    PredicateOption,
    read_oracle,
)
from qmastermind.errors import UsageError

if TYPE_CHECKING:
    from qmastermind.oracle.base import Oracle


def search(
    dimacs: DimacsOption = None,
    formula: FormulaOption = None,
    predicate: PredicateOption = None,
    marked: MarkedOption = None,
    solutions: Annotated[
        int | None, typer.Option("--solutions", help="Their number, if it is known.")
    ] = None,
    count: Annotated[bool, typer.Option("--count", help="Estimate how many there are.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Find all of them.")] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Succeed with certainty; needs --solutions.")
    ] = False,
    iterations: Annotated[
        int | None, typer.Option("--iterations", help="Fix the number, check the outcomes.")
    ] = None,
    narrow: Annotated[bool, typer.Option("--narrow", help="Fewer ancillas, more gates.")] = False,
    backend: BackendOption = "statevector",
    shots: Annotated[int, typer.Option("--shots", help="Samples a circuit.")] = 1024,
    failure_bound: Annotated[
        float, typer.Option("--failure-bound", help="Accepted chance to miss a solution.")
    ] = 1e-3,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Searches for assignments that an oracle marks, and checks them."""
    from qmastermind.algorithms.counting import count_iteratively
    from qmastermind.algorithms.search import advice, search_all, search_known, search_unknown
    from qmastermind.backend import check_shots
    from qmastermind.registry import get_backend

    check_shots(shots)
    if sum((count, every, exact or iterations is not None)) > 1:
        raise UsageError("--count, --all and --exact or --iterations exclude each other")
    if exact and solutions is None:
        raise UsageError("--exact needs the number of solutions: --solutions M")
    oracle = read_oracle(dimacs, formula, predicate, marked)
    if narrow:
        oracle = narrowed(oracle)
    runner = get_backend(backend)
    report: dict[str, Any] = {
        "backend": runner.name,
        "variables": list(oracle.variables.names),
        "size": oracle.variables.num_assignments,
    }
    started = time.perf_counter()
    if count:
        estimate = count_iteratively(oracle, runner, shots=shots, seed=seed)
        report["count"] = estimate.__dict__
        found = estimate.high >= 0.5
    elif every:
        results = search_all(oracle, runner, seed, failure_bound)
        report["solutions"] = [r.assignment for r in results[:-1]]
        report["iterations"] = sum(r.iterations for r in results)
        report["failure_bound"] = results[-1].failure_bound
        found = len(results) > 1
    else:
        if exact or iterations is not None or solutions is not None:
            number = 1 if solutions is None else solutions
            report["advice"] = advice(report["size"], number) if not exact else None
            result = search_known(
                oracle, runner, number, exact=exact, iterations=iterations, shots=shots, seed=seed
            )
        else:
            result = search_unknown(oracle, runner, seed, failure_bound)
        found = result.bits is not None
        report.update(
            solution=result.assignment if found else None,
            iterations=result.iterations,
            circuits=result.circuits,
            failure_bound=result.failure_bound,
        )
    report["found"] = found
    report["seconds"] = time.perf_counter() - started
    if json:
        print_json(report)
    else:
        _show(report)
    if not found:
        raise typer.Exit(1)


def narrowed(oracle: Oracle) -> Oracle:
    """The oracle with fewer ancillas.

    Raises:
        UsageError: If its circuit has no structure to narrow.
    """
    from qmastermind.oracle.algebra import ExpressionOracle

    if not isinstance(oracle, ExpressionOracle):
        raise UsageError("--narrow needs a formula or a DIMACS file")
    return oracle.narrowed()


def _show(report: dict[str, Any]) -> None:
    out = console()
    if "count" in report:
        c = report["count"]
        out.print(
            f"about [bold]{c['count']:.2f}[/bold] of {report['size']} are marked: between "
            f"{c['low']:.2f} and {c['high']:.2f} with confidence {c['confidence']:.3f} "
            f"({c['queries']} oracle uses). Evaluating all inputs would take {report['size']}."
        )
        return
    if report.get("advice"):
        out.print(report["advice"], style="yellow")
    listed = report.get("solutions", [report["solution"]] if report.get("solution") else [])
    for assignment in listed:
        out.print("found: " + ", ".join(f"{k}={v}" for k, v in assignment.items()), markup=False)
    if not report["found"]:
        out.print(
            "[bold]none found[/bold]; if there is one, this happens with probability at most "
            f"{report['failure_bound']:.2g}"
        )
    elif "solutions" in report:
        out.print(
            f"{len(listed)} found; one more exists with probability at most "
            f"{report['failure_bound']:.2g}"
        )
    out.print(f"{report['iterations']} oracle uses, {report['seconds']:.3f} s", style="dim")
