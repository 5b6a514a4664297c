"""OpenQASM in: registers, statements and their broadcasts; gates are in the module ``expand``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from qmastermind.circuit import (
    MAX_OPERATIONS,
    Barrier,
    Circuit,
    Measure,
    Operation,
    Register,
    Reset,
)
from qmastermind.errors import CircuitError, QasmError, UsageError
from qmastermind.qasm.expand import GateSet
from qmastermind.qasm.names import read_note
from qmastermind.qasm.parse2 import parse2
from qmastermind.qasm.parse3 import parse3
from qmastermind.qasm.program import (
    Call,
    Clear,
    Declaration,
    Definition,
    Fence,
    Measurement,
    Operand,
    Position,
    Program,
)

_VERSION = re.compile(r"(?:\s+|//[^\n]*\n|/\*.*?\*/)*OPENQASM\s+(\d+)", re.DOTALL)


def from_qasm(text: str) -> Circuit:
    """Reads OpenQASM 2.0 or 3, as the text says it is; without a version it is 3.

    Gates that the text defines are replaced by their bodies, except for the definitions that
    :func:`to_qasm2` and :func:`to_qasm3` write: those become the gates that they stand for. In
    version 3 there may be no classical control, and no constants or aliases.

    Raises:
        QasmError: If it cannot be read, with line and column.
        MissingDependencyError: If it is version 3 and its parser is not installed.
    """
    text = text.removeprefix("\ufeff")  # a byte order mark is no content
    version = _VERSION.match(text)
    if not re.sub(r"//.*|/\*[\s\S]*?\*/", "", text).strip():
        raise QasmError("the text is empty", text, 1, 1)
    try:
        program = parse2(text) if version and version[1] == "2" else parse3(text)
        return _Reader(program).circuit()
    except RecursionError:
        raise QasmError("expressions or gates are nested too deeply", text, 1, 1) from None
    except ValueError as error:  # Python reads no whole numbers of thousands of digits
        if "integer string conversion" not in str(error):
            raise
        raise QasmError("a number has too many digits", text, 1, 1) from None


def read_file(path: Path) -> Circuit:
    """Reads a file, as :func:`from_qasm` does.

    Raises:
        UsageError: If the file cannot be read.
        QasmError: If its content cannot.
        MissingDependencyError: If it is version 3 and its parser is not installed.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot read {path}: {reason}") from error
    try:
        return from_qasm(text)
    except QasmError as error:
        error.args = (f"{path}, {error}",)
        raise


MAX_QUBITS = 100_000
"""Far more than any device has, and few enough to go through; so for classical bits."""


@dataclass(frozen=True)
class _Variable:
    """A declared name: what it is, and where its elements are in the circuit."""

    quantum: bool
    where: range
    is_array: bool


class _Reader:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._lines = program.text.splitlines()
        self._gates = GateSet(program)
        self._variables: dict[str, _Variable] = {}
        self._registers: list[Register] = []
        self._num_qubits = 0
        self._num_bits = 0
        self._operations: list[Operation] = []
        self._phase = 0.0

    def circuit(self) -> Circuit:
        """Goes through the statements."""
        for statement in self._program.statements:
            match statement:
                case Declaration():
                    self._declare(statement)
                case Definition():
                    self._gates.define(statement)
                case Call():
                    for qubits in self._broadcast(statement):
                        gates, phase = self._gates.expand(statement, qubits, {})
                        self._operations += gates
                        if len(self._operations) > MAX_OPERATIONS:
                            self._fail(f"more than {MAX_OPERATIONS:,} operations", statement.at)
                        self._phase += phase
                case Fence():
                    listed = [q for o in statement.operands for q in self._where(o, True)]
                    qubits = tuple(listed if statement.operands else range(self._num_qubits))
                    self._require_distinct(qubits, statement.at)
                    self._operations.append(Barrier(qubits))
                case Measurement():
                    self._measure(statement)
                case Clear():
                    self._operations += map(Reset, self._where(statement.operand, True))
        return Circuit(tuple(self._registers), tuple(self._operations), self._num_bits, self._phase)

    def _fail(self, message: str, at: Position) -> NoReturn:
        raise self._program.error(message, at)

    def _declare(self, declaration: Declaration) -> None:
        name, at = declaration.name, declaration.at
        if name in self._variables:
            self._fail(f"{name!r} is declared twice", at)
        size = 1 if declaration.size is None else declaration.size
        start = self._num_qubits if declaration.quantum else self._num_bits
        if start + size > MAX_QUBITS:
            self._fail(f"at most {MAX_QUBITS:,} qubits and as many bits can be read", at)
        where = range(start, start + size)
        self._variables[name] = _Variable(declaration.quantum, where, declaration.size is not None)
        if not declaration.quantum:
            self._num_bits += size
            return
        original, ancilla = read_note(self._lines[at.line - 1]) or (name, False)
        if any(register.name == original for register in self._registers):
            self._fail(f"there is a register {original!r} already", at)
        try:
            self._registers.append(Register(original, size, ancilla))
        except CircuitError as error:
            self._fail(str(error), at)
        self._num_qubits += size

    def _where(self, operand: Operand, quantum: bool) -> range:
        """The qubits or bits that an operand means."""
        kind = "qubits" if quantum else "bits"
        variable = self._variables.get(operand.name)
        if variable is None or variable.quantum is not quantum:
            self._fail(f"there is no register of {kind} {operand.name!r}", operand.at)
        if operand.index is None:
            return variable.where
        if not variable.is_array or operand.index >= len(variable.where):
            size = len(variable.where)
            self._fail(
                f"{operand.name!r} has {size} {kind}, so there is no {operand.index}", operand.at
            )
        return variable.where[operand.index : operand.index + 1]

    def _require_distinct(self, qubits: Sequence[int], at: Position) -> None:
        if len(set(qubits)) < len(qubits):
            self._fail("a qubit occurs twice in one operation", at)

    def _broadcast(self, call: Call) -> Iterator[tuple[int, ...]]:
        """The qubits of each application: whole registers are gone through together."""
        places = [self._where(operand, True) for operand in call.operands]
        whole = [o.index is None and self._variables[o.name].is_array for o in call.operands]
        sizes = {len(p) for p, w in zip(places, whole, strict=True) if w}
        if len(sizes) > 1:
            named = " and ".join(map(str, sorted(sizes)))
            self._fail(f"registers of {named} qubits cannot be gone through together", call.at)
        for i in range(sizes.pop() if sizes else 1):
            qubits = tuple(p[i] if w else p[0] for p, w in zip(places, whole, strict=True))
            self._require_distinct(qubits, call.at)
            yield qubits

    def _measure(self, statement: Measurement) -> None:
        qubits = self._where(statement.source, True)
        bits = self._where(statement.target, False)
        if len(qubits) != len(bits):
            self._fail(f"{len(qubits)} qubits do not fit into {len(bits)} bits", statement.at)
        self._operations += map(Measure, qubits, bits)
