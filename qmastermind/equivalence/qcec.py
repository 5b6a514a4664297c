"""Comparison by MQT QCEC: decision diagrams and ZX calculus, for circuits too wide to simulate.

QCEC (Burgholzer and Wille, IEEE TCAD 40, 1810 (2021)) is told which qubits are ancillas, and gets
its outputs swapped back into place, since it takes both for differences otherwise. Only its proofs
are believed: "probably" in its answer, either way, is reported as not decided.
"""

from __future__ import annotations

from typing import Any

from qmastermind.circuit import Apply, Phases
from qmastermind.equivalence.side import Side
from qmastermind.equivalence.verdict import Verdict
from qmastermind.errors import BackendError, MissingDependencyError

_EQUAL = ("equivalent", "equivalent_up_to_global_phase")
_MAX_DIAGONAL = 4096  # multi-controlled phases that one diagonal is written out as


def compare(a: Side, b: Side, timeout: float, tolerance: float) -> Verdict:
    """Compares two sides whose interfaces match.

    Args:
        a: One side.
        b: The other.
        timeout: Seconds for each of the two questions.
        tolerance: Largest 2-norm distance of corresponding states that may be called equal.

    Raises:
        MissingDependencyError: If QCEC is not installed.
        BackendError: If QCEC fails.
    """
    try:
        from mqt.qcec import verify
    except ImportError:
        raise MissingDependencyError("the method 'qcec'", "mqt.qcec", "verify") from None
    if a.hidden or b.hidden:
        return Verdict(None, "qcec", "QCEC compares no circuits that measure or reset in between")
    try:
        first, second = _computation(a), _computation(b)
        if first is None or second is None:
            return Verdict(None, "qcec", "a diagonal has too many phases to be written out")

        def ask(**options: Any) -> str:
            # Simulation proves no equality, and when it ends before the decision diagrams do, QCEC
            # reports what it and the ZX calculus merely suggest.
            options = {"timeout": timeout, "run_simulation_checker": False, **options}
            return str(verify(first, second, **options).equivalence.name)

        # QCEC calls circuits equal whose overlap is 1 up to a threshold: for states at a distance
        # d it is 1 - d^2/2. Its usual 1e-8 allows 1.4e-4; a strict one takes rounding for a
        # difference. So equality is proved by the strict one, a difference by the usual one.
        answer = ask(trace_threshold=tolerance**2 / 2)
        if answer in _EQUAL:
            return Verdict(True, "qcec", f"QCEC proves it: {answer}")
        if answer == "not_equivalent":
            answer = ask()
    except RuntimeError as error:
        raise BackendError(f"MQT QCEC failed: {error}") from error
    if answer in _EQUAL:
        return Verdict(None, "qcec", "QCEC finds a difference, or rounding, below 1.4e-4")
    if answer == "not_equivalent":
        if not a.bits:
            return Verdict(False, "qcec", "QCEC proves it: not_equivalent")
        answer = "not_equivalent before the measurements, which may hide the difference"
    return Verdict(None, "qcec", f"QCEC answers {answer} (limit {timeout:g} s)")


def _computation(x: Side) -> Any:
    """The circuit with data qubit i on qubit i, ancillas behind, and outputs back in order.

    None if it has a diagonal that is too large.
    """
    from mqt.core.ir import QuantumComputation

    n = x.circuit.num_qubits
    others = [q for q in range(n) if q not in x.starts]
    place = {q: i for i, q in enumerate((*x.starts, *others))}
    computation = QuantumComputation(len(x.starts))
    if others:
        computation.add_ancillary_register(len(others))
    for op in x.circuit.operations:
        if not isinstance(op, Apply) or not _append(computation, op, place):
            return None
    holder = {place[q]: i for i, q in enumerate(x.outputs)}  # which output a qubit holds
    for i in range(len(x.outputs)):
        at = next(q for q, output in holder.items() if output == i)
        if at != i:
            computation.swap(at, i)
            del holder[at]
            if i in holder:
                holder[at] = holder[i]
            holder[i] = i
    return computation


def _append(computation: Any, op: Apply, place: dict[int, int]) -> bool:
    from mqt.core.ir.operations import Control

    def control(qubit: int, value: int) -> Any:
        return Control(place[qubit], Control.Type.Pos if value else Control.Type.Neg)

    controls = {control(q, v) for q, v in zip(op.controls, op.values, strict=True)}
    if not isinstance(op.gate, Phases):
        append = getattr(computation, f"mc{op.gate.name}")
        append(*op.gate.params, controls, *(place[q] for q in op.targets))
        return True
    table = op.gate.table()
    states = table.nonzero()[0]
    if len(states) > _MAX_DIAGONAL:
        return False
    *first, last = op.targets
    for state in states:
        values = [int(c) for c in format(state, f"0{len(op.targets)}b")]
        inner = {control(q, v) for q, v in zip(first, values[:-1], strict=True)}
        if not values[-1]:
            computation.x(place[last])
        computation.mcp(float(table[state]), controls | inner, place[last])
        if not values[-1]:
            computation.x(place[last])
    return True
