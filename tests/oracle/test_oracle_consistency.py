from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_truth import check_phase_oracle

from qmastermind.algorithms import grover, plan
from qmastermind.encoding import Encoding
from qmastermind.errors import ConflictError, TooLargeError, UsageError
from qmastermind.game import Codemaker, Rules, feedback, is_consistent
from qmastermind.oracle import ConsistencyOracle
from qmastermind.simulator import StatevectorBackend
from qmastermind.solvers import FeedbackSolver

CLASSIC = Rules()


def history_of(rules, secret, guesses):
    codes = [rules.code(g) for g in guesses]
    return [(g, feedback(g, rules.code(secret))) for g in codes]


@given(st.integers(0, 10**6), st.integers(1, 3))
@settings(max_examples=20)
def test_marks_is_the_rule_of_the_game(seed, rows):
    rng = np.random.default_rng(seed)
    secret = CLASSIC.random_code(rng)
    history = [(g := CLASSIC.random_code(rng), feedback(g, secret)) for _ in range(rows)]
    oracle = ConsistencyOracle(history, Encoding(CLASSIC), "table")
    assert oracle.marks(oracle.encoding.encode(secret))
    for _ in range(50):
        code = CLASSIC.random_code(rng)
        assert oracle.marks(oracle.encoding.encode(code)) == is_consistent(code, history)
    assert len(oracle.consistent) == len(list(oracle.marked()))


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_without_repeats_what_is_no_code_is_never_marked(data):
    """Searches run over all tuples there, which are more than the codes."""
    colours = data.draw(st.integers(3, 5))
    rules = Rules(data.draw(st.integers(2, min(3, colours))), colours, repeats=False)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    secret, guess = rules.random_code(rng), rules.random_code(rng)
    design = data.draw(st.sampled_from(["counters", "one-hot", "table"]))
    oracle = ConsistencyOracle([(guess, feedback(guess, secret))], Encoding(rules), design)
    tuples = product(range(colours), repeat=rules.positions)
    names = oracle.variables.names
    words = [oracle.variables.encode(dict(zip(names, t, strict=True))) for t in tuples]
    check_phase_oracle(oracle, words)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_the_codes_left_are_those_of_the_rule(data):
    rules = data.draw(
        st.sampled_from([Rules(3, 4), Rules(3, 3, blanks=True), Rules(3, 5, repeats=False)])
    )
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    secret = rules.random_code(rng)
    history = [(g := rules.random_code(rng), feedback(g, secret)) for _ in range(2)]
    oracle = ConsistencyOracle(history, Encoding(rules), "table")
    assert oracle.consistent == tuple(c for c in rules.codes() if is_consistent(c, history))


def test_one_iteration_over_the_whole_game():
    """RGBY with 1 black and 1 white leaves 252 codes; the probability is known to 12 digits."""
    history = [(CLASSIC.code("RGBY"), (1, 1))]
    oracle = ConsistencyOracle(history, Encoding(CLASSIC), "counters")
    assert len(oracle.consistent) == 252
    assert oracle.phase().num_qubits <= 22
    circuit = grover(oracle, oracle.variables.prepare(), plan=plan(1296, 252, iterations=1))
    found = StatevectorBackend().probabilities(circuit.measured(range(12)))
    total = sum(found.probability(oracle.encoding.encode(c)) for c in oracle.consistent)
    assert total == pytest.approx(0.960219478738, abs=1e-9)


@pytest.mark.parametrize("design", ["counters", "one-hot", "table"])
def test_every_design_searches_alike(design):
    rules = Rules(2, 3)
    history = history_of(rules, "OY", ["RO"])
    oracle = ConsistencyOracle(history, Encoding(rules), design)
    codes = [c for c in rules.codes() if is_consistent(c, history)]
    assert len(codes) == 2
    expected = {1: 0.990397805213, 2: 0.402411, 3: 0.084300}
    for iterations, probability in expected.items():
        search = plan(9, 2, iterations=iterations)
        circuit = grover(oracle, oracle.variables.prepare(), plan=search)
        found = StatevectorBackend().probabilities(circuit.measured(range(4)))
        total = sum(found.probability(oracle.encoding.encode(c)) for c in codes)
        assert total == pytest.approx(probability, abs=1e-5)


def test_the_design_is_chosen_by_what_fits():
    history = history_of(CLASSIC, "ROYR", ["RGBY"])
    encoding = Encoding(CLASSIC)
    assert ConsistencyOracle(history, encoding).design == "one-hot"
    assert ConsistencyOracle(history, encoding, max_qubits=24).design == "counters"
    with pytest.raises(TooLargeError, match="lists the answer"):
        ConsistencyOracle(history, encoding, max_qubits=13)


