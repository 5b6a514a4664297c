import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.encoding import Encoding
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.game import Rules, feedback
from qmastermind.oracle import (
    BlackPegOracle,
    ColourPairOracle,
    MatchOracle,
    Oracle,
    colour_pair_by_kickback,
    parity_by_kickback,
)
from qmastermind.simulator import statevector, unitary


@st.composite
def games(draw, max_bits=8):
    positions = draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["binary", "one-hot"]))
    colours = draw(st.integers(2, 6))
    rules = Rules(positions, colours)
    encoding = Encoding(rules, kind)
    if encoding.num_bits > max_bits:
        encoding = Encoding(Rules(positions, 2 if kind == "one-hot" else 4), "binary")
    secret = encoding.rules.random_code(np.random.default_rng(draw(st.integers(0, 999))))
    return encoding, secret


def bitstrings(n):
    return ["".join(b) for b in product("01", repeat=n)]


def clean_diagonal(circuit):
    """The diagonal on the data qubits of a circuit that must be diagonal and clean."""
    u = unitary(circuit)
    data, n = circuit.data, circuit.num_qubits
    columns = [
        sum(((x >> (len(data) - 1 - i)) & 1) << (n - 1 - q) for i, q in enumerate(data))
        for x in range(2 ** len(data))
    ]
    block = u[:, columns]
    assert np.allclose(np.linalg.norm(block[columns], axis=0), 1), "an ancilla is left dirty"
    assert np.allclose(np.abs(np.diag(block[columns])), 1), "not diagonal"
    return np.diag(block[columns])


@given(games(), st.sampled_from([math.pi, 0.7, -2.0]))
def test_match_marks_exactly_the_secret(game, angle):
    encoding, secret = game
    oracle = MatchOracle(secret, encoding)
    truth = [oracle.marks(x) for x in bitstrings(encoding.num_bits)]
    assert truth == [encoding.decode(x) == secret for x in bitstrings(encoding.num_bits)]
    assert np.allclose(clean_diagonal(oracle.phase(angle)), np.exp(1j * angle * np.array(truth)))
    assert list(oracle.marked()) == [encoding.encode(secret)]


@given(games(max_bits=6))
@settings(max_examples=30)
def test_bit_flip_flips_where_marked(game):
    encoding, secret = game
    oracle = MatchOracle(secret, encoding)
    u = unitary(oracle.bit_flip())
    n = encoding.num_bits
    for i, x in enumerate(bitstrings(n)):
        for r in (0, 1):
            assert np.isclose(u[2 * i + (r ^ oracle.marks(x)), 2 * i + r], 1)


@given(games(), st.sampled_from([math.pi, 0.9]))
def test_black_peg_phase_is_the_value(game, angle):
    encoding, secret = game
    oracle = BlackPegOracle(secret, encoding)
    values = np.array([oracle.value(x) for x in bitstrings(encoding.num_bits)])
    for x, value in zip(bitstrings(encoding.num_bits), values, strict=True):
        code = encoding.decode(x)
        if code is not None:
            assert value == feedback(code, secret).black
    assert np.allclose(clean_diagonal(oracle.phase(angle)), np.exp(1j * angle * values))


@pytest.mark.parametrize("count_bits", [1, 2, 3])
def test_counting_adds_modulo_the_register(count_bits):
    encoding = Encoding(Rules(3, 3))
    oracle = BlackPegOracle(Rules(3, 3).code("ROY"), encoding, count_bits)
    u = unitary(oracle.count())
    size = 2**count_bits
    for i, x in enumerate(bitstrings(encoding.num_bits)):
        for b in range(size):
            assert np.isclose(u[i * size + (b + oracle.value(x)) % size, i * size + b], 1)


@given(games(max_bits=6))
@settings(max_examples=30)
def test_kickback_gives_the_parity_with_one_use(game):
    encoding, secret = game
    oracle = BlackPegOracle(secret, encoding)
    circuit = parity_by_kickback(oracle)
    values = np.array([oracle.value(x) for x in bitstrings(encoding.num_bits)])
    assert np.allclose(clean_diagonal(circuit), (-1.0) ** values)


@pytest.mark.parametrize("kind", ["binary", "one-hot"])
def test_the_pair_query_and_the_one_built_from_counting_are_equal(kind):
    rules = Rules(2, 3)
    encoding = Encoding(rules, kind)
    for secret in rules.codes():
        for first, second in ((0, 1), (0, 2), (2, 1)):
            direct = ColourPairOracle(secret, first, second)
            built = colour_pair_by_kickback(BlackPegOracle(secret, encoding), first, second)
            assert np.allclose(clean_diagonal(direct.phase()), clean_diagonal(built))


@given(st.data())
def test_the_pair_query_counts_black_pegs_of_two_colour_guesses(data):
    rules = Rules(data.draw(st.integers(1, 5)), data.draw(st.integers(2, 7)))
    secret = rules.random_code(np.random.default_rng(data.draw(st.integers(0, 99))))
    first, second = data.draw(st.permutations(range(rules.colours)))[:2]
    oracle = ColourPairOracle(secret, first, second)
    xs = bitstrings(rules.positions)
    guesses = [tuple(second if b == "1" else first for b in x) for x in xs]
    values = np.array([feedback(g, secret).black for g in guesses])
    assert [oracle.value(x) for x in xs] == values.tolist()
    assert np.allclose(clean_diagonal(oracle.phase(1.3)), np.exp(1.3j * values))


class Parity(Oracle):
    """Marks odd parity; used to test what every oracle has."""

    num_bits = 3

    def _marks(self, x):
        return x.count("1") % 2 == 1

    def _phase(self, angle):
        from qmastermind.builder import CircuitBuilder
        from qmastermind.circuit import Register

        b = CircuitBuilder(Register("x", 3))
        with b.ancillas(1) as (a,):
            for q in range(3):
                b.x(a, [q])
            b.p(angle, a)
            for q in range(3):
                b.x(a, [q])
        return b.build()


def test_an_oracle_with_an_ancilla_flips_bits_too():
    oracle = Parity()
    circuit = oracle.bit_flip()
    assert len(circuit.data) == 4
    for x in bitstrings(3):
        for r in "01":
            start = np.zeros(2**circuit.num_qubits, complex)
            start[int(x + r + "0", 2)] = 1
            flipped = str(int(r) ^ oracle.marks(x))
            final = statevector(circuit, initial=start)
            assert np.isclose(final[int(x + flipped + "0", 2)], 1)


def test_misuse():
    encoding = Encoding(Rules())
    oracle = MatchOracle(Rules().code("RBRY"), encoding)
    for bad in ("", "1" * 11, "2" * 12):
        with pytest.raises(UsageError, match="expected 12 characters"):
            oracle.marks(bad)
    with pytest.raises(UsageError, match="two colours"):
        ColourPairOracle(Rules().code("RBRY"), 1, 1)
    with pytest.raises(UsageError, match="at least 1 bit"):
        BlackPegOracle(Rules().code("RBRY"), encoding, 0)
    wide = Encoding(Rules(9, 8))
    with pytest.raises(TooLargeError, match="too many to enumerate"):
        MatchOracle(Rules(9, 8).code("R" * 9), wide).marked()
