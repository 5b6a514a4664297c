"""What a lowering chose, among what, and at which cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from qmastermind.synthesis.constructions import Candidate, Task, candidates, representative, useful
from qmastermind.synthesis.policy import Objective


@dataclass
class Choice:
    """One kind of gate, and how it was done.

    Attributes:
        task: The gate.
        basis: Where costs are counted.
        clean: Clean ancillas that were at hand.
        borrowed: Borrowed ancillas that were at hand.
        chosen: What was taken.
        uses: How often.
    """

    task: Task
    basis: frozenset[str]
    clean: int
    borrowed: int
    chosen: Candidate
    uses: int

    def candidates(self) -> tuple[Candidate, ...]:
        """All constructions that there were, each with its cost on its own."""
        limits = useful(self.task, self.clean, self.borrowed)
        return candidates(self.task, self.basis, *limits, all_of_them=True)


@dataclass
class Explanation:
    """The choices of a lowering.

    Attributes:
        objective: What was made least.
        choices: One for each kind of gate and number of ancillas at hand.
        held: How many flips kept their inner ANDs in ancillas until they were undone.
    """

    objective: Objective
    choices: list[Choice] = field(default_factory=list)
    held: int = 0

    def record(
        self, task: Task, basis: frozenset[str], clean: int, borrowed: int, chosen: Candidate
    ) -> None:
        """Notes one use of a construction."""
        task = representative(task)
        for choice in self.choices:
            if (choice.task, choice.clean, choice.borrowed) == (task, clean, borrowed):
                choice.uses += 1
                return
        self.choices.append(Choice(task, basis, clean, borrowed, chosen, 1))

    def __str__(self) -> str:
        lines = [f"objective: {self.objective}"]
        for choice in self.choices:
            lines.append(
                f"{choice.task}: {choice.uses} used, {choice.clean} clean and "
                f"{choice.borrowed} borrowed ancillas at hand"
            )
            for c in choice.candidates():
                mark = "*" if c == choice.chosen else " "
                lines.append(
                    f" {mark} {c.name} [{c.clean} clean, {c.borrowed} borrowed]: "
                    f"{c.two_qubit_gates} two-qubit gates, two-qubit depth {c.two_qubit_depth}, "
                    f"depth {c.depth}, {c.t_gates} T; {c.source}"
                )
        if self.held:
            lines.append(f"{self.held} flips kept their inner ANDs in ancillas until undone")
        return "\n".join(lines)
