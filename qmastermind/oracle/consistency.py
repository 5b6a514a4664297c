"""The oracle that does not know the secret: marks the codes that fit every answer so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

from qmastermind.circuit import Circuit
from qmastermind.encoding import Encoding
from qmastermind.errors import ConflictError, TooLargeError, UsageError
from qmastermind.game.code import Code
from qmastermind.game.feedback import Feedback, is_consistent, which_fit
from qmastermind.oracle.base import Oracle
from qmastermind.oracle.cost import cost_of
from qmastermind.oracle.feedback import consistency_counters, consistency_one_hot
from qmastermind.oracle.table import MAX_TABLE, TableOracle
from qmastermind.oracle.variables import Variable, Variables

Design: TypeAlias = Literal["auto", "counters", "one-hot", "table"]
History: TypeAlias = Sequence[tuple[Code, Feedback]]


class ConsistencyOracle(Oracle):
    """Marks the codes that, were they the secret, would have given every answer of a history.

    In games with repeats the phase of a bitstring that is no code is whatever is cheapest, so that
    the law of oracles holds on codes only: search over them, as :meth:`Variables.prepare` and the
    algorithms do, or ask for ``check_codes``. Where a colour may be used once, the assignments
    of the variables are more than the codes, and those that are none always get no phase.

    Three circuits obey it: ``counters`` counts black and all key pegs into small registers (few
    qubits), ``one-hot`` turns each peg into one bit a colour in place (few Toffolis), and ``table``
    lists the codes that fit, which knows the answer beforehand and is labelled so.

    Args:
        history: Guesses and their answers.
        encoding: Binary, with as many bits a peg as the colours need.
        design: ``auto`` takes the one with the fewest Toffolis among the first two that fit.
        max_qubits: What ``auto`` may use.
        check_codes: Give no phase to bitstrings that are no code, for some more gates; in games
            without repeats that is always done.

    Raises:
        ConflictError: If no code fits; names the first row that makes it impossible (for games
            that can be enumerated).
        UsageError: For an unknown design or encoding, or an answer that cannot occur.
    """

    label = "consistency"

    def __init__(
        self,
        history: History,
        encoding: Encoding,
        design: Design = "auto",
        max_qubits: int | None = None,
        *,
        check_codes: bool = False,
    ) -> None:
        rules = encoding.rules
        if encoding != Encoding(rules):
            raise UsageError("the consistency oracle reads the binary encoding without spare bits")
        self.history = tuple(_checked(row, encoding) for row in history)
        self.encoding = encoding
        self.num_bits = encoding.num_bits
        names = (f"peg{j}" for j in range(1, rules.positions + 1))
        self.__dict__["variables"] = Variables(tuple(Variable(n, rules.colours) for n in names))
        self.check_codes = check_codes or not rules.repeats
        self.consistent = _consistent_codes(self.history, encoding)
        self.design = self._choose(design, max_qubits)
        if self.design == "table":
            self.label = TableOracle.label

    @classmethod
    def within(
        cls, history: History, encoding: Encoding, max_qubits: int | None
    ) -> ConsistencyOracle:
        """The best structural design on so many qubits; where none fits, the table.

        Raises:
            TooLargeError: If none fits, and the game has too many codes to list.
            ConflictError: If no code fits.
        """
        try:
            return cls(history, encoding, "auto", max_qubits)
        except TooLargeError:
            if encoding.rules.num_codes > MAX_TABLE:
                raise
            return cls(history, encoding, "table")

    def _marks(self, x: str) -> bool:
        code = self.encoding.decode(x)
        return code is not None and is_consistent(code, self.history)

    def _phase(self, angle: float) -> Circuit:
        return self._circuit(self.design, angle)

    def _circuit(self, design: str, angle: float) -> Circuit:
        given = (self.history, self.encoding, angle)
        if design == "counters":
            return consistency_counters(*given, check_codes=self.check_codes)
        if design == "one-hot":
            return consistency_one_hot(*given, check_codes=self.check_codes)
        if self.consistent is None:
            raise TooLargeError(
                f"{self.encoding.rules} has too many codes to list; use the design 'counters'"
            )
        words = [self.encoding.encode(code) for code in self.consistent]
        return TableOracle(words, self.variables).phase(angle)

    def _choose(self, design: Design, max_qubits: int | None) -> str:
        if design == "auto":
            circuits = {name: self._circuit(name, math.pi) for name in ("counters", "one-hot")}
            fitting = {
                name: circuit
                for name, circuit in circuits.items()
                if max_qubits is None or circuit.num_qubits <= max_qubits
            }
            if not fitting:
                least = min(circuit.num_qubits for circuit in circuits.values())
                raise TooLargeError(
                    f"the history needs {least} qubits, more than {max_qubits}; the design "
                    f"'table' needs {self.num_bits}, but lists the answer"
                )
            return min(fitting, key=lambda name: cost_of(fitting[name]).toffolis)
        if design not in ("counters", "one-hot", "table"):
            raise UsageError(f"unknown design {design!r}; known: auto, counters, one-hot, table")
        return design


def _checked(row: tuple[Code, Feedback], encoding: Encoding) -> tuple[Code, Feedback]:
    if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != 2:
        raise UsageError(f"a row of a history is a guess and its answer, not {row!r}")
    guess, answer = row
    return encoding.rules.code(guess), encoding.rules.check_feedback(answer)


def _consistent_codes(
    history: Sequence[tuple[Code, Feedback]], encoding: Encoding
) -> tuple[Code, ...] | None:
    """The codes that fit, or None for a game too large to enumerate."""
    if encoding.rules.num_codes > MAX_TABLE:
        return None
    codes = encoding.rules.code_array()
    for row, (guess, answer) in enumerate(history, 1):
        codes = codes[which_fit(codes, guess, answer)]
        if not len(codes):
            raise ConflictError(
                f"no code fits the answers: row {row}, {guess} with {answer}, makes it impossible"
            )
    return tuple(map(encoding.rules.code, codes.tolist()))
