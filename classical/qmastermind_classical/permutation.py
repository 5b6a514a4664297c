"""Black-peg Mastermind without repeats (AB game, permutation game), in O(n log n) queries.

The codebreaker of El Ouali, Glazik, Sauerland and Srivastav, "On the Query Complexity of
Black-Peg AB-Mastermind", Games 9(1), 2 (2018). Only the number of black pegs is used.

Phase 1 asks cyclic shifts of ``1 2 ... k``. Together the ``k`` shifts put every colour once at
every position, so their black pegs sum to ``n`` and the last answer is known unasked. Phase 2
takes a shift with hits whose successor has none, and finds a hit in it by binary search: a guess
that begins as the one and ends as the other has black pegs only from its beginning.

Positions and colours are 0-based here. ``L`` stands for ``ceil(log2 n)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from qmastermind.errors import ConflictError, UnsupportedError
from qmastermind.game import Code, Codemaker, Feedback
from qmastermind.solver import Solution, Solver

if TYPE_CHECKING:
    from numpy.typing import NDArray

Ask: TypeAlias = Callable[["NDArray[np.int64]"], int]
"""Answers a guess, an array of ``n`` different colours, with its number of black pegs."""

_OPEN = -1


def query_bound(positions: int, colours: int) -> float:
    """The published bound on the number of queries, the winning one included.

    ``(n-3) ceil(log2 n) + 5n/2 - 1`` for as many colours as positions, stated for n > 3, and
    ``(n-2) ceil(log2 n) + k + 1`` for k > n colours. The ceilings belong to it: without them it
    fails at n = 12.
    """
    log = (positions - 1).bit_length()
    if colours == positions:
        return (positions - 3) * log + 2.5 * positions - 1
    return (positions - 2) * log + colours + 1


@dataclass
class PermutationSolver(Solver):
    """Black-peg codebreaker for games without repeats, in n log n queries."""

    name: ClassVar[str] = "permutation"
    summary: ClassVar[str] = "black pegs only, codes without repeats, O(n log n) queries"

    def solve(self, codemaker: Codemaker) -> Solution:
        """Plays a game; of each feedback it uses the black pegs only.

        Raises:
            UnsupportedError: If the rules allow repeats.
        """
        rules = codemaker.rules
        if rules.repeats:
            raise UnsupportedError(
                f"the permutation solver plays games without repeats, not {rules}; add "
                "--no-repeats, or take another solver, such as genetic or human"
            )
        guesses: list[tuple[Code, Feedback]] = []

        def ask(guess: NDArray[np.int64]) -> int:
            code = Code(tuple(guess.tolist()), rules.blank)
            answer = codemaker.answer(code)
            guesses.append((code, answer))
            return answer.black

        secret = find_permutation(ask, rules.positions, rules.colours)
        details: dict[str, Any] = {"query_bound": query_bound(rules.positions, rules.colours)}
        return Solution(Code(secret, rules.blank), True, tuple(guesses), details)


def find_permutation(ask: Ask, positions: int, colours: int) -> tuple[int, ...]:
    """Finds a secret of different colours and asks it.

    No query is asked twice. The last one asked is the secret.

    Args:
        ask: The codemaker; it is handed arrays of shape ``(positions,)``.
        positions: Number of positions.
        colours: Number of colours, at least as many.

    Raises:
        ConflictError: If the answers fit no secret.
    """
    try:
        _Search(ask, positions, colours).run()
    except _Cracked as found:
        return found.code
    raise _conflict()


def _conflict() -> ConflictError:
    return ConflictError("no code without repeats fits these numbers of black pegs")


class _Cracked(Exception):  # noqa: N818  (the way out of the search, no error)
    def __init__(self, code: tuple[int, ...]) -> None:
        self.code = code


class _Search:
    """The state of a game.

    Attributes:
        solution: Colours found so far, ``_OPEN`` where none is.
        hits: For each shift, how many of its pegs are right at open positions.
    """

    def __init__(self, ask: Ask, positions: int, colours: int) -> None:
        self.ask = ask
        self.n = positions
        self.k = colours
        self.solution = np.full(positions, _OPEN, dtype=np.int64)
        self.hits = np.zeros(colours, dtype=np.int64)
        self.answered: dict[bytes, int] = {}

    def shift(self, j: int) -> NDArray[np.int64]:
        """The shift ``j``: ``0 1 2 ...`` moved right ``j`` times around the ``k`` colours."""
        return (np.arange(self.n) - j) % self.k

    def black(self, *pieces: NDArray[np.int64] | Sequence[int]) -> int:
        """Black pegs of the guess made of ``pieces``, asked once only."""
        guess = np.concatenate([np.asarray(piece, dtype=np.int64) for piece in pieces])
        key = guess.tobytes()
        if key not in self.answered:
            answer = self.ask(guess)
            if answer == self.n:
                raise _Cracked(tuple(guess.tolist()))
            self.answered[key] = answer
        return self.answered[key]

    def open_black(self, *pieces: NDArray[np.int64] | Sequence[int]) -> int:
        """The same less the pegs at positions already found."""
        guess = np.concatenate([np.asarray(piece, dtype=np.int64) for piece in pieces])
        return self.black(guess) - int(np.count_nonzero(guess == self.solution))

    def run(self) -> None:
        for j in range(self.k - 1):
            self.hits[j] = self.black(self.shift(j))
        self.hits[-1] = self.n - self.hits.sum()
        while np.count_nonzero(self.solution == _OPEN) > 2:
            j, m = self._find()
            if self.solution[m] != _OPEN:
                raise _conflict()
            self.solution[m] = self.shift(j)[m]
            self.hits[j] -= 1
        self._finish()

    def _find(self) -> tuple[int, int]:
        """A shift and the position of one of its open hits."""
        j = self._active()
        first = bool(np.all(self.solution == _OPEN))
        if j is None:
            if self.k > self.n or not first:
                raise _conflict()
            return 0, self._find_all_ones()
        if self.k > self.n:
            return j, self._find_wide(j)
        return j, self._find_first(j) if first else self._find_next(j)

    def _active(self) -> int | None:
        """A shift with open hits whose successor has none, or None if every shift has one hit."""
        active = (self.hits > 0) & (np.roll(self.hits, -1) == 0)
        return int(np.argmax(active)) if active.any() else None

    def _find_wide(self, j: int) -> int:
        """The rightmost open hit of shift ``j`` for k > n; at most L queries.

        The first colour of the next shift is then none of shift j's: no guess repeats a colour.
        """
        this, following = self.shift(j), self.shift((j + 1) % self.k)
        low, high = 0, self.n - 1
        while low < high:
            middle = (low + high) // 2
            if self.open_black(following[: middle + 1], this[middle + 1 :]) > 0:
                low = middle + 1
            else:
                high = middle
        return low

    def _find_all_ones(self) -> int:
        """The hit of shift 0 when every shift has one; at most ``ceil(n/2)`` queries.

        Swapping two pegs loses the only hit exactly if it was one of the two.
        """
        row = self.shift(0)
        pairs = [(a, a + 1) for a in range(0, self.n - 1, 2)]
        last = (self.n - 1, self.n - 1) if self.n % 2 else pairs.pop()
        for a, b in pairs:
            if self.black(_swapped(row, a, b)) == 0:
                break
        else:
            a, b = last
        if a == b:
            return a
        outside = next(i for i in range(self.n) if i not in (a, b))
        return a if self.black(_swapped(row, a, outside)) == 0 else b

    def _find_first(self, j: int) -> int:
        """The leftmost hit of shift ``j`` when nothing is known; at most 2 L queries.

        The first colour of the next shift, the pivot, stands between the two parts of a guess
        and may be a hit itself. A single hit is told from that by moving the pivot away.
        """
        this, following = self.shift(j), self.shift((j + 1) % self.k)
        low, high = 0, self.n - 1
        while low < high:
            middle = (low + high + 1) // 2
            guess = np.concatenate([this[:middle], following[:1], following[middle + 1 :]])
            hits = self.black(guess)
            if hits == 1:  # in the last column: position 0 is wrong, or it had been found
                hits = self.black(_swapped(guess, middle, (middle + 1) % self.n))
            if hits > 0:
                high = middle - 1
            else:
                low = middle
        return low

    def _find_next(self, j: int) -> int:
        """The leftmost open hit of shift ``j`` on one side of a pivot; at most 1 + L queries.

        The pivot is a colour already found, so it is no open hit wherever it stands.
        """
        n = self.n
        this, following = self.shift(j), self.shift((j + 1) % self.k)
        found = self.solution[self.solution != _OPEN]
        places = (found + j) % n  # where shift j has those colours
        nearest = int(np.argmin(np.abs(2 * places - (n - 1))))
        pivot, p = found[nearest : nearest + 1], int(places[nearest])
        if p in (0, n - 1):
            left = p == n - 1
        else:
            left = self.open_black(pivot, this[:p], this[p + 1 :]) == 0
        low, high = (0, max(0, p - 1)) if left else (p + 1, n - 1)
        while low < high:
            middle = (low + high + 1) // 2
            if left:
                hits = self.open_black(
                    this[:middle], pivot, following[middle + 1 : p + 1], this[p + 1 :]
                )
            else:
                hits = self.open_black(
                    following[: p + 1], this[p + 1 : middle], pivot, following[middle + 1 :]
                )
            if hits > 0:
                high = middle - 1
            else:
                low = middle
        return low

    def _finish(self) -> None:
        """Asks the candidates when at most two positions are open: there are at most two."""
        where = np.flatnonzero(self.solution == _OPEN)
        if self.hits.min() < 0 or self.hits.sum() != len(where):
            raise _conflict()
        rows = np.repeat(np.arange(self.k), self.hits)
        for order in (rows, rows[::-1]):
            code = self.solution.copy()
            code[where] = [self.shift(int(j))[m] for j, m in zip(order, where, strict=True)]
            if len(set(code.tolist())) == self.n:
                self.black(code)


def _swapped(row: NDArray[np.int64], a: int, b: int) -> NDArray[np.int64]:
    result = row.copy()
    result[[a, b]] = row[[b, a]]
    return result
