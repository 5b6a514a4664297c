"""tket's standard passes and routing, for one of our targets."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TypeAlias

from pytket.architecture import Architecture
from pytket.circuit import Circuit as TketCircuit
from pytket.circuit import Node, OpType, Qubit
from pytket.passes import (
    AutoRebase,
    AutoSquash,
    BasePass,
    CliffordSimp,
    DecomposeBoxes,
    DecomposeMultiQubitsCX,
    DecomposeSwapsToCXs,
    DefaultMappingPass,
    FullPeepholeOptimise,
    KAKDecomposition,
    SynthesiseTket,
)
from pytket.predicates import CompilationUnit

from qmastermind.circuit import Circuit
from qmastermind.gates import GATES
from qmastermind.plugin import check_connected, join_passes, split_measurements
from qmastermind.target import Target
from qmastermind_tket.exporter import CONTROLLED_TYPES, GATE_TYPES, to_tket
from qmastermind_tket.importer import from_tket

Layout: TypeAlias = tuple[int, ...]


def compile_for(
    circuit: Circuit, target: Target, level: int
) -> tuple[TketCircuit, Circuit, str, Layout, Layout]:
    """Compiles for a target; swaps are never left implicit.

    Returns:
        tket's circuit, the same read back on physical qubits, the names of the passes, and the
        physical qubits on which the source's qubits start and end.
    """
    unitary, measured = split_measurements(circuit)
    unit = CompilationUnit(to_tket(unitary))
    passes = [*_DECOMPOSITION, *_OPTIMISERS[level]]
    width = circuit.num_qubits
    order: list[Qubit] = list(unit.circuit.qubits)
    if target.coupling is not None:
        width = target.num_qubits or width
        connected = set(check_connected(target, circuit.num_qubits))
        pairs = [pair for pair in sorted(target.coupling) if connected.issuperset(pair)]
        device = Architecture(pairs)
        passes.append(("DefaultMappingPass", DefaultMappingPass(device, False)))
        passes.append(("DecomposeSwapsToCXs", DecomposeSwapsToCXs(device)))
        # Placement is done: what follows must not move gates to other qubits.
        passes += _OPTIMISERS[min(level, 1)]
        order = [Node(i) for i in range(width)]
    passes += _rebases(target.basis, squash=level > 0)
    for _, step in passes:
        step.apply(unit)
    native = unit.circuit
    start, end = unit.initial_map, unit.final_map
    place = {unit_id: i for i, unit_id in enumerate(order)}
    source = [Qubit(q) for q in range(circuit.num_qubits)]
    initial = tuple(place[start[q]] for q in source)
    final = tuple(place[end[q]] for q in source)
    for bit, q in sorted(measured.items()):
        if not native.bits or bit >= len(native.bits):
            native.add_c_register("c", circuit.num_bits)
        native.Measure(order[final[q]], native.bits[bit])
    neutral = from_tket(native, order)
    names = join_passes(name for name, _ in passes)
    return native, neutral, names, initial, final


_DECOMPOSITION: list[tuple[str, BasePass]] = [
    ("DecomposeBoxes", DecomposeBoxes()),
    ("DecomposeMultiQubitsCX", DecomposeMultiQubitsCX()),
]
_OPTIMISERS: dict[int, list[tuple[str, BasePass]]] = {
    0: [],
    1: [("SynthesiseTket", SynthesiseTket())],
    2: [
        ("KAKDecomposition(allow_swaps=False)", KAKDecomposition(allow_swaps=False)),
        ("CliffordSimp(allow_swaps=False)", CliffordSimp(allow_swaps=False)),
        ("SynthesiseTket", SynthesiseTket()),
    ],
    3: [("FullPeepholeOptimise(allow_swaps=False)", FullPeepholeOptimise(allow_swaps=False))],
}


def _rebases(basis: Iterable[str], squash: bool) -> list[tuple[str, BasePass]]:
    """Tket's own change of basis where it knows one; what is left over is rewritten by us."""
    kinds = set()
    for name in basis:
        inner = name.lstrip("c")
        kind = GATE_TYPES.get(name) or CONTROLLED_TYPES.get((inner, len(name) - len(inner)))
        if kind is not None:
            kinds.add(kind)
    for gates in (kinds, {OpType.CX, OpType.TK1}):
        try:
            change = AutoRebase(gates)
        except (RuntimeError, KeyError, ValueError):
            continue  # tket has no rule into this set of gates
        steps = [(f"AutoRebase({_names(gates)})", change)]
        # The rebase turns gate by gate and leaves runs of one-qubit gates behind.
        singles = {kind for kind in gates if kind in _SINGLES}
        if squash:
            with suppress(RuntimeError, KeyError, ValueError):
                steps.append((f"AutoSquash({_names(singles)})", AutoSquash(singles)))
        return steps
    return []


_SINGLES = {kind for name, kind in GATE_TYPES.items() if GATES[name].num_qubits == 1}
_SINGLES.add(OpType.TK1)


def _names(kinds: Iterable[OpType]) -> str:
    return ", ".join(sorted(kind.name for kind in kinds))
