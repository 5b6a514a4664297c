"""The one-step rules as solvers, and their bad input."""

import subprocess
import sys

import pytest

from qmastermind.errors import ConflictError, TooLargeError, UnknownNameError, UsageError
from qmastermind.game import Codemaker, Feedback, Rules
from qmastermind.registry import get_solver, registered_solvers
from qmastermind_classical.onestep import (
    EntropySolver,
    ExpectedSizeSolver,
    KnuthSolver,
    LexicographicSolver,
    MinimaxSolver,
    MostPartsSolver,
    SimpleSolver,
)
from qmastermind_classical.replay import replay
from qmastermind_classical.scores import get_score_rule

SOLVERS = [
    SimpleSolver,
    MinimaxSolver,
    ExpectedSizeSolver,
    EntropySolver,
    MostPartsSolver,
    LexicographicSolver,
]


def transcript(solution):
    return [str(guess) for guess, _ in solution.guesses]


@pytest.mark.parametrize(
    ("secret", "expected"),
    [
        ("OOYG", ["RGBY", "OROB", "OYRI", "BRII", "OOYG"]),
        ("OOYGI", ["RGBYY", "OBGOG", "BOROB", "YOGIO", "OOYGI"]),
    ],
)
def test_games_of_the_article(play, secret, expected):
    rules = Rules(len(secret), 6)
    solver = MinimaxSolver(consistent=True, opening=expected[0])
    assert transcript(play(solver, secret, rules)) == expected


def test_six_peg_game_of_the_article(play):
    """Its printed third guess BRGIRI leaves up to 52 codes where BRIGRI leaves 50."""
    rules = Rules(6, 6)
    solution = play(MinimaxSolver(consistent=True, opening="RGBYYY"), "OOYGIB", rules)
    assert transcript(solution)[:3] == ["RGBYYY", "GBRROO", "BRIGRI"]
    assert solution.details["possible"][:4] == [46656, 6216, 462, 50]
    assert solution.verified


@pytest.mark.parametrize("consistent", [False, True])
@pytest.mark.parametrize("solver", SOLVERS)
def test_games_are_those_of_the_replay(play, solver, consistent):
    rules = Rules(3, 4)
    lengths = [
        len(play(solver(consistent=consistent), code, rules).guesses) for code in rules.codes()
    ]
    expected = replay(rules, get_score_rule(solver.rule), consistent)
    assert tuple(lengths.count(d) for d in range(1, max(lengths) + 1)) == expected.distribution


def test_consistent_solver_guesses_only_possible_codes(play):
    for solver in SOLVERS:
        guesses = play(solver(consistent=True), "5445").guesses
        for i, (guess, _) in enumerate(guesses):
            assert all(
                Codemaker(guess).answer(earlier) == answer for earlier, answer in guesses[:i]
            )


def test_knuth_opens_with_two_halves(play):
    assert transcript(play(KnuthSolver(), "6666"))[0] == "RROO"
    assert transcript(play(KnuthSolver(), "33333", Rules(5, 3)))[0] == "RRROO"
    assert transcript(play(KnuthSolver(), "4321", Rules(4, 5, repeats=False)))[0] == "ROYG"
    assert transcript(play(KnuthSolver(opening="1234"), "6666"))[0] == "ROYG"
    lengths = [len(play(KnuthSolver(), code).guesses) for code in ("1122", "5445", "6666", "3514")]
    assert max(lengths) <= 5


def test_float_entropy_by_name(play):
    play(EntropySolver(arithmetic="p-ln-p"), "3514")
    with pytest.raises(UnknownNameError, match="entropy-p-ln-p"):
        EntropySolver(arithmetic="p-lnp").solve(Codemaker("1111"))


def test_registered_under_their_names():
    known = registered_solvers()
    for solver in (*SOLVERS, KnuthSolver):
        assert known[solver.name].cls is solver
        assert known[solver.name].distribution == "qmastermind"
    assert get_solver("minimax", consistent=True, opening="1122").consistent


def test_game_too_large_to_enumerate():
    with pytest.raises(TooLargeError, match=r"429,981,696.*human, genetic$"):
        MinimaxSolver().solve(Codemaker([0] * 8, Rules(8, 12)))
    with pytest.raises(TooLargeError, match=r"human, genetic, permutation$"):
        SimpleSolver().solve(Codemaker(range(12), Rules(12, 12, repeats=False)))


def test_opening_of_the_wrong_length():
    with pytest.raises(UsageError, match="too short: 3 pegs, expected 4"):
        EntropySolver(opening="112").solve(Codemaker("1111"))
    with pytest.raises(UsageError, match="no colour of these rules"):
        KnuthSolver(opening="1127").solve(Codemaker("1111"))


class Liar(Codemaker):
    """Says no colour is right, whatever is asked."""

    def answer(self, guess):
        super().answer(guess)
        return Feedback(0, 0)


@pytest.mark.parametrize("name", ["minimax", "simple", "human", "genetic"])
def test_contradictory_answers(name):
    with pytest.raises(ConflictError):
        get_solver(name).solve(Liar("1111"))


def test_nothing_heavy_is_imported_before_a_solver_plays():
    code = (
        "import sys\n"
        "import qmastermind_classical.onestep, qmastermind_classical.genetic\n"
        "import qmastermind_classical.human, qmastermind_classical.permutation\n"
        "import qmastermind_classical.cli_strategy, qmastermind_classical.replay\n"
        "print('numba' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
