"""The best next guess of a live game: exact where the position is small enough, else by a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from qmastermind.errors import TooLargeError
from qmastermind.game import Code, Feedback, Rules
from qmastermind_classical.exact.engine import Engine
from qmastermind_classical.exact.errors import SetLimitError
from qmastermind_classical.exact.position import possible_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_RULE = "entropy"
DEFAULT_SETS = 5000
_WHOLE_GAME = 1500
"""Games of at most so many codes keep one engine for all positions; in larger ones, positions of at
most so many codes are tried."""
_LARGE_GAME = 65_536
_MAX_PAIRS = 1 << 26


@dataclass(frozen=True)
class Hint:
    """A guess.

    Attributes:
        guess: What to play.
        method: ``exact``, or the name of the rule.
        possible: How many codes are possible.
        could_be_secret: Whether the guess is one of them.
        expected: Guesses that are needed on average from here, if exact.
        examples: Some of the possible codes.
    """

    guess: Code
    method: str
    possible: int
    could_be_secret: bool
    expected: float | None
    examples: tuple[Code, ...] = ()


@dataclass
class Adviser:
    """Gives hints for one game; what it has proved serves later hints.

    Attributes:
        rules: The rules of the game.
        rule: Name of the one-step rule for positions that are too large.
        max_sets: An exact search may expand so many sets; in games of more than 65,536 codes
            fewer, in proportion.
        consistent: Whether to guess only codes that could be the secret.
    """

    rules: Rules
    rule: str = DEFAULT_RULE
    max_sets: int = DEFAULT_SETS
    consistent: bool = False
    _engine: Engine | None = field(default=None, repr=False)

    def hint(self, history: Sequence[tuple[Code, Feedback]] = ()) -> Hint:
        """The best next guess after some guesses and answers.

        Raises:
            ConflictError: If no code agrees with them; names the first row that leaves none.
            TooLargeError: If the codes are too many to enumerate.
            UnknownNameError: If the rule is unknown and needed.
        """
        possible = possible_codes(self.rules, history)
        guess, method, expected = self._exact(possible) or self._by_rule(possible)
        pegs = self.rules.code_array()
        inside = int(np.searchsorted(possible, guess))
        return Hint(
            self._code(pegs[guess]),
            method,
            len(possible),
            inside < len(possible) and int(possible[inside]) == guess,
            expected,
            tuple(self._code(pegs[code]) for code in possible[:10]),
        )

    def _code(self, pegs: NDArray[np.uint8]) -> Code:
        return Code(tuple(pegs.tolist()), self.rules.blank)

    def _exact(self, possible: NDArray[np.integer[Any]]) -> tuple[int, str, float | None] | None:
        limit = self.max_sets * _LARGE_GAME // max(_LARGE_GAME, self.rules.num_codes)
        pairs = len(possible) * self.rules.num_codes
        if len(possible) > _WHOLE_GAME or pairs > _MAX_PAIRS:
            return None
        try:
            best = self._engine_for(possible).solve(possible, set_limit=limit)
        except (SetLimitError, TooLargeError):
            return None
        assert best.cost is not None  # without a cap there always is one
        return best.guess, "exact", best.cost / len(possible)

    def _engine_for(self, possible: NDArray[np.integer[Any]]) -> Engine:
        if self.rules.num_codes <= _WHOLE_GAME:
            if self._engine is None:
                self._engine = Engine(self.rules, consistent=self.consistent)
            return self._engine
        return Engine(self.rules, possible, consistent=self.consistent)

    def _by_rule(self, possible: NDArray[np.integer[Any]]) -> tuple[int, str, float | None]:
        from qmastermind_classical.scores import get_score_rule
        from qmastermind_classical.strategy import Strategy

        strategy = Strategy(self.rules, get_score_rule(self.rule), self.consistent)
        return strategy.choose(possible.astype(np.int64)).guess, self.rule, None
