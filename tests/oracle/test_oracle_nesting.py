"""Formulas that are nested deeply: right, of linear size, and refused beyond what can be read."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.errors import QmastermindError
from qmastermind.oracle.formula import FormulaError, from_formula
from qmastermind.testing.reference import unitary


def nested(levels: int, operators: str, variables: int = 4) -> str:
    opened = (
        f"({'~' * (i % 3 == 0)}v{i % variables} {operators[i % len(operators)]} "
        for i in range(levels)
    )
    return "".join(opened) + "v0" + ")" * levels


@given(levels=st.integers(3, 6), operators=st.sampled_from(["&|", "&^", "|^&", "^&", "&^|^"]))
def test_deep_parts_hold_their_ancillas_and_the_oracle_is_right(levels, operators):
    oracle = from_formula(nested(levels, operators, 3))
    circuit = oracle.phase()
    if circuit.num_qubits > 10:
        return
    ancillas = circuit.num_qubits - 3
    matrix = unitary(circuit)
    for word in map("".join, itertools.product("01", repeat=3)):
        column = int(word + "0" * ancillas, 2)
        assert matrix[column, column] == pytest.approx(-1 if oracle.marks(word) else 1)


@pytest.mark.parametrize("operators", ["&|", "&^", "|^&"])
def test_the_circuit_grows_with_the_formula_and_not_with_two_to_its_depth(operators):
    sizes = [from_formula(nested(n, operators)).phase().size for n in (12, 24, 48)]
    assert sizes[2] - sizes[1] <= 3 * (sizes[1] - sizes[0])
    assert sizes[2] < 1000


@pytest.mark.parametrize("length", [2, 3, 7, 1500])
def test_chains_of_arrows_read_from_the_right(length):
    names = [f"v{i % 5}" for i in range(length)]
    oracle = from_formula(" -> ".join(names), order=[f"v{i}" for i in range(min(5, length))])
    for word in map("".join, itertools.product("01", repeat=min(5, length))):
        value = {f"v{i}": bit == "1" for i, bit in enumerate(word)}
        expected = value[names[-1]]
        for name in reversed(names[:-1]):
            expected = not value[name] or expected
        assert oracle.marks(word) == expected


def test_any_number_of_negations_is_read():
    assert from_formula("~" * 5000 + "a").marks("1")
    assert from_formula("~" * 5001 + "a").marks("0")


def test_too_many_open_parentheses_are_refused():
    assert from_formula("(" * 60 + "a" + ")" * 60).marks("1")
    with pytest.raises(FormulaError, match="more than 60 parentheses are open here"):
        from_formula("(" * 5000 + "a" + ")" * 5000)
    assert issubclass(FormulaError, QmastermindError)
