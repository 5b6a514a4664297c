"""``qmastermind backends`` and ``qmastermind solvers``: what is there, what is missing."""

from __future__ import annotations

from typing import Any

from qmastermind.cli.common import JsonFlag, console, print_json


def backends(json: JsonFlag = False) -> None:
    """Lists every registered backend, installed or not, and how to install what is missing."""
    from qmastermind.registry import registered_backends

    rows = [_row(plugin) for plugin in registered_backends().values()]
    if json:
        print_json({"backends": rows})
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in ("backend", "status", "versions", "capabilities"):
        table.add_column(column)
    for row in rows:
        ready = bool(row["available"])
        status = Text("ready", "green") if ready else Text(row["hint"], "yellow")
        versions = ", ".join(f"{k} {v}" for k, v in row["versions"].items() if v)
        table.add_row(row["name"], status, versions, ", ".join(row["capabilities"]))
    console().print(table)


def _row(plugin: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": plugin.name,
        "distribution": plugin.distribution,
        "available": False,
        "versions": {},
        "capabilities": [],
        "summary": "",
        "hint": "",
    }
    if plugin.cls is None:
        row["hint"] = f"broken: {plugin.problem}"
        return row
    info = plugin.cls.info
    missing = info.missing()
    row.update(
        available=missing is None,
        versions=info.versions(),
        capabilities=sorted(c.value for c in info.capabilities),
        summary=info.summary,
    )
    if missing is not None:
        row["hint"] = f"pip install 'qmastermind[{info.extra}]'"
    return row


def solvers(json: JsonFlag = False) -> None:
    """Lists every registered solver with its options."""
    from qmastermind.registry import registered_solvers

    rows = [
        {
            "name": plugin.name,
            "summary": plugin.cls.summary if plugin.cls else f"broken: {plugin.problem}",
            "options": list(plugin.cls.options()) if plugin.cls else [],
            "distribution": plugin.distribution,
        }
        for plugin in registered_solvers().values()
    ]
    if json:
        print_json({"solvers": rows})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("solver", "what it does", "options"):
        table.add_column(column)
    for row in rows:
        flags = " ".join("--" + str(o).replace("_", "-") for o in row["options"])
        table.add_row(str(row["name"]), str(row["summary"]), flags)
    console().print(table)
