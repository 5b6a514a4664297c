"""Several circuits of one oracle: products, costs, and the choice among them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_truth import check_bit_oracle, check_phase_oracle

from qmastermind.encoding import Encoding
from qmastermind.errors import UsageError
from qmastermind.game import Rules, feedback, is_consistent
from qmastermind.oracle import (
    ConsistencyOracle,
    ExpressionOracle,
    MatchOracle,
    TableOracle,
    Variable,
    Variables,
    bits,
    from_dimacs,
    from_formula,
    subset_sum,
)
from qmastermind.oracle.expression import (
    Constant,
    Literal,
    conjunction,
    disjunction,
    negation,
    parity,
)
from qmastermind.oracle.products import MOST_PRODUCTS, as_products
from qmastermind.resources import count
from qmastermind.synthesis import Policy, lower

CLASSIC = Rules()
INPUTS = ["".join(b) for b in product("01", repeat=4)]
LEAVES = st.builds(Literal, st.integers(0, 3), st.booleans()) | st.builds(Constant, st.booleans())
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda parts: st.one_of(
        parts.map(negation),
        *(st.lists(parts, max_size=3).map(join) for join in (conjunction, disjunction, parity)),
    ),
    max_leaves=10,
)


@given(EXPRESSIONS, st.sampled_from([np.pi, 0.7]))
@settings(max_examples=100)
def test_products_are_the_expression(expression, angle):
    oracle = ExpressionOracle(expression, bits(*"abcd"))
    products = oracle.as_products()
    assert [products.marks(x) for x in INPUTS] == [oracle.marks(x) for x in INPUTS]
    check_phase_oracle(products, INPUTS, angle)
    check_bit_oracle(products, INPUTS)
    assert products.phase().num_qubits == 4


def test_what_has_no_products():
    many = [disjunction([Literal(2 * i), Literal(2 * i + 1)]) for i in range(9)]
    assert len(many) > np.log2(MOST_PRODUCTS)
    assert as_products(conjunction(many), 18) is None
    assert as_products(conjunction(many[:7]), 18) is not None
    assert as_products(Literal(0), 1) == Literal(0)
    assert subset_sum([1, 2, 3], 3).as_products() is None
    table = TableOracle(["01"], bits("a", "b")) | from_formula("a & b")
    assert table.as_products() is None
    assert set(table.designs()) == {"wide"}


def test_the_design_is_chosen_by_cost_and_by_what_fits():
    oracle = from_formula("(a & c | b & d) & ~(c & d)")
    designs = oracle.designs()
    assert set(designs) == {"wide", "products"}
    assert oracle.cheapest().cost == designs["products"].cost
    clauses = "".join(f"{i} {i % 12 + 1} 0\n" for i in range(1, 13))
    ring = from_dimacs(f"p cnf 12 12\n{clauses}")
    forms = ring.designs()
    costs = {name: form.cost for name, form in forms.items()}
    cheapest = min(costs.values(), key=lambda c: (c.toffolis, c.qubits))
    assert ring.cheapest().cost == cheapest
    for limit in (12, 16, 20, 24, 30):
        chosen = ring.cheapest(limit).cost
        fitting = [c for c in costs.values() if c.qubits <= limit]
        assert chosen.toffolis == min((c.toffolis for c in fitting), default=chosen.toffolis)
        assert chosen.qubits <= limit or not fitting
    for form in forms.values():
        words = ["".join(b) for b in np.random.default_rng(0).choice(["0", "1"], size=(200, 12))]
        check_phase_oracle(form, words)


@pytest.mark.parametrize("design", ["wide", "products"])
def test_estimates_are_near_what_lowering_makes(design):
    """A Toffoli under a mirror takes 3 CX and others 6: the estimate lies between."""
    oracle = from_formula("(a & c | b & d) & ~(c & d)").designs()[design]
    made = count(lower(oracle.phase(), ancillas=Policy(1)))
    assert made.two_qubit_gates <= 6 * oracle.cost.toffolis + oracle.cost.gates.get(1, 0) + 1


def test_every_oracle_has_a_cost_and_can_be_restricted_and_renamed():
    table = TableOracle(["0110", "1110"], bits(*"abcd"))
    assert table.cost.gates == {2: 1}  # b & c & ~d
    assert TableOracle([], bits("a")).cost.gates == {}
    small = table.restrict(a=1)
    assert [x for x in ("000", "110", "111") if small.marks(x)] == ["110"]
    check_phase_oracle(small, ["".join(b) for b in product("01", repeat=3)])
    assert table.rename({"a": "z"}).variables.names == ("z", "b", "c", "d")
    encoding = Encoding(Rules(2, 4))
    match = MatchOracle(Rules(2, 4).code("RO"), encoding)
    assert match.cost.gates == {0: 2, 3: 1} or match.cost.toffolis == 3
    assert match.restrict(x3=0).num_bits == 3
    with pytest.raises(UsageError, match="no variable 'q'"):
        table.restrict(q=1)


def test_flips_of_a_table_are_products():
    structured = TableOracle([x for x in INPUTS if x[1] == "1"], bits(*"abcd"))
    assert [len(op.controls) for op in structured.bit_flip().flat()] == [1]
    check_bit_oracle(structured, INPUTS)
    three = TableOracle(["0000", "0011", "1001"], bits(*"abcd"))
    check_bit_oracle(three, INPUTS)


def random_history(rng):
    secret = CLASSIC.random_code(rng)
    guesses = [CLASSIC.random_code(rng) for _ in range(rng.integers(1, 4))]
    return [(guess, feedback(guess, secret)) for guess in guesses]


@pytest.mark.parametrize("design", ["counters", "one-hot", "table"])
def test_sixty_random_histories_on_all_codes_of_the_classic_game(design):
    """Phases, data and ancillas on all 1296 codes; the truth is the rule of the game."""
    rng = np.random.default_rng(60)
    encoding = Encoding(CLASSIC)
    words = [encoding.encode(code) for code in CLASSIC.codes()]
    rows = set()
    for _ in range(60):
        history = random_history(rng)
        rows.add(len(history))
        oracle = ConsistencyOracle(history, encoding, design)
        check_phase_oracle(oracle, words)
        left = [c for c in CLASSIC.codes() if is_consistent(c, history)]
        assert list(oracle.consistent) == left
    assert rows == {1, 2, 3}


@pytest.mark.parametrize("design", ["counters", "one-hot", "table"])
def test_what_is_no_code_may_be_checked(design):
    """With ``check_codes`` the law of oracles holds on all 4096 bitstrings, else on codes only."""
    encoding = Encoding(CLASSIC)
    history = [(CLASSIC.code("RGBY"), (1, 1))]
    words = [format(i, "012b") for i in range(4096)]
    check_phase_oracle(ConsistencyOracle(history, encoding, design, check_codes=True), words)
    if design != "table":
        with pytest.raises(AssertionError):
            check_phase_oracle(ConsistencyOracle(history, encoding, design), words)


def test_within_falls_back_to_the_table():
    encoding = Encoding(CLASSIC)
    history = [(CLASSIC.code("RGBY"), (1, 1))]
    assert ConsistencyOracle.within(history, encoding, None).design == "one-hot"
    assert ConsistencyOracle.within(history, encoding, 24).design == "counters"
    assert ConsistencyOracle.within(history, encoding, 12).design == "table"


def test_algebra_of_the_new_forms():
    variables = Variables((Variable("u", 3), Variable("v")))
    table = TableOracle([variables.encode({"u": 2, "v": 1})], variables)
    both = table & from_formula("v | w")
    assert both.variables.names == ("u", "v", "w")
    words = ["".join(b) for b in product("01", repeat=4)]
    check_phase_oracle(both, words)
    check_bit_oracle(both.restrict(u=2), ["00", "01", "10", "11"])
