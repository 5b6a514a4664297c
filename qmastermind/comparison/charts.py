"""Charts of a comparison: bars of one block, and growth with the number of qubits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from qmastermind.comparison.cells import OURS, Row, in_sizes
from qmastermind.comparison.tables import blocks, label, title
from qmastermind.plotting import figure, save

PALETTE = {
    OURS: "#1b6e53",
    "qiskit": "#6929c4",
    "cirq": "#d97706",
    "pennylane": "#c2185b",
    "tket": "#1565c0",
    "fake": "#0f172a",
}
_OTHER = "#667085"
_FIT_FROM = 6  # qubits; smaller circuits do not show how they grow
_WIDE = 30  # ratio of bars beyond which their axis is logarithmic


class Point(NamedTuple):
    """One size of a circuit, and whether what was compiled is proved equivalent."""

    qubits: int
    depth: float
    proved: bool


Series: TypeAlias = Mapping[str, Mapping[str, Sequence[Point]]]
"""By circuit, then by compiler."""


def colour_of(backend: str) -> str:
    """The colour of a compiler in all charts."""
    return PALETTE.get(backend.partition(":")[0], _OTHER)


def scaling_series(rows: Sequence[Row]) -> Series:
    """Two-qubit depth by number of qubits, for circuits whose names end in their size.

    Empty unless a circuit occurs at three sizes.
    """
    found: dict[str, dict[str, list[Point]]] = {}
    for row in rows:
        sized = in_sizes(row.circuit)
        if sized and row.figures and row.equivalent is not False:
            series = found.setdefault(sized[0], {}).setdefault(label(row), [])
            series.append(Point(sized[1], row.figures["two_qubit_depth"], row.ranked))
    for lines in found.values():
        for points in lines.values():
            points.sort()
    sizes = {p.qubits for lines in found.values() for points in lines.values() for p in points}
    return found if len(sizes) >= 3 else {}


def exponent(points: Sequence[Point]) -> float | None:
    """The k of depth ~ n^k by least squares of the logarithms, from 6 qubits on."""
    usable = [(math.log(p.qubits), math.log(p.depth)) for p in points
              if p.depth > 0 and p.qubits >= _FIT_FROM]  # fmt: skip
    if len(usable) < 2:
        return None
    mean_x, mean_y = (sum(values) / len(usable) for values in zip(*usable, strict=True))
    spread: float = sum((x - mean_x) ** 2 for x, _ in usable)
    slope: float = sum((x - mean_x) * (y - mean_y) for x, y in usable) / spread
    return slope


def plot(rows: Sequence[Row], path: Path) -> None:
    """Writes the scaling plot, or bars of every block.

    Raises:
        MissingDependencyError: Without matplotlib.
        OSError: If the file cannot be written.
    """
    scaling = scaling_series(rows)
    save(scaling_figure(scaling) if scaling else bar_figure(rows), path)


def bar_figure(rows: Sequence[Row]) -> Any:
    """Two-qubit depth and two-qubit gates of what is ranked, a line of panels a block."""
    shown = {
        block: ranked
        for block, members in blocks(rows).items()
        if (ranked := [row for row in members if row.ranked])
    }
    heights = [0.9 + 0.27 * len(members) for members in shown.values()]
    fig = figure(10.0, 0.3 + sum(heights) if shown else 1.0)
    if not shown:
        fig.text(0.5, 0.5, "no row was shown equivalent", ha="center")
        return fig
    panels = fig.subplots(len(shown), 2, squeeze=False, height_ratios=heights)
    for (left, right), (block, members) in zip(panels, shown.items(), strict=True):
        heading = f"{title(block)}\n" if len(shown) > 1 else ""
        keys = ("two_qubit_depth", "two_qubit_gates")
        if not any(row.figures[key] for row in members for key in keys):
            keys = ("depth", "one_qubit_gates")
        logarithmic = any(_is_wide(members, key) for key in keys)
        note = ", logarithmic" if logarithmic else ""
        for axes, key in zip((left, right), keys, strict=True):
            _bars(axes, members, key, logarithmic)
            name = key.replace("two_qubit", "two-qubit").replace("one_qubit", "one-qubit")
            above = heading if axes is left else ""
            axes.set_title(f"{above}{name.replace('_', ' ')}{note}", fontsize=10, loc="left")
        left.set_yticks(range(len(members)), [label(row) for row in members])
        right.set_yticks([])
    return fig


def _is_wide(members: Sequence[Row], key: str) -> bool:
    values = [row.figures[key] for row in members]
    return min(values) > 0 and max(values) > _WIDE * min(values)


def _bars(axes: Any, members: Sequence[Row], key: str, logarithmic: bool) -> None:
    values = [row.figures[key] for row in members]
    colours = [colour_of(row.backend) for row in members]
    bars = axes.barh(range(len(values)), values, color=colours, height=0.72)
    low, high = min(values), max(values)
    if logarithmic and low > 0:
        axes.set_xscale("log")
        axes.set_xlim(low / 2, high * 3)
    else:
        axes.set_xlim(0, max(1.0, 1.15 * high))
    for row, bar in zip(members, bars, strict=True):
        if row.lowering == "framework":
            bar.set_alpha(0.55)
    axes.bar_label(bars, fmt="%g", padding=3, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.margins(y=0.01)
    axes.invert_yaxis()


def scaling_figure(series: Series) -> Any:
    """Depth against qubits on logarithmic axes, where a power of n is a straight line."""
    from matplotlib.ticker import NullLocator, ScalarFormatter

    fig = figure(11.0, 5.6)
    panels = fig.subplots(1, len(series), squeeze=False, sharey=True)[0]
    for axes, (circuit, lines) in zip(panels, series.items(), strict=True):
        for name, points in sorted(lines.items()):
            _line(axes, name, [p for p in points if p.depth > 0])
        sizes = sorted({p.qubits for points in lines.values() for p in points})
        axes.set(xscale="log", yscale="log", xlabel="qubits")
        axes.set_xticks(sizes)
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_title(f"{circuit}: two-qubit depth", loc="left", fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(fontsize=7.5, frameon=False, loc="upper left")
    fig.supxlabel(
        f"solid: the framework's own lowering; dashed: ours; hollow: not proved; n^k fitted from "
        f"{_FIT_FROM} qubits on",
        fontsize=8,
    )
    return fig


def _line(axes: Any, name: str, points: Sequence[Point]) -> None:
    colour = colour_of(name.split()[0].rstrip(","))
    dashed = "our lowering" in name
    k = exponent(points)
    axes.plot(
        [p.qubits for p in points],
        [p.depth for p in points],
        "--" if dashed else "-",
        color=colour,
        lw=1.2 if dashed else 1.7,
        marker="o",
        ms=4,
        markerfacecolor="white",
        label=name if k is None else f"{name}: n^{k:.1f}",
    )
    proved = [p for p in points if p.proved]
    axes.plot(
        [p.qubits for p in proved],
        [p.depth for p in proved],
        "o",
        color=colour,
        ms=4,
    )
