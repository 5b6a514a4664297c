"""Hypothesis strategies for gates, diagonals and circuits.

Everything that is drawn keeps the laws of the core: ancillas are back in |0>, measurements of a
circuit without ``dynamic`` are final.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

from hypothesis import strategies as st

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Phases, Register
from qmastermind.gates import GATES, Gate

_SPECIAL_ANGLES = tuple(k * math.pi / 8 for k in range(-8, 9))


def angles() -> st.SearchStrategy[float]:
    """Radians in [-2 pi, 2 pi], multiples of pi/8 often among them."""
    any_angle = st.floats(-2 * math.pi, 2 * math.pi, allow_subnormal=False)
    return st.sampled_from(_SPECIAL_ANGLES) | any_angle


@st.composite
def gates(draw: st.DrawFn, names: Sequence[str] = tuple(GATES)) -> Gate:
    """Any gate of :data:`qmastermind.gates.GATES`, or of those named."""
    name = draw(st.sampled_from(tuple(names)))
    return Gate(name, tuple(draw(angles()) for _ in range(GATES[name].num_params)))


@st.composite
def phases(draw: st.DrawFn, num_qubits: int) -> Phases:
    """A diagonal on ``num_qubits``, as a table or as a few basis states."""
    size = 2**num_qubits
    if draw(st.booleans()):
        return Phases(num_qubits, draw(st.lists(angles(), min_size=size, max_size=size)))
    states = draw(st.lists(st.integers(0, size - 1), unique=True, max_size=min(size, 4)))
    return Phases(num_qubits, [draw(angles()) for _ in states], states)


@st.composite
def circuits(
    draw: st.DrawFn,
    *,
    min_qubits: int = 1,
    max_qubits: int = 4,
    max_operations: int = 12,
    gate_names: Sequence[str] = tuple(GATES),
    max_controls: int = 3,
    diagonals: bool = True,
    barriers: bool = True,
    boxes: bool = True,
    ancillas: bool = True,
    measured: bool = False,
    dynamic: bool = False,
) -> Circuit:
    """A circuit over up to two data registers.

    Args:
        draw: Given by hypothesis.
        min_qubits: Least number of data qubits.
        max_qubits: Greatest number of data qubits; one ancilla may come on top.
        max_operations: Greatest number of operations, a box counted as one.
        gate_names: Gates to draw from, each with up to ``max_controls`` controls of any value.
        max_controls: Greatest number of controls.
        diagonals: Whether there are :class:`Phases`.
        barriers: Whether there are barriers.
        boxes: Whether there are boxes, repeated 0 to 3 times.
        ancillas: Whether there may be ancillas, borrowed in |0> and given back so.
        measured: Whether some qubits are measured at the end, in any order.
        dynamic: Whether qubits are measured and reset in between.
    """
    num_qubits = draw(st.integers(min_qubits, max_qubits))
    split = draw(st.integers(0, num_qubits - 1))
    sizes = [size for size in (split, num_qubits - split) if size]
    builder = CircuitBuilder(*(Register(f"q{i}", size) for i, size in enumerate(sizes)))
    builder.global_phase = draw(angles())
    kinds = ["gate", "gate", "gate"]
    kinds += ["diagonal"] * diagonals + ["barrier"] * barriers + ["box"] * boxes
    kinds += ["ancilla"] * ancillas + ["measure", "reset"] * dynamic
    for _ in range(draw(st.integers(0, max_operations))):
        kind = draw(st.sampled_from(kinds))
        order = draw(_orders(num_qubits))
        if kind == "gate":
            _add_gate(draw, builder, order, gate_names, max_controls)
        elif kind == "diagonal":
            width = draw(st.integers(1, min(num_qubits, 3)))
            controls, values = _controls(draw, order[width:], 1)
            builder.diagonal(draw(phases(width)), order[:width], controls, values)
        elif kind == "barrier":
            builder.barrier(order[: draw(st.integers(1, num_qubits))])
        elif kind == "box":
            body = draw(
                circuits(
                    max_qubits=num_qubits,
                    max_operations=4,
                    gate_names=gate_names,
                    max_controls=max_controls,
                    diagonals=diagonals,
                    barriers=barriers,
                    boxes=False,
                    ancillas=ancillas,
                )
            )
            repetitions = draw(st.integers(0, 3))
            builder.append(body, order[: len(body.data)], repetitions=repetitions, label="body")
        elif kind == "ancilla":
            _borrow_ancilla(draw, builder, order)
        elif kind == "measure":
            builder.measure(order[:1])
        else:
            builder.reset(order[0])
    if measured:
        order = draw(_orders(num_qubits))
        builder.measure(order[: draw(st.integers(1, num_qubits))])
    return builder.build()


def _controls(
    draw: st.DrawFn, free: Sequence[int], most: int
) -> tuple[Sequence[int], tuple[int, ...]]:
    controls = free[: draw(st.integers(0, min(most, len(free))))]
    return controls, _values(draw, len(controls))


def _values(draw: st.DrawFn, number: int) -> tuple[int, ...]:
    bits = draw(st.integers(0, 2**number - 1)) if number else 0
    return tuple(bits >> i & 1 for i in range(number))


@lru_cache(maxsize=32)
def _orders(num_qubits: int) -> st.SearchStrategy[Sequence[int]]:
    """All orders of the qubits; one choice of many is drawn faster than many choices."""
    if num_qubits > 6:
        return st.permutations(range(num_qubits))
    return st.sampled_from(list(permutations(range(num_qubits))))


def _add_gate(
    draw: st.DrawFn,
    builder: CircuitBuilder,
    order: Sequence[int],
    names: Sequence[str],
    max_controls: int,
) -> None:
    fitting = [name for name in names if GATES[name].num_qubits <= len(order)]
    if not fitting:
        return
    gate = draw(gates(fitting))
    width = gate.kind.num_qubits
    controls, values = _controls(draw, order[width:], max_controls)
    builder.gate(gate, order[:width], controls, values)


def _borrow_ancilla(draw: st.DrawFn, builder: CircuitBuilder, order: Sequence[int]) -> None:
    """Computes a bit into an ancilla, turns phases by it, and uncomputes it."""
    controls = order[:2]
    values = _values(draw, len(controls))
    with builder.ancillas(1) as (scratch,):
        builder.x(scratch, controls, values)
        builder.p(draw(angles()), scratch, order[:1])
        builder.x(scratch, controls, values)
