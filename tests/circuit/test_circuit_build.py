import math

import numpy as np
import pytest

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import (
    Apply,
    Barrier,
    Box,
    Circuit,
    Measure,
    Phases,
    Query,
    Register,
    Reset,
)
from qmastermind.errors import CircuitError, TooLargeError, UsageError
from qmastermind.gates import Gate
from qmastermind.qasm import to_qasm3
from qmastermind.simulator import StatevectorBackend, unitary


def sample(with_phase=True):
    b = CircuitBuilder(Register("a", 1), Register("b", 2))
    b.h(0)
    b.x(2, [0, 1], [1, 0])
    b.ry(0.3, 1, [2])
    b.swap(0, 2)
    b.diagonal(Phases(2, [0.1, 0.2, 0.3, 0.4]), [2, 1])
    b.t(1)
    if with_phase:
        b.global_phase = 0.7
    return b.build()


def test_registers_number_their_qubits_through():
    circuit = sample()
    assert circuit.num_qubits == 3
    assert circuit.qubits("a") == (0,)
    assert circuit.qubits("b") == (1, 2)
    with pytest.raises(CircuitError, match="no register 'c'; there are: a, b"):
        circuit.qubits("c")


def test_inverse_and_power():
    circuit = sample()
    u = unitary(circuit)
    assert np.allclose(unitary(circuit.inverse()) @ u, np.eye(8))
    assert np.allclose(unitary(circuit.power(3)), np.linalg.matrix_power(u, 3))
    assert np.allclose(unitary(circuit.power(-2)), np.linalg.matrix_power(u.conj().T, 2))
    assert np.allclose(unitary(circuit.power(0)), np.eye(8))
    assert np.allclose(unitary(circuit.power(3).inverse()), np.linalg.matrix_power(u.conj().T, 3))


@pytest.mark.parametrize("values", [(1,), (0,), (1, 1), (0, 1), (1, 0), (0, 0)])
@pytest.mark.parametrize("boxed", [False, True])
def test_controlled_acts_where_the_controls_match(values, boxed):
    circuit = sample().power(1) if boxed else sample()
    u = unitary(sample())
    got = unitary(circuit.controlled(len(values), values))
    index = int("".join(map(str, values)), 2)
    expected = np.eye(8 * 2 ** len(values), dtype=complex)
    expected[8 * index : 8 * index + 8, 8 * index : 8 * index + 8] = u
    assert np.allclose(got, expected)


def test_flattening_changes_nothing():
    circuit = sample().power(2).controlled(1).power(2)
    assert np.allclose(unitary(circuit), unitary(circuit.flattened()))
    assert not any(type(op).__name__ == "Box" for op in circuit.flattened().operations)


def test_compose_on_chosen_qubits():
    inner = CircuitBuilder(Register("x", 2))
    inner.x(1, [0])
    outer = CircuitBuilder(Register("q", 3))
    outer.compose(inner.build(), [2, 0])
    assert outer.build().operations == (Apply(Gate("x"), (0,), (2,), (1,)),)


def test_ancillas_are_lent_reused_and_hidden_from_data():
    inner = CircuitBuilder(Register("x", 1))
    with inner.ancillas(2) as (a, b):
        inner.x(a, [0])
        inner.x(b, [a])
        inner.x(b, [a])
        inner.x(a, [0])
    body = inner.build()
    assert body.data == (0,)
    assert body.ancillas == (1, 2)
    outer = CircuitBuilder(Register("y", 2))
    outer.append(body, [1])
    outer.append(body, [0], repetitions=3)
    with outer.ancillas(1) as (c,):
        outer.x(c)
        outer.x(c)
    circuit = outer.build()
    assert circuit.num_qubits == 4  # two ancillas serve all three
    assert [r.ancilla for r in circuit.registers] == [False, True]
    assert np.allclose(unitary(circuit), np.eye(16))


def test_nested_ancillas_do_not_share():
    b = CircuitBuilder(Register("x", 1))
    with b.ancillas(1) as (first,):
        with b.ancillas(2) as others:
            assert first not in others
        with b.ancillas(1) as (again,):
            assert again in others
    assert len(b.build().ancillas) == 3


@pytest.mark.parametrize("values", [(0, 0, 0), (1, 1, 1), (0, 1, 0), (1, 0, 1), (1, 1, 0)])
@pytest.mark.parametrize("angle", [math.pi, 0.4])
def test_phase_on_one_basis_state(values, angle):
    b = CircuitBuilder(Register("x", 3))
    b.phase_on(angle, [0, 1, 2], values)
    expected = np.ones(8, dtype=complex)
    expected[int("".join(map(str, values)), 2)] = np.exp(1j * angle)
    assert np.allclose(unitary(b.build()), np.diag(expected))


