"""How a one-step rule scores the cuts that guesses make.

A guess cuts the codes still possible into parts, one for each answer, the winning answer like any
other. A rule looks at the part sizes ``n_i`` of every guess and names the guesses that are best.
Ties are not its business: see :mod:`qmastermind_classical.strategy`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from qmastermind.errors import UnknownNameError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIXED_POINT = 32


@dataclass(frozen=True)
class ScoreRule:
    """A rule.

    Attributes:
        name: Name on the command line.
        summary: What it does, one line.
        source: Who published it.
        best: Takes part sizes of shape ``(guesses, answers)``, dtype int32, returns the rows that
            reach the best score, in increasing order. None for the rule that takes the first
            code still possible and looks at no cut.
    """

    name: str
    summary: str
    source: str
    best: Callable[[NDArray[np.int32]], NDArray[np.intp]] | None


def smallest_largest_part(parts: NDArray[np.int32]) -> NDArray[np.intp]:
    """Fewest codes left in the worst case."""
    return _least(parts.max(axis=1))


def smallest_expected_part(parts: NDArray[np.int32]) -> NDArray[np.intp]:
    """Smallest sum of ``n_i ** 2``: fewest codes left on average."""
    return _least(np.square(parts, dtype=np.int64).sum(axis=1))


def most_parts(parts: NDArray[np.int32]) -> NDArray[np.intp]:
    """Most non-empty parts."""
    return _least(-np.count_nonzero(parts, axis=1))


def smallest_parts_in_order(parts: NDArray[np.int32]) -> NDArray[np.intp]:
    """Smallest largest part, then smallest second largest, and so on."""
    rows = np.arange(len(parts))
    ordered = -np.sort(-parts, axis=1)
    for column in range(parts.shape[1]):
        rows = rows[_least(ordered[rows, column])]
        if len(rows) == 1 or not ordered[rows[0], column]:
            break
    return rows


def largest_entropy(parts: NDArray[np.int32]) -> NDArray[np.intp]:
    """Largest entropy, that is smallest product of ``n_i ** n_i``, compared as exact integers.

    A sum of logarithms in fixed point, whose error is bounded, first leaves out what is certainly
    worse. It does not depend on the order of the parts, so cuts of equal sizes always tie.
    """
    logs = _fixed_point_logs(max(1, int(parts.max())).bit_length())
    score = np.zeros(len(parts), dtype=np.int64)
    for column in parts.T:
        score += logs[column]
    least = int(score.min())
    # Each of the summands is off by at most 1 and by 2**-50 of itself.
    margin = 2 * (parts.shape[1] + 1 + (least >> 48))
    rows = np.flatnonzero(score <= least + margin)
    ordered = np.sort(parts[rows], axis=1)
    if (ordered == ordered[0]).all():
        return rows
    cuts, which = np.unique(ordered, axis=0, return_inverse=True)
    products = [math.prod(n**n for n in cut.tolist() if n > 1) for cut in cuts]
    best = min(products)
    return rows[[products[i] == best for i in which.reshape(-1)]]


def float_entropy(
    log: Callable[[float], float], normalised: bool
) -> Callable[[NDArray[np.int32]], NDArray[np.intp]]:
    """Entropy as a float sum, the way it has been published, rounding errors included.

    Summed over the answers in increasing order (black, then white) in IEEE doubles. Cuts of equal
    part sizes may then come out different in the last bit, and ties are broken by that noise.

    Args:
        log: ``math.log`` or ``math.log2``.
        normalised: Whether to sum ``p log p`` with ``p = n_i / n``, or ``n_i log n_i``.
    """

    def best(parts: NDArray[np.int32]) -> NDArray[np.intp]:
        scale = int(parts[0].sum()) if normalised else 1
        sizes = np.unique(parts)
        terms = np.zeros(int(sizes[-1]) + 1)
        for size in sizes.tolist():
            terms[size] = (size / scale) * log(size / scale) if size else 0.0
        score = np.zeros(len(parts))
        for column in parts.T:
            score += terms[column]
        return _least(score)

    return best


def _least(score: NDArray[Any]) -> NDArray[np.intp]:
    return np.flatnonzero(score == score.min())


@lru_cache(maxsize=4)
def _fixed_point_logs(bit_length: int) -> NDArray[np.int64]:
    """``n log2 n`` for all n below ``2**bit_length``, rounded to 32 binary places."""
    n = np.arange(1 << bit_length, dtype=np.float64)
    n[0] = 1.0
    return np.rint(np.ldexp(n * np.log2(n), _FIXED_POINT)).astype(np.int64)


def _float_rule(form: str, source: str, log: Callable[[float], float]) -> ScoreRule:
    name = f"entropy-{form.replace(' ', '-')}"
    best = float_entropy(log, normalised=form.startswith("p"))
    return ScoreRule(name, f"largest entropy, in floats: {form}", source, best)


_RULES = (
    ScoreRule("simple", "the first code still possible", "Shapiro 1983", None),
    ScoreRule("minimax", "smallest largest part", "Knuth 1977", smallest_largest_part),
    ScoreRule("expected-size", "smallest expected part", "Irving 1979", smallest_expected_part),
    ScoreRule("entropy", "largest entropy, exact", "Neuwirth 1982", largest_entropy),
    ScoreRule("most-parts", "most non-empty parts", "Kooi 2005", most_parts),
    ScoreRule(
        "lexicographic",
        "smallest largest part, then smallest second largest, and so on",
        "fancidev, Mastermind Strategies 2012",
        smallest_parts_in_order,
    ),
    _float_rule("p ln p", "Kooi 2005", math.log),
    _float_rule("p log2 p", "Ville 2013", math.log2),
    _float_rule("n ln n", "float variant", math.log),
    _float_rule("n log2 n", "float variant", math.log2),
)

SCORE_RULES: dict[str, ScoreRule] = {rule.name: rule for rule in _RULES}
"""The rules by name."""


def get_score_rule(name: str) -> ScoreRule:
    """The rule of a name; ``knuth`` is another name of minimax.

    Raises:
        UnknownNameError: If there is none.
    """
    try:
        return SCORE_RULES["minimax" if name == "knuth" else name]
    except KeyError:
        raise UnknownNameError("strategy", name, (*SCORE_RULES, "knuth")) from None
