"""What the exact search is asked and what it answers: methods, effort, results, limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from qmastermind.errors import TooLargeError
from qmastermind.game import Rules

MAX_PAIRS = 1 << 30
MAX_CODES = (1 << 16) - 1  # part sizes are kept in 16 bits
MAX_ANSWERS = 64


@dataclass(frozen=True)
class Method:
    """How a search goes about it. Every method proves the same costs.

    Attributes:
        relabel: Whether the memo knows sets up to relabelling.
        exchange: Whether one is tried of the guesses that an exchange of two colours or two
            positions of the set maps to each other, or all of them.
        sieve: Sets of at most this size are scanned for the number of parts of each guess first,
            larger ones for all part sizes at once.
        tight_above: Parts larger than this are first searched with their lower bound as budget.
            None stands for 0, or for 50 in games of at most 2,000 codes, where the second scan of
            a part is not worth it.
        large_first: Whether the larger parts of a cut are searched first.
        salt: Enters the keys of the memo.
    """

    relabel: bool = True
    exchange: bool = True
    sieve: int = 32
    tight_above: int | None = None
    large_first: bool = False
    salt: int = 0


METHODS = {
    "main": Method(),
    "cross": Method(exchange=False, sieve=0, tight_above=0, large_first=True, salt=1 << 40),
    "plain-keys": Method(relabel=False, salt=1 << 41),
}
"""``main`` is the fastest. ``cross`` goes in another order and does without symmetry among guesses,
``plain-keys`` without symmetry among sets: two ways to check it."""


@dataclass(frozen=True)
class Effort:
    """What an engine has done so far.

    Attributes:
        expanded: Sets for which every guess was scored; one that is entered again counts again.
        settled: Sets that the small-set rule settled, scoring no guess but their own codes.
        cuts: Guesses whose parts were looked at one by one.
        known: Sets in the memo.
        seconds: CPU time of the search.
    """

    expanded: int = 0
    settled: int = 0
    cuts: int = 0
    known: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Best:
    """The answer for one set.

    Attributes:
        cost: The least number of guesses over all codes of the set, or None if they cannot all be
            found within the guesses left.
        guess: Lexical index of a first guess that attains it, -1 if there is none.
    """

    cost: int | None
    guess: int


Watcher: TypeAlias = Callable[[Effort, int | None, int], None]
"""Called some times a second with the effort, the best cost so far and the guesses left to try."""


def check_size(rules: Rules, rows: int | None = None) -> None:
    """Checks that sets out of ``rows`` codes can be solved exactly; default: all codes.

    Raises:
        TooLargeError: If not.
    """
    rows = rules.num_codes if rows is None else rows
    answers = len(rules.feedbacks())
    if rows * rules.num_codes > MAX_PAIRS or rows > MAX_CODES or answers > MAX_ANSWERS:
        raise TooLargeError(
            f"exact play needs the answers of {rows:,} codes to {rules.num_codes:,} guesses, "
            f"{answers} different ones, for {rules}; it handles {MAX_PAIRS:,} pairs, "
            f"{MAX_CODES:,} codes and {MAX_ANSWERS} answers. Solvers without that limit: genetic, "
            "human; and up to 5,000,000 codes entropy, expected-size, minimax, most-parts, simple"
        )
