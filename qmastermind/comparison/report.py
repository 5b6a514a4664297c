"""A comparison as one HTML file that needs nothing beside it."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from qmastermind.circuit import Box, Circuit
from qmastermind.comparison.cells import Block, Row, in_sizes
from qmastermind.comparison.charts import bar_figure, colour_of, overview_figure
from qmastermind.comparison.page import SCRIPT, STYLE
from qmastermind.comparison.picture import svg
from qmastermind.comparison.tables import (
    HEADINGS,
    blocks,
    cells_of,
    columns,
    label,
    ranked,
    recipes,
    title,
)

_PICTURED_FROM = 4  # qubits; of a circuit in many sizes one is drawn


_METHOD = """
Every compiled circuit was brought back to one neutral form, counted by one counter and compared
with the original. <b>Depth</b> counts every gate as one layer, virtual rz included; <b>2q depth</b>
counts two-qubit gates only; measurements, barriers and the global phase cost nothing. <b>Qubits</b>
are those in use, <b>ancillas</b> those of them that hold no data. <b>Own depth</b> is what the
framework's own circuit object says: conventions differ, and Cirq's and PennyLane's are in their own
gates. <b>Seconds</b> are of one compilation. <b>Success</b>, on a device, is the share of runs in
which nothing goes wrong by its calibration data, an optimistic bound. Figures are medians over the
seeds, with least and most in brackets where they differ. Bars in full colour use our lowering of
multi-controlled gates, pale ones the framework's own. Point at a row to see its passes and seeds.
"""


def to_html(rows: Sequence[Row], about: Mapping[str, Any], circuits: Mapping[str, Circuit]) -> str:
    """The report: what was asked, tables that sort, bars, a scaling plot, the circuits.

    Args:
        rows: Of one comparison.
        about: ``command``, ``versions`` (by package) and ``date``.
        circuits: Those compared, by name, for the pictures.

    Raises:
        MissingDependencyError: Without matplotlib, which draws the charts.
    """
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>Compiler comparison</title><style>{STYLE}</style></head><body>",
        _head(rows, about),
    ]
    overview = overview_figure(rows)
    if overview is not None:
        parts.append(f"<h2>Overview</h2><figure>{_svg(overview)}</figure>")
    parts.append(_summary(rows))
    pictures = _pictured(circuits)
    for number, (block, members) in enumerate(blocks(rows).items()):
        parts.append(f"<section id='b{number}'><h2>{html.escape(title(block))}</h2>")
        if block[0] in pictures:
            parts.append(_picture(pictures.pop(block[0])))
        if overview is None and sum(row.ranked for row in members) > 1:
            parts.append(f"<figure>{_svg(bar_figure(members))}</figure>")
        parts.append(f"{_table(members)}</section>")
    parts.append(_footer(rows, about))
    parts.append(f"<script>{SCRIPT}</script></body></html>")
    return "".join(parts)


def _head(rows: Sequence[Row], about: Mapping[str, Any]) -> str:
    versions = "".join(
        f"<span class='chip'><i style='background:{colour_of(name)}'></i>"
        f"{html.escape(name)} {html.escape(version)}</span>"
        for name, version in about.get("versions", {}).items()
    )
    proved = sum(row.ranked for row in rows)
    text = f"{len(rows)} rows, {proved} of them proved equivalent to the original circuit"
    return (
        f"<header><h1>Compiler comparison</h1><p class='soft'>{text}. "
        f"{html.escape(str(about.get('date', '')))}</p><p>{versions}</p></header>"
    )


def _summary(rows: Sequence[Row]) -> str:
    with_success = any("success" in row.figures for row in rows)
    lines = "".join(
        _summary_line(number, block, members, with_success)
        for number, (block, members) in enumerate(blocks(rows).items())
    )
    success = "<th class='n'>success</th><th class='n soft'>last</th>" if with_success else ""
    text = (
        "<h2>The best of each block, and the last</h2>"
        "<div class='scroll'><table class='summary'><thead><tr>"
        f"<th>circuit</th><th>target</th><th>best</th>{success}<th class='n'>2q depth</th>"
        "<th class='n soft'>last</th><th class='n'>2q gates</th><th class='n soft'>last</th>"
        f"</tr></thead><tbody>{lines}</tbody></table></div>"
    )
    unproved = sum(not row.ranked for row in rows)
    if unproved:
        text += (
            f"<p class='warn'>{unproved} rows failed or were not shown equivalent. They stand in "
            "red below their blocks, with the reason, and are in no ranking.</p>"
        )
    return text


def _summary_line(number: int, block: Block, members: Sequence[Row], with_success: bool) -> str:
    start = (
        f"<tr><td><a href='#b{number}'>{html.escape(block[0])}</a></td>"
        f"<td>{html.escape(block[1])}</td>"
    )
    proved = [row for row in members if row.ranked]
    if not proved:
        return f"{start}<td colspan='{7 if with_success else 5}'>no proved row</td></tr>"
    keys = ["success"] if with_success else []
    figures = "".join(
        f"<td class='n{soft}'>{cells_of(row, None)[key]}</td>"
        for key in (*keys, "two_qubit_depth", "two_qubit_gates")
        for row, soft in ((proved[0], ""), (proved[-1], " soft"))
    )
    return f"{start}<td>{_named(proved[0])}</td>{figures}</tr>"


def _named(row: Row) -> str:
    dot = f"<span class='dot' style='background:{colour_of(row.backend)}'></span>"
    return f"{dot}{html.escape(label(row))}"


def _table(members: Sequence[Row]) -> str:
    keys = columns(members)
    head = "".join(
        f"<th{_side(key)}><button>{html.escape(HEADINGS[key])}</button></th>" for key in keys
    )
    body = []
    for rank, row in ranked(members):
        cells = cells_of(row, rank)
        kind = "unranked" if rank is None else "best" if rank == 1 else ""
        shown = {key: html.escape(cells[key]) for key in keys} | {"label": _named(row)}
        line = "".join(f"<td{_side(key)}>{shown[key]}</td>" for key in keys)
        seeds = ", ".join(map(str, row.seeds))
        parts = (f"{row.backend} {row.version}", row.passes, f"seeds {seeds}", row.detail)
        hint = html.escape("\n".join(part for part in parts if part), quote=True)
        body.append(f"<tr class='{kind}' title='{hint}'>{line}</tr>")
    return (
        f"<div class='scroll'><table class='sortable'><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _side(key: str) -> str:
    return f" class='{key}'" if key in ("label", "verdict") else " class='n'"


def _picture(circuit: Circuit) -> str:
    """The circuit, and what is in the boxes that stand in it."""
    inside = {op.label: op.circuit for op in circuit.operations if isinstance(op, Box) and op.label}
    more = "".join(
        f"<div class='scroll'><figcaption>{html.escape(name)}:</figcaption>"
        f"{svg(body.flattened())}</div>"
        for name, body in inside.items()
    )
    return f"<figure class='pictures'><div class='scroll'>{svg(circuit)}</div>{more}</figure>"


def _pictured(circuits: Mapping[str, Circuit]) -> dict[str, Circuit]:
    """The circuits to draw; of one in several sizes, the first that shows what it is."""
    series: dict[str, str] = {}
    for name in circuits:
        kind, size = in_sizes(name) or (name, _PICTURED_FROM)
        if size >= _PICTURED_FROM:
            series.setdefault(kind, name)
    return {name: circuits[name] for name in series.values()}


def _footer(rows: Sequence[Row], about: Mapping[str, Any]) -> str:
    return (
        "<h2>How these figures were made</h2>"
        f"<p>{_METHOD}</p>"
        f"<p>Repeat it with</p><pre>{html.escape(str(about.get('command', '')))}</pre>"
        "<h2>Passes</h2><ul class='passes'>"
        + "".join(f"<li>{html.escape(recipe)}</li>" for recipe in recipes(rows))
        + "</ul>"
    )


def _svg(fig: Any) -> str:
    buffer = StringIO()
    fig.savefig(buffer, format="svg")
    text = buffer.getvalue()
    # Several figures stand in one page, so what they name has to be theirs alone.
    unique = f"f{id(fig):x}"
    text = re.sub(r"(id=\"|href=\"#|url\(#)", rf"\g<1>{unique}-", text[text.index("<svg") :])
    return re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
