"""Fair comparison of compilers: one circuit, many frameworks and targets, one counter.

Every compiled result is brought back into the neutral form, counted by the one counter, and checked
against the original; a row that was not shown equivalent is marked and never ranked.
"""

from qmastermind.comparison.cases import CIRCUITS, TARGETS, build_case, build_target
from qmastermind.comparison.cells import OURS, Cell, Row
from qmastermind.comparison.figures import FIGURES
from qmastermind.comparison.main import compare
from qmastermind.comparison.runner import default_cache, in_order, run_cells
from qmastermind.comparison.suites import FRAMEWORKS, LEVELS, SUITES, grid, suite
from qmastermind.comparison.tables import blocks, to_csv, to_json, to_markdown

__all__ = [
    "CIRCUITS",
    "FIGURES",
    "FRAMEWORKS",
    "LEVELS",
    "OURS",
    "SUITES",
    "TARGETS",
    "Cell",
    "Row",
    "blocks",
    "build_case",
    "build_target",
    "compare",
    "default_cache",
    "grid",
    "in_order",
    "run_cells",
    "suite",
    "to_csv",
    "to_json",
    "to_markdown",
]
