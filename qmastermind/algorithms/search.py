"""Searching with any oracle: known, unknown or all solutions; candidates are checked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from qmastermind.algorithms.grover import Fidelity, GroverPlan, check_space, grover
from qmastermind.algorithms.grover import plan as plan_search
from qmastermind.backend import Backend
from qmastermind.circuit import Circuit
from qmastermind.errors import UsageError
from qmastermind.oracle.algebra import ExpressionOracle, exactly_one
from qmastermind.oracle.base import Oracle
from qmastermind.oracle.expression import Constant
from qmastermind.oracle.table import TableOracle
from qmastermind.results import Counts
from qmastermind.validation import check_seed, whole

GROWTH = 6 / 5
"""Factor by which the range of the number of iterations grows after a miss."""

MISS = 3 / 4
"""Bound on the chance to miss with a number of iterations drawn below sqrt(N), if M > 0.

The mean of sin^2((2 j + 1) theta) over j < m is 1/2 - sin(4 m theta) / (4 m sin(2 theta)), which
is 1/4 or more if m sin(2 theta) >= 1, as it is for m >= sqrt(N) and M <= N / 2, and for every m
if M >= N / 2.
"""


@dataclass(frozen=True)
class Found:
    """What a search ended with.

    Attributes:
        bits: The solution as a bitstring, checked classically, or None.
        assignment: The same by variable.
        iterations: Uses of the oracle in all circuits together.
        circuits: Number of circuits run.
        failure_bound: If nothing was found, a bound on the probability of that with a solution
            there; 0 where the oracle is known to mark nothing. It assumes that there is no noise
            beyond a fidelity given, and, from :func:`search_known`, that the number of solutions
            given is right.
    """

    bits: str | None
    assignment: dict[str, int] = field(default_factory=dict)
    iterations: int = 0
    circuits: int = 0
    failure_bound: float = 0.0


@dataclass(frozen=True)
class Schedule:
    """One run of the search for an unknown number of solutions.

    Attributes:
        hit: Whether a candidate passed.
        iterations: Grover iterations in all.
        checks: Candidates sampled and checked.
    """

    hit: bool
    iterations: int
    checks: int


def unknown_schedule(
    size: int, attempt: Callable[[int], bool], rng: np.random.Generator, misses: int
) -> Schedule:
    """Searches without knowing how many of ``size`` states are marked.

    The number of iterations is drawn from a range that grows after each miss up to sqrt(size)
    (Boyer, Brassard, Hoyer and Tapp, Fortschr. Phys. 46, 493 (1998), section 4). Expected
    iterations: at most 4.5 sqrt(size / M) with M marked; with none about
    (misses / 2 + 2.5) sqrt(size).

    Args:
        size: Number of prepared states.
        attempt: Runs that many iterations, measures, and checks.
        rng: Draws the numbers.
        misses: Gives up after so many with the whole range, each of a chance of at most
            :data:`MISS` if anything is marked.

    Raises:
        UsageError: If ``size`` or ``misses`` is below 1.
        TooLargeError: If ``size`` is 2^1000 or more.
    """
    widest = math.sqrt(check_space(size))
    left = whole(misses, "the number of misses", 1)
    width, spent, checks = 1.0, 0, 0
    while left:
        number = int(rng.integers(math.ceil(width)))
        checks += 1
        spent += number
        if attempt(number):
            return Schedule(True, spent, checks)
        left -= width == widest
        width = min(GROWTH * width, widest)
    return Schedule(False, spent, checks)


def search_unknown(
    oracle: Oracle, backend: Backend, seed: int | None = None, failure_bound: float = 1e-3
) -> Found:
    """Finds a solution, or says that there is none up to a bounded error.

    A number of iterations drawn below sqrt(N) misses with probability at most 3/4 if there is any
    solution (Boyer et al., lemma 2): the search gives up when that power of 3/4 is below
    ``failure_bound``, by default after about 15 sqrt(N) iterations. That holds without noise; what
    is found is checked in any case. An oracle that is false in itself is not searched.

    Args:
        oracle: Over at least one variable.
        backend: Runs one circuit a candidate, one shot each.
        seed: Makes the whole search repeat.
        failure_bound: Accepted probability of missing a solution, in (0, 1).

    Raises:
        UsageError: If the bound is not in (0, 1).
        TooLargeError: If N is 2^1000 or more.
    """
    check_seed(seed)
    if not 0 < failure_bound < 1:
        raise UsageError(f"the failure bound must be between 0 and 1, not {failure_bound}")
    if marks_nothing(oracle):
        return Found(None)
    rng = np.random.default_rng(seed)
    start = oracle.variables.prepare()
    size = oracle.variables.num_assignments
    hits: list[str] = []

    @cache
    def circuit(iterations: int) -> Circuit:
        search = grover(oracle, start, plan=GroverPlan(iterations, math.pi, 0.0))
        return search.measured(range(oracle.num_bits))

    def attempt(iterations: int) -> bool:
        shot = backend.run(circuit(iterations), 1, int(rng.integers(2**31)))
        bits = next(iter(shot.counts))
        if oracle.variables.decode(bits) is not None and oracle.marks(bits):
            hits.append(bits)
        return bool(hits)

    misses = math.ceil(math.log(failure_bound) / math.log(MISS))
    run = unknown_schedule(size, attempt, rng, misses)
    if not run.hit:
        return Found(None, {}, run.iterations, run.checks, MISS**misses)
    assignment = oracle.variables.decode(hits[0]) or {}
    return Found(hits[0], assignment, run.iterations, run.checks)


def search_known(
    oracle: Oracle,
    backend: Backend,
    marked: int,
    *,
    exact: bool = False,
    iterations: int | None = None,
    fidelity: Fidelity | None = None,
    start: Circuit | None = None,
    shots: int = 1024,
    seed: int | None = None,
) -> Found:
    """Finds a solution when the number of solutions is known.

    One circuit; its outcomes are checked from the most frequent down to the first that passes.

    Args:
        oracle: Over at least one variable.
        backend: Runs the circuit.
        marked: Number of solutions, at least 1.
        exact: Match the phase, so that every outcome is a solution.
        iterations: Fixes the number.
        fidelity: What noise leaves over, to choose the number by; see
            :func:`~qmastermind.algorithms.grover.plan`.
        start: Prepares another state than all assignments equally; needs ``iterations``, as the
            best number depends on the share of solutions in it:
            :func:`~qmastermind.algorithms.grover.plan_from_share`.
        shots: Number of samples.
        seed: Makes the samples repeat.

    Raises:
        UsageError: If ``marked`` is not between 1 and the number of assignments, or a start
            comes without a number of iterations.
    """
    if start is not None and (iterations is None or exact):
        raise UsageError(
            "the best number of iterations is known for uniform starts only: with a start of your "
            "own give iterations, for example those of plan_from_share"
        )
    size = oracle.variables.num_assignments
    search = plan_search(size, marked, iterations=iterations, exact=exact, fidelity=fidelity)
    circuit = grover(oracle, oracle.variables.prepare() if start is None else start, plan=search)
    counts = backend.run(circuit.measured(range(oracle.num_bits)), shots, seed).counts
    for bits, _ in counts.most_common():
        assignment = oracle.variables.decode(bits)
        if assignment is not None and oracle.marks(bits):
            return Found(bits, assignment, search.iterations, 1)
    if search.forecast is not None:
        hit = search.forecast
    elif start is not None:
        hit = 0.0  # nothing is known of the start, so nothing is bounded
    else:
        hit = search.success_probability
    return Found(None, {}, search.iterations, 1, (1 - hit) ** shots)


def sample(
    oracle: Oracle,
    backend: Backend,
    iterations: int,
    *,
    start: Circuit | None = None,
    shots: int = 1024,
    seed: int | None = None,
) -> Counts:
    """Runs a fixed number of iterations, and checks nothing.

    For oracles whose truth cannot be evaluated outside of the circuit, and for looking at the
    distribution itself; ``oracle.variables.decode`` reads the bitstrings. Arguments as in
    :func:`search_known`.
    """
    begin = oracle.variables.prepare() if start is None else start
    search = GroverPlan(whole(iterations, "iterations", 0), math.pi, 0.0)
    circuit = grover(oracle, begin, plan=search).measured(range(oracle.num_bits))
    return backend.run(circuit, shots, seed).counts


def search_all(
    oracle: Oracle, backend: Backend, seed: int | None = None, failure_bound: float = 1e-3
) -> list[Found]:
    """Finds every solution, each search excluding those found before.

    The solutions found are taken out of the oracle by a second phase, without an ancilla. The
    last element has no ``bits``: the search that found no more, with its failure bound.
    """
    check_seed(seed)
    found: list[Found] = []
    remaining = oracle
    seeds = np.random.default_rng(seed)
    while len(found) < oracle.variables.num_assignments:
        result = search_unknown(remaining, backend, int(seeds.integers(2**31)), failure_bound)
        found.append(result)
        if result.bits is None:
            return found
        known = [f.bits for f in found if f.bits is not None]
        remaining = exactly_one(oracle, TableOracle(known, oracle.variables))
    return [*found, Found(None)]  # there is nothing else


def marks_nothing(oracle: Oracle) -> bool:
    """Whether an oracle shows without being evaluated that it marks nothing."""
    if isinstance(oracle, ExpressionOracle):
        return oracle.expression == Constant(False)
    return isinstance(oracle, TableOracle) and oracle.num_marked == 0


def advice(size: int, marked: int) -> str | None:
    """What to do instead of Grover's search, where it does not pay; None where it does."""
    if marked == 0:
        return "nothing is marked: there is nothing to amplify"
    if marked >= size / 2:
        return (
            f"{marked} of {size} are marked: a sample of the prepared state is a solution with "
            f"probability {marked / size:.3f}, and plain iterations would lower it; sample, or "
            "search exactly"
        )
    return None
