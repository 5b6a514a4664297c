"""Oracles: a classical truth, and circuits tested against it."""

from qmastermind.oracle.algebra import ExpressionOracle
from qmastermind.oracle.base import Meter, Oracle, ValueOracle
from qmastermind.oracle.consistency import ConsistencyOracle
from qmastermind.oracle.cost import OracleCost
from qmastermind.oracle.dimacs import DimacsError, from_dimacs
from qmastermind.oracle.formula import FormulaError, from_formula
from qmastermind.oracle.match import MatchOracle
from qmastermind.oracle.pegs import (
    BlackPegOracle,
    ColourPairOracle,
    colour_pair_by_kickback,
    parity_by_kickback,
    phase_by_kickback,
)
from qmastermind.oracle.problems import exact_cover, graph_colouring, subset_sum, sudoku
from qmastermind.oracle.table import TableOracle, from_predicate
from qmastermind.oracle.variables import Variable, Variables, bits

__all__ = [
    "BlackPegOracle",
    "ColourPairOracle",
    "ConsistencyOracle",
    "DimacsError",
    "ExpressionOracle",
    "FormulaError",
    "MatchOracle",
    "Meter",
    "Oracle",
    "OracleCost",
    "TableOracle",
    "ValueOracle",
    "Variable",
    "Variables",
    "bits",
    "colour_pair_by_kickback",
    "exact_cover",
    "from_dimacs",
    "from_formula",
    "from_predicate",
    "graph_colouring",
    "parity_by_kickback",
    "phase_by_kickback",
    "subset_sum",
    "sudoku",
]
