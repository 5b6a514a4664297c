"""The circuits that the conformance suite runs.

They start from a state and end in a measurement basis without any symmetry, so that a wrong
phase, a reversed order of qubits or a forgotten control changes the probabilities that are seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Circuit, Phases, Query, Register
from qmastermind.gates import GATES, Gate


def control_patterns(num_controls: int) -> list[tuple[int, ...]]:
    """All values that controls can have."""
    return list(product((0, 1), repeat=num_controls))


def example_gates(name: str) -> list[Gate | Phases]:
    """The gate; with angles, once inside one turn and once beyond it, where rz changes its sign."""
    count = GATES[name].num_params
    if count == 0:
        return [Gate(name)]
    return [
        Gate(name, tuple(0.7 + 0.4 * i for i in range(count))),
        Gate(name, tuple(-5.1 + 1.3 * i for i in range(count))),
    ]


def example_diagonals() -> list[Gate | Phases]:
    """Tables and lists of basis states, none of them symmetric under an exchange of qubits."""
    return [
        Phases(1, [0.4, -1.1]),
        Phases(2, [0.3, 1.9, -0.8, 2.6]),
        Phases(3, [0.1 * k * k - 1 for k in range(8)]),
        Phases(2, [math.pi], [1]),
        Phases(3, [math.pi, 0.9], [3, 4]),
    ]


def applications(gates: Sequence[Gate | Phases], num_controls: int) -> tuple[int, list[Apply]]:
    """Each gate under all values of its controls, each time on other qubits.

    Returns:
        The number of qubits, one more than the widest operation has, and the operations.
    """
    widths = [g.num_qubits if isinstance(g, Phases) else g.kind.num_qubits for g in gates]
    num_qubits = max(widths) + num_controls + 1
    operations: list[Apply] = []
    for (gate, width), values in product(
        zip(gates, widths, strict=True), control_patterns(num_controls)
    ):
        start = len(operations)
        order = [(start - 2 * i) % num_qubits for i in range(num_qubits)]
        if num_qubits % 2 == 0:  # a step of 2 would not reach every qubit
            order = [(start - i) % num_qubits for i in range(num_qubits)]
        targets, controls = order[:width], order[width : width + num_controls]
        operations.append(Apply(gate, tuple(targets), tuple(controls), values))
    return num_qubits, operations


def scramble(builder: CircuitBuilder, num_qubits: int, salt: int = 0) -> None:
    """A general rotation of each of the first qubits, all by different angles."""
    for q in range(num_qubits):
        rotate(builder, q, salt)


def rotate(builder: CircuitBuilder, qubit: int, salt: int = 0) -> None:
    """A general rotation of a qubit, by angles of its own."""
    k = qubit + 5 * salt
    builder.u(0.9 + 0.37 * math.sin(1 + k), 0.3 + 0.61 * k, 0.2 - 0.83 * k, qubit)


def lean(builder: CircuitBuilder, values: Mapping[int, int]) -> None:
    """Rotates each qubit to a state that is mostly the given one."""
    for q, value in values.items():
        builder.u(math.pi * value + 0.5 + 0.07 * q, 0.3 + 0.61 * q, 0.2, q)


def interference(num_qubits: int, operations: Sequence[Apply], *, measure: bool = True) -> Circuit:
    """The operations between rotations of all qubits; then all are measured."""
    b = CircuitBuilder(Register("q", num_qubits))
    scramble(b, num_qubits)
    for salt, op in enumerate(operations, 1):
        b.add(op)
        scramble(b, num_qubits, salt)
    if measure:
        b.measure(range(num_qubits))
    return b.build()


def leaning(num_qubits: int, op: Apply) -> Circuit:
    """One operation that acts in most shots, between rotations; then all qubits are measured.

    Each control leans to the value at which it acts, so that a few thousand shots show whether
    the operation is there and acts at that value, which after a uniform start takes many more:
    under three controls it would act in an eighth of the shots.
    """
    b = CircuitBuilder(Register("q", num_qubits))
    values = dict(zip(op.controls, op.values, strict=True))
    others = [q for q in range(num_qubits) if q not in values]
    lean(b, values)
    for q in others:
        rotate(b, q)
    b.add(op)
    for q in values:
        b.u(0.7 + 0.05 * q, 0.4, 1.1 - 0.3 * q, q)
    for q in others:
        rotate(b, q, salt=1)
    b.measure(range(num_qubits))
    return b.build()


def bits_set(num_qubits: int, ones: Sequence[int], measured: Sequence[int]) -> Circuit:
    """A basis state, and some of its qubits measured in some order."""
    b = CircuitBuilder(Register("q", num_qubits))
    for q in ones:
        b.x(q)
    b.measure(measured)
    return b.build()


def with_ancillas() -> Circuit:
    """A phase on one input of three, computed into two ancillas and uncomputed, measured."""
    b = CircuitBuilder(Register("x", 3), Register("y", 1))
    lean(b, {0: 1, 1: 0, 2: 1})
    rotate(b, 3)
    for _ in range(2):
        with b.ancillas(2) as (first, second):
            b.x(first, controls=[0, 1], values=[1, 0])
            b.x(second, controls=[first, 2], values=[1, 1])
            b.p(1.9, 3, controls=[second])
            b.x(second, controls=[first, 2], values=[1, 1])
            b.x(first, controls=[0, 1], values=[1, 0])
        scramble(b, 4, 1)
    b.measure(range(4))
    return b.build()


def under_control(body: Circuit) -> Circuit:
    """The circuit under a control of value 1 and another of value 0, between rotations."""
    inner = body.controlled(2, [1, 0])
    b = CircuitBuilder(Register("q", inner.num_qubits))
    scramble(b, inner.num_qubits)
    b.append(inner, range(inner.num_qubits))
    scramble(b, inner.num_qubits, 1)
    b.measure(range(inner.num_qubits))
    return b.build()


def phase_bodies() -> dict[str, Circuit]:
    """Circuits whose global phase is seen only under a control."""
    plain, turned, gates = (CircuitBuilder(Register("q", 2)) for _ in range(3))
    plain.global_phase = 0.8
    turned.rz(1.1, 0)
    turned.sx(1)
    turned.global_phase = -0.5
    gates.rz(2.3, 0)
    gates.p(2.3, 1)
    gates.u(0.4, 1.0, 2.0, 0)
    inner, outer = CircuitBuilder(Register("q", 2)), CircuitBuilder(Register("q", 2))
    inner.h(0)
    inner.global_phase = 0.7
    outer.append(inner.build(), [1, 0], repetitions=3)
    outer.h(0)
    return {
        "alone": plain.build(),
        "with gates": turned.build(),
        "rz, p and u": gates.build(),
        "in a repeated box": outer.build(),
    }


def boxed(repetitions: int) -> Circuit:
    """A box in a box, repeated, on qubits in another order."""
    innermost, inner, b = (CircuitBuilder(Register("q", n)) for n in (2, 3, 4))
    innermost.ry(0.6, 0)
    innermost.x(1, controls=[0], values=[0])
    inner.append(innermost.build(), [2, 0], repetitions=2, label="innermost")
    inner.rz(0.4, 1)
    inner.h(1)
    scramble(b, 4)
    b.append(inner.build(), [3, 1, 0], repetitions=repetitions, label="inner")
    scramble(b, 4, 1)
    b.measure(range(4))
    return b.build()


def grover_step(num_qubits: int, marked: int, *, measure: bool) -> Circuit:
    """One Grover iteration from the uniform state, its reflections as multi-controlled Z."""
    b = CircuitBuilder(Register("x", num_qubits))
    for q in range(num_qubits):
        b.h(q)
    b.phase_on(math.pi, range(num_qubits), [int(c) for c in format(marked, f"0{num_qubits}b")])
    for q in range(num_qubits):
        b.h(q)
    b.phase_on(math.pi, range(num_qubits), [0] * num_qubits)
    for q in range(num_qubits):
        b.h(q)
    if measure:
        b.measure(range(num_qubits)[::-1])
    return b.build()


def bare_oracle() -> Circuit:
    """An oracle without preparation: a compiler must not take its qubits for |0>."""
    b = CircuitBuilder(Register("x", 4))
    b.phase_on(math.pi, range(4), [0, 1, 1, 0])
    b.swap(0, 3)
    b.x(2, controls=[1, 3], values=[1, 0])
    return b.build()


def fourier(num_qubits: int) -> Circuit:
    """The quantum Fourier transform with its swaps, on a state without symmetry."""
    b = CircuitBuilder(Register("x", num_qubits))
    scramble(b, num_qubits)
    for q in range(num_qubits):
        b.h(q)
        for k in range(q + 1, num_qubits):
            b.p(math.pi / 2 ** (k - q), q, controls=[k])
    for q in range(num_qubits // 2):
        b.swap(q, num_qubits - 1 - q)
    return b.build()


def measured_in_between() -> dict[str, Circuit]:
    """Circuits that measure and reset before their end."""
    again, cleared, reused, twice = (CircuitBuilder(Register("q", n)) for n in (2, 2, 3, 1))
    scramble(again, 2)
    again.measure([0])
    again.x(1, controls=[0])
    scramble(again, 2, 1)
    again.measure([1, 0])
    scramble(cleared, 2)
    cleared.x(1, controls=[0])
    cleared.reset(0)
    cleared.ry(0.5, 0)
    cleared.measure([0, 1])
    scramble(reused, 3)
    reused.x(2, controls=[0, 1], values=[1, 0])
    reused.measure([2])
    reused.reset(2)
    reused.h(2, controls=[1])
    reused.measure([2, 0, 1])
    twice.ry(1.0, 0)
    twice.measure([0])
    twice.x(0)
    twice.measure([0])
    return {
        "used after a measurement": again.build(),
        "reset": cleared.build(),
        "measured, reset and used": reused.build(),
        "measured twice": twice.build(),
    }


def counted_queries(record: Callable[[str, int, int], None]) -> Circuit:
    """An oracle that is used four times."""
    query = Query("match", record)
    body, b = CircuitBuilder(Register("q", 2)), CircuitBuilder(Register("q", 2))
    body.z(1, controls=[0])
    b.append(body.build(), [0, 1], repetitions=3, query=query)
    b.append(body.build(), [1, 0], query=query)
    b.measure([0, 1])
    return b.build()


def redundant() -> Circuit:
    """Gates that cancel, some at once and some behind what they commute with."""
    b = CircuitBuilder(Register("q", 3))
    scramble(b, 3)
    for control, target in ((0, 1), (1, 2)):
        for angle in (0.0, 0.7):
            b.x(target, controls=[control])
            if angle:
                b.rz(angle, control)
            b.x(target, controls=[control])
            b.h(0)
            b.h(0)
    scramble(b, 3, 1)
    return b.build()


def fenced_pairs() -> Circuit:
    """Two H on qubit 0 and two controlled X on the others, a barrier between those of each pair."""
    b = CircuitBuilder(Register("q", 3))
    rotate(b, 1)
    rotate(b, 2)
    b.h(0)
    b.x(2, controls=[1])
    b.barrier()
    b.h(0)
    b.x(2, controls=[1])
    return b.build()


def too_wide(num_qubits: int) -> Circuit:
    """A state that no simulator of amplitudes can hold."""
    b = CircuitBuilder(Register("q", num_qubits))
    for salt in range(2):
        scramble(b, num_qubits, salt)
        for q in range(num_qubits - 1):
            b.p(0.3 + 0.1 * q, q + 1, controls=[q])
    b.measure(range(num_qubits))
    return b.build()
