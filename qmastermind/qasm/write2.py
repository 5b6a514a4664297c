"""OpenQASM 2.0 out."""

from __future__ import annotations

from qmastermind.circuit import Apply, Barrier, Circuit, Measure, Reset
from qmastermind.qasm import definitions
from qmastermind.qasm.diagonal import named_gate, spelled_out
from qmastermind.qasm.names import (
    angle_text,
    qubit_names,
    register_names,
    register_note,
    unique_name,
)


def to_qasm2(circuit: Circuit) -> str:
    """The circuit as OpenQASM 2.0, boxes opened and without its global phase.

    Only gates of the original ``qelib1.inc`` are used. Other gates, and controls that it has no
    name for, come with definitions (:mod:`qmastermind.qasm.definitions`), which need no ancilla.
    A diagonal is written as controlled phases. Names of registers and ancillas as in
    :func:`to_qasm3`.

    Raises:
        TooLargeError: For a diagonal with more than 4096 phases.
    """
    operations = list(spelled_out(circuit))
    gates = [_gate(op) for op in operations if isinstance(op, Apply)]
    own = {definitions.gate_name(*gate) for gate in gates}
    names = register_names(circuit.registers, own)
    qubits = qubit_names(circuit, names)
    bits = unique_name("c", [*names, *own])
    lines = ["OPENQASM 2.0;", 'include "qelib1.inc";']
    lines += definitions.needed(gates)
    lines += [
        f"qreg {name}[{register.size}];{register_note(register, name)}"
        for name, register in zip(names, circuit.registers, strict=True)
    ]
    if circuit.num_bits:
        lines.append(f"creg {bits}[{circuit.num_bits}];")
    for op in operations:
        on = ",".join(qubits[q] for q in op.qubits)
        match op:
            case Apply():
                lines.append(f"{_call(op)} {on};")
            case Barrier():
                lines.append(f"barrier {on};")
            case Measure():
                lines.append(f"measure {on} -> {bits}[{op.bit}];")
            case Reset():
                lines.append(f"reset {on};")
    return "\n".join(lines) + "\n"


def _gate(op: Apply) -> tuple[str, str]:
    return named_gate(op).name, "".join(map(str, op.values))


def _call(op: Apply) -> str:
    angles = ",".join(map(angle_text, named_gate(op).params))
    return definitions.gate_name(*_gate(op)) + (f"({angles})" if angles else "")
