"""The quantum solvers. They see a codemaker and nothing else."""

from qmastermind.solvers.deutsch import DeutschSolver
from qmastermind.solvers.grover import GroverSolver

__all__ = ["DeutschSolver", "GroverSolver"]
