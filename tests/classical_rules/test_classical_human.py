"""The human-style solver: sound reasoning, named stages, no list of codes."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.game import Feedback, Rules, feedback, is_consistent
from qmastermind_classical import human
from qmastermind_classical.human import STAGES, HumanSolver, next_move
from qmastermind_classical.human_table import Contradiction, Table, bits

STAGE_NAMES = {
    "certain",
    "one unknown",
    "two unknowns",
    "all but one black",
    "first rows",
    "final analysis",
    "test",
}

SMALL = [
    Rules(3, 4),
    Rules(4, 3),
    Rules(2, 6),
    Rules(3, 3, blanks=True),
    Rules(3, 5, repeats=False),
    Rules(4, 4, repeats=False),
    Rules(6, 2),
    Rules(1, 5),
]


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_every_secret_of_small_games(play, rules):
    for code in rules.codes():
        solution = play(HumanSolver(), code, rules)
        guesses = [g for g, _ in solution.guesses]
        assert len(set(guesses)) == len(guesses)


def test_classic_game(play):
    """Felix took 10 guesses on average and failed within 20 in every fifth game."""
    lengths, stages = Counter(), Counter()
    for code in Rules().codes():
        solution = play(HumanSolver(), code)
        lengths[len(solution.guesses)] += 1
        stages.update(solution.details["stages"])
    assert sum(n * m for n, m in lengths.items()) / 1296 < 4.9
    assert max(lengths) <= 8
    assert set(stages) <= STAGE_NAMES
    assert len(stages) >= 6


@pytest.mark.parametrize(
    "rules",
    [Rules(4, 7, blanks=True), Rules(5, 8), Rules(4, 10, repeats=False), Rules(8, 12)],
    ids=str,
)
def test_larger_games(play, rules):
    rng = np.random.default_rng(5)
    for _ in range(6):
        play(HumanSolver(), rules.random_code(rng), rules)


def test_log_has_a_line_with_the_reason_for_each_guess(play):
    solution = play(HumanSolver(), "RBRY")
    log, stages = solution.details["log"], solution.details["stages"]
    assert len(log) == len(stages) == len(solution.guesses)
    for i, (line, stage, (guess, answer)) in enumerate(
        zip(log, stages, solution.guesses, strict=True), 1
    ):
        assert line.startswith(f"{i}. {stage}: {guess}, ")
        assert str(answer) in line
    assert "Red and Orange are new" in log[0]


def test_no_list_of_codes(play, monkeypatch):
    def forbidden(self):
        raise AssertionError("codes were enumerated")

    monkeypatch.setattr(Rules, "codes", forbidden)
    monkeypatch.setattr(Rules, "code_array", forbidden)
    play(HumanSolver(), "5445")


@st.composite
def boards(draw):
    rules = draw(st.sampled_from([*SMALL, Rules(4, 6), Rules(4, 6, repeats=False)]))
    numbers = st.integers(0, 2**32)
    secret = rules.random_code(np.random.default_rng(draw(numbers)))
    guesses = draw(st.lists(numbers, max_size=6))
    rows = [rules.random_code(np.random.default_rng(g)) for g in guesses]
    return rules, secret, [(row, feedback(row, secret)) for row in rows]


@settings(max_examples=200)
@given(board=boards())
def test_table_never_rules_out_a_code_that_fits(board):
    """Against the list of all codes, which the table itself never makes."""
    rules, secret, rows = board
    table = Table(rules)
    for row, answer in rows:
        table.add_row(row, answer)
    table.what_if()
    for code in rules.codes():
        if is_consistent(code, rows):
            assert all(table.can[i] >> c & 1 for i, c in enumerate(code))
            assert all(table.low[c] <= code.count(c) <= table.high[c] for c in range(rules.colours))
    if not table.open_positions():
        assert table.code() == tuple(secret)


@settings(max_examples=100)
@given(board=boards())
def test_moves_are_legal_and_new_and_break_no_row_unless_they_test(board):
    rules, _, rows = board
    table = Table(rules)
    for row, answer in rows:
        if answer.black == rules.positions:
            return
        table.add_row(row, answer)
    move = next_move(table)
    rules.code(move.pegs)
    assert move.pegs not in {tuple(row) for row, _ in rows}
    if move.stage in ("certain", "one unknown", "two unknowns", "final analysis"):
        assert is_consistent(move.pegs, rows)


@given(board=boards(), patience=st.integers(0, 3))
def test_an_impatient_player_gets_there_too(board, patience):
    """With little patience the test stage has to do the work."""
    rules, secret, _ = board
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(human, "PATIENCE", patience)
        table = Table(rules)
        for _ in range(400):
            move = next_move(table)
            answer = feedback(move.pegs, secret)
            if answer.black == rules.positions:
                return
            table.add_row(move.pegs, answer)
    pytest.fail("the secret was not found")


def test_a_test_settles_a_field():
    """One peg of an earlier row changed: the table afterwards knows more about that position."""
    rules = Rules(4, 6)
    rng = np.random.default_rng(3)
    stage = STAGES[-1]
    for _ in range(100):
        secret, row = rules.random_code(rng), rules.random_code(rng)
        table = Table(rules)
        if row == secret:
            continue
        table.add_row(row, feedback(row, secret))
        while table.open_positions():
            move = stage(table)
            before = sum(mask.bit_count() for mask in table.can)
            if move.pegs == tuple(secret):
                break
            table.add_row(move.pegs, feedback(move.pegs, secret))
            assert sum(mask.bit_count() for mask in table.can) < before


def test_contradictions_are_noticed():
    table = Table(Rules())
    table.add_row((0, 0, 1, 1), Feedback(0, 0))
    with pytest.raises(Contradiction):
        table.add_row((0, 1, 0, 1), Feedback(1, 0))


def test_bits():
    assert list(bits(0b101001)) == [0, 3, 5]
