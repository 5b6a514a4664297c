"""A comparison as a ranked table: text, Markdown, CSV, JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from qmastermind.compare.cells import FIGURES, OURS, Row

COLUMNS = (
    ("rank", "rank"),
    ("label", "compiler, lowering, spare qubits"),
    ("two_qubit_depth", "2q depth"),
    ("two_qubit_gates", "2q gates"),
    ("depth", "depth"),
    ("one_qubit_gates", "1q gates"),
    ("virtual_rz", "of them rz"),
    ("qubits", "qubits"),
    ("native_depth", "own depth"),
    ("seconds", "seconds"),
    ("verdict", "equivalent"),
)
"""Keys of :func:`cells_of`, with the headings of people's tables."""


def blocks(rows: Sequence[Row]) -> dict[tuple[str, str, tuple[str, ...]], list[Row]]:
    """Rows by circuit, target and basis, each block best first; unproved rows last.

    The order is by two-qubit depth, then two-qubit gates, then depth.
    """
    found: dict[tuple[str, str, tuple[str, ...]], list[Row]] = {}
    for row in rows:
        found.setdefault(row.block, []).append(row)
    return {block: sorted(members, key=_order) for block, members in found.items()}


def _order(row: Row) -> tuple[Any, ...]:
    figures = [row.figures.get(k, 0.0) for k in ("two_qubit_depth", "two_qubit_gates", "depth")]
    ours_first = row.backend != OURS
    return (not row.ranked, row.status != "ok", *figures, ours_first, label(row))


def cells_of(row: Row, rank: int | None) -> dict[str, str]:
    """A row as text by the keys of :data:`COLUMNS`."""
    if row.status != "ok":
        verdict = f"{row.status}: {row.detail.splitlines()[0] if row.detail else 'no reason'}"
    elif row.equivalent is True:
        verdict = f"yes ({row.method})"
    else:
        word = "NO" if row.equivalent is False else "not shown"
        verdict = f"{word} ({row.method})"
    text = {
        "rank": "" if rank is None else str(rank),
        "label": label(row),
        "native_depth": "" if row.native_depth is None else str(row.native_depth),
        "seconds": f"{row.seconds:.2f}" if row.status == "ok" else "",
        "verdict": verdict,
    }
    for name in FIGURES:
        text[name] = _figure(row, name)
    return text


def label(row: Row) -> str:
    """Compiler, lowering and spare qubits in a few words."""
    name = row.backend if row.backend == OURS else f"{row.backend} level {row.level}"
    if row.lowering == "ours" and row.backend != OURS:
        name += ", our lowering"
    if row.ancillas:
        name += f", {row.ancillas} spare"
    return name


def _figure(row: Row, name: str) -> str:
    if name not in row.figures:
        return ""
    low, high = row.spread[name]
    middle = f"{row.figures[name]:g}"
    return middle if low == high else f"{middle} ({low:g}-{high:g})"


def ranked(members: Sequence[Row]) -> list[tuple[int | None, Row]]:
    """Rows of a block with their ranks; equal figures share one, unproved rows have none."""
    result: list[tuple[int | None, Row]] = []
    last: tuple[Any, ...] | None = None
    rank = 0
    for position, row in enumerate(members, 1):
        if not row.ranked:
            result.append((None, row))
            continue
        key = _order(row)[2:5]
        if key != last:
            rank, last = position, key
        result.append((rank, row))
    return result


def title(block: tuple[str, str, tuple[str, ...]]) -> str:
    """What a block compares."""
    circuit, target, basis = block
    return f"{circuit} on {target}, basis {{{', '.join(basis)}}}"


def to_markdown(rows: Sequence[Row]) -> str:
    """One table a block."""
    lines: list[str] = []
    for block, members in blocks(rows).items():
        lines += [f"### {title(block)}", ""]
        lines.append("| " + " | ".join(heading for _, heading in COLUMNS) + " |")
        lines.append("|" + "---|" * len(COLUMNS))
        for rank, row in ranked(members):
            cells = cells_of(row, rank)
            lines.append("| " + " | ".join(cells[k].replace("|", "\\|") for k, _ in COLUMNS) + " |")
        lines.append("")
    return "\n".join(lines)


def to_csv(rows: Sequence[Row]) -> str:
    """One line a row, figures as medians with their least and most."""
    buffer = io.StringIO()
    names = ["circuit", "backend", "version", "level", "passes", "lowering", "target", "basis",
             "ancillas", "status", "detail", "native_depth", "seconds", "seeds", "equivalent",
             "method"]  # fmt: skip
    ends = [f"{figure}{end}" for figure in FIGURES for end in ("", "_min", "_max")]
    writer = csv.DictWriter(buffer, [*names, *ends], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        values = {name: getattr(row, name) for name in names}
        values["basis"] = " ".join(row.basis)
        values["seeds"] = " ".join(map(str, row.seeds))
        for figure, middle in row.figures.items():
            values[figure] = middle
            values[f"{figure}_min"], values[f"{figure}_max"] = row.spread[figure]
        writer.writerow(values)
    return buffer.getvalue()


def to_json(rows: Sequence[Row], about: dict[str, Any]) -> str:
    """One object: what was run, and the rows."""
    return json.dumps({**about, "rows": [row.as_dict() for row in rows]}, indent=1)
