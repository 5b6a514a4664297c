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
