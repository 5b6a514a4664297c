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
_OWN = "the device's own compiler"
_SEVERAL = 3  # devices from which on they share a plot
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


def overview_figure(rows: Sequence[Row]) -> Any | None:
    """The scaling plot of circuits in several sizes, the plot of several devices, or None."""
    scaling = scaling_series(rows)
    if scaling:
        return scaling_figure(scaling)
    on_devices = [row for row in rows if row.ranked and "success" in row.figures]
    several = len({row.target for row in on_devices}) >= _SEVERAL
    return device_figure(on_devices) if several else None


def plot(rows: Sequence[Row], path: Path) -> None:
    """Writes the overview, or bars of every block.

    Raises:
        MissingDependencyError: Without matplotlib.
        OSError: If the file cannot be written.
    """
    overview = overview_figure(rows)
    save(bar_figure(rows) if overview is None else overview, path)


def device_figure(rows: Sequence[Row]) -> Any:
    """Expected success on each device, a dot a compiler, a panel a circuit; best devices first."""
    circuits = list(dict.fromkeys(row.circuit for row in rows))
    best: dict[str, float] = {}
    for row in rows:
        best[row.target] = max(best.get(row.target, 0.0), row.figures["success"])
    devices = sorted(best, key=lambda name: -best[name])
    fig = figure(11.0, 1.6 + 0.19 * len(devices))
    panels = fig.subplots(1, len(circuits), squeeze=False, sharey=True)[0]
    for axes, circuit in zip(panels, circuits, strict=True):
        compilers: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            if row.circuit == circuit:
                name = row.backend if row.backend.partition(":")[1] == "" else _OWN
                compilers.setdefault((name, row.lowering), []).append(row)
        for (name, lowering), members in sorted(compilers.items()):
            own = lowering == "framework"
            colour = PALETTE["fake"] if name == _OWN else colour_of(name)
            axes.plot(
                [row.figures["success"] for row in members],
                [devices.index(row.target) for row in members],
                "o",
                ms=4.5,
                color=colour,
                markerfacecolor="white" if own else colour,
                label=name if own else f"{name}, our lowering",
            )
        axes.set_title(f"{circuit}: expected success", loc="left", fontsize=11)
        axes.set_xlim(0, 1)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=7.5)
        axes.grid(alpha=0.25)
        axes.margins(y=0.01)
    panels[0].set_yticks(range(len(devices)), devices)
    panels[0].invert_yaxis()
    handles, names = panels[0].get_legend_handles_labels()
    fig.legend(handles, names, loc="outside lower center", ncols=4, fontsize=8, frameon=False)
    return fig


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
        f"solid: the framework's own lowering; dashed: ours, where it differs from ours alone; "
        f"hollow: not proved; n^k fitted from {_FIT_FROM} qubits on",
        fontsize=8,
    )
    return fig


def _line(axes: Any, name: str, points: Sequence[Point]) -> None:
    backend = name.split()[0].rstrip(",")
    colour, dashed = colour_of(backend), "our lowering" in name
    k = exponent(points)
    axes.plot(
        [p.qubits for p in points],
        [p.depth for p in points],
        "--" if dashed else "-",
        color=colour,
        lw=3 if backend == OURS else 1.6,
        zorder=3 if backend == OURS else 2,  # what follows our lowering often runs along it
        label=name if k is None else f"{name}: n^{k:.1f}",
    )
    for proved in (False,) if dashed else (True, False):
        chosen = [p for p in points if p.proved is proved]
        axes.plot(
            [p.qubits for p in chosen],
            [p.depth for p in chosen],
            "o",
            ms=4,
            color=colour,
            zorder=3 if backend == OURS else 2,
            markerfacecolor=colour if proved else "white",
        )
