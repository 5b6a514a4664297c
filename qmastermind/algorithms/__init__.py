"""Search algorithms, each a circuit and the numbers that go with it."""

from qmastermind.algorithms.adaptive import AdaptivePlan, adaptive, adaptive_plan, num_queries
from qmastermind.algorithms.deutsch import (
    colour_pairs,
    decode_memberships,
    pair_query,
    two_colour_query,
)
from qmastermind.algorithms.grover import (
    GroverPlan,
    diffuser,
    grover,
    hadamards,
    iteration,
    plan,
    plan_from_share,
    success_probability,
)

__all__ = [
    "AdaptivePlan",
    "GroverPlan",
    "adaptive",
    "adaptive_plan",
    "colour_pairs",
    "decode_memberships",
    "diffuser",
    "grover",
    "hadamards",
    "iteration",
    "num_queries",
    "pair_query",
    "plan",
    "plan_from_share",
    "success_probability",
    "two_colour_query",
]
