"""From a task to circuits that a device can run, each with its forecast. Nothing is sent here."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qmastermind.circuit import Apply, Circuit, Phases
from qmastermind_qiskit.ibm.client import RunOptions
from qmastermind_qiskit.ibm.compilation import (
    circuit_hash,
    compile_circuit,
    require_isa,
    require_room,
)
from qmastermind_qiskit.ibm.forecast import Forecast, Verdict, forecast
from qmastermind_qiskit.ibm.tasks import Part, Task

if TYPE_CHECKING:
    from qiskit import QuantumCircuit

    from qmastermind_qiskit.ibm.device import Device

LEVEL = 3  # lower levels keep bad qubits
SEEDS = 4
_HOPELESS = 1e-3  # a fidelity that no other layout mends
_WIDE = 5  # qubits from which a gate is cheaper with a spare qubit


@dataclass(frozen=True)
class Compilation:
    """How circuits are compiled for a device.

    Attributes:
        level: Qiskit's optimisation level, 0 to 3.
        seeds: How many layouts are tried; the one with the best forecast is kept.
    """

    level: int = LEVEL
    seeds: int = SEEDS


@dataclass(frozen=True)
class PartPlan:
    """One circuit, compiled.

    Attributes:
        part: What it is.
        native: The circuit for the device.
        forecast: What to expect.
        initial_layout: For each qubit of the part the physical qubit that it starts on.
        final_layout: The same at the end.
        seed: Of the compilation that was kept.
        spares: Idle qubits that the compiler was lent as clean ancillas.
    """

    part: Part
    native: QuantumCircuit
    forecast: Forecast
    initial_layout: tuple[int, ...]
    final_layout: tuple[int, ...]
    seed: int | None
    spares: int = 0

    def as_dict(self) -> dict[str, Any]:
        """What a job record keeps of it."""
        circuit = self.part.circuit
        measured = circuit.final_measurements()
        return {
            "name": self.part.name,
            "hash": circuit_hash(self.native),
            "bits": [measured.get(b) for b in range(circuit.num_bits)],
            "ancillas": list(circuit.ancillas),
            "initial_layout": list(self.initial_layout),
            "final_layout": list(self.final_layout),
            "groups": [list(group) for group in self.part.groups],
            "right": sorted(self.part.answer.right),
            "seed": self.seed,
            "spares": self.spares,
            "forecast": self.forecast.as_dict(),
        }


@dataclass(frozen=True)
class Plan:
    """A task for a device.

    Attributes:
        task: What is to be run.
        device: Where.
        options: How.
        parts: Its circuits.
        tried: Forecasts by number of iterations, where the number was chosen here.
        request: Hash of what was asked for, before anything was chosen by calibration, queue or
            chance; empty if it was this plan.
    """

    task: Task
    device: Device
    options: RunOptions
    parts: tuple[PartPlan, ...]
    tried: Mapping[int, Forecast] = field(default_factory=dict)
    request: str = ""

    @property
    def verdict(self) -> Verdict:
        """The worst of the parts' verdicts."""
        return max((p.forecast.verdict for p in self.parts), key=_ORDER.index)

    @property
    def reason(self) -> str:
        """Why, from the part that decides."""
        return next(p.forecast.reason for p in self.parts if p.forecast.verdict == self.verdict)

    @property
    def seconds(self) -> float:
        """Device seconds of all parts, without the service's own overhead."""
        return sum(p.forecast.seconds for p in self.parts)

    @property
    def too_long(self) -> str:
        """Why the service would end the job before its end; empty if it would not."""
        limit = self.options.max_seconds
        if limit is None or self.seconds <= limit:
            return ""
        return (
            f"it needs about {self.seconds:.0f} device seconds, and the service ends it after "
            f"{limit}, charged and without a result"
        )

    @property
    def enough_seconds(self) -> int:
        """A limit that leaves some room."""
        return math.ceil(1.25 * self.seconds)

    @property
    def circuits(self) -> list[QuantumCircuit]:
        """What is sent."""
        return [p.native for p in self.parts]

    @property
    def fingerprint(self) -> str:
        """Equal for the same circuits, device and options, however they are compiled."""
        options = self.options.as_dict()
        del options["seed"]  # which a device has no use for
        what = {
            "device": self.device.name,
            "options": options,
            "circuits": [neutral_hash(p.part.circuit) for p in self.parts],
            "task": dict(self.task.decoding),
        }
        return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, without the circuits."""
        return {
            "task": self.task.title,
            "device": self.device.name,
            "verdict": self.verdict,
            "reason": self.reason,
            "shots": self.options.shots,
            "seconds": self.seconds,
            "max_seconds": self.options.max_seconds,
            "too_long": self.too_long,
            "tried": {str(k): f.success for k, f in self.tried.items()},
            "notes": list(self.device.notes),
            "parts": [
                {"name": p.part.name, "layout": list(p.initial_layout), **p.forecast.as_dict()}
                for p in self.parts
            ],
        }


_ORDER: tuple[Verdict, ...] = ("go", "warn", "refuse")


def make_plan(
    task: Task, device: Device, options: RunOptions, compilation: Compilation | None = None
) -> Plan:
    """Compiles every part of a task, with several layouts each, and keeps the best.

    Raises:
        TooLargeError: If the device has too few qubits.
        NotIsaError: If a compiled circuit is not one that the device runs.
    """
    how = compilation or Compilation()
    for part in task.parts:
        require_room(part.circuit, device)
    parts = tuple(_best(part, device, options.shots, how) for part in task.parts)
    plan = Plan(task, device, options, parts)
    require_isa(plan.circuits, device)
    return plan


def plan_iterations(
    build: Callable[[int], Task],
    ideal: Callable[[int], float],
    most: int,
    device: Device,
    options: RunOptions,
    compilation: Compilation | None = None,
) -> dict[int, Plan]:
    """Plans for several numbers of iterations, the one with the best forecast last.

    Noise makes the best number smaller than the ideal one. Up to :data:`ALL_TRIED` iterations
    are all compiled. Beyond, the fidelity that one more iteration costs is taken from the first
    two, and only the number that this favours is compiled, with its neighbours.

    Args:
        build: Makes the task for a number of iterations.
        ideal: The success probability of a number of iterations without noise.
        most: The best number without noise.
        device: Where.
        options: How it is run.
        compilation: How it is compiled.
    """
    plans: dict[int, Plan] = {}

    def compile_(numbers: Iterable[int]) -> None:
        for number in numbers:
            if number not in plans:
                plans[number] = make_plan(build(number), device, options, compilation)

    if most <= ALL_TRIED:
        compile_(range(1, most + 1))
    else:
        compile_((1, 2))
        first, second = (plans[k].parts[0].forecast.fidelity for k in (1, 2))
        if second > _HOPELESS:
            ratio = min(1.0, second / first)
            favoured = max(range(1, most + 1), key=lambda k: first * ratio ** (k - 1) * ideal(k))
            compile_(range(max(1, favoured - 1), min(most, favoured + 1) + 1))
    return dict(sorted(plans.items(), key=lambda item: item[1].parts[0].forecast.success))


ALL_TRIED = 4


def _best(part: Part, device: Device, shots: int, how: Compilation) -> PartPlan:
    best: PartPlan | None = None
    for spares, seed in _attempts(part, device, how):
        plan = _compile(part, device, shots, how.level, seed, spares)
        if best is None or plan.forecast.success > best.forecast.success:
            best = plan
        if best.forecast.fidelity < _HOPELESS:
            break
    assert best is not None  # there is at least one attempt
    return best


def _attempts(part: Part, device: Device, how: Compilation) -> Iterator[tuple[int, int]]:
    """Spare qubits and seeds, most promising first."""
    free = device.num_qubits - part.circuit.num_qubits
    wide = any(len(op.qubits) >= _WIDE for op in part.circuit.flat() if hasattr(op, "gate"))
    spares = [n for n in (1, 0, 2) if n <= free] if wide else [0]
    for seed in range(max(1, how.seeds)):
        for number in spares:
            yield number, seed


def _compile(
    part: Part, device: Device, shots: int, level: int, seed: int, spares: int
) -> PartPlan:
    native, initial, final = compile_circuit(part.circuit, device, level, seed, spares)
    expected = forecast(native, device, part.ideal, part.answer, shots)
    return PartPlan(part, native, expected, initial, final, seed, spares)


def neutral_hash(circuit: Circuit) -> str:
    """Equal for the same circuit, before it is compiled."""
    digest = hashlib.sha256(f"{circuit.num_qubits} {circuit.num_bits}".encode())
    for op in circuit.flat():
        digest.update(type(op).__name__.encode())
        if isinstance(op, Apply) and isinstance(op.gate, Phases):
            digest.update(op.gate.table().tobytes())
            digest.update(repr((op.targets, op.controls, op.values)).encode())
        else:
            digest.update(repr(op).encode())
    return digest.hexdigest()
