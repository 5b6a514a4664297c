"""A whole game by sampling codes that fit the answers, with no oracle of the codemaker's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qmastermind.algorithms.search import search_unknown
from qmastermind.encoding import Encoding
from qmastermind.errors import BackendError
from qmastermind.game import Code, Codemaker, Feedback
from qmastermind.oracle.consistency import ConsistencyOracle, Design
from qmastermind.registry import get_backend
from qmastermind.solver import Solution, Solver
from qmastermind.validation import check_seed


@dataclass(frozen=True)
class FeedbackSolver(Solver):
    """Guesses, turn after turn, a code drawn uniformly from those that fit every answer.

    Each code is found by Grover's search over a feedback-consistency oracle built from the
    history alone, for an unknown number of solutions. The quantum part needs no access to the
    codemaker; guesses are the only queries.

    Attributes:
        design: Of the oracle's circuit.
        max_qubits: What the structural designs may use; beyond that the table design takes over.
        backend: Name of the backend that runs the circuits.
        seed: Makes the whole game repeat.
    """

    name: ClassVar[str] = "grover-feedback"
    summary: ClassVar[str] = "plays whole games by quantum search over the codes that still fit"

    design: Design = "auto"
    max_qubits: int = 24
    backend: str = "statevector"
    seed: int | None = None

    def solve(self, codemaker: Codemaker) -> Solution:
        """Plays until all pegs are black.

        Returns:
            ``details`` has ``turns``: for each, the design and qubits of the oracle, its uses,
            the circuits run; and ``oracle_uses`` in all.
        """
        backend = get_backend(self.backend)
        rules = codemaker.rules
        encoding = Encoding(rules)
        rng = np.random.default_rng(check_seed(self.seed))
        history: list[tuple[Code, Feedback]] = []
        turns: list[dict[str, Any]] = []
        while True:
            if history:
                oracle = self._oracle(history, encoding)
                found = search_unknown(oracle, backend, int(rng.integers(2**31)), 1e-6)
                if found.bits is None:
                    raise BackendError("the search missed every code that fits the answers")
                guess = encoding.decode(found.bits)
                assert guess is not None  # the search checks what it returns
                turns.append(
                    {
                        "design": oracle.design,
                        "qubits": oracle.phase().num_qubits,
                        "oracle_uses": found.iterations,
                        "circuits": found.circuits,
                    }
                )
            else:
                guess = rules.random_code(rng)
            answer = codemaker.answer(guess)
            history.append((guess, answer))
            if answer.black == rules.positions:
                details = {
                    "turns": turns,
                    "oracle_uses": sum(t["oracle_uses"] for t in turns),
                }
                return Solution(guess, True, tuple(history), details)

    def _oracle(
        self, history: list[tuple[Code, Feedback]], encoding: Encoding
    ) -> ConsistencyOracle:
        if self.design != "auto":
            return ConsistencyOracle(history, encoding, self.design)
        return ConsistencyOracle.within(history, encoding, self.max_qubits)
