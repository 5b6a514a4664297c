"""The genetic codebreaker of Berghman, Goossens and Leus, for games far past enumeration.

L. Berghman, D. Goossens, R. Leus, "Efficient solutions for Mastermind using genetic algorithms",
Computers & Operations Research 36(6), 1880-1885 (2009). Each guess is *eligible*: it fits every
answer so far. An evolving population comes upon eligible codes, and the one is played that
promises most if the secret is among those found.

Points that the paper leaves open, or that have been read in different ways, decided here:

* **Direction of the fitness.** The paper's fitness is small for good codes, 0 for an eligible one.
  Parents are drawn in proportion to ``1 / (1 + fitness)``, not to the fitness itself.
* **No eligible code found.** A fresh population is tried, up to ``restarts`` times; then a
  depth-first search over positions, which finds one if there is one, up to ``search_limit`` pegs
  tried; then, and only then, the code of smallest fitness met so far that has not been played.
* **Choice among eligible codes.** The paper's is the smallest expected number of those found that
  is left (``choice="expected-size"``). The default looks one guess further (``"lookahead"``, see
  :func:`._evolution_jit.pick`): as fast, and about 0.04 guesses better. Ties by lot.
* **Duplicates.** A child equal to another of its generation is replaced by a random code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from qmastermind.errors import ConflictError, UnknownNameError, UsageError
from qmastermind.game import Code, Codemaker, Feedback, Rules
from qmastermind.solver import Solution, Solver

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHOICES = ("lookahead", "expected-size")
"""How an eligible code is chosen."""


@dataclass
class GeneticSolver(Solver):
    """Evolves codes that fit all answers; any size of game.

    The same seed gives the same game against the same secret.

    Attributes:
        seed: Of the random numbers; None takes a fresh one.
        opening: The first guess; None takes :func:`default_opening`.
        population: Codes in a generation.
        generations: Generations of a population at most.
        eligible: Eligible codes collected at most.
        choice: How one of them is chosen: ``lookahead`` or ``expected-size``.
        restarts: Further populations tried while no eligible code is found.
        search_limit: Pegs that the depth-first search then tries at most.
    """

    seed: int | None = None
    opening: Code | str | Sequence[int] | None = None
    population: int = 150
    generations: int = 100
    eligible: int = 60
    choice: str = "lookahead"
    restarts: int = 10
    search_limit: int = 20_000_000

    name: ClassVar[str] = "genetic"
    summary: ClassVar[str] = "evolves codes that fit all answers, any size (Berghman et al. 2009)"

    def __post_init__(self) -> None:
        least = {"population": 2, "generations": 1, "eligible": 1, "restarts": 0, "search_limit": 0}
        for option, low in least.items():
            if getattr(self, option) < low:
                raise UsageError(f"{option} must be at least {low}, not {getattr(self, option)}")
        if self.choice not in CHOICES:
            raise UnknownNameError("choice among eligible codes", self.choice, CHOICES)

    def solve(self, codemaker: Codemaker) -> Solution:
        """Plays a game.

        Raises:
            UsageError: If the opening is no code of the game.
            ConflictError: If no code fits the answers.
        """
        rules = codemaker.rules
        code = default_opening(rules) if self.opening is None else rules.code(self.opening)
        draws = np.random.default_rng(self.seed).integers(1 << 63, size=1, dtype=np.uint64)
        guesses: list[tuple[Code, Feedback]] = []
        sizes: list[int] = []
        means: list[str] = []
        while True:
            answer = codemaker.answer(code)
            guesses.append((code, answer))
            if answer.black == rules.positions:
                details = {"eligible_found": sizes, "found_by": means}
                return Solution(code, True, tuple(guesses), details)
            code, size, how = self._next(rules, guesses, draws)
            sizes.append(size)
            means.append(how)

    def _next(
        self,
        rules: Rules,
        guesses: list[tuple[Code, Feedback]],
        state: NDArray[np.uint64],
    ) -> tuple[Code, int, str]:
        """The next guess, how many eligible codes were found, and by what."""
        from qmastermind_classical import _evolution_jit as jit

        rows = np.array([guess for guess, _ in guesses], dtype=np.int32)
        answers = np.array([answer for _, answer in guesses], dtype=np.int64)
        game = (state, rules.colours, rules.repeats, rows, answers)
        eligible = np.zeros((self.eligible, rules.positions), dtype=np.int32)
        nearest = eligible[0].copy()
        least = np.array([np.iinfo(np.int64).max])
        for attempt in range(self.restarts + 1):
            found = jit.evolve(*game, self.population, self.generations, eligible, nearest, least)
            if found:
                ahead = self.choice == "lookahead"
                chosen = eligible[jit.pick(eligible, found, rules.colours, ahead, state)]
                return _code(chosen, rules), found, "restart" if attempt else "evolution"
        code = np.zeros(rules.positions, dtype=np.int32)
        outcome = jit.search(*game, self.search_limit, code)
        if outcome == 0:
            raise ConflictError(f"no code fits the answers to the {len(guesses)} rows")
        if outcome == 1:
            return _code(code, rules), 1, "search"
        return _code(nearest, rules), 0, "nearest"


def default_opening(rules: Rules) -> Code:
    """Pairs of colours, then one or two single ones: 1123, 11223, 112234, 11223345.

    Without repeats, the lexically first code. With too few colours, all of them evenly.
    """
    n = rules.positions
    if not rules.repeats:
        return Code(tuple(range(n)), rules.blank)
    pairs = (n - 1) // 2
    pegs = [i // 2 if i < 2 * pairs else i - pairs for i in range(n)]
    if max(pegs) >= rules.colours:
        pegs = [i * rules.colours // n for i in range(n)]
    return rules.code(pegs)


def _code(pegs: NDArray[np.int32], rules: Rules) -> Code:
    return Code(tuple(pegs.tolist()), rules.blank)
