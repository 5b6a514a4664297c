"""Replaying a strategy tree, with nothing of the solver that made it.

Only :mod:`qmastermind.game` is trusted: its scoring rule answers every guess for every code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from qmastermind.game import Code, Feedback, feedback, is_consistent
from qmastermind_classical.exact.errors import TreeError
from qmastermind_classical.exact.tree import StrategyTree, TreeNode, place


def verify_tree(tree: StrategyTree) -> tuple[int, ...]:
    """Plays a tree against every secret.

    Checks of every node that its guess is allowed, that it says what follows each answer that can
    come and no other, how many codes are possible and how many guesses they take; and of the
    whole that every secret is found, within the guesses allowed, as often at each guess as the
    tree says. It does not show that no better tree exists.

    Returns:
        How many secrets are found at guess 1, 2, 3, ...

    Raises:
        TreeError: Names the first node that is wrong. Nodes are taken in the order of the tree; a
            node's total is looked at once all nodes after it are right.
    """
    codes = [code for code in tree.rules.codes() if is_consistent(code, tree.history)]
    found: Counter[int] = Counter()
    _replay(tree, tree.root, codes, (), found)
    distribution = tuple(found[turn] for turn in range(1, max(found, default=0) + 1))
    if distribution != tree.distribution:
        raise TreeError(
            f"the head says that {list(tree.distribution)} secrets are found at guess 1, 2, ...; "
            f"the replay finds {list(distribution)}"
        )
    return distribution


def _replay(
    tree: StrategyTree,
    node: TreeNode,
    codes: Sequence[Code],
    path: tuple[tuple[str, str], ...],
    found: Counter[int],
) -> int:
    turn = len(path) + 1
    if node.secrets != len(codes):
        raise TreeError(
            f"{place(path)} says that {node.secrets} codes are possible; there are {len(codes)}"
        )
    if tree.max_guesses is not None and turn > tree.max_guesses:
        raise TreeError(f"{place(path)} is guess {turn}, past the {tree.max_guesses} allowed")
    if tree.consistent and node.guess not in codes:
        raise TreeError(f"{place(path)} guesses {node.guess}, which cannot be the secret")
    parts: dict[Feedback, list[Code]] = {}
    for code in codes:
        parts.setdefault(feedback(node.guess, code), []).append(code)
    win = Feedback(tree.rules.positions, 0)
    found[turn] += len(parts.pop(win, []))
    missing = parts.keys() - node.after.keys()
    if missing:
        raise TreeError(f"{place(path)} does not say what follows the answer {min(missing)}")
    idle = node.after.keys() - parts.keys()
    if idle:
        raise TreeError(f"{place(path)} goes on after {min(idle)}, an answer that cannot come")
    guess = tree.rules.format(node.guess, "digits")
    total = len(codes)
    for answer in sorted(parts):
        step = (guess, f"{answer.black},{answer.white}")
        total += _replay(tree, node.after[answer], parts[answer], (*path, step), found)
    if node.total != total:
        raise TreeError(
            f"{place(path)} says that it takes {node.total} guesses; the replay takes {total}"
        )
    return total
