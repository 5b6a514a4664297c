"""Public test helpers: equivalence, circuit strategies, the conformance suite of backends.

Each name is imported when it is first used, so that a test which compares two circuits needs
neither hypothesis nor pytest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qmastermind.equivalence import Verdict, assert_equivalent, equivalent
    from qmastermind.testing.conformance import BackendConformance
    from qmastermind.testing.strategies import angles, circuits, gates, phases

__all__ = [
    "BackendConformance",
    "Verdict",
    "angles",
    "assert_equivalent",
    "circuits",
    "equivalent",
    "gates",
    "phases",
]

_HOMES = {
    "BackendConformance": "qmastermind.testing.conformance",
    "Verdict": "qmastermind.equivalence",
    "angles": "qmastermind.testing.strategies",
    "assert_equivalent": "qmastermind.equivalence",
    "circuits": "qmastermind.testing.strategies",
    "equivalent": "qmastermind.equivalence",
    "gates": "qmastermind.testing.strategies",
    "phases": "qmastermind.testing.strategies",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "BackendConformance":
        import pytest

        # so that its assertions show their values, as those of a test file do
        pytest.register_assert_rewrite(_HOMES[name])
    return getattr(import_module(_HOMES[name]), name)
