from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_truth import check_bit_oracle, check_phase_oracle

from qmastermind.circuit import Query
from qmastermind.encoding import Encoding
from qmastermind.errors import UsageError
from qmastermind.game import Rules
from qmastermind.oracle import (
    ExpressionOracle,
    MatchOracle,
    TableOracle,
    Variable,
    Variables,
    bits,
    from_formula,
)
from qmastermind.oracle.base import Meter
from qmastermind.oracle.expression import (
    And,
    Constant,
    Literal,
    Not,
    SumEquals,
    Xor,
    conjunction,
    disjunction,
    negation,
    parity,
)
from qmastermind.simulator import unitary

WIDTH = 4
INPUTS = ["".join(b) for b in product("01", repeat=WIDTH)]


def combine(parts):
    return st.one_of(
        parts.map(negation),
        st.lists(parts, max_size=3).map(conjunction),
        st.lists(parts, max_size=3).map(disjunction),
        st.lists(parts, max_size=3).map(parity),
        st.tuples(st.lists(parts, min_size=1, max_size=3), st.data()).map(
            lambda pair: SumEquals(
                tuple(pair[0]),
                tuple(pair[1].draw(st.integers(1, 3)) for _ in pair[0]),
                pair[1].draw(st.integers(-1, 7)),
            )
        ),
    )


LEAVES = st.builds(Literal, st.integers(0, WIDTH - 1), st.booleans()) | st.builds(
    Constant, st.booleans()
)
EXPRESSIONS = st.recursive(LEAVES, combine, max_leaves=8)


def plainly(expression, x):
    """The truth by the words' meaning, without the methods under test."""
    match expression:
        case Constant(value):
            return value
        case Literal(bit, positive):
            return (x[bit] == "1") is positive
        case Not(part):
            return not plainly(part, x)
        case And(parts):
            return all(plainly(p, x) for p in parts)
        case Xor(parts):
            return bool(sum(plainly(p, x) for p in parts) % 2)
        case SumEquals(parts, weights, total):
            return total == sum(w * plainly(p, x) for p, w in zip(parts, weights, strict=True))
    raise AssertionError(expression)


@given(EXPRESSIONS, st.sampled_from([np.pi, 0.7]))
@settings(max_examples=150)
def test_circuits_follow_the_expression(expression, angle):
    oracle = ExpressionOracle(expression, bits("a", "b", "c", "d"))
    assert [oracle.marks(x) for x in INPUTS] == [plainly(expression, x) for x in INPUTS]
    check_phase_oracle(oracle, INPUTS, angle)
    check_bit_oracle(oracle, INPUTS)
    check_phase_oracle(oracle.narrowed(), INPUTS, angle)


@given(EXPRESSIONS, EXPRESSIONS)
def test_the_algebra_is_that_of_sets(first, second):
    a = ExpressionOracle(first, bits("a", "b", "c", "d"))
    b = ExpressionOracle(second, bits("c", "d", "e", "f"))
    for joined, meaning in [
        (a & b, lambda p, q: p and q),
        (a | b, lambda p, q: p or q),
        (a ^ b, lambda p, q: p != q),
    ]:
        assert joined.variables.names == ("a", "b", "c", "d", "e", "f")
        for x in ("".join(bit) for bit in product("01", repeat=6)):
            assert joined.marks(x) == meaning(a.marks(x[:4]), b.marks(x[2:]))
    assert [(~a).marks(x) for x in INPUTS] == [not a.marks(x) for x in INPUTS]


def test_oracles_of_other_kinds_join_the_algebra():
    table = TableOracle(["0000", "0110", "1111"], bits("a", "b", "c", "d"))
    either = table | from_formula("a & ~b")
    check_phase_oracle(either, INPUTS)
    check_bit_oracle(either, INPUTS)
    rules = Rules(2, 4)
    encoding = Encoding(rules)
    one, other = (MatchOracle(rules.code(c), encoding) for c in ("RO", "GG"))
    both = one | other
    assert list(both.marked()) == [encoding.encode((0, 1)), encoding.encode((3, 3))]
    check_phase_oracle(both, INPUTS, 0.4)


