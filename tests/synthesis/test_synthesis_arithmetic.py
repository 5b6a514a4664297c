"""Arithmetic on all inputs by classical simulation, and cost formulas against counted gates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Circuit, Register
from qmastermind.errors import UsageError
from qmastermind.gates import Gate
from qmastermind.synthesis import arithmetic as a
from qmastermind.synthesis import comparison as c
from qmastermind.synthesis.one_hot import one_hot, one_hot_cost


def run(circuit: Circuit, bits: list[int]) -> list[int]:
    """Simulates X gates on bits: one for each qubit."""
    bits = list(bits)
    for op in circuit.flat():
        assert isinstance(op, Apply)
        assert op.gate == Gate("x")
        bits[op.targets[0]] ^= all(
            bits[q] == v for q, v in zip(op.controls, op.values, strict=True)
        )
    return bits


def load(circuit: Circuit, **values: int) -> list[int]:
    """The bits of a circuit whose registers hold these numbers, and 0 elsewhere."""
    bits = [0] * circuit.num_qubits
    for name, value in values.items():
        qubits = circuit.qubits(name)
        for place, q in enumerate(reversed(qubits)):
            bits[q] = value >> place & 1
    return bits


def read(circuit: Circuit, bits: list[int], name: str) -> int:
    return int("".join(str(bits[q]) for q in circuit.qubits(name)), 2)


def cost_of(circuit: Circuit) -> a.Cost:
    by_controls = Counter(len(op.qubits) - 1 for op in circuit.flat() if isinstance(op, Apply))
    assert set(by_controls) <= {0, 1, 2}
    return a.Cost(by_controls[2], by_controls[1], len(circuit.ancillas))


def check(circuit: Circuit, expected: Callable[..., dict[str, int]]) -> None:
    """For every value of every data register; ancillas start and end at 0."""
    names = [r.name for r in circuit.registers if not r.ancilla]
    sizes = [r.size for r in circuit.registers if not r.ancilla]
    for values in product(*(range(2**size) for size in sizes)):
        given_values = dict(zip(names, values, strict=True))
        wanted = expected(**given_values)
        after = run(circuit, load(circuit, **given_values))
        assert {n: read(circuit, after, n) for n in names} == {**given_values, **wanted}
        assert not any(after[q] for q in circuit.ancillas)


@pytest.mark.parametrize("width", range(1, 6))
def test_controlled_increment(width: int) -> None:
    circuit = a.controlled_increment(width)
    check(circuit, lambda control, count: {"count": (count + control) % 2**width})
    assert cost_of(circuit) == a.controlled_increment_cost(width)


@pytest.mark.parametrize(("bits", "width"), [(n, w) for n in range(1, 9) for w in (None, 1, 2, 3)])
def test_popcount(bits: int, width: int | None) -> None:
    circuit = a.popcount(bits, width)
    size = len(circuit.qubits("count"))
    assert size == (width or bits.bit_length())
    for x in range(2**bits):
        after = run(circuit, load(circuit, x=x))
        assert read(circuit, after, "x") == x
        assert read(circuit, after, "count") == x.bit_count() % 2**size
        assert not any(after[q] for q in circuit.ancillas)
    assert cost_of(circuit) == a.popcount_cost(bits, width)


@pytest.mark.parametrize("bits", range(1, 11))
def test_sum_of_bits(bits: int) -> None:
    circuit, places = a.sum_of_bits(bits)
    assert len(places) == bits.bit_length()
    for x in range(2**bits):
        after = run(circuit, load(circuit, x=x))
        assert int("".join(str(after[q]) for q in places), 2) == x.bit_count()
        assert run(circuit.inverse(), after) == load(circuit, x=x)
    assert cost_of(circuit) == a.sum_of_bits_cost(bits)
    assert cost_of(circuit).toffoli == bits - bits.bit_count()


@pytest.mark.parametrize(("bits", "least"), [(n, t) for n in range(1, 7) for t in range(n + 2)])
def test_at_least(bits: int, least: int) -> None:
    circuit = a.at_least(bits, least)
    check(circuit, lambda x, result: {"result": result ^ (x.bit_count() >= least)})
    if 1 < least < bits:
        parts = [a.popcount_cost(bits)] * 2
        parts += [c.less_than_constant_cost(bits.bit_length(), least)]
        found = cost_of(circuit)
        assert found.toffoli == sum(part.toffoli for part in parts)
        assert found.cx == sum(part.cx for part in parts)
    elif 0 < least <= bits:
        assert max(len(op.qubits) - 1 for op in circuit.flat()) == bits
        assert sum(len(op.qubits) > 1 for op in circuit.flat()) == 1


@pytest.mark.parametrize("width", range(1, 5))
def test_two_registers(width: int) -> None:
    size = 2**width
    check(a.add(width), lambda x, y: {"y": (x + y) % size})
    check(c.less_than(width), lambda x, y, result: {"result": result ^ (x < y)})
    check(c.equal(width), lambda x, y, result: {"result": result ^ (x == y)})
    assert cost_of(a.add(width)) == a.add_cost(width)
    assert cost_of(c.less_than(width)) == c.less_than_cost(width)
    if width < 4:
        check(c.minimum(width), lambda x, y, result: {"result": result ^ min(x, y)})
        assert cost_of(c.minimum(width)) == c.minimum_cost(width)


@pytest.mark.parametrize("width", range(1, 6))
def test_adding_a_constant_under_a_control(width: int) -> None:
    size = 2**width
    for amount in range(1, size):
        circuit = a.controlled_constant_adder(width, amount)
        check(circuit, lambda control, y, k=amount: {"y": (y + control * k) % size})
        assert cost_of(circuit) == a.controlled_constant_adder_cost(width, amount)
        for value in (0, 1):
            b = CircuitBuilder(Register("control", 1), Register("y", width))
            a.add_constant(b, b.qubits("y"), amount, 0, value)
            ladder = b.build()
            check(
                ladder,
                lambda control, y, k=amount, v=value: {"y": (y + (control == v) * k) % size},
            )
            sizes = Counter(len(op.qubits) - 1 for op in ladder.flat())
            places = [s for s in range(width) if amount >> s & 1]
            assert sizes == Counter(n for s in places for n in range(1, width - s + 1))


@pytest.mark.parametrize("width", range(1, 6))
def test_constants(width: int) -> None:
    for bound in range(2**width + 1):
        circuit = c.less_than_constant(width, bound)
        check(circuit, lambda x, result, k=bound: {"result": result ^ (x < k)})
        assert cost_of(circuit) == c.less_than_constant_cost(width, bound)
    for most in range(2**width):
        circuit = c.clamp(width, most)
        check(circuit, lambda x, result, m=most: {"result": result ^ min(x, m)})
        assert cost_of(circuit) == c.clamp_cost(width, most)


@pytest.mark.parametrize(("k", "hidden"), [(k, h) for k in range(2, 18) for h in range(k)])
def test_one_hot(k: int, hidden: int) -> None:
    conversion = one_hot(k, hidden)
    circuit, places = conversion.circuit, conversion.places
    assert places[hidden] is None
    wires = [p for p in places if p is not None]
    assert len(set(wires)) == k - 1
    for value in range(k):
        after = run(circuit, load(circuit, x=value))
        assert [p is not None and after[p] for p in places] == [
            v == value and v != hidden for v in range(k)
        ]
        assert sum(after) == (value != hidden)
    if hidden == 0:
        assert cost_of(circuit) == one_hot_cost(k)
        assert circuit.num_qubits == k - 1


@pytest.mark.parametrize(("k", "hidden"), [(k, h) for k in range(2, 8) for h in range(k)])
def test_one_hot_for_some_values(k: int, hidden: int) -> None:
    full = cost_of(one_hot(k, hidden).circuit)
    for mask in range(2**k):
        wanted = {v for v in range(k) if mask >> v & 1}
        conversion = one_hot(k, hidden, wanted)
        kept = [(v, p) for v, p in enumerate(conversion.places) if p is not None]
        assert {v for v, _ in kept} == wanted - {hidden}
        assert len({p for _, p in kept}) == len(kept)
        assert cost_of(conversion.circuit).cx <= full.cx
        for value in range(k):
            after = run(conversion.circuit, load(conversion.circuit, x=value))
            assert all(after[p] == (v == value) for v, p in kept)


def test_six_colours_take_two_toffolis() -> None:
    assert one_hot_cost(6) == a.Cost(2, 4)


@given(st.sets(st.integers(0, 40), max_size=8), st.integers(0, 40))
def test_count_width(reachable: set[int], wanted: int) -> None:
    width = a.count_width(reachable, wanted)
    others = reachable - {wanted}
    assert all((v - wanted) % 2**width for v in others)
    assert width == 0 or any((v - wanted) % 2 ** (width - 1) == 0 for v in others)


@pytest.mark.parametrize(
    "call",
    [
        lambda: a.controlled_increment(0),
        lambda: a.popcount(0),
        lambda: a.popcount(3, 0),
        lambda: a.sum_of_bits(0),
        lambda: a.at_least(3, -1),
        lambda: a.add(0),
        lambda: a.controlled_constant_adder(2, 0),
        lambda: a.controlled_constant_adder(2, 4),
        lambda: c.less_than_constant(2, 5),
        lambda: c.less_than(0),
        lambda: c.equal(0),
        lambda: c.minimum(0),
        lambda: c.clamp(2, 4),
        lambda: one_hot(1),
        lambda: one_hot(3, 3),
    ],
)
def test_sizes_that_make_no_sense(call: Callable[[], object]) -> None:
    with pytest.raises(UsageError, match="not"):
        call()
