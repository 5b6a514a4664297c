"""Which ancillas a lowering may use, and what it aims for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from qmastermind.errors import UsageError
from qmastermind.validation import whole

Objective: TypeAlias = Literal["two_qubit", "depth", "t_count", "qubits"]
"""What is made least first: two-qubit gates, depth, T gates, or ancillas."""

OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


@dataclass(frozen=True)
class Policy:
    """Where multi-controlled gates may find ancillas.

    Ancilla registers that the circuit has are always used where they are known to be |0>.

    Attributes:
        clean: At most this many qubits in |0> are added, in one ancilla register.
        borrow: Whether qubits of the circuit that a gate does not touch may be borrowed: in any
            state, restored afterwards.
        spare: Whether the qubits that a target has beyond the circuit's may be used as clean
            ancillas; ``clean`` then bounds their number, and 0 means as many as there are.

    Raises:
        UsageError: If ``clean`` is negative or not whole.
    """

    clean: int = 0
    borrow: bool = True
    spare: bool = False

    def __post_init__(self) -> None:
        whole(self.clean, "the number of clean ancillas", 0)

    @classmethod
    def none(cls) -> Policy:
        """No ancilla of any kind."""
        return cls(borrow=False)


def check_objective(objective: str) -> None:
    """Raises UsageError for an unknown objective."""
    if objective not in OBJECTIVES:
        raise UsageError(f"unknown objective {objective!r}; known: {', '.join(OBJECTIVES)}")