def test_always_and_never():
    always, never = from_formula("a | ~a"), from_formula("a & ~a")
    assert [always.marks(x) for x in "01"] == [True, True]
    assert [never.marks(x) for x in "01"] == [False, False]
    for oracle in (always, never, ~always, always ^ never, always & never):
        check_phase_oracle(oracle, ["0", "1"])
        check_phase_oracle(oracle, ["0", "1"], 0.3)
        check_bit_oracle(oracle, ["0", "1"])
    assert np.allclose(unitary(always.phase()), -np.eye(2))


@given(EXPRESSIONS, st.dictionaries(st.sampled_from("abcd"), st.integers(0, 1), max_size=3))
def test_restriction_fixes_variables(expression, values):
    oracle = ExpressionOracle(expression, bits("a", "b", "c", "d"))
    small = oracle.restrict(**values)
    kept = [n for n in "abcd" if n not in values]
    assert small.variables.names == tuple(kept)
    for x in ("".join(b) for b in product("01", repeat=len(kept))):
        whole = {**values, **dict(zip(kept, map(int, x), strict=True))}
        assert small.marks(x) == oracle.marks(oracle.variables.encode(whole))
    check_phase_oracle(small, ["".join(b) for b in product("01", repeat=len(kept))])


def test_restricting_a_leaf():
    table = TableOracle(["0110", "1111"], bits("a", "b", "c", "d"))
    small = (table | from_formula("a & b & c & d")).restrict(b=1, d=0)
    inputs = ["00", "01", "10", "11"]
    assert [x for x in inputs if small.marks(x)] == ["01"]
    check_phase_oracle(small, inputs)
    check_bit_oracle(small, inputs)


def test_renaming():
    oracle = from_formula("a & ~b").rename({"a": "left"})
    assert oracle.variables.names == ("left", "b")
    assert oracle.marks("10")
    with pytest.raises(UsageError, match="no variable 'z'; there are: a, b"):
        from_formula("a & b").rename({"z": "y"})
    with pytest.raises(UsageError, match="declared twice"):
        from_formula("a & b").rename({"a": "b"})


def test_value_variables():
    variables = Variables((Variable("u", 3), Variable("v", 5)))
    assert variables.num_bits == 5
    assert variables.num_assignments == 15
    for u in range(3):
        for v in range(5):
            x = variables.encode({"u": u, "v": v})
            assert variables.decode(x) == {"u": u, "v": v}
    assert variables.decode("11000") is None
    with pytest.raises(UsageError, match=r"needs a value of 0\.\.2, not 3"):
        variables.encode({"u": 3, "v": 0})
    with pytest.raises(UsageError, match="at least 2 values"):
        Variable("w", 1)
    one = ExpressionOracle(Literal(0), bits("u"))
    with pytest.raises(UsageError, match="2 values in one oracle and 3 in the other"):
        _ = one & ExpressionOracle(Literal(0), Variables((Variable("u", 3),)))
    with pytest.raises(UsageError, match="nothing is left"):
        one.restrict(u=1)
    with pytest.raises(UsageError, match="no variable 'z'"):
        one.restrict(z=1)


def test_costs_are_those_of_the_built_circuit():
    oracle = from_formula("(a & c | b & d) & ~(c & d)")
    cost = oracle.cost
    assert cost.qubits == oracle.phase().num_qubits == 4 + cost.ancillas
    assert cost.toffolis == sum(n * max(0, 2 * c - 3) for c, n in cost.gates.items())
    many = conjunction([disjunction([Literal(i), Literal((i + 1) % 9)]) for i in range(9)])
    wide = ExpressionOracle(many, bits(*(f"x{i}" for i in range(9))))
    assert wide.cost.ancillas == 9
    assert wide.narrowed().cost.ancillas == 5  # a counter of 4 bits and one clause at a time
    assert wide.narrowed().cost.toffolis > wide.cost.toffolis


def test_a_narrower_or_renamed_oracle_is_counted_too():
    uses = []
    query = Query("count", lambda model, number, shots: uses.append(number))
    oracle = from_formula("a & (b | c)")
    metered = ExpressionOracle(
        oracle.expression, oracle.variables, meter=Meter(query, lambda: None)
    )
    for other in (metered.restrict(b=1), metered.rename({"a": "z"}), metered.narrowed()):
        assert other.phase().query_uses() == {query: 1}
