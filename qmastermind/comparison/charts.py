"""Charts of a comparison: bars of a block, success on many devices, growth with the qubits.

Each is a panel that can stand alone, as on a page, or beside others, as in a plot.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from qmastermind.comparison.cells import OURS, Row
from qmastermind.comparison.growth import FIT_FROM, Series, exponent, in_growth, size_of
from qmastermind.comparison.tables import (
    HEADINGS,
    blocks,
    cells_of,
    decisive,
    label,
    ranking,
    title,
)
from qmastermind.plotting import figure, save

# Of middle lightness, to be seen on white and on black.
PALETTE = {
    OURS: "#1b8a66",
    "qiskit": "#8250df",
    "cirq": "#d97706",
    "pennylane": "#d6336c",
    "tket": "#1c7ed6",
    "fake": "#8d6e63",
}
INK, PAPER = "#000000", "#ffffff"  # what a dark page exchanges
_OTHER = "#667085"
_MARKERS = {0: "v", 1: "s", 2: "o", 3: "D"}  # by level
_SHAPES = ("triangles", "squares", "circles", "diamonds")
_OWN = "the device's own compiler"
_SEVERAL = 3  # devices from which on they share a plot
_WIDE = 30  # ratio of bars beyond which their axis is logarithmic
_WIDTH = 5.0  # inches

_BARS = "Full colour: our lowering of multi-controlled gates. Faded: the framework's own."
_DOTS = "Filled: our lowering of multi-controlled gates. Hollow: the framework's own."
_LINES = (
    "Solid: the framework's own lowering. Dashed: ours, where it differs from ours alone. "
    f"Hollow: not shown equivalent. n^k: fit from {FIT_FROM} qubits."
)
_SPREAD = " Thin lines: the least and the most over the seeds."


class Panel(NamedTuple):
    """A chart.

    Attributes:
        name: What it shows.
        height: In inches.
        draw: Draws it into axes.
        caption: What colours and lines mean.
    """

    name: str
    height: float
    draw: Callable[[Any], None]
    caption: str


def colour_of(backend: str) -> str:
    """The colour of a compiler in all charts."""
    return PALETTE.get(backend.partition(":")[0], _OTHER)


def plot(rows: Sequence[Row], path: Path) -> None:
    """Writes the overview, or bars of every block.

    Raises:
        MissingDependencyError: Without matplotlib.
        OSError: If the file cannot be written.
    """
    overview = overview_panels(rows)
    lines = [("", overview[i : i + 2]) for i in range(0, len(overview), 2)] or [
        (title(block), panels)
        for block, members in blocks(rows).items()
        if (panels := bar_panels(members))
    ]
    save(together(lines), path)


def together(lines: Sequence[tuple[str, Sequence[Panel]]]) -> Any:
    """Lines of panels, each below its heading."""
    if not lines:
        fig = figure(2.2 * _WIDTH, 1.0)
        fig.text(0.5, 0.5, "no row was shown equivalent", ha="center")
        return fig
    heights = [max(panel.height for panel in panels) + 0.3 for _, panels in lines]
    fig = figure(2.2 * _WIDTH, 0.3 + sum(heights))
    parts = fig.subfigures(len(lines), 1, squeeze=False, height_ratios=heights)[:, 0]
    for part, (heading, panels) in zip(parts, lines, strict=True):
        if heading:
            part.suptitle(heading, x=0.01, ha="left", fontsize=11, weight="bold")
        for axes, panel in zip(
            part.subplots(1, len(panels), squeeze=False)[0], panels, strict=True
        ):
            panel.draw(axes)
            axes.set_title(panel.name, loc="left", fontsize=10)
    captions = dict.fromkeys(panel.caption for _, panels in lines for panel in panels)
    caption = textwrap.fill(max(captions, key=len), 140)
    parts[-1].supxlabel(caption, fontsize=8, x=0.01, ha="left")
    return fig


def alone(panel: Panel) -> Any:
    """A panel as a figure of its own."""
    fig = figure(_WIDTH, panel.height)
    axes = fig.subplots()
    panel.draw(axes)
    axes.set_title(panel.name, loc="left", fontsize=10)
    return fig


def overview_panels(rows: Sequence[Row]) -> list[Panel]:
    """The growth of circuits in several sizes, or success on several devices, or nothing."""
    growth = in_growth(rows)
    if growth:
        return [_growth_panel(*series) for series in growth.items()]
    on_devices = [row for row in rows if row.ranked and "success" in row.figures]
    if len({row.target for row in on_devices}) < _SEVERAL:
        return []
    circuits = dict.fromkeys(row.circuit for row in on_devices)
    best = {row.target: 0.0 for row in on_devices}
    for row in on_devices:
        best[row.target] = max(best[row.target], row.figures["success"])
    devices = sorted(best, key=lambda name: -best[name])
    return [
        _device_panel(name, [row for row in on_devices if row.circuit == name], devices)
        for name in circuits
    ]


def bar_panels(members: Sequence[Row]) -> list[Panel]:
    """The figures that decide the ranking of a block, a bar for each row that is ranked."""
    rows = [row for row in members if row.ranked]
    height = 0.5 + 0.27 * len(rows)
    return [_bar_panel(rows, key, height) for key in decisive(rows)] if rows else []


def _bar_panel(rows: Sequence[Row], key: str, height: float) -> Panel:
    values = [row.figures.get(key, 0.0) for row in rows]
    most = max(*values, *(_ends(row, key)[1] for row in rows))
    logarithmic = min(values) > 0 and max(values) > _WIDE * min(values)

    def draw(axes: Any) -> None:
        places = range(len(rows))
        bars = axes.barh(places, values, color=[colour_of(row.backend) for row in rows])
        if logarithmic:
            axes.set_xscale("log")
            axes.set_xlim(min(values) / 2, most)
        else:
            axes.set_xlim(0, most or 1)
        for place, row, bar in zip(places, rows, bars, strict=True):
            if row.lowering == "framework":
                bar.set_alpha(0.55)
            low, high = _ends(row, key)
            if low < high:
                axes.plot([low, high], [place, place], "|-", color=INK, lw=1, ms=5, clip_on=False)
            # The layout makes room for what stands beyond the axes.
            text, end = cells_of(row, None)[key] or "not known", (high, place)
            beside = {"xytext": (4, 0), "textcoords": "offset points"}
            axes.annotate(text, end, va="center", fontsize=9, annotation_clip=False, **beside)
        axes.set_yticks(places, [label(row) for row in rows], fontsize=9)
        axes.set_xticks([], minor=False)
        axes.set_xticks([], minor=True)
        axes.tick_params(length=0)
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        axes.margins(y=0.01)
        axes.invert_yaxis()

    name = HEADINGS[key] + (", logarithmic" if logarithmic else "")
    return Panel(name, height, draw, _BARS + _note(rows, key))


def _ends(row: Row, key: str) -> tuple[float, float]:
    return row.spread.get(key, (0.0, 0.0))


def _note(rows: Sequence[Row], key: str) -> str:
    return _SPREAD if any(low < high for low, high in (_ends(row, key) for row in rows)) else ""


def _shapes(rows: Sequence[Row]) -> str:
    levels = sorted({row.level for row in rows})
    shapes = ", ".join(f"{_SHAPES[level]} for level {level}" for level in levels)
    return f" Markers: {shapes}." if len(levels) > 1 else ""


def _device_panel(circuit: str, rows: Sequence[Row], devices: Sequence[str]) -> Panel:
    """Expected success on each device, a dot a compiler; best devices first."""
    compilers: dict[str, list[Row]] = {}
    for row in rows:
        name = label(row)
        if ":" in row.backend:  # another on each device
            name = name.replace(row.backend, _OWN, 1)
        compilers.setdefault(name, []).append(row)

    def draw(axes: Any) -> None:
        for name, members in sorted(compilers.items()):
            colour = colour_of(members[0].backend)
            places = [devices.index(row.target) for row in members]
            hollow = members[0].lowering == "framework"
            axes.hlines(
                places,
                *zip(*(_ends(row, "success") for row in members), strict=True),
                color=colour,
                lw=1,
            )
            axes.plot(
                [row.figures["success"] for row in members],
                places,
                _MARKERS[members[0].level],
                ms=4.5,
                color=colour,
                markerfacecolor=PAPER if hollow else colour,
                label=name,
            )
        axes.set_xlim(0, 1)
        axes.set_ylim(-0.5, len(devices) - 0.5)
        axes.invert_yaxis()
        axes.set_yticks(range(len(devices)), devices)
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(  # below: the points are everywhere
            fontsize=7,
            frameon=False,
            loc="upper left",
            bbox_to_anchor=(-0.2, -0.3 / height),
            ncols=2,
            columnspacing=1,
            handletextpad=0.3,
        )

    height = 2.1 + 0.19 * len(devices)
    return Panel(
        f"{circuit}: success", height, draw, _DOTS + _shapes(rows) + _note(rows, "success")
    )


def _growth_panel(series: Series, lines: dict[str, list[Row]]) -> Panel:
    """A figure against qubits on logarithmic axes, where a power of n is a straight line."""
    rows = [row for members in lines.values() for row in members]
    # Success falls exponentially with the size: it is depth that grows like a power.
    key = next(key for key in ranking(rows) if key != "success")

    def draw(axes: Any) -> None:
        from matplotlib.ticker import NullLocator, ScalarFormatter

        for name, members in sorted(lines.items()):
            _line(axes, name, [row for row in members if row.figures.get(key)], key)
        axes.set(xscale="log", yscale="log", xlabel="qubits")
        axes.set_xticks(sorted({size_of(row) for row in rows}))
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(fontsize=7.5, frameon=False, loc="upper left", handlelength=3.5)

    circuit, target, _ = series
    name = f"{circuit} on {target}: {HEADINGS[key]}"
    return Panel(name, 5.2, draw, _LINES + _shapes(rows) + _note(rows, key))


def _line(axes: Any, name: str, members: Sequence[Row], key: str) -> None:
    if not members:
        return
    first, colour = members[0], colour_of(members[0].backend)
    points = [(size_of(row), row.figures[key]) for row in members]
    k = exponent(points)
    ours = first.backend == OURS
    marker, order = _MARKERS[first.level], 3 if ours else 2  # others often run along ours
    axes.plot(
        *zip(*points, strict=True),
        "-" if ours or first.lowering == "framework" else "--",
        color=colour,
        lw=3 if ours else 1.6,
        marker=marker,
        ms=4.5,
        zorder=order,
        label=name if k is None else f"{name}: n^{k:.1f}",
    )
    for row, (size, depth) in zip(members, points, strict=True):
        axes.vlines(size, *_ends(row, key), color=colour, lw=1)
        if not row.ranked:
            hollow = {"color": colour, "markerfacecolor": PAPER, "ms": 4.5, "zorder": order}
            axes.plot([size], [depth], marker, **hollow)
