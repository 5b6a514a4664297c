"""Circuits for one device: compiled with its calibration, checked, and told apart."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from qmastermind.circuit import Apply, Circuit
from qmastermind.errors import TooLargeError, UnsupportedError
from qmastermind.validation import narrow_seed
from qmastermind_qiskit.calibration import entries
from qmastermind_qiskit.ibm.errors import NotIsaError

if TYPE_CHECKING:
    from qiskit import QuantumCircuit

    from qmastermind_qiskit.ibm.device import Device


class Placed(NamedTuple):
    """A circuit on a device.

    Attributes:
        native: In the device's gates and on its qubits.
        initial_layout: For each qubit of the source the physical qubit that it starts on.
        final_layout: The same at the end.
    """

    native: QuantumCircuit
    initial_layout: tuple[int, ...]
    final_layout: tuple[int, ...]


def require_room(circuit: Circuit, device: Device) -> None:
    """Checks that a device has enough qubits.

    Raises:
        TooLargeError: If not.
    """
    if circuit.num_qubits > device.num_qubits:
        raise TooLargeError(
            f"the circuit has {circuit.num_qubits} qubits, {device.name} has {device.num_qubits}"
        )


def require_usable(circuit: Circuit, device: Device) -> None:
    """Checks that what a circuit needs is left of a device after what is broken there.

    Raises:
        TooLargeError: If too few qubits are.
        UnsupportedError: If no coupling is and the circuit joins qubits.
    """
    works = {q for name in device.target.operation_names for q in entries(device.target, name)}
    left = sum(len(q) == 1 for q in works)
    if 0 < left < circuit.num_qubits:
        raise TooLargeError(
            f"the circuit has {circuit.num_qubits} qubits, of those of {device.name} "
            f"{left} can be used: the others are reported as broken"
        )
    joins = any(isinstance(op, Apply) and len(op.qubits) > 1 for op in circuit.flat())
    if joins and device.unusable and not device.two_qubit_gates:
        couplings = len({frozenset(pair) for pair in device.unusable})
        raise UnsupportedError(
            f"{device.name} reports all of its {couplings} couplings as unusable, and the circuit "
            "joins qubits; take another device"
        )


def compile_circuit(
    circuit: Circuit, device: Device, level: int, seed: int | None, spares: int = 0
) -> Placed:
    """Compiles with Qiskit for a device. All qubits are taken to start in |0>, as they do there.

    Args:
        circuit: With or without measurements.
        device: Its calibration tells the compiler which qubits are good.
        level: Qiskit's optimisation level, 0 to 3.
        seed: Of layout and routing.
        spares: Idle qubits to lend to the compiler. It builds gates with many controls far
            cheaper with a clean ancilla, but takes none of the device's idle qubits by itself.

    Raises:
        TooLargeError: If too many of the device's qubits are broken.
        UnsupportedError: If all its couplings are.
        BackendError: If Qiskit fails.
    """
    require_usable(circuit, device)
    from qiskit.circuit import AncillaRegister
    from qiskit.transpiler import PassManager, generate_preset_pass_manager

    from qmastermind_qiskit.exporter import to_qiskit
    from qmastermind_qiskit.failures import our_errors

    with our_errors(f"compiling for {device.name}"):
        source = to_qiskit(circuit)
        if spares:
            source.add_register(AncillaRegister(spares, "spare"))
        manager = generate_preset_pass_manager(
            optimization_level=level, target=device.target, seed_transpiler=narrow_seed(seed)
        )
        if "rzz" in device.target.operation_names:
            from qiskit_ibm_runtime.transpiler.passes import FoldRzzAngle

            # IBM's rzz takes angles from 0 to pi/2 only, of which a target says nothing.
            manager.post_optimization = PassManager([FoldRzzAngle()])
        native = manager.run(source)
    count = circuit.num_qubits
    initial = native.layout.initial_index_layout(filter_ancillas=True)[:count]
    final = native.layout.final_index_layout(filter_ancillas=True)[:count]
    return Placed(native, tuple(initial), tuple(final))


def require_isa(circuits: Sequence[QuantumCircuit], device: Device) -> None:
    """Checks that a device has every instruction of the circuits; the new sampler does not.

    Raises:
        NotIsaError: With the first instruction that it lacks.
    """
    for number, circuit in enumerate(circuits, 1):
        problem = _isa_problem(circuit, device)
        if problem:
            raise NotIsaError(f"circuit {number} does not fit {device.name}: {problem}")


def _isa_problem(circuit: QuantumCircuit, device: Device) -> str:
    target = device.target
    if circuit.num_qubits > target.num_qubits:
        return f"it has {circuit.num_qubits} qubits, the device {target.num_qubits}"
    index = {q: i for i, q in enumerate(circuit.qubits)}
    for instruction in circuit.data:
        operation = instruction.operation
        qubits = tuple(index[q] for q in instruction.qubits)
        if operation.name == "barrier":
            continue
        if not target.instruction_supported(operation.name, qubits):
            return f"{operation.name} on qubits {', '.join(map(str, qubits))}"
        if operation.name == "rzz" and not 0 <= float(operation.params[0]) <= math.pi / 2 + 1e-6:
            return f"rzz by {float(operation.params[0]):.4g}, which must be in 0 to pi/2"
    return ""


def circuit_hash(circuit: QuantumCircuit) -> str:
    """A hash of what the circuit does, independent of names and of Qiskit's file formats."""
    lines: list[Mapping[str, Any]] = [
        {
            "gate": i.operation.name,
            "angles": [round(float(p), 12) for p in i.operation.params],
            "qubits": [circuit.find_bit(q).index for q in i.qubits],
            "bits": [circuit.find_bit(c).index for c in i.clbits],
        }
        for i in circuit.data
    ]
    text = json.dumps([circuit.num_qubits, circuit.num_clbits, lines], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
