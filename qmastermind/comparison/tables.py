"""A comparison as a ranked table: text, Markdown, CSV, JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from qmastermind.comparison.cells import OURS, Block, Row
from qmastermind.comparison.figures import FIGURES, is_clifford_t
from qmastermind.equivalence import TOLERANCE

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
    "virtual_rz": "rz gates",
    "qubits": "qubits",
    "used_ancillas": "ancillas",
    "native_depth": "own depth",
    "seconds": "seconds",
    "seeds": "seeds",
    "verdict": "equivalent",
}
"""Keys of :func:`cells_of`, with the headings of people's tables."""

_FORMS = {"success": "#.3g"}  # digits that are shown, and ranked by


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


def ranking(members: Sequence[Row]) -> tuple[str, ...]:
    """The figures that the rows of a block are ranked by, the most important first.

    Tables, charts, the summary and the sentence above a table all follow this.
    """
    success = ("success",) if any("success" in row.figures for row in members) else ()
    t = ("t_depth", "t_gates") if any(is_clifford_t(row.basis) for row in members) else ()
    return (*success, *t, "two_qubit_depth", "two_qubit_gates", "depth", "one_qubit_gates")


def decisive(members: Sequence[Row]) -> list[str]:
    """The one or two figures that show best how the rows of a block rank.

    The first of the ranking that is not zero in every row, and the next in which rows differ.
    """
    rows = [row for row in members if row.ranked]
    keys = ranking(rows)
    first = next((key for key in keys if any(row.figures.get(key) for row in rows)), keys[0])
    later = keys[keys.index(first) + 1 :]
    return [first, *[key for key in later if len({_value(row, key) for row in rows}) > 1][:1]]


def blocks(rows: Sequence[Row]) -> dict[Block, list[Row]]:
    """Rows by circuit, target and basis, each block by its :func:`ranking`; unranked rows last."""
    found: dict[Block, list[Row]] = {}
    for row in rows:
        found.setdefault(row.block, []).append(row)
    return {block: _sorted(members) for block, members in found.items()}


def _sorted(members: Sequence[Row]) -> list[Row]:
    keys = ranking(members)

    def order(row: Row) -> tuple[Any, ...]:
        cost = _cost(row, keys)
        return (not row.ranked, row.status != "ok", cost, row.backend != OURS, label(row))

    return sorted(members, key=order)


def _cost(row: Row, keys: Sequence[str]) -> tuple[float, ...]:
    return tuple(_value(row, key) for key in keys)


def _value(row: Row, key: str) -> float:
    """What is ranked by: less is better, and what is not known is worst."""
    if key not in row.figures:
        return math.inf
    value = row.figures[key]
    return -float(f"{value:{_FORMS[key]}}") if key == "success" else value


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
    return "" if row.ranked else _remark(row) or "no reason given"


def _remark(row: Row) -> str:
    return row.detail.splitlines()[0] if row.detail else ""


def remarks(members: Sequence[Row]) -> dict[str, list[Row]]:
    """What there is to say of rows beside their figures, above all why they are not ranked."""
    found: dict[str, list[Row]] = {}
    for row in members:
        text = reason(row) or _remark(row)
        if text:
            found.setdefault(text, []).append(row)
    return found


def shown_equivalent(rows: Sequence[Row]) -> str:
    """How many rows were shown equivalent, and by which methods."""
    methods = Counter(row.method for row in rows if row.ranked)
    text = f"{methods.total()} of {len(rows)} rows shown equivalent to the original circuit"
    by = ", ".join(f"{number} by {method}" for method, number in sorted(methods.items()))
    return f"{text}: {by}" if by else text


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
        "seeds": _seeds(row.seeds),
        "verdict": verdict(row),
    }
    for name in FIGURES:
        text[name] = _figure(row, name)
    text["success"] = _figure(row, "success")
    return text


def _seeds(seeds: tuple[int, ...]) -> str:
    first, last = seeds[0], seeds[-1]
    if len(seeds) > 1 and seeds == tuple(range(first, last + 1)):
        return f"{first}-{last}"
    return ", ".join(map(str, seeds))


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
    middle, low, high = (
        f"{value:{_FORMS.get(name, '.10g')}}" for value in (row.figures[name], *row.spread[name])
    )
    return middle if low == high else f"{middle} ({low}-{high})"


def ranked(members: Sequence[Row]) -> list[tuple[int | None, Row]]:
    """Rows of a block, best first, with ranks; equal figures share one, unproved rows have none."""
    keys = ranking(members)
    result: list[tuple[int | None, Row]] = []
    last: tuple[Any, ...] | None = None
    rank = 0
    for position, row in enumerate(members, 1):
        if not row.ranked:
            result.append((None, row))
            continue
        cost = _cost(row, keys)
        if cost != last:
            rank, last = position, cost
        result.append((rank, row))
    return result


def title(block: Block) -> str:
    """What a block compares."""
    circuit, target, basis = block
    return f"{circuit} on {target}, basis {{{', '.join(basis)}}}"


def ranked_by(members: Sequence[Row]) -> str:
    """By what the rows of a block are ranked, as a sentence."""
    return "Ranked by " + ", then ".join(HEADINGS[key] for key in ranking(members))


def recipe(row: Row) -> str:
    """What a compiler was: backend, version, level and its passes by name."""
    return f"{row.backend} {row.version}, level {row.level}: {row.passes}" if row.passes else ""


def recipes(rows: Sequence[Row]) -> list[str]:
    """Every :func:`recipe` once."""
    return sorted({recipe(row) for row in rows} - {""})


def to_markdown(rows: Sequence[Row], about: Mapping[str, Any] | None = None) -> str:
    """One table a block, then the passes by name; first of all that it is partial, if it is."""
    interrupted = (about or {}).get("interrupted")
    lines = [f"**{interrupted}**", ""] if interrupted else []
    for block, members in blocks(rows).items():
        keys = columns(members)
        lines += [f"### {title(block)}", "", f"{ranked_by(members)}.", ""]
        lines.append("| " + " | ".join(HEADINGS[key] for key in keys) + " |")
        lines.append("|" + "---|" * len(keys))
        for rank, row in ranked(members):
            cells = cells_of(row, rank)
            lines.append("| " + " | ".join(cells[k].replace("|", "\\|") for k in keys) + " |")
        lines.append("")
    lines += [f"{shown_equivalent(rows)}.", ""]
    lines += ["### Passes", "", *(f"* {recipe}" for recipe in recipes(rows)), ""]
    return "\n".join(lines)


def to_csv(rows: Sequence[Row]) -> str:
    """One line a row, figures as medians with their least and most; empty is what is not known."""
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


def to_json(rows: Sequence[Row], about: Mapping[str, Any]) -> str:
    """One object: what was run, and the rows."""
    return json.dumps({**about, "rows": [row.as_dict() for row in rows]}, indent=1)
