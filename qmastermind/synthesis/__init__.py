"""Lowering and synthesis: multi-controlled gates, diagonals, states, arithmetic, oracles."""

from qmastermind.synthesis.explanation import Choice, Explanation
from qmastermind.synthesis.fault_tolerance import measured_t_count
from qmastermind.synthesis.lowering import lower
from qmastermind.synthesis.policy import OBJECTIVES, Objective, Policy
from qmastermind.synthesis.preparation import real_state, uniform

__all__ = [
    "OBJECTIVES",
    "Choice",
    "Explanation",
    "Objective",
    "Policy",
    "lower",
    "measured_t_count",
    "real_state",
    "uniform",
]
