"""Values that are nearly right end in an error of ours, and never pass in silence."""

import pytest

from qmastermind.encoding import Encoding
from qmastermind.errors import UsageError
from qmastermind.game import Rules
from qmastermind.oracle import (
    BlackPegOracle,
    ColourPairOracle,
    ConsistencyOracle,
    TableOracle,
    Variable,
    bits,
    exact_cover,
    from_dimacs,
    from_formula,
    graph_colouring,
    subset_sum,
    sudoku,
)
from qmastermind.oracle.pegs import phase_by_kickback

RULES = Rules()
ENCODING = Encoding(RULES)
AND = from_formula("a & b")
WRONG = {
    "a whole number, not 3.5": lambda: Encoding(RULES, peg_bits=3.5),
    "2 characters 0 or 1, not 1": lambda: TableOracle([1, 2], bits("a", "b")),
    "2 characters 0 or 1, not 3": lambda: AND.marks(3),
    "2 characters 0 or 1, not None": lambda: AND.marks(None),
    "a formula is text, not 3": lambda: from_formula(3),
    "DIMACS is text, not b'p'": lambda: from_dimacs(b"p"),
    "values of 'v1' must be a whole number, not 2.5": lambda: graph_colouring([(1, 2)], 2.5),
    "at least 2 values, not 0": lambda: graph_colouring([(1, 2)], 0),
    "a number must be a whole number, not 1.5": lambda: subset_sum([1.5, 2], 3),
    "the total must be a whole number, not 3.5": lambda: subset_sum([1, 2], 3.5),
    "no set to choose from": lambda: exact_cover({}),
    "order of a Sudoku must be at least 2, not 0": lambda: sudoku({}, 0),
    "a clue must be a whole number, not 1.5": lambda: sudoku({(0, 0): 1.5}),
    "variable 'a' must be a whole number, not 'x'": lambda: AND.variables.encode({"a": "x"}),
    "variable 'b' must be a whole number, not 0.5": lambda: AND.restrict(b=0.5),
    "a value of 0..1, not 2": lambda: AND.restrict(a=2),
    "a value of 0..1, not None": lambda: AND.variables.encode({"a": 1}),
    "a variable needs a name, not 3": lambda: Variable(3),
    "a variable needs a name, not 7": lambda: AND.rename({"a": 7}),
    "width of a counter must be a whole number": lambda: BlackPegOracle((0,) * 4, ENCODING, 1.5),
    "a colour must be a whole number, not 0.5": lambda: ColourPairOracle((0,) * 4, 0.5, 1),
    "two numbers, black and white, not 3": lambda: ConsistencyOracle([("RGBY", 3)], ENCODING),
    "a guess and its answer, not 'RGBY'": lambda: ConsistencyOracle(["RGBY"], ENCODING),
    "'a' is declared twice": lambda: from_formula("a & b", order=("a", "a", "b")),
    "2 characters 0 or 1, not '0'": lambda: AND.variables.decode("0"),
    "2 characters 0 or 1, not 'ab'": lambda: AND.variables.decode("ab"),
    "2 characters 0 or 1, not '011'": lambda: AND.variables.decode("011"),
    "the bits of a code are 0 and 1": lambda: ENCODING.decode("x" * 12),
    "a peg value must be a whole number, not 0.5": lambda: ENCODING.encode_peg(0.5),
    "column 1: variable 10000000... (5000 digits) is beyond the 1": lambda: from_dimacs(
        f"p cnf 1 1\n1{'0' * 4999} 0"
    ),
    "column 1: variable 77777777... (4400 digits) is beyond the 1": lambda: from_dimacs(
        f"p cnf 1 1\n-{'7' * 4400} 0"
    ),
    "column 9: 99999999... (5000 digits) clauses are more": lambda: from_dimacs(
        f"p cnf 1 {'9' * 5000}\n1 0"
    ),
    "column 7: 99999999... (5000 digits) variables are more": lambda: from_dimacs(
        f"p cnf {'9' * 5000} 1\n1 0"
    ),
    "no variable to search over": lambda: from_dimacs(f"p cnf {'0' * 5000} 1\n1 0"),
    "a code has 4 pegs here, not 3: (0, 1, 2)": lambda: BlackPegOracle((0, 1, 2), ENCODING),
    "peg value 6 is not in 0..5": lambda: BlackPegOracle((0, 1, 2, 6), ENCODING),
    "turns must be a whole number, not 0.5": lambda: phase_by_kickback(
        BlackPegOracle((0, 1, 2, 3), ENCODING), 0.5
    ),
}


@pytest.mark.parametrize("words", WRONG)
def test_it_is_refused(words):
    with pytest.raises(UsageError) as caught:
        WRONG[words]()
    assert words in str(caught.value)


def test_oracles_join_with_oracles_only():
    for join in (lambda: AND & 3, lambda: AND | "a", lambda: AND ^ None):
        with pytest.raises(TypeError, match="unsupported operand"):
            join()


def test_what_is_right_in_another_way_is_taken():
    history = [("RGBY", (1, 1)), ((0, 0, 3, 1), (2, 0))]
    oracle = ConsistencyOracle(history, ENCODING, "table")
    assert len(oracle.consistent) == 18
    assert list(subset_sum([1, 2], -3).marked()) == []
    zeros = "0" * 5000
    assert list(from_dimacs(f"p cnf {zeros}2 1\n{zeros}1 -{zeros}2 0").marked()) == [
        "00",
        "10",
        "11",
    ]
    assert from_formula("a & b", order=("b", "c", "a")).variables.names == ("b", "c", "a")
