"""OpenQASM 3.0 out."""

from __future__ import annotations

from qmastermind.circuit import Apply, Barrier, Circuit, Measure, Reset
from qmastermind.qasm.diagonal import named_gate, spelled_out
from qmastermind.qasm.names import (
    angle_text,
    qubit_names,
    register_names,
    register_note,
    unique_name,
)

# Names in stdgates.inc of gates under controls that are all 1.
STANDARD_CONTROLLED = {
    ("x", 1): "cx",
    ("y", 1): "cy",
    ("z", 1): "cz",
    ("h", 1): "ch",
    ("p", 1): "cp",
    ("rx", 1): "crx",
    ("ry", 1): "cry",
    ("rz", 1): "crz",
    ("swap", 1): "cswap",
    ("x", 2): "ccx",
}

DEFINITIONS = {
    "rzz": "gate rzz(theta) a, b { cx a, b; rz(theta) b; cx a, b; }",
    "ecr": "gate ecr a, b { s a; rx(pi/2) b; cx a, b; x a; }",
}
"""Gates that stdgates.inc lacks."""

_SPELLINGS = {"u": "U", "sxdg": "inv @ sx"}


def to_qasm3(circuit: Circuit) -> str:
    """The circuit as OpenQASM 3.0, boxes opened.

    Controls of a kind that ``stdgates.inc`` has no name for are modifiers, ``ctrl @`` for 1 and
    ``negctrl @`` for 0. A diagonal is written as controlled phases. Registers keep their names
    unless the language or one of its importers forbids them; a comment then has the name, and
    it marks ancillas.

    Raises:
        TooLargeError: For a diagonal with more than 4096 phases.
    """
    operations = list(spelled_out(circuit))
    names = register_names(circuit.registers)
    qubits = qubit_names(circuit, names)
    bits = unique_name("c", names)
    used = {named_gate(op).name for op in operations if isinstance(op, Apply)}
    lines = ["OPENQASM 3.0;", 'include "stdgates.inc";']
    lines += [text for gate, text in DEFINITIONS.items() if gate in used]
    lines += [
        f"qubit[{register.size}] {name};{register_note(register, name)}"
        for name, register in zip(names, circuit.registers, strict=True)
    ]
    if circuit.num_bits:
        lines.append(f"bit[{circuit.num_bits}] {bits};")
    if circuit.total_global_phase:
        lines.append(f"gphase({angle_text(circuit.total_global_phase)});")
    for op in operations:
        on = ", ".join(qubits[q] for q in op.qubits)
        match op:
            case Apply():
                lines.append(f"{_call(op)} {on};")
            case Barrier():
                lines.append(f"barrier {on};")
            case Measure():
                lines.append(f"{bits}[{op.bit}] = measure {on};")
            case Reset():
                lines.append(f"reset {on};")
    return "\n".join(lines) + "\n"


def _call(op: Apply) -> str:
    """Modifiers, name and angles."""
    gate = named_gate(op)
    angles = f"({', '.join(map(angle_text, gate.params))})" if gate.params else ""
    standard = STANDARD_CONTROLLED.get((gate.name, len(op.values)))
    if standard is not None and all(op.values):
        return standard + angles
    # PennyLane knows no ctrl(2), which means the same
    modifiers = "".join("ctrl @ " if v else "negctrl @ " for v in op.values)
    return f"{modifiers}{_SPELLINGS.get(gate.name, gate.name)}{angles}"
