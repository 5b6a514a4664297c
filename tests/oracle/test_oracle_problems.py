from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_truth import check_phase_oracle, run_classically

from qmastermind.errors import UsageError
from qmastermind.oracle import (
    ExpressionOracle,
    bits,
    exact_cover,
    from_dimacs,
    from_formula,
    graph_colouring,
    subset_sum,
    sudoku,
)
from qmastermind.oracle.expression import Literal, SumEquals
from qmastermind.oracle.problems import all_different


def everything(oracle):
    return ["".join(b) for b in product("01", repeat=oracle.num_bits)]


@pytest.mark.parametrize("colours", [2, 3, 4])
def test_colouring_a_graph(colours):
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    oracle = graph_colouring(edges, colours)
    assert oracle.variables.names == ("va", "vb", "vc", "vd")
    found = [oracle.variables.decode(x) for x in oracle.marked()]
    proper = [
        dict(zip(oracle.variables.names, v, strict=True))
        for v in product(range(colours), repeat=4)
        if all(v["abcd".index(p)] != v["abcd".index(q)] for p, q in edges)
    ]
    assert found == proper
    check_phase_oracle(oracle, everything(oracle))
    check_phase_oracle(oracle.narrowed(), everything(oracle))


def test_a_loop_cannot_be_coloured():
    assert list(graph_colouring([(1, 1), (1, 2)], 3).marked()) == []
    with pytest.raises(UsageError, match="without an edge"):
        graph_colouring([], 3)


def test_vertices_of_one_name_are_not_one():
    with pytest.raises(UsageError, match=r"two vertices, not \(1, 2, 3\)"):
        graph_colouring([(1, 2), (1, 2, 3)], 2)
    with pytest.raises(UsageError, match="1 and '1' are two vertices of one name"):
        graph_colouring([(1, "1")], 2)
    same = graph_colouring([(1, 2), (1.0, 3)], 2)  # equal, so one vertex
    assert same.variables.names == ("v1", "v2", "v3")


def test_exact_cover():
    sets = {
        "A": [1, 4, 7],
        "B": [1, 4],
        "C": [4, 5, 7],
        "D": [3, 5, 6],
        "E": [2, 3, 6, 7],
        "F": [2, 7],
    }
    oracle = exact_cover(sets)
    assert [oracle.variables.decode(x) for x in oracle.marked()] == [
        {"A": 0, "B": 1, "C": 0, "D": 1, "E": 0, "F": 1}
    ]
    check_phase_oracle(oracle, everything(oracle))


def test_what_can_be_read_once_only_is_enough():
    """Iterators mark what the same lists mark."""
    sets = {"A": [1, 2], "B": [2, 3], "C": [3]}
    cover = exact_cover({name: iter(elements) for name, elements in sets.items()})
    assert list(cover.marked()) == list(exact_cover(sets).marked()) == ["101"]
    check_phase_oracle(cover, everything(cover))
    edges = [("b", "a"), ("a", "c")]
    colouring = graph_colouring(iter(edges), 2)
    assert colouring.variables.names == ("vb", "va", "vc")
    assert list(colouring.marked()) == list(graph_colouring(edges, 2).marked()) == ["010", "101"]
    variables = bits("a", "b", "c")
    different = ExpressionOracle(all_different(variables, iter(["a", "b", "c"])), variables)
    assert list(different.marked()) == []


@pytest.mark.parametrize("total", [0, 5, 9, 12, 40])
def test_subset_sum(total):
    numbers = [3, 1, 5, 4, 2]
    oracle = subset_sum(numbers, total)
    wanted = {
        "".join("1" if i in chosen else "0" for i in range(5))
        for size in range(6)
        for chosen in combinations(range(5), size)
        if sum(numbers[i] for i in chosen) == total
    }
    assert set(oracle.marked()) == wanted
    check_phase_oracle(oracle, everything(oracle))
    with pytest.raises(UsageError, match="positive numbers"):
        subset_sum([1, 0], 1)


@given(st.lists(st.integers(1, 2**22), min_size=1, max_size=6), st.integers(0, 63), st.booleans())
@settings(max_examples=40)
def test_subset_sums_of_large_numbers(numbers, chosen, near):
    """Counters beyond the ladder's width; the total is one that some choice has, or just not."""
    total = sum(n for i, n in enumerate(numbers) if chosen >> i & 1) + near
    oracle = subset_sum(numbers, total)
    inputs = everything(oracle)
    marked = {
        x for x in inputs if sum(n for n, b in zip(numbers, x, strict=True) if b == "1") == total
    }
    assert set(oracle.marked()) == marked
    check_phase_oracle(oracle, inputs)


