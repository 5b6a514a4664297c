"""Any one-qubit unitary in a basis of one-qubit gates, exactly and with its phase.

Every rule writes the unitary as ``Rz(a) M(theta) Rz(b)`` with a middle part M that the basis has;
where several rules apply, the shortest result wins, so that two sx are the most that the basis
{rz, sx} ever needs (McKay et al., Phys. Rev. A 96, 022330 (2017), eq. 13 to 15).
"""

from __future__ import annotations

import cmath
import math
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from qmastermind.errors import CircuitError, UnsupportedError
from qmastermind.gates import GATES, Gate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

ATOL = 1e-11
"""Angles closer than this to a special value (0, pi/2, pi) are taken to be that value."""

_Entries: TypeAlias = tuple[complex, complex, complex, complex]
_Diagonal: TypeAlias = Callable[[float], "list[Gate] | None"]

_EIGHTHS = {"z": 4, "s": 2, "sdg": 6, "t": 1, "tdg": 7}
_HALF_PI = math.pi / 2


def synthesise_one_qubit(matrix: ArrayLike, basis: Collection[str]) -> tuple[list[Gate], float]:
    """Writes a one-qubit unitary in the gates of a basis.

    Args:
        matrix: Unitary, shape ``(2, 2)``.
        basis: Gate names; those that are not one-qubit gates without controls are ignored.
            Universal are {u}, and one of rz, p together with one of sx, h, rx, ry, and {rx, ry}.
            A basis of fixed gates alone, such as {h, s, t}, gives what has Euler angles that are
            multiples of pi/4 (each Clifford gate and each power of T), and no more.

    Returns:
        The gates in time order, and the angle g in radians with
        ``matrix = exp(1j * g) * (last gate) @ ... @ (first gate)``, in (-pi, pi].

    Raises:
        CircuitError: If the matrix is not a 2 by 2 unitary.
        UnsupportedError: If the basis cannot express it.
    """
    entries = _entries(matrix)
    rules = _rules(frozenset(basis))
    best = min((gates for rule in rules for gates in rule(entries)), key=len, default=None)
    if best is None:
        named = ", ".join(sorted(g for g in basis if g in GATES and GATES[g].num_qubits == 1))
        raise UnsupportedError(
            f"a one-qubit gate of the circuit cannot be written exactly in {{{named}}}; "
            "add u, or rz and one of sx, h, rx, ry, to the basis"
        )
    return best, _phase_between(entries, product(best))


def is_universal(basis: Collection[str]) -> bool:
    """Whether every one-qubit unitary can be written in ``basis`` by this module."""
    names = set(basis)
    turns = {"rz", "p"} & names and {"sx", "h", "rx", "ry"} & names
    return bool("u" in names or turns or names >= {"rx", "ry"})


