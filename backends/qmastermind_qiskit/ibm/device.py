"""What is known of a device: its gates, errors and times, from a snapshot or from the account."""

from __future__ import annotations

import math
import statistics
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from qmastermind.errors import UnknownNameError
from qmastermind_qiskit.calibration import broken_qubits, entries, error_rate, fault
from qmastermind_qiskit.ibm.errors import DeviceNotFoundError

if TYPE_CHECKING:
    from qiskit.providers import BackendV2
    from qiskit.transpiler import InstructionProperties, Target

_REP_DELAY = 250e-6  # seconds between shots, where a device does not say


@dataclass(frozen=True)
class Readout:
    """How often a qubit is read wrongly.

    Attributes:
        one_for_zero: Probability of reading 1 from |0>.
        zero_for_one: Probability of reading 0 from |1>.
    """

    one_for_zero: float
    zero_for_one: float


@dataclass(frozen=True)
class Device:
    """A device's calibration.

    What the calibration reports as broken is taken out of :attr:`target`, so that no compiler
    uses it; the couplings that this costs are listed in :attr:`unusable`.

    Attributes:
        name: ``ibm_torino``, or ``fake_torino`` for a stored snapshot.
        target: Qiskit's target with the usable instructions and their errors and durations.
        readout: One for each qubit; None where nothing is known.
        unusable: Directed pairs of qubits whose two-qubit gate cannot be used.
        rep_delay: Seconds between shots.
        notes: What the provider says about the data.
        backend: The provider's object; None for a device that is only described.
    """

    name: str
    target: Target
    readout: tuple[Readout | None, ...]
    unusable: tuple[tuple[int, int], ...]
    rep_delay: float = _REP_DELAY
    notes: tuple[str, ...] = ()
    backend: Any = field(default=None, repr=False, compare=False)

    @property
    def num_qubits(self) -> int:
        """Number of physical qubits."""
        return int(self.target.num_qubits)

    @property
    def is_local(self) -> bool:
        """Whether runs are simulated here."""
        return not self.name.startswith("ibm_")

    @cached_property
    def two_qubit_gates(self) -> tuple[str, ...]:
        """Names of the native two-qubit gates."""
        return tuple(
            sorted(
                name
                for name in self.target.operation_names
                if getattr(self.target.operation_from_name(name), "num_qubits", 0) == 2
            )
        )

    def t1_t2(self, qubit: int) -> tuple[float, float]:
        """Relaxation and coherence time in seconds, T2 clamped to 2 T1; infinite if unknown."""
        known = self.target.qubit_properties
        properties = known[qubit] if known else None
        t1 = getattr(properties, "t1", None) or float("inf")
        t2 = getattr(properties, "t2", None) or float("inf")
        return t1, min(t2, 2 * t1)

    def error_and_duration(self, gate: str, qubits: tuple[int, ...]) -> tuple[float, float]:
        """Average gate error and seconds of an instruction; unknown values count as 0."""
        properties = self.target[gate].get(qubits) if gate in self.target else None
        if properties is None:
            return 0.0, 0.0
        return error_rate(properties) or 0.0, properties.duration or 0.0

    def summary(self) -> dict[str, Any]:
        """Figures for a table, JSON-ready; medians are over the usable couplings and qubits."""
        pairs = {
            tuple(sorted(qubits)): self.error_and_duration(gate, qubits)[0]
            for gate in self.two_qubit_gates
            for qubits in self.target[gate]
        }
        readouts = [(r.one_for_zero + r.zero_for_one) / 2 for r in self.readout if r]
        t1s = [t1 for q in range(self.num_qubits) if (t1 := self.t1_t2(q)[0]) != float("inf")]
        return {
            "name": self.name,
            "qubits": self.num_qubits,
            "two_qubit_gates": list(self.two_qubit_gates),
            "couplings": len(pairs),
            "median_two_qubit_error": _median(pairs.values()),
            "median_readout_error": _median(readouts),
            "median_t1_us": None if not t1s else 1e6 * statistics.median(t1s),
            "unusable_edges": [list(edge) for edge in self.unusable],
            "notes": list(self.notes),
        }


def _median(values: Any) -> float | None:
    listed = list(values)
    return statistics.median(listed) if listed else None


