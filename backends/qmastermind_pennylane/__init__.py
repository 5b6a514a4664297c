"""PennyLane as a backend of qmastermind: compiles with its transforms, runs on its devices.

PennyLane itself is imported when a converter or a method of the backend is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qmastermind_pennylane.backend import PennyLaneBackend

if TYPE_CHECKING:
    from qmastermind_pennylane.exporter import to_pennylane
    from qmastermind_pennylane.importer import from_pennylane

__all__ = ["PennyLaneBackend", "from_pennylane", "to_pennylane"]

_HOMES = {
    "from_pennylane": "qmastermind_pennylane.importer",
    "to_pennylane": "qmastermind_pennylane.exporter",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
