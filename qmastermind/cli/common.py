"""What commands share: options, consoles, JSON output, reading rules and secrets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from qmastermind.errors import UsageError
from qmastermind.files import replacing
from qmastermind.game import RULE_SETS, Code, Rules

if TYPE_CHECKING:
    from rich.console import Console

JsonFlag = Annotated[
    bool, typer.Option("--json", help="Print one JSON object and nothing else on stdout.")
]
SeedOption = Annotated[int | None, typer.Option("--seed", min=0, help="Makes a run repeat.")]
BackendOption = Annotated[
    str, typer.Option("--backend", help="Backend name; see `qmastermind backends`.")
]
RulesOption = Annotated[
    str | None, typer.Option("--rules", help=f"Named rules: {', '.join(RULE_SETS)}.")
]
PositionsOption = Annotated[int | None, typer.Option("--positions", help="Pegs in a code.")]
ColoursOption = Annotated[int | None, typer.Option("--colours", help="Different pegs.")]
NoRepeatsFlag = Annotated[bool, typer.Option("--no-repeats", help="No colour twice in a code.")]
BlanksFlag = Annotated[bool, typer.Option("--blanks", help="The last colour is the blank.")]


def console() -> Console:
    """The console for people, on stdout."""
    from rich.console import Console

    return Console(highlight=False)


def err_console() -> Console:
    """The console for errors and progress, on stderr."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_json(payload: Mapping[str, Any]) -> None:
    """Prints one JSON object on stdout."""
    typer.echo(json.dumps(payload, default=_plain, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)


def read_rules(
    rules: str | None,
    positions: int | None = None,
    colours: int | None = None,
    no_repeats: bool = False,
    blanks: bool = False,
) -> Rules:
    """The rules from ``--rules`` or from ``--positions`` and its companions, default classic.

    Raises:
        UsageError: If both ways are mixed, or the numbers make no game.
    """
    shaped = positions is not None or colours is not None or no_repeats or blanks
    if rules is not None:
        if shaped:
            raise UsageError("give either --rules NAME or --positions and --colours, not both")
        return Rules.named(rules)
    classic = Rules()
    return Rules(
        classic.positions if positions is None else positions,
        classic.colours if colours is None else colours,
        repeats=not no_repeats,
        blanks=blanks,
    )


def number_of(count: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is 1."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def choose_secret(secret: str, rules: Rules, seed: int | None) -> Code:
    """The code named by ``--secret``; ``random`` draws one with the seed."""
    if secret.lower() == "random":
        return rules.random_code(np.random.default_rng(seed))
    return rules.code(secret)


def write_file(path: Path, content: str | bytes, what: str) -> bool:
    """Writes a file; on failure says so on stderr and returns False, so that nothing is lost."""
    try:
        with replacing(path, "wb" if isinstance(content, bytes) else "w") as file:
            file.write(content)
    except OSError as error:
        report_unwritable(path, what, error)
        return False
    return True


def report_unwritable(path: Path, what: str, error: OSError) -> None:
    """Says on stderr that a file could not be written, and why."""
    reason = error.strerror or str(error)
    print_error(f"cannot write the {what} to {path}: {reason}")


def print_error(message: str) -> None:
    """Prints an error on stderr, as it is."""
    text = f"error: {message}"
    err_console().print(text, style="bold red", markup=False, soft_wrap=True)
