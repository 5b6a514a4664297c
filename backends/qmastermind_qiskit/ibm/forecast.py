"""Forecasts: how often a compiled circuit will give the right answer on a device.

The model. What survives in each component of a circuit is its process fidelity F, see
:mod:`~qmastermind_qiskit.ibm.fidelity`. Some errors do not show in the answer, so the state is
taken to be ideal with weight F^(1 - HARMLESS) and completely mixed otherwise, and every measured
bit is flipped as the device's readout of 0 and of 1 is calibrated.

Gate fidelities multiply into a process fidelity only as an estimate; the benchmark
``benchmarks/forecast.py`` shows how near it comes to a simulation. Both leave out what calibration
does not show, so a forecast is an optimistic bound for hardware.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from qmastermind.errors import UsageError
from qmastermind.results import Distribution, Factor
from qmastermind_qiskit.ibm.fidelity import Component, read_rightly, survival
from qmastermind_qiskit.ibm.structure import measured_qubits

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from qiskit import QuantumCircuit

    from qmastermind_qiskit.ibm.device import Device

OPTIMISTIC = (
    "an optimistic bound: calibration data show no crosstalk, drift or leakage, "
    "so the device will do worse"
)
FAILURE = 1e-3  # probability that some rival leads after the shots that are called enough
HARMLESS = 0.08
"""Share of errors that leave the answer as it is.

Fitted to simulations of five devices, and kept because it holds on nine others with other
circuits: ``docs/decisions/0007-forecast-constant.md`` has the figures with and without it.
"""
LEAST_FIDELITY = 0.01
WARN_FACTOR = 10

Verdict: TypeAlias = Literal["go", "warn", "refuse"]
Groups: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Forecast:
    """What to expect of one circuit.

    Attributes:
        success: Probability that one shot gives a right answer; of a circuit that nobody can
            simulate, that nothing goes wrong in what is measured, readout included.
        ideal: The same without noise; None for a circuit that nobody can simulate.
        fidelity: Process fidelity of the worst component, readout left out.
        lead: Probability of the right value in the worst group of bits, less that of its
            nearest rival; None as ``ideal``.
        shots: Shots that were asked for.
        shots_needed: Shots after which the right answer leads in every group; None for never,
            and as ``ideal``.
        duration: Seconds of one shot, without the delay between shots.
        seconds: Device seconds for all shots, without the service's own overhead.
        two_qubit_gates: In the compiled circuit.
        depth: Of the compiled circuit, virtual rotations included.
        verdict: ``go``, ``warn`` (more shots are needed) or ``refuse``.
        reason: Why, in words.
    """

    success: float
    ideal: float | None
    fidelity: float
    lead: float | None
    shots: int
    shots_needed: int | None
    duration: float
    seconds: float
    two_qubit_gates: int
    depth: int
    verdict: Verdict
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON-ready values, with the warning that belongs to them."""
        return {**asdict(self), "meaning": OPTIMISTIC}


@dataclass(frozen=True)
class Answer:
    """What counts as right.

    Attributes:
        right: Right bitstrings, bit 0 leftmost.
        groups: Bits that are decided together, each group by its most frequent value.
        judged: Whether the verdict asks for the right answer to be the most frequent one.
    """

    right: frozenset[str]
    groups: Groups
    judged: bool = True

    @classmethod
    def whole(cls, right: Sequence[str]) -> Answer:
        """One group of all bits: the most frequent bitstring is the answer.

        Raises:
            UsageError: If no bitstring is right.
        """
        if not right:
            raise UsageError("a forecast needs at least one right answer")
        return cls(frozenset(right), (tuple(range(len(right[0]))),))


def forecast(
    circuit: QuantumCircuit,
    device: Device,
    ideal: Distribution | None,
    answer: Answer,
    shots: int,
) -> Forecast:
    """Forecasts a circuit that is compiled for the device.

    Args:
        circuit: In the device's gates and on its qubits, with final measurements.
        device: Its calibration.
        ideal: Distribution of the classical bits without noise; None if nobody can simulate it,
            and then fidelity and duration are all that is forecast.
        answer: What is right.
        shots: How many are planned.
    """
    parts, duration = _measured(circuit, device)
    fidelity = min(part.fidelity for part in parts)
    used = [q for part in parts for q in part.qubits]
    t2 = min(device.t1_t2(q)[1] for q in used)
    lead, needed = None, None
    if ideal is None:
        success = math.prod(part.fidelity for part in parts) * read_rightly(circuit, device)
    else:
        predicted = _predict(circuit, device, ideal, parts)
        success = sum(predicted.probability(x) for x in answer.right)
        lead, needed = _shots_needed(predicted, answer)
    verdict, reason = _noise_verdict(fidelity, duration, t2) or (
        _answer_verdict(needed, shots) if answer.judged else _unjudged(fidelity, ideal)
    )
    return Forecast(
        success=success,
        ideal=None if ideal is None else sum(ideal.probability(x) for x in answer.right),
        fidelity=fidelity,
        lead=lead,
        shots=shots,
        shots_needed=needed,
        duration=duration,
        seconds=shots * (duration + device.rep_delay),
        two_qubit_gates=sum(_is_entangling(i.operation, i.qubits) for i in circuit.data),
        depth=circuit.depth(lambda i: i.operation.name not in ("measure", "barrier")),
        verdict=verdict,
        reason=reason,
    )


