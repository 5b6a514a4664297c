"""A recursive-descent parser of OpenQASM 2.0, after the grammar of arXiv:1707.03429, appendix A."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from qmastermind.errors import QasmError
from qmastermind.qasm.program import (
    Binary,
    Call,
    Clear,
    Declaration,
    Definition,
    Expression,
    Fence,
    Measurement,
    Name,
    Number,
    Operand,
    Position,
    Program,
    Statement,
    Unary,
)

T = TypeVar("T")

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*)"
    r"|(?P<real>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)"
    r"|(?P<whole>\d+)"
    r"|(?P<name>[A-Za-z]\w*)"
    r'|(?P<string>"[^"\n]*")'
    r"|(?P<mark>->|==|[;,{}()\[\]+\-*/^])"
)

_FUNCTIONS = ("sin", "cos", "tan", "exp", "ln", "sqrt")


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: Position


def parse2(text: str) -> Program:
    """Parses a whole file.

    Raises:
        QasmError: If it is no OpenQASM 2.0, or has classical control.
    """
    return Program(2, tuple(_Parser(text).program()), text)


def parse_definition(text: str) -> Definition:
    """Parses a gate definition alone."""
    statement = _Parser(text).statement()
    assert isinstance(statement, Definition)
    return statement


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self._tokens = list(self._tokenise())
        self._next = 0

    def _position(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return Position(line, offset - self._starts[line - 1] + 1)

    def _tokenise(self) -> list[_Token]:
        tokens, offset = [], 0
        while offset < len(self._text):
            found = _TOKEN.match(self._text, offset)
            at = self._position(offset)
            if found is None:
                raise self._error(f"{self._text[offset]!r} has no meaning here", at)
            kind = found.lastgroup or ""
            if kind != "space":
                tokens.append(_Token(kind, found[0], at))
            offset = found.end()
        tokens.append(_Token("end", "the end of the file", self._position(len(self._text))))
        return tokens

    def _error(self, message: str, at: Position) -> QasmError:
        return QasmError(message, self._text, at.line, at.column)

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _advance(self) -> _Token:
        token = self._token
        if token.kind != "end":
            self._next += 1
        return token

    def _accept(self, text: str) -> bool:
        if self._token.text != text or self._token.kind == "string":
            return False
        self._next += 1
        return True

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise self._error(f"expected {text!r}, found {self._token.text!r}", self._token.at)

    def _take(self, kind: str, what: str) -> str:
        if self._token.kind != kind:
            raise self._error(f"expected {what}, found {self._token.text!r}", self._token.at)
        return self._advance().text

    def _listed(self, item: Callable[[], T]) -> tuple[T, ...]:
        items = [item()]
        while self._accept(","):
            items.append(item())
        return tuple(items)

    def program(self) -> list[Statement]:
        """The version, then statements; only ``qelib1.inc`` is included."""
        self._expect("OPENQASM")
        at = self._token.at
        if self._take("real", "a version") not in ("2.0", "2."):
            raise self._error("only version 2.0 is read here", at)
        self._expect(";")
        statements: list[Statement] = []
        while self._token.kind != "end":
            if self._accept("include"):
                at = self._token.at
                if self._take("string", "a file name") != '"qelib1.inc"':
                    raise self._error('only "qelib1.inc" can be included', at)
                self._expect(";")
            else:
                statements.append(self.statement())
        return statements

    def statement(self) -> Statement:
        """One statement with its semicolon, or a gate with its body."""
        token = self._token
        if token.text in ("if", "opaque"):
            raise self._error(
                f"{token.text!r} is not supported: only circuits of gates are", token.at
            )
        if self._accept("gate"):
            return self._definition(token.at)
        statement = self._simple(token)
        self._expect(";")
        return statement

    def _simple(self, token: _Token) -> Statement:
        if self._accept("qreg") or self._accept("creg"):
            name = self._take("name", "a name")
            self._expect("[")
            size = int(self._take("whole", "a size"))
            self._expect("]")
            return Declaration(name, size, token.text == "qreg", token.at)
        if self._accept("measure"):
            source = self._operand()
            self._expect("->")
            return Measurement(source, self._operand(), token.at)
        if self._accept("reset"):
            return Clear(self._operand(), token.at)
        return self._operation()

    def _operation(self) -> Call | Fence:
        at = self._token.at
        if self._accept("barrier"):
            return Fence(self._listed(self._operand), at)
        gate = self._take("name", "a statement")
        arguments: tuple[Expression, ...] = ()
        if self._accept("(") and not self._accept(")"):
            arguments = self._listed(self._sum)
            self._expect(")")
        return Call(gate, arguments, self._listed(self._operand), (), at)

    def _operand(self) -> Operand:
        at = self._token.at
        name = self._take("name", "a register")
        index = None
        if self._accept("["):
            index = int(self._take("whole", "an index"))
            self._expect("]")
        return Operand(name, index, at)

    def _definition(self, at: Position) -> Definition:
        def a_name() -> str:
            return self._take("name", "a name")

        name = a_name()
        parameters: tuple[str, ...] = ()
        if self._accept("(") and not self._accept(")"):
            parameters = self._listed(a_name)
            self._expect(")")
        qubits = self._listed(a_name)
        self._expect("{")
        body = []
        while not self._accept("}"):
            body.append(self._operation())
            self._expect(";")
        return Definition(name, parameters, qubits, tuple(body), at)

    def _sum(self) -> Expression:
        return self._chain(self._product, "+-")

    def _product(self) -> Expression:
        return self._chain(self._signed, "*/")

    def _chain(self, part: Callable[[], Expression], operators: str) -> Expression:
        left = part()
        while self._token.kind == "mark" and self._token.text in operators:
            operator = self._advance()
            left = Binary(operator.text, left, part(), operator.at)
        return left

    def _signed(self) -> Expression:
        token = self._token
        if self._accept("-") or self._accept("+"):
            return Unary(token.text, self._signed(), token.at)
        base = self._atom()
        power = self._token
        if self._accept("^"):
            return Binary("^", base, self._signed(), power.at)
        return base

    def _atom(self) -> Expression:
        token = self._advance()
        if token.kind in ("real", "whole"):
            return Number(float(token.text), token.kind == "whole", token.at)
        if token.kind == "name" and token.text in _FUNCTIONS:
            self._expect("(")
            inner = self._sum()
            self._expect(")")
            return Unary(token.text, inner, token.at)
        if token.kind == "name":
            return Name(token.text, token.at)
        if token.text == "(":
            inner = self._sum()
            self._expect(")")
            return inner
        raise self._error(f"expected a number, found {token.text!r}", token.at)
