"""How circuits that are compared in several sizes grow."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from typing import TypeAlias

from qmastermind.comparison.cells import Row, in_sizes
from qmastermind.comparison.tables import label

FIT_FROM = 6
"""Qubits from which on a power is fitted; smaller circuits do not show how they grow."""

Series: TypeAlias = tuple[str, str, tuple[str, ...]]
"""Kind of circuit, kind of target and basis."""


def in_growth(rows: Sequence[Row]) -> dict[Series, dict[str, list[Row]]]:
    """What is compared in at least three sizes, by compiler, the smallest first.

    Rows that were shown to differ from their circuits are left out.
    """
    found: dict[Series, dict[str, list[Row]]] = {}
    for row in rows:
        sized = in_sizes(row.circuit)
        if sized and row.figures and row.equivalent is not False:
            target = re.sub(r"-\d+(x\d+)?$", "", row.target)  # a line is as long as it has to be
            series = found.setdefault((sized[0], target, row.basis), {})
            series.setdefault(label(row), []).append(row)
    for lines in found.values():
        for members in lines.values():
            members.sort(key=size_of)
    return {
        series: lines
        for series, lines in found.items()
        if len({size_of(row) for members in lines.values() for row in members}) >= 3
    }


def size_of(row: Row) -> int:
    """The size of a row's circuit, by its name."""
    sized = in_sizes(row.circuit)
    return sized[1] if sized else 0


def exponent(points: Sequence[tuple[int, float]]) -> float | None:
    """The k of depth ~ n^k by least squares of the logarithms, from 6 qubits."""
    usable = [(math.log(n), math.log(depth)) for n, depth in points if depth > 0 and n >= FIT_FROM]
    if len(usable) < 2:
        return None
    return statistics.linear_regression(*zip(*usable, strict=True)).slope