def test_phases_by_table_function_and_list_are_the_same_unitary():
    angles = np.array([0, 0.5, 0, 0, 0, 0, -1.0, 0])
    table = Phases(3, angles)
    listed = Phases(3, [-1.0, 0.5], [6, 1])
    computed = Phases.from_function(3, lambda i: np.where(i == 1, 0.5, np.where(i == 6, -1.0, 0.0)))
    assert np.array_equal(listed.table(), angles)
    assert table == computed
    assert hash(table) == hash(computed)
    assert listed == Phases(3, [0.5, -1.0], [1, 6])
    assert np.array_equal(table.inverse().table(), -angles)
    one_angle = Phases(3, math.pi, [1, 2, 5])
    assert np.array_equal(np.flatnonzero(one_angle.table()), [1, 2, 5])
    with pytest.raises(ValueError, match="read-only"):
        table.angles[0] = 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: Phases(2, [1, 2, 3]),
        lambda: Phases(2, [math.inf, 0, 0, 0]),
        lambda: Phases(2, [1.0], [4]),
        lambda: Phases(2, [1.0], [-1]),
        lambda: Phases(2, [1.0, 2.0], [1, 1]),
    ],
)
def test_wrong_phases_are_refused(make):
    with pytest.raises(CircuitError):
        make()


@pytest.mark.parametrize(
    "make", [lambda: Phases.from_function(40, lambda i: i), lambda: Phases(63, [1.0], [2**62])]
)
def test_phases_too_wide_are_refused(make):
    with pytest.raises(TooLargeError, match="too"):
        make()


def test_names_of_lent_registers_avoid_those_there_are():
    b = CircuitBuilder(
        Register("ancilla", 1), Register("ancilla1", 1, ancilla=True), Register("control", 1)
    )
    with b.ancillas(1):
        pass
    circuit = b.build().controlled()
    names = ["control1", "ancilla", "ancilla1", "control", "ancilla2"]
    assert [r.name for r in circuit.registers] == names


@pytest.mark.parametrize("qubits", [[-1], [3], [0, 0], [0.5]])
def test_only_qubits_that_there_are_can_be_measured(qubits):
    with pytest.raises((CircuitError, UsageError)):
        CircuitBuilder(Register("q", 3)).build().measured(qubits)


def test_qubits_may_be_numpy_arrays():
    b = CircuitBuilder(Register("q", 3))
    b.phase_on(0.5, np.array([0, 2]), np.array([1, 1]))
    b.diagonal(Phases(2, [0.5], [3]), np.array([1, 2]), np.array([0]))
    assert [op.qubits for op in b.build().operations] == [(0, 2), (0, 1, 2)]


def test_operations_are_checked_however_they_are_added():
    body = CircuitBuilder(Register("q", 2)).build()
    b = CircuitBuilder(Register("q", 3))
    for op in (Box(body, (0,)), Apply(Gate("x"), (0,), (1,), ()), Apply(Gate("x"), (0, 1))):
        with pytest.raises(CircuitError):
            b.add(op)
    with pytest.raises(UsageError):
        b.append(body, repetitions=1.5)
    with pytest.raises(UsageError):
        body.power(2.5)


def test_the_one_state_of_no_qubits_has_the_global_phase():
    b = CircuitBuilder(Register("q", 1))
    b.phase_on(0.5, [], [])
    b.diagonal(Phases(0, [0.25]), [])
    assert b.build() == Circuit((Register("q", 1),), (), 0, 0.75)
    b.diagonal(Phases(0, [0.25]), [], [0], [1])
    assert b.build().operations == (Apply(Gate("p", (0.25,)), (0,)),)


def test_measurements_at_the_end():
    circuit = sample().measured([2, 0])
    assert circuit.num_bits == 2
    assert circuit.final_measurements() == {0: 2, 1: 0}
    assert circuit.without_measurements() == sample()
    assert circuit.has_final_measurements_only()
    assert not circuit.is_unitary
    b = CircuitBuilder(Register("x", 1))
    b.measure([0])
    b.h(0)
    assert not b.build().has_final_measurements_only()
    b = CircuitBuilder(Register("x", 1))
    b.reset(0)
    assert not b.build().has_final_measurements_only()
    for act in (circuit.inverse, lambda: circuit.power(2), lambda: circuit.controlled(1)):
        with pytest.raises(CircuitError):
            act()


