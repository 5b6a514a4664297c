"""A comparison as one HTML file that needs nothing beside it, and as a plot."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from qmastermind.circuit import Circuit
from qmastermind.compare.cells import OURS, Row
from qmastermind.compare.tables import COLUMNS, blocks, cells_of, label, ranked, title
from qmastermind.plotting import figure, save

PALETTE = {
    OURS: "#1b6e53",
    "qiskit": "#6929c4",
    "cirq": "#d97706",
    "pennylane": "#c2185b",
    "tket": "#1565c0",
}
_OTHER = "#667085"

_STYLE = """
:root { color-scheme: light; --ink: #1d2430; --soft: #5b6676; --line: #dfe3ea; --best: #e7f4ee; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); margin: 0 auto; padding: 2rem;
       max-width: 1280px; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem; }
p, li { max-width: 72ch; } .soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .88rem;
        width: 100%; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
         white-space: nowrap; }
th { cursor: pointer; color: var(--soft); font-weight: 600; position: sticky; top: 0;
     background: #fff; user-select: none; }
th:hover { color: var(--ink); } th[data-sorted]::after { content: " \\2195"; }
td:nth-child(2), th:nth-child(2), td:last-child, th:last-child { text-align: left; }
td:last-child { white-space: normal; max-width: 22rem; }
tr.best td { background: var(--best); } tr.unranked td { color: #a3123a; }
.dot { display: inline-block; width: .65em; height: .65em; border-radius: 50%; margin-right: .4em; }
pre { background: #f5f7fa; padding: .8rem 1rem; overflow-x: auto; font-size: .8rem;
      line-height: 1.25; border-radius: 6px; }
code { background: #f5f7fa; padding: .1em .3em; border-radius: 4px; }
svg { max-width: 100%; height: auto; }
"""

_SCRIPT = """
document.querySelectorAll('th').forEach(function (head) {
  head.addEventListener('click', function () {
    var table = head.closest('table'), body = table.tBodies[0];
    var column = Array.prototype.indexOf.call(head.parentNode.children, head);
    var down = head.dataset.sorted === 'up';
    table.querySelectorAll('th').forEach(function (h) { delete h.dataset.sorted; });
    head.dataset.sorted = down ? 'down' : 'up';
    var rows = Array.prototype.slice.call(body.rows);
    function value(row) {
      var text = row.cells[column].textContent.trim(), number = parseFloat(text);
      return isNaN(number) ? text : number;
    }
    rows.sort(function (a, b) {
      var x = value(a), y = value(b);
      if (x === '' || y === '') { return x === y ? 0 : x === '' ? 1 : -1; }
      if (typeof x !== typeof y) { return typeof x === 'number' ? -1 : 1; }
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    });
    rows.forEach(function (row) { body.appendChild(row); });
  });
});
"""


def to_html(rows: Sequence[Row], about: Mapping[str, Any], circuits: Mapping[str, Circuit]) -> str:
    """The report: what was asked, tables that sort, bars, a scaling plot, the circuits.

    Args:
        rows: Of one comparison.
        about: ``command``, ``versions`` (by package) and ``date``.
        circuits: Those compared, by name, for the drawings.

    Raises:
        MissingDependencyError: Without matplotlib, which draws the charts.
    """
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>Compiler comparison</title><style>{_STYLE}</style></head><body>",
        "<h1>Compiler comparison</h1>",
        f"<p class='soft'>{len(rows)} rows, {html.escape(str(about.get('date', '')))}</p>",
        _summary(rows),
    ]
    scaling = scaling_series(rows)
    if scaling:
        parts += ["<h2>Growth with the number of qubits</h2>", _svg(_scaling_figure(scaling))]
    for block, members in blocks(rows).items():
        parts.append(f"<h2>{html.escape(title(block))}</h2>")
        if not scaling and any(row.ranked for row in members):
            parts.append(_svg(_bar_figure(members)))
        parts.append(_table(members))
    parts.append(_circuits(circuits))
    parts.append(_footer(rows, about))
    parts.append(f"<script>{_SCRIPT}</script></body></html>")
    return "".join(parts)


def _summary(rows: Sequence[Row]) -> str:
    lines = []
    for block, members in blocks(rows).items():
        best = next((row for row in members if row.ranked), None)
        if best is not None:
            lines.append(
                f"<li>{html.escape(block[0])} on {html.escape(block[1])}: "
                f"<b>{html.escape(label(best))}</b>, two-qubit depth "
                f"{best.figures['two_qubit_depth']:g}, {best.figures['two_qubit_gates']:g} "
                "two-qubit gates</li>"
            )
    unproved = sum(not row.ranked for row in rows)
    text = "<h2>Least two-qubit depth</h2><ul>" + "".join(lines) + "</ul>"
    if unproved:
        text += (
            f"<p>{unproved} rows failed or were not shown equivalent; they are in no ranking.</p>"
        )
    return text


def _table(members: Sequence[Row]) -> str:
    head = "".join(f"<th>{html.escape(heading)}</th>" for _, heading in COLUMNS)
    body = []
    for rank, row in ranked(members):
        cells = cells_of(row, rank)
        kind = "unranked" if rank is None else "best" if rank == 1 else ""
        dot = f"<span class='dot' style='background:{PALETTE.get(row.backend, _OTHER)}'></span>"
        columns = "".join(
            f"<td>{dot if key == 'label' else ''}{html.escape(cells[key])}</td>"
            for key, _ in COLUMNS
        )
        hint = html.escape(f"{row.version}; {row.passes}; seeds {row.seeds}", quote=True)
        body.append(f"<tr class='{kind}' title='{hint}'>{columns}</tr>")
    return (
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _circuits(circuits: Mapping[str, Circuit]) -> str:
    text = "<h2>The circuits</h2>"
    for name, circuit in circuits.items():
        drawing = circuit.draw(150) if len(circuit.operations) <= 40 else "too large to draw"
        text += f"<h3>{html.escape(name)}</h3><pre>{html.escape(drawing)}</pre>"
    return text


def _footer(rows: Sequence[Row], about: Mapping[str, Any]) -> str:
    passes = sorted({(row.backend, row.level, row.passes) for row in rows if row.passes})
    versions = about.get("versions", {})
    return (
        "<h2>How these figures were made</h2>"
        "<p>Every compiled circuit was brought back to one neutral form, counted by one counter "
        "and compared with the original. Depth counts every gate as one layer, virtual rz "
        "included; "
        "two-qubit depth counts two-qubit gates only; measurements and barriers cost nothing. "
        "<i>Own depth</i> is what the framework's own circuit object says: conventions differ. "
        "Figures are medians over the seeds, with least and most in brackets where they differ.</p>"
        f"<p>Repeat it with</p><pre>{html.escape(str(about.get('command', '')))}</pre>"
        "<p>Versions: "
        + html.escape(", ".join(f"{k} {v}" for k, v in versions.items()))
        + "</p><ul>"
        + "".join(
            f"<li>{html.escape(backend)} level {level}: {html.escape(text)}</li>"
            for backend, level, text in passes
        )
        + "</ul>"
    )


def scaling_series(rows: Sequence[Row]) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Two-qubit depth by number of qubits, by circuit and compiler, for ``name N`` circuits.

    Empty unless a circuit occurs at three sizes.
    """
    found: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for row in rows:
        match = re.fullmatch(r"(.+) (\d+)", row.circuit)
        if match and row.ranked:
            series = found.setdefault(match[1], {}).setdefault(label(row), [])
            series.append((int(match[2]), row.figures["two_qubit_depth"]))
    for lines in found.values():
        for points in lines.values():
            points.sort()
    sizes = {n for lines in found.values() for points in lines.values() for n, _ in points}
    return found if len(sizes) >= 3 else {}


def plot(rows: Sequence[Row], path: Path) -> None:
    """Writes the scaling plot, or the bars of the first block.

    Raises:
        MissingDependencyError: Without matplotlib.
        OSError: If the file cannot be written.
    """
    scaling = scaling_series(rows)
    members = next(iter(blocks(rows).values()), [])
    save(_scaling_figure(scaling) if scaling else _bar_figure(members), path)


def _bar_figure(members: Sequence[Row]) -> Any:
    shown = [row for row in members if row.ranked]
    fig = figure(9.0, 1.1 + 0.3 * len(shown))
    left, right = fig.subplots(1, 2, sharey=True)
    for axes, key, name in ((left, "two_qubit_depth", "two-qubit depth"),
                            (right, "two_qubit_gates", "two-qubit gates")):  # fmt: skip
        values = [row.figures[key] for row in shown]
        colours = [PALETTE.get(row.backend, _OTHER) for row in shown]
        bars = axes.barh(range(len(shown)), values, color=colours, height=0.7)
        axes.bar_label(bars, fmt="%g", padding=3, fontsize=8)
        axes.set_title(name, fontsize=10, loc="left")
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0.14)
        axes.tick_params(labelsize=8)
    left.set_yticks(range(len(shown)), [label(row) for row in shown])
    left.invert_yaxis()
    return fig


def _scaling_figure(series: Mapping[str, Mapping[str, list[tuple[int, float]]]]) -> Any:
    fig = figure(10.0, 4.2)
    for axes, (circuit, lines) in zip(
        fig.subplots(1, len(series), squeeze=False)[0], series.items(), strict=True
    ):
        for name, points in sorted(lines.items()):
            sizes, depths = zip(*points, strict=True)
            backend = name.split()[0].rstrip(",")
            style = "--" if "our lowering" in name else "-"
            text = f"{name} ({_slope(points)})"
            axes.plot(sizes, depths, style, marker="o", ms=3, lw=1.5, label=text,
                      color=PALETTE.get(backend, _OTHER))  # fmt: skip
        axes.set_xlabel("qubits")
        axes.set_ylabel("two-qubit depth")
        axes.set_yscale("symlog", linthresh=1)
        axes.set_title(circuit, loc="left", fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(fontsize=7, frameon=False)
    return fig


def _slope(points: Sequence[tuple[int, float]]) -> str:
    """The exponent of growth between the middle and the last size."""
    import math

    usable = [(n, d) for n, d in points if d > 0 and n >= 6]
    if len(usable) < 2:
        return "no slope"
    (n, d), (m, e) = usable[0], usable[-1]
    return f"grows like n^{math.log(e / d) / math.log(m / n):.1f}"


def _svg(fig: Any) -> str:
    buffer = StringIO()
    fig.savefig(buffer, format="svg")
    text = buffer.getvalue()
    return text[text.index("<svg") :]
