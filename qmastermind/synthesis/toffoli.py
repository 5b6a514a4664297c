"""Small blocks that the larger constructions are made of: Toffolis exact and up to phase.

A *relative-phase* X flips its target exactly when all controls are 1, but multiplies basis states
by phases besides. It costs less, and the phases cancel where it is undone later around something
diagonal. Each function adds gates to a builder; costs are CX and T gates.
"""

from __future__ import annotations

import math

from qmastermind.builder import CircuitBuilder


def relative_ccx(b: CircuitBuilder, first: int, second: int, target: int) -> None:
    """Relative-phase Toffoli, its own inverse: 3 CX, 4 T, one CX deep on ``first``.

    Source: Margolus; Maslov, Phys. Rev. A 93, 022311 (2016), figure 3.
    """
    b.h(target)
    b.t(target)
    b.x(target, [second])
    b.tdg(target)
    b.x(target, [first])
    b.t(target)
    b.x(target, [second])
    b.tdg(target)
    b.h(target)


def relative_c3x(
    b: CircuitBuilder, first: int, second: int, third: int, target: int, *, inverse: bool = False
) -> None:
    """Relative-phase X with three controls: 6 CX, 8 T.

    Source: Maslov, Phys. Rev. A 93, 022311 (2016), figure 4.
    """
    _axis(b, third, target)
    imaginary_ccz(b, first, second, target, inverse=inverse)
    _axis(b, third, target)


def _axis(b: CircuitBuilder, control: int, target: int) -> None:
    """(Z - Y) / sqrt 2 on the target if the control is 1; its own inverse."""
    b.h(target)
    b.tdg(target)
    b.x(target, [control])
    b.t(target)
    b.h(target)


def imaginary_ccz(
    b: CircuitBuilder, first: int, second: int, target: int, *, inverse: bool = False
) -> None:
    """diag(i, -i) on the target if both controls are 1: 4 CX, 4 T; the inverse is diag(-i, i).

    Two of them with inverse phases are a Z on the target wherever it was flipped in between.
    Source: Selinger, Phys. Rev. A 87, 042302 (2013), figure 2 (doubly controlled iX).
    """
    turns = (b.tdg, b.t) if inverse else (b.t, b.tdg)
    for index, control in enumerate((second, first, second, first)):
        b.x(target, [control])
        turns[index % 2](target)


def ccp(b: CircuitBuilder, angle: float, x: int, y: int, z: int, *, late: bool = False) -> None:
    """exp(i angle xyz): 6 CX, and 7 T if the angle is pi. Depth 7 with its turns.

    The seven parities of x, y, z get turns of angle / 4, positive for an odd number of terms.
    Source: phase polynomials, Amy, Maslov, Mosca and Roetteler, IEEE TCAD 32, 818 (2013), section
    III; this order of CX has the least depth of all with six.

    It ends with a CX from z to y. Between H on all three, another one that begins with the CX from
    y to z, the order (y, z, x), loses two CX to the first, if it turns y ``late``: after its CX
    instead of before.
    """
    quarter = angle / 4
    if not late:
        turn(b, quarter, y)
    turn(b, quarter, z)
    b.x(y, [x])
    turn(b, -quarter, y)
    b.x(x, [z])
    turn(b, -quarter, x)
    b.x(y, [z])
    turn(b, quarter, y)
    b.x(x, [z])
    turn(b, quarter, x)
    b.x(y, [x])
    turn(b, -quarter, y)
    b.x(y, [z])
    if late:
        turn(b, quarter, y)


def cp(b: CircuitBuilder, angle: float, x: int, y: int) -> None:
    """exp(i angle xy): 2 CX, or one with two H if the angle is pi."""
    if is_pi(angle):
        b.h(y)
        b.x(y, [x])
        b.h(y)
        return
    turn(b, angle / 2, x)
    turn(b, angle / 2, y)
    b.x(y, [x])
    turn(b, -angle / 2, y)
    b.x(y, [x])


_EIGHTHS = ("", "t", "s", "", "z", "", "sdg", "tdg")


def turn(b: CircuitBuilder, angle: float, qubit: int) -> None:
    """diag(1, exp(i angle)), as Clifford+T gates if the angle is a multiple of pi/4."""
    eighths = angle / (math.pi / 4)
    nearest = round(eighths)
    if abs(eighths - nearest) > 1e-12 * max(1.0, abs(eighths)):
        b.p(angle, qubit)
        return
    names = {3: ("s", "t"), 5: ("z", "t")}.get(nearest % 8, (_EIGHTHS[nearest % 8],))
    for name in names:
        if name:
            getattr(b, name)(qubit)


def is_pi(angle: float) -> bool:
    """Whether the angle is an odd multiple of pi."""
    return abs(math.remainder(angle - math.pi, 2 * math.pi)) < 1e-12
