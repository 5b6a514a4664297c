"""Errors of the exact solver and its files.

QmastermindError
├── SetLimitError       the search was allowed too few sets; exit code 1
├── ImpossibleError     no strategy stays within the guesses allowed; exit code 1
├── TreeError           a strategy tree that is not what it says; exit code 1
├── FileFormatError     a file that is damaged, or of another kind or version; exit code 1
└── DisagreementError   a result that contradicts another; exit code 1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qmastermind.errors import QmastermindError

if TYPE_CHECKING:
    from qmastermind_classical.exact.method import Effort


class SetLimitError(QmastermindError):
    """The search would have to expand more sets than it was allowed."""


class ImpossibleError(QmastermindError):
    """It is proved that no strategy finds every code within the guesses allowed.

    Args:
        message: What is proved.
        effort: What the proof took.
    """

    def __init__(self, message: str, effort: Effort | None = None) -> None:
        self.effort = effort
        super().__init__(message)


class TreeError(QmastermindError):
    """A strategy tree that is not what it says; the message names the first wrong node."""


class FileFormatError(QmastermindError):
    """A file that is damaged, or of another kind or version."""


class DisagreementError(QmastermindError):
    """A result that contradicts a published one, or one that was found in another way."""
