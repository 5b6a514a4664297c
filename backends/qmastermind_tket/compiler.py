"""Tket's standard optimisation, placement, routing and rebase, for one of our targets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pytket
from pytket.architecture import Architecture
from pytket.circuit import Node, OpType, Qubit
from pytket.passes import (
    AutoRebase,
    BasePass,
    CliffordSimp,
    DecomposeBoxes,
    FullPeepholeOptimise,
    KAKDecomposition,
    NaivePlacementPass,
    OptimisePhaseGadgets,
    PlacementPass,
    RemoveRedundancies,
    RoutingPass,
    SquashTK1,
    SynthesiseTket,
)
from pytket.placement import GraphPlacement
from pytket.predicates import CompilationUnit

from qmastermind.plugin import Work, check_connected, join_passes, split_measurements
from qmastermind_tket.exporter import to_tket
from qmastermind_tket.gates import CONTROLLED, PLAIN
from qmastermind_tket.importer import from_tket

if TYPE_CHECKING:
    from qmastermind.circuit import Circuit
    from qmastermind.target import Target

Layout: TypeAlias = tuple[int, ...]
Recipe: TypeAlias = tuple[tuple[str, BasePass], ...]

_PLACEMENT_TIMEOUT = 10_000  # milliseconds; tket's default of a second makes layouts depend on load

_REBASE = ("AutoRebase(CX, TK1)", AutoRebase({OpType.CX, OpType.TK1}))
_SYNTHESISE = ("SynthesiseTket", SynthesiseTket())
_GADGETS = ("OptimisePhaseGadgets", OptimisePhaseGadgets())
_PEEPHOLE = ("FullPeepholeOptimise(allow_swaps=True)", FullPeepholeOptimise(allow_swaps=True))
_POLISH: Recipe = (
    ("KAKDecomposition(allow_swaps=True)", KAKDecomposition(allow_swaps=True)),
    ("CliffordSimp(allow_swaps=True)", CliffordSimp(allow_swaps=True)),
    _SYNTHESISE,
)
# What is routed already stays where it is.
_POLISH_ROUTED: Recipe = (
    ("KAKDecomposition(allow_swaps=False)", KAKDecomposition(allow_swaps=False)),
    ("CliffordSimp(allow_swaps=False)", CliffordSimp(allow_swaps=False)),
    _SYNTHESISE,
)
_BEFORE_ROUTING: dict[int, tuple[Recipe, ...]] = {
    0: ((_REBASE,),),
    1: ((_SYNTHESISE,),),
    2: (_POLISH,),
    3: (_POLISH, (_PEEPHOLE,), (_GADGETS, _PEEPHOLE)),
}
_AFTER_ROUTING: dict[int, Recipe] = {
    0: (_REBASE,),
    1: (_REBASE, _SYNTHESISE),
    2: (_REBASE, *_POLISH_ROUTED),
    3: (_REBASE, *_POLISH_ROUTED),
}


def compile_for(circuit: Circuit, target: Target, level: int) -> Work:
    """Compiles for a target; a basis that tket's rebase does not know is left at TK1.

    From level 2 on tket may leave out swaps and let qubits end in each other's place, as its passes
    do by default; the final layout says where.

    Returns:
        Tket's circuit, on ``Node(physical qubit)`` if the target has couplings, the same read
        back, the names of the passes, and the physical qubits on which the source's qubits
        start and end.
    """
    body, measured = split_measurements(circuit)
    source = to_tket(body)
    DecomposeBoxes().apply(source)
    results = [_compiled(source, target, level, recipe) for recipe in _BEFORE_ROUTING[level]]
    best = min(
        results, key=lambda r: (r.native.n_2qb_gates(), r.native.depth_2q(), r.native.depth())
    )
    native = best.native
    if measured:
        register = native.add_c_register("c", circuit.num_bits)
        for bit, qubit in measured.items():
            native.Measure(best.qubits[best.final[qubit]], register[bit])
    neutral = from_tket(native, best.qubits)
    passes = join_passes(["DecomposeBoxes", *best.passes])
    if len(results) > 1:
        passes += f" (the best of {len(results)} recipes)"
    return Work(native, neutral, passes, best.initial, best.final)


class _Result(NamedTuple):
    native: pytket.Circuit
    qubits: Sequence[Qubit]
    passes: list[str]
    initial: Layout
    final: Layout


def _compiled(source: pytket.Circuit, target: Target, level: int, recipe: Recipe) -> _Result:
    native, final = _without_permutation(_applied(source, recipe))
    passes = _names(recipe)
    n, size = source.n_qubits, target.num_qubits or source.n_qubits
    qubits: Sequence[Qubit] = [*source.qubits, *(Qubit(i) for i in range(n, size))]
    initial = tuple(range(n))
    if target.coupling:
        native, initial, ends = _route(native, target)
        final = tuple(ends[q] for q in final)
        native = _applied(native, _AFTER_ROUTING[level])
        passes += ["GraphPlacement", "RoutingPass", *_names(_AFTER_ROUTING[level])]
        qubits = [Node(i) for i in range(size)]
    elif target.coupling is not None:
        check_connected(target, n)  # a device without couplings holds one qubit
    native, names = _rebased(native, target.basis)
    return _Result(native, qubits, passes + names, initial, final)


def _applied(circuit: pytket.Circuit, recipe: Recipe) -> pytket.Circuit:
    result = circuit.copy()
    for _, step in recipe:
        step.apply(result)
    return result


def _without_permutation(circuit: pytket.Circuit) -> tuple[pytket.Circuit, Layout]:
    """The circuit without tket's implicit permutation of its outputs, and where each qubit ends."""
    ends = circuit.implicit_qubit_permutation()
    place = {qubit: i for i, qubit in enumerate(circuit.qubits)}
    plain = pytket.Circuit()
    for qubit in circuit.qubits:
        plain.add_qubit(qubit)
    for bit in circuit.bits:
        plain.add_bit(bit)
    for command in circuit.get_commands():
        if command.op.type is OpType.Barrier:
            plain.add_barrier(command.args)
        else:
            plain.add_gate(command.op, command.args)
    plain.add_phase(circuit.phase)
    return plain, tuple(place[ends[qubit]] for qubit in circuit.qubits)


