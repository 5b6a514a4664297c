"""The exact search of all pegs at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from qmastermind.algorithms.adaptive import Variant, adaptive, adaptive_plan
from qmastermind.encoding import Encoding
from qmastermind.game import Code, Codemaker
from qmastermind.registry import get_backend
from qmastermind.results import Counts
from qmastermind.solver import Solution, Solver
from qmastermind.solvers.common import lowered_resources, verify


@dataclass(frozen=True)
class AdaptiveSolver(Solver):
    """Finds the secret with certainty in m(k) uses of the black-peg oracle.

    Every peg is decided by the majority of its own bits.

    Attributes:
        variant: Which schedule: ``auto``, ``phases``, ``blanks`` or ``padded``.
        counting: Use the counting oracle with its counter, not the phase oracle.
        backend: Name of the backend that runs the circuit.
        shots: Number of samples.
        seed: Makes the samples repeat.
    """

    name: ClassVar[str] = "adaptive"
    summary: ClassVar[str] = "exact search of all pegs at once, in the fewest black-peg queries"

    variant: Variant = "auto"
    counting: bool = False
    backend: str = "statevector"
    shots: int = 1024
    seed: int | None = None

    def solve(self, codemaker: Codemaker) -> Solution:
        """Runs one circuit.

        Returns:
            ``details`` as for Grover's search, with ``iterations`` the number of black-peg
            queries, and the ``variant`` that was used.
        """
        backend = get_backend(self.backend)
        plan = adaptive_plan(codemaker.rules, self.variant)
        oracle = codemaker.black_peg_oracle(plan.encoding)
        circuit = adaptive(oracle, plan, self.counting)
        result = backend.run(circuit.measured(), self.shots, self.seed)
        code = majority_code(result.counts, plan.encoding)
        verified, guesses = (False, ()) if code is None else verify(codemaker, code)
        success, source = 0.0, "sampled"
        if code is not None and verified:
            found = plan.encoding.encode(code)
            success = result.counts.get(found, 0) / result.counts.shots
            if result.distribution is not None:
                success, source = min(1.0, result.distribution.probability(found)), "exact"
        details: dict[str, Any] = {
            "variant": plan.variant,
            "oracle": "black-peg count" if self.counting else "black-peg phase",
            "iterations": plan.queries,
            "success_probability": success,
            "success_source": source,
            "shots": result.counts.shots,
            "counts": plan.encoding.label_counts(result.counts, 12),
            **lowered_resources(circuit),
        }
        return Solution(code, verified, guesses, details)


def majority_code(counts: Counts, encoding: Encoding) -> Code | None:
    """The code whose every peg is the most frequent colour at its position, or None."""
    pegs = []
    for span in encoding.peg_slices:
        colours = (encoding.decode_peg(bits) for bits, _ in counts.marginal(span).most_common())
        peg = next((c for c in colours if c is not None), None)
        if peg is None:
            return None
        pegs.append(peg)
    return encoding.decode("".join(encoding.encode_peg(peg) for peg in pegs))
