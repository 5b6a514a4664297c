"""The Qiskit plugin: conversion both ways, compilation by Qiskit, runs on Aer and other backends.

Nothing here imports Qiskit before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from qmastermind_qiskit.backend import QiskitBackend

if TYPE_CHECKING:
    from qmastermind_qiskit.devices import (
        named_backend,
        target_from_qiskit,
        unusable_couplings,
    )
    from qmastermind_qiskit.exporter import to_qiskit
    from qmastermind_qiskit.importer import from_qiskit

__all__ = [
    "QiskitBackend",
    "from_qiskit",
    "named_backend",
    "target_from_qiskit",
    "to_qiskit",
    "unusable_couplings",
]

_HOMES = {
    "from_qiskit": "qmastermind_qiskit.importer",
    "named_backend": "qmastermind_qiskit.devices",
    "target_from_qiskit": "qmastermind_qiskit.devices",
    "to_qiskit": "qmastermind_qiskit.exporter",
    "unusable_couplings": "qmastermind_qiskit.devices",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
