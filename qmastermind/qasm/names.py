"""How numbers and names are written, the same in both versions of the language."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable

from qmastermind.circuit import Circuit, Register

_IDENTIFIER = re.compile(r"[a-z][A-Za-z0-9_]*")
_NOTE = re.compile(r"//\s*qmastermind (ancilla )?register (\w+)\s*$")

# Words of either language, and names of gates that its importers know beside the standard ones.
_WORDS = """
    OPENQASM include defcalgrammar def cal defcal gate extern box let break continue if else
    end return for while in switch case default pragma input output const readonly mutable
    qreg qubit creg bool bit int uint float angle complex array void duration stretch gphase
    inv pow ctrl negctrl durationof delay reset measure barrier true false opaque nop pi tau
    euler arccos arcsin arctan ceiling cos exp floor ln log mod popcount rotl rotr sin sqrt
    tan real imag sizeof id x y z h s sdg t tdg sx sxdg rx ry rz p u u0 u1 u2 u3 phase cx cy
    cz ch cp cphase crx cry crz cu cu1 cu3 csx swap cswap ccx ccz c3x c4x c3sqrtx rccx rc3x
    rxx ryy rzz rzx r iswap ecr dcx v vdg cs csdg
"""
_RESERVED = frozenset(_WORDS.split())

_DENOMINATORS = (1, 2, 3, 4, 6, 8, 16, 32, 64)


def angle_text(angle: float) -> str:
    """The angle as a fraction of pi where that is the same floating-point number, else in full."""
    for denominator in _DENOMINATORS:
        numerator = round(angle * denominator / math.pi)
        if not 0 < abs(numerator) <= 4 * denominator:
            continue
        if abs(numerator) * math.pi / denominator == abs(angle):
            times = "" if abs(numerator) == 1 else f"{abs(numerator)}*"
            over = "" if denominator == 1 else f"/{denominator}"
            return f"{'-' if angle < 0 else ''}{times}pi{over}"
    mantissa, e, exponent = repr(angle).partition("e")
    # OpenQASM 2 has no 1e-07: a real number needs a point
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{e}{exponent}"


def unique_name(name: str, taken: Collection[str]) -> str:
    """A name that both languages and their importers accept, as near to ``name`` as can be."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not _IDENTIFIER.fullmatch(plain):
        plain = f"q_{plain}"
    while plain in _RESERVED or plain in taken:
        plain += "_"
    return plain


def register_names(registers: Iterable[Register], taken: Collection[str] = ()) -> list[str]:
    """A name for each register."""
    names: list[str] = []
    for register in registers:
        names.append(unique_name(register.name, [*taken, *names]))
    return names


def qubit_names(circuit: Circuit, names: list[str]) -> list[str]:
    """``name[index]`` for each qubit."""
    return [
        f"{name}[{i}]"
        for name, register in zip(names, circuit.registers, strict=True)
        for i in range(register.size)
    ]


def register_note(register: Register, name: str) -> str:
    """A comment that keeps what the language cannot say: the ancillas, and a name it forbids."""
    if not register.ancilla and name == register.name:
        return ""
    kind = "ancilla register" if register.ancilla else "register"
    return f"  // qmastermind {kind} {register.name}"


def read_note(line: str) -> tuple[str, bool] | None:
    """Name and ancilla of the register that a line declares, if it has such a comment."""
    found = _NOTE.search(line)
    return (found[2], found[1] is not None) if found else None
