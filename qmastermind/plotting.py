"""Plots, drawn with matplotlib (extra ``plot``)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qmastermind.errors import MissingDependencyError, UsageError
from qmastermind.files import replacing

ACCENT = "#3b6fb6"
MUTED = "#9aa5b1"


def figure(width: float, height: float) -> Any:
    """A new figure that needs no display.

    Raises:
        MissingDependencyError: Without matplotlib.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError("a plot", "matplotlib", "plot") from None
    return Figure(figsize=(width, height), layout="constrained")


def check_ending(path: Path) -> None:
    """Refuses a file whose ending says no format that can be written.

    Raises:
        MissingDependencyError: Without matplotlib.
        UsageError: For another ending, or none.
    """
    known = figure(1, 1).canvas.get_supported_filetypes()
    if path.suffix.removeprefix(".").lower() not in known:
        raise UsageError(
            f"cannot plot to {path.name!r}: expected an ending such as .png or .svg; "
            f"known: {', '.join(sorted(known))}"
        )


def save(fig: Any, path: Path) -> None:
    """Writes a figure; the ending of ``path`` chooses the format.

    Raises:
        UsageError: For an ending that matplotlib does not write.
        OSError: If the file cannot be written.
    """
    check_ending(path)
    with replacing(path, "wb") as file:
        fig.savefig(file, dpi=150, format=path.suffix.removeprefix(".").lower())


def plot_counts(counts: Mapping[str, int], title: str, path: Path) -> None:
    """Writes a histogram of the most frequent codes, most frequent first.

    Args:
        counts: Shots by code, in the order to draw.
        title: Above the plot.
        path: Where to, for example a ``.png``, ``.svg`` or ``.pdf``.
    """
    names, values = list(counts), list(counts.values())
    fig = figure(7.0, 3.6)
    axes = fig.add_subplot()
    colours = [ACCENT, *[MUTED] * (len(names) - 1)][: len(names)]
    bars = axes.bar(range(len(names)), values, color=colours, width=0.7)
    axes.bar_label(bars, padding=2, fontsize=8)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right", family="monospace")
    axes.set_ylabel("shots")
    axes.set_title(title, loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(y=0.12)
    save(fig, path)
