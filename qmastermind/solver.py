"""The protocol of a solver: it plays against a codemaker and sees nothing else."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from qmastermind.errors import UnsupportedError
from qmastermind.game import Code, Codemaker, Feedback


@dataclass(frozen=True)
class Solution:
    """How a game ended.

    Attributes:
        code: The code that the solver holds to be the secret, or None.
        verified: Whether the codemaker has answered it with all black pegs.
        guesses: Every classical guess with its feedback, in order.
        details: What else the solver has to say, JSON-ready; names as in the documentation.
    """

    code: Code | None
    verified: bool
    guesses: tuple[tuple[Code, Feedback], ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


class Solver(ABC):
    """A codebreaker. Subclasses are dataclasses whose fields are their options."""

    name: ClassVar[str]
    summary: ClassVar[str]

    @classmethod
    def create(cls, **options: Any) -> Self:
        """Makes a solver.

        Raises:
            UnsupportedError: If it has no option of that name.
        """
        known = cls.options()
        for option in options:
            if option not in known:
                takes = ", ".join("--" + name.replace("_", "-") for name in known) or "none"
                raise UnsupportedError(
                    f"solver {cls.name!r} has no option --{option.replace('_', '-')}; "
                    f"it takes: {takes}"
                )
        return cls(**options)

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """Names of the options."""
        return (
            tuple(f.name for f in dataclasses.fields(cls)) if dataclasses.is_dataclass(cls) else ()
        )

    @abstractmethod
    def solve(self, codemaker: Codemaker) -> Solution:
        """Plays a whole game."""
