"""Grover's search over any oracle and any preparation, plain or exact.

With a share p of the prepared state marked and theta = asin(sqrt(p)), t iterations succeed with
probability sin^2((2 t + 1) theta) (Boyer, Brassard, Hoyer and Tapp, Fortschr. Phys. 46, 493
(1998), section 3). The exact version replaces both reflections by rotations of one matched phase,
so that the last iteration does not overshoot (Long, Phys. Rev. A 64, 022307 (2001)).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.oracle.base import Oracle
from qmastermind.validation import whole


@dataclass(frozen=True)
class GroverPlan:
    """How often to iterate, and with which phase.

    Attributes:
        iterations: Number of uses of the oracle.
        angle: Phase of oracle and diffuser, radians; pi for the plain search.
        success_probability: Of measuring a marked state, without noise.
        forecast: The same with noise, where a fidelity was given.
    """

    iterations: int
    angle: float
    success_probability: float
    forecast: float | None = None


Fidelity: TypeAlias = float | Callable[[int], float]
"""The share of runs that no error spoils: kept by each iteration, or as a function of their number.

A function is for the whole circuit with that many iterations, and must not rise with them.
"""


def success_probability(iterations: int, size: int, marked: int = 1) -> float:
    """sin^2((2 t + 1) asin(sqrt(M / N))) for t iterations, M marked of N prepared states."""
    theta = math.asin(math.sqrt(_share(size, marked)))
    return math.sin((2 * whole(iterations, "iterations", 0) + 1) * theta) ** 2


def plan(
    size: int,
    marked: int = 1,
    *,
    iterations: int | None = None,
    exact: bool = False,
    fidelity: Fidelity | None = None,
) -> GroverPlan:
    """Plans a search for ``marked`` of ``size`` equally prepared states.

    Args:
        size: Number N of prepared states.
        marked: Number M of those that are marked, 1 to N.
        iterations: Fixes the number; by default the best, ceil(pi / (4 theta)) - 1: of two that
            are as good, as 0 and 1 are where half is marked, the smaller.
        exact: Matches the phase so that the success probability is 1. The number of iterations
            is the smallest that can, or ``iterations`` if that is at least as large.
        fidelity: What noise leaves over. The best number of iterations is then the one with the
            highest forecast F p + (1 - F) M / N: the search succeeds with its probability p in
            the share F of runs, and a spoilt run ends anywhere.

    Raises:
        UsageError: If the numbers make no search, or fewer iterations than the exact search
            needs are asked for, or a fidelity is outside [0, 1].
    """
    return plan_from_share(
        _share(size, marked), iterations=iterations, exact=exact, fidelity=fidelity
    )


def plan_from_share(
    share: float,
    *,
    iterations: int | None = None,
    exact: bool = False,
    fidelity: Fidelity | None = None,
) -> GroverPlan:
    """Plans a search from any start state.

    What Grover's iteration does depends on the start only by the share of marked states in it;
    the formula with M / N holds for uniform starts alone.

    Args:
        share: Probability that the start state, measured at once, is a marked one, in (0, 1].
        iterations: As in :func:`plan`.
        exact: As in :func:`plan`.
        fidelity: As in :func:`plan`.

    Raises:
        UsageError: As :func:`plan`, or for a share outside (0, 1].
    """
    if not 0 < share <= 1:
        raise UsageError(f"the start must have a share of marked states in (0, 1], not {share}")
    theta = math.asin(math.sqrt(share))
    if iterations is not None:
        iterations = whole(iterations, "iterations", 0)
    if exact:
        if fidelity is not None:
            raise UsageError("the exact search has a number of iterations of its own: no fidelity")
        return _exact_plan(theta, iterations)
    best = math.ceil(math.pi / (4 * theta) - 1e-12) - 1 if iterations is None else iterations
    forecast = None
    if fidelity is not None:
        numbers = range(best + 1) if iterations is None else [best]
        best, forecast = _best_under_noise(theta, numbers, fidelity)
    return GroverPlan(best, math.pi, math.sin((2 * best + 1) * theta) ** 2, forecast)


def _exact_plan(theta: float, iterations: int | None) -> GroverPlan:
    least = math.ceil(math.pi / (4 * theta) - 0.5 - 1e-12)
    if iterations is not None and iterations < least:
        raise UsageError(f"the exact search needs at least {least} iterations, not {iterations}")
    number = least if iterations is None else iterations
    ratio = math.sin(math.pi / (4 * number + 2)) / math.sin(theta)
    return GroverPlan(number, 2 * math.asin(min(1.0, ratio)), 1.0)


def _best_under_noise(
    theta: float, numbers: Sequence[int], fidelity: Fidelity
) -> tuple[int, float]:
    """The number of iterations with the highest forecast, and that forecast.

    Stops where no larger number can do better, since fidelity only falls: each number may cost a
    compilation.
    """
    share = math.sin(theta) ** 2
    best, highest = 0, -1.0
    for number in numbers:
        kept = fidelity(number) if callable(fidelity) else fidelity**number
        if not 0 <= kept <= 1:
            raise UsageError(f"a fidelity must be between 0 and 1, not {kept}")
        success = kept * math.sin((2 * number + 1) * theta) ** 2 + (1 - kept) * share
        if success > highest:
            best, highest = number, success
        if kept + (1 - kept) * share <= highest:
            break
    return best, highest


def _share(size: int, marked: int) -> float:
    if not 1 <= whole(marked, "the number of marked states") <= whole(size, "the size", 1):
        raise UsageError(f"expected 1 to {size} marked states, not {marked}")
    return marked / check_space(size)


def check_space(size: int) -> int:
    """``size``, if shares of so many states are floats.

    Raises:
        UsageError: If it is below 1.
        TooLargeError: If it is 2^1000 or more.
    """
    bits = whole(size, "the number of states", 1).bit_length()
    if bits > 1000:
        raise TooLargeError(f"the space is too large to search: 2^{bits - 1} states")
    return size


def hadamards(num_qubits: int) -> Circuit:
    """Prepares the uniform superposition of all bitstrings."""
    builder = CircuitBuilder(Register("x", num_qubits))
    for qubit in range(num_qubits):
        builder.h(qubit)
    return builder.build()


def diffuser(start: Circuit, angle: float = math.pi) -> Circuit:
    """I - (1 - exp(i angle)) |s><s| for the state s that ``start`` prepares from |0>.

    At pi this is I - 2 |s><s|, the usual diffuser up to its sign. Data qubits as in ``start``.
    """
    width = len(start.data)
    builder = CircuitBuilder(Register("x", width))
    builder.compose(start.inverse())
    builder.phase_on(angle, range(width), [0] * width)
    builder.compose(start)
    return builder.build()


def iteration(oracle: Oracle, start: Circuit, angle: float = math.pi) -> Circuit:
    """One Grover iteration: the phase oracle, then the diffuser.

    The global phase is such that at pi it is exactly (2 |s><s| - I) times the oracle, which
    matters under control, for counting.
    """
    builder = CircuitBuilder(Register("x", oracle.num_bits))
    builder.compose(oracle.phase(angle))
    builder.append(diffuser(start, angle), label="diffuser")
    builder.global_phase += math.pi
    return builder.build()


def grover(oracle: Oracle, start: Circuit | None = None, *, plan: GroverPlan) -> Circuit:
    """The whole search without measurement: preparation, then the planned iterations.

    Args:
        oracle: What is searched for.
        start: Prepares the search space from |0>; default Hadamards on all bits.
        plan: From :func:`plan`.

    Raises:
        UsageError: If ``start`` prepares another number of bits than the oracle reads.
    """
    begin = hadamards(oracle.num_bits) if start is None else start
    if len(begin.data) != oracle.num_bits:
        raise UsageError(
            f"the start has {len(begin.data)} data qubits, the oracle reads {oracle.num_bits}"
        )
    builder = CircuitBuilder(Register("x", oracle.num_bits))
    builder.compose(begin)
    builder.append(
        iteration(oracle, begin, plan.angle), repetitions=plan.iterations, label="Grover iteration"
    )
    return builder.build()
