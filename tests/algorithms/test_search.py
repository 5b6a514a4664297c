import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from qmastermind.algorithms import success_probability
from qmastermind.algorithms.counting import (
    count_by_phase,
    count_iteratively,
    inverse_fourier,
    phase_estimation,
)
from qmastermind.algorithms.search import (
    MISS,
    advice,
    search_all,
    search_known,
    search_unknown,
    unknown_schedule,
)
from qmastermind.backend import Result
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.oracle import (
    TableOracle,
    Variable,
    Variables,
    bits,
    from_dimacs,
    from_formula,
    graph_colouring,
)
from qmastermind.results import Counts
from qmastermind.simulator import StatevectorBackend, unitary

BACKEND = StatevectorBackend()


@pytest.mark.parametrize(("marked", "mean"), [(1, 43.0), (14, 7.7), (96, 1.6), (252, 0.76)])
def test_the_schedule_for_unknown_solutions_takes_what_is_expected(marked, mean):
    """4,000 seeded runs: within 5 % of measured means, and below the proven 4.5 sqrt(N / M)."""
    size = 1296
    rng = np.random.default_rng(marked)

    def attempt(iterations):
        return rng.random() < success_probability(iterations, size, marked)

    runs = [unknown_schedule(size, attempt, rng, 25) for _ in range(4000)]
    # A run that gives up starts again: count all iterations to a success.
    total = sum(r.iterations for r in runs) / sum(r.hit for r in runs)
    assert total <= 4.5 * math.sqrt(size / marked)
    assert total == pytest.approx(mean, rel=0.05)


def test_a_whole_range_misses_at_most_three_times_in_four():
    """The mean over the numbers that may be drawn, for every number of solutions there can be."""
    for size in (*range(1, 120), 1296):
        numbers = 2 * np.arange(math.ceil(math.sqrt(size))) + 1
        angles = np.arcsin(np.sqrt(np.arange(1, size + 1) / size))
        hits = np.mean(np.sin(np.outer(numbers, angles)) ** 2, axis=0)
        assert hits.min() >= 1 - MISS


class Recorder:
    """Draws the largest number there is, and keeps the ranges."""

    def __init__(self):
        self.ranges = []

    def integers(self, stop):
        self.ranges.append(stop)
        return stop - 1


@pytest.mark.parametrize("size", [1, 2, 3, 4, 100, 1296])
def test_the_schedule_gives_up_after_so_many_misses_of_the_whole_range(size):
    rng = Recorder()
    run = unknown_schedule(size, lambda iterations: False, rng, 7)
    widest = math.ceil(math.sqrt(size))
    assert rng.ranges[-7:] == [widest] * 7
    assert rng.ranges == sorted(rng.ranges)
    assert (run.hit, run.checks) == (False, len(rng.ranges))
    assert run.iterations == sum(n - 1 for n in rng.ranges)


def test_saying_that_there_is_none_costs_as_stated():
    """1e-3 is (3/4)^25; half of sqrt(N) an attempt on average, and 2.5 sqrt(N) to get there."""
    size, rng = 1296, np.random.default_rng(5)
    runs = [unknown_schedule(size, lambda iterations: False, rng, 25) for _ in range(2000)]
    spent = np.mean([r.iterations for r in runs]) / math.sqrt(size)
    assert spent == pytest.approx(25 / 2 + 2.5, rel=0.04)
    with pytest.raises(UsageError, match="states must be at least 1, not 0"):
        unknown_schedule(0, lambda iterations: False, rng, 25)
    with pytest.raises(TooLargeError, match=r"2\^1500"):
        unknown_schedule(2**1500, lambda iterations: False, rng, 25)
    with pytest.raises(UsageError, match="misses must be at least 1, not 0"):
        unknown_schedule(4, lambda iterations: False, rng, 0)