def test_contradictions_name_the_row():
    history = [
        (CLASSIC.code("RRRR"), (2, 0)),
        (CLASSIC.code("OOOO"), (2, 0)),
        (CLASSIC.code("YYYY"), (1, 0)),
    ]
    with pytest.raises(ConflictError, match="row 3, YYYY with 1 black, 0 white"):
        ConsistencyOracle(history, Encoding(CLASSIC))
    with pytest.raises(UsageError, match="cannot occur"):
        ConsistencyOracle([(CLASSIC.code("RRRR"), (3, 1))], Encoding(CLASSIC))
    with pytest.raises(UsageError, match="unknown design"):
        ConsistencyOracle(history[:1], Encoding(CLASSIC), "magic")
    with pytest.raises(UsageError, match="binary encoding"):
        ConsistencyOracle(history[:1], Encoding(CLASSIC, "one-hot"))


def test_whole_games_need_no_quantum_access_to_the_codemaker():
    for seed in range(3):
        secret = CLASSIC.random_code(np.random.default_rng(seed))
        maker = Codemaker(secret)
        solution = FeedbackSolver(design="table", seed=seed).solve(maker)
        assert solution.verified
        assert solution.code == secret
        assert maker.queries.quantum == 0
        assert maker.queries.classical == len(solution.guesses)
        for i, (guess, _) in enumerate(solution.guesses):
            assert is_consistent(guess, solution.guesses[:i])


def test_a_whole_game_with_the_structural_oracle():
    rules = Rules(3, 4)
    maker = Codemaker("YOG", rules)
    solution = FeedbackSolver(max_qubits=18, seed=4).solve(maker)
    assert solution.verified
    designs = {turn["design"] for turn in solution.details["turns"]}
    assert designs & {"counters", "one-hot"}
    assert solution.details["oracle_uses"] >= 0


def play(secret, rng):
    """A game that draws uniformly from what the feedback oracle marks; the number of guesses."""
    encoding, history = Encoding(CLASSIC), []
    while True:
        if history:
            left = ConsistencyOracle(history, encoding, "table").consistent
            guess = left[rng.integers(len(left))]
        else:
            guess = CLASSIC.random_code(rng)
        history.append((guess, feedback(guess, secret)))
        if guess == secret:
            return len(history)


def published_player(games, rng):
    """Lengths of games of a random consistent player, with tables and no code of ours."""
    codes = np.indices((6, 6, 6, 6)).reshape(4, -1).T
    black = (codes[:, None] == codes[None]).sum(axis=2)
    counts = np.stack([(codes == c).sum(axis=1) for c in range(6)])
    both = sum(np.minimum.outer(n, n) for n in counts)
    answers = 6 * black + (both - black)
    for _ in range(games):
        secret, left, turns = int(rng.integers(1296)), np.arange(1296), 0
        while True:
            guess = int(left[rng.integers(len(left))])
            turns += 1
            if guess == secret:
                break
            left = left[answers[guess, left] == answers[guess, secret]]
        yield turns


def test_guesses_are_those_of_a_random_consistent_player():
    """Drawing uniformly from what fits takes 4.65 guesses on average (published: about 4.64)."""
    rng = np.random.default_rng(1)
    reference = list(published_player(4000, rng))
    assert np.mean(reference) == pytest.approx(4.65, abs=0.05)
    by_truth = [play(CLASSIC.random_code(rng), rng) for _ in range(150)]
    spread = np.std(reference)
    assert np.mean(by_truth) == pytest.approx(4.65, abs=4 * spread / 150**0.5)
    assert max(by_truth) <= 9
    by_circuit = []
    for seed in range(15):
        maker = Codemaker(CLASSIC.random_code(rng))
        by_circuit.append(len(FeedbackSolver(design="table", seed=seed).solve(maker).guesses))
    assert np.mean(by_circuit) == pytest.approx(4.65, abs=4 * spread / 15**0.5)


@pytest.mark.slow
def test_guesses_over_many_games():
    """1,000 games over the oracle's own truth: 4.65 within four standard errors."""
    rng = np.random.default_rng(2)
    lengths = [play(CLASSIC.random_code(rng), rng) for _ in range(1000)]
    assert np.mean(lengths) == pytest.approx(4.65, abs=4 * np.std(lengths) / 1000**0.5)


@pytest.mark.parametrize("seed", [1, 14, 22])
def test_classic_games_whose_first_search_is_on_the_full_circuit(seed):
    """The arithmetic oracle at real size, 21 or 22 qubits simulated whole; then the table."""
    secret = CLASSIC.code("ROYR")
    maker = Codemaker(secret)
    solution = FeedbackSolver(max_qubits=22, seed=seed).solve(maker)
    assert solution.verified
    assert solution.code == secret
    assert maker.queries.quantum == 0
    first = solution.details["turns"][0]
    assert first["design"] == "counters"
    assert first["qubits"] >= 21
    for i, (guess, _) in enumerate(solution.guesses):
        assert is_consistent(guess, solution.guesses[:i])


def test_the_search_samples_uniformly_among_what_fits():
    from qmastermind.algorithms.search import search_unknown

    rules = Rules(2, 3)
    history = history_of(rules, "OY", ["RO"])
    oracle = ConsistencyOracle(history, Encoding(rules), "table")
    found = [search_unknown(oracle, StatevectorBackend(), seed).bits for seed in range(400)]
    counts = [found.count(bits) for bits in oracle.marked()]
    assert sum(counts) == 400
    assert abs(counts[0] - 200) < 4 * 10  # four standard deviations
