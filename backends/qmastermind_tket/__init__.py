"""Tket as a backend of qmastermind: compiles with pytket, runs on any of its backends.

Pytket itself is imported when a converter or a method of the backend is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qmastermind_tket.backend import TketBackend

if TYPE_CHECKING:
    from qmastermind_tket.exporter import to_tket
    from qmastermind_tket.importer import from_tket

__all__ = ["TketBackend", "from_tket", "to_tket"]

_HOMES = {"from_tket": "qmastermind_tket.importer", "to_tket": "qmastermind_tket.exporter"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
