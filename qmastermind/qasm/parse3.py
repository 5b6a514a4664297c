"""OpenQASM 3 in, through its reference parser: the subset without classical control."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Sequence
from typing import Any

from qmastermind.errors import MissingDependencyError, QasmError
from qmastermind.qasm.program import (
    FUNCTIONS,
    Binary,
    Call,
    Clear,
    Declaration,
    Definition,
    Expression,
    Fence,
    Measurement,
    Modifier,
    Name,
    Number,
    Operand,
    Position,
    Program,
    Statement,
    Unary,
)

_ARITHMETIC = ("+", "-", "*", "/", "**")


def parse3(text: str) -> Program:
    """Parses a whole file.

    Raises:
        QasmError: If it is no OpenQASM 3, or not in the subset.
        MissingDependencyError: If the parser is not installed.
    """
    try:
        # the parser's classes need antlr4, which is a dependency of its extra
        from openqasm3 import parser
    except ImportError:
        raise MissingDependencyError("reading OpenQASM 3", "openqasm3[parser]", "qasm") from None
    try:
        # its lexer reports on stderr as well
        with contextlib.redirect_stderr(io.StringIO()):
            tree = parser.parse(text)
    except parser.QASM3ParsingError as error:
        raise _syntax_error(text, error) from None
    return _Converter(text).program(tree)


def _syntax_error(text: str, error: Exception) -> QasmError:
    """The place is in the message of a lexer's error, and in the cause of a parser's."""
    placed = re.match(r"L(\d+):C(\d+): (.*)", str(error), re.DOTALL)
    if placed is not None:
        return QasmError(placed[3], text, int(placed[1]), int(placed[2]) + 1)
    reasons = error.__cause__.args if error.__cause__ is not None else ()
    token = next((t for t in (getattr(r, "offendingToken", None) for r in reasons) if t), None)
    if token is None:
        return QasmError(str(error) or "this is no OpenQASM 3", text, 1, 1)
    found = "the end of the file" if token.text == "<EOF>" else repr(token.text)
    return QasmError(f"{found} has no place here", text, token.line, token.column + 1)


class _Converter:
    def __init__(self, text: str) -> None:
        self._text = text
        self._statement = Position(1, 1)

    def program(self, tree: Any) -> Program:
        statements: list[Statement] = []
        for node in tree.statements:
            self._statement = self._at(node)
            statements += self._converted(node)
        return Program(3, tuple(statements), self._text)

    def _at(self, node: Any) -> Position:
        # The spans of bare identifiers are wrong in version 1.0 of the parser.
        if type(node).__name__ == "Identifier" or node.span is None:
            return self._statement
        return Position(node.span.start_line, node.span.start_column + 1)

    def _error(self, message: str, node: Any) -> QasmError:
        at = self._at(node)
        return QasmError(message, self._text, at.line, at.column)

    def _converted(self, node: Any) -> Sequence[Statement]:
        at = self._at(node)
        match type(node).__name__:
            case "Pragma":
                return ()
            case "Include":
                if node.filename not in ("stdgates.inc", "qelib1.inc"):
                    raise self._error('only "stdgates.inc" can be included', node)
                return ()
            case "QubitDeclaration":
                return (Declaration(node.qubit.name, self._size(node.size), True, at),)
            case "ClassicalDeclaration" if type(node.type).__name__ == "BitType":
                size = self._size(node.type.size)
                name = node.identifier.name
                declared = Declaration(name, size, False, at)
                if node.init_expression is None:
                    return (declared,)
                if type(node.init_expression).__name__ == "QuantumMeasurement":
                    source = self._operand(node.init_expression.qubit)
                    return declared, Measurement(source, Operand(name, None, at), at)
            case "QuantumGateDefinition":
                body = [self._operation(inner) for inner in node.body]
                parameters = tuple(a.name for a in node.arguments)
                qubits = tuple(q.name for q in node.qubits)
                return (Definition(node.name.name, parameters, qubits, tuple(body), at),)
            case "QuantumMeasurementStatement" if node.target is not None:
                source = self._operand(node.measure.qubit)
                return (Measurement(source, self._operand(node.target), at),)
            case "QuantumReset":
                return (Clear(self._operand(node.qubits), at),)
        return (self._operation(node),)

    def _operation(self, node: Any) -> Call | Fence:
        at = self._at(node)
        match type(node).__name__:
            case "QuantumGate" if node.duration is None:
                gate, arguments = node.name.name, node.arguments
            case "QuantumPhase":
                gate, arguments = "gphase", [node.argument]
            case "QuantumBarrier":
                return Fence(tuple(map(self._operand, node.qubits)), at)
            case kind:
                words = re.sub(r"(?<!^)(?=[A-Z])", " ", kind).lower()
                raise self._error(
                    f"not supported here: {words}; only circuits without classical control are",
                    node,
                )
        return Call(
            gate,
            tuple(map(self._expression, arguments)),
            tuple(map(self._operand, node.qubits)),
            tuple(map(self._modifier, node.modifiers)),
            at,
        )

    def _modifier(self, node: Any) -> Modifier:
        argument = None if node.argument is None else self._expression(node.argument)
        return Modifier(node.modifier.name, argument, self._at(node))

    def _operand(self, node: Any) -> Operand:
        at = self._at(node)
        if type(node).__name__ == "Identifier":
            if node.name.startswith("$"):
                raise self._error("physical qubits are not supported; declare a register", node)
            return Operand(node.name, None, at)
        try:
            ((index,),) = node.indices
            return Operand(node.name.name, int(index.value), at)
        except (AttributeError, TypeError, ValueError):
            raise self._error("expected a register or one of its elements", node) from None

    def _size(self, node: Any) -> int | None:
        if node is None:
            return None
        if type(node).__name__ != "IntegerLiteral":
            raise self._error("the size of a register has to be a whole number", node)
        return int(node.value)

    def _expression(self, node: Any) -> Expression:
        at = self._at(node)
        match type(node).__name__:
            case "IntegerLiteral" | "FloatLiteral" as kind:
                return Number(float(node.value), kind == "IntegerLiteral", at)
            case "Identifier":
                name = {"π": "pi", "τ": "tau", "ℇ": "euler"}.get(node.name, node.name)
                return Name(name, at)
            case "UnaryExpression" if node.op.name == "-":
                return Unary("-", self._expression(node.expression), at)
            case "BinaryExpression" if node.op.name in _ARITHMETIC:
                left, right = self._expression(node.lhs), self._expression(node.rhs)
                return Binary(node.op.name, left, right, at)
            case "FunctionCall" if len(node.arguments) == 1 and node.name.name in FUNCTIONS:
                return Unary(node.name.name, self._expression(node.arguments[0]), at)
        raise self._error("expected a number, a parameter or arithmetic on those", node)
