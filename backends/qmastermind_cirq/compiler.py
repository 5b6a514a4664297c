"""Cirq's standard optimisation and routing, for one of our targets.

Cirq has target gate sets for CZ and for the square root of iSWAP, none for {rz, sx, x, cx}: the
circuit is optimised for CZ and phased one-qubit gates, and the basis is changed afterwards.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import cirq
import networkx as nx

from qmastermind.plugin import Work, check_connected, join_passes, split_measurements
from qmastermind_cirq.exporter import BARRIER_TAG, operations_for
from qmastermind_cirq.gates import eigen_gate
from qmastermind_cirq.importer import from_cirq

if TYPE_CHECKING:
    from qmastermind.circuit import Circuit
    from qmastermind.target import Target

Layout: TypeAlias = tuple[int, ...]
Stretch: TypeAlias = tuple[cirq.Circuit, "cirq.Operation | None"]

MAX_PASSES = 10
"""Level 3 repeats the optimisation until nothing changes, at most so often."""


def compile_for(circuit: Circuit, target: Target, level: int) -> Work:
    """Compiles for a target, except for the change from CZ to its basis.

    Returns:
        Cirq's circuit on ``LineQubit(physical qubit)``, the same read back, the names of the
        passes, and the physical qubits on which the source's qubits start and end.
    """
    circuit, measured = split_measurements(circuit)
    n = circuit.num_qubits
    qubits = cirq.LineQubit.range(target.num_qubits or n)
    optimise, name = _OPTIMISERS[level]
    operations = operations_for(circuit, qubits[:n])
    passes = []
    if level == 3:
        lent = list(_borrowing(operations, [*qubits[n:], *qubits[:n]]))
        if len(lent) > len(operations):
            passes.append("cirq.decompose_multi_controlled_x")
        operations = lent
    passes += ["cirq.decompose", name]
    simple = cirq.decompose(operations, keep=_is_elementary, on_stuck_raise=None)
    stretches = [(optimise(cirq.Circuit(ops)), fence) for ops, fence in _stretches(simple)]
    initial = final = tuple(range(n))
    if target.coupling is not None:
        stretches, initial, final = _route(stretches, target, n)
        stretches = [(optimise(part), fence) for part, fence in stretches]
        passes += ["cirq.RouteCQC", name]
    native = cirq.Circuit()
    for part, fence in stretches:
        native += part
        if fence is not None:
            native.append(fence, cirq.InsertStrategy.NEW)
    native.append(cirq.measure(qubits[final[q]], key=f"c{bit}") for bit, q in measured.items())
    if circuit.total_global_phase:
        native.append(cirq.global_phase_operation(cmath.exp(1j * circuit.total_global_phase)))
    return Work(native, from_cirq(native, qubits), join_passes(passes), initial, final)


def _is_elementary(op: cirq.Operation) -> bool:
    """Whether an operation can go to the optimiser: a fence, or on one or two qubits."""
    return BARRIER_TAG in op.tags or cirq.is_measurement(op) or cirq.num_qubits(op) <= 2


def _stretches(
    operations: Iterable[cirq.Operation],
) -> Iterator[tuple[list[cirq.Operation], cirq.Operation | None]]:
    """What lies between fences, each with the fence behind it.

    Some of Cirq's passes move gates across an operation that commutes with them, whatever its
    tags, so that a fence holds only if the passes never see both of its sides.
    """
    stretch: list[cirq.Operation] = []
    for op in operations:
        if BARRIER_TAG in op.tags:
            yield stretch, op
            stretch = []
        else:
            stretch.append(op)
    yield stretch, None


def _light(circuit: cirq.Circuit) -> cirq.Circuit:
    for transform in _LIGHT:
        circuit = transform(circuit)
    return circuit


def _standard(circuit: cirq.Circuit) -> cirq.Circuit:
    return cirq.optimize_for_target_gateset(circuit, gateset=cirq.CZTargetGateset())


def _best(circuit: cirq.Circuit) -> cirq.Circuit:
    gateset = cirq.CZTargetGateset(preserve_moment_structure=False, reorder_operations=True)
    return cirq.optimize_for_target_gateset(circuit, gateset=gateset, max_num_passes=MAX_PASSES)


_LIGHT = (
    cirq.eject_phased_paulis,
    cirq.eject_z,
    cirq.merge_single_qubit_gates_to_phxz,
    cirq.drop_negligible_operations,
    cirq.drop_empty_moments,
)


def _nothing(circuit: cirq.Circuit) -> cirq.Circuit:
    return circuit


_OPTIMISERS: dict[int, tuple[Callable[[cirq.Circuit], cirq.Circuit], str]] = {
    0: (_nothing, ""),
    1: (_light, ", ".join(f"cirq.{transform.__name__}" for transform in _LIGHT)),
    2: (_standard, "cirq.optimize_for_target_gateset(CZTargetGateset)"),
    3: (
        _best,
        "cirq.optimize_for_target_gateset(CZTargetGateset(reorder_operations), "
        f"at most {MAX_PASSES} passes)",
    ),
}


def _borrowing(
    operations: Iterable[cirq.Operation], idle: Sequence[cirq.Qid]
) -> Iterator[cirq.Operation]:
    """Multi-controlled X and Z with idle qubits borrowed, in whatever state those are.

    Without one Cirq takes exponentially many gates (1748 CZ for 11 controls), with one linearly
    many; ``decompose_multi_controlled_x`` gives borrowed qubits back as they were.
    """
    for op in operations:
        parts = _multi_controlled(op)
        if parts is None:
            yield op
            continue
        opened, is_z = parts
        *controls, target = op.qubits
        free = [q for q in idle if q not in op.qubits][: len(controls) - 2]
        if not free:
            yield op
            continue
        around = [cirq.X(q) for q, v in zip(controls, opened, strict=True) if not v]
        around += [cirq.H(target)] if is_z else []
        yield from around
        yield from cirq.decompose_multi_controlled_x(controls, target, free)
        yield from around


def _multi_controlled(op: cirq.Operation) -> tuple[tuple[int, ...], bool] | None:
    """(control values, is it a Z) of an X or Z under three or more controls."""
    gate = op.gate
    if not isinstance(gate, cirq.ControlledGate) or gate.num_controls() < 3:
        return None
    inner = eigen_gate(gate.sub_gate)
    if inner is None or inner.gate is None or inner.gate.name not in ("x", "z"):
        return None
    (values,) = gate.control_values.expand()
    return tuple(int(v) for v in values), inner.gate.name == "z"


def _route(
    stretches: Sequence[Stretch], target: Target, n: int
) -> tuple[list[Stretch], Layout, Layout]:
    qubits = cirq.LineQubit.range(target.num_qubits)
    used = set(qubits[:n]).union(*(part.all_qubits() for part, _ in stretches))
    physical = [qubits[p] for p in check_connected(target, len(used))]
    graph = nx.Graph()
    graph.add_nodes_from(physical)
    pairs = ((qubits[a], qubits[b]) for a, b in sorted(target.coupling or ()))
    graph.add_edges_from(pair for pair in pairs if set(pair) <= set(physical))
    where = _placement(stretches, graph, sorted(used))
    start = where
    router = cirq.RouteCQC(graph)
    routed: list[Stretch] = []
    for part, fence in stretches:
        mapper = cirq.HardCodedInitialMapper(where)
        moved, _, final = router.route_circuit(part, initial_mapper=mapper)
        where = {logical: final[place] for logical, place in where.items()}
        placed = None if fence is None else fence.transform_qubits(where)
        routed.append((moved.unfreeze(), placed))
    initial, final = (tuple(places[q].x for q in qubits[:n]) for places in (start, where))
    return routed, initial, final


def _placement(
    stretches: Sequence[Stretch], graph: nx.Graph, used: Sequence[cirq.Qid]
) -> dict[cirq.Qid, cirq.Qid]:
    """Cirq's own placement, completed to all physical qubits.

    The router swaps only through qubits that are placed; completed, it can use every link of
    the device, and the final position of everything is known.
    """
    whole = cirq.Circuit(part.all_operations() for part, _ in stretches)
    whole.append(cirq.I(q) for q in used)
    where = dict(cirq.LineInitialMapper(graph).initial_mapping(whole))
    spare = [p for p in graph.nodes if p not in where.values()]
    where.update((cirq.NamedQubit(f"idle {p.x}"), p) for p in spare)
    return where
