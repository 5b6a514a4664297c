"""The one-step strategies as solvers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from qmastermind.errors import ConflictError
from qmastermind.game import Code, Codemaker, Feedback, Rules
from qmastermind.solver import Solution, Solver
from qmastermind_classical.kernels import answer_index
from qmastermind_classical.scores import get_score_rule
from qmastermind_classical.strategy import Strategy


@dataclass
class OneStepSolver(Solver):
    """Plays a one-step strategy; subclasses name its rule.

    Attributes:
        consistent: Guess only codes that could be the secret.
        opening: The first guess; None lets the rule choose it.
    """

    consistent: bool = False
    opening: Code | str | Sequence[int] | None = None

    rule: ClassVar[str]

    def solve(self, codemaker: Codemaker) -> Solution:
        """Plays a game.

        Raises:
            TooLargeError: If the game has too many codes to look at each.
            UsageError: If the opening is no code of the game.
            ConflictError: If the answers exclude each other.
        """
        rules = codemaker.rules
        prescribed = self.first_guess(rules)
        strategy = Strategy(rules, get_score_rule(self.scoring()), self.consistent)
        possible = strategy.everything()
        unplayed = set(range(rules.colours))
        guesses: list[tuple[Code, Feedback]] = []
        sizes: list[int] = []
        while True:
            if prescribed is not None and not guesses:
                guess = strategy.index(prescribed)
            else:
                guess = strategy.choose(possible, unplayed).guess
            code = strategy.code(guess)
            sizes.append(len(possible))
            answer = codemaker.answer(code)
            guesses.append((code, answer))
            if answer.black == rules.positions:
                details = {
                    "rule": strategy.rule.name,
                    "consistent": self.consistent,
                    "possible": sizes,
                }
                return Solution(code, True, tuple(guesses), details)
            wanted = answer_index(answer.black, answer.white, rules)
            possible = possible[strategy.answers(guess, possible) == wanted]
            unplayed -= set(code)
            if not len(possible):
                raise ConflictError(f"no code fits the answer to row {len(guesses)}: {answer}")

    def first_guess(self, rules: Rules) -> Code | None:
        """The prescribed first guess, if there is one.

        Raises:
            UsageError: If it is no code of the game.
        """
        return None if self.opening is None else rules.code(self.opening)

    def scoring(self) -> str:
        """Name of the rule that scores the cuts."""
        return self.rule


@dataclass
class SimpleSolver(OneStepSolver):
    """Plays the first code, in lexical order, that could be the secret."""

    name: ClassVar[str] = "simple"
    summary: ClassVar[str] = "the first code still possible (Shapiro 1983)"
    rule: ClassVar[str] = "simple"


@dataclass
class MinimaxSolver(OneStepSolver):
    """Leaves the fewest codes in the worst case."""

    name: ClassVar[str] = "minimax"
    summary: ClassVar[str] = "fewest codes left in the worst case, any opening (Knuth 1977)"
    rule: ClassVar[str] = "minimax"


@dataclass
class KnuthSolver(MinimaxSolver):
    """Minimax that opens with half of one colour and half of another, 1122 on four pegs.

    Without repeats the opening is the lexically first code.
    """

    name: ClassVar[str] = "knuth"
    summary: ClassVar[str] = "minimax opening with 1122 or its like (Knuth 1977)"

    def first_guess(self, rules: Rules) -> Code:
        """The prescribed first guess.

        Raises:
            UsageError: If it is no code of the game.
        """
        if self.opening is not None:
            return rules.code(self.opening)
        half = (rules.positions + 1) // 2
        return rules.code([i >= half if rules.repeats else i for i in range(rules.positions)])


@dataclass
class ExpectedSizeSolver(OneStepSolver):
    """Leaves the fewest codes on average."""

    name: ClassVar[str] = "expected-size"
    summary: ClassVar[str] = "fewest codes left on average (Irving 1979)"
    rule: ClassVar[str] = "expected-size"


@dataclass
class EntropySolver(OneStepSolver):
    """Learns the most bits.

    Attributes:
        arithmetic: ``exact``, or the float sum that breaks ties: ``p-ln-p``, ``p-log2-p``,
            ``n-ln-n`` or ``n-log2-n``.
    """

    arithmetic: str = "exact"

    name: ClassVar[str] = "entropy"
    summary: ClassVar[str] = "largest entropy of the answer, compared exactly (Neuwirth 1982)"
    rule: ClassVar[str] = "entropy"

    def scoring(self) -> str:
        """Name of the rule that scores the cuts."""
        return self.rule if self.arithmetic == "exact" else f"{self.rule}-{self.arithmetic}"


@dataclass
class MostPartsSolver(OneStepSolver):
    """Makes the most different answers possible."""

    name: ClassVar[str] = "most-parts"
    summary: ClassVar[str] = "most different answers possible (Kooi 2005)"
    rule: ClassVar[str] = "most-parts"


@dataclass
class LexicographicSolver(OneStepSolver):
    """Minimax that goes on to the second largest part, the third, and so on."""

    name: ClassVar[str] = "lexicographic"
    summary: ClassVar[str] = "minimax on all parts, largest first (fancidev 2012)"
    rule: ClassVar[str] = "lexicographic"
