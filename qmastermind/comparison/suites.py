"""Sets of cells that answer one question each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeVar, get_args

from qmastermind.circuit import Circuit
from qmastermind.comparison.cases import (
    build_case,
    build_target,
    device_of,
    require_circuit,
    search_circuits,
)
from qmastermind.comparison.cells import OURS, Cell, Lowering, backend_version
from qmastermind.equivalence import TOLERANCE
from qmastermind.errors import UnknownNameError, UnsupportedError, UsageError
from qmastermind.game import Code, Rules
from qmastermind.target import DEFAULT_BASIS, Target
from qmastermind.validation import check_level, check_tolerance, whole

Value = TypeVar("Value")

LEVELS = {"default": 2, "best": 3}
"""Optimisation levels by name; numbers 0 to 3 do as well."""

SPARES_FROM_LEVEL = {"qiskit": 0, "pennylane": 0, "cirq": 3}
"""From which level on a framework's own decomposition uses the spare qubits that it is given."""

SCALING_TOLERANCE = 1e-4
"""Qiskit's level 2 leaves out some rotations below 1e-4 rad, which wide oracles have; the results
differ by up to 1e-4. A wrong phase of one of 2^24 states is a distance of 1.4e-4, and is seen."""

FRAMEWORKS = ("qiskit", "cirq", "pennylane", "tket")
SUITES = ("article", "scaling", "oracles", "devices")


def grid(
    circuits: dict[str, Circuit],
    *,
    backends: Iterable[str] = FRAMEWORKS,
    levels: Iterable[int] = (2,),
    lowerings: Sequence[Lowering] = ("framework", "ours"),
    targets: Iterable[str] = ("all-to-all",),
    basis: tuple[str, ...] = DEFAULT_BASIS,
    ancillas: Iterable[int] = (0,),
    seeds: tuple[int, ...] = (1,),
    tolerance: float = TOLERANCE,
) -> list[Cell]:
    """Every combination as a cell, and what needs no choice.

    That is our own lowering alone, where nothing has to be routed, and for a device its own
    compiler, which knows its calibration.

    Raises:
        UnknownNameError: For an unknown backend, lowering or target.
        UsageError: For a level, seed, tolerance or number of spare qubits that there cannot be, or
            if nothing is left to compare.
    """
    for name, circuit in circuits.items():
        if not require_circuit(circuit, f"{name} is").num_qubits:
            raise UsageError(f"{name} has no qubits: there is nothing to compare")
    lowerings = _each(lowerings)
    for lowering in lowerings:
        if lowering not in get_args(Lowering):
            raise UnknownNameError("lowering", lowering, get_args(Lowering))
    requested = _each(backends)
    for backend in requested:
        backend_version(backend)
    chosen_backends = tuple(backend for backend in requested if backend != OURS)
    chosen_levels = _each(map(check_level, levels))
    spares = _each(whole(spare, "number of spare qubits", 0) for spare in ancillas)
    seeds = _each(whole(seed, "seed", 0) for seed in seeds)
    if not seeds:
        raise UsageError("a comparison needs at least one seed")
    check_tolerance(tolerance)
    basis = _each(basis)
    names = _each(target.replace("ibm:fake_", "ibm:") for target in _each(targets))
    cells = []
    for (name, circuit), target_name, spare in product(circuits.items(), names, spares):
        width = circuit.num_qubits + spare
        device, problem = device_of(target_name), ""
        try:
            target = build_target(target_name, width, basis)
        except UnsupportedError as error:  # a device whose calibration says that nothing works
            target, problem = Target(basis, name=target_name), str(error)
        if "ours" in lowerings and target.coupling is None and not problem:
            ours = Cell(name, circuit, OURS, 2, "ours", target, spare, seeds[:1])
            cells.append(replace(ours, tolerance=tolerance))
        compilers = dict.fromkeys((*chosen_backends, device) if device else chosen_backends)
        for backend, level, lowering in product(compilers, chosen_levels, lowerings):
            cell = Cell(name, circuit, backend, level, lowering, target, spare, seeds, device)
            cells.append(replace(cell, tolerance=tolerance, problem=problem))
    if not cells:
        raise UsageError("nothing to compare: no backend is left with this target and lowering")
    return cells


