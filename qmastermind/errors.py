"""Every error that qmastermind raises on purpose.

QmastermindError
├── UsageError (ValueError)          the caller's input; exit code 2 on the command line
│   ├── CodeSyntaxError              a code that cannot be read, with the position of the fault
│   ├── QasmError                    OpenQASM that cannot be read, with line and column
│   ├── CircuitError                 a circuit that cannot be built
│   ├── UnknownNameError (LookupError)  no backend, solver or rule set of that name
│   ├── TooLargeError                more qubits, codes or memory than there are
│   └── UnsupportedError             the backend or solver cannot do what is asked
├── MissingDependencyError (ImportError)  an extra that is not installed; exit code 2
├── BackendError                     a framework failed; exit code 1
└── ConflictError                    answers that no code satisfies; exit code 1
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class QmastermindError(Exception):
    """Base of all our errors. ``exit_code`` is what the command line ends with."""

    exit_code = 1


class UsageError(QmastermindError, ValueError):
    """Input that cannot be used: says what was given, what was expected, what to do."""

    exit_code = 2


class CodeSyntaxError(UsageError):
    """A code that cannot be read.

    Args:
        message: What is wrong.
        text: The text as given.
        position: 0-based index of the fault in ``text``.
    """

    def __init__(self, message: str, text: str, position: int) -> None:
        self.text = text
        self.position = position
        super().__init__(f"{message}\n  {text}\n  {' ' * position}^")


class QasmError(UsageError):
    """OpenQASM that cannot be read.

    Args:
        message: What is wrong.
        text: The source.
        line: Line of the fault, counted from 1.
        column: Column of the fault, counted from 1.
    """

    def __init__(self, message: str, text: str, line: int, column: int) -> None:
        self.line = line
        self.column = column
        lines = text.splitlines()
        source = lines[line - 1] if 0 < line <= len(lines) else ""
        caret = "".join("\t" if c == "\t" else " " for c in source[: column - 1])
        super().__init__(f"line {line}, column {column}: {message}\n  {source}\n  {caret}^")


class CircuitError(UsageError):
    """A circuit, register or gate application that makes no sense."""


class UnknownNameError(UsageError, LookupError):
    """A name that is not registered; the message lists those that are."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = get_close_matches(name, names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        super().__init__(f"unknown {kind} {name!r}; known: {', '.join(names) or 'none'}.{hint}")


class TooLargeError(UsageError):
    """The request needs more memory or qubits than there are; the message says what would fit."""


class UnsupportedError(UsageError):
    """The backend or solver cannot do this."""


class MissingDependencyError(QmastermindError, ImportError):
    """An optional dependency is missing.

    Args:
        what: Who needs it, for example ``backend 'qiskit'``.
        package: The distribution that is missing.
        extra: The extra of qmastermind that brings it.
    """

    exit_code = 2

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs {package}, which is not installed. "
            f"Install it with: pip install 'qmastermind[{extra}]'"
        )


class BackendError(QmastermindError):
    """A framework or device failed while it did what it should be able to do."""


class ConflictError(QmastermindError):
    """The answers given contradict each other: no code satisfies them all."""