def test_composing_measurements_gives_new_bits():
    inner = CircuitBuilder(Register("x", 1))
    inner.measure([0])
    outer = CircuitBuilder(Register("y", 2))
    outer.compose(inner.build(), [1])
    outer.compose(inner.build(), [0])
    assert outer.build().operations == (Measure(1, 0), Measure(0, 1))
    assert outer.build().num_bits == 2


def test_queries_are_counted_by_object():
    body = sample()
    first, second = Query("a", lambda *_: None), Query("a", lambda *_: None)
    b = CircuitBuilder(Register("x", 3))
    b.append(body, repetitions=2, query=first)
    b.append(body, query=second)
    inner = b.build()
    assert inner.power(3).query_uses() == {first: 6, second: 3}
    assert inner.flattened().query_uses() == {}


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda b: b.h(2), "there is no qubit 2"),
        (lambda b: b.h(-1), "there is no qubit -1"),
        (lambda b: b.x(0, [0]), "twice"),
        (lambda b: b.swap(1, 1), "twice"),
        (lambda b: b.x(0, [1], [2]), "values 0 or 1"),
        (lambda b: b.x(0, [1], [1, 0]), "values 0 or 1"),
        (lambda b: b.diagonal(Phases(1, [0, 1]), [0, 1]), "takes 1 targets"),
        (lambda b: b.register(Register("x", 1)), "already"),
        (lambda b: b.append(sample()), "3 data qubits|no qubit"),
        (lambda b: b.append(sample(), [0, 1]), "3 data qubits, not 2"),
        (lambda b: b.append(sample().measured(), [0, 1, 0]), "cannot measure"),
        (lambda b: b.append(b.build(), repetitions=-1), "cannot be repeated"),
        (lambda b: Register("two words", 1), "identifier"),
        (lambda b: Register("x", 0), "at least 1 qubit"),
    ],
)
def test_mistakes_are_refused(act, words):
    with pytest.raises(CircuitError, match=words):
        act(CircuitBuilder(Register("x", 2)))


def test_drawing_shows_every_part():
    b = CircuitBuilder(Register("x", 3), Register("r", 1))
    b.h(0)
    b.x(2, [0, 3], [1, 0])
    b.ry(0.25, 1)
    b.swap(0, 1)
    b.barrier()
    b.append(sample(), (0, 1, 2), repetitions=3, label="step")
    b.reset(3)
    b.measure([0])
    text = b.build().draw()
    for part in ("x[0]:", "   r:", "●", "○", "ry(0.25)", "×", "░", "[step^3:0]", "|0>", "M0"):
        assert part in text
    narrow = b.build().draw(40)
    assert max(map(len, narrow.splitlines())) <= 40
    assert narrow.count("x[0]:") > 1


def test_operations_know_their_qubits():
    assert Apply(Gate("x"), (1,), (0,), (1,)).qubits == (0, 1)
    assert Reset(2).qubits == Measure(2, 0).qubits == (2,)
    assert Barrier((0, 1)).qubits == (0, 1)
    assert issubclass(TooLargeError, ValueError)


def test_numbers_that_are_no_whole_numbers():
    with pytest.raises(UsageError, match=r"size of register 'q' must be a whole number, not 1\.5"):
        Register("q", 1.5)
    with pytest.raises(CircuitError, match="like an identifier, not 3"):
        Register(3, 1)
    builder = CircuitBuilder(Register("x", 2))
    with pytest.raises(UsageError, match=r"a qubit must be a whole number, not 0\.5"):
        builder.h(0.5)
    builder.x(np.int64(1), [np.int64(0)])
    assert builder.build().size == 1


def test_a_circuit_too_long_to_open_says_so_before_it_is_opened():
    builder = CircuitBuilder(Register("x", 1))
    builder.x(0)
    step = builder.build()
    long = step.power(10**11)
    assert long.size == 10**11
    assert CircuitBuilder(Register("x", 1)).build().power(10**11).size == 0
    with pytest.raises(TooLargeError, match=r"100,000,000,000 operations, .* \(at most 10,000,000"):
        long.flat()
    with pytest.raises(TooLargeError, match="repeat less often"):
        StatevectorBackend().run(long.measured())
    with pytest.raises(TooLargeError, match="repeat less often"):
        to_qasm3(long)
    assert step.power(3).size == len(list(step.power(3).flat())) == 3
