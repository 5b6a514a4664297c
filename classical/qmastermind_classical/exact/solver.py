"""The solver ``optimal``: plays a strategy with the least total over all secrets."""

from __future__ import annotations

from dataclasses import dataclass

from qmastermind.errors import TooLargeError
from qmastermind.game import Code, Codemaker, Feedback
from qmastermind.solver import Solution, Solver

MAX_CODES = 5040
"""The largest game that is played: Bulls and Cows takes some ten seconds."""


@dataclass(frozen=True)
class OptimalSolver(Solver):
    """Plays optimally: no strategy needs fewer guesses over all secrets.

    Attributes:
        opening: A prescribed first guess; the rest is then the best after it.
        max_guesses: If given, every secret is found within so many guesses.
    """

    name = "optimal"
    summary = "proved least total of guesses over all secrets"

    opening: str | None = None
    max_guesses: int | None = None

    def solve(self, codemaker: Codemaker) -> Solution:
        """Plays a whole game.

        Raises:
            TooLargeError: If the game has more than :data:`MAX_CODES` codes.
            ImpossibleError: If no strategy keeps to ``max_guesses``.
        """
        from qmastermind_classical.exact.optimum import find_optimum

        rules = codemaker.rules
        if rules.num_codes > MAX_CODES:
            raise TooLargeError(
                f"solver 'optimal' plays games of at most {MAX_CODES:,} codes, {rules} has "
                f"{rules.num_codes:,}; solvers that can: entropy, expected-size, most-parts, "
                "minimax, genetic, human. `qmastermind optimal` solves larger games, given time"
            )
        opening = None if self.opening is None else rules.code(self.opening)
        found = find_optimum(rules, opening=opening, max_guesses=self.max_guesses)
        node = found.tree.root
        guesses: list[tuple[Code, Feedback]] = []
        while True:
            answer = codemaker.answer(node.guess)
            guesses.append((node.guess, answer))
            if answer.black == rules.positions:
                break
            node = node.after[answer]
        return Solution(
            node.guess,
            True,
            tuple(guesses),
            {
                "strategy_total": found.tree.total,
                "strategy_mean": found.tree.mean,
                "strategy_max": found.tree.max,
                "proved": True,
            },
        )
