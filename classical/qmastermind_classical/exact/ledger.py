"""The ledger: optimal totals of many games in one file, each checked against what is published."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qmastermind.files import replacing
from qmastermind_classical.exact.cells import PUBLISHED, Cell, read_cells
from qmastermind_classical.exact.errors import DisagreementError, FileFormatError
from qmastermind_classical.exact.jobs import Proof

FORMAT = "qmastermind-ledger"
VERSION = 1
HEADINGS = (
    "game", "total", "mean", "most", "opening", "sets", "CPU s", "value", "tree SHA-256",
)  # fmt: skip


@dataclass
class Ledger:
    """A results file.

    Attributes:
        path: The file.
        records: For each cell what is known; see ``docs/ledger.md``.
    """

    path: Path
    records: dict[Cell, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> Ledger:
        """Reads a results file; a missing one is an empty ledger.

        Raises:
            FileFormatError: If it is damaged, or of another kind or version.
            DisagreementError: If it holds a total that is not the published one.
        """
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls(path)
        except OSError as error:
            raise FileFormatError(f"cannot read {path}: {error.strerror or error}") from error
        except ValueError as error:
            raise FileFormatError(f"{path} is not JSON, or damaged: {error}") from error
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise FileFormatError(f"{path} is not a ledger: it has no format {FORMAT!r}")
        if data.get("version") != VERSION:
            raise FileFormatError(
                f"{path} is a ledger of version {data.get('version')!r}; this program reads "
                f"version {VERSION}. Give another --results file, or move this one away"
            )
        try:
            ledger = cls(path, {read_cells(spec)[0]: r for spec, r in data["cells"].items()})
            for cell, record in ledger.records.items():
                check(cell, record["total"], f"{path}")
                row(cell, record)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FileFormatError(f"{path} is damaged: {error!r}") from error
        return ledger

    def save(self) -> None:
        """Writes the file; the old one is replaced as a whole."""
        cells = {cell.spec: self.records[cell] for cell in self.cells()}
        with replacing(self.path, "w") as file:
            json.dump({"format": FORMAT, "version": VERSION, "cells": cells}, file, indent=1)
            file.write("\n")

    def cells(self) -> list[Cell]:
        """The cells that are known, in the order of the table."""
        return sorted(
            self.records, key=lambda c: (c.distinct, c.positions, c.colours, c.max_guesses or 0)
        )

    def missing(self, cells: Sequence[Cell], methods: Sequence[str]) -> list[tuple[Cell, str]]:
        """What is not proved yet: of each cell, the methods that have not proved it."""
        return [
            (cell, method)
            for cell in cells
            for method in methods
            if method not in self.records.get(cell, {}).get("proofs", {})
        ]

    def enter(self, proof: Proof, tree_file: str | None) -> None:
        """Enters a proof.

        Raises:
            DisagreementError: If its total is not the published one, or not that of another
                method; nothing is entered.
        """
        total = proof.values.get("total")
        check(proof.cell, total, f"method {proof.method!r}")
        record = self.records.get(proof.cell)
        if record is None:
            published = PUBLISHED.get(proof.cell)
            record = {
                "name": proof.cell.name,
                "total": total,
                **proof.values,
                "status": "new" if published is None else "published",
                "source": None if published is None else published.source,
                "proofs": {},
            }
        elif record["total"] != total:
            raise DisagreementError(
                f"{proof.cell.name}: method {proof.method!r} finds {_say(total)}, "
                f"{' and '.join(record['proofs'])} found {_say(record['total'])}"
            )
        tree = {"sha256": hashlib.sha256(proof.tree.encode()).hexdigest()} if proof.tree else {}
        if tree_file is not None:
            tree["file"] = tree_file
        record["proofs"][proof.method] = {**proof.effort, "tree": tree or None}
        self.records[proof.cell] = record


def check(cell: Cell, total: int | None, by: str) -> None:
    """Compares a total with the published one.

    Raises:
        DisagreementError: If they differ.
    """
    published = PUBLISHED.get(cell)
    if published is not None and published.total != total:
        raise DisagreementError(
            f"{cell.name}: {by} has {_say(total)}, published is {_say(published.total)} "
            f"({published.source}); stopped, and the cell is not entered"
        )


def _say(total: int | None) -> str:
    return "that it is impossible" if total is None else f"the total {total:,}"


def markdown(ledger: Ledger, cells: Sequence[Cell]) -> str:
    """The table of some cells in Markdown."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---|---:|---:|---:|---|---:|---:|---|---|"]
    lines += ["| " + " | ".join(row(cell, ledger.records[cell])) + " |" for cell in cells]
    return "\n".join(lines) + "\n"


def row(cell: Cell, record: dict[str, Any]) -> list[str]:
    """A cell as a row of a table."""
    proofs = record["proofs"].values()
    trees = [proof["tree"]["sha256"][:12] for proof in proofs if proof["tree"]]
    possible = record["total"] is not None
    return [
        cell.name,
        f"{record['total']:,}" if possible else "impossible",
        f"{record['mean']:.4f}" if possible else "",
        str(record["max"]) if possible else "",
        record["opening"] if possible else "",
        ", ".join(f"{proof['expanded_sets']:,}" for proof in proofs),
        ", ".join(f"{proof['seconds']:,.2f}" for proof in proofs),
        "new" if record["status"] == "new" else record["source"],
        trees[0] if trees else "",
    ]
