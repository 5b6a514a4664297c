import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Phases, Register
from qmastermind.errors import UsageError
from qmastermind.resources import count
from qmastermind.target import Target
from qmastermind.testing.strategies import circuits


def test_the_convention():
    b = CircuitBuilder(Register("x", 4))
    b.h(0)  # layer 1
    b.barrier()
    b.rz(0.5, 1)  # layer 1: the barrier holds nothing back
    b.x(1, [0])  # layer 2
    b.z(2, [1], [0])  # layer 3
    b.x(3, [0, 1])  # layer 4 (after qubit 1), three qubits
    b.t(2)  # layer 4
    b.diagonal(Phases(2, [0, 0, 0, 1]), [2, 3])  # layer 5
    b.measure([0, 1, 2, 3])
    figures = count(b.build())
    assert figures.depth == 5
    assert figures.two_qubit_depth == 3
    assert figures.two_qubit_gates == 3
    assert figures.multi_qubit_gates == 1
    assert figures.one_qubit_gates == 3
    assert figures.virtual_rz == 1
    assert (figures.t_gates, figures.t_depth) == (1, 1)
    assert dict(figures.counts) == {
        "h": 1, "rz": 1, "cx": 1, "oz": 1, "ccx": 1, "t": 1, "diagonal": 1,
    }  # fmt: skip


def test_boxes_count_as_often_as_they_are_repeated():
    b = CircuitBuilder(Register("x", 2))
    b.x(1, [0])
    with b.ancillas(1) as (a,):
        b.x(a, [1])
        b.x(a, [1])
    body = b.build()
    once, thrice = count(body), count(body.power(3))
    assert (once.two_qubit_gates, thrice.two_qubit_gates) == (3, 9)
    assert (once.depth, thrice.depth) == (3, 9)
    assert thrice.ancillas == 1
    assert thrice.qubits == 3
    assert count(body.power(0)).depth == 0


@given(circuits(max_qubits=4, boxes=True), st.integers(0, 4))
@settings(max_examples=60)
def test_repeated_boxes_count_like_their_flat_form(circuit, repetitions):
    repeated = circuit.power(repetitions)
    assert count(repeated) == count(repeated.flattened())
    nested = repeated.power(2)
    assert count(nested) == count(nested.flattened())


@given(circuits(max_qubits=4, boxes=True), st.integers(5, 70))
@settings(max_examples=30)
def test_boxes_that_are_repeated_often_count_like_their_flat_form(circuit, repetitions):
    repeated = circuit.power(repetitions)
    assert count(repeated) == count(repeated.flattened())


@pytest.mark.parametrize("repetitions", [10**9, 2**60 + 1, 2**200 - 1])
def test_any_number_of_repetitions_is_counted_exactly(repetitions):
    """Two independent halves of other depths, and a path that moves by one qubit a repetition."""
    b = CircuitBuilder(Register("x", 5))
    b.t(0)
    b.x(1, [0])
    b.x(1, [0])
    for q in (3, 2):  # descending: what reaches a qubit goes on in the next repetition
        b.x(q + 1, [q])
    body = b.build()
    figures = count(body.power(repetitions))
    assert figures.depth == 3 * repetitions
    assert figures.two_qubit_depth == 2 * repetitions
    assert figures.t_depth == figures.t_gates == repetitions
    assert figures.two_qubit_gates == 4 * repetitions
    nested = CircuitBuilder(Register("x", 5))
    nested.t(0)
    nested.append(body.power(repetitions), range(5), repetitions=3)
    nested.h(0)
    assert count(nested.build()).depth == 9 * repetitions + 2
    assert count(nested.build()).t_depth == 3 * repetitions + 1


def test_counting_a_wide_box_in_a_box_takes_little_memory():
    """No more than some matrices of one number for each pair of its qubits: 0.7 MB each."""
    size = 300
    b = CircuitBuilder(Register("x", size))
    for q in range(size - 1):
        b.x(q + 1, [q])
    inner = b.build()
    outer = CircuitBuilder(Register("x", size))
    outer.append(inner, range(size), repetitions=2)
    tracemalloc.start()
    try:
        figures = count(outer.build().power(2))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert figures.depth == size - 1 + 3 * 2  # each repetition starts two layers after the last
    assert peak < 60e6


def test_t_gates_in_disguise():
    b = CircuitBuilder(Register("x", 1))
    for eighths in range(-8, 9):
        b.p(eighths * 0.7853981633974483, 0)
    b.tdg(0)
    assert count(b.build()).t_gates == 9


@pytest.mark.parametrize(
    ("target", "qubits", "pairs"),
    [
        (Target.line(5), 5, 4),
        (Target.grid(2, 3), 6, 7),
        (Target.grid(4, 4), 16, 24),
        (Target.heavy_hex(1), 1, 0),
        (Target.heavy_hex(3), 19, 20),
        (Target.heavy_hex(5), 57, 64),
        (Target.heavy_hex(7), 115, 132),
    ],
)
def test_lattices(target, qubits, pairs):
    assert target.num_qubits == qubits
    assert len(target.coupling) == pairs
    reached, frontier = {0}, [0]
    neighbours = {q: {a + b - q for a, b in target.coupling if q in (a, b)} for q in range(qubits)}
    while frontier:
        for q in neighbours[frontier.pop()] - reached:
            reached.add(q)
            frontier.append(q)
    assert len(reached) == qubits
    if target.name.startswith("heavy"):
        assert max((len(n) for n in neighbours.values()), default=0) <= 3


def test_violations_say_what_and_where():
    b = CircuitBuilder(Register("x", 3))
    b.h(0)
    b.x(2, [0])
    b.x(1, [0])
    b.x(1, [0], [0])
    b.measure([0])
    target = Target.line(3)
    assert list(target.violations(b.build())) == [
        "h on (0,) is not in the basis",
        "cx on (0, 2): not coupled",
        "ox on (0, 1) is not in the basis",
    ]
    assert not target.permits(b.build())
    assert Target(("h", "cx", "ox")).permits(b.build())
    assert next(Target.line(2).violations(b.build())) == "3 qubits on a target of 2"


def test_a_diagonal_over_no_qubit_is_a_global_phase():
    circuits = []
    for diagonal in (False, True):
        b = CircuitBuilder(Register("x", 1))
        b.h(0)
        if diagonal:
            b.diagonal(Phases(0, [0.7]), [])
        circuits.append(b.build())
    assert count(circuits[0]) == count(circuits[1])


def test_wrong_targets_are_refused():
    with pytest.raises(UsageError, match="unknown basis gate 'cnot'"):
        Target(("rz", "cnot"))
    with pytest.raises(UsageError, match="needs a number of qubits"):
        Target(coupling=frozenset({(0, 1)}))
    with pytest.raises(UsageError, match="not between two of 2"):
        Target(num_qubits=2, coupling=frozenset({(0, 2)}))
    with pytest.raises(UsageError, match="odd"):
        Target.heavy_hex(4)
    with pytest.raises(UsageError, match="not the text 'cx'"):
        Target("cx")
    with pytest.raises(UsageError, match="not the text 'cx'"):
        Target.line(2, "cx")
    with pytest.raises(UsageError, match="unknown basis gate 3"):
        Target(("rz", 3))
    for wrong in (
        lambda: Target.line(1.5),
        lambda: Target.grid(2, 0.5),
        lambda: Target(("x",), 2.5),
    ):
        with pytest.raises(UsageError, match="whole number"):
            wrong()
    assert Target(["rz", "cx"]).basis == ("rz", "cx")
