"""Search algorithms, each a circuit and the numbers that go with it."""

from qmastermind.algorithms.deutsch import decode_memberships, pair_query
from qmastermind.algorithms.grover import (
    GroverPlan,
    diffuser,
    grover,
    hadamards,
    iteration,
    plan,
    success_probability,
)

__all__ = [
    "GroverPlan",
    "decode_memberships",
    "diffuser",
    "grover",
    "hadamards",
    "iteration",
    "pair_query",
    "plan",
    "success_probability",
]
