"""The comparison itself: chooses a method and gives a verdict."""

from __future__ import annotations

from qmastermind.backend import Compiled
from qmastermind.circuit import Circuit
from qmastermind.equivalence import simulate
from qmastermind.equivalence.side import Side, side
from qmastermind.equivalence.verdict import TOLERANCE, Verdict
from qmastermind.errors import MissingDependencyError, TooLargeError, UsageError
from qmastermind.validation import check_tolerance

METHODS = ("auto", "unitary", "states", "qcec")

_MAX_UNITARY_QUBITS = 20  # those of the circuit and its inputs together
_MAX_UNITARY_WORK = 2**30  # amplitudes touched
_MAX_STATE_QUBITS = 24


def equivalent(
    a: Circuit | Compiled,
    b: Circuit | Compiled,
    *,
    method: str = "auto",
    tolerance: float = TOLERANCE,
    seed: int = 0,
    timeout: float = 60.0,
) -> Verdict:
    """Compares two circuits on their data qubits, up to global phase.

    Args:
        a: A circuit, or a compiled one with its layouts; data qubits are those of its source.
        b: What to compare it to. Data qubits correspond by number, ancillas need not.
        method: ``auto``, ``unitary``, ``states`` or ``qcec``. ``auto`` takes the first that is
            cheap enough, in this order.
        tolerance: Largest 2-norm distance of corresponding states.
        seed: Of the random states.
        timeout: Seconds that ``qcec`` may take.

    Returns:
        The verdict, with ``equal=None`` where no method decides.

    Raises:
        UsageError: For an unknown method, a tolerance that is no distance, or layouts that place
            no circuit.
        TooLargeError: If the method that was asked for does not fit into memory.
        MissingDependencyError: If ``qcec`` was asked for and is not installed.
    """
    if method not in METHODS:
        raise UsageError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
    check_tolerance(tolerance)
    first, second = side(a), side(b)
    mismatch = first.mismatch(second)
    if mismatch is not None:
        return Verdict(False, "interface", mismatch)
    if method == "auto":
        return _automatic(first, second, tolerance, seed, timeout)
    if method == "qcec":
        from qmastermind.equivalence.qcec import compare

        return compare(first, second, timeout, tolerance)
    return simulate.compare(first, second, method, tolerance, seed)


def assert_equivalent(
    a: Circuit | Compiled,
    b: Circuit | Compiled,
    *,
    method: str = "auto",
    tolerance: float = TOLERANCE,
    seed: int = 0,
    timeout: float = 60.0,
) -> None:
    """Fails unless :func:`equivalent` finds the two equal; arguments as there.

    Raises:
        AssertionError: If they differ, or if it was not decided.
    """
    verdict = equivalent(a, b, method=method, tolerance=tolerance, seed=seed, timeout=timeout)
    if verdict.equal is not True:
        raise AssertionError(str(verdict))


def _automatic(a: Side, b: Side, tolerance: float, seed: int, timeout: float) -> Verdict:
    if a == b:
        return Verdict(True, "identical", "the same operations in the same order")
    inputs = len(a.starts)
    width = max(x.circuit.num_qubits for x in (a, b))
    work = sum(len(x.circuit.operations) << (x.circuit.num_qubits + inputs) for x in (a, b))
    if width + inputs <= _MAX_UNITARY_QUBITS and work <= _MAX_UNITARY_WORK:
        return simulate.compare(a, b, "unitary", tolerance, seed)
    if width <= _MAX_STATE_QUBITS:
        try:
            return simulate.compare(a, b, "states", tolerance, seed)
        except TooLargeError:
            pass
    try:
        from qmastermind.equivalence.qcec import compare

        return compare(a, b, timeout, tolerance)
    except MissingDependencyError as error:
        return Verdict(None, "none", f"{width} qubits are too many to simulate; {error}")
