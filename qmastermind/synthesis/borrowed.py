"""Multi-controlled Z on borrowed qubits, which may be in any state and are given back in it."""

from __future__ import annotations

from collections.abc import Sequence

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.synthesis.ancilla_free import relative_x, relative_x_cost
from qmastermind.synthesis.conjunction import combine, plan
from qmastermind.synthesis.toffoli import imaginary_ccz


def toggle_cost(controls: int) -> int:
    """CX of :func:`toggle`: 1, 3, 6, then 4 k - 6 for k controls."""
    return relative_x_cost(controls) if controls < 4 else 4 * controls - 6


def toggle(
    b: CircuitBuilder, controls: Sequence[int], target: int, borrowed: Sequence[int]
) -> None:
    """X on the target if all controls are 1, times phases; the borrowed qubits are left changed.

    To be undone by its inverse once the target has been used. Needs (k - 3) / 2 borrowed qubits
    for k controls, rounded up; with k - 3 it takes fewer T gates. Cost: 1, 3, 6, then 4 k - 6 CX.

    The target takes a turn of axis under one or two controls, then an X from a borrowed qubit,
    and both again in reverse: if the borrowed qubit was flipped in between, by the AND of the
    other controls, what remains on the target is X where the first controls are 1 and Z elsewhere.
    Source: the ladders of Maslov, Phys. Rev. A 93, 022311 (2016), section IV, and of Iten et al.,
    Phys. Rev. A 93, 032318 (2016), theorem 8.
    """
    if len(controls) < 4:
        relative_x(b, controls, target)
        return
    helper, *others = borrowed
    taken = 1 if len(controls) - 3 <= len(borrowed) else 2
    own, rest = controls[:taken], controls[taken:]
    size = 1 + max(*controls, target, *borrowed)
    half = CircuitBuilder(Register("x", size))
    (_half_single if taken == 1 else _half_double)(half, own, target)
    half.x(target, [helper])
    first = half.build()
    for op in first.operations:
        b.add(op)
    toggle(b, rest, helper, others)
    for op in first.inverse().operations:
        b.add(op)


def _half_single(b: CircuitBuilder, controls: Sequence[int], target: int) -> None:
    """Turns the axis of an X that follows to Z, but to the x-y plane if the control is 1."""
    b.h(target)
    b.t(target)
    b.x(target, controls)
    b.tdg(target)


def _half_double(b: CircuitBuilder, controls: Sequence[int], target: int) -> None:
    """The same for two controls."""
    first, second = controls
    b.h(target)
    b.t(target)
    b.h(target)
    b.tdg(target)
    b.x(target, [first])
    b.t(target)
    b.x(target, [second])
    b.tdg(target)
    b.x(target, [first])
    b.t(target)
    b.h(target)
    b.tdg(target)


def most_toggled(qubits: int, borrowed: int) -> int:
    """How many of the qubits :func:`borrowed_z` combines onto a borrowed one."""
    return min(qubits - 2, 2 * borrowed + 1)


def borrowed_z_cost(qubits: int, borrowed: int) -> int:
    """CX of :func:`borrowed_z`."""
    toggled = most_toggled(qubits, borrowed)
    return 2 * toggle_cost(toggled) + 8 + 12 * (qubits - 2 - toggled)


def borrowed_z(b: CircuitBuilder, qubits: Sequence[int], borrowed: Sequence[int]) -> None:
    """-1 if all qubits are 1, on one or more borrowed qubits, which are restored.

    Twice: a phase i or -i on a borrowed qubit if all qubits but m are 1, then this borrowed qubit
    toggled by the AND of those m. It has an effect only if the m are 1, so that these are
    conditionally clean for the AND of the others.

    Cost for w > 3 qubits and s borrowed: m = min(w - 2, 2 s + 1); 2 toggle(m) + 12 (w - m) - 16 CX.
    That is 12 w - 40 for one, and 8 w - 20 for (w - 3) / 2 or more.

    Source: Khattar and Gidney, arXiv:2407.17966, section 3.3 (one borrowed qubit, 12 w - 30); here
    with two qubits more toggled by one relative-phase X, a phase i in place of each Z, and Maslov's
    ladder if there are more to borrow.
    """
    toggled = most_toggled(len(qubits), len(borrowed))
    taken, rest = tuple(qubits[:toggled]), tuple(qubits[toggled:])
    anchor, *others = borrowed
    wires = (anchor, *rest, *taken)
    steps = plan(1 + len(rest), 0, len(taken), final=3, keep=True)
    flip = CircuitBuilder(Register("x", 1 + max(*qubits, *borrowed)))
    toggle(flip, taken, anchor, others)
    circuit = flip.build()
    for again in (False, True):
        literals = combine(b, steps, wires)
        first, second = (q for q in literals if q != anchor)
        imaginary_ccz(b, first, second, anchor, inverse=again)
        combine(b, steps, wires, inverse=True)
        for op in (circuit.inverse() if again else circuit).operations:
            b.add(op)
