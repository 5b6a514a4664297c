"""Local runs with a device's noise, idle time included.

A simulator with the noise of a hundred qubits spends seconds on setting itself up. Each circuit
is therefore moved to a device of just the qubits that it uses, with the same errors and times.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from qmastermind.errors import BackendError
from qmastermind.results import Counts

if TYPE_CHECKING:
    from qiskit import QuantumCircuit
    from qiskit.transpiler import Target
    from qiskit_aer.noise import NoiseModel

    from qmastermind_qiskit.ibm.device import Device


class NoisySimulator:
    """Runs compiled circuits with a device's noise.

    Args:
        device: Whose noise; errors, readout and times come from its calibration.
        noise_model: Takes the place of the calibrated noise; its qubits are the device's.
    """

    def __init__(self, device: Device, noise_model: NoiseModel | None = None) -> None:
        self.device = device
        self._model = noise_model
        self._small = lru_cache(maxsize=64)(self._small_uncached)

    def run(
        self, circuits: Sequence[QuantumCircuit], shots: int, seed: int | None = None
    ) -> list[Counts]:
        """The counts of each circuit, bit 0 leftmost.

        Args:
            circuits: In the device's gates, with measurements.
            shots: Of each.
            seed: Of the simulator; the i-th circuit runs with ``seed + i``.

        Raises:
            TooLargeError: If the simulator has not enough memory for so many qubits.
            BackendError: If it fails otherwise.
        """
        return [
            self._run_one(circuit, shots, None if seed is None else seed + i)
            for i, circuit in enumerate(circuits)
        ]

    def _run_one(self, circuit: QuantumCircuit, shots: int, seed: int | None) -> Counts:
        from qiskit_aer import AerError, AerSimulator

        from qmastermind_qiskit.failures import our_errors

        qubits = used_qubits(circuit)
        if self._model is None:
            target, model = self._small(qubits)
            circuit = scheduled(restricted(circuit, qubits), target)
        else:
            model = self._model
            circuit = scheduled(circuit, self.device.target)
        with our_errors(f"simulating {self.device.name}"):
            simulator = AerSimulator(noise_model=model)
            result = simulator.run(circuit, shots=shots, seed_simulator=seed).result()
            if not result.success:
                raise AerError(result.status)
        found = Counts()
        for bits, number in result.get_counts().items():
            key = bits.replace(" ", "")[::-1]
            found[key] = found.get(key, 0) + number
        return found

    def _small_uncached(self, qubits: tuple[int, ...]) -> tuple[Target, NoiseModel]:
        from qiskit_aer.noise import NoiseModel

        target = restricted_target(self.device, qubits)
        return target, NoiseModel.from_backend(_described(self.device.name, target))


def used_qubits(circuit: QuantumCircuit) -> tuple[int, ...]:
    """The qubits that something other than a barrier or a delay acts on, in increasing order."""
    index = {q: i for i, q in enumerate(circuit.qubits)}
    idle = ("barrier", "delay")
    return tuple(
        sorted({index[q] for i in circuit.data if i.operation.name not in idle for q in i.qubits})
    )


def restricted(circuit: QuantumCircuit, qubits: Sequence[int]) -> QuantumCircuit:
    """The circuit on the listed qubits alone, renumbered from 0 in their order."""
    from qiskit import QuantumCircuit
    from qiskit.circuit import QuantumRegister

    register = QuantumRegister(len(qubits), "q")
    place = {circuit.qubits[q]: register[i] for i, q in enumerate(qubits)}
    small = QuantumCircuit(register, *circuit.cregs)
    for instruction in circuit.data:
        where = [place[q] for q in instruction.qubits if q in place]
        if instruction.operation.name == "barrier":
            if where:
                small.barrier(where)
        elif len(where) == len(instruction.qubits):
            small.append(instruction.operation, where, instruction.clbits)
    return small


def restricted_target(device: Device, qubits: Sequence[int]) -> Target:
    """The device's target on the listed qubits alone, its readout errors as calibrated."""
    from qiskit.transpiler import InstructionProperties, Target

    class MeasureProperties(InstructionProperties):  # type: ignore[misc]
        """What Aer looks for when the two readout errors differ."""

        prob_meas1_prep0: float
        prob_meas0_prep1: float

    full = device.target
    place = {q: i for i, q in enumerate(qubits)}
    known = full.qubit_properties
    small = Target(
        num_qubits=len(qubits),
        dt=full.dt,
        granularity=full.granularity,
        pulse_alignment=full.pulse_alignment,
        acquire_alignment=full.acquire_alignment,
        qubit_properties=[known[q] for q in qubits] if known else None,
    )
    for name in full.operation_names:
        kept: dict[tuple[int, ...], Any] = {}
        for pair, properties in full[name].items():
            if not set(pair) <= set(place):
                continue
            readout = device.readout[pair[0]] if name == "measure" else None
            if readout is not None:
                properties = MeasureProperties(properties.duration, properties.error)
                properties.prob_meas1_prep0 = readout.one_for_zero
                properties.prob_meas0_prep1 = readout.zero_for_one
            kept[tuple(place[q] for q in pair)] = properties
        if kept:
            small.add_instruction(full.operation_from_name(name), kept, name=name)
    return small


def scheduled(circuit: QuantumCircuit, target: Target) -> QuantumCircuit:
    """The circuit with a delay wherever a qubit waits, as late as possible.

    Raises:
        BackendError: If the target has no durations.
    """
    from qiskit.transpiler import PassManager
    from qiskit.transpiler.exceptions import TranspilerError
    from qiskit.transpiler.passes import ALAPScheduleAnalysis, PadDelay, TimeUnitConversion

    passes = PassManager(
        [
            TimeUnitConversion(target=target),
            ALAPScheduleAnalysis(target=target),
            PadDelay(target=target),
        ]
    )
    try:
        done: QuantumCircuit = passes.run(circuit)
    except TranspilerError as error:
        raise BackendError(f"the circuit cannot be scheduled: {error.message}") from None
    return done


def _described(name: str, target: Target) -> Any:
    """A Qiskit backend that is only a target, for Aer to read the noise from."""
    from qiskit.providers import BackendV2, Options

    class Described(BackendV2):  # type: ignore[misc]
        @property
        def target(self) -> Target:
            return target

        @property
        def max_circuits(self) -> None:
            return None

        @classmethod
        def _default_options(cls) -> Options:
            return Options()

        def run(self, run_input: Any, **options: Any) -> Any:
            raise NotImplementedError("described only")

    return Described(name=name)
