"""Strategy trees: what to guess after every answer, and their file format.

The format is described in ``docs/tree-format.md``. A file depends on the tree alone, byte for byte,
so that the hash of the file names the tree.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from qmastermind.errors import UsageError
from qmastermind.files import replacing
from qmastermind.game import Code, Feedback, Rules
from qmastermind_classical.exact.errors import FileFormatError, TreeError

FORMAT = "qmastermind-tree"
VERSION = 1


@dataclass(frozen=True)
class TreeNode:
    """A guess and what follows it.

    Attributes:
        guess: The guess.
        secrets: How many codes are possible here.
        total: How many guesses it takes to find them all from here, this one included.
        after: The node after each answer but the winning one, in increasing order.
    """

    guess: Code
    secrets: int = 1
    total: int = 1
    after: Mapping[Feedback, TreeNode] = field(default_factory=dict)


@dataclass(frozen=True)
class StrategyTree:
    """A strategy for a game, or for a position of it.

    Attributes:
        rules: The rules.
        root: The first guess.
        history: What is known before it.
        max_guesses: The most guesses that the strategy may need, or None.
        consistent: Whether it may guess only codes that could be the secret.
        prescribed: Whether its first guess was prescribed.
        distribution: How many secrets are found at guess 1, 2, 3, ...
    """

    rules: Rules
    root: TreeNode
    history: tuple[tuple[Code, Feedback], ...] = ()
    max_guesses: int | None = None
    consistent: bool = False
    prescribed: bool = False
    distribution: tuple[int, ...] = ()

    @property
    def secrets(self) -> int:
        """How many codes are possible at first."""
        return self.root.secrets

    @property
    def total(self) -> int:
        """Guesses over all secrets."""
        return self.root.total

    @property
    def mean(self) -> float:
        """Guesses for a secret on average."""
        return self.total / self.secrets

    @property
    def max(self) -> int:
        """Guesses for a secret at most."""
        return len(self.distribution)

    @cached_property
    def text(self) -> str:
        """The tree as the text of a file."""
        head = {
            "format": FORMAT,
            "version": VERSION,
            "rules": self.rules.as_dict(),
            "history": [[self._code(code), _answer(answer)] for code, answer in self.history],
            "max_guesses": self.max_guesses,
            "consistent": self.consistent,
            "prescribed": self.prescribed,
            "secrets": self.secrets,
            "total": self.total,
            "distribution": list(self.distribution),
        }
        lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
        lines.append(f'"root": {json.dumps(self._as_json(self.root), separators=(",", ":"))}')
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @property
    def sha256(self) -> str:
        """Hash of the file, which ``sha256sum FILE`` prints."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def save(self, path: Path) -> None:
        """Writes the tree; an existing file is replaced as a whole."""
        with replacing(path, "w") as file:
            file.write(self.text)

    def nodes(self) -> Iterator[TreeNode]:
        """Every node, a node before those after it."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(list(node.after.values())))

    def _code(self, code: Code) -> str:
        return self.rules.format(code, "digits")

    def _as_json(self, node: TreeNode) -> Any:
        if node.secrets == 1 and not node.after:
            return self._code(node.guess)
        return {
            "guess": self._code(node.guess),
            "secrets": node.secrets,
            "total": node.total,
            "after": {_answer(answer): self._as_json(part) for answer, part in node.after.items()},
        }


def _answer(answer: Feedback) -> str:
    return f"{answer.black},{answer.white}"


def place(path: tuple[tuple[str, str], ...]) -> str:
    """Names a node by the guesses and answers that lead to it."""
    if not path:
        return "the first node"
    return "the node after " + ", ".join(f"{guess} ({answer})" for guess, answer in path)


def load_tree(path: Path) -> StrategyTree:
    """Reads a tree. Its form is checked here; what it says is for :func:`verify_tree` to check.

    Raises:
        UsageError: If the file cannot be read.
        FileFormatError: If it is no JSON, no tree, or of another version.
        TreeError: For the first node that has not the form of one.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path} is not JSON, or damaged: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FileFormatError(f"{path} is not a strategy tree: it has no format {FORMAT!r}")
    if data.get("version") != VERSION:
        raise FileFormatError(
            f"{path} is a strategy tree of version {data.get('version')!r}; this program reads "
            f"version {VERSION}"
        )
    try:
        rules = Rules(**data["rules"])
        return StrategyTree(
            rules,
            _read_node(rules, data["root"], ()),
            tuple(
                (rules.code(str(code)), Feedback.parse(str(answer)))
                for code, answer in data["history"]
            ),
            None if data["max_guesses"] is None else int(data["max_guesses"]),
            bool(data["consistent"]),
            bool(data["prescribed"]),
            tuple(int(n) for n in data["distribution"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileFormatError(f"{path} is damaged: its head cannot be read ({error})") from error


def _read_node(rules: Rules, data: Any, path: tuple[tuple[str, str], ...]) -> TreeNode:
    try:
        if isinstance(data, str):
            return TreeNode(rules.code(data))
        guess = rules.code(str(data["guess"]))
        secrets, total, after = data["secrets"], data["total"], data["after"]
        if not (isinstance(secrets, int) and isinstance(total, int) and isinstance(after, dict)):
            raise TypeError("secrets and total must be numbers, after must be an object")
        parts = {}
        for text, part in after.items():
            step = (str(data["guess"]), text)
            parts[Feedback.parse(text)] = _read_node(rules, part, (*path, step))
    except TreeError:
        raise
    except KeyError as error:
        raise TreeError(f"{place(path)} has no {error}") from error
    except (TypeError, UsageError) as error:
        raise TreeError(f"{place(path)} cannot be read: {error}") from error
    return TreeNode(guess, secrets, total, parts)
