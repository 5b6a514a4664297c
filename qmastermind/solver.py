"""The protocol of a solver: it plays against a codemaker and sees nothing else."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, get_args, get_type_hints

from qmastermind.errors import UnsupportedError, UsageError
from qmastermind.game import Code, Codemaker, Feedback

_KINDS = {bool: "true or false", int: "a whole number", float: "a number"}


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
        for option in options:
            cls._check_name(option)
        return cls(**options)

    @classmethod
    def options(cls) -> tuple[str, ...]:
        """Names of the options."""
        return (
            tuple(f.name for f in dataclasses.fields(cls)) if dataclasses.is_dataclass(cls) else ()
        )

    @classmethod
    def read_option(cls, name: str, text: str) -> Any:
        """The value of an option from text, by the type of its field.

        Raises:
            UnsupportedError: If there is no option of that name.
            UsageError: If the text is no such value.
        """
        cls._check_name(name)
        hint = get_type_hints(cls)[name]
        kinds = get_args(hint) or (hint,)
        if bool in kinds and text.lower() in ("true", "false"):
            return text.lower() == "true"
        for kind in (int, float):
            if kind in kinds:
                with suppress(ValueError):
                    return kind(text)
        if any(kind is str or isinstance(kind, str) for kind in kinds):  # a Literal's are values
            return text
        wanted = " or ".join(_KINDS[kind] for kind in kinds if kind in _KINDS)
        raise UsageError(f"the option {name} of solver {cls.name!r} takes {wanted}, not {text!r}")

    @classmethod
    def _check_name(cls, option: str) -> None:
        known = cls.options()
        if option not in known:
            takes = ", ".join("--" + name.replace("_", "-") for name in known) or "none"
            raise UnsupportedError(
                f"solver {cls.name!r} has no option --{option.replace('_', '-')}; it takes: {takes}"
            )

    @abstractmethod
    def solve(self, codemaker: Codemaker) -> Solution:
        """Plays a whole game."""
