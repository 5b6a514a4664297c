"""A comparison as one HTML file that needs nothing beside it."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from qmastermind.circuit import Box, Circuit
from qmastermind.comparison.cells import Row, in_sizes
from qmastermind.comparison.charts import (
    INK,
    PAPER,
    Panel,
    alone,
    bar_panels,
    colour_of,
    overview_panels,
)
from qmastermind.comparison.page import SCRIPT, STYLE
from qmastermind.comparison.picture import svg
from qmastermind.comparison.tables import (
    HEADINGS,
    blocks,
    cells_of,
    columns,
    decisive,
    label,
    outcome,
    ranked,
    ranked_by,
    recipe,
    recipes,
    remarks,
    shown_equivalent,
    title,
)

_PICTURED_FROM = 4  # qubits; of a circuit in many sizes one is drawn

_MEANINGS = {
    "success": "the share of runs in which nothing goes wrong by the device's calibration data, "
    "readout included: an optimistic bound",
    "t_depth": "layers of t and tdg gates; all else costs nothing",
    "t_gates": "t and tdg gates",
    "two_qubit_depth": "layers of two-qubit gates; all else costs nothing",
    "two_qubit_gates": "gates on two qubits",
    "depth": "layers of gates, rz included; measurements, barriers and the global phase are none",
    "one_qubit_gates": "gates on one qubit, rz included",
    "virtual_rz": "those of them that most hardware does for nothing, by changing a phase",
    "qubits": "those in use",
    "used_ancillas": "those of them that hold no data",
    "native_depth": "what the framework's own circuit object says: conventions differ, and Cirq's "
    "and PennyLane's are in their own gates",
    "seconds": "of one compilation",
    "verdict": "how the result was shown to do the same as the original circuit. unitary (the "
    "images of all basis states) and qcec (decision diagrams) prove it up to the tolerance; states "
    "(the images of random states) is strong evidence",
}
_METHOD = (
    "Every compiled circuit was brought back to one neutral form, counted by one counter and "
    "compared with the original. Over several seeds a figure is the median, of two in the middle "
    "the lower, with the least and the most in brackets where they differ."
)


def to_html(rows: Sequence[Row], about: Mapping[str, Any], circuits: Mapping[str, Circuit]) -> str:
    """The report: what was asked, the summary, charts, tables that sort, the circuits, the passes.

    Args:
        rows: Of one comparison.
        about: ``command``, ``versions`` (by package) and ``date``; ``secret``, if there is one;
            ``interrupted``, a sentence, if rows are missing.
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
    overview = overview_panels(rows)
    if overview:
        parts.append(f"<h2>Overview</h2>{_charts(overview, 'o')}")
    parts.append(_summary(rows))
    numbers = {text: number for number, text in enumerate(recipes(rows), 1)}
    pictures = _pictured(circuits)
    for number, (block, members) in enumerate(blocks(rows).items()):
        parts.append(f"<section id='b{number}'><h2>{html.escape(title(block))}</h2>")
        if block[0] in pictures:
            parts.append(_picture(pictures.pop(block[0])))
        if not overview and sum(row.ranked for row in members) > 1:
            parts.append(_charts(bar_panels(members), f"b{number}"))
        parts.append(f"<p class='soft'>{ranked_by(members)}.</p>{_table(members, numbers)}")
        parts.append(f"{_remarks(members)}</section>")
    parts.append(_footer(rows, about, numbers))
    parts.append(f"<script>{SCRIPT}</script></body></html>")
    return "".join(parts)


def _head(rows: Sequence[Row], about: Mapping[str, Any]) -> str:
    versions = "".join(
        f"<span class='chip'>{_dot(name)}{html.escape(f'{name} {version}')}</span>"
        for name, version in about.get("versions", {}).items()
    )
    interrupted = about.get("interrupted")
    partial = (
        f"<p class='partial'>{html.escape(str(interrupted))}. What follows is of these alone.</p>"
        if interrupted
        else ""
    )
    secret = f"Secret {about['secret']}. " if "secret" in about else ""
    text = f"{shown_equivalent(rows)}. {secret}{about.get('date', '')}"
    return (
        f"<header><h1>Compiler comparison</h1>{partial}<p class='soft'>{html.escape(text)}</p>"
        f"<p>{versions}</p></header>"
    )


def _summary(rows: Sequence[Row]) -> str:
    found = blocks(rows)
    wanted = {key for members in found.values() for key in decisive(members)}
    keys = [key for key in HEADINGS if key in wanted]
    figures = "".join(f"<th class='n'>{html.escape(HEADINGS[key])}</th>" for key in keys)
    lines = "".join(
        f"<tr><td><a href='#b{number}'>{html.escape(block[0])}</a></td>"
        f"<td>{html.escape(block[1])}</td><td class='soft'>{html.escape(', '.join(block[2]))}</td>"
        f"{_ends(members, keys)}</tr>"
        for number, (block, members) in enumerate(found.items())
    )
    text = (
        "<h2>The best of each block, and the last</h2><div class='scroll'><table><thead><tr>"
        f"<th>circuit</th><th>target</th><th>basis</th><th>best</th>{figures}<th>last</th>{figures}"
        f"</tr></thead><tbody>{lines}</tbody></table></div>"
    )
    unranked = sum(not row.ranked for row in rows)
    if unranked:
        text += (
            f"<p class='bad'>In no ranking: {unranked} of {len(rows)} rows, which failed or were "
            "not shown equivalent. They stand in red at the end of their tables, with the reasons "
            "below.</p>"
        )
    return text


