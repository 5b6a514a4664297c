"""Backends of pytket from its installed extensions: found by name, and run."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from typing import Any

from pytket.backends import Backend as NativeBackend
from pytket.circuit import Bit

from qmastermind.circuit import Circuit
from qmastermind.errors import UnknownNameError, UnsupportedError, UsageError
from qmastermind.results import Counts
from qmastermind_tket.exporter import to_tket

_NAMESPACE = "pytket.extensions"


def backend_classes() -> tuple[dict[str, type[Any]], dict[str, str]]:
    """The backend classes of all installed extensions, and the extensions that are broken.

    Returns:
        The classes as ``extension.Class``, and for each extension that cannot be imported why.
    """
    try:
        namespace = import_module(_NAMESPACE)
    except ImportError:  # it exists only once an extension is installed
        return {}, {}
    found: dict[str, type[Any]] = {}
    broken: dict[str, str] = {}
    for module in pkgutil.iter_modules(namespace.__path__):
        try:
            extension = import_module(f"{_NAMESPACE}.{module.name}")
        except Exception as error:  # must not hide the others
            broken[module.name] = f"{type(error).__name__}: {error}"
            continue
        for name, member in inspect.getmembers(extension, inspect.isclass):
            if issubclass(member, NativeBackend) and not inspect.isabstract(member):
                found[f"{module.name}.{name}"] = member
    return found, broken


def find_backend(name: str) -> Any:
    """Makes the backend of a name, ``Class`` or ``extension.Class``.

    Raises:
        UnknownNameError: If there is no such class.
        UsageError: If its extension may be one that is broken, or it needs arguments, or it
            cannot sample.
    """
    known, broken = backend_classes()
    matches = [cls for full, cls in known.items() if name in (full, full.partition(".")[2])]
    if not matches and broken:
        reasons = "; ".join(f"{module} ({reason})" for module, reason in broken.items())
        raise UsageError(
            f"no pytket backend {name!r}; these extensions cannot be imported: {reasons}"
        )
    if not matches:
        raise UnknownNameError("pytket backend", name, known)
    try:
        backend = matches[0]()
    except Exception as error:
        raise UsageError(
            f"pytket's {name} cannot be made without arguments ({error}); "
            "make it yourself and pass it: TketBackend(backend)"
        ) from error
    if not (backend.supports_counts or backend.supports_shots):
        raise UsageError(f"pytket's {name} returns neither shots nor counts")
    return backend


def sample(backend: Any, circuit: Circuit, shots: int, seed: int | None) -> Counts:
    """Compiles a circuit as the backend needs it, with its own default passes, and runs it.

    Raises:
        UnsupportedError: If the backend cannot run it even then.
    """
    compiled = backend.get_compiled_circuit(to_tket(circuit))
    if not backend.valid_circuit(compiled):
        raise UnsupportedError(f"pytket's {type(backend).__name__} cannot run this circuit")
    options = {} if seed is None else {"seed": seed}
    result = backend.run_circuit(compiled, n_shots=shots, **options)
    bits = [Bit(i) for i in range(circuit.num_bits)]
    written = [bit for bit in bits if bit in set(compiled.bits)]
    counts = result.get_counts(cbits=written)
    found: dict[str, int] = {}
    for values, number in counts.items():
        row = dict(zip(written, values, strict=True))
        key = "".join(str(int(row.get(bit, 0))) for bit in bits)
        found[key] = found.get(key, 0) + int(number)
    return Counts(found)
