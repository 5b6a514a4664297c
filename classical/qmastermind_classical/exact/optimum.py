"""The least total over all secrets, proved, with a strategy that attains it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qmastermind.errors import TooLargeError, UsageError
from qmastermind.game import Code, Feedback, Rules
from qmastermind_classical.exact.checkpoint import Keeper, load_checkpoint
from qmastermind_classical.exact.engine import Engine
from qmastermind_classical.exact.errors import FileFormatError, ImpossibleError
from qmastermind_classical.exact.method import METHODS, Effort, Watcher, check_size
from qmastermind_classical.exact.position import possible_codes
from qmastermind_classical.exact.tree import StrategyTree, TreeNode
from qmastermind_classical.exact.verify import verify_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_DEPTH = 200
"""Trees are not built deeper; only games of one position would need it."""
_SMALL_POSITION = 200
_LARGE_GAME = 8192
"""Small positions, and those of large games, get an engine of their codes only."""


@dataclass(frozen=True)
class Optimum:
    """A proved optimum.

    Attributes:
        tree: A strategy that attains it, replayed against every secret.
        effort: What the proof took.
        method: Name of the method, see :data:`METHODS`.
    """

    tree: StrategyTree
    effort: Effort
    method: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready values."""
        tree = self.tree
        return {
            "rules": tree.rules.as_dict(),
            "max_guesses": tree.max_guesses,
            "consistent": tree.consistent,
            "possible": True,
            "total": tree.total,
            "secrets": tree.secrets,
            "mean": tree.mean,
            "max": tree.max,
            "distribution": list(tree.distribution),
            "opening": tree.rules.format(tree.root.guess, "digits"),
            "prescribed_opening": tree.prescribed,
            "proved": True,
            "replayed": True,
            "method": self.method,
            "expanded_sets": self.effort.expanded,
            "settled_sets": self.effort.settled,
            "cuts": self.effort.cuts,
            "known_sets": self.effort.known,
            "seconds": round(self.effort.seconds, 3),
            "tree_sha256": tree.sha256,
        }


def find_optimum(
    rules: Rules,
    *,
    max_guesses: int | None = None,
    opening: Code | str | Sequence[int] | None = None,
    consistent: bool = False,
    history: Sequence[tuple[Code, Feedback]] = (),
    method: str = "main",
    checkpoint: Path | None = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
    watch: Watcher | None = None,
) -> Optimum:
    """Proves the least total of guesses over all secrets that are possible.

    Args:
        rules: The rules.
        max_guesses: The most guesses allowed for any secret, those of the history not counted.
        opening: The first guess, if it is prescribed.
        consistent: Whether only codes may be guessed that could be the secret.
        history: Guesses that have been answered.
        method: Name of a method of :data:`METHODS`.
        checkpoint: Where to keep what is proved: now and then, and when interrupted. The file is
            removed in the end.
        checkpoint_every: Seconds between two checkpoints, at least.
        resume: Whether to go on from the checkpoint.
        watch: Told how it goes.

    Raises:
        ImpossibleError: If it is proved that no strategy needs at most ``max_guesses`` guesses.
        ConflictError: If no code agrees with the history.
        TooLargeError: If the game is too large.
        UsageError: If the opening could not be the secret but must, or ``max_guesses`` is below 1.
        FileFormatError: If the checkpoint cannot be used.
    """
    if max_guesses is not None and max_guesses < 1:
        raise UsageError(f"a game has at least 1 guess, not {max_guesses}")
    if opening is not None:
        opening = rules.code(opening)
    codes = _position(rules, history)
    if rules.positions == 1 and len(codes) > MAX_DEPTH:
        raise TooLargeError(
            f"one position and {len(codes)} colours: all that can be done is to guess one after "
            f"the other; trees are built to a depth of {MAX_DEPTH}"
        )
    engine = Engine(
        rules,
        codes if _apart(rules, len(codes)) else None,
        consistent=consistent,
        method=METHODS[method],
    )
    prescribed = None if opening is None else _index(engine, opening)
    if consistent and prescribed is not None and prescribed not in codes:
        raise UsageError(f"the opening {opening} could not be the secret, as --consistent demands")
    keeper = Keeper(engine, checkpoint, checkpoint_every)
    if resume and checkpoint is not None:
        load_checkpoint(engine, checkpoint)

    def look(effort: Effort, best: int | None, left: int) -> None:
        keeper.now_and_then()
        if watch is not None:
            watch(effort, best, left)

    try:
        first = _first_guess(engine, codes, max_guesses, prescribed, look)
        effort = engine.effort
        root = _build(engine, codes, max_guesses, look, first) if first >= 0 else None
    except KeyboardInterrupt:
        try:
            keeper.save()
        except OSError as error:
            raise FileFormatError(
                f"interrupted, and the checkpoint {checkpoint} cannot be written: {error}"
            ) from error
        raise
    if root is None:
        keeper.done()
        start = f" after {rules.format(opening, 'digits')}" if opening is not None else ""
        raise ImpossibleError(
            f"proved: no strategy{start} finds each of the {len(codes):,} codes within "
            f"{max_guesses} guesses ({rules})",
            effort,
        )
    tree = StrategyTree(
        rules, root, tuple(history), max_guesses, consistent, opening is not None,
        _distribution(root),
    )  # fmt: skip
    verify_tree(tree)
    keeper.done()
    return Optimum(tree, effort, method)


