"""Oracles from DIMACS CNF files.

Read as the files are written: comments anywhere, literals of a clause over several lines, the
empty clause, no clause at all, and the ``%`` that ends the files of SATLIB. Variables are called
``x1``, ``x2``, ... as in the file.
"""

from __future__ import annotations

import re

from qmastermind.errors import UsageError
from qmastermind.oracle.algebra import ExpressionOracle
from qmastermind.oracle.expression import Literal, conjunction, disjunction
from qmastermind.oracle.variables import bits

_MOST = 100_000  # variables


class DimacsError(UsageError):
    """A DIMACS file that cannot be read; the message has line and column, both from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        self.line, self.column = line, column
        super().__init__(f"line {line}, column {column}: {message}")


def from_dimacs(text: str) -> ExpressionOracle:
    """The oracle of a formula in conjunctive normal form.

    One ancilla a clause of two or more literals; :meth:`ExpressionOracle.narrowed` trades them
    for a counter.

    Raises:
        DimacsError: For a malformed file, a variable beyond the header, a clause too few or many.
    """
    if not isinstance(text, str):
        raise UsageError(f"DIMACS is text, not {text!r}; read a file with Path.read_text")
    num_variables, clauses = read_clauses(text)
    expression = conjunction(
        [disjunction([Literal(abs(v) - 1, v > 0) for v in clause]) for clause in clauses]
    )
    names = (f"x{i}" for i in range(1, num_variables + 1))
    return ExpressionOracle(expression, bits(*names), "clauses")


def read_clauses(text: str) -> tuple[int, list[tuple[int, ...]]]:
    """The number of variables, and the clauses as signed variable numbers."""
    header: tuple[int, int] | None = None
    clauses: list[tuple[int, ...]] = []
    clause: list[int] = []
    place = (1, 1)
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("%"):
            break
        if not stripped or re.match(r"c(\s|$)", stripped):
            continue
        if stripped.startswith("p"):
            if header is not None:
                raise DimacsError("a second header", number, 1)
            header = _read_header(line, number)
            continue
        if header is None:
            raise DimacsError("expected the header 'p cnf VARIABLES CLAUSES' first", number, 1)
        for match in re.finditer(r"\S+", line):
            place = (number, match.start() + 1)
            if not re.fullmatch(r"[+-]?[0-9]+", match.group()):
                raise DimacsError(f"{match.group()!r} is no literal", *place)
            literal = _number(match.group())
            if literal is None or abs(literal) > header[0]:
                variable = _shown(match.group().lstrip("+-"))
                raise DimacsError(
                    f"variable {variable} is beyond the {header[0]} of the header", *place
                )
            if literal:
                clause.append(literal)
                continue
            clauses.append(tuple(clause))
            clause = []
            if len(clauses) > header[1]:
                raise DimacsError(f"more than the {_clauses(header[1])} of the header", *place)
    if header is None:
        raise DimacsError("no header 'p cnf VARIABLES CLAUSES'", 1, 1)
    if clause:
        raise DimacsError("the last clause does not end with 0", *place)
    if len(clauses) < header[1]:
        found = _clauses(len(clauses))
        raise DimacsError(f"{found}, but the header says {header[1]}", *place)
    return header[0], clauses


def _clauses(number: int) -> str:
    return "1 clause" if number == 1 else f"{number} clauses"


def _read_header(line: str, number: int) -> tuple[int, int]:
    match = re.fullmatch(r"\s*p\s+cnf\s+([0-9]+)\s+([0-9]+)\s*", line)
    if match is None:
        raise DimacsError("expected 'p cnf VARIABLES CLAUSES'", number, 1)
    variables, clauses = _number(match[1]), _number(match[2])
    if variables == 0:
        raise DimacsError("there is no variable to search over", number, match.start(1) + 1)
    if variables is None or variables > _MOST:
        raise DimacsError(
            f"{_shown(match[1])} variables are more than the {_MOST:,} that circuits are built for",
            number,
            match.start(1) + 1,
        )
    if clauses is None:
        raise DimacsError(
            f"{_shown(match[2])} clauses are more than any file has", number, match.start(2) + 1
        )
    return variables, clauses


def _number(digits: str) -> int | None:
    """None for a number too long to be meant, or for Python to read."""
    short = digits.lstrip("+-0") or "0"
    if len(short) >= 20:
        return None
    return -int(short) if digits[0] == "-" else int(short)


def _shown(digits: str) -> str:
    short = digits.lstrip("0") or "0"
    return short if len(short) < 20 else f"{short[:8]}... ({len(short)} digits)"