def predicted_distribution(
    circuit: QuantumCircuit, device: Device, ideal: Distribution, harmless: float = HARMLESS
) -> Distribution:
    """The whole noisy distribution that the model expects; arguments as in :func:`forecast`."""
    return _predict(circuit, device, ideal, _measured(circuit, device)[0], harmless)


def _is_entangling(operation: Any, qubits: Sequence[Any]) -> bool:
    return len(qubits) > 1 and operation.name != "barrier"


def _measured(circuit: QuantumCircuit, device: Device) -> tuple[list[Component], float]:
    """The components that are measured; seconds of the whole circuit."""
    found, duration = survival(circuit, device)
    measured = [component for component in found if component.bits]
    if not measured:
        raise UsageError("a forecast needs a circuit that measures something")
    return measured, duration


def _predict(
    circuit: QuantumCircuit,
    device: Device,
    ideal: Distribution,
    parts: list[Component],
    harmless: float = HARMLESS,
) -> Distribution:
    where = measured_qubits(circuit)
    factors = []
    for component in parts:
        exact = _marginal(ideal, component.bits)
        weight = component.fidelity ** (1 - harmless)
        mixed = weight * exact + (1 - weight) / exact.size
        cube = mixed.reshape((2,) * len(component.bits))
        for axis, bit in enumerate(component.bits):
            readout = device.readout[where[bit]]
            if readout is None:
                continue
            one, zero = readout.one_for_zero, readout.zero_for_one
            confusion = np.array([[1 - one, zero], [one, 1 - zero]])
            cube = np.moveaxis(np.tensordot(confusion, cube, (1, axis)), 0, axis)
        factors.append(Factor(component.bits, np.ascontiguousarray(cube).reshape(-1)))
    for bit in set(range(ideal.num_bits)) - where.keys():  # nothing is measured into it
        factors.append(Factor((bit,), _marginal(ideal, (bit,))))
    return Distribution(ideal.num_bits, tuple(factors))


def _marginal(distribution: Distribution, bits: Sequence[int]) -> NDArray[np.float64]:
    """The joint distribution of some bits, shape ``(2**len(bits),)``, the first most significant.

    Factors that have none of the bits drop out, so that a product over many bits stays small.
    """
    joint, order = np.ones(1), list[int]()
    for factor in distribution.factors:
        kept = [b for b in factor.bits if b in bits]
        if not kept:
            continue
        cube = factor.probabilities.reshape((2,) * len(factor.bits))
        part = cube.sum(axis=tuple(i for i, b in enumerate(factor.bits) if b not in bits))
        joint = np.multiply.outer(joint, part.reshape(-1)).reshape(-1)
        order += kept
    axes = [order.index(b) for b in bits]
    return np.ascontiguousarray(joint.reshape((2,) * len(bits)).transpose(axes)).reshape(-1)


def _shots_needed(predicted: Distribution, answer: Answer) -> tuple[float, int | None]:
    """The smallest lead of any group, and shots after which all groups are decided rightly.

    A rival of probability q is at least as frequent as the right value of probability p after s
    shots with probability at most (1 - (sqrt p - sqrt q)^2)^s (Chernoff). Summed over all rivals
    of all groups, that has to be below :data:`FAILURE`.
    """
    lead, rate, rivals = 1.0, math.inf, 0
    for group in answer.groups:
        values = _marginal(predicted, group)
        right = sorted({int("".join(x[b] for b in group), 2) for x in answer.right})
        others = np.delete(values, right)
        if not others.size:
            continue
        p, q = float(values[right].max()), float(others.max())
        lead = min(lead, p - q)
        gap = max(0.0, math.sqrt(p) - math.sqrt(q)) ** 2
        rate = min(rate, -math.log1p(-gap) if gap < 1 else math.inf)
        rivals += others.size
    if not rivals:
        return lead, 1
    return lead, None if rate <= 0 else max(1, math.ceil(math.log(rivals / FAILURE) / rate))


def _noise_verdict(fidelity: float, duration: float, t2: float) -> tuple[Verdict, str] | None:
    """Refuses a circuit of which noise leaves nothing, whatever it is for."""
    if fidelity < LEAST_FIDELITY:
        return "refuse", (
            f"the circuit comes through without an error in {fidelity:.1e} of all shots: noise is "
            "all that is left"
        )
    if duration > t2:
        return "refuse", (
            f"the circuit takes {1e6 * duration:.0f} us, longer than the {1e6 * t2:.0f} us for "
            "which its worst qubit keeps its phase"
        )
    return None


def _answer_verdict(needed: int | None, shots: int) -> tuple[Verdict, str]:
    if needed is None:
        return "refuse", "a wrong answer is expected to be at least as frequent as the right one"
    stands_out = f"the right answer stands out after {needed:,} shot{'s' if needed > 1 else ''}"
    if needed > WARN_FACTOR * shots:
        return "refuse", f"{stands_out}, and {shots:,} are planned"
    if needed > shots:
        return "warn", f"{stands_out}; {shots:,} are few"
    return "go", stands_out


def _unjudged(fidelity: float, ideal: Distribution | None) -> tuple[Verdict, str]:
    through = f"the circuit comes through without an error in {fidelity:.2g} of all shots"
    if ideal is None:
        return "warn", f"{through}; it is too wide to simulate, so its answer is not forecast"
    return "go", through
