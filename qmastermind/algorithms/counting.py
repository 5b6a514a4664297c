"""How many solutions an oracle has: amplitude estimation, by phase and iterative."""

from __future__ import annotations

import math
from dataclasses import dataclass

from qmastermind.algorithms.grover import GroverPlan, check_space, grover, iteration
from qmastermind.backend import Backend
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import UsageError
from qmastermind.oracle.base import Oracle
from qmastermind.validation import check_seed, whole


@dataclass(frozen=True)
class Estimate:
    """An estimated number of solutions.

    Attributes:
        count: Best estimate.
        low: Lower end of the confidence interval, which it includes.
        high: Upper end, likewise.
        confidence: Probability that the interval covers the true count, at least.
        queries: Uses of the oracle, each circuit times its shots.
    """

    count: float
    low: float
    high: float
    confidence: float
    queries: int


def inverse_fourier(num_qubits: int) -> Circuit:
    """The inverse quantum Fourier transform, first qubit most significant, register ``y``."""
    builder = CircuitBuilder(Register("y", num_qubits))
    for i in range(num_qubits // 2):
        builder.swap(i, num_qubits - 1 - i)
    for target in reversed(range(num_qubits)):
        for control in reversed(range(target + 1, num_qubits)):
            builder.p(-math.pi / 2 ** (control - target), target, [control])
        builder.h(target)
    return builder.build()


def phase_estimation(oracle: Oracle, precision: int) -> Circuit:
    """Estimates the angle of the Grover operator with ``precision`` qubits, measured.

    Outcome y, read as an integer, means about N sin^2(pi y / 2^t) solutions. Cost: 2^t - 1
    controlled iterations. Source: Brassard, Hoyer, Mosca and Tapp, Contemp. Math. 305, 53 (2002),
    section 4.
    """
    whole(precision, "the number of qubits of precision", 1)
    start = oracle.variables.prepare()
    step = iteration(oracle, start).controlled(1)
    builder = CircuitBuilder(Register("y", precision), Register("x", oracle.num_bits))
    clock, data = builder.qubits("y"), builder.qubits("x")
    builder.compose(start, data)
    for qubit in clock:
        builder.h(qubit)
    for i, qubit in enumerate(clock):
        builder.append(step, (qubit, *data), repetitions=2 ** (precision - 1 - i), label="G")
    builder.append(inverse_fourier(precision), clock, label="inverse QFT")
    return builder.build().measured(clock)


def count_by_phase(
    oracle: Oracle, backend: Backend, precision: int, seed: int | None = None, repeats: int = 7
) -> Estimate:
    """Counts by phase estimation: the median of ``repeats`` runs.

    One run is within pi / 2^t of the angle theta of sin^2(theta) = M / N with probability at least
    8 / pi^2 (Brassard et al., theorem 11). If that holds for more than half of the runs, it holds
    for their median: that is the confidence. The interval is that of the counts, which are whole,
    so near to the median. Without noise; if there is no such count, nothing is known: 0 to N.

    Raises:
        UsageError: If ``precision`` or ``repeats`` is below 1.
        TooLargeError: If N is 2^1000 or more.
    """
    whole(repeats, "the number of repeats", 1)
    size = check_space(oracle.variables.num_assignments)
    counts = backend.run(phase_estimation(oracle, precision), repeats, seed).counts
    steps = 2**precision

    def share(step: int) -> float:
        return math.sin(math.pi * step / steps) ** 2

    # y and 2^t - y are the two signs of one angle
    runs = sorted(min(y := int(bits, 2), steps - y) for bits, n in counts.items() for _ in range(n))
    middle = runs[len(runs) // 2]
    low = math.ceil(size * share(max(0, middle - 1)))
    high = size if middle + 1 >= steps // 2 else math.floor(size * share(middle + 1))
    if low > high:
        low, high = 0, size
    nearest = min(max(size * share(middle), low), high)
    return Estimate(nearest, low, high, _most_are_right(len(runs)), len(runs) * (steps - 1))


def _most_are_right(runs: int) -> float:
    """Probability that more than half of the runs are right, each with 8 / pi^2."""
    right, wrong = math.log(8 / math.pi**2), math.log1p(-8 / math.pi**2)

    def exactly(k: int) -> float:
        ways = math.lgamma(runs + 1) - math.lgamma(k + 1) - math.lgamma(runs - k + 1)
        return math.exp(ways + k * right + (runs - k) * wrong)

    return min(1.0, math.fsum(exactly(k) for k in range(runs // 2 + 1, runs + 1)))


def count_iteratively(
    oracle: Oracle,
    backend: Backend,
    *,
    error: float = 0.5,
    confidence: float = 0.95,
    shots: int = 200,
    seed: int | None = None,
) -> Estimate:
    """Counts by iterative amplitude estimation: no Fourier transform, no controlled oracle.

    Keeps an interval for the angle theta of sin^2(theta) = M / N, and runs the number of
    iterations k for which (4 k + 2) theta stays in one half circle, so that the measured share
    narrows it. Source: Grinko, Gacon, Zoufal and Woerner, npj Quantum Inf. 7, 52 (2021),
    algorithm 1, with Chernoff-Hoeffding intervals.

    Args:
        oracle: Over at least one variable.
        backend: Runs the circuits.
        error: Half width of the interval for the count at which to stop.
        confidence: Of the interval, in (0, 1).
        shots: A circuit.
        seed: Makes the samples repeat.

    Raises:
        UsageError: If ``error`` is not positive or ``confidence`` not in (0, 1).
        TooLargeError: If N is 2^1000 or more.
    """
    if not error > 0 or not 0 < confidence < 1:
        raise UsageError("expected a positive error and a confidence between 0 and 1")
    check_seed(seed)
    whole(shots, "the number of shots", 1)
    size = check_space(oracle.variables.num_assignments)
    epsilon = min(0.5, error / size)
    alpha = 1 - confidence
    rounds = max(1, math.ceil(math.log2(math.pi / (8 * epsilon))))
    low, high = 0.0, 0.25  # theta in units of 2 pi
    start = oracle.variables.prepare()
    k, upper = 0, True
    hits = total = queries = 0
    number = 0
    while size * abs(_share(high) - _share(low)) > 2 * error:
        previous = k
        k, upper = _next_power(k, upper, low, high)
        if k != previous:
            hits = total = 0
        circuit = grover(oracle, start, plan=GroverPlan(k, math.pi, 0.0))
        number += 1
        shot_seed = None if seed is None else seed * 1_000_003 + number
        counts = backend.run(circuit.measured(range(oracle.num_bits)), shots, shot_seed).counts
        hits += sum(n for bits, n in counts.items() if _solves(oracle, bits))
        total += counts.shots
        queries += k * counts.shots
        radius = math.sqrt(math.log(2 * rounds / alpha) / (2 * total))
        share_low, share_high = max(0.0, hits / total - radius), min(1.0, hits / total + radius)
        angle_low = math.acos(1 - 2 * share_low) / (2 * math.pi)
        angle_high = math.acos(1 - 2 * share_high) / (2 * math.pi)
        if not upper:
            angle_low, angle_high = 1 - angle_high, 1 - angle_low
        factor = 4 * k + 2
        turns = math.floor(factor * low)
        low = max(low, (turns + angle_low) / factor)
        high = min(high, (turns + angle_high) / factor)
        if low > high:  # the samples contradict the interval: a rare event of the stated risk
            low, high = high, low
    ends = size * _share(low), size * _share(high)
    return Estimate(sum(ends) / 2, *ends, confidence, queries)


def _share(turn: float) -> float:
    return math.sin(2 * math.pi * turn) ** 2


def _solves(oracle: Oracle, bits: str) -> bool:
    return oracle.variables.decode(bits) is not None and oracle.marks(bits)


def _next_power(k: int, upper: bool, low: float, high: float) -> tuple[int, bool]:
    """The largest iteration count, at least twice the last, that keeps the angle in one half."""
    factor = 4 * k + 2
    largest = int(1 / (2 * (high - low))) if high > low else factor
    candidate = largest - (largest - 2) % 4
    while candidate >= 2 * factor:
        start, end = candidate * low % 1, candidate * high % 1
        if start <= end <= 0.5:
            return (candidate - 2) // 4, True
        if 0.5 <= start <= end:
            return (candidate - 2) // 4, False
        candidate -= 4
    return k, upper
