"""Oracles whose marked inputs are listed: from a predicate, or from a set.

Listing is classical work over all inputs; a circuit made from the list is **synthesised from a
truth table**, and says nothing about what a search costs that does not know the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product

import numpy as np

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.oracle.base import Oracle
from qmastermind.oracle.variables import Variables, check_bits
from qmastermind.synthesis.boolean import LABEL, flip_circuit, phase_circuit

MAX_TABLE = 2**20
_FEW = 16  # beyond, a controlled diagonal is cheaper than products


class TableOracle(Oracle):
    """Marks the inputs of a list.

    Args:
        marked: Bitstrings.
        variables: What the bits stand for.

    Raises:
        UsageError: For a bitstring of another length, or one that is no assignment.
    """

    label = LABEL

    def __init__(self, marked: Iterable[str], variables: Variables) -> None:
        self.num_bits = variables.num_bits
        self.__dict__["variables"] = variables
        self._marked = frozenset(marked)
        for x in self._marked:
            check_bits(x, self.num_bits)
            if variables.decode(x) is None:
                raise UsageError(f"{x!r} has a value beyond its variable's size")

    def _marks(self, x: str) -> bool:
        return x in self._marked

    def _phase(self, angle: float) -> Circuit:
        if len(self._marked) == 2**self.num_bits:
            builder = CircuitBuilder(Register("x", self.num_bits))
            builder.global_phase = angle
            return builder.build()
        return phase_circuit(self.num_bits, self._states, angle)

    def _bit_flip(self) -> Circuit:
        if len(self._marked) > _FEW:
            return super()._bit_flip()
        return flip_circuit(self.num_bits, self._states)

    @property
    def num_marked(self) -> int:
        """Number of marked inputs."""
        return len(self._marked)

    @property
    def _states(self) -> list[int]:
        return sorted(int(x, 2) for x in self._marked)


def from_predicate(predicate: Callable[..., bool], variables: Variables) -> TableOracle:
    """Evaluates a Python function on every assignment.

    Args:
        predicate: Called with one keyword argument a variable; returns True or False, or 1 or 0.
        variables: At most 2^20 assignments.

    Raises:
        TooLargeError: For more assignments; a structural oracle has no such limit.
        UsageError: If the predicate raises or returns something else, with the assignment.
    """
    if variables.num_assignments > MAX_TABLE:
        raise TooLargeError(
            f"a predicate over {variables.num_assignments:,} assignments is too large to tabulate "
            f"(at most {MAX_TABLE:,}); write it as a formula or as DIMACS, whose circuits follow "
            "the structure"
        )
    marked = []
    for values in product(*(range(v.size) for v in variables)):
        assignment = dict(zip(variables.names, values, strict=True))
        if _evaluate(predicate, assignment):
            marked.append(variables.encode(assignment))
    return TableOracle(marked, variables)


def _evaluate(predicate: Callable[..., bool], assignment: Mapping[str, int]) -> bool:
    shown = ", ".join(f"{name}={value}" for name, value in assignment.items())
    try:
        answer = predicate(**assignment)
    except (Exception, SystemExit) as error:
        problem = f"{type(error).__name__}: {error}"
        raise UsageError(f"the predicate raised {problem} for {shown}") from error
    if not (isinstance(answer, int | np.integer | np.bool_) and answer in (0, 1)):
        raise UsageError(f"the predicate returned {answer!r}, not True or False, for {shown}")
    return bool(answer)
