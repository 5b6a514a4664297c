"""What of a circuit survives on a device: process fidelities from calibration and schedule.

A circuit falls into components that no gate joins. In each, the process fidelity is the product
over gates of 1 - c e, with the calibrated average gate error e and c = (d + 1) / d for dimension
d (1.5 for one qubit, 1.25 for two), times, for each time t that a qubit waits between its gates,
(1 + exp(-t/T1) + 2 exp(-t/T2)) / 4, with T2 clamped to 2 T1. The same decay over a gate's
duration bounds what the gate can keep.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qmastermind.circuit import Apply, Barrier, Circuit, Measure, Reset
from qmastermind.target import operation_name
from qmastermind_qiskit.ibm.compilation import require_room
from qmastermind_qiskit.ibm.errors import NotIsaError
from qmastermind_qiskit.ibm.structure import components, measured_qubits

if TYPE_CHECKING:
    from qiskit import QuantumCircuit

    from qmastermind_qiskit.ibm.device import Device

_ALSO_CALLED = {"p": ("rz", "u1"), "rz": ("u1",), "u": ("u3", "u2")}
"""Names that devices have for the same work; older ones have ``u1`` to ``u3``."""


@dataclass(frozen=True)
class Component:
    """Qubits that gates join, and what survives on them.

    Attributes:
        qubits: Physical.
        bits: Classical bits that are read from them; may be empty.
        fidelity: Process fidelity, readout left out.
    """

    qubits: tuple[int, ...]
    bits: tuple[int, ...]
    fidelity: float


def survival(circuit: QuantumCircuit, device: Device) -> tuple[list[Component], float]:
    """The components with their fidelities, and the seconds that the whole circuit takes.

    Args:
        circuit: In the device's gates and on its qubits.
        device: Its calibration.
    """
    index = {q: i for i, q in enumerate(circuit.qubits)}
    fidelity = [1.0] * len(index)  # what is lost on a qubit, or at a gate whose first it is
    for instruction in circuit.data:
        operation = instruction.operation
        qubits = tuple(index[q] for q in instruction.qubits)
        if operation.name in ("barrier", "measure", "delay"):
            continue
        error, seconds = device.error_and_duration(operation.name, qubits)
        dimension = 2 ** len(qubits)
        kept = max(0.0, 1 - error * (dimension + 1) / dimension)
        # A calibrated error below what the qubits decay meanwhile is not believed.
        decayed = math.prod(_kept_after(seconds, device, q) for q in qubits)
        fidelity[qubits[0]] *= min(kept, decayed)
    idle, duration = waits(circuit, device)
    for qubit, seconds in idle:
        fidelity[qubit] *= _kept_after(seconds, device, qubit)
    bits = measured_qubits(circuit)
    found = [
        Component(
            qubits=group,
            bits=tuple(sorted(b for b, q in bits.items() if q in group)),
            fidelity=math.prod(fidelity[q] for q in group),
        )
        for group in components(circuit)
    ]
    return found, duration


def _kept_after(seconds: float, device: Device, qubit: int) -> float:
    """Process fidelity of a qubit that decays for a time."""
    t1, t2 = device.t1_t2(qubit)
    return (1 + math.exp(-seconds / t1) + 2 * math.exp(-seconds / t2)) / 4


def waits(circuit: QuantumCircuit, device: Device) -> tuple[list[tuple[int, float]], float]:
    """How long each qubit waits after its first gate, and the length of the whole circuit.

    Everything is scheduled as late as possible, counted in seconds from the end.
    """
    index = {q: i for i, q in enumerate(circuit.qubits)}
    bound: dict[int, float] = {}  # when the qubit has to be ready for what follows
    following: dict[int, float] = {}  # when its next operation begins
    found: list[tuple[int, float]] = []
    for instruction in reversed(circuit.data):
        name = instruction.operation.name
        qubits = tuple(index[q] for q in instruction.qubits)
        start = max((bound.get(q, 0.0) for q in qubits), default=0.0)
        end = start + _seconds(instruction.operation, qubits, device)
        for q in qubits:
            bound[q] = end
            if name not in ("barrier", "delay"):
                if start > following.get(q, start):
                    found.append((q, start - following[q]))
                following[q] = end
    return found, max(following.values(), default=0.0)


def _seconds(operation: Any, qubits: tuple[int, ...], device: Device) -> float:
    if operation.name == "barrier":
        return 0.0
    if operation.name != "delay":
        return device.error_and_duration(operation.name, qubits)[1]
    scale = {"dt": device.target.dt or 0.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    return float(operation.duration) * scale[operation.unit]


def expected_success(circuit: Circuit, device: Device) -> float:
    """The share of runs of a compiled circuit in which nothing is expected to go wrong.

    The product of the process fidelities of all its components and, for each qubit that is
    measured, of one less its readout error, averaged over 0 and 1. It needs no ideal result, so
    it can be had of any circuit that any framework compiled; like every forecast here it is an
    optimistic bound.

    A two-qubit gate counts as the coupling's own, in whichever direction and of whichever kind
    the device has it there; the one-qubit gates that turn it around are not added.

    Args:
        circuit: Neutral, in the device's basis and on its physical qubits, most of which may
            be unused.
        device: Its calibration.

    Returns:
        In [0, 1]; 0 if the circuit uses what the calibration reports as broken.

    Raises:
        TooLargeError: If the circuit has more qubits than the device.
        NotIsaError: If it has a gate that the device lacks, or joins qubits that are not coupled.
    """
    require_room(circuit, device)
    native = _in_its_gates(circuit, device)
    if native is None:
        return 0.0
    found, _ = survival(native, device)
    return read_rightly(native, device) * math.prod(component.fidelity for component in found)


def read_rightly(circuit: QuantumCircuit, device: Device) -> float:
    """The probability that all measured qubits are read rightly, averaged over 0 and 1."""
    read = [device.readout[q] for q in measured_qubits(circuit).values()]
    return math.prod(1 - (r.one_for_zero + r.zero_for_one) / 2 for r in read if r)


def _in_its_gates(circuit: Circuit, device: Device) -> QuantumCircuit | None:
    """The same operations as the device's own, angles left open; None if one of them is broken."""
    from qiskit import QuantumCircuit

    native = QuantumCircuit(device.num_qubits, circuit.num_bits)
    for op in circuit.flat():
        match op:
            case Barrier():
                native.barrier(op.qubits)
            case Measure():
                native.measure(op.qubit, op.bit)
            case Reset():
                native.reset(op.qubit)
            case Apply():
                own = _own_gate(op, device)
                if own is None:
                    return None
                name, qubits = own
                native.append(device.target.operation_from_name(name), qubits)
    return native


def _own_gate(op: Apply, device: Device) -> tuple[str, tuple[int, ...]] | None:
    """Name and qubits of the device's gate for an operation; None if it is broken there."""
    name, target, qubits = operation_name(op), device.target, op.qubits
    if len(qubits) == 1:
        names = [n for n in (name, *_ALSO_CALLED.get(name, ())) if n in target.operation_names]
        if names:
            return next(((n, qubits) for n in names if qubits in target[n]), None)
    elif len(qubits) == 2:
        for own in (name, *device.two_qubit_gates):
            for pair in (qubits, qubits[::-1]):
                if own in target.operation_names and pair in target[own]:
                    return own, pair
        if qubits in device.unusable or qubits[::-1] in device.unusable:
            return None
    raise NotIsaError(
        f"{device.name} does not have {name} on qubits {', '.join(map(str, qubits))}",
        "Compile the circuit for this device.",
    )
