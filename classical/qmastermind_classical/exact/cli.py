"""``qmastermind optimal``, ``hint`` and ``verify-tree``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    report_unwritable,
)
from qmastermind.errors import UsageError
from qmastermind.game import Rules

if TYPE_CHECKING:
    from rich.progress import Progress

    from qmastermind_classical.exact.method import Effort
    from qmastermind_classical.exact.optimum import Optimum

HistoryOption = Annotated[
    str, typer.Option("--history", help='Guesses and answers so far: "1122:1,1 1344:0,2".')
]
ConsistentFlag = Annotated[
    bool, typer.Option("--consistent", help="Guess only codes that could be the secret.")
]


def optimal(
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    no_repeats: NoRepeatsFlag = False,
    blanks: BlanksFlag = False,
    max_guesses: Annotated[
        int | None, typer.Option("--max-guesses", min=1, help="The most guesses for any secret.")
    ] = None,
    opening: Annotated[str | None, typer.Option("--opening", help="Prescribes the first.")] = None,
    consistent: ConsistentFlag = False,
    history: HistoryOption = "",
    save: Annotated[
        Path | None, typer.Option("--save", help="Write the strategy tree to this file.")
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method", help="main, or to check it cross or plain-keys, which are slower."
        ),
    ] = "main",
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", help="Where to keep what is proved; default: named by game."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the checkpoint of an interrupted run.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Proves the least total of guesses over all secrets, and replays a strategy that attains it.

    Ctrl-C keeps what is proved so far.
    """
    from qmastermind_classical.exact.errors import ImpossibleError
    from qmastermind_classical.exact.method import METHODS
    from qmastermind_classical.exact.optimum import find_optimum
    from qmastermind_classical.exact.position import read_history

    game = read_rules(rules, positions, colours, no_repeats, blanks)
    rows = read_history(history, game)
    first = None if opening is None else game.code(opening)
    if method not in METHODS:
        raise UsageError(f"unknown method {method!r}; known: {', '.join(METHODS)}")
    if save is not None and not save.absolute().parent.is_dir():
        raise UsageError(f"cannot save {save}: there is no directory {save.parent}")
    kept = checkpoint or Path(f"optimal-{_slug(game)}{'-position' * bool(rows)}.checkpoint.npz")
    if kept.exists() and not resume:
        raise UsageError(f"{kept} is left from an interrupted run: add --resume, or delete it")

    try:
        with _progress() as bar:
            task = bar.add_task(f"{game}", total=None)

            def watch(effort: Effort, best: int | None, left: int) -> None:
                bar.update(task, description=_how_it_goes(game, effort, best, left))

            found = find_optimum(
                game, max_guesses=max_guesses, opening=first, consistent=consistent, history=rows,
                method=method, checkpoint=kept, resume=resume, watch=watch,
            )  # fmt: skip
    except KeyboardInterrupt:
        err_console().print(
            f"interrupted; what is proved is in {kept}: go on with --resume", soft_wrap=True
        )
        raise
    except ImpossibleError as error:
        if json:
            print_json({"rules": game.as_dict(), "max_guesses": max_guesses, "possible": False,
                        "proved": True})  # fmt: skip
        else:
            console().print(str(error))
        raise typer.Exit(1) from None

    if json:
        print_json(found.as_dict())
    else:
        _show(found)
    if save is not None:
        try:
            found.tree.save(save)
        except OSError as error:
            report_unwritable(save, "tree", error)
            raise typer.Exit(2) from None


def _slug(rules: Rules) -> str:
    return f"{rules.positions}x{rules.colours}{'' if rules.repeats else 'd'}"


def _progress() -> Progress:
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    err = err_console()
    return Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
        console=err, transient=True, disable=not err.is_terminal,
    )  # fmt: skip


def _how_it_goes(rules: Rules, effort: Effort, best: int | None, left: int) -> str:
    so_far = "" if best is None else f", best so far {best:,}, {left:,} guesses left to refute"
    rate = effort.expanded / effort.seconds if effort.seconds else 0
    return f"{rules}: {effort.expanded:,} sets ({rate:,.0f}/s){so_far}"