def product(gates: Sequence[Gate]) -> _Entries:
    """The matrix entries (row by row) of one-qubit gates applied in time order."""
    result: _Entries = (1, 0, 0, 1)
    for gate in gates:
        (a, b), (c, d) = gate.kind.build(*gate.params)
        e, f, g, h = result
        result = (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
    return result


_Rule: TypeAlias = Callable[[_Entries], Iterator["list[Gate]"]]


@lru_cache(maxsize=256)
def _rules(basis: frozenset[str]) -> tuple[_Rule, ...]:
    """The ways in which this basis may express a unitary, cheapest first."""
    rules: list[_Rule] = [_nothing]
    fixed = [
        Gate(name)
        for name in GATES
        if name in basis and GATES[name].num_qubits == 1 and not GATES[name].num_params
    ]
    if fixed:
        rules.append(_single(fixed))
    if "u" in basis:
        rules.append(_single_u)
    diagonal = _diagonal_gates(basis)
    middles: list[_Middle] = []
    if "x" in basis:
        middles.append(_middle_x)
    if "h" in basis:
        middles.append(_middle_h(diagonal))
    middles += [build for name, build in _MIDDLES if name in basis]
    rules.append(_euler(diagonal, middles))
    if {"rx", "ry"} <= basis:
        rules.append(_xyx)
    return tuple(rules)


def _nothing(matrix: _Entries) -> Iterator[list[Gate]]:
    if _same(matrix, (1, 0, 0, 1)):
        yield []


def _single(fixed: Sequence[Gate]) -> _Rule:
    known = [(gate, product([gate])) for gate in fixed]

    def rule(matrix: _Entries) -> Iterator[list[Gate]]:
        for gate, entries in known:
            if _same(matrix, entries):
                yield [gate]

    return rule


def _single_u(matrix: _Entries) -> Iterator[list[Gate]]:
    theta, phi, lam = _angles(matrix)
    yield [Gate("u", (theta, _wrap(phi), _wrap(lam)))]


# A middle part: for theta, the (time-ordered) gates and the shifts s, t such that
# Rz(phi) Ry(theta) Rz(lam) is Rz(phi + s) (gates) Rz(lam + t) up to phase; None if it has no such.
_Middle: TypeAlias = Callable[[float], "tuple[list[Gate], float, float] | None"]


def _middle_none(theta: float) -> tuple[list[Gate], float, float] | None:
    return ([], 0.0, 0.0) if theta == 0.0 else None


def _middle_x(theta: float) -> tuple[list[Gate], float, float] | None:
    return ([Gate("x")], 0.0, math.pi) if theta == math.pi else None


def _middle_sx(theta: float) -> tuple[list[Gate], float, float] | None:
    sx = Gate("sx")
    if theta == _HALF_PI:
        return [sx], _HALF_PI, -_HALF_PI
    if theta == math.pi:
        return [sx, sx], 0.0, math.pi
    return [sx, Gate("rz", (theta + math.pi,)), sx], math.pi, 0.0


def _middle_rx(theta: float) -> tuple[list[Gate], float, float] | None:
    return [Gate("rx", (theta,))], _HALF_PI, -_HALF_PI


def _middle_ry(theta: float) -> tuple[list[Gate], float, float] | None:
    return [Gate("ry", (theta,))], 0.0, 0.0


_MIDDLES: tuple[tuple[str, _Middle], ...] = (
    ("sx", _middle_sx),
    ("rx", _middle_rx),
    ("ry", _middle_ry),
)


def _middle_h(diagonal: _Diagonal) -> _Middle:
    def middle(theta: float) -> tuple[list[Gate], float, float] | None:
        if theta == _HALF_PI:
            return [Gate("h")], 0.0, -math.pi
        turn = diagonal(theta)
        if turn is None:
            return None
        return [Gate("h"), *turn, Gate("h")], _HALF_PI, -_HALF_PI

    return middle


def _euler(diagonal: _Diagonal, middles: Sequence[_Middle]) -> _Rule:
    def rule(matrix: _Entries) -> Iterator[list[Gate]]:
        theta, phi, lam = _angles(matrix)
        for middle in middles if theta else (_middle_none,):
            found = middle(theta)
            if found is None:
                continue
            gates, shift_after, shift_before = found
            after, before = phi + shift_after, lam + shift_before
            if theta == 0.0:
                after, before = after + before, 0.0
            elif theta == math.pi:
                after, before = after - before, 0.0
            inner = _in_terms_of(diagonal, gates)
            first, last = diagonal(before), diagonal(after)
            if inner is not None and first is not None and last is not None:
                yield [*first, *inner, *last]

    return rule


def _in_terms_of(diagonal: _Diagonal, gates: list[Gate]) -> list[Gate] | None:
    """The gates with rz between two sx written in the basis's own diagonal gates."""
    result: list[Gate] = []
    for gate in gates:
        turn = diagonal(gate.params[0]) if gate.name == "rz" else [gate]
        if turn is None:
            return None
        result += turn
    return result


def _xyx(matrix: _Entries) -> Iterator[list[Gate]]:
    """Rx(phi) Ry(theta) Rx(lam): the z-y-z angles seen from a frame turned by Ry(pi/2)."""
    a, b, c, d = matrix
    turned = (a + b + c + d, b - a + d - c, c + d - a - b, a - b - c + d)
    theta, phi, lam = _angles(tuple(x / 2 for x in turned))  # type: ignore[arg-type]
    if theta == 0.0:
        phi, lam = phi + lam, 0.0
    elif theta == math.pi:
        phi, lam = phi - lam, 0.0
    angles = (("rx", _wrap(lam)), ("ry", theta), ("rx", _wrap(phi)))
    yield [Gate(name, (angle,)) for name, angle in angles if abs(angle) >= ATOL]


def _diagonal_gates(basis: frozenset[str]) -> _Diagonal:
    """Writes diag(1, exp(i angle)), up to phase, in named gates if they have it, or in rz or p."""
    turn = next((name for name in ("rz", "p") if name in basis), None)
    words = _eighth_words(frozenset(basis & _EIGHTHS.keys()))

    def diagonal(angle: float) -> list[Gate] | None:
        angle = _wrap(angle)
        eighths = round(angle / (math.pi / 4))
        exact = abs(angle - eighths * math.pi / 4) < ATOL
        word = words.get(eighths % 8) if exact else None
        if word is not None and (turn is None or len(word) <= 1):
            return [Gate(name) for name in word]
        return None if turn is None else [Gate(turn, (angle,))]

    return diagonal


@lru_cache(maxsize=64)
def _eighth_words(names: frozenset[str]) -> dict[int, tuple[str, ...]]:
    """The shortest word in z, s, sdg, t, tdg for each reachable number of eighth turns."""
    words: dict[int, tuple[str, ...]] = {0: ()}
    queue = deque([0])
    while queue:
        here = queue.popleft()
        for name in sorted(names):
            there = (here + _EIGHTHS[name]) % 8
            if there not in words:
                words[there] = (*words[here], name)
                queue.append(there)
    return words


def _entries(matrix: ArrayLike) -> _Entries:
    import numpy as np

    array = np.asarray(matrix, dtype=np.complex128)
    if array.shape != (2, 2):
        raise CircuitError(f"a one-qubit unitary has shape (2, 2), not {array.shape}")
    a, b, c, d = (complex(x) for x in array.ravel().tolist())
    rows = (abs(a) ** 2 + abs(b) ** 2, abs(c) ** 2 + abs(d) ** 2)
    overlap = a * c.conjugate() + b * d.conjugate()
    if not (abs(rows[0] - 1) < 1e-6 and abs(rows[1] - 1) < 1e-6 and abs(overlap) < 1e-6):
        raise CircuitError(f"not a unitary: {array.tolist()}")
    return a, b, c, d


def _angles(matrix: _Entries) -> tuple[float, float, float]:
    """(theta, phi, lam) of the ``u`` gate that the matrix is, up to phase.

    Theta is in [0, pi], and exactly 0, pi/2 or pi where it is within ATOL.
    """
    a, b, c, d = matrix
    theta = 2 * math.atan2(abs(c), abs(a))
    if theta < ATOL:
        return 0.0, 0.0, cmath.phase(d) - cmath.phase(a)
    if math.pi - theta < ATOL:
        return math.pi, cmath.phase(c) - cmath.phase(-b), 0.0
    if abs(theta - _HALF_PI) < ATOL:
        theta = _HALF_PI
    phi = cmath.phase(c) - cmath.phase(a)
    # A small entry has a poor phase: take the other angle from the two larger entries, so that
    # an error of phi cancels in them.
    if abs(a) >= abs(c):
        return theta, phi, cmath.phase(d) - cmath.phase(a) - phi
    return theta, phi, phi - cmath.phase(c) + cmath.phase(-b)


def _wrap(angle: float) -> float:
    """The angle in (-pi, pi], and exactly 0 or a multiple of pi/4 where it is within ATOL."""
    angle = math.remainder(angle, 2 * math.pi)
    nearest = round(angle / (math.pi / 4)) * (math.pi / 4)
    if abs(angle - nearest) < ATOL:
        angle = nearest
    return math.pi if angle <= -math.pi else angle


def _phase_between(matrix: _Entries, other: _Entries) -> float:
    """The angle g with ``matrix = exp(i g) other``."""
    largest = max(range(4), key=lambda i: abs(other[i]))
    return cmath.phase(matrix[largest] / other[largest])


def _same(matrix: _Entries, other: _Entries) -> bool:
    """Whether two unitaries are equal up to phase."""
    overlap = sum(x * y.conjugate() for x, y in zip(matrix, other, strict=True)) / 2
    turned = overlap / abs(overlap) if abs(overlap) > 0.5 else 1.0
    return all(abs(x - turned * y) < ATOL for x, y in zip(matrix, other, strict=True))
