"""What of a device a calibration reports as broken: the one definition of usable.

An instruction is broken where its error rate is 1, which is how IBM reports that a calibration
failed, or is no number, or is missing. Of what acts on one qubit only gates and the readout need a
rate, if the device gives it on other qubits; rotations about Z are a change of frame and need none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from qmastermind.gates import GATES

if TYPE_CHECKING:
    from qiskit.transpiler import InstructionProperties, Target

_NEED_A_RATE = {"u2", "u3", "measure", *GATES} - {"rz", "p"}


def entries(target: Target, name: str) -> Mapping[tuple[int, ...], InstructionProperties | None]:
    """Where an instruction exists; nothing for control flow, which is not bound to qubits."""
    if isinstance(target.operation_from_name(name), type) or None in target[name]:
        return {}
    found: Mapping[tuple[int, ...], InstructionProperties | None] = target[name]
    return found


def error_rate(entry: InstructionProperties | None) -> float | None:
    """The error rate, or None where it is missing or no number."""
    error = getattr(entry, "error", None)
    return None if error is None or math.isnan(error) else float(error)


def fault(entry: InstructionProperties | None) -> str:
    """Why an instruction that needs an error rate cannot be used; empty if it can."""
    error = error_rate(entry)
    if error is None:
        return "has no error rate"
    return "has error rate 1" if error >= 1 else ""


def broken_qubits(target: Target) -> dict[int, str]:
    """The qubits on which a one-qubit gate, the readout or T1 or T2 is broken, with the reason."""
    found: dict[int, str] = {}
    for name in target.operation_names:
        alone = {q[0]: entry for q, entry in entries(target, name).items() if len(q) == 1}
        known = any(error_rate(entry) is not None for entry in alone.values())
        needed = known and name in _NEED_A_RATE
        for qubit, entry in alone.items():
            given = getattr(entry, "error", None) is not None
            if (given or needed) and fault(entry):
                found.setdefault(qubit, f"{name} on qubit {qubit} {fault(entry)}")
    for qubit, properties in enumerate(target.qubit_properties or ()):
        for name in ("t1", "t2"):
            seconds = getattr(properties, name, None)
            if seconds is not None and not seconds > 0:
                found.setdefault(qubit, f"{name.upper()} of qubit {qubit} is {seconds:g}")
    return found
