"""Plays a one-step strategy against every secret at once: a walk over its decision tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qmastermind.game import Code, Rules
from qmastermind_classical.scores import ScoreRule
from qmastermind_classical.strategy import Strategy


@dataclass(frozen=True)
class Replay:
    """What a strategy does over all secrets of a game.

    Attributes:
        rules: The rules.
        rule: The rule of the strategy.
        consistent: Whether it guesses only codes still possible.
        opening: Its first guess.
        forced: Whether that was prescribed.
        distribution: How many secrets are found at guess 1, 2, 3, ...
        decisions: How many sets of two or more codes it meets.
        tied: At how many of them the rule had more than one best guess; None for a rule that
            scores nothing. A prescribed opening is no choice and not counted here.
        tied_across_cuts: At how many of those the best guesses leave different part sizes.
    """

    rules: Rules
    rule: ScoreRule
    consistent: bool
    opening: Code
    forced: bool
    distribution: tuple[int, ...]
    decisions: int
    tied: int | None
    tied_across_cuts: int | None

    @property
    def total(self) -> int:
        """Guesses over all secrets, the winning ones included."""
        return sum(depth * n for depth, n in enumerate(self.distribution, 1))

    @property
    def secrets(self) -> int:
        """Number of secrets."""
        return sum(self.distribution)

    @property
    def mean(self) -> float:
        """Guesses on average."""
        return self.total / self.secrets

    @property
    def max(self) -> int:
        """Guesses in the worst case: the depth of the tree."""
        return len(self.distribution)

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON-ready values."""
        return {
            "strategy": self.rule.name,
            "source": self.rule.source,
            "rules": self.rules.as_dict(),
            "consistent": self.consistent,
            "opening": str(self.opening),
            "forced_opening": self.forced,
            "secrets": self.secrets,
            "total": self.total,
            "mean": self.mean,
            "max": self.max,
            "distribution": list(self.distribution),
            "decisions": self.decisions,
            "ties": self.tied,
            "ties_across_cuts": self.tied_across_cuts,
        }


def replay(
    rules: Rules,
    rule: ScoreRule,
    consistent: bool = False,
    opening: Code | str | Sequence[int] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Replay:
    """Walks the whole decision tree of a strategy.

    Args:
        rules: The rules.
        rule: The rule.
        consistent: Whether only codes still possible are guessed.
        opening: The first guess, if the rule is not to choose it.
        progress: Called with the number of secrets found since the last call.

    Raises:
        TooLargeError: If the game has too many codes.
        UsageError: If the opening is no code of the game.
    """
    prescribed = None if opening is None else rules.code(opening)
    strategy = Strategy(rules, rule, consistent)
    win = len(rules.feedbacks()) - 1
    found: list[int] = []
    decisions = tied = across = 0
    first = -1
    everything = strategy.everything()
    pending = [(everything, frozenset(range(rules.colours)), 0)]
    while pending:
        possible, unplayed, depth = pending.pop()
        if prescribed is not None and depth == 0:
            guess = strategy.index(prescribed)
        else:
            choice = strategy.choose(possible, unplayed)
            guess = choice.guess
            if choice.ties > 1:
                tied += 1
                across += choice.different_cuts
        decisions += len(possible) > 1
        first = guess if depth == 0 else first
        answers = strategy.answers(guess, possible)
        order = np.argsort(answers, kind="stable")
        sizes = np.bincount(answers)
        left = unplayed - set(strategy.code(guess))
        found += [0] * (depth + 2 - len(found))
        singles = int(np.count_nonzero(sizes[:win] == 1))  # found with the next guess
        found[depth + 1] += singles
        won = win < len(sizes)
        found[depth] += won
        if progress is not None:
            progress(singles + won)
        ends = np.cumsum(sizes)
        for answer in np.flatnonzero(sizes[:win] > 1):
            part = order[ends[answer] - sizes[answer] : ends[answer]]
            pending.append((possible[part], left, depth + 1))
    while not found[-1]:
        found.pop()
    scored = rule.best is not None
    return Replay(
        rules=rules,
        rule=rule,
        consistent=consistent,
        opening=strategy.code(first),
        forced=prescribed is not None,
        distribution=tuple(found),
        decisions=decisions,
        tied=tied if scored else None,
        tied_across_cuts=across if scored else None,
    )
