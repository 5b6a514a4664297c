"""Cirq as a backend of qmastermind: compiles with Cirq's transformers, runs on its simulators.

Cirq itself is imported when a converter or a method of the backend is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qmastermind_cirq.backend import CirqBackend

if TYPE_CHECKING:
    from qmastermind_cirq.exporter import to_cirq
    from qmastermind_cirq.importer import from_cirq

__all__ = ["CirqBackend", "from_cirq", "to_cirq"]

_HOMES = {"from_cirq": "qmastermind_cirq.importer", "to_cirq": "qmastermind_cirq.exporter"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
