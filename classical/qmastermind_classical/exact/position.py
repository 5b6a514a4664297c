"""Positions: what guesses and answers leave possible."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from qmastermind.errors import ConflictError, TooLargeError, UsageError
from qmastermind.game import Code, Feedback, Rules
from qmastermind_classical.kernels import (
    CodeWords,
    answer_index,
    encode,
    encode_all,
    feedback_codes,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CODES = 5_000_000
"""The largest game whose codes are listed."""

History: TypeAlias = tuple[tuple[Code, Feedback], ...]


def read_history(text: str, rules: Rules) -> History:
    """Reads rows such as ``1122:1,1 1344:0,2``: a guess, a colon, black and white.

    Rows are separated by blanks or semicolons; codes are written as :meth:`Rules.code` reads them,
    without blanks.

    Raises:
        UsageError: For a row that cannot be read, or whose answer cannot occur. Names the row.
    """
    rows = []
    for number, row in enumerate(text.replace(";", " ").split(), start=1):
        guess, colon, answer = row.rpartition(":")
        if not colon:
            raise UsageError(
                f"row {number} of the history, {row!r}, has no colon; write a guess and its "
                "answer, black then white, as in 1122:1,1"
            )
        try:
            rows.append((rules.code(guess), rules.check_feedback(Feedback.parse(answer))))
        except UsageError as error:
            raise UsageError(f"row {number} of the history, {row!r}: {error}") from error
    return tuple(rows)


def possible_codes(
    rules: Rules, history: Sequence[tuple[Code, Feedback]]
) -> NDArray[np.integer[Any]]:
    """Lexical indices of the codes that agree with every answer, in increasing order.

    Raises:
        ConflictError: If there is none. Names the first row that leaves none.
        TooLargeError: If the game has more than :data:`MAX_CODES` codes.
    """
    if rules.num_codes > MAX_CODES:
        raise TooLargeError(
            f"{rules} has {rules.num_codes:,} codes, too many to list (at most {MAX_CODES:,}); "
            "solvers that list no codes: genetic, human"
        )
    possible: NDArray[np.integer[Any]] = np.arange(rules.num_codes)
    if not history:
        return possible
    words = _words(rules)
    for number, (guess, answer) in enumerate(history, start=1):
        wanted = answer_index(*answer, rules)
        left = possible[feedback_codes(encode(guess, rules), words[possible])[0] == wanted]
        if len(left) == 0:
            before = f"the {number - 1} before it" if number > 2 else "the one before it"
            fits = f"{len(possible):,} codes agree with {before}" if number > 1 else "alone"
            raise ConflictError(
                f"no code agrees with row {number}, {rules.format(guess, 'digits')} answered "
                f"{answer} ({fits}); check that row and those before it"
            )
        possible = left
    return possible


@lru_cache(maxsize=1)
def _words(rules: Rules) -> CodeWords:
    return encode_all(rules)
