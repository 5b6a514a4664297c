"""The devices on offer: the snapshots that come with the client, served as the service would."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import qiskit_ibm_runtime.fake_provider.backends as snapshots
from qiskit.providers import BackendV2
from qiskit_ibm_runtime.fake_provider import FakeProviderForBackendV2


@dataclass
class Device:
    """A device of the service.

    Attributes:
        name: Such as ``ibm_manila``.
        queue: Jobs that wait, as the service reports them.
        online: Whether it takes part in the choice of the least busy.
        status: ``active``, or another word for a device under maintenance.
    """

    name: str
    queue: int = 0
    online: bool = True
    status: str = "active"

    @property
    def snapshot(self) -> str:
        """The name without its vendor."""
        return self.name.partition("_")[2]

    def configuration(self) -> dict[str, Any]:
        """As ``/backends/NAME/configuration`` gives it."""
        data = _load(self.snapshot, "conf")
        return {**data, "backend_name": self.name, "simulator": False}

    def properties(self) -> dict[str, Any]:
        """As ``/backends/NAME/properties`` gives it."""
        return {**_load(self.snapshot, "props"), "backend_name": self.name}

    @property
    def backend(self) -> BackendV2:
        """The snapshot as a Qiskit backend: its target and its noise."""
        return _backend(f"fake_{self.snapshot}")


@cache
def _load(snapshot: str, kind: str) -> dict[str, Any]:
    folder = Path(snapshots.__path__[0]) / snapshot
    data: dict[str, Any] = json.loads((folder / f"{kind}_{snapshot}.json").read_text())
    return data


@cache
def _backend(name: str) -> BackendV2:
    with warnings.catch_warnings():  # some snapshots warn about themselves
        warnings.simplefilter("ignore")
        backend = FakeProviderForBackendV2().backend(name)
        _ = backend.target
    return backend