def from_backend(make: Callable[[], BackendV2]) -> Device:
    """Reads the target and properties of the Qiskit backend that ``make`` returns."""
    with warnings.catch_warnings(record=True) as caught:  # some snapshots warn about themselves
        warnings.simplefilter("always")
        backend = make()
        raw = backend.target
        properties = backend.properties() if hasattr(backend, "properties") else None
    target, unusable = _usable(raw)
    seconds = getattr(backend, "default_rep_delay", None)
    if seconds is not None and seconds > 1e-2:
        seconds *= 1e-6  # snapshots give microseconds, the client's own objects seconds
    return Device(
        name=backend.name,
        target=target,
        readout=tuple(_readout(raw, properties, q) for q in range(raw.num_qubits)),
        unusable=unusable,
        rep_delay=_REP_DELAY if seconds is None else seconds,
        notes=tuple(dict.fromkeys(str(w.message) for w in caught)),
        backend=backend,
    )


def _usable(raw: Target) -> tuple[Target, tuple[tuple[int, int], ...]]:
    """The target without control flow, and without what the calibration reports as broken.

    What that is says :mod:`qmastermind_qiskit.calibration`; a two-qubit gate in one direction only,
    and everything on a broken qubit. Older snapshots do not say how long a measurement takes; it
    counts as 0, so that circuits can be scheduled.
    """
    from qiskit.transpiler import Target

    target = Target(
        num_qubits=raw.num_qubits,
        dt=raw.dt,
        granularity=raw.granularity,
        min_length=raw.min_length,
        pulse_alignment=raw.pulse_alignment,
        acquire_alignment=raw.acquire_alignment,
        qubit_properties=raw.qubit_properties,
    )
    broken = broken_qubits(raw)
    unusable: set[tuple[int, int]] = set()
    for name in raw.operation_names:
        kept: dict[tuple[int, ...], InstructionProperties | None] = {}
        for qubits, properties in entries(raw, name).items():
            if not broken.keys().isdisjoint(qubits) or (len(qubits) == 2 and fault(properties)):
                if len(qubits) == 2:
                    unusable.add(qubits)
            else:
                kept[qubits] = _timed(properties)
        if kept:
            target.add_instruction(raw.operation_from_name(name), kept, name=name)
    return target, tuple(sorted(unusable))


def _timed(properties: InstructionProperties | None) -> InstructionProperties:
    if properties is not None and properties.duration is not None:
        return properties
    from qiskit.transpiler import InstructionProperties

    return InstructionProperties(0.0, getattr(properties, "error", None))


def _readout(target: Target, properties: Any, qubit: int) -> Readout | None:
    try:
        values = properties.qubit_property(qubit) if properties else {}
    except Exception:  # a faulty qubit has none
        values = {}
    both = [values.get(name, (None,))[0] for name in ("prob_meas1_prep0", "prob_meas0_prep1")]
    if not any(value is None or math.isnan(value) for value in both):
        return Readout(*both)
    error = error_rate(target["measure"].get((qubit,)) if "measure" in target else None)
    return None if error is None else Readout(error, error)


def _snapshots() -> dict[str, Any]:
    import qiskit_ibm_runtime.fake_provider as provider

    classes: list[Any] = [cls for cls in vars(provider).values() if isinstance(cls, type)]
    return {
        cls.backend_name: cls
        for cls in classes
        if isinstance(getattr(cls, "backend_name", None), str)
    }


def snapshot_names() -> list[str]:
    """Names of the devices whose calibration comes with IBM's client."""
    return sorted(_snapshots())


def snapshot(name: str) -> Device:
    """A stored device; ``torino``, ``fake_torino`` and ``fake:torino`` are the same.

    Raises:
        DeviceNotFoundError: If there is no snapshot of that name.
    """
    known = _snapshots()
    full = "fake_" + name.removeprefix("fake:").removeprefix("fake_")
    if full not in known:
        reason = str(UnknownNameError("stored device", name, known))
        raise DeviceNotFoundError(reason, "`qmastermind ibm devices --offline` shows them all.")
    return from_backend(known[full])


def snapshots() -> Iterator[Device]:
    """All stored devices, by name. Reading them takes a while: some have 150 qubits."""
    for name in snapshot_names():
        yield snapshot(name)
