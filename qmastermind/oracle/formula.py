"""Oracles from boolean formulas in text.

Operators, from the tightest: ``~`` (also ``!``, ``not``), ``&`` (``&&``, ``and``), ``^`` (``xor``),
``|`` (``||``, ``or``), ``->`` (``implies``, groups to the right); words in any case. Constants:
``0``, ``1``, ``false``, ``true``. Variables are named like identifiers and ordered by their first
appearance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from qmastermind.errors import UsageError
from qmastermind.oracle.algebra import ExpressionOracle
from qmastermind.oracle.expression import (
    Constant,
    Expression,
    Literal,
    conjunction,
    disjunction,
    negation,
    parity,
)
from qmastermind.oracle.variables import bits

_TOKEN = re.compile(r"\s*(?:(?P<word>[A-Za-z_]\w*)|(?P<symbol>->|&&|\|\||[~!&^|()01]))")
_WORDS = {
    "not": "~", "and": "&", "xor": "^", "or": "|", "implies": "->",
    "!": "~", "&&": "&", "||": "|",
}  # fmt: skip
_CONSTANTS = {"0": False, "false": False, "1": True, "true": True}


class FormulaError(UsageError):
    """A formula that cannot be read; the message points at the fault."""

    def __init__(self, message: str, text: str, position: int) -> None:
        self.position = position
        super().__init__(f"{message}\n  {text}\n  {' ' * position}^")


def from_formula(text: str, order: tuple[str, ...] | None = None) -> ExpressionOracle:
    """The oracle of a formula.

    Args:
        text: On one line.
        order: Names in the wanted order, all that occur and perhaps more; default the order of
            first appearance.

    Raises:
        FormulaError: For a symbol that is none, a missing operand or parenthesis.
        UsageError: If ``order`` lacks a name or has one twice, or there is no variable at all.
    """
    if not isinstance(text, str):
        raise UsageError(f"a formula is text, not {text!r}")
    declared = None if order is None else bits(*order).names
    parser = _Parser(text, declared)
    expression = parser.parse()
    names = tuple(parser.names)
    if not names:
        raise UsageError(f"the formula {text!r} has no variable")
    return ExpressionOracle(expression, bits(*names), "formula")


_DEEPEST = 60  # parentheses within each other; each takes the parser several calls


class _Parser:
    def __init__(self, text: str, order: tuple[str, ...] | None) -> None:
        self.text = text
        self.fixed = order is not None
        self.names: dict[str, int] = {name: i for i, name in enumerate(order or ())}
        self.tokens = list(self._tokens())
        self.at = 0
        self.depth = 0

    def _tokens(self) -> Iterator[tuple[str, int]]:
        position = 0
        while self.text[position:].strip():
            match = _TOKEN.match(self.text, position)
            if match is None:
                at = position + len(self.text[position:]) - len(self.text[position:].lstrip())
                raise FormulaError(f"unknown symbol {self.text[at]!r}", self.text, at)
            token = match["word"] or match["symbol"]
            yield _WORDS.get(token.lower(), token), match.end() - len(token)
            position = match.end()

    def _peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def _fail(self, message: str) -> FormulaError:
        place = self.tokens[self.at][1] if self.at < len(self.tokens) else len(self.text)
        return FormulaError(message, self.text, place)

    def parse(self) -> Expression:
        result = self._implication()
        if self._peek() == ")":
            raise self._fail("this parenthesis was never opened")
        if self._peek():
            raise self._fail("expected an operator here")
        return result

    def _implication(self) -> Expression:
        parts = [self._chain("|")]
        while self._peek() == "->":
            self.at += 1
            parts.append(self._chain("|"))
        # To the right: a -> b -> c is a -> (b -> c), false only if a and b hold and c does not.
        *conditions, result = parts
        return disjunction([*map(negation, conditions), result]) if conditions else result

    def _chain(self, operator: str) -> Expression:
        join, tighter = {
            "|": (disjunction, "^"),
            "^": (parity, "&"),
            "&": (conjunction, ""),
        }[operator]
        parts = [self._chain(tighter) if tighter else self._factor()]
        while self._peek() == operator:
            self.at += 1
            parts.append(self._chain(tighter) if tighter else self._factor())
        return join(parts) if len(parts) > 1 else parts[0]

    def _factor(self) -> Expression:
        negated = False
        while self._peek() == "~":
            self.at += 1
            negated = not negated
        return negation(self._operand()) if negated else self._operand()

    def _operand(self) -> Expression:
        token = self._peek()
        if token == "(":
            opened = self.at
            self.depth += 1
            if self.depth > _DEEPEST:
                raise self._fail(f"more than {_DEEPEST} parentheses are open here")
            self.at += 1
            inner = self._implication()
            self.depth -= 1
            if self._peek() != ")":
                if self._peek():
                    raise self._fail("expected an operator or a closing parenthesis here")
                self.at = opened
                raise self._fail("this parenthesis is never closed")
            self.at += 1
            return inner
        if token.lower() in _CONSTANTS:
            self.at += 1
            return Constant(_CONSTANTS[token.lower()])
        if not (token and (token[0].isalpha() or token[0] == "_")):
            raise self._fail("expected a variable, a constant, ~ or ( here")
        if token not in self.names:
            if self.fixed:
                raise self._fail(f"{token!r} is not among the declared variables")
            self.names[token] = len(self.names)
        self.at += 1
        return Literal(self.names[token])
