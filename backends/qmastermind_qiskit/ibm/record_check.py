"""What the fields of a job record must be, so that a damaged file is told apart when it is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, NoReturn

LISTS = {"parts", "notes", "doubles", "results"}
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "job_id": (str, NoneType),
    "batch_id": (str, NoneType),
    "shots": int,
    "attempts": int,
    "schema": int,
    "seconds": (int, float, NoneType),
    "task": dict,
    "options": dict,
    "versions": dict,
    "parts": list,
    "notes": list,
    "doubles": list,
    "results": (list, NoneType),
}
"""Of the fields in JSON; the others are texts."""


def check(data: Mapping[str, Any], states: Collection[str]) -> None:
    """Raises a ValueError unless every field is what the rest of the program takes it for."""
    for name, value in data.items():
        if not isinstance(value, _TYPES.get(name, str)):
            raise ValueError(f"{name} is {str(value)[:40]!r}")
    inside: list[tuple[Any, type]] = [(data["task"]["title"], str)]
    inside += [(part, dict) for part in (*data["parts"], *(data.get("results") or ()))]
    inside += [(text, str) for text in (*data.get("notes", ()), *data.get("doubles", ()))]
    inside += [(n, int) for counts in data.get("results") or () for n in counts.values()]
    for value, expected in inside:
        if not isinstance(value, expected):
            raise ValueError(f"{str(value)[:40]!r} is no {expected.__name__}")
    if data.get("state") not in (None, *states):
        raise ValueError(f"unknown state {data['state']!r}")
    if Path(data["tag"]).name != data["tag"]:  # it becomes a file name
        raise ValueError(f"{data['tag'][:40]!r} is no tag")


def no_number(text: str) -> NoReturn:
    """Refuses NaN and infinities, which JSON does not have and Python reads all the same."""
    raise ValueError(f"{text} is no number")
