"""Circuits for Aer without Qiskit's transpiler. Imports Qiskit and Aer.

Aer executes multi-controlled gates, open controls and diagonals as they are, so a circuit is
written in Aer's own instructions; a transpilation would cost far more than the simulation.
"""

from __future__ import annotations

import math

import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import Gate as NativeGate
from qiskit_aer import AerSimulator

from qmastermind.circuit import Apply, Barrier, Circuit, Measure, Phases, Reset
from qmastermind.errors import UnsupportedError
from qmastermind.gates import Gate
from qmastermind.results import Distribution, Factor
from qmastermind_qiskit.failures import our_errors
from qmastermind_qiskit.gates import native_diagonal, native_gate, spelled
from qmastermind_qiskit.running import run_native

_AS_NAMED = frozenset(
    {"cx", "cy", "cz", "cp", "csx", "cswap", "crx", "cry", "crz", "cu", "ccx", "ccz"}
)
"""Controlled gates that more of Aer's methods have than those for any number of controls."""

_PHASES = {
    "z": math.pi,
    "s": math.pi / 2,
    "sdg": -math.pi / 2,
    "t": math.pi / 4,
    "tdg": -math.pi / 4,
}
_MISREAD = ("s", "sdg")
"""Aer's fusion of 14 qubits and more gives a wrong state for one of these between two X."""
_AS_U = {
    "h": (math.pi / 2, 0.0, math.pi, 0.0),
    "sxdg": (math.pi / 2, math.pi / 2, -math.pi / 2, -math.pi / 4),
}
"""Angles (theta, phi, lambda) and phase, as Aer's ``mcu`` takes them."""


def to_aer(circuit: Circuit) -> QuantumCircuit:
    """The circuit in instructions that Aer executes, boxes opened.

    Args:
        circuit: Any neutral circuit; qubit i and bit i keep their numbers.

    Raises:
        TooLargeError: For a dense diagonal over more than 20 qubits.
    """
    native = QuantumCircuit(circuit.num_qubits, circuit.num_bits, name="circuit")
    native.global_phase = circuit.total_global_phase
    gates: dict[tuple[Gate, tuple[int, ...]], NativeGate] = {}
    for op in circuit.flat():
        match op:
            case Apply():
                for step in spelled(op):
                    if isinstance(step.gate, Phases):
                        native.append(native_diagonal(step.gate), step.targets[::-1])
                        continue
                    key = (step.gate, step.values)
                    if key not in gates:
                        gates[key] = _instruction(*key)
                    native.append(gates[key], step.qubits)
            case Barrier():
                native.barrier(op.qubits)
            case Measure():
                native.measure(op.qubit, op.bit)
            case Reset():
                native.reset(op.qubit)
    return native


def _instruction(gate: Gate, values: tuple[int, ...]) -> NativeGate:
    name, params, count = gate.name, gate.params, len(values)
    if not count and name in _MISREAD:
        return native_gate(Gate("p", (_PHASES[name],)), ())
    if not count or "c" * count + name in _AS_NAMED:
        return native_gate(gate, values)
    if name in _PHASES:
        name, params = "p", (_PHASES[name],)
    if name in _AS_U or name == "u":
        name, params = "u", _AS_U.get(name) or (*params, 0.0)
    # Aer reads the open controls from the end of the name, first control as the lowest bit.
    state = sum(v << i for i, v in enumerate(values))
    suffix = "" if all(values) else f"_o{state}"
    return NativeGate(f"mc{name}{suffix}", count + gate.kind.num_qubits, list(params))


def exact(circuit: Circuit) -> Distribution:
    """The exact distribution of the bits, from Aer's state.

    Raises:
        UnsupportedError: If a measurement is not final.
        TooLargeError: If the state does not fit into memory.
    """
    if not circuit.has_final_measurements_only():
        raise UnsupportedError("exact probabilities need measurements that are final")
    measured = circuit.final_measurements()
    bits = tuple(sorted(measured))
    unset = [
        Factor((b,), np.array([1.0, 0.0])) for b in range(circuit.num_bits) if b not in measured
    ]
    if not bits:
        return Distribution(circuit.num_bits, tuple(unset))
    with our_errors("simulating the state with Aer"):
        native = to_aer(circuit.without_measurements())
        # The first qubit listed is the lowest bit of Aer's index.
        native.save_probabilities([measured[b] for b in reversed(bits)], label="exact")
        result = run_native(AerSimulator(method="statevector"), native, shots=1)
        table = np.asarray(result.data(0)["exact"], dtype=np.float64)
    return Distribution(circuit.num_bits, (Factor(bits, table), *unset))
