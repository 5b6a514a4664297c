"""Grover's search for the secret among coded guesses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from qmastermind.algorithms.grover import grover, plan
from qmastermind.encoding import Encoding, Space
from qmastermind.game import Codemaker
from qmastermind.registry import get_backend
from qmastermind.solver import Solution, Solver
from qmastermind.solvers.common import lowered_resources, verify


@dataclass(frozen=True)
class GroverSolver(Solver):
    """Amplifies the secret with the match oracle, measures, and checks the most frequent code.

    Attributes:
        backend: Name of the backend that runs the circuit.
        space: Search ``valid`` codes only, or ``all`` bitstrings.
        exact: Match the phase so that the success probability is 1.
        iterations: Number of iterations; default the best.
        fidelity: What noise leaves over of each iteration, to choose the best by.
        shots: Number of samples.
        seed: Makes the samples repeat.
    """

    name: ClassVar[str] = "grover"
    summary: ClassVar[str] = "Grover's search with an oracle that marks the secret"

    backend: str = "statevector"
    space: Space = "valid"
    exact: bool = False
    iterations: int | None = None
    fidelity: float | None = None
    shots: int = 1024
    seed: int | None = None

    def solve(self, codemaker: Codemaker) -> Solution:
        """Runs one search.

        Returns:
            ``details`` has ``iterations``, ``angle``, ``success_probability`` (exact where the
            backend is an exact simulator, else the share of the shots; ``success_source`` says
            which), ``expected_success_probability`` (without noise), ``forecast`` (with it, where
            a fidelity is given), ``counts`` (the most frequent codes; bitstrings that are no code
            in angle brackets), and the resources of the circuit lowered to the default basis.
        """
        backend = get_backend(self.backend)
        encoding = Encoding(codemaker.rules)
        search = plan(
            encoding.size(self.space),
            iterations=self.iterations,
            exact=self.exact,
            fidelity=self.fidelity,
        )
        circuit = grover(
            codemaker.match_oracle(encoding), encoding.prepare(self.space), plan=search
        )
        result = backend.run(circuit.measured(), self.shots, self.seed)

        top = result.counts.most_common()
        code = next((c for bits, _ in top if (c := encoding.decode(bits)) is not None), None)
        verified, guesses = (False, ()) if code is None else verify(codemaker, code)
        success, source = search.success_probability, "theory"
        if code is not None and verified:
            found = encoding.encode(code)
            if result.distribution is not None:
                success, source = result.distribution.probability(found), "exact"
            else:
                success, source = result.counts[found] / result.counts.shots, "sampled"
        elif result.distribution is None:
            success, source = 0.0, "sampled"
        details: dict[str, Any] = {
            "space": self.space,
            "iterations": search.iterations,
            "angle": search.angle,
            "success_probability": success,
            "success_source": source,
            "expected_success_probability": search.success_probability,
            **({} if search.forecast is None else {"forecast": search.forecast}),
            "shots": result.counts.shots,
            "counts": encoding.label_counts(result.counts, 12),
            **lowered_resources(circuit),
        }
        return Solution(code, verified, guesses, details)
