"""Every gate under every control pattern, and random circuits, against whole matrices."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Phases, Register
from qmastermind.errors import UsageError
from qmastermind.gates import GATES, Gate
from qmastermind.simulator import statevector, unitary
from qmastermind.simulator.blocks import run_blocks
from qmastermind.testing import strategies

ANGLES = (0.7, -1.9, 2.4)


@pytest.mark.parametrize("name", GATES)
def test_every_gate_under_every_control_pattern(name, engine, dense, random_state):
    kind = GATES[name]
    gate = Gate(name, ANGLES[: kind.num_params])
    for qubits in ((0, 1, 2, 3), (2, 0, 3, 1), (3, 2, 1, 0)):
        for controls in range(5 - kind.num_qubits):
            for values in itertools.product((0, 1), repeat=controls):
                b = CircuitBuilder(Register("q", 4))
                split = kind.num_qubits
                b.gate(gate, qubits[:split], qubits[split : split + controls], values)
                circuit = b.build()
                expected = dense(circuit)
                state = random_state(4, seed=controls)
                assert np.allclose(statevector(circuit, state), expected @ state, atol=1e-14)
                assert np.allclose(unitary(circuit), expected, atol=1e-14)


@pytest.mark.parametrize("name", GATES)
def test_gates_of_the_test_are_those_of_the_package(name, dense):
    gate = Gate(name, ANGLES[: GATES[name].num_params])
    b = CircuitBuilder(Register("q", GATES[name].num_qubits))
    b.gate(gate, range(GATES[name].num_qubits))
    assert np.allclose(dense(b.build()), gate.matrix(), atol=1e-15)


@given(circuit=strategies.circuits(max_qubits=5, max_operations=20))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_circuits(circuit, engine, dense, random_state):
    expected = dense(circuit)
    n = circuit.num_qubits
    assert np.allclose(statevector(circuit), expected[:, 0], atol=1e-12)
    assert np.allclose(unitary(circuit), expected, atol=1e-12)
    state = random_state(n)
    assert np.allclose(statevector(circuit, state), expected @ state, atol=1e-12)


def random_wide_circuit(num_qubits: int, gates: int, seed: int) -> Circuit:
    """Gates of all kinds with up to two controls, on more qubits than a block holds."""
    rng = np.random.default_rng(seed)
    b = CircuitBuilder(Register("q", num_qubits))
    names = list(GATES)
    for _ in range(gates):
        kind = GATES[names[rng.integers(len(names))]]
        qubits = rng.permutation(num_qubits)[: kind.num_qubits + rng.integers(3)].tolist()
        controls = qubits[kind.num_qubits :]
        angles = tuple(rng.uniform(-4, 4, kind.num_params).tolist())
        values = rng.integers(2, size=len(controls)).tolist()
        b.gate(Gate(kind.name, angles), qubits[: kind.num_qubits], controls, values)
    return b.build()


@pytest.mark.parametrize("seed", range(3))
def test_blocks_of_gates_do_what_gates_do(seed, monkeypatch):
    """17 qubits take several parts for a block and several blocks; numpy goes gate by gate."""
    circuit = random_wide_circuit(17, 150, seed)
    monkeypatch.setattr("qmastermind.simulator.evolution.NUMPY_SECONDS", math.inf)
    expected = statevector(circuit)
    used = []
    monkeypatch.setattr("qmastermind.simulator.evolution.NUMPY_SECONDS", -1)
    monkeypatch.setattr(
        "qmastermind.simulator.blocks.run_blocks",
        lambda blocks, *rest: (used.append(len(blocks)), run_blocks(blocks, *rest)),
    )
    assert np.allclose(statevector(circuit), expected, atol=1e-13)
    assert sum(used) > 3


def test_threads_give_the_same_state_bit_for_bit(engine):
    circuit = random_wide_circuit(17, 40, 7)
    assert np.array_equal(statevector(circuit, threads=1), statevector(circuit, threads=2))


@given(data=st.data())
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_wide_diagonals(data, engine, dense, random_state):
    """Tables and lists with many entries, on any qubits and under controls."""
    n = data.draw(st.integers(2, 7))
    qubits = data.draw(st.permutations(range(n)))
    width = data.draw(st.integers(1, n))
    seed = data.draw(st.integers(0, 999))
    rng = np.random.default_rng(seed)
    if data.draw(st.booleans()):
        phases = Phases(width, rng.choice([0, math.pi, 0.3, -2.0], size=2**width))
    else:
        some = rng.permutation(2**width)[: data.draw(st.integers(0, 2**width))]
        phases = Phases(width, rng.uniform(-7, 7, size=len(some)), some)
    controls = qubits[width : width + 2]
    b = CircuitBuilder(Register("q", n))
    b.diagonal(phases, qubits[:width], controls, rng.integers(2, size=len(controls)).tolist())
    circuit, state = b.build(), random_state(n, seed)
    assert np.allclose(statevector(circuit, state), dense(circuit) @ state, atol=1e-12)


def test_a_full_width_phase_touches_one_amplitude(random_state):
    b = CircuitBuilder(Register("q", 9))
    b.phase_on(1.1, range(9), [1, 0, 1, 1, 0, 0, 0, 1, 1])
    state = random_state(9)
    (changed,) = np.nonzero(statevector(b.build(), state) != state)
    assert changed.tolist() == [0b101100011]


def test_global_phase_of_boxes_and_under_controls(dense):
    inner = CircuitBuilder(Register("q", 1))
    inner.h(0)
    inner.global_phase = 0.4
    middle = CircuitBuilder(Register("q", 2))
    middle.append(inner.build(), [1], repetitions=3)
    middle.global_phase = -1.0
    circuit = middle.build().controlled(2, [0, 1])
    assert np.allclose(unitary(circuit), dense(circuit), atol=1e-14)
    assert np.allclose(unitary(middle.build()), dense(middle.build()), atol=1e-14)


def test_initial_state_is_left_as_it_was(random_state):
    b = CircuitBuilder(Register("q", 3))
    b.h(1)
    state = random_state(3)
    before = state.copy()
    statevector(b.build(), state)
    assert np.array_equal(state, before)


def test_no_qubits():
    assert statevector(Circuit(())).tolist() == [1]
    assert unitary(Circuit((), global_phase=math.pi)).round(15).tolist() == [[-1]]


def test_what_has_no_state_is_refused():
    b = CircuitBuilder(Register("q", 2))
    b.measure([0])
    for function in (statevector, unitary):
        with pytest.raises(UsageError, match="measures or resets"):
            function(b.build())
    with pytest.raises(UsageError, match="expected 2 amplitudes"):
        statevector(Circuit((Register("q", 1),)), [1, 0, 0])
    with pytest.raises(UsageError, match="at least 1 thread"):
        statevector(Circuit((Register("q", 1),)), threads=0)
