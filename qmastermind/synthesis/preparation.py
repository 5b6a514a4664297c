"""State preparation: uniform superpositions over the first k of 2^b states, real amplitudes.

The circuits hold one-qubit gates and CX only, so that they need no further lowering.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.synthesis.one_qubit import synthesise_one_qubit
from qmastermind.validation import whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Real = NDArray[np.float64]

_TINY = 1e-12
_MAX_QUBITS = 16


def uniform(k: int, num_qubits: int, blank_weight: float = 0.0) -> Circuit:
    """Prepares |0>..|k-1> with equal amplitudes from |0..0>.

    The amplitudes are positive: ``sqrt((1 - blank_weight) / k)`` on |0>..|k-1> and
    ``sqrt(blank_weight / (2**num_qubits - k))`` on the other states, the blanks. A basis state is
    the big-endian integer of the register, its first qubit the most significant.

    One register ``x``, no ancilla. Cost: for k = m 2^t with m odd, m of n bits and with s ones,
    n + s - 3 CX (none if m = 1): 1 for 3 of 4 and for 6 of 8, 2 for 5 of 8, 3 for 7 of 8. With
    blanks at most 2 (num_qubits - t) - 3 CX, and 1 on two qubits.

    Source: without blanks Shukla and Vedula, Quantum Inf. Process. 23, 38 (2024), algorithm 1,
    each controlled rotation on a qubit in a known state at one CX; with blanks the chain of
    :func:`real_state`.

    Args:
        k: Number of states, 1 to ``2**num_qubits``.
        num_qubits: Width of the register.
        blank_weight: Total probability of the blanks, 0 to 1; 0 if there is no blank.

    Raises:
        UsageError: If k or the weight is outside its range.
    """
    size = 2 ** whole(num_qubits, "the number of qubits", 1)
    if not 1 <= whole(k, "the number of states") <= size:
        raise UsageError(f"expected 1 to {size} states on {num_qubits} qubits, not {k}")
    if not 0 <= blank_weight <= 1 or (blank_weight and k == size):
        raise UsageError(
            f"the weight of {size - k} blank states cannot be {blank_weight}: "
            "expected 0 to 1, and 0 if there is no blank"
        )
    builder = CircuitBuilder(Register("x", num_qubits))
    free = (k & -k).bit_length() - 1
    split = num_qubits - free
    m = k >> free
    for qubit in range(split, num_qubits):
        builder.h(qubit)
    if blank_weight:
        amplitudes = np.full(2**split, math.sqrt(blank_weight / (2**split - m)))
        amplitudes[:m] = math.sqrt((1 - blank_weight) / m)
        builder.compose(real_state(amplitudes), range(split))
    elif m > 1:
        _ladder(builder, m, split)
    return builder.build()


def _ladder(builder: CircuitBuilder, m: int, end: int) -> None:
    """Uniform over |0>..|m-1> for odd m > 1, on the qubits before ``end``.

    The ones of m, from the lowest: x < m has its first 0 among them at some one; above it x
    agrees with m, below it x is free. Each qubit at a one, from the second on, decides whether
    the first 0 is lower down (then it is 1, as m is), and frees the qubits below it if it is 0.
    """
    ones = [place for place in range(m.bit_length()) if m >> place & 1]
    left = m  # states that are not settled yet
    for index in range(1, len(ones)):
        below, place = ones[index - 1], ones[index]
        qubit, before = end - 1 - place, end - 1 - below
        stays = math.asin(math.sqrt(2**below / left))
        left -= 2**below
        if index == 1:
            builder.ry(2 * stays, qubit)
            _fork(builder, qubit, before, math.pi / 4, 0.0)
        else:
            _fork(builder, before, qubit, stays, math.pi / 2)
            builder.ry(-math.pi / 4, before)
            builder.z(before, [qubit], [0])
            builder.ry(math.pi / 4, before)
        for other in range(qubit + 1, before):
            _fork(builder, qubit, other, math.pi / 4, 0.0)


def _fork(
    builder: CircuitBuilder, control: int, target: int, at_zero: float, at_one: float
) -> None:
    """Takes the target from |0> to cos(a)|0> + sin(a)|1>, a chosen by the control. One CX."""
    first = math.pi / 4 + (at_zero - at_one) / 2
    builder.ry(2 * first, target)
    builder.x(target, [control])
    builder.ry(2 * (at_zero - first), target)


def real_state(amplitudes: ArrayLike) -> Circuit:
    """Prepares a state with real amplitudes from |0..0>, exactly, sign included.

    One register ``x``, first qubit most significant, no ancilla. Cost for n qubits: 1 CX for two
    qubits; if the Schmidt rank is at most 2 at every cut, a chain of isometries from one to two
    qubits, at most 2 n - 3 CX (3 for any state of three qubits); otherwise one multiplexed
    rotation for each qubit beyond that, 2^j CX for qubit j.

    Source: chain: Schoen et al., Phys. Rev. Lett. 95, 110503 (2005), each isometry by Vatan and
    Williams, Phys. Rev. A 69, 032315 (2004), theorem 3; multiplexed rotations: Moettoenen et al.,
    Quantum Inf. Comput. 5, 467 (2005), section 2.

    Args:
        amplitudes: Shape ``(2**n,)`` with n at least 1, of norm 1.

    Raises:
        UsageError: If they are not real, of such a shape, and of norm 1 to 1e-9.
        TooLargeError: For more than 16 qubits.
    """
    vector = np.asarray(amplitudes)
    size = vector.size
    if vector.dtype.kind not in "biuf" or vector.ndim != 1 or size < 2 or size & (size - 1):
        raise UsageError(
            f"expected 2**n real amplitudes, not an array of {vector.dtype} of shape {vector.shape}"
        )
    vector = vector.astype(np.float64)
    norm = float(np.linalg.norm(vector))
    if not abs(norm - 1) < 1e-9:
        raise UsageError(f"the amplitudes have norm {norm:.9g}, expected 1")
    num_qubits = size.bit_length() - 1
    if num_qubits > _MAX_QUBITS:
        raise TooLargeError(f"a state of {num_qubits} qubits is too large (at most {_MAX_QUBITS})")
    builder = CircuitBuilder(Register("x", num_qubits))
    _state(builder, vector / norm, num_qubits)
    return builder.build()


def _state(builder: CircuitBuilder, vector: Real, num_qubits: int) -> None:
    if num_qubits == 1:
        builder.ry(2 * math.atan2(vector[1], vector[0]), 0)
    elif num_qubits == 2:
        _pair(builder, vector.reshape(2, 2))
    else:
        left, weights, rows = np.linalg.svd(vector.reshape(-1, 4), full_matrices=True)
        if np.all(weights[2:] < _TINY):
            _state(builder, (left[:, :2] * weights[:2]).ravel(), num_qubits - 1)
            _isometry(builder, rows[:2], num_qubits - 2, num_qubits - 1)
        else:
            pairs = vector.reshape(-1, 2)
            _state(builder, np.linalg.norm(pairs, axis=1), num_qubits - 1)
            angles = 2 * np.arctan2(pairs[:, 1], pairs[:, 0])
            _multiplexed_ry(builder, angles, range(num_qubits - 1), num_qubits - 1)


def _pair(builder: CircuitBuilder, matrix: Real) -> None:
    """The two-qubit state with this matrix of amplitudes: Schmidt decomposition, one CX."""
    left, weights, right = np.linalg.svd(matrix)
    # Signs go into the weights, so that both frames are rotations.
    weights = np.array([weights[0], weights[1] * np.linalg.det(left) * np.linalg.det(right)])
    left[:, 1] *= np.sign(np.linalg.det(left))
    right[1] *= np.sign(np.linalg.det(right))
    if abs(weights[1]) > _TINY:
        builder.ry(2 * math.atan2(weights[1], weights[0]), 0)
        builder.x(1, [0])
    builder.ry(2 * math.atan2(left[1, 0], left[0, 0]), 0)
    builder.ry(2 * math.atan2(right[0, 1], right[0, 0]), 1)


def _isometry(builder: CircuitBuilder, rows: Real, first: int, second: int) -> None:
    """Maps |j>|0> to the state ``rows[j]`` of both qubits; one CX if that can be, else two."""
    split = _split_basis(rows)
    if split is None:
        _orthogonal(builder, _completed(rows), first, second)
        return
    turn, frame, at_zero, at_one = split
    builder.ry(turn, first)
    _fork(builder, first, second, at_zero, at_one)
    builder.ry(frame, first)


def _split_basis(rows: Real) -> tuple[float, float, float, float] | None:
    """A basis of the two rows in which both are products, orthogonal in the first factor.

    Returns:
        The turn of the input into that basis, the turn of the first qubit out of it, and the
        angles of the second qubit's two states; None if there is no such basis.
    """
    zero, one = rows.reshape(2, 2, 2)
    # det(p zero + q one) = 0 for product states; p = cos(a), q = sin(a)
    squares = np.linalg.det(zero), np.linalg.det(one)
    mixed = np.linalg.det(zero + one) - squares[0] - squares[1]
    # squares and mixed in terms of 2a: mean + half cos(2a) + mixed/2 sin(2a) = 0, orthogonal
    # solutions are a and a + pi/2, which need the mean to vanish
    if abs(squares[0] + squares[1]) > _TINY:
        return None
    angle = 0.5 * math.atan2(squares[0] - squares[1], -mixed)
    p, q = math.cos(angle), math.sin(angle)
    pair = (p * zero + q * one, p * one - q * zero)
    lefts, rights = zip(*(_factors(matrix) for matrix in pair), strict=True)
    if abs(lefts[0] @ lefts[1]) > 1e-9:
        return None
    # the input |zero> is p |pair 0> - q |pair 1>
    handed = lefts[0][0] * lefts[1][1] - lefts[0][1] * lefts[1][0]
    at_zero = math.atan2(rights[0][1], rights[0][0])
    at_one = math.atan2(handed * rights[1][1], handed * rights[1][0])
    return -2 * angle, 2 * math.atan2(lefts[0][1], lefts[0][0]), at_zero, at_one


def _factors(matrix: Real) -> tuple[Real, Real]:
    left, weights, right = np.linalg.svd(matrix)
    return left[:, 0], weights[0] * right[0]


def _completed(rows: Real) -> Real:
    """A rotation of R^4 whose columns 0 and 2 are the rows."""
    complement = np.linalg.svd(rows)[2][2:]
    matrix = np.column_stack([rows[0], complement[0], rows[1], complement[1]])
    matrix[:, 3] *= np.sign(np.linalg.det(matrix))
    return matrix


# Columns: the magic basis, in which rotations of R^4 and local gates change places. As a circuit:
# S on both qubits, H on the second, CX from the second onto the first.
_MAGIC = np.array([[1, 1j, 0, 0], [0, 0, 1j, 1], [0, 0, 1j, -1], [1, -1j, 0, 0]]) / math.sqrt(2)


def _orthogonal(builder: CircuitBuilder, matrix: Real, first: int, second: int) -> None:
    """A rotation of R^4: one-qubit gates between the two changes of basis."""
    local = (_MAGIC @ matrix @ _MAGIC.conj().T).reshape(2, 2, 2, 2)
    left, weights, right = np.linalg.svd(local.transpose(0, 2, 1, 3).reshape(4, 4))
    scale = math.sqrt(weights[0])
    builder.s(first)
    builder.s(second)
    builder.h(second)
    builder.x(first, [second])
    for qubit, entries in ((first, left[:, 0]), (second, right[0])):
        gates, phase = synthesise_one_qubit((scale * entries).reshape(2, 2), ("u",))
        builder.global_phase += phase
        for gate in gates:
            builder.gate(gate, (qubit,))
    builder.x(first, [second])
    builder.h(second)
    builder.sdg(first)
    builder.sdg(second)


def _multiplexed_ry(
    builder: CircuitBuilder, angles: Real, controls: Sequence[int], target: int
) -> None:
    """Ry by ``angles[c]`` on the target, c the big-endian value of the controls."""
    size = len(angles)
    # Between two CX from Gray-code neighbours the target's turns have the signs of a Walsh row.
    table = np.array(
        [[(-1) ** ((i ^ i >> 1) & c).bit_count() for c in range(size)] for i in range(size)]
    )
    for i, angle in enumerate(table @ angles / size):
        builder.ry(float(angle), target)
        flipped = (i + 1 & -(i + 1)).bit_length() - 1 if i + 1 < size else len(controls) - 1
        builder.x(target, [controls[len(controls) - 1 - flipped]])
