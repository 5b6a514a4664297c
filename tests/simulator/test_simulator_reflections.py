"""Searches: the short cut through reflections against whole matrices and against gates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Phases, Register
from qmastermind.gates import Gate
from qmastermind.simulator import statevector
from qmastermind.simulator.evolution import plan_for
from qmastermind.simulator.ops import Op, lower


def on_qubits(circuit: Circuit) -> list[Op]:
    return [op for op in lower(circuit) if op.qubits]


def gates_left(circuit: Circuit, skip: int = 0) -> int:
    """How many gates the plan of a circuit on all its qubits applies one by one, after some."""
    return plan_for(on_qubits(circuit)[skip:], range(circuit.num_qubits), 1).gates


def grover(num_qubits, iterations, marked, *, layer=None, boxed=True):
    """A search from H on every qubit, or from another ``layer``."""
    register = Register("x", num_qubits)
    if layer is None:
        b = CircuitBuilder(register)
        for q in range(num_qubits):
            b.h(q)
        layer = b.build()
    iteration = CircuitBuilder(register)
    bits = [marked >> (num_qubits - 1 - q) & 1 for q in range(num_qubits)]
    iteration.phase_on(math.pi, range(num_qubits), bits)
    iteration.compose(layer.inverse())
    iteration.phase_on(math.pi, range(num_qubits), [0] * num_qubits)
    iteration.compose(layer)
    b = CircuitBuilder(register)
    b.compose(layer)
    if boxed:
        b.append(iteration.build(), repetitions=iterations)
    else:
        for _ in range(iterations):
            b.compose(iteration.build())
    return b.build()


def success(num_qubits: int, iterations: int) -> float:
    return math.sin((2 * iterations + 1) * math.asin(2 ** (-num_qubits / 2))) ** 2


@pytest.mark.parametrize("boxed", [True, False])
@pytest.mark.parametrize(
    ("num_qubits", "iterations", "marked"),
    [(5, 4, 9), (6, 3, 0), (12, 10, 0b010011000101), (12, 50, 4095), (18, 100, 77_777)],
)
def test_grover_finds_with_the_exact_probability(num_qubits, iterations, marked, boxed):
    circuit = grover(num_qubits, iterations, marked, boxed=boxed)
    state = statevector(circuit)
    assert abs(state[marked]) ** 2 == pytest.approx(success(num_qubits, iterations), abs=1e-9)
    others = np.delete(np.abs(state) ** 2, marked)
    assert np.ptp(others) < 1e-12
    assert np.sum(others) + abs(state[marked]) ** 2 == pytest.approx(1, abs=1e-10)


def test_twelve_qubits_ten_iterations_succeed_one_time_in_ten():
    state = statevector(grover(12, 10, 1234))
    expected = math.sin(21 * math.asin(1 / 64)) ** 2
    assert abs(state[1234]) ** 2 == pytest.approx(expected, abs=1e-9)
    assert 0.10 < expected < 0.11


def test_no_gate_of_a_search_is_applied_one_by_one():
    # after the first layer of H everything is a reflection or a phase on one state
    assert gates_left(grover(10, 25, 77), skip=10) == 0
    assert gates_left(grover(10, 5, 77, boxed=False), skip=10) == 0


def product_layer(num_qubits: int, seed: int) -> Circuit:
    """Three states a pair of qubits, by rotations; a last qubit on its own."""
    rng = np.random.default_rng(seed)
    b = CircuitBuilder(Register("x", num_qubits))
    for q in range(0, num_qubits - 1, 2):
        b.ry(rng.uniform(0, 3), q)
        b.ry(rng.uniform(0, 3), q + 1, [q], [0])
        b.p(rng.uniform(0, 3), q + 1)
    if num_qubits % 2:
        b.h(num_qubits - 1)
    return b.build()


def entangling_layer(num_qubits: int, seed: int) -> Circuit:
    rng = np.random.default_rng(seed)
    b = CircuitBuilder(Register("x", num_qubits))
    for q in range(num_qubits):
        b.h(q)
        b.u(*rng.uniform(-3, 3, 3), q, [(q + 2) % num_qubits])
    b.diagonal(Phases(3, rng.uniform(-3, 3, 8)), [4, 0, 2])
    b.rz(0.4, 3, [1])
    b.diagonal(Phases(4, rng.uniform(-3, 3, 5), rng.permutation(16)[:5]), [1, 3, 0, 2])
    return b.build()


@pytest.mark.parametrize("boxed", [True, False])
@pytest.mark.parametrize("make", [product_layer, entangling_layer])
def test_any_preparation(make, boxed, engine, dense):
    layer = make(7, 3)
    circuit = grover(7, 5, 100, layer=layer, boxed=boxed)
    assert np.allclose(statevector(circuit), dense(circuit)[:, 0], atol=1e-13)
    assert gates_left(circuit, skip=len(on_qubits(layer))) == 0


@st.composite
def searches(draw):
    """Bodies of [phases] [layer, phase, inverse layer], sometimes with something in between."""
    n = draw(st.integers(5, 7))
    body = CircuitBuilder(Register("q", n))
    rng = np.random.default_rng(draw(st.integers(0, 9999)))

    def pattern(least):
        some = rng.permutation(n)[: rng.integers(least, n + 1)].tolist()
        angle = rng.choice([math.pi, 0.9])
        body.phase_on(angle, some, rng.integers(2, size=len(some)).tolist())
        return some

    for _ in range(draw(st.integers(1, 2))):
        pattern(1)
        if draw(st.booleans()):
            listed = rng.permutation(2**n)[: rng.integers(1, 12)]
            body.diagonal(Phases(n, rng.uniform(-3, 3, len(listed)), listed), rng.permutation(n))
        qubits = rng.permutation(n)[: rng.integers(5, n + 1)].tolist()
        layer = CircuitBuilder(Register("q", n))
        for q in qubits:
            if rng.random() < 0.9:
                name = rng.choice(["h", "x", "sx", "ry"])
                layer.gate(Gate(str(name), (0.8,) if name == "ry" else ()), [q])
        for _ in range(draw(st.integers(0, 4))):
            target, *controls = rng.permutation(qubits)[: rng.integers(1, 4)].tolist()
            gate = Gate(*[("h",), ("ry", (2.2,)), ("rz", (1.3,)), ("x",)][rng.integers(4)])
            layer.gate(gate, [target], controls, rng.integers(2, size=len(controls)).tolist())
        between = draw(st.sampled_from(["nothing", "inside", "outside"]))
        body.compose(layer.build().inverse())
        if between == "inside":  # a gate that keeps the layers from cancelling
            body.h(qubits[0])
        body.phase_on(
            math.pi, rng.permutation(qubits).tolist(), rng.integers(2, size=len(qubits)).tolist()
        )
        if between == "outside":
            body.sx(int(rng.integers(n)))
        body.compose(layer.build())
    b = CircuitBuilder(Register("q", n))
    for q in range(n):
        b.h(q)
    if draw(st.booleans()):
        b.append(body.build(), rng.permutation(n).tolist(), repetitions=draw(st.integers(0, 4)))
    else:
        for _ in range(2):
            b.compose(body.build())
    return b.build()


@given(circuit=searches())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_searches(circuit, dense, random_state):
    expected = dense(circuit)
    assert np.allclose(statevector(circuit), expected[:, 0], atol=1e-12)
    state = random_state(circuit.num_qubits)
    assert np.allclose(statevector(circuit, state), expected @ state, atol=1e-12)


def counting(num_qubits: int, precision: int) -> Circuit:
    """Grover iterations under each of several control qubits, as phase estimation has them."""
    b = CircuitBuilder(Register("c", precision), Register("x", num_qubits))
    for q in range(precision + num_qubits):
        b.h(q)
    iteration = CircuitBuilder(Register("x", num_qubits))
    iteration.phase_on(math.pi, range(num_qubits), ([1, 0] * num_qubits)[:num_qubits])
    for q in range(num_qubits):
        iteration.h(q)
    iteration.phase_on(math.pi, range(num_qubits), [0] * num_qubits)
    for q in range(num_qubits):
        iteration.h(q)
    body = iteration.build()
    for c in range(precision):
        qubits = [c, *range(precision, precision + num_qubits)]
        b.append(body.controlled(), qubits, repetitions=2**c)
    return b.build()


def test_controlled_searches_are_reflections_under_controls(dense):
    circuit = counting(5, 3)
    assert np.allclose(statevector(circuit), dense(circuit)[:, 0], atol=1e-13)
    assert gates_left(circuit, skip=8) == 0


def test_searches_over_different_qubits_fall_back_to_gates(dense):
    b = CircuitBuilder(Register("x", 8))
    for q in range(8):
        b.ry(0.3 + q, q)
    b.z(7, range(7))
    for some in (range(6), range(2, 8), range(5)):
        for q in some:
            b.h(q)
        b.phase_on(math.pi, some, [0] * len(some))
        for q in some:
            b.h(q)
    circuit = b.build()
    assert np.allclose(statevector(circuit), dense(circuit)[:, 0], atol=1e-13)
    assert 0 < gates_left(circuit) < len(circuit.operations)


def test_oracle_with_ancillas_and_gates_between(dense):
    """A counter on ancillas, so that only the diffuser is a reflection."""
    n = 5
    b = CircuitBuilder(Register("x", n))
    for q in range(n):
        b.h(q)
    oracle = CircuitBuilder(Register("x", n))
    with oracle.ancillas(2) as (high, low):
        for q in range(n):
            oracle.x(high, [q, low])
            oracle.x(low, [q])
        oracle.phase_on(math.pi, [high, low], [1, 0])
        for q in reversed(range(n)):
            oracle.x(low, [q])
            oracle.x(high, [q, low])
    iteration = CircuitBuilder(Register("x", n))
    iteration.append(oracle.build())
    for q in range(n):
        iteration.h(q)
    iteration.phase_on(math.pi, range(n), [0] * n)
    for q in range(n):
        iteration.h(q)
    b.append(iteration.build(), repetitions=3)
    circuit = b.build()
    assert np.allclose(statevector(circuit), dense(circuit)[:, 0], atol=1e-13)


def test_x_layers_only_move_the_phase(dense):
    b = CircuitBuilder(Register("x", 6))
    for q in range(6):
        b.ry(0.5 + q, q)
    for q in (1, 3, 4):
        b.x(q)
    b.p(0.7, 5, range(5))
    for q in (4, 1, 3):
        b.x(q)
    circuit = b.build()
    assert np.allclose(statevector(circuit), dense(circuit)[:, 0], atol=1e-14)
    assert gates_left(circuit, skip=6) == 1