def test_circuits_follow_the_schedule():
    """The same mean with circuits that are run, one shot each, as with known probabilities."""
    rng = np.random.default_rng(14)
    variables = Variables(tuple(Variable(f"p{i}", 6) for i in range(4)))
    codes = rng.permutation(1296)[:14]
    pegs = [{f"p{i}": int(c) // 6**i % 6 for i in range(4)} for c in codes]
    oracle = TableOracle([variables.encode(p) for p in pegs], variables)
    found = [search_unknown(oracle, BACKEND, seed) for seed in range(60)]
    assert all(oracle.marks(f.bits) for f in found)
    spent = [f.iterations for f in found]
    assert np.mean(spent) == pytest.approx(7.7, abs=4 * np.std(spent) / 60**0.5)


def test_a_found_solution_is_checked_and_repeats_with_the_seed():
    oracle = from_formula("(a & c | b & d) & ~(c & d) & ~e & f")
    first = search_unknown(oracle, BACKEND, seed=3)
    assert first == search_unknown(oracle, BACKEND, seed=3)
    assert oracle.marks(first.bits)
    assert oracle.variables.encode(first.assignment) == first.bits
    assert first.circuits >= 1


def test_nothing_to_find_ends_with_a_bound():
    oracle = from_formula("(a | b) & ~(a | b | c)")
    found = search_unknown(oracle, BACKEND, seed=1, failure_bound=0.01)
    assert found.bits is None
    assert found.failure_bound == pytest.approx(0.75**17)  # the first power below 0.01
    assert found.circuits >= 17
    for never in (from_formula("a & ~a"), oracle.as_products(), TableOracle([], bits("a"))):
        proven = search_unknown(never, BACKEND, seed=1)
        assert (proven.bits, proven.iterations, proven.failure_bound) == (None, 0, 0.0)
    with pytest.raises(UsageError, match="between 0 and 1"):
        search_unknown(oracle, BACKEND, failure_bound=0)


def test_values_beyond_a_variable_are_never_found():
    variables = Variables((Variable("u", 5), Variable("v", 3)))
    oracle = ~TableOracle([variables.encode({"u": 1, "v": 1})], variables)
    for seed in range(10):
        assert search_unknown(oracle, BACKEND, seed).assignment


def test_every_solution_is_found_once():
    oracle = graph_colouring([("a", "b"), ("b", "c")], 3)
    found = search_all(oracle, BACKEND, seed=5)
    assert found[-1].bits is None
    solutions = [f.bits for f in found[:-1]]
    assert sorted(solutions) == list(oracle.marked())
    assert len(set(solutions)) == 12


def test_a_known_number_of_solutions():
    oracle = TableOracle(["00101", "11100"], bits(*"abcde"))
    exact = search_known(oracle, BACKEND, 2, exact=True, shots=50, seed=1)
    assert oracle.marks(exact.bits)
    fixed = search_known(oracle, BACKEND, 2, iterations=1, shots=200, seed=1)
    assert fixed.iterations == 1
    assert oracle.marks(fixed.bits)
    wrong = search_known(TableOracle([], bits(*"abc")), BACKEND, 1, shots=10, seed=1)
    assert wrong.bits is None
    with pytest.raises(UsageError, match="1 to 8 marked states, not 0"):
        search_known(TableOracle([], bits(*"abc")), BACKEND, 0, exact=True)


def test_advice_where_search_does_not_pay():
    assert "nothing to amplify" in advice(8, 0)
    assert "probability 0.500" in advice(8, 4)
    assert advice(8, 3) is None
    # with half of them marked, an iteration changes nothing; above, it harms
    assert success_probability(1, 8, 4) == pytest.approx(0.5)
    assert success_probability(1, 8, 6) < 0.75


def random_three_sat(rng, variables, clauses, planted=None):
    rows = []
    while len(rows) < clauses:
        chosen = rng.choice(variables, size=3, replace=False) + 1
        row = [int(v) * int(rng.choice([1, -1])) for v in chosen]
        if planted is None or any((v > 0) == planted[abs(v) - 1] for v in row):
            rows.append(row)
    body = "\n".join(" ".join(map(str, [*r, 0])) for r in rows)
    return rows, f"p cnf {variables} {clauses}\n{body}\n"


def test_a_satisfiable_instance_end_to_end():
    """14 variables with a counter of failing clauses: 21 qubits, simulated whole."""
    rng = np.random.default_rng(14)
    rows, text = random_three_sat(rng, 14, 60, rng.integers(2, size=14).astype(bool))
    oracle = from_dimacs(text).narrowed()
    assert oracle.cost.qubits <= 22
    marked = len(list(oracle.marked()))
    assert marked >= 1
    found = search_known(oracle, BACKEND, marked, iterations=3, shots=3000, seed=1)
    assert found.bits is not None
    assert all(any((found.assignment[f"x{abs(v)}"] == 1) == (v > 0) for v in r) for r in rows)


def test_an_unsatisfiable_instance_ends_with_its_bound():
    clauses = [[a, b, c] for a in (1, -1) for b in (2, -2) for c in (3, -3)]
    body = "\n".join(" ".join(map(str, [*c, 0])) for c in clauses)
    found = search_unknown(from_dimacs(f"p cnf 3 8\n{body}\n"), BACKEND, seed=2)
    assert found.bits is None
    assert found.failure_bound <= 1e-3


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_inverse_fourier_transform(n):
    size = 2**n
    rows = np.arange(size)
    expected = np.exp(-2j * np.pi * np.outer(rows, rows) / size) / math.sqrt(size)
    assert np.allclose(unitary(inverse_fourier(n)), expected)


@pytest.mark.parametrize("marked", [0, 1, 3, 8, 13, 16])
def test_phase_estimation_has_the_known_distribution(marked):
    oracle = TableOracle([format(i, "04b") for i in range(marked)], bits(*"abcd"))
    precision = 5
    found = BACKEND.probabilities(phase_estimation(oracle, precision)).array()
    assert np.allclose(found, outcome_probabilities(16, marked, precision), atol=1e-9)


def outcome_probabilities(size, marked, precision):
    """Of phase estimation, by the sums of its geometric series."""
    turn = math.asin(math.sqrt(marked / size)) / math.pi
    steps = 2**precision

    def kernel(shift):
        d = np.pi * (np.arange(steps) / steps - shift)
        ratio = np.where(
            np.abs(np.sin(d)) < 1e-12,
            1.0,
            np.sin(steps * d) / (steps * np.where(np.sin(d), np.sin(d), 1)),
        )
        return ratio**2

    return (kernel(turn) + kernel(-turn)) / 2


def test_counting_by_phase():
    oracle = from_formula("(a | b) & (c ^ d)")
    truth = len(list(oracle.marked()))
    estimate = count_by_phase(oracle, BACKEND, 8, seed=1)
    assert estimate.low <= truth <= estimate.high
    assert round(estimate.count) == truth
    assert estimate.confidence > 0.9
    assert estimate.queries == 7 * 255


@pytest.mark.parametrize("marked", [0, 1, 5, 20, 32])
def test_the_counting_interval_covers_the_truth_as_often_as_stated(marked):
    states = np.random.default_rng(marked).permutation(32)[:marked]
    oracle = TableOracle([format(i, "05b") for i in states], bits(*"abcde"))
    confidence = 0.9
    runs = [
        count_iteratively(oracle, BACKEND, error=1.0, confidence=confidence, shots=100, seed=s)
        for s in range(200)
    ]
    covered = sum(r.low - 1e-9 <= marked <= r.high + 1e-9 for r in runs)
    assert covered >= confidence * len(runs)
    assert all(r.high - r.low <= 2.0 + 1e-9 for r in runs)


@pytest.mark.parametrize("marked", [0, 1, 5, 20, 32])
def test_the_interval_of_phase_estimation_covers_as_often_as_stated(marked):
    states = np.random.default_rng(marked).permutation(32)[:marked]
    oracle = TableOracle([format(i, "05b") for i in states], bits(*"abcde"))
    distribution = BACKEND.probabilities(phase_estimation(oracle, 6))
    runs = [count_by_phase(oracle, Sampler(distribution), 6, seed) for seed in range(200)]
    covered = sum(r.low <= marked <= r.high for r in runs)
    stated = runs[0].confidence
    assert stated == pytest.approx(0.972, abs=1e-3)
    assert covered >= stated * len(runs)
    assert all(r.low <= r.count <= r.high for r in runs)


class Outcomes:
    """A backend that measures the given numbers, whatever is run."""

    def __init__(self, precision, *numbers):
        words = Counter(format(y, f"0{precision}b") for y in numbers)
        self.result = Result(Counts(dict(words)))

    def run(self, circuit, shots, seed):
        return self.result


def space(size):
    """An oracle over that many assignments; what it marks does not matter here."""
    variable = Variables((Variable("v", size),))
    return TableOracle([variable.encode({"v": 0})], variable)


@pytest.mark.parametrize(
    ("size", "marked", "precision"),
    [
        *[(64, m, 4) for m in (0, 1, 5, 9, 32, 63, 64)],
        (1296, 252, 6),
        (2**24, 2**20 + 7, 9),
        (2**30, 1025, 9),
        (3 * 2**20 + 1, 3 * 2**20 + 1, 9),
        (3 * 2**20 + 1, 3 * 2**20, 9),
        (2**60, 2**59 + 1, 8),
    ],
)
def test_one_run_of_phase_estimation_covers_with_the_proven_probability(size, marked, precision):
    """Exactly: the interval of every outcome, weighted by the outcome's probability."""
    oracle = space(size)
    covering = 0.0
    for y, p in enumerate(outcome_probabilities(size, marked, precision)):
        one = count_by_phase(oracle, Outcomes(precision, y), precision, repeats=1)
        covering += p * (one.low <= marked <= one.high)
    assert covering >= 8 / math.pi**2 - 1e-12
    assert one.confidence == pytest.approx(8 / math.pi**2)


def test_the_interval_of_phase_estimation_is_that_of_the_angle():
    """A grid step either way, and the whole numbers in it: 1/8 turn of 16 steps is 9.4 of 64."""
    nine = count_by_phase(space(64), Outcomes(4, *[2, 14, 2, 2, 2]), 4, repeats=5)
    ends = [64 * math.sin(math.pi * step / 16) ** 2 for step in (1, 3)]
    assert (nine.low, nine.high) == (math.ceil(ends[0]), math.floor(ends[1])) == (3, 19)
    assert nine.count == pytest.approx(64 * math.sin(math.pi / 8) ** 2)
    # no whole number is as near as a right run must be: nothing is known
    nothing = count_by_phase(space(5), Outcomes(8, 40), 8, repeats=1)
    assert (nothing.low, nothing.high) == (0, 5)


@pytest.mark.parametrize("repeats", [1, 2, 3, 6, 7, 1999, 2000])
def test_the_confidence_of_a_median(repeats):
    """That more than half of the runs are right, summed in exact fractions."""
    right, whole = (8 / math.pi**2).as_integer_ratio()
    ways = sum(
        math.comb(repeats, k) * right**k * (whole - right) ** (repeats - k)
        for k in range(repeats // 2 + 1, repeats + 1)
    )
    expected = Fraction(ways, whole**repeats)
    estimate = count_by_phase(space(4), Outcomes(3, *[1] * repeats), 3, repeats=repeats)
    assert estimate.confidence == pytest.approx(float(expected), abs=1e-9)


class Sampler:
    """Samples one distribution that was computed once."""

    def __init__(self, distribution):
        self.distribution = distribution

    def run(self, circuit, shots, seed):
        counts = self.distribution.sample(shots, np.random.default_rng(seed))
        return Result(counts, self.distribution)


def test_misuse_of_counting():
    oracle = from_formula("a")
    with pytest.raises(UsageError, match="positive error"):
        count_iteratively(oracle, BACKEND, error=0)
    with pytest.raises(UsageError, match="precision must be at least 1, not 0"):
        phase_estimation(oracle, 0)
    with pytest.raises(UsageError, match="repeats must be at least 1, not 0"):
        count_by_phase(oracle, BACKEND, 3, repeats=0)
    nan = float("nan")
    with pytest.raises(UsageError, match="positive error"):
        count_iteratively(oracle, BACKEND, error=nan)
    with pytest.raises(UsageError, match="confidence between 0 and 1"):
        count_iteratively(oracle, BACKEND, confidence=nan)
    wide = TableOracle([], bits(*(f"x{i}" for i in range(1100))))
    with pytest.raises(TooLargeError, match="2\\^1100"):
        count_iteratively(wide, BACKEND)
    with pytest.raises(TooLargeError, match="2\\^1100"):
        count_by_phase(wide, BACKEND, 3)
