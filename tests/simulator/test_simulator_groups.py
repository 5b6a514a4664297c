"""Qubits that never interact are simulated apart, with exact joint results."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Phases, Register
from qmastermind.gates import Gate
from qmastermind.simulator import StatevectorBackend, statevector
from qmastermind.simulator.diagonals import pieces
from qmastermind.simulator.measurement import measured_groups

BACKEND = StatevectorBackend()


@given(data=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_interleaved_groups_make_the_whole(data, dense):
    """Gates stay within one of two groups whose qubits are drawn."""
    n = data.draw(st.integers(2, 7))
    side = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    groups = [g for g in ([q for q in range(n) if side[q] == s] for s in (True, False)) if g]
    b = CircuitBuilder(Register("q", n))
    for _ in range(data.draw(st.integers(0, 10))):
        qubits = data.draw(st.permutations(data.draw(st.sampled_from(groups))))
        gate = Gate(data.draw(st.sampled_from(["h", "x", "y", "t", "sx"])))
        b.gate(gate, qubits[:1], qubits[1 : data.draw(st.integers(1, 3))])
    circuit = b.build()
    expected = dense(circuit)[:, 0]
    assert np.allclose(statevector(circuit), expected, atol=1e-13)
    groups = measured_groups(circuit.measured())
    assert all(len({side[q] for q in group.qubits}) == 1 for group in groups)
    exact = BACKEND.probabilities(circuit.measured()).array()
    assert np.allclose(exact, np.abs(expected) ** 2, atol=1e-13)


def test_boxes_are_looked_into():
    """A repeated box over all qubits whose body joins pairs only, one of them through a box."""
    inner = CircuitBuilder(Register("a", 2))
    inner.h(0)
    inner.x(1, [0])
    body = CircuitBuilder(Register("q", 60))
    for pair in range(30):
        if pair % 2:
            body.append(inner.build(), [pair, 59 - pair])
        else:
            body.ry(0.1 * pair, pair)
            body.z(59 - pair, [pair])
    body.barrier()
    b = CircuitBuilder(Register("q", 60))
    b.append(body.build(), repetitions=5)
    groups = measured_groups(b.build().measured())
    assert sorted(group.qubits for group in groups) == [(i, 59 - i) for i in range(30)]


def test_fifty_groups_of_three_out_of_150_qubits(dense):
    b = CircuitBuilder(Register("q", 150))
    small = CircuitBuilder(Register("q", 3))
    for builder, qubits in ((small, range(3)), *((b, (g, 50 + g, 149 - g)) for g in range(50))):
        x, y, z = qubits
        builder.h(x)
        builder.ry(0.4, y, [x])
        builder.x(z, [x, y], [1, 0])
    amplitudes = dense(small.build())[:, 0]
    distribution = BACKEND.probabilities(b.build().measured())
    assert len(distribution.factors) == 50
    outcomes = np.abs(amplitudes) ** 2
    for index in np.nonzero(outcomes > 1e-9)[0]:
        x, y, z = (index >> 2 & 1, index >> 1 & 1, index & 1)
        bitstring = f"{x}" * 50 + f"{y}" * 50 + f"{z}" * 50
        assert distribution.probability(bitstring) == pytest.approx(outcomes[index] ** 50)


def test_pairwise_query_over_a_hundred_qubits():
    """H, Z where a peg has the colour, H: read with certainty."""
    secret = [int(b) for b in format(0x5A3F19C7E2B4D68F0A1B2C3D4, "0100b")]
    b = CircuitBuilder(Register("x", 100))
    for q in range(100):
        b.h(q)
    for q, member in enumerate(secret):
        if member:
            b.z(q)
    for q in range(100):
        b.h(q)
    result = BACKEND.run(b.build().measured(), shots=50, seed=1)
    answer = "".join(map(str, secret))
    assert result.counts == {answer: 50}
    assert result.distribution.probability(answer) == pytest.approx(1, abs=1e-12)


def test_product_of_searches_over_a_hundred_qubits():
    """25 pegs of 16 colours, each found by its own three iterations."""
    b = CircuitBuilder(Register("x", 100))
    secret = [(7 * peg) % 16 for peg in range(25)]
    body = CircuitBuilder(Register("x", 100))
    for peg, colour in enumerate(secret):
        qubits = range(4 * peg, 4 * peg + 4)
        bits = [colour >> i & 1 for i in (3, 2, 1, 0)]
        for layer, values in ((False, bits), (True, [0] * 4)):
            for q in qubits if layer else ():
                body.h(q)
            body.phase_on(math.pi, qubits, values)
            for q in qubits if layer else ():
                body.h(q)
    for q in range(100):
        b.h(q)
    b.append(body.build(), repetitions=3)
    distribution = BACKEND.probabilities(b.build().measured())
    assert len(distribution.factors) == 25
    answer = "".join(format(colour, "04b") for colour in secret)
    each = math.sin(7 * math.asin(1 / 4)) ** 2
    assert distribution.probability(answer) == pytest.approx(each**25, abs=1e-12)


def test_wide_diagonals_that_are_narrow_join_nothing():
    n = 12
    parity = Phases.from_function(n, lambda i: math.pi * np.bitwise_count(i & 0b101100111001))
    pairs = Phases.from_function(n, lambda i: 0.3 * (i >> 11 & 1) * (i >> 3 & 1) + 0.2)
    idle = Phases(40, 0.4, [(1 << 39) + rest for rest in range(8)])
    b = CircuitBuilder(Register("q", 40))
    b.diagonal(parity, range(n))
    b.diagonal(pairs, range(n), [20], [0])
    b.diagonal(idle, range(40))
    sizes = sorted(len(g.qubits) for g in measured_groups(b.build().measured()))
    assert sizes == [1, 1, 1, 37]  # the listed states leave three qubits free
    b = CircuitBuilder(Register("q", 40))
    b.diagonal(parity, range(n))
    b.diagonal(pairs, range(n))
    sizes = sorted(len(g.qubits) for g in measured_groups(b.build().measured()))
    assert sizes == [1] * 38 + [2]


@given(data=st.data())
@settings(max_examples=60)
def test_pieces_multiply_to_the_diagonal(data):
    n = data.draw(st.integers(1, 6))
    rng = np.random.default_rng(data.draw(st.integers(0, 9999)))
    angles = np.zeros(2**n)
    index = np.arange(2**n)
    for _ in range(data.draw(st.integers(1, 3))):  # a sum of functions of few bits
        mask = int(rng.integers(2**n)) & int(rng.integers(2**n))
        angles += rng.choice([math.pi, rng.uniform(-9, 9)]) * ((index & mask) == mask)
    listed = data.draw(st.booleans())
    some = np.nonzero(angles)[0]
    phases = Phases(n, angles[some], some) if listed else Phases(n, angles)
    product = np.ones(2**n, dtype=complex)
    for piece in pieces(phases):
        factors = np.ones(2 ** len(piece.axes), dtype=complex)
        factors[slice(None) if piece.indices is None else piece.indices] = piece.factors
        at = sum(
            (index >> (n - 1 - axis) & 1) << (len(piece.axes) - 1 - place)
            for place, axis in enumerate(piece.axes)
        )
        product *= factors[at]
    assert np.allclose(product, np.exp(1j * angles), atol=1e-12)


def test_a_large_table_is_split_only_if_that_is_exact():
    """One state out of 4096 differs from a product, where no probe looks."""
    n = 12
    angles = 0.1 * np.bitwise_count(np.arange(2**n)).astype(float)
    assert len(pieces(Phases(n, angles))) == n
    angles[0b110000000011] += 1e-6
    (piece,) = pieces(Phases(n, angles))
    assert piece.axes == tuple(range(n))
