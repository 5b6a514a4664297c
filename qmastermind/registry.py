"""The registry of plugins: backends and solvers, found through entry points.

Ours register in the same way as anybody else's, and a plugin that cannot be loaded is listed with
the reason instead of hiding the others.
"""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from qmastermind.backend import Backend
from qmastermind.errors import UnknownNameError, UsageError
from qmastermind.solver import Solver

T = TypeVar("T")


@dataclass(frozen=True)
class Plugin(Generic[T]):
    """An entry of the registry.

    Attributes:
        name: Name of the entry point.
        cls: The class, or None if it could not be loaded.
        problem: Why not.
        distribution: The distribution that registers it.
    """

    name: str
    cls: type[T] | None
    problem: str
    distribution: str


def registered_backends() -> dict[str, Plugin[Backend]]:
    """All registered backends by name, from the group ``qmastermind.backends``."""
    return _registered("qmastermind.backends", Backend)  # type: ignore[type-abstract]


def registered_solvers() -> dict[str, Plugin[Solver]]:
    """All registered solvers by name, from the group ``qmastermind.solvers``."""
    return _registered("qmastermind.solvers", Solver)  # type: ignore[type-abstract]


def get_backend(name: str) -> Backend:
    """The backend of a name, with an optional argument after a colon.

    Raises:
        UnknownNameError: If there is none.
        MissingDependencyError: If its framework is not installed.
        UsageError: If its plugin is broken or the argument is no good.
    """
    base, _, argument = name.partition(":")
    return _load("backend", base, registered_backends()).create(argument or None)


def get_solver(name: str, **options: Any) -> Solver:
    """The solver of a name, made with ``options``.

    Raises:
        UnknownNameError: If there is none.
        UsageError: If its plugin is broken, or it does not take one of the options.
    """
    return solver_class(name).create(**options)


def solver_class(name: str) -> type[Solver]:
    """The class behind a solver's name, for its options.

    Raises:
        UnknownNameError: If there is none.
        UsageError: If its plugin is broken.
    """
    return _load("solver", name, registered_solvers())


def _load(kind: str, name: str, known: dict[str, Plugin[T]]) -> type[T]:
    if name not in known:
        raise UnknownNameError(kind, name, known)
    plugin = known[name]
    if plugin.cls is None:
        raise UsageError(f"{kind} {name!r} cannot be loaded: {plugin.problem}")
    return plugin.cls


def _registered(group: str, base: type[T]) -> dict[str, Plugin[T]]:
    found: dict[str, Plugin[T]] = {}
    for entry in importlib.metadata.entry_points(group=group):
        owner = entry.dist.name if entry.dist is not None else "unknown"
        cls: type[T] | None = None
        problem = ""
        if entry.name in found and found[entry.name].distribution != owner:
            problem = f"registered by both {found[entry.name].distribution} and {owner}"
        else:
            try:
                loaded = entry.load()
            except Exception as error:  # a broken plugin must not hide the others
                problem = f"{type(error).__name__}: {error}"
            else:
                if isinstance(loaded, type) and issubclass(loaded, base):
                    cls = loaded
                else:
                    problem = f"{entry.value} is not a subclass of {base.__name__}"
        found[entry.name] = Plugin(entry.name, cls, problem, owner)
    return dict(sorted(found.items()))