def test_sums_of_compound_parts_in_a_wide_counter():
    parts = (from_formula("a & b").expression, Literal(2, False), from_formula("a | c").expression)
    parts = (*parts, Literal(1))
    for total in (100_003, 100_010, 103_003, 3):
        counted = SumEquals(parts, (100_000, 3, 3000, 7), total)
        oracle = ExpressionOracle(counted, bits("a", "b", "c"))
        assert counted._width == 17
        check_phase_oracle(oracle, everything(oracle))
        check_phase_oracle(oracle, everything(oracle), angle=0.3)


def test_the_cost_of_a_subset_sum():
    """32 powers of 3: at most 2 w - 2 Toffolis a number and back, for a counter that grows."""
    numbers = [3**i for i in range(32)]
    oracle = subset_sum(numbers, 3**31)
    widths = [sum(numbers[: i + 1]).bit_length() for i in range(1, 32)]
    ladders = [
        sum((w - s - 1) ** 2 for s in range(w) if number >> s & 1)
        for number, w in zip(numbers[1:], widths, strict=True)
    ]
    adding = sum(min(one, 2 * w - 2) for one, w in zip(ladders, widths, strict=True))
    turn = 2 * (widths[-1] - 1) - 3
    assert oracle.cost.toffolis == 2 * adding + turn < 3300
    assert oracle.cost.ancillas == 2 * widths[-1] + 1
    rng = np.random.default_rng(3)
    inputs = ["".join(rng.choice(["0", "1"], size=32)) for _ in range(20)]
    check_phase_oracle(oracle, [*inputs, "0" * 31 + "1", "1" * 31 + "0", "1" * 32])
    # each power of 2 is above all sums before it, so that nothing carries
    binary = subset_sum([2**i for i in range(32)], 5)
    assert binary.cost.toffolis == 2 * 31 - 3


def test_a_small_sudoku():
    grid = ["1234", "3412", "2143", "4321"]
    clues = {
        (r, c): int(grid[r][c])
        for r in range(4)
        for c in range(4)
        if (r, c) not in {(0, 0), (1, 1), (2, 2), (3, 3), (0, 3)}
    }
    oracle = sudoku(clues)
    assert oracle.variables.names == ("r0c0", "r0c3", "r1c1", "r2c2", "r3c3")
    solutions = [oracle.variables.decode(x) for x in oracle.marked()]
    assert solutions == [{"r0c0": 0, "r0c3": 3, "r1c1": 3, "r2c2": 3, "r3c3": 0}]
    check_phase_oracle(oracle, everything(oracle)[::7])
    with pytest.raises(UsageError, match="outside the grid"):
        sudoku({(0, 4): 1})


def random_three_sat(rng, variables, clauses):
    rows = []
    for _ in range(clauses):
        chosen = rng.choice(variables, size=3, replace=False) + 1
        rows.append([int(v) * int(rng.choice([1, -1])) for v in chosen])
    body = "\n".join(" ".join(map(str, [*r, 0])) for r in rows)
    return rows, f"p cnf {variables} {clauses}\n{body}\n"


def test_random_three_sat_on_twenty_variables():
    """The structural oracle is built without a table and verified against a SAT solver."""
    solvers = pytest.importorskip("pysat.solvers")
    rng = np.random.default_rng(20)
    rows, text = random_three_sat(rng, 20, 91)
    oracle = from_dimacs(text)
    inputs = ["".join(rng.choice(["0", "1"], size=20)) for _ in range(1000)]
    with solvers.Cadical153(bootstrap_with=rows) as solver:
        models = []
        while solver.solve() and len(models) < 2000:
            model = solver.get_model()
            models.append("".join("1" if v > 0 else "0" for v in model))
            solver.add_clause([-v for v in model])
    assert all(oracle.marks(x) for x in models)
    for form in (oracle, oracle.narrowed()):
        circuit = form.phase()
        state, phase = run_classically(circuit, inputs + models)
        truth = [form.marks(x) for x in inputs] + [True] * len(models)
        assert np.allclose(np.exp(1j * phase), np.where(truth, -1, 1))
        assert not state[:, list(circuit.ancillas)].any()
    assert oracle.cost.ancillas == 91
    assert oracle.narrowed().cost.ancillas == 8


def test_thirty_variables_need_no_table():
    rng = np.random.default_rng(30)
    _, text = random_three_sat(rng, 40, 160)
    oracle = from_dimacs(text)
    inputs = ["".join(rng.choice(["0", "1"], size=40)) for _ in range(200)]
    check_phase_oracle(oracle, inputs)
