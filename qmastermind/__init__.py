"""qmastermind: oracles and search circuits built once, compiled to any quantum framework.

The types to know: :class:`~qmastermind.circuit.Circuit` and the
:class:`~qmastermind.builder.CircuitBuilder` that makes one;
:class:`~qmastermind.oracle.Oracle`, a predicate with its circuits; the functions of
:mod:`qmastermind.algorithms`; :class:`~qmastermind.backend.Backend`, found by name with
:func:`~qmastermind.registry.get_backend`; and, for the game,
:class:`~qmastermind.game.Rules` and :class:`~qmastermind.game.Codemaker`.
"""

from importlib.metadata import version
from typing import TYPE_CHECKING

from qmastermind.backend import Backend, Capability, Compiled, Job, Result
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Phases, Register
from qmastermind.encoding import Encoding
from qmastermind.errors import QmastermindError, UsageError
from qmastermind.game import Code, Codemaker, Feedback, Rules, feedback, is_consistent
from qmastermind.gates import Gate
from qmastermind.oracle import Oracle, ValueOracle
from qmastermind.registry import (
    get_backend,
    get_solver,
    registered_backends,
    registered_solvers,
)
from qmastermind.resources import Resources, count
from qmastermind.results import Counts, Distribution
from qmastermind.solver import Solution, Solver
from qmastermind.target import Target

if TYPE_CHECKING:
    from qmastermind.comparison import compare

__version__ = version("qmastermind")

__all__ = [
    "Backend",
    "Capability",
    "Circuit",
    "CircuitBuilder",
    "Code",
    "Codemaker",
    "Compiled",
    "Counts",
    "Distribution",
    "Encoding",
    "Feedback",
    "Gate",
    "Job",
    "Oracle",
    "Phases",
    "QmastermindError",
    "Register",
    "Resources",
    "Result",
    "Rules",
    "Solution",
    "Solver",
    "Target",
    "UsageError",
    "ValueOracle",
    "__version__",
    "compare",
    "count",
    "feedback",
    "get_backend",
    "get_solver",
    "is_consistent",
    "registered_backends",
    "registered_solvers",
]


def __getattr__(name: str) -> object:
    if name == "compare":  # few need it, and it takes as long to import as all the rest
        from qmastermind.comparison import compare

        return compare
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