def _each(values: Iterable[Value]) -> tuple[Value, ...]:
    """The values, each once, in their order.

    Raises:
        UsageError: For a string, whose characters hardly are the names that were meant.
    """
    if isinstance(values, str):
        raise UsageError(f"expected a list of names, not the string {values!r}")
    return tuple(dict.fromkeys(values))


def suite(
    name: str,
    *,
    backends: Iterable[str] = FRAMEWORKS,
    seeds: tuple[int, ...] = (1,),
    devices: Iterable[str] = (),
) -> list[Cell]:
    """The cells of a named suite.

    * ``article``: the article's oracle and one iteration of its search, without and with spare
      qubits, at the standard level; its ten iterations and its pairwise query at level 1;
    * ``scaling``: the match oracle and one Grover iteration at 2 to 24 qubits;
    * ``oracles``: match, feedback consistency, and a SAT formula;
    * ``devices``: one Grover iteration over 4 qubits and the pairwise query on every device.

    Raises:
        UnknownNameError: For another name.
    """
    frameworks = tuple(backends)
    rules, secret = Rules(), Rules().code("OYGB")
    match name:
        case "article":
            return _article(rules, secret, frameworks, seeds)
        case "scaling":
            circuits = {
                f"{kind} {n}": circuit
                for n in (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24)
                for kind, circuit in search_circuits(n).items()
            }
            return grid(circuits, backends=frameworks, seeds=seeds, tolerance=SCALING_TOLERANCE)
        case "oracles":
            circuits = {
                "match": build_case("oracle", rules, secret),
                "feedback": build_case("feedback", rules, secret),
                "3-SAT, 10 variables": _sat(),
            }
            return _spares_used(grid(circuits, backends=frameworks, ancillas=(0, 1), seeds=seeds))
        case "devices":
            small = Rules(2, 4)
            circuits = {
                "deutsch": build_case("deutsch", rules, secret),
                "grover-iteration": build_case("grover-iteration", small, small.code("RO")),
            }
            targets = tuple(f"ibm:{device}" for device in devices)
            return grid(circuits, backends=frameworks, levels=(3,), targets=targets, seeds=seeds)
    raise UnknownNameError("suite", name, SUITES)


def _article(
    rules: Rules, secret: Code, frameworks: tuple[str, ...], seeds: tuple[int, ...]
) -> list[Cell]:
    steps = {
        "oracle": build_case("oracle", rules, secret),
        "grover-iteration": build_case("grover-iteration", rules, secret),
    }
    whole = {
        "grover, 10 iterations": build_case("grover", rules, secret, 10),
        "deutsch": build_case("deutsch", rules, secret),
    }
    cells = [
        *grid(steps, backends=frameworks, ancillas=(0, 1, 9), seeds=seeds),
        *grid(whole, backends=frameworks, levels=(1,), seeds=seeds),
    ]
    return _spares_used(cells)


def _spares_used(cells: Iterable[Cell]) -> list[Cell]:
    """Spare qubits only where they are used: others compile the same circuit as without."""
    return [cell for cell in map(_with_use_of_spares, cells) if cell is not None]


def _with_use_of_spares(cell: Cell) -> Cell | None:
    """The cell at a level where its spare qubits are used; None where that is at no level."""
    if not cell.ancillas or cell.lowering == "ours":
        return cell
    level = SPARES_FROM_LEVEL.get(cell.backend)
    return None if level is None else replace(cell, level=max(cell.level, level))


def _sat() -> Circuit:
    from qmastermind.oracle.dimacs import from_dimacs

    clauses = (
        (1, -2, 5),
        (-1, 3, 8),
        (2, 4, -7),
        (-3, 6, 9),
        (5, -8, 10),
        (-4, -6, 7),
        (1, 9, -10),
    )
    body = "\n".join(" ".join(map(str, (*clause, 0))) for clause in clauses)
    return from_dimacs(f"p cnf 10 {len(clauses)}\n{body}\n").phase().flattened()
