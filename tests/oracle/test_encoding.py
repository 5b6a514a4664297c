import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.encoding import Encoding, uniform_over
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.game import Rules
from qmastermind.simulator import statevector


@given(st.integers(1, 5), st.integers(2, 12), st.sampled_from(["binary", "one-hot"]), st.data())
def test_encoding_reads_back(positions, colours, kind, data):
    rules = Rules(positions, colours)
    encoding = Encoding(rules, kind)
    code = rules.random_code(np.random.default_rng(data.draw(st.integers(0, 99))))
    bits = encoding.encode(code)
    assert len(bits) == encoding.num_bits == positions * encoding.bits_per_peg
    assert encoding.decode(bits) == code


def test_the_bit_order_is_the_written_one():
    assert Encoding(Rules()).encode("RBRY") == "000100000010"
    assert Encoding(Rules(2, 3), "one-hot").encode("RY") == "100001"


def test_bitstrings_that_are_no_code():
    assert Encoding(Rules()).decode("110" * 4) is None
    assert Encoding(Rules(2, 3), "one-hot").decode("110001") is None
    assert Encoding(Rules(2, 3), "one-hot").decode("000001") is None
    assert Encoding(Rules(2, 3, repeats=False)).decode("0101") is None
    with pytest.raises(UsageError, match="12 bits here, not 3"):
        Encoding(Rules()).decode("000")
    with pytest.raises(UsageError, match="unknown encoding"):
        Encoding(Rules(), "gray")


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        *((Rules(1, k), "binary") for k in range(2, 17)),
        (Rules(3, 5), "binary"),
        (Rules(2, 3), "one-hot"),
        (Rules(2, 5), "one-hot"),
        (Rules(3, 4, repeats=False), "binary"),
        (Rules(4, 6, repeats=False), "binary"),
        (Rules(3, 3, repeats=False), "binary"),
        (Rules(2, 9, repeats=False), "binary"),
        (Rules(1, 5, repeats=False), "binary"),
        (Rules(5, 5, repeats=False), "binary"),
        (Rules(2, 4, repeats=False), "one-hot"),
        (Rules(2, 7, blanks=True), "binary"),
    ],
)
def test_the_valid_space_is_exactly_the_codes(rules, kind):
    encoding = Encoding(rules, kind)
    circuit = encoding.prepare("valid")
    state = statevector(circuit).reshape(2**encoding.num_bits, -1)
    assert np.allclose(state[:, 1:], 0)  # ancillas end in |0>
    state = state[:, 0]
    expected = np.zeros(2**encoding.num_bits)
    for code in rules.codes():
        expected[int(encoding.encode(code), 2)] = rules.num_codes**-0.5
    assert np.allclose(state, expected, atol=1e-12)


def test_the_space_of_all_bitstrings():
    encoding = Encoding(Rules(2, 3))
    assert np.allclose(statevector(encoding.prepare("all")), 0.25)
    assert encoding.size("all") == 16
    assert encoding.size("valid") == 9
    with pytest.raises(UsageError, match="unknown space"):
        encoding.prepare("some")


def test_too_many_codes_without_repeats():
    with pytest.raises(TooLargeError, match="use the binary encoding"):
        Encoding(Rules(8, 12, repeats=False), "one-hot").prepare()
    assert Encoding(Rules(8, 12, repeats=False)).prepare().num_qubits == 33


@given(st.sets(st.integers(0, 31), min_size=1))
def test_any_set_of_bitstrings_can_be_prepared(states):
    bits = [format(i, "05b") for i in sorted(states)]
    expected = np.zeros(32)
    expected[sorted(states)] = len(states) ** -0.5
    assert np.allclose(statevector(uniform_over(bits)), expected, atol=1e-12)


def test_bad_sets_of_bitstrings():
    for bad in ([], ["01", "01"], ["0", "11"]):
        with pytest.raises(UsageError):
            uniform_over(bad)
