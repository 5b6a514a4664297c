"""Formulas, DIMACS files, predicates."""

import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_truth import check_phase_oracle

from qmastermind.errors import TooLargeError, UsageError
from qmastermind.oracle import (
    DimacsError,
    FormulaError,
    TableOracle,
    Variable,
    Variables,
    bits,
    from_dimacs,
    from_formula,
    from_predicate,
)
from qmastermind.oracle.dimacs import read_clauses

NAMES = "abcd"


@st.composite
def formulas(draw, depth=3):
    """A formula and the same in Python's operators on bools."""
    if depth == 0 or draw(st.booleans()):
        name = draw(st.sampled_from([*NAMES, "0", "1"]))
        return name, {"0": "False", "1": "True"}.get(name, name)
    kind = draw(st.sampled_from(["not", "and", "xor", "or", "implies"]))
    a, pa = draw(formulas(depth=depth - 1))
    if kind == "not":
        return draw(st.sampled_from(["~", "!", "not "])) + f"({a})", f"(not ({pa}))"
    b, pb = draw(formulas(depth=depth - 1))
    sign, python = {
        "and": (["&", " and "], f"(({pa}) and ({pb}))"),
        "or": (["|", " or "], f"(({pa}) or ({pb}))"),
        "xor": (["^", " xor "], f"(({pa}) != ({pb}))"),
        "implies": (["->", " implies "], f"((not ({pa})) or ({pb}))"),
    }[kind]
    return f"({a}){draw(st.sampled_from(sign))}({b})", python


@given(formulas())
def test_formulas_mean_what_they_say(pair):
    text, python = pair
    oracle = from_formula(text, tuple(NAMES))
    inputs = ["".join(b) for b in product("01", repeat=4)]
    for x in inputs:
        values = {name: b == "1" for name, b in zip(NAMES, x, strict=True)}
        assert oracle.marks(x) == eval(python, {}, values)
    check_phase_oracle(oracle, inputs)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("~a & b", "(~a) & b"),
        ("a & b ^ c", "(a & b) ^ c"),
        ("a ^ b | c", "(a ^ b) | c"),
        ("a | b -> c", "(a | b) -> c"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("not a and b or c", "((~a) & b) | c"),
        ("NOT a AND b || c", "((~a) & b) | c"),
        ("a && b xor c", "(a & b) ^ c"),
    ],
)
def test_precedence(text, same):
    order = ("a", "b", "c")
    first, second = from_formula(text, order), from_formula(same, order)
    inputs = ["".join(b) for b in product("01", repeat=3)]
    assert [first.marks(x) for x in inputs] == [second.marks(x) for x in inputs]


def test_variables_are_in_order_of_first_appearance():
    assert from_formula("b & a").variables.names == ("b", "a")
    assert from_formula("b & a", ("a", "b", "z")).variables.names == ("a", "b", "z")


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("a & $b", 4, "unknown symbol"),
        ("a &", 3, "expected a variable"),
        ("(a & b", 0, "never closed"),
        ("a & b)", 5, "never opened"),
        ("a b", 2, "expected an operator"),
        ("(a b)", 3, "expected an operator or a closing"),
        ("& a", 0, "expected a variable"),
        ("", 0, "expected a variable"),
        ("a -> ", 5, "expected a variable"),
        ("a # comment", 2, "unknown symbol"),
        ("a &&& b", 4, "expected a variable"),
        ("\u00e9 & b", 0, "unknown symbol"),
        ("(a | b))", 7, "never opened"),
    ],
)
def test_faults_of_formulas_are_pointed_at(text, position, words):
    with pytest.raises(FormulaError, match=words) as caught:
        from_formula(text)
    assert caught.value.position == position
    assert str(caught.value).endswith(f"\n  {text}\n  {' ' * position}^")


def test_formulas_need_a_variable_and_declared_names():
    with pytest.raises(UsageError, match="has no variable"):
        from_formula("1 & 0")
    with pytest.raises(FormulaError, match="'b' is not among the declared"):
        from_formula("a & b", ("a",))


DIMACS = """c a comment
p cnf 4 5
1 -2
 3 0 -1 4 0
c in between
0
2 3 0
-4 0
%
0
"""


def test_dimacs_as_files_are_written():
    number, clauses = read_clauses(DIMACS)
    assert number == 4
    assert clauses == [(1, -2, 3), (-1, 4), (), (2, 3), (-4,)]
    oracle = from_dimacs(DIMACS)
    assert oracle.variables.names == ("x1", "x2", "x3", "x4")
    assert list(oracle.marked()) == []  # the empty clause is false


