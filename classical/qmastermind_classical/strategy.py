"""One-step strategies: which guess a rule plays when some codes are still possible.

The convention, on which every published number depends: every code of the game is a candidate
(or, with ``consistent``, every code still possible); the rule's best score wins; ties go to a code
that could itself be the secret, then to the lexically first. When one code is possible it is
played. There is no special opening and no special case for two codes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from qmastermind.errors import TooLargeError
from qmastermind.game import Code, Rules
from qmastermind_classical.kernels import encode, feedback_codes, histograms
from qmastermind_classical.scores import ScoreRule

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CODES = 5_000_000
"""The largest game that is enumerated. A guess may score each pair of its codes."""

_CHUNK = 1 << 22  # part sizes held at once, 4 bytes each


@dataclass(frozen=True)
class Choice:
    """What a strategy plays, and what it might have played.

    Attributes:
        guess: Lexical index of the guess.
        ties: How many candidates reach the best score, this one among them.
        best_parts: Part sizes of the best candidates, ``(rows, answers)``, up to renaming of
            colours never played; no rows for a rule that scores nothing.
    """

    guess: int
    ties: int
    best_parts: NDArray[np.int32]

    @property
    def different_cuts(self) -> bool:
        """Whether the tied candidates cut the codes into different part sizes."""
        ordered = np.sort(self.best_parts, axis=1)
        return bool((ordered != ordered[:1]).any())


class Strategy:
    """A rule with its candidates, on the codes of one game.

    Sets of codes are increasing arrays of lexical indices, dtype int64.

    Args:
        rules: The rules of the game.
        rule: How cuts are scored.
        consistent: Whether only codes still possible are candidates.

    Raises:
        TooLargeError: If the game has more than :data:`MAX_CODES` codes.
    """

    def __init__(self, rules: Rules, rule: ScoreRule, consistent: bool = False) -> None:
        if rules.num_codes > MAX_CODES:
            able = "human, genetic" if rules.repeats else "human, genetic, permutation"
            raise TooLargeError(
                f"the rule {rule.name!r} looks at every code, and there are {rules.num_codes:,} "
                f"({rules}), more than {MAX_CODES:,}; solvers that list no codes: {able}"
            )
        self.rules = rules
        self.rule = rule
        self.consistent = consistent
        self.pegs = rules.code_array()
        self.codes = encode(self.pegs, rules)
        self._columns = len(rules.feedbacks())
        self._mark = np.zeros(len(self.codes), dtype=np.bool_)

    def everything(self) -> NDArray[np.int64]:
        """All codes."""
        return np.arange(len(self.codes))

    def code(self, index: int) -> Code:
        """The code of a lexical index."""
        return Code(tuple(self.pegs[index].tolist()), self.rules.blank)

    def index(self, code: Code) -> int:
        """The lexical index of a code."""
        row = np.array(code, dtype=np.uint8)
        low, high = 0, len(self.pegs)
        for position, peg in enumerate(row):
            column = self.pegs[low:high, position]
            low, high = (
                low + int(np.searchsorted(column, peg, "left")),
                low + int(np.searchsorted(column, peg, "right")),
            )
        return low

    def answers(self, guess: int, possible: NDArray[np.int64]) -> NDArray[np.uint16]:
        """Answer index of a guess against each of some codes."""
        found: NDArray[np.uint16] = feedback_codes(self.codes[guess], self.codes[possible])[0]
        return found

    def choose(self, possible: NDArray[np.int64], unplayed: Iterable[int] = ()) -> Choice:
        """The guess that the strategy plays.

        Args:
            possible: The codes still possible, at least one.
            unplayed: Colours that no guess has contained. Renaming them among each other maps
                ``possible`` to itself, if it follows from guesses, so that only one of the
                candidates that differ by such a renaming is scored: the lexically first. The
                choice and the number of ties are those of all candidates.
        """
        if len(possible) == 1 or self.rule.best is None:
            return Choice(int(possible[0]), 1, np.empty((0, 0), dtype=np.int32))
        candidates = possible if self.consistent else self.everything()
        candidates, weights = self._without_renamings(candidates, sorted(unplayed))
        codes = self.codes[possible]
        rows = np.empty(0, dtype=np.int64)
        parts = np.empty((0, self._columns), dtype=np.int32)
        step = max(1, _CHUNK // self._columns)
        for start in range(0, len(candidates), step):
            chunk = slice(start, start + step)
            every = len(candidates) == len(self.codes)  # then no copy is needed
            new = histograms(self.codes[chunk if every else candidates[chunk]], codes)
            best = self.rule.best(new)
            if not start:
                rows, parts = best, new[best]
                continue
            rows = np.concatenate([rows, best + start])
            parts = np.concatenate([parts, new[best]])
            best = self.rule.best(parts)
            rows, parts = rows[best], parts[best]
        tied = candidates[rows]
        self._mark[possible] = True
        inside = self._mark[tied]
        self._mark[possible] = False
        guess = tied[np.argmax(inside)]  # the first inside, or else the first
        return Choice(int(guess), int(weights[rows].sum()), parts)

    def _without_renamings(
        self, candidates: NDArray[np.int64], unplayed: list[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The candidates whose unplayed colours appear in order, and how many each stands for."""
        if len(unplayed) < 2:
            return candidates, np.ones(len(candidates), dtype=np.int64)
        rank = np.full(self.rules.colours, -1)
        rank[unplayed] = np.arange(len(unplayed))
        used = np.full(len(candidates), -1)
        in_order = np.ones(len(candidates), dtype=bool)
        for position in range(self.rules.positions):
            here = rank[self.pegs[candidates, position]]
            in_order &= here <= used + 1
            np.maximum(used, here, out=used)
        orbit = np.array([math.perm(len(unplayed), k) for k in range(self.rules.positions + 1)])
        return candidates[in_order], orbit[used[in_order] + 1]
