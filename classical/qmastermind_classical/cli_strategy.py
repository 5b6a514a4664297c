"""``qmastermind strategy``: a one-step rule against every secret of a game."""

from __future__ import annotations

from typing import Annotated

import typer

from qmastermind.cli.common import (
    BlanksFlag,
    ColoursOption,
    JsonFlag,
    NoRepeatsFlag,
    PositionsOption,
    RulesOption,
    console,
    err_console,
    print_json,
    read_rules,
)

NAMES = "simple, minimax (or knuth), expected-size, entropy, most-parts, lexicographic; the float "
NAMES += "variants entropy-p-ln-p, entropy-p-log2-p, entropy-n-ln-n, entropy-n-log2-n."


def strategy(
    name: Annotated[str, typer.Argument(metavar="NAME", help=NAMES)],
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    no_repeats: NoRepeatsFlag = False,
    blanks: BlanksFlag = False,
    consistent: Annotated[
        bool, typer.Option("--consistent", help="Guess only codes that could be the secret.")
    ] = False,
    opening: Annotated[
        str | None, typer.Option("--opening", help="First guess; default: the rule's own.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Plays a one-step strategy against every secret: total, mean, distribution, ties.

    Ties go to a code that could itself be the secret, then to the lexically first.
    """
    from qmastermind_classical.replay import replay
    from qmastermind_classical.scores import get_score_rule

    game = read_rules(rules, positions, colours, no_repeats, blanks)
    rule = get_score_rule(name)
    if json:
        print_json(replay(game, rule, consistent, opening).as_dict())
        return

    from rich.progress import Progress

    with Progress(console=err_console(), transient=True) as bar:
        task = bar.add_task(f"{rule.name} on {game}", total=game.num_codes)
        found = replay(game, rule, consistent, opening, lambda n: bar.advance(task, n))
    out = console()
    out.print(f"[bold]{rule.name}[/bold]: {rule.summary} ({rule.source})")
    guesses = "codes still possible" if consistent else "all codes"
    chosen = "prescribed" if found.forced else "its own"
    out.print(f"{game}; guesses from {guesses}; opening {found.opening} ({chosen})")
    out.print(
        f"total [bold]{found.total:,}[/bold] over {found.secrets:,} secrets, "
        f"mean [bold]{found.mean:.5f}[/bold], at most [bold]{found.max}[/bold]"
    )
    out.print("found at guess 1, 2, 3, ...: " + " ".join(map(str, found.distribution)))
    ties = "no scores to tie" if found.tied is None else f"{found.tied} tied"
    across = f", {found.tied_across_cuts} across different cuts" if found.tied else ""
    out.print(f"decisions {found.decisions}, {ties}{across}")