def _names(recipe: Recipe) -> list[str]:
    return [name for name, _ in recipe]


def _route(circuit: pytket.Circuit, target: Target) -> tuple[pytket.Circuit, Layout, Layout]:
    connected = set(check_connected(target, circuit.n_qubits))
    pairs = sorted(pair for pair in target.coupling or () if connected >= set(pair))
    device = Architecture(pairs)
    unit = CompilationUnit(circuit)
    for step in (
        PlacementPass(GraphPlacement(device, timeout=_PLACEMENT_TIMEOUT)),
        NaivePlacementPass(device),
        RoutingPass(device),
    ):
        step.apply(unit)
    start, end = unit.initial_map, unit.final_map
    initial, final = (tuple(where[q].index[0] for q in circuit.qubits) for where in (start, end))
    return unit.circuit, initial, final


def _rebased(circuit: pytket.Circuit, basis: Iterable[str]) -> tuple[pytket.Circuit, list[str]]:
    """Rewrites in the basis with tket's own rebase, where it has one."""
    found = (PLAIN.get(name) or _controlled(name) for name in basis)
    kinds = {kind for kind in found if kind is not None}
    wide = {kind for kind in kinds if kind not in _ONE_QUBIT} or {OpType.CX}
    result = circuit.copy()
    try:
        AutoRebase(wide | {OpType.TK1}).apply(result)
        SquashTK1().apply(result)
        AutoRebase(kinds).apply(result)
    except RuntimeError:  # tket knows no decomposition into this set
        return circuit, []
    RemoveRedundancies().apply(result)
    names = ", ".join(sorted(kind.name for kind in kinds))
    return result, ["SquashTK1", f"AutoRebase({names})", "RemoveRedundancies"]


def _controlled(name: str) -> OpType | None:
    bare = name.lstrip("c")
    return CONTROLLED.get((bare, len(name) - len(bare)))


_ONE_QUBIT = frozenset(kind for name, kind in PLAIN.items() if name not in ("rzz", "ecr", "swap"))
