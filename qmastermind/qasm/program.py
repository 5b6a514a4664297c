"""A small syntax tree that the parsers of both versions produce.

Two nodes are equal if they say the same, wherever they stand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from qmastermind.errors import QasmError


@dataclass(frozen=True)
class Position:
    """Where something begins in the text, both counted from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Number:
    """A literal; ``whole`` tells an integer from a real number."""

    value: float
    whole: bool
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Name:
    """A parameter of the gate that is being defined, or a constant."""

    name: str
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Unary:
    """A sign or a function."""

    operator: str
    operand: Expression
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Binary:
    """An arithmetic operation."""

    operator: str
    left: Expression
    right: Expression
    at: Position = field(compare=False)


Expression: TypeAlias = Number | Name | Unary | Binary


@dataclass(frozen=True)
class Operand:
    """A register, or one element of it; in a gate's body the name of a qubit."""

    name: str
    index: int | None
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Modifier:
    """``ctrl``, ``negctrl``, ``inv`` or ``pow`` with its argument."""

    kind: str
    argument: Expression | None
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Call:
    """A gate applied; ``gphase`` is one on no qubits."""

    gate: str
    arguments: tuple[Expression, ...]
    operands: tuple[Operand, ...]
    modifiers: tuple[Modifier, ...]
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Fence:
    """A barrier; without operands over everything."""

    operands: tuple[Operand, ...]
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Measurement:
    """A measurement of a qubit or a register."""

    source: Operand
    target: Operand
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Clear:
    """A reset."""

    operand: Operand
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Declaration:
    """A register of qubits or bits; size None is a single one."""

    name: str
    size: int | None
    quantum: bool
    at: Position = field(compare=False)


@dataclass(frozen=True)
class Definition:
    """A gate and its body; a body of None is opaque."""

    name: str
    parameters: tuple[str, ...]
    qubits: tuple[str, ...]
    body: tuple[Call | Fence, ...]
    at: Position = field(compare=False)


Statement: TypeAlias = Call | Fence | Measurement | Clear | Declaration | Definition


@dataclass(frozen=True)
class Program:
    """A whole file.

    Attributes:
        version: 2 or 3.
        statements: In order, includes left out.
        text: The source.
    """

    version: int
    statements: tuple[Statement, ...]
    text: str = field(repr=False)

    def error(self, message: str, at: Position) -> QasmError:
        """An error that shows the place."""
        return QasmError(message, self.text, at.line, at.column)

    def value(self, expression: Expression, values: Mapping[str, float]) -> float:
        """The number that an expression stands for.

        Args:
            expression: With names of ``values`` or of constants.
            values: The parameters of the gate in whose body it stands.

        Raises:
            QasmError: For an unknown name, or an operation that has no finite result.
        """
        match expression:
            case Number():
                return expression.value
            case Name():
                known = {**CONSTANTS, **values}
                if expression.name not in known:
                    raise self.error(f"unknown name {expression.name!r}", expression.at)
                return known[expression.name]
            case Unary():
                arguments = [self.value(expression.operand, values)]
                function: Callable[..., float] = FUNCTIONS[expression.operator]
            case Binary():
                sides = (expression.left, expression.right)
                arguments = [self.value(side, values) for side in sides]
                function = _OPERATORS[expression.operator]
                if self.version == 3 and expression.operator == "/" and all(map(_whole, sides)):
                    self._check_whole_division(arguments, expression.at)
        try:
            result = float(function(*arguments))
        except (ArithmeticError, ValueError, TypeError):
            result = math.nan
        if not math.isfinite(result):
            raise self.error(f"{expression.operator!r} has no finite result here", expression.at)
        return result

    def _check_whole_division(self, arguments: list[float], at: Position) -> None:
        """OpenQASM 3 rounds whole numbers, and importers do not agree on it."""
        first, second = arguments
        if second and first % second:
            raise self.error(
                f"{first:g}/{second:g} divides whole numbers, which OpenQASM 3 rounds towards "
                f"zero; write {first:g}.0/{second:g}",
                at,
            )


def _whole(expression: Expression) -> bool:
    match expression:
        case Number():
            return expression.whole
        case Unary():
            return expression.operator in "+-" and _whole(expression.operand)
        case Binary():
            return _whole(expression.left) and _whole(expression.right)
    return False


CONSTANTS: Mapping[str, float] = {"pi": math.pi, "tau": math.tau, "euler": math.e}

FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "-": lambda x: -x,
    "+": lambda x: x,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "exp": math.exp,
    "ln": math.log,
    "log": math.log,
    "sqrt": math.sqrt,
    "arcsin": math.asin,
    "arccos": math.acos,
    "arctan": math.atan,
}

_OPERATORS: Mapping[str, Callable[[float, float], float]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "^": lambda x, y: x**y,
    "**": lambda x, y: x**y,
}
