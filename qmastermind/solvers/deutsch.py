"""The pairwise-colour searches: fixed queries that no entangling gate takes part in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from qmastermind.algorithms.deutsch import (
    Pair,
    Pairs,
    colour_pairs,
    decode_memberships,
    pair_query,
)
from qmastermind.errors import UsageError
from qmastermind.game import Code, Codemaker
from qmastermind.registry import get_backend
from qmastermind.results import Counts
from qmastermind.solver import Solution, Solver
from qmastermind.solvers.common import lowered_resources, verify


@dataclass(frozen=True)
class DeutschSolver(Solver):
    """Asks about pairs of colours, and decodes the answers classically.

    Every position is decided by the majority of its own bit, so that noise on one position does
    not spoil the others.

    Attributes:
        pairs: ``star`` (each colour with the first, as published), ``paths`` (about a third
            fewer queries) or ``blank`` (each colour against an empty hole).
        backend: Name of the backend that runs the circuits.
        shots: Number of samples of each query.
        seed: Makes the samples repeat.
    """

    name: ClassVar[str] = "deutsch"
    summary: ClassVar[str] = "non-adaptive queries about pairs of colours"

    pairs: Pairs = "star"
    backend: str = "statevector"
    shots: int = 1024
    seed: int | None = None

    def solve(self, codemaker: Codemaker) -> Solution:
        """Runs one circuit for each pair.

        Returns:
            ``details`` has ``success_probability`` (that one shot a query is enough: exact
            where the backend is an exact simulator, else estimated from the shots),
            ``memberships`` (the decided bits by pair), ``counts`` (the code found, with the
            smallest number of shots that any query gave for it), and the resources of one query
            lowered to the default basis.

        Raises:
            UsageError: For two colours, where the pairwise queries carry no information.
        """
        rules = codemaker.rules
        pairs = colour_pairs(rules.colours, self.pairs)
        backend = get_backend(self.backend)
        memberships: list[str] = []
        agreeing: list[int] = []
        success, source = 1.0, "exact"
        circuit = None
        for number, pair in enumerate(pairs):
            circuit = pair_query(codemaker.colour_pair_oracle(*pair))
            seed = None if self.seed is None else self.seed + number
            result = backend.run(circuit, self.shots, seed)
            bits = majority(result.counts)
            memberships.append(bits)
            agreeing.append(result.counts.get(bits, 0))
            if result.distribution is not None:
                success *= result.distribution.probability(bits)
            else:
                success *= agreeing[-1] / result.counts.shots
                source = "sampled"
        try:
            code: Code | None = rules.code(decode_memberships(pairs, memberships))
        except UsageError:  # noise gave answers that fit no code
            code = None
        verified, guesses = (False, ()) if code is None else verify(codemaker, code)
        assert circuit is not None  # there is at least one pair
        details: dict[str, Any] = {
            "iterations": 1,
            "success_probability": min(success, 1.0) if verified else 0.0,
            "success_source": source,
            "shots": self.shots,
            "memberships": dict(zip(map(_name, pairs), memberships, strict=True)),
            "counts": {} if code is None else {str(code): min(agreeing)},
            **lowered_resources(circuit),
        }
        return Solution(code, verified, guesses, details)


def majority(counts: Counts) -> str:
    """For each bit, the value that most shots gave."""
    width = len(next(iter(counts)))
    ones = [sum(n for bits, n in counts.items() if bits[i] == "1") for i in range(width)]
    return "".join("1" if 2 * n > counts.shots else "0" for n in ones)


def _name(pair: Pair) -> str:
    letters = ["-" if c is None else str(Code((c,))) for c in pair]
    return ("" if all(len(x) == 1 for x in letters) else " ").join(letters)
