"""PennyLane's decompositions, circuit transforms and routing, for one of our targets.

PennyLane decomposes to {RZ, RX, RY, CNOT}; other gate sets are left with foreign gates in them
or cost far more, so the basis is changed afterwards. Its transforms take time quadratic in the
number of operations (minutes for ten thousand), so each sees a window of the circuit at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import networkx as nx
import pennylane as qml

from qmastermind.circuit import Apply, Barrier, Circuit, Measure
from qmastermind.plugin import Work, check_connected, join_passes, split_measurements
from qmastermind_pennylane.exporter import Exporter
from qmastermind_pennylane.importer import read_operations

if TYPE_CHECKING:
    from qmastermind.target import Target

Layout: TypeAlias = tuple[int, ...]
Operations: TypeAlias = "list[Any]"

WINDOW = 300
"""Operations that a transform sees at a time."""

_GATE_SET = frozenset({"RZ", "RX", "RY", "CNOT", "GlobalPhase"})
_STANDARD = ("commute_controlled", "cancel_inverses", "merge_rotations")
_PIPELINES: dict[int, tuple[tuple[str, ...], int]] = {
    0: ((), 0),
    1: (("cancel_inverses", "merge_rotations"), 1),
    2: (_STANDARD, 2),
    3: (_STANDARD, 4),
}
"""For each level the transforms of ``qml.transforms``, and how often they run at most."""


def compile_for(circuit: Circuit, target: Target, level: int) -> Work:
    """Compiles for a target, except for the change from {RZ, RX, RY, CNOT} to its basis.

    Returns:
        PennyLane's script on wires that are physical qubits, the same read back, the names of
        the passes, and the physical qubits on which the source's qubits start and end.
    """
    body, measured = split_measurements(circuit)
    n, size = body.num_qubits, target.num_qubits or body.num_qubits
    router = None if target.coupling is None else _Router(target, n)
    idle = range(size if router is None else n)
    used = {q for op in body.flat() if not isinstance(op, Barrier) for q in op.qubits}
    exporter = Exporter(
        compiling=True,
        clean=[q for q in body.ancillas if q not in used],
        lenders=[*idle[n:], *idle[:n]] if level == 3 else (),
    )
    initial: Layout = tuple(range(n)) if router is None else tuple(router.places[:n])
    places: Sequence[int] = initial
    native: Operations = []
    phase = body.total_global_phase
    with qml.QueuingManager.stop_recording():
        for stretch, fence in _stretches(body):
            operations, turned = _decompose(exporter.operations(stretch))
            operations = _optimise(operations, level)
            if router is not None:
                operations = router.route(operations)
                places = router.places[:n]
                if level:
                    operations, more = _decompose(operations)
                    operations = _optimise(operations, level)
                    turned += more
            native += operations
            phase += turned
            if fence is not None:
                native += exporter.operations(fence, places)
        native.append(qml.GlobalPhase(-phase))
        wires = [places[measured[bit]] for bit in sorted(measured)]
        processes = [qml.counts(wires=wires)] if wires else exporter.processes()
    neutral = read_operations(native, range(size), exporter.bits)
    kept = tuple(Measure(places[qubit], bit) for bit, qubit in measured.items())
    neutral = replace(neutral, operations=neutral.operations + kept)
    passes = ["qml.transforms.decompose", _pipeline_name(level)]
    if exporter.worked:
        passes.insert(0, "clean ancillas as work wires of MultiControlledX")
    if exporter.borrowed:
        passes.insert(0, "work wires borrowed by MultiControlledX")
    if router is not None:
        passes += [router.name, *(passes[-2:] if level else ())]
    script = qml.tape.QuantumScript(native, processes)
    return Work(script, neutral, join_passes(passes), initial, tuple(places))


def _stretches(circuit: Circuit) -> Iterator[tuple[Circuit, Circuit | None]]:
    """The unitary stretches of a circuit, each with the fence, measurement or reset behind it."""
    stretch: list[Apply] = []
    for op in circuit.flat():
        if isinstance(op, Apply):
            stretch.append(op)
            continue
        yield Circuit(circuit.registers, tuple(stretch)), Circuit(circuit.registers, (op,))
        stretch = []
    yield Circuit(circuit.registers, tuple(stretch)), None


def _decompose(operations: Operations) -> tuple[Operations, float]:
    """Decomposes to the gate set, and takes the global phases out: their sum, radians."""
    script = qml.tape.QuantumScript(operations)
    [expanded], _ = qml.transforms.decompose(script, gate_set=_GATE_SET)
    phases = [op for op in expanded.operations if isinstance(op, qml.GlobalPhase)]
    kept = [op for op in expanded.operations if not isinstance(op, qml.GlobalPhase)]
    return kept, -sum(float(op.parameters[0]) for op in phases)


def _optimise(operations: Operations, level: int) -> Operations:
    """Runs a level's pipeline over windows, whose borders move from pass to pass."""
    pipeline, passes = _PIPELINES[level]
    for number in range(passes):
        before = len(operations)
        shift = WINDOW // 2 if number % 2 else 0
        operations = [op for part in _windows(operations, shift) for op in _run(pipeline, part)]
        if number and len(operations) == before:
            break
    return operations


def _run(pipeline: Sequence[str], operations: Operations) -> Operations:
    script = qml.tape.QuantumScript(operations)
    for name in pipeline:
        [script], _ = getattr(qml.transforms, name)(script)
    return list(script.operations)


def _windows(operations: Operations, shift: int) -> Iterator[Operations]:
    starts = [0, *range(shift or WINDOW, len(operations), WINDOW), len(operations)]
    return (operations[a:b] for a, b in pairwise(starts) if a < b)


def _pipeline_name(level: int) -> str:
    pipeline, passes = _PIPELINES[level]
    if not passes:
        return ""
    names = ", ".join(pipeline)
    return f"qml.compile({names}; at most {passes} passes over windows of {WINDOW} operations)"


class _Router:
    """PennyLane's ``transpile``, window by window.

    It swaps the second qubit of a gate along a shortest path and has no placement of its own.

    Attributes:
        places: For each qubit of the circuit, and behind those for each idle qubit of the
            device, the physical qubit that it is on.
        name: For the list of passes.
    """

    def __init__(self, target: Target, num_qubits: int) -> None:
        connected = check_connected(target, num_qubits)
        self._graph = nx.Graph()
        self._graph.add_nodes_from(connected)
        inside = set(connected)
        self._graph.add_edges_from(p for p in sorted(target.coupling or ()) if inside >= set(p))
        first = list(range(num_qubits))
        self.name = "qml.transforms.transpile"
        if not (inside >= set(first) and nx.is_connected(self._graph.subgraph(first))):
            center = nx.center(self._graph)[0]
            first = [center, *(q for _, q in nx.bfs_edges(self._graph, center))][:num_qubits]
            self.name = f"qmastermind placement (breadth first) > {self.name}"
        self.places = first + [q for q in connected if q not in set(first)]

    def route(self, operations: Operations) -> Operations:
        """Operations on the circuit's qubits as operations on coupled physical qubits."""
        routed: Operations = []
        everything = sorted(self.places)
        for part in _windows(operations, 0):
            where = dict(enumerate(self.places))
            script = qml.tape.QuantumScript(
                [op.map_wires(where) for op in part], [qml.probs(wires=everything)]
            )
            [script], _ = qml.transforms.transpile(script, self._graph)
            moved = dict(zip(everything, script.measurements[0].wires, strict=True))
            self.places = [moved[q] for q in self.places]
            routed += script.operations
        return routed
