"""The chi-squared test of counts against an exact distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

_MIN_EXPECTED = 20.0
"""Rarer outcomes are counted together. At the usual 5 the far tail, which matters here, is several
times heavier than that of the chi-squared distribution."""


def chi_squared_p_value(counts: Mapping[str, int], probabilities: NDArray[np.float64]) -> float:
    """How likely counts at least this far off are, if the probabilities are right.

    Pearson's test. Outcomes that are expected less than twenty times are taken together.

    Args:
        counts: Bitstrings with how often they were seen.
        probabilities: Shape ``(2**num_bits,)``, bit 0 most significant.

    Returns:
        The p-value; 0 if something was seen that cannot happen.
    """
    seen = np.zeros(probabilities.shape)
    for bitstring, number in counts.items():
        seen[int("0" + bitstring, 2)] += number
    if np.any(seen[probabilities < 1e-12] > 0):
        return 0.0
    expected = probabilities * seen.sum()
    rare = expected < _MIN_EXPECTED
    observed = [*seen[~rare], seen[rare].sum()]
    predicted = [*expected[~rare], expected[rare].sum()]
    if predicted[-1] < _MIN_EXPECTED:
        # too few to stand alone: they join the rarest of the others
        last, number = predicted.pop(), observed.pop()
        if predicted:
            i = int(np.argmin(predicted))
            predicted[i] += last
            observed[i] += number
    statistic = sum((o - e) ** 2 / e for o, e in zip(observed, predicted, strict=True))
    return chi_squared_tail(statistic, len(predicted) - 1)


def chi_squared_tail(statistic: float, degrees: int) -> float:
    """The probability that a chi-squared variable of ``degrees`` degrees exceeds ``statistic``.

    The finite sums for whole and half numbers, Abramowitz and Stegun 26.4.4 and 26.4.5.
    """
    if degrees < 1:
        return 1.0
    half = statistic / 2
    if half <= 0:
        return 1.0
    odd = degrees % 2
    tail = math.erfc(math.sqrt(half)) if odd else 0.0
    for k in range(degrees // 2):
        order = k + odd / 2
        tail += math.exp(order * math.log(half) - half - math.lgamma(order + 1))
    return min(tail, 1.0)
