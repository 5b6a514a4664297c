"""The codemaker: keeps the secret, answers guesses, hands out oracles, counts every query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qmastermind.errors import UsageError
from qmastermind.game.code import Code
from qmastermind.game.feedback import Feedback, feedback
from qmastermind.game.rules import Rules

if TYPE_CHECKING:
    from qmastermind.encoding import Encoding
    from qmastermind.oracle.base import Meter
    from qmastermind.oracle.match import MatchOracle
    from qmastermind.oracle.pegs import BlackPegOracle, ColourPairOracle


@dataclass(frozen=True)
class QueryCounts:
    """What a codemaker has been asked.

    Attributes:
        classical: Guesses answered, and classical evaluations of an oracle.
        quantum: Uses of an oracle inside the circuits that were run, each circuit once.
        executions: The same, times the shots.
        models: ``quantum`` by oracle model: counts under different oracles do not compare.
    """

    classical: int = 0
    quantum: int = 0
    executions: int = 0
    models: dict[str, int] = field(default_factory=dict)


class Codemaker:
    """Keeps a secret.

    Args:
        secret: The secret, as :meth:`Rules.code` reads it.
        rules: The rules of the game.
    """

    __slots__ = ("_classical", "_executions", "_models", "_secret", "rules")

    def __init__(self, secret: Code | str | Sequence[int], rules: Rules | None = None) -> None:
        self.rules = rules or Rules()
        if not isinstance(self.rules, Rules):
            raise UsageError(f"expected rules, such as Rules.named('classic'), not {rules!r}")
        self._secret = self.rules.code(secret)
        self._classical = 0
        self._executions = 0
        self._models: Counter[str] = Counter()

    @property
    def queries(self) -> QueryCounts:
        """What has been asked so far."""
        return QueryCounts(
            self._classical, self._models.total(), self._executions, dict(self._models)
        )

    def answer(self, guess: Code | str | Sequence[int]) -> Feedback:
        """Scores a guess; one classical query.

        Raises:
            UsageError: If the rules do not allow the guess.
        """
        code = self.rules.code(guess)
        self._classical += 1
        return feedback(code, self._secret)

    # Oracles are imported when they are asked for: the classical game needs no circuits.

    def match_oracle(self, encoding: Encoding | None = None) -> MatchOracle:
        """An oracle that marks the secret among coded guesses (default: binary encoding)."""
        from qmastermind.encoding import Encoding
        from qmastermind.oracle.match import MatchOracle

        return MatchOracle(self._secret, encoding or Encoding(self.rules), self._meter("match"))

    def colour_pair_oracle(self, first: int | None, second: int) -> ColourPairOracle:
        """An oracle that counts black pegs on guesses of two colours, one bit a position.

        With None for ``first`` a 0 plays an empty hole, which matches nothing.
        """
        from qmastermind.oracle.pegs import ColourPairOracle

        meter = self._meter("colour pair")
        for colour in (first, second):
            if colour is not None:
                self.rules.check_colour(colour)
        return ColourPairOracle(self._secret, first, second, meter)

    def black_peg_oracle(
        self, encoding: Encoding | None = None, count_bits: int | None = None
    ) -> BlackPegOracle:
        """An oracle that counts the black pegs of coded guesses (default: binary encoding)."""
        from qmastermind.encoding import Encoding
        from qmastermind.oracle.pegs import BlackPegOracle

        meter = self._meter("black pegs")
        return BlackPegOracle(self._secret, encoding or Encoding(self.rules), count_bits, meter)

    def _meter(self, model: str) -> Meter:
        from qmastermind.circuit import Query
        from qmastermind.oracle.base import Meter

        return Meter(Query(model, self._record), self._probe)

    def _record(self, model: str, uses: int, shots: int) -> None:
        self._models[model] += uses
        self._executions += uses * shots

    def _probe(self) -> None:
        self._classical += 1

    def __repr__(self) -> str:
        return f"Codemaker({self.rules})"
