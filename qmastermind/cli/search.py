"""``qmastermind search``: find what an oracle marks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qmastermind.cli.common import (
    BackendOption,
    ColoursOption,
    JsonFlag,
    PositionsOption,
    RulesOption,
    SeedOption,
    console,
    number_of,
    print_json,
)
from qmastermind.cli.export import write_circuit
from qmastermind.cli.sources import (
    MAX_QUBITS,
    DesignOption,
    DimacsOption,
    FormulaOption,
    HistoryOption,
    MarkedOption,
    PredicateOption,
    game_of,
    read_oracle,
)
from qmastermind.errors import UsageError
from qmastermind.oracle.consistency import ConsistencyOracle

if TYPE_CHECKING:
    from qmastermind.algorithms.grover import Fidelity, GroverPlan
    from qmastermind.algorithms.search import Found
    from qmastermind.backend import Backend
    from qmastermind.oracle.base import Oracle

_COUNTED_BITS = 16  # for an export, solutions are counted over so many bits


def search(
    dimacs: DimacsOption = None,
    formula: FormulaOption = None,
    predicate: PredicateOption = None,
    marked: MarkedOption = None,
    history: HistoryOption = None,
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    design: DesignOption = "auto",
    max_qubits: Annotated[
        int, typer.Option("--max-qubits", min=1, help="Which the design auto keeps to.")
    ] = MAX_QUBITS,
    solutions: Annotated[
        int | None, typer.Option("--solutions", help="Their number, if it is known.")
    ] = None,
    count: Annotated[bool, typer.Option("--count", help="Estimate how many there are.")] = False,
    precision: Annotated[
        int | None,
        typer.Option("--precision", help="Count by phase estimation with so many qubits."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Find all of them.")] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Succeed with certainty; needs --solutions.")
    ] = False,
    iterations: Annotated[
        int | None, typer.Option("--iterations", help="Fix the number, check the outcomes.")
    ] = None,
    fidelity: Annotated[
        float | None,
        typer.Option(
            "--fidelity",
            min=0,
            max=1,
            help="What noise leaves over of each iteration, to choose their number by; default: "
            "the backend's own forecast, if it has one. Needs --solutions.",
        ),
    ] = None,
    backend: BackendOption = "statevector",
    shots: Annotated[int, typer.Option("--shots", help="Samples a circuit.")] = 1024,
    failure_bound: Annotated[
        float, typer.Option("--failure-bound", help="Accepted chance to miss a solution.")
    ] = 1e-3,
    seed: SeedOption = None,
    json: JsonFlag = False,
    export: Annotated[
        str | None,
        typer.Option(
            "--export",
            metavar="FORMAT",
            help="Write the search circuit instead of running it; formats as in `export`.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file of --export; default stdout.")
    ] = None,
) -> None:
    """Searches for assignments that an oracle marks, and checks them."""
    from qmastermind.backend import check_shots

    check_shots(shots)
    count = count or precision is not None
    if sum((count, every, exact or iterations is not None)) > 1:
        raise UsageError("--count, --all and --exact or --iterations exclude each other")
    if export is not None and (count or every):
        raise UsageError("--export writes one search circuit: neither --count nor --all")
    if output is not None and export is None:
        raise UsageError("--output is the file of --export FORMAT")
    if exact and solutions is None:
        raise UsageError("--exact needs the number of solutions: --solutions M")
    if fidelity is not None and (solutions is None or exact or iterations is not None):
        raise UsageError("--fidelity chooses the number of iterations for --solutions M")
    game = game_of(rules, positions, colours)
    oracle = read_oracle(
        dimacs, formula, predicate, marked, history, game, design, None if export else max_qubits
    )
    if export is not None:
        plan = _export_plan(oracle, solutions, iterations, exact, fidelity)
        _export(oracle, plan, export, output, json)
        return
    from qmastermind.algorithms.forecast import Forecasting
    from qmastermind.algorithms.search import marks_nothing
    from qmastermind.registry import get_backend

    runner = get_backend(backend)
    report: dict[str, Any] = {
        "backend": runner.name,
        "noisy": isinstance(runner, Forecasting),
        "variables": list(oracle.variables.names),
        "size": oracle.variables.num_assignments,
    }
    if isinstance(oracle, ConsistencyOracle):
        report["design"] = oracle.design
        report["qubits"] = oracle.phase().num_qubits
        report["label"] = oracle.label
    started = time.perf_counter()
    if count:
        found = _count(report, oracle, runner, precision, shots, seed)
    elif every:
        found = _all(report, oracle, runner, seed, failure_bound)
    elif exact or iterations is not None or solutions is not None:
        found = _known(report, oracle, runner, solutions, exact, iterations, fidelity, shots, seed)
    else:
        from qmastermind.algorithms.search import search_unknown

        found = _one(report, oracle, search_unknown(oracle, runner, seed, failure_bound))
    report["found"] = found
    report["proven"] = not found and marks_nothing(oracle)
    report["seconds"] = time.perf_counter() - started
    if json:
        print_json(report)
    else:
        _show(report)
    if not found:
        raise typer.Exit(1)


def _count(
    report: dict[str, Any],
    oracle: Oracle,
    backend: Backend,
    precision: int | None,
    shots: int,
    seed: int | None,
) -> bool:
    from qmastermind.algorithms.counting import count_by_phase, count_iteratively

    if precision is None:
        estimate = count_iteratively(oracle, backend, shots=shots, seed=seed)
    else:
        estimate = count_by_phase(oracle, backend, precision, seed)
    report["count"] = estimate.__dict__
    report["method"] = "iterative" if precision is None else "phase estimation"
    return estimate.high >= 0.5


def _all(
    report: dict[str, Any], oracle: Oracle, backend: Backend, seed: int | None, bound: float
) -> bool:
    from qmastermind.algorithms.search import search_all

    results = search_all(oracle, backend, seed, bound)
    report["solutions"] = [r.assignment for r in results[:-1]]
    codes = [_code(oracle, r) for r in results[:-1]]
    if codes and codes[0] is not None:
        report["codes"] = codes
    report["iterations"] = sum(r.iterations for r in results)
    report["failure_bound"] = results[-1].failure_bound
    return len(results) > 1


def _known(
    report: dict[str, Any],
    oracle: Oracle,
    backend: Backend,
    solutions: int | None,
    exact: bool,
    iterations: int | None,
    fidelity: Fidelity | None,
    shots: int,
    seed: int | None,
) -> bool:
    from qmastermind.algorithms.forecast import backend_fidelity
    from qmastermind.algorithms.grover import plan
    from qmastermind.algorithms.search import advice, search_known

    size = oracle.variables.num_assignments
    number = 1 if solutions is None else solutions
    report["advice"] = advice(size, number) if not exact else None
    if fidelity is None and not exact and iterations is None:
        fidelity = backend_fidelity(oracle, backend, seed=seed)
    if fidelity is not None:
        chosen = plan(size, number, fidelity=fidelity)
        report["forecast"] = {
            "iterations": chosen.iterations,
            "success_probability": chosen.forecast,
            "iterations_without_noise": plan(size, number).iterations,
        }
        iterations = chosen.iterations
    result = search_known(
        oracle, backend, number, exact=exact, iterations=iterations, shots=shots, seed=seed
    )
    found = _one(report, oracle, result)
    report["stated_solutions"] = solutions
    if solutions is None:  # with another number the iterations may avoid all of them
        report["failure_bound"] = None
    elif not found and result.failure_bound == 0:
        report["advice"] = (
            f"none found: this search for {number_of(number, 'solution')} ends on one with "
            f"certainty, so without noise the oracle does not mark {number_of(number, 'input')}"
        )
    return found


def _one(report: dict[str, Any], oracle: Oracle, result: Found) -> bool:
    found = result.bits is not None
    report.update(
        solution=result.assignment if found else None,
        iterations=result.iterations,
        circuits=result.circuits,
        failure_bound=result.failure_bound,
    )
    code = _code(oracle, result)
    if code is not None:
        report["code"] = code
    return found


def _code(oracle: Oracle, result: Found) -> str | None:
    """The code that a solution is, for a history."""
    if result.bits is None or not isinstance(oracle, ConsistencyOracle):
        return None
    return str(oracle.encoding.decode(result.bits))


def _export_plan(
    oracle: Oracle,
    solutions: int | None,
    iterations: int | None,
    exact: bool,
    fidelity: float | None,
) -> GroverPlan:
    """The plan of the circuit to write.

    Raises:
        UsageError: If neither the number of iterations nor of solutions is known, and there are
            too many inputs to count them.
    """
    from qmastermind.algorithms.grover import plan

    size = oracle.variables.num_assignments
    if solutions is None and iterations is None:
        if oracle.num_bits > _COUNTED_BITS:
            raise UsageError(
                f"over {oracle.num_bits} bits the solutions are not counted here: name the number "
                "of iterations with --iterations, or of solutions with --solutions"
            )
        solutions = sum(1 for _ in oracle.marked())
        if solutions == 0:
            raise UsageError("nothing is marked: no number of iterations finds anything")
    number = 1 if solutions is None else solutions
    return plan(size, number, iterations=iterations, exact=exact, fidelity=fidelity)


def _export(
    oracle: Oracle, plan: GroverPlan, file_format: str, output: Path | None, json: bool
) -> None:
    from qmastermind.algorithms.grover import grover

    circuit = grover(oracle, oracle.variables.prepare(), plan=plan)
    about = {
        "circuit": "search",
        "variables": [{"name": v.name, "values": v.size} for v in oracle.variables],
        "iterations": plan.iterations,
        "angle": plan.angle,
    }
    write_circuit(circuit.measured(range(oracle.num_bits)), file_format, output, json, about)


def _show(report: dict[str, Any]) -> None:
    out = console()
    if "design" in report:
        qubits = number_of(report["qubits"], "qubit")
        out.print(f"oracle: {report['design']}, {report['label']}, {qubits}", style="dim")
    if "count" in report:
        c = report["count"]
        out.print(
            f"about [bold]{c['count']:.2f}[/bold] of {report['size']:,} marked: between "
            f"{c['low']:.2f} and {c['high']:.2f} with confidence {c['confidence']:.3f} "
            f"({number_of(c['queries'], 'oracle use')}, {report['method']}). "
            f"Evaluating all inputs would take {report['size']:,}."
        )
        return
    if report.get("advice"):
        out.print(report["advice"], style="yellow")
    if "forecast" in report:
        f = report["forecast"]
        out.print(
            f"{number_of(f['iterations'], 'iteration')} forecast to succeed with probability "
            f"{f['success_probability']:.3f} under noise; without it "
            f"{number_of(f['iterations_without_noise'], 'iteration')} would be best",
            style="dim",
        )
    listed = report.get("solutions", [report["solution"]] if report.get("solution") else [])
    codes = report.get("codes", [report["code"]] if "code" in report else [])
    for i, assignment in enumerate(listed):
        text = ", ".join(f"{k}={v}" for k, v in assignment.items())
        out.print(f"found: {codes[i]} ({text})" if codes else f"found: {text}", markup=False)
    if report.get("proven"):
        out.print("[bold]nothing is marked[/bold]: the oracle is false whatever its variables are")
    elif not report["found"] and report["failure_bound"] != 0:
        out.print(f"[bold]none found[/bold]; {_bound(report)}")
    elif "solutions" in report:
        out.print(f"{number_of(len(listed), 'solution')} found, and no more; {_bound(report)}")
    uses = number_of(report["iterations"], "oracle use")
    out.print(f"{uses}, {report['seconds']:.3f} s", style="dim")


def _bound(report: dict[str, Any]) -> str:
    """What it means that nothing, or no more, was found."""
    bound = report["failure_bound"]
    if bound is None:
        return (
            "this bounds nothing, since these iterations may miss another number of solutions than "
            "they were made for: state it with --solutions, or leave --iterations out"
        )
    stated = report.get("stated_solutions")
    more = "one more" if "solutions" in report else "one"
    there = more if stated is None else number_of(stated, "solution")
    noise = " (were there no noise)" if report["noisy"] else ""
    verb = "is" if stated is None or stated == 1 else "are"
    return f"if there {verb} {there}, this happens with probability at most {bound:.2g}{noise}"