def _ends(members: Sequence[Row], keys: Sequence[str]) -> str:
    """The best and the last row that are ranked, with the figures that decide."""
    rows = [row for row in members if row.ranked]
    if not rows:
        return f"<td class='bad' colspan='{2 + 2 * len(keys)}'>no row was shown equivalent</td>"
    equals = sum(rank == 1 for rank, _ in ranked(members)) - 1
    more = f" <span class='soft'>and {equals} more</span>" if equals else ""
    return "".join(
        f"<td>{_named(row)}{others}</td>"
        + "".join(_cell(key, cells_of(row, None)[key].partition(" (")[0]) for key in keys)
        for row, others in ((rows[0], more), (rows[-1], ""))
    )


def _dot(backend: str) -> str:
    return f"<span class='dot' style='background:{colour_of(backend)}'></span>"


def _named(row: Row) -> str:
    return f"{_dot(row.backend)}{html.escape(label(row))}"


def _table(members: Sequence[Row], numbers: Mapping[str, int]) -> str:
    keys = columns(members)
    if "seeds" not in keys:
        keys.insert(-1, "seeds")
    head = "".join(f"<th{_side(key)}><button>{HEADINGS[key]}</button></th>" for key in keys)
    body = []
    for rank, row in ranked(members):
        cells = {**cells_of(row, rank), "verdict": outcome(row)}
        kind = "unranked" if rank is None else "best" if rank == 1 else ""
        line = "".join(
            f"<td class='label'>{_named(row)}</td>" if key == "label" else _cell(key, cells[key])
            for key in keys
        )
        number = numbers.get(recipe(row))
        link = "" if number is None else f"<a href='#p{number}'>{number}</a>"
        body.append(f"<tr class='{kind}'>{line}<td class='n'>{link}</td></tr>")
    return (
        f"<div class='scroll'><table class='sortable'><thead><tr>{head}"
        "<th class='n'><button>passes</button></th></tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(key: str, text: str) -> str:
    """A cell of a table, the spread of a figure below its median."""
    middle, bracket, spread = html.escape(text).partition(" (")
    if key == "verdict" or not bracket:
        return f"<td{_side(key)}>{html.escape(text)}</td>"
    return f"<td{_side(key)}>{middle} <small>({spread}</small></td>"


def _side(key: str) -> str:
    return f" class='{key}'" if key in ("label", "verdict") else " class='n'"


def _remarks(members: Sequence[Row]) -> str:
    lines = "".join(
        f"<li class='{'soft' if whose[0].ranked else 'bad'}'>"
        f"{html.escape('; '.join(map(label, whose)))}: {html.escape(text)}</li>"
        for text, whose in remarks(members).items()
    )
    return f"<ul>{lines}</ul>" if lines else ""


def _picture(circuit: Circuit) -> str:
    """The circuit, and what is in the boxes that stand in it."""
    inside = {op.label: op.circuit for op in circuit.operations if isinstance(op, Box) and op.label}
    more = "".join(
        f"<div class='scroll'><figcaption>{html.escape(name)}:</figcaption>"
        f"{svg(body.flattened())}</div>"
        for name, body in inside.items()
    )
    return f"<figure><div class='scroll'>{svg(circuit)}</div>{more}</figure>"


def _pictured(circuits: Mapping[str, Circuit]) -> dict[str, Circuit]:
    """The circuits to draw; of one in several sizes, the first that shows what it is."""
    series: dict[str, str] = {}
    for name in circuits:
        kind, size = in_sizes(name) or (name, _PICTURED_FROM)
        if size >= _PICTURED_FROM:
            series.setdefault(kind, name)
    return {name: circuits[name] for name in series.values()}


def _footer(rows: Sequence[Row], about: Mapping[str, Any], numbers: Mapping[str, int]) -> str:
    used = {key for members in blocks(rows).values() for key in columns(members)}
    meanings = "".join(
        f"<dt>{HEADINGS[key]}</dt><dd>{text}</dd>" for key, text in _MEANINGS.items() if key in used
    )
    items = "".join(f"<li id='p{n}'>{html.escape(text)}</li>" for text, n in numbers.items())
    return (
        f"<h2>How these figures were made</h2><p>{_METHOD}</p><dl>{meanings}</dl>"
        f"<h2>Repeat it with</h2><pre>{html.escape(str(about.get('command', '')))}</pre>"
        f"<h2>Passes</h2><ol class='passes'>{items}</ol>"
    )


def _charts(panels: Sequence[Panel], name: str) -> str:
    charts = "".join(_svg(panel, f"{name}-{i}") for i, panel in enumerate(panels))
    caption = html.escape(max((panel.caption for panel in panels), key=len))
    return f"<figure class='charts'>{charts}<figcaption>{caption}</figcaption></figure>"


def _svg(panel: Panel, name: str) -> str:
    """A panel in the colours of the page, which may be dark."""
    buffer, fig = StringIO(), alone(panel)
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        fig.savefig(buffer, format="svg", transparent=True)
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    # Several figures stand in one page, so what they name has to be theirs alone.
    text = re.sub(r"(id=\"|href=\"#|url\(#)", rf"\g<1>{name}-", text)
    text = text.replace(INK, "currentColor").replace(PAPER, "var(--paper)")
    about = html.escape(panel.name, quote=True)
    return text.replace("<svg ", f"<svg class='chart' role='img' aria-label=\"{about}\" ", 1)
