"""The quantum solvers. They see a codemaker and nothing else."""

from qmastermind.solvers.adaptive import AdaptiveSolver
from qmastermind.solvers.deutsch import DeutschSolver
from qmastermind.solvers.feedback import FeedbackSolver
from qmastermind.solvers.grover import GroverSolver

__all__ = ["AdaptiveSolver", "DeutschSolver", "FeedbackSolver", "GroverSolver"]
