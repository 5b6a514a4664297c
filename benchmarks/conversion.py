"""What a conversion costs beside the framework's own construction of the same circuit.

    python benchmarks/conversion.py [--gates 10000] [--qubits 20] [--repeats 5] [FRAMEWORK ...]

For each framework the same random circuit is built twice: by the framework's own methods from a
list that is ready, and by our conversion from the neutral circuit. Both numbers come from the same
run, least of the repeats, and the ratio is what counts.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Circuit, Register
from qmastermind.gates import Gate


@dataclass(frozen=True)
class Converter:
    """A framework's part.

    Attributes:
        to_native: From the neutral circuit.
        from_native: Back.
        own: Prepares the construction by the framework's own methods, all of our objects read
            out beforehand, and returns it.
        package: Whose version is printed.
    """

    to_native: Callable[[Circuit], Any]
    from_native: Callable[[Any], Circuit]
    own: Callable[[Circuit], Callable[[], Any]]
    package: str


def random_circuit(num_gates: int, num_qubits: int, seed: int) -> Circuit:
    """One-qubit gates, rotations, controlled gates, some with four controls, half of them open."""
    rng = np.random.default_rng(seed)
    kinds = [
        ("h", 0, 0),
        ("t", 0, 0),
        ("sx", 0, 0),
        ("rz", 1, 0),
        ("u", 3, 0),
        ("x", 0, 1),
        ("z", 0, 1),
        ("p", 1, 1),
        ("x", 0, 2),
        ("swap", 0, 0),
        ("x", 0, 4),
    ]
    b = CircuitBuilder(Register("q", num_qubits))
    for kind in rng.integers(len(kinds), size=num_gates):
        name, num_params, count = kinds[kind]
        gate = Gate(name, tuple(rng.uniform(-math.pi, math.pi, num_params).tolist()))
        width = gate.kind.num_qubits
        order = rng.permutation(num_qubits)[: width + count].tolist()
        values = rng.integers(2, size=count).tolist() if count == 4 else [1] * count
        b.gate(gate, order[:width], order[width:], values)
    return b.build()


def qiskit() -> Converter:
    """Qiskit: methods of QuantumCircuit."""
    from qiskit import QuantumCircuit

    from qmastermind_qiskit import from_qiskit, to_qiskit

    methods = {("x", 1): "cx", ("x", 2): "ccx", ("z", 1): "cz", ("p", 1): "cp", ("x", 4): "mcx"}

    def own(circuit: Circuit) -> Callable[[], Any]:
        calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        for op in circuit.flat():
            if not isinstance(op, Apply) or not isinstance(op.gate, Gate):
                continue
            method = methods.get((op.gate.name, len(op.controls)), op.gate.name)
            if method == "mcx":
                state = sum(v << i for i, v in enumerate(op.values))
                where = (list(op.controls), op.targets[0])
                calls.append((method, where, {"ctrl_state": state}))
            else:
                calls.append((method, (*op.gate.params, *op.controls, *op.targets), {}))

        def build() -> QuantumCircuit:
            native = QuantumCircuit(circuit.num_qubits)
            for method, arguments, options in calls:
                getattr(native, method)(*arguments, **options)
            return native

        return build

    return Converter(to_qiskit, from_qiskit, own, "qiskit")


def cirq() -> Converter:
    """Cirq: gates put on qubits, then one Circuit; u is a MatrixGate there as well."""
    import cirq

    from qmastermind_cirq import from_cirq, to_cirq

    fixed = {"h": cirq.H, "t": cirq.T, "sx": cirq.X**0.5, "swap": cirq.SWAP}
    controlled = {("x", 1): cirq.CX, ("z", 1): cirq.CZ, ("x", 2): cirq.CCX}

    def own(circuit: Circuit) -> Callable[[], Any]:
        calls: list[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]] = []
        for op in circuit.flat():
            if not isinstance(op, Apply) or not isinstance(op.gate, Gate):
                continue
            name, angles = op.gate.name, op.gate.params
            if name in fixed and not op.controls:
                calls.append((lambda gate: gate, (fixed[name],), op.qubits))
            elif (name, len(op.controls)) in controlled:
                calls.append((lambda gate: gate, (controlled[name, len(op.controls)],), op.qubits))
            elif name == "rz":
                calls.append((cirq.rz, angles, op.qubits))
            elif name == "u":
                calls.append((cirq.MatrixGate, (op.gate.matrix(),), op.qubits))
            elif name == "p":
                calls.append((lambda t: cirq.CZPowGate(exponent=t / math.pi), angles, op.qubits))
            else:
                values = op.values
                calls.append((lambda v: cirq.ControlledGate(cirq.X, 4, v), (values,), op.qubits))

        def build() -> Any:
            line = cirq.LineQubit.range(circuit.num_qubits)
            return cirq.Circuit(
                make(*arguments).on(*(line[q] for q in qubits)) for make, arguments, qubits in calls
            )

        return build

    return Converter(to_cirq, from_cirq, own, "cirq-core")


def pennylane() -> Converter:
    """PennyLane: operations in a list, then one QuantumScript."""
    import pennylane as qml

    from qmastermind_pennylane import from_pennylane, to_pennylane

    kinds = {
        ("h", 0): qml.Hadamard,
        ("t", 0): qml.T,
        ("sx", 0): qml.SX,
        ("rz", 0): qml.RZ,
        ("u", 0): qml.U3,
        ("swap", 0): qml.SWAP,
        ("x", 1): qml.CNOT,
        ("z", 1): qml.CZ,
        ("p", 1): qml.ControlledPhaseShift,
        ("x", 2): qml.Toffoli,
        ("x", 4): qml.MultiControlledX,
    }

    def own(circuit: Circuit) -> Callable[[], Any]:
        calls: list[tuple[Any, tuple[float, ...], dict[str, Any]]] = []
        for op in circuit.flat():
            if not isinstance(op, Apply) or not isinstance(op.gate, Gate):
                continue
            options: dict[str, Any] = {"wires": list(op.qubits)}
            if len(op.controls) == 4:
                options["control_values"] = [bool(v) for v in op.values]
            calls.append((kinds[op.gate.name, len(op.controls)], op.gate.params, options))
        return lambda: qml.tape.QuantumScript(
            [kind(*angles, **more) for kind, angles, more in calls]
        )

    return Converter(to_pennylane, from_pennylane, own, "pennylane")


def tket() -> Converter:
    """Tket: add_gate, and a QControlBox for open controls."""
    import pytket
    from pytket.circuit import Op, OpType, QControlBox

    from qmastermind_tket import from_tket, to_tket

    kinds = {
        ("h", 0): OpType.H,
        ("t", 0): OpType.T,
        ("sx", 0): OpType.SX,
        ("rz", 0): OpType.Rz,
        ("u", 0): OpType.U3,
        ("swap", 0): OpType.SWAP,
        ("x", 1): OpType.CX,
        ("z", 1): OpType.CZ,
        ("p", 1): OpType.CU1,
        ("x", 2): OpType.CCX,
        ("x", 4): OpType.CnX,
    }

    def own(circuit: Circuit) -> Callable[[], Any]:
        calls: list[tuple[Any, list[float], tuple[bool, ...], list[int]]] = []
        for op in circuit.flat():
            if not isinstance(op, Apply) or not isinstance(op.gate, Gate):
                continue
            angles = [angle / math.pi for angle in op.gate.params]
            state = () if all(op.values) else tuple(bool(v) for v in op.values)
            kind = kinds[op.gate.name, len(op.controls)]
            calls.append((kind, angles, state, list(op.qubits)))

        def build() -> Any:
            native = pytket.Circuit(circuit.num_qubits)
            for kind, angles, state, qubits in calls:
                if state:
                    native.add_gate(QControlBox(Op.create(OpType.X), len(state), state), qubits)
                else:
                    native.add_gate(kind, angles, qubits)
            return native

        return build

    return Converter(to_tket, from_tket, own, "pytket")


CONVERTERS: dict[str, Callable[[], Converter]] = {
    "qiskit": qiskit,
    "cirq": cirq,
    "pennylane": pennylane,
    "tket": tket,
}
"""Each imports its framework when it is called."""


def best(work: Callable[[], Any], repeats: int) -> float:
    """Least wall time in seconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("frameworks", nargs="*", metavar="FRAMEWORK", help=", ".join(CONVERTERS))
    parser.add_argument("--gates", type=int, default=10_000)
    parser.add_argument("--qubits", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    unknown = set(options.frameworks) - set(CONVERTERS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(CONVERTERS)}")
    circuit = random_circuit(options.gates, options.qubits, options.seed)
    print(f"{options.gates} gates on {options.qubits} qubits, seconds, least of {options.repeats}")
    print(f"{'framework':<24}{'own':>9}{'ours':>9}{'extra':>9}{'ratio':>8}{'back':>9}{'ratio':>8}")
    for name in options.frameworks or CONVERTERS:
        try:
            converter = CONVERTERS[name]()
        except ImportError as error:
            print(f"{name:<24}not installed: {error}")
            continue
        own = best(converter.own(circuit), options.repeats)
        ours = best(partial(converter.to_native, circuit), options.repeats)
        native = converter.to_native(circuit)
        back = best(partial(converter.from_native, native), options.repeats)
        label = f"{name} {version(converter.package)}"
        print(
            f"{label:<24}{own:9.4f}{ours:9.4f}{ours - own:9.4f}{ours / own:8.2f}"
            f"{back:9.4f}{back / own:8.2f}"
        )


if __name__ == "__main__":
    main()