def _show(found: Optimum) -> None:
    tree, effort, out = found.tree, found.effort, console()
    conditions = [f"at most {tree.max_guesses} guesses"] if tree.max_guesses else []
    conditions += ["only codes that could be the secret"] if tree.consistent else []
    conditions += ["after the rows given"] if tree.history else []
    out.print(", ".join([str(tree.rules), *conditions]))
    out.print(
        f"least total [bold]{tree.total:,}[/bold] over {tree.secrets:,} secrets, mean "
        f"[bold]{tree.mean:.5f}[/bold], at most [bold]{tree.max}[/bold]: proved, and replayed "
        "against every secret"
    )
    opening = tree.rules.format(tree.root.guess, "digits")
    out.print(f"opening {opening} ({'prescribed' if tree.prescribed else 'its own'})")
    out.print("found at guess 1, 2, 3, ...: " + " ".join(map(str, tree.distribution)))
    out.print(
        f"{effort.expanded:,} sets expanded, {effort.settled:,} settled by the small-set rule, "
        f"{effort.seconds:.2f} CPU s (method {found.method})"
    )
    out.print(f"tree {tree.sha256}")


def hint(
    history: HistoryOption = "",
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    no_repeats: NoRepeatsFlag = False,
    blanks: BlanksFlag = False,
    consistent: ConsistentFlag = False,
    rule: Annotated[
        str, typer.Option("--rule", help="One-step rule for positions that are too large.")
    ] = "entropy",
    max_sets: Annotated[
        int, typer.Option("--max-sets", min=0, help="How many sets an exact search may expand.")
    ] = 5000,
    json: JsonFlag = False,
) -> None:
    """Finds the best next guess: exact where the position is small enough, else by a rule."""
    from qmastermind_classical.exact.hint import Adviser
    from qmastermind_classical.exact.position import read_history
    from qmastermind_classical.scores import get_score_rule

    game = read_rules(rules, positions, colours, no_repeats, blanks)
    get_score_rule(rule)  # an unknown name is an error even if the rule is not needed
    rows = read_history(history, game)
    found = Adviser(game, rule, max_sets, consistent).hint(rows)
    if json:
        print_json(
            {
                "rules": game.as_dict(),
                "rows": len(rows),
                "guess": game.format(found.guess, "digits"),
                "method": found.method,
                "possible": found.possible,
                "could_be_secret": found.could_be_secret,
                "expected_guesses": found.expected,
                "examples": [game.format(code, "digits") for code in found.examples],
            }
        )
        return
    out = console()
    codes = "1 code is" if found.possible == 1 else f"{found.possible:,} codes are"
    some = ", ".join(game.format(code, "digits") for code in found.examples)
    out.print(f"{codes} possible: {some}{', ...' if found.possible > len(found.examples) else ''}")
    how = (
        f"exact: {found.expected:.4f} more guesses on average, which nothing beats"
        if found.expected is not None
        else f"by the rule {found.method!r}: the position is too large to be solved exactly"
    )
    could = "could be the secret" if found.could_be_secret else "cannot be the secret"
    out.print(
        f"guess [bold]{game.format(found.guess, 'digits')}[/bold] ({found.guess}), which {could}"
    )
    out.print(how)


def verify_tree(
    file: Annotated[Path, typer.Argument(help="A strategy tree; see docs/tree-format.md.")],
    json: JsonFlag = False,
) -> None:
    """Replays a strategy tree against every secret, with nothing of the solver that made it."""
    import hashlib

    from qmastermind_classical.exact.tree import load_tree
    from qmastermind_classical.exact.verify import verify_tree as replay

    tree = load_tree(file)
    distribution = replay(tree)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    facts = {
        "valid": True,
        "rules": tree.rules.as_dict(),
        "rows": len(tree.history),
        "max_guesses": tree.max_guesses,
        "consistent": tree.consistent,
        "secrets": tree.secrets,
        "total": tree.total,
        "mean": tree.mean,
        "max": len(distribution),
        "distribution": list(distribution),
        "opening": tree.rules.format(tree.root.guess, "digits"),
        "sha256": digest,
    }
    if json:
        print_json(facts)
        return
    out = console()
    out.print(f"{file}: a strategy for {tree.rules}, replayed against {tree.secrets:,} secrets")
    out.print(
        f"total [bold]{tree.total:,}[/bold], mean {tree.mean:.5f}, at most {len(distribution)}; "
        f"opening {facts['opening']}"
    )
    out.print("found at guess 1, 2, 3, ...: " + " ".join(map(str, distribution)))
    out.print(f"sha256 {digest}")
