"""What the device does with a job: decode the circuits, check them, run them with noise."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from ibm_quantum_schemas.common import CompressedTensorModel
from ibm_quantum_schemas.executor.version_2_0 import (
    ItemMetadataModel,
    MetadataModel,
    ParamsModel,
    QuantumProgramResultItemModel,
    QuantumProgramResultModel,
)
from qiskit import QuantumCircuit
from qiskit.circuit import Delay
from qiskit.primitives import BitArray, DataBin, PrimitiveResult, SamplerPubResult
from qiskit.transpiler import PassManager, Target
from qiskit.transpiler.passes import ALAPScheduleAnalysis, PadDelay, TimeUnitConversion
from qiskit_aer import AerSimulator
from qiskit_ibm_runtime.json import RuntimeDecoder, RuntimeEncoder
from qiskit_ibm_runtime.quantum_program.params_converters import QUANTUM_PROGRAM_PARAMS_CONVERTERS
from samplomatic.quantum_program import SamplexItem

from ibm_service.devices import Device

Array: TypeAlias = np.ndarray[Any, Any]

_RANDOMISATIONS = 32  # of a twirled circuit, as the service chooses by default


class RefusedError(Exception):
    """The job fails, with IBM's code and reason."""

    def __init__(self, code: int, reason: str) -> None:
        self.code, self.reason = code, reason
        super().__init__(reason)


def execute(program_id: str, params: dict[str, Any], device: Device, seed: int) -> str:
    """Runs a job's program and returns the body of ``/jobs/ID/results``.

    Args:
        program_id: ``sampler`` or ``executor``.
        params: As they came in.
        device: Where to run.
        seed: Of the simulator.

    Raises:
        RefusedError: For a circuit that the device cannot run, or an unknown program.
    """
    if program_id == "sampler":
        return _sampler(params, device, seed)
    if program_id == "executor":
        return _executor(params, device, seed)
    raise RefusedError(1000, f"there is no program {program_id!r}")


def _sampler(params: dict[str, Any], device: Device, seed: int) -> str:
    decoded = json.loads(json.dumps(params), cls=RuntimeDecoder)
    options = decoded.get("options", {})
    circuits = [pub[0] for pub in decoded["pubs"]]
    shots = max((pub[2] or 0 for pub in decoded["pubs"] if len(pub) > 2), default=0)
    shots = shots or options.get("default_shots") or 4096
    twirling = options.get("twirling", {})
    if twirling.get("enable_gates") or twirling.get("enable_measure"):
        shots = _RANDOMISATIONS * math.ceil(shots / _RANDOMISATIONS)
    results = []
    for bits in _measure(circuits, shots, device, seed):
        arrays = {name: BitArray.from_bool_array(array, "little") for name, array in bits.items()}
        results.append(SamplerPubResult(DataBin(**arrays)))
    return json.dumps(PrimitiveResult(results, {"version": 2}), cls=RuntimeEncoder)


def _executor(params: dict[str, Any], device: Device, seed: int) -> str:
    model = ParamsModel.model_validate(params)
    program, _ = QUANTUM_PROGRAM_PARAMS_CONVERTERS[model.schema_version].decoder(model)
    rng = np.random.default_rng(seed)
    circuits: list[QuantumCircuit] = []  # of all items, so that the simulator starts once
    drawn: list[dict[str, Array]] = []
    for item in program.items:
        extra: dict[str, Array] = {}
        if isinstance(item, SamplexItem):
            item.samplex.finalize()  # it arrives unfinished
            number = int(np.prod(item.shape))
            sampled = item.samplex.sample(
                item.samplex_arguments, num_randomizations=number, rng=rng
            )
            extra = dict(sampled)
            circuits += [item.circuit.assign_parameters(a) for a in extra.pop("parameter_values")]
        else:
            circuits.append(item.circuit)
        drawn.append(extra)
    measured = iter(_measure(circuits, program.shots, device, seed))
    items = []
    for item, extra in zip(program.items, drawn, strict=True):
        if isinstance(item, SamplexItem):
            runs = [next(measured) for _ in range(int(np.prod(item.shape)))]
            results = extra | {name: np.stack([run[name] for run in runs]) for name in runs[0]}
        else:
            results = next(measured)
        items.append(
            QuantumProgramResultItemModel(
                results={k: CompressedTensorModel.from_numpy(v) for k, v in results.items()},
                metadata=ItemMetadataModel(),
            )
        )
    return QuantumProgramResultModel(
        data=items,
        metadata=MetadataModel(chunk_timing=[]),
        passthrough_data=model.quantum_program.passthrough_data,
        semantic_role=model.quantum_program.semantic_role,
    ).model_dump_json()


def _measure(
    circuits: list[QuantumCircuit], shots: int, device: Device, seed: int
) -> list[dict[str, Array]]:
    """For each circuit and register the bits of each shot, shape (shots, size), bit 0 first."""
    target = device.backend.target
    for circuit in circuits:
        _require_isa(circuit, target)
    scheduled = [_schedule(circuit, target) for circuit in circuits]
    simulator = _simulator(device.snapshot)
    done = simulator.run(scheduled, shots=shots, memory=True, seed_simulator=seed).result()
    found = []
    for index, circuit in enumerate(circuits):
        # Registers stand in the string from the last to the first, with a space between.
        columns = zip(*(words.split() for words in done.get_memory(index)), strict=True)
        registers = reversed(circuit.cregs)
        found.append(
            {
                register.name: np.array([[c == "1" for c in word[::-1]] for word in words])
                for register, words in zip(registers, columns, strict=True)
            }
        )
    return found


def _require_isa(circuit: QuantumCircuit, target: Target) -> None:
    hint = "The circuit is not in the instruction set of the device"
    if circuit.num_qubits > target.num_qubits:
        raise RefusedError(1517, f"{hint}: {circuit.num_qubits} qubits of {target.num_qubits}.")
    for instruction in circuit.data:
        name = instruction.operation.name
        qubits = tuple(circuit.find_bit(q).index for q in instruction.qubits)
        if name != "barrier" and not target.instruction_supported(name, qubits):
            raise RefusedError(1517, f"{hint}: {name} on qubits {qubits}.")


def _schedule(circuit: QuantumCircuit, target: Target) -> QuantumCircuit:
    """The circuit with a delay wherever a used qubit waits, so that waiting costs fidelity."""
    if any(isinstance(i.operation, Delay) for i in circuit.data):
        return circuit  # dynamical decoupling has scheduled it
    passes = PassManager(
        [
            TimeUnitConversion(target=target),
            ALAPScheduleAnalysis(target=target),
            PadDelay(target=target),
        ]
    )
    scheduled: QuantumCircuit = passes.run(circuit)
    return _without_idle_qubits(scheduled, circuit)


def _without_idle_qubits(scheduled: QuantumCircuit, original: QuantumCircuit) -> QuantumCircuit:
    used = {q for i in original.data for q in i.qubits if i.operation.name != "barrier"}
    kept = scheduled.copy_empty_like()
    for instruction in scheduled.data:
        index = {scheduled.find_bit(q).index for q in instruction.qubits}
        if instruction.operation.name != "delay" or any(original.qubits[i] in used for i in index):
            kept.append(instruction)
    return kept


@cache
def _simulator(snapshot: str) -> AerSimulator:
    """One simulator a device: with a hundred qubits its noise model takes seconds to build."""
    return AerSimulator.from_backend(Device(f"ibm_{snapshot}").backend)
