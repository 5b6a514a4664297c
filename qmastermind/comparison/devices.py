"""Devices as targets, through what the backend of a device offers beside compiling.

Any plugin may offer devices: its backend is created with the device's name, as in ``fake:torino``,
and has the members of :class:`DeviceBackend`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol, runtime_checkable

from qmastermind.backend import Compiled
from qmastermind.circuit import Circuit, Measure
from qmastermind.errors import UnknownNameError, UnsupportedError
from qmastermind.registry import get_backend, registered_backends
from qmastermind.target import Target

STORED = "fake"
"""The backend whose devices are compared on as ``ibm:NAME``."""


@runtime_checkable
class DeviceBackend(Protocol):
    """What the backend of a device has beside the methods of a backend."""

    @property
    def target(self) -> Target:
        """The device as a target for any framework."""

    def expected_success(self, circuit: Circuit) -> float:
        """The share of runs in which nothing is expected to go wrong, in [0, 1].

        Args:
            circuit: In the basis of the target and on its physical qubits.
        """


@lru_cache(maxsize=8)  # reading a device's calibration takes a while
def device_backend(name: str) -> DeviceBackend:
    """The backend of a device, such as ``fake:torino``.

    Raises:
        UnsupportedError: If the backend is that of no device.
    """
    backend = get_backend(name)
    if not isinstance(backend, DeviceBackend):
        raise UnsupportedError(f"backend {name!r} describes no device to compare on")
    return backend


def stored_devices() -> list[str]:
    """Names of all stored devices, as they stand behind ``ibm:``.

    Raises:
        UnknownNameError: If no plugin has any.
        MissingDependencyError: If its packages are missing.
    """
    known = registered_backends()
    plugin = known.get(STORED)
    names = getattr(plugin.cls, "devices", None) if plugin else None
    if names is None:
        raise UnknownNameError("backend", STORED, known)
    return [name.removeprefix("fake_") for name in names()]


def expected_success(device: str, compiled: Compiled) -> float:
    """The expected share of faultless runs on a device, readout of the data qubits included."""
    circuit = compiled.circuit.without_measurements()
    ends = [compiled.final_layout[q] for q in compiled.source.data]
    reads = tuple(Measure(qubit, bit) for bit, qubit in enumerate(ends))
    read = Circuit(circuit.registers, circuit.operations + reads, len(reads), circuit.global_phase)
    return device_backend(device).expected_success(read)