def test_no_clause_at_all_is_true():
    oracle = from_dimacs("p cnf 3 0\n")
    assert len(list(oracle.marked())) == 8
    check_phase_oracle(oracle, ["000", "111"])


@st.composite
def cnfs(draw):
    n = draw(st.integers(1, 5))
    literal = st.integers(1, n).flatmap(lambda v: st.sampled_from([v, -v]))
    return n, draw(st.lists(st.lists(literal, max_size=4), max_size=7))


@given(cnfs())
def test_dimacs_oracles_are_their_clauses(cnf):
    n, clauses = cnf
    body = "\n".join(" ".join(map(str, [*c, 0])) for c in clauses)
    oracle = from_dimacs(f"p cnf {n} {len(clauses)}\n{body}\n")
    inputs = ["".join(b) for b in product("01", repeat=n)]
    for x in inputs:
        assert oracle.marks(x) == all(
            any((x[abs(v) - 1] == "1") == (v > 0) for v in c) for c in clauses
        )
    check_phase_oracle(oracle, inputs)
    check_phase_oracle(oracle.narrowed(), inputs)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("", 1, 1, "no header"),
        ("c only\n", 1, 1, "no header"),
        ("1 2 0\n", 1, 1, "header .* first"),
        ("p cnf 2\n", 1, 1, "expected 'p cnf"),
        ("p cnf x 1\n", 1, 1, "expected 'p cnf"),
        ("p cnf 0 0\n", 1, 7, "no variable"),
        ("p cnf 99999999999 1\n1 0\n", 1, 7, "more than the 100,000"),
        ("p cnf 2 1\np cnf 2 1\n", 2, 1, "second header"),
        ("p cnf 2 1\n1 3 0\n", 2, 3, "variable 3 is beyond the 2"),
        ("p cnf 2 1\n1 x 0\n", 2, 3, "'x' is no literal"),
        ("p cnf 2 1\n1 2\n", 2, 3, "does not end with 0"),
        ("p cnf 2 2\n1 2 0\n", 2, 5, "1 clause, but the header says 2"),
        ("p cnf 2 1\n1 0\n2 0\n", 3, 3, "more than the 1 clause of"),
    ],
)
def test_faults_of_dimacs_have_line_and_column(text, line, column, words):
    with pytest.raises(DimacsError, match=words) as caught:
        from_dimacs(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_predicates_over_named_values():
    variables = Variables((Variable("colour", 3), Variable("lit"), Variable("count", 5)))
    oracle = from_predicate(lambda colour, lit, count: colour + count == 4 and lit == 1, variables)
    found = [variables.decode(x) for x in oracle.marked()]
    assert found == [
        {"colour": 0, "lit": 1, "count": 4},
        {"colour": 1, "lit": 1, "count": 3},
        {"colour": 2, "lit": 1, "count": 2},
    ]
    inputs = ["".join(b) for b in product("01", repeat=variables.num_bits)]
    check_phase_oracle(oracle, inputs, 0.6)
    assert oracle.label == "synthesised from a truth table"


def test_predicates_may_return_the_bits_themselves():
    assert list(from_predicate(lambda a, b: a and not b, bits("a", "b")).marked()) == ["10"]


def test_predicates_may_return_numpy_bools():
    assert list(from_predicate(lambda a: np.bool_(a == 1), bits("a")).marked()) == ["1"]


def test_bad_predicates_say_for_which_assignment():
    with pytest.raises(UsageError, match=r"ZeroDivisionError: .* for a=0, b=0"):
        from_predicate(lambda a, b: 1 / a > b, bits("a", "b"))
    with pytest.raises(UsageError, match="returned 'yes', not True or False, for a=1"):
        from_predicate(lambda a: "yes" if a else False, bits("a"))
    with pytest.raises(UsageError, match="SystemExit: 0 for a=0"):
        from_predicate(lambda a: sys.exit(0), bits("a"))
    with pytest.raises(UsageError, match="TypeError"):
        from_predicate(lambda wrong: True, bits("a"))
    with pytest.raises(TooLargeError, match=r"at most 1,048,576\); write it as a formula"):
        from_predicate(lambda **_: True, bits(*(f"x{i}" for i in range(21))))


def test_bad_tables():
    with pytest.raises(UsageError, match="expected 2 characters"):
        TableOracle(["0"], bits("a", "b"))
    with pytest.raises(UsageError, match="beyond its variable's size"):
        TableOracle(["11"], Variables((Variable("u", 3),)))
