"""What plugins need around a framework: errors translated, targets checked, results settled.

A compiler plugin hands its framework's work to :func:`compile_settled`, which checks the request,
translates what the framework raises, and brings the result into the basis that was asked for.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from qmastermind.backend import Backend, Compiled
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Circuit, Phases, Register, remap
from qmastermind.errors import (
    BackendError,
    QmastermindError,
    TooLargeError,
    UnsupportedError,
)
from qmastermind.gates import Gate
from qmastermind.synthesis.rebase import rebase
from qmastermind.target import Target, operation_name
from qmastermind.validation import check_level


@contextmanager
def framework_errors(framework: str) -> Iterator[None]:
    """Turns whatever a framework raises into one of our errors.

    Raises:
        TooLargeError: For lack of memory.
        BackendError: For anything else that is not an error of ours already.
    """
    try:
        yield
    except QmastermindError:
        raise
    except MemoryError as error:
        raise TooLargeError(f"{framework} ran out of memory: {error}") from error
    except Exception as error:
        detail = str(error).strip() or "no message"
        raise BackendError(f"{framework} failed: {type(error).__name__}: {detail}") from error


def check_request(circuit: Circuit, target: Target | None, level: int) -> Target:
    """The target to compile for; default all-to-all in the default basis.

    Raises:
        UsageError: If the level is not 0 to 3.
        TooLargeError: If the circuit has more qubits than the target.
    """
    check_level(level)
    target = target or Target()
    if target.num_qubits is not None and circuit.num_qubits > target.num_qubits:
        raise TooLargeError(
            f"the circuit has {circuit.num_qubits} qubits, target {target.name!r} has "
            f"{target.num_qubits}"
        )
    return target


def check_connected(target: Target, num_qubits: int) -> tuple[int, ...]:
    """The largest set of physical qubits that are all linked, in increasing order.

    Raises:
        UnsupportedError: If it holds fewer than ``num_qubits``.
    """
    size = target.num_qubits or 0
    neighbours: dict[int, list[int]] = {q: [] for q in range(size)}
    for a, b in target.coupling or ():
        neighbours[a].append(b)
        neighbours[b].append(a)
    best: set[int] = set()
    seen: set[int] = set()
    for start in range(size):
        if start in seen:
            continue
        part, queue = {start}, [start]
        while queue:
            fresh = [q for q in neighbours[queue.pop()] if q not in part]
            part.update(fresh)
            queue += fresh
        seen |= part
        best = max(best, part, key=len)
    if len(best) < num_qubits:
        raise UnsupportedError(
            f"the largest connected part of target {target.name!r} has {len(best)} qubits, "
            f"the circuit needs {num_qubits}"
        )
    return tuple(sorted(best))


def settle(circuit: Circuit, source: Circuit, target: Target) -> tuple[Circuit, str]:
    """Brings a compiled circuit into the target's basis, if its framework left it outside.

    Without a coupling map it gets back the registers of its source as well, unless it has more
    qubits, and in any case as many classical bits.

    Returns:
        The circuit, and what was done, for ``Compiled.passes``; empty if nothing.

    Raises:
        UnsupportedError: If a gate cannot be written in the basis.
        BackendError: If the framework put a gate on qubits that are not coupled.
    """
    circuit = replace(circuit, num_bits=source.num_bits)
    if target.coupling is None and circuit.num_qubits == source.num_qubits:
        circuit = replace(circuit, registers=source.registers)
    names = {operation_name(op) for op in circuit.flat() if isinstance(op, Apply)}
    foreign = sorted(names.difference(target.basis))
    note = ""
    if foreign:
        circuit = rebase(circuit, target.basis)
        note = f"qmastermind rebase ({', '.join(foreign)} to {', '.join(target.basis)})"
    problem = next(target.violations(circuit), None)
    if problem is not None:
        raise BackendError(f"the compiled circuit does not fit target {target.name!r}: {problem}")
    return circuit, note


class Work(NamedTuple):
    """What a framework's compiler made of a circuit.

    Attributes:
        native: The framework's own circuit.
        circuit: The same read back.
        passes: Names of the passes, in order.
        initial_layout: The physical qubit on which each qubit of the source starts.
        final_layout: The one on which it ends.
    """

    native: Any
    circuit: Circuit
    passes: str
    initial_layout: tuple[int, ...]
    final_layout: tuple[int, ...]


def compile_settled(
    backend: Backend,
    framework: str,
    work: Callable[[Circuit, Target, int], Work],
    circuit: Circuit,
    target: Target | None,
    level: int,
    seed: int | None,
) -> Compiled:
    """Compiles with a framework's compiler: request checked, errors ours, result in the basis.

    Args:
        backend: Whose name and version the result bears.
        framework: Its name in messages.
        work: Compiles a circuit for a target at a level; may leave gates outside the basis.
        circuit: With or without measurements.
        target: Default: all-to-all in the default basis.
        level: 0 to 3.
        seed: As it was given.

    Raises:
        UsageError: If the level is not 0 to 3.
        TooLargeError: If the circuit has more qubits than the target.
        UnsupportedError: If a gate cannot be written in the basis.
        BackendError: If the framework failed, or put a gate on qubits that are not coupled.
    """
    target = check_request(circuit, target, level)
    started = time.perf_counter()
    with framework_errors(framework):
        done = work(circuit, target, level)
    settled, note = settle(done.circuit, circuit, target)
    return Compiled(
        source=circuit,
        circuit=settled,
        native=done.native,
        target=target,
        backend=backend.name,
        version=backend.version,
        level=level,
        passes=join_passes((done.passes, note)),
        seed=seed,
        seconds=time.perf_counter() - started,
        initial_layout=done.initial_layout,
        final_layout=done.final_layout,
    )


def split_measurements(circuit: Circuit) -> tuple[Circuit, dict[int, int]]:
    """The circuit without its measurements, and the qubit of each bit, if all are final.

    A router that sees a measurement may swap the measured qubit on; put back behind the routed
    circuit, measurements stay final. A circuit that measures in between is returned as it is.
    """
    if circuit.is_unitary or not circuit.has_final_measurements_only():
        return circuit, {}
    return circuit.without_measurements(), circuit.final_measurements()


def without_idle_qubits(circuit: Circuit) -> Circuit:
    """The circuit on the qubits that occur in its operations, in the same order.

    A circuit compiled for a device of a hundred qubits may use twelve of them; a simulator need
    hold no more.
    """
    used = sorted({q for op in circuit.operations for q in op.qubits}) or [0]
    if len(used) >= circuit.num_qubits:
        return circuit
    place = [bisect_left(used, qubit) for qubit in range(circuit.num_qubits)]
    operations = tuple(remap(op, place) for op in circuit.operations)
    return replace(circuit, registers=(Register("q", len(used)),), operations=operations)


def join_passes(passes: Iterable[str]) -> str:
    """The names of passes in the order in which they ran, those that are empty left out."""
    return " > ".join(p for p in passes if p)


def multi_controlled_form(op: Apply) -> tuple[Apply, ...]:
    """The operation as frameworks have it: gates under controls, dense diagonals under none.

    A diagonal that turns few basis states becomes one multi-controlled phase a state, which
    each framework then decomposes in its own way; any other becomes one table over controls and
    targets. Few means no dearer than the table: about 16 n gates a state of n qubits against
    2**n, and always above 14 qubits.
    """
    if isinstance(op.gate, Gate):
        return (op,)
    n, table = len(op.qubits), op.gate
    start = int("0" + "".join(map(str, op.values)), 2) << table.num_qubits
    inner = np.flatnonzero(table.angles) if table.indices is None else table.indices
    angles = table.angles[inner] if table.indices is None else table.angles
    states = inner + start
    if 2 < n <= 14 and len(states) > max(1, 2**n // (16 * n)):
        return (Apply(Phases(n, angles, states), op.qubits),)
    builder = CircuitBuilder(Register("q", max(op.qubits) + 1))
    for state, angle in zip(states.tolist(), angles.tolist(), strict=True):
        builder.phase_on(angle, op.qubits, [state >> (n - 1 - i) & 1 for i in range(n)])
    return tuple(o for o in builder.build().operations if isinstance(o, Apply))
