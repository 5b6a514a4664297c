"""A circuit as an SVG picture that stands in an HTML page."""

from __future__ import annotations

import html
from itertools import groupby

from qmastermind.circuit import Circuit
from qmastermind.drawing import Column, layers

_ROW, _PAD, _MOST = 26, 5, 120  # pixels a qubit, pixels beside a gate, layers that are drawn
# In the colours of the page, which may be dark; alone, on white.
_INK, _SOFT, _FILL = "currentColor", "var(--wire, #8a94a6)", "var(--box, #eef3fb)"
_PAPER = "var(--paper, #fff)"


def svg(circuit: Circuit) -> str:
    """Draws a circuit: controls filled on 1 and open on 0, boxes with label and repetitions."""
    names = [
        f"{r.name}[{i}]" if r.size > 1 else r.name for r in circuit.registers for i in range(r.size)
    ]
    found = layers(circuit)
    left = x = 14.0 + 7 * max(map(len, names), default=0)
    parts: list[str] = []
    for column in found[:_MOST]:
        wide = _width(column)
        parts += _layer(column, x + wide / 2)
        x += wide
    right, height = x + 8, _ROW * len(names) + 8
    if len(found) > _MOST:
        note = f"{len(found) - _MOST} more layers"
        parts.append(_text(right + 4, height / 2, note, "start"))
        right += 8 + 7 * len(note)
    wires = []
    for q, name in enumerate(names):
        y = _y(q)
        wires.append(f"<line x1='{left:g}' x2='{x + 8:g}' y1='{y}' y2='{y}' stroke='{_SOFT}'/>")
        wires.append(_text(left - 6, y, name, "end"))
    return (
        f"<svg class='circuit' xmlns='http://www.w3.org/2000/svg' width='{right:g}' "
        f"height='{height}' viewBox='0 0 {right:g} {height}' role='img'>"
        f"{''.join(wires)}{''.join(parts)}</svg>"
    )


def _y(qubit: int) -> float:
    return _ROW * (qubit + 0.5) + 4


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return (
        f"<text x='{x:g}' y='{y + 4:g}' text-anchor='{anchor}' font-size='11' fill='{_INK}' "
        f"font-family='ui-monospace, monospace'>{html.escape(text)}</text>"
    )


def _is_box(cell: str) -> bool:
    return cell.startswith("[")


def _label(cell: str) -> str:
    return cell[1:].rpartition(":")[0] if _is_box(cell) else cell


def _width(column: Column) -> float:
    longest = max((len(_label(cell)) for cell in column.cells.values()), default=1)
    return 2 * _PAD + max(18.0, 7.0 * longest + 6)


def _layer(column: Column, x: float) -> list[str]:
    parts = [
        f"<line x1='{x:g}' x2='{x:g}' y1='{_y(q)}' y2='{_y(q + 1)}' stroke='{_INK}'/>"
        for q in sorted(column.links)
    ]
    half = _width(column) / 2 - _PAD
    boxed = [q for q in sorted(column.cells) if _is_box(column.cells[q])]
    # Qubits of a box that stand together share a frame.
    for _, run in groupby(enumerate(boxed), key=lambda pair: pair[1] - pair[0]):
        qubits = [q for _, q in run]
        parts.append(_frame(x, half, qubits[0], qubits[-1]))
        parts.append(
            _text(x, (_y(qubits[0]) + _y(qubits[-1])) / 2, _label(column.cells[qubits[0]]))
        )
    for q, cell in column.cells.items():
        if not _is_box(cell):
            parts += _symbol(x, half, q, cell)
    return parts


def _frame(x: float, half: float, first: int, last: int) -> str:
    top, bottom = _y(first) - 9, _y(last) + 9
    return (
        f"<rect x='{x - half:g}' y='{top:g}' width='{2 * half:g}' height='{bottom - top:g}' rx='3' "
        f"fill='{_FILL}' stroke='{_INK}'/>"
    )


def _symbol(x: float, half: float, qubit: int, cell: str) -> list[str]:
    y = _y(qubit)
    match cell:
        case "│":
            return []
        case "●" | "○":
            fill = _INK if cell == "●" else _PAPER
            return [f"<circle cx='{x:g}' cy='{y}' r='4.5' fill='{fill}' stroke='{_INK}'/>"]
        case "×":
            a, b = x - 5, y - 5
            cross = f"M{a:g} {b:g}l10 10M{a:g} {b + 10:g}l10 -10"
            return [f"<path d='{cross}' stroke='{_INK}' stroke-width='1.6'/>"]
        case "░":
            return [
                f"<line x1='{x:g}' x2='{x:g}' y1='{y - _ROW / 2}' y2='{y + _ROW / 2}' "
                f"stroke='{_SOFT}' stroke-width='4' stroke-dasharray='3 2'/>"
            ]
    return [_frame(x, half, qubit, qubit), _text(x, y, cell)]
