"""Fair comparison of compilers: one circuit, many frameworks and targets, one counter.

Every compiled result is brought back into the neutral form, counted by the one counter, and checked
against the original; a row that was not shown equivalent is marked and never ranked.
"""

from qmastermind.compare.cases import CIRCUITS, TARGETS, build_case, build_target
from qmastermind.compare.cells import OURS, Cell, Row
from qmastermind.compare.figures import FIGURES
from qmastermind.compare.main import compare
from qmastermind.compare.runner import default_cache, in_order, run_cells
from qmastermind.compare.suites import FRAMEWORKS, LEVELS, SUITES, grid, suite
from qmastermind.compare.tables import blocks, to_csv, to_json, to_markdown

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
