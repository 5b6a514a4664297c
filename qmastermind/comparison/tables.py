"""A comparison as a ranked table: text, Markdown, CSV, JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from qmastermind.comparison.cells import OURS, Block, Row
from qmastermind.comparison.figures import FIGURES
from qmastermind.equivalence import TOLERANCE

_CLIFFORD_T = frozenset(
    ["x", "y", "z", "h", "s", "sdg", "t", "tdg", "sx", "sxdg", "cx", "cy", "cz", "swap", "ecr"]
)

HEADINGS = {
    "rank": "rank",
    "label": "compiler, lowering, spare qubits",
    "success": "success",
    "t_depth": "T depth",
    "t_gates": "T gates",
    "two_qubit_depth": "2q depth",
    "two_qubit_gates": "2q gates",
    "depth": "depth",
    "one_qubit_gates": "1q gates",
    "virtual_rz": "of them rz",
    "qubits": "qubits",
    "used_ancillas": "ancillas",
    "native_depth": "own depth",
    "seconds": "seconds",
    "seeds": "seeds",
    "verdict": "equivalent",
}
"""Keys of :func:`cells_of`, with the headings of people's tables."""


def is_clifford_t(basis: Sequence[str]) -> bool:
    """Whether a basis is one of fixed Clifford gates and T, in which T gates are what costs."""
    return _CLIFFORD_T.issuperset(basis) and not {"t", "tdg"}.isdisjoint(basis)


def columns(members: Sequence[Row]) -> list[str]:
    """The keys of :data:`HEADINGS` that say something in a block."""
    left_out = set()
    if not any("success" in row.figures for row in members):
        left_out.add("success")
    if any(is_clifford_t(row.basis) for row in members):
        left_out.add("virtual_rz")
    else:
        left_out |= {"t_depth", "t_gates"}
    if all(len(row.seeds) < 2 for row in members):
        left_out.add("seeds")
    return [key for key in HEADINGS if key not in left_out]


def blocks(rows: Sequence[Row]) -> dict[Block, list[Row]]:
    """Rows by circuit, target and basis, each block best first; unproved rows last.

    The order is by two-qubit depth, then two-qubit gates, then depth; in a Clifford+T basis by
    T depth and T gates before those, and on a device by the expected success before all.
    """
    found: dict[Block, list[Row]] = {}
    for row in rows:
        found.setdefault(row.block, []).append(row)
    return {block: sorted(members, key=_order) for block, members in found.items()}


def _order(row: Row) -> tuple[Any, ...]:
    return (not row.ranked, row.status != "ok", _cost(row), row.backend != OURS, label(row))


def _cost(row: Row) -> tuple[float, ...]:
    """What a row is ranked by, the most important first."""
    keys = ["two_qubit_depth", "two_qubit_gates", "depth"]
    if is_clifford_t(row.basis):
        keys[:0] = ["t_depth", "t_gates"]
    failures = () if "success" not in row.figures else (1 - row.figures["success"],)
    return (*failures, *(row.figures.get(key, 0.0) for key in keys))


def outcome(row: Row) -> str:
    """Whether a row was shown equivalent and how, in a word or two."""
    if row.status != "ok":
        return row.status
    if row.equivalent is None:
        return "not shown"
    if row.equivalent is False:
        return f"NO ({row.method})"
    if row.distance is not None and row.distance > TOLERANCE:
        return f"to {row.distance:.0e} ({row.method})"
    return f"yes ({row.method})"


def reason(row: Row) -> str:
    """Why a row is not ranked; empty for one that is."""
    if row.ranked:
        return ""
    return row.detail.splitlines()[0] if row.detail else "no reason given"


def verdict(row: Row) -> str:
    """The outcome, with the reason if there has to be one."""
    return ": ".join(part for part in (outcome(row), reason(row)) if part)


def cells_of(row: Row, rank: int | None) -> dict[str, str]:
    """A row as text by the keys of :data:`HEADINGS`."""
    text = {
        "rank": "" if rank is None else str(rank),
        "label": label(row),
        "native_depth": "" if row.native_depth is None else f"{row.native_depth:g}",
        "seconds": f"{row.seconds:.2f}" if row.status == "ok" else "",
        "seeds": f"{row.seeds[0]}-{row.seeds[-1]}" if len(row.seeds) > 1 else f"{row.seeds[0]}",
        "verdict": verdict(row),
    }
    for name in FIGURES:
        text[name] = _figure(row, name)
    text["success"] = _figure(row, "success", ".3f")
    return text


def label(row: Row) -> str:
    """Compiler, lowering and spare qubits in a few words."""
    name = row.backend if row.backend == OURS else f"{row.backend} level {row.level}"
    if row.lowering == "ours" and row.backend != OURS:
        name += ", our lowering"
    if row.ancillas:
        name += f", {row.ancillas} spare"
    return name


def _figure(row: Row, name: str, form: str = ".10g") -> str:
    if name not in row.figures:
        return ""
    low, high = row.spread[name]
    middle = f"{row.figures[name]:{form}}"
    return middle if low == high else f"{middle} ({low:{form}}-{high:{form}})"


def ranked(members: Sequence[Row]) -> list[tuple[int | None, Row]]:
    """Rows of a block with their ranks; equal figures share one, unproved rows have none."""
    result: list[tuple[int | None, Row]] = []
    last: tuple[Any, ...] | None = None
    rank = 0
    for position, row in enumerate(members, 1):
        if not row.ranked:
            result.append((None, row))
            continue
        key = _cost(row)
        if key != last:
            rank, last = position, key
        result.append((rank, row))
    return result


def title(block: Block) -> str:
    """What a block compares."""
    circuit, target, basis = block
    return f"{circuit} on {target}, basis {{{', '.join(basis)}}}"


def recipes(rows: Sequence[Row]) -> list[str]:
    """What each compiler was: backend, version, level and its passes by name."""
    found = {(row.backend, row.version, row.level, row.passes): None for row in rows if row.passes}
    return [f"{b} {v}, level {n}: {passes}" for b, v, n, passes in sorted(found)]


def to_markdown(rows: Sequence[Row]) -> str:
    """One table a block, then the passes by name."""
    lines: list[str] = []
    for block, members in blocks(rows).items():
        keys = columns(members)
        lines += [f"### {title(block)}", ""]
        lines.append("| " + " | ".join(HEADINGS[key] for key in keys) + " |")
        lines.append("|" + "---|" * len(keys))
        for rank, row in ranked(members):
            cells = cells_of(row, rank)
            lines.append("| " + " | ".join(cells[k].replace("|", "\\|") for k in keys) + " |")
        lines.append("")
    lines += ["### Passes", "", *(f"* {recipe}" for recipe in recipes(rows)), ""]
    return "\n".join(lines)


def to_csv(rows: Sequence[Row]) -> str:
    """One line a row, figures as medians with their least and most."""
    buffer = io.StringIO()
    names = ["circuit", "backend", "version", "level", "passes", "lowering", "target", "basis",
             "ancillas", "status", "detail", "native_depth", "seconds", "seeds", "equivalent",
             "method", "distance"]  # fmt: skip
    figures = (*FIGURES, "success")
    ends = [f"{figure}{end}" for figure in figures for end in ("", "_min", "_max")]
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