def _position(rules: Rules, history: Sequence[tuple[Code, Feedback]]) -> NDArray[np.integer[Any]]:
    if not history:
        check_size(rules)
    codes = possible_codes(rules, history)
    check_size(rules, len(codes) if _apart(rules, len(codes)) else None)
    return codes


def _apart(rules: Rules, size: int) -> bool:
    return size < rules.num_codes and (size <= _SMALL_POSITION or rules.num_codes > _LARGE_GAME)


def _index(engine: Engine, code: Code) -> int:
    return int(np.flatnonzero((engine.pegs == np.array(code)).all(axis=1))[0])


def _first_guess(
    engine: Engine,
    codes: NDArray[np.integer[Any]],
    left: int | None,
    prescribed: int | None,
    watch: Watcher,
) -> int:
    """The best first guess, or the prescribed one; -1 if it cannot be done."""
    if prescribed is None:
        guess = engine.solve(codes, left, watch=watch).guess
        if guess >= 0 and len(codes) == engine.rules.num_codes:
            guess = _index(engine, _plainest(engine, guess))
        return guess
    for answer, part in engine.parts(codes, prescribed):
        won = answer == len(engine.rules.feedbacks()) - 1
        rest = None if left is None else left - 1
        if not won and engine.solve(part, rest, watch=watch).cost is None:
            return -1
    return prescribed


def _plainest(engine: Engine, guess: int) -> Code:
    """Of all guesses that a whole game cannot tell from this one, the lexically first."""
    counts = sorted(Counter(engine.pegs[guess].tolist()).values(), reverse=True)
    return engine.rules.code([colour for colour, n in enumerate(counts) for _ in range(n)])


def _build(
    engine: Engine,
    codes: NDArray[np.integer[Any]],
    left: int | None,
    watch: Watcher,
    guess: int | None = None,
) -> TreeNode:
    """The tree of a set whose cost the engine has proved."""
    if guess is None:
        guess = engine.solve(codes, left, watch=watch).guess
    answers = engine.rules.feedbacks()
    rest = None if left is None else left - 1
    after = {}
    total = len(codes)
    for answer, part in engine.parts(codes, guess):
        if answer == len(answers) - 1:
            continue
        node = _build(engine, part, rest, watch)
        after[answers[answer]] = node
        total += node.total
    code = Code(tuple(engine.pegs[guess].tolist()), engine.rules.blank)
    return TreeNode(code, len(codes), total, after)


def _distribution(root: TreeNode) -> tuple[int, ...]:
    """How many secrets a tree finds at guess 1, 2, 3, ..."""
    found: Counter[int] = Counter()
    stack = [(root, 1)]
    while stack:
        node, turn = stack.pop()
        found[turn] += node.secrets - sum(part.secrets for part in node.after.values())
        stack.extend((part, turn + 1) for part in node.after.values())
    return tuple(found[turn] for turn in range(1, max(found) + 1))
