"""Local runs with a device's noise, idle time included.

A simulator with the noise of a hundred qubits spends seconds on setting itself up. Each circuit
is therefore moved to a device of just the qubits that it uses, with the same errors and times,
and qubits that no gate joins are simulated apart, so that many pegs take no more than one.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from qmastermind.errors import BackendError
from qmastermind.results import Counts
from qmastermind_qiskit.failures import our_errors
from qmastermind_qiskit.ibm.structure import components, measured_qubits, restricted, used_qubits

if TYPE_CHECKING:
    from qiskit import QuantumCircuit
    from qiskit.transpiler import Target
    from qiskit_aer.noise import NoiseModel

    from qmastermind_qiskit.ibm.device import Device


# Aer reports a failed run to its logger as well as in the result that is read here.
logging.getLogger("qiskit_aer").addHandler(logging.NullHandler())


class NoisySimulator:
    """Runs compiled circuits with a device's noise.

    Args:
        device: Whose noise; errors, readout and times come from its calibration.
        noise_model: Takes the place of the calibrated noise; its qubits are the device's.
    """

    def __init__(self, device: Device, noise_model: NoiseModel | None = None) -> None:
        self.device = device
        self._model = noise_model
        self._noise = lru_cache(maxsize=256)(self._noise_uncached)

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
        if self._model is not None:
            parts = [(scheduled(circuit, self.device.target), self._model)]
        else:
            parts = self._parts(circuit)
        seeds = np.random.default_rng(seed).integers(2**31, size=len(parts))
        words = [0] * shots  # the bits of each shot, bit 0 lowest
        for (part, model), part_seed in zip(parts, seeds, strict=True):
            memory = self._simulate(part, model, shots, int(part_seed))
            words = [word | int(new, 16) for word, new in zip(words, memory, strict=True)]
        width = circuit.num_clbits
        return Counts((format(w, f"0{width}b")[::-1], n) for w, n in Counter(words).items())

    def _parts(self, circuit: QuantumCircuit) -> list[tuple[QuantumCircuit, NoiseModel]]:
        """The circuit's measured components, scheduled together, each with its noise.

        No gate joins them and no noise of the model does, so that they can be run one by one.
        """
        used = used_qubits(circuit)
        timed = scheduled(restricted(circuit, used), restricted_target(self.device, used))
        where = measured_qubits(timed)
        groups = [g for g in components(timed) if not set(where.values()).isdisjoint(g)]
        if timed.count_ops().get("measure", 0) > len(where):
            groups = [tuple(range(len(used)))]  # of two measurements into one bit the later counts
        return [
            (restricted(timed, group), self._noise(tuple(used[q] for q in group)))
            for group in groups
        ]

    def _simulate(
        self, circuit: QuantumCircuit, model: NoiseModel, shots: int, seed: int
    ) -> list[str]:
        """What each shot gave, as a hexadecimal number."""
        from qiskit_aer import AerError, AerSimulator

        with our_errors(f"simulating {self.device.name}"):
            simulator = AerSimulator(noise_model=model)
            job = simulator.run(circuit, shots=shots, seed_simulator=seed, memory=True)
            result = job.result()
            if not result.success:
                raise AerError(result.status)
            memory: list[str] = result.data(0)["memory"]
        return memory

    def _noise_uncached(self, qubits: tuple[int, ...]) -> NoiseModel:
        from qiskit_aer.noise import NoiseModel

        target = restricted_target(self.device, qubits)
        return NoiseModel.from_backend(_described(self.device.name, target))


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
