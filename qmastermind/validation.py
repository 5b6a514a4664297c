"""Checks of arguments at the public boundary, so that misuse ends in an error of ours."""

from __future__ import annotations

import operator

from qmastermind.errors import UsageError


def whole(value: object, what: str, least: int | None = None) -> int:
    """``value`` as an int.

    Args:
        value: An int, or what counts as one, such as numpy's integers.
        what: How messages call it.
        least: The smallest allowed value.

    Raises:
        UsageError: If it is no whole number, or below ``least``.
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise UsageError(f"{what} must be a whole number, not {value!r}") from None
    if least is not None and number < least:
        raise UsageError(f"{what} must be at least {least}, not {number}")
    return number


def check_seed(seed: object) -> int | None:
    """``seed``, if it is None or a whole number of 0 or more.

    Raises:
        UsageError: If it is neither.
    """
    return None if seed is None else whole(seed, "seed", 0)


def narrow_seed(seed: int | None) -> int | None:
    """A seed that every framework takes: below 2**32, the same for equal seeds.

    Cirq's and numpy's older generators fail above that, and Aer above 2**63.
    """
    if seed is None or seed < 2**32:
        return seed
    import numpy as np

    return int(np.random.SeedSequence(seed).generate_state(1)[0])


def check_level(level: object) -> int:
    """``level``, if it is an optimisation level, 0 to 3.

    Raises:
        UsageError: If it is not.
    """
    if level not in (0, 1, 2, 3):
        raise UsageError(f"the optimisation level is 0, 1, 2 or 3, not {level!r}")
    return whole(level, "optimisation level")


def check_tolerance(tolerance: float) -> float:
    """``tolerance``, if it is a distance above 0 and below 1.

    Raises:
        UsageError: If it is not.
    """
    if not 0 < tolerance < 1:
        raise UsageError(f"the tolerance is a distance between 0 and 1, not {tolerance:g}")
    return tolerance
