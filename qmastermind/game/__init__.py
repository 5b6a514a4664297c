"""The game: rules, codes, feedback, codemaker. The one copy of the rules."""

from qmastermind.game.code import COLOUR_LETTERS, COLOUR_NAMES, Code
from qmastermind.game.codemaker import Codemaker, QueryCounts
from qmastermind.game.feedback import Feedback, feedback, is_consistent
from qmastermind.game.rules import RULE_SETS, Rules

__all__ = [
    "COLOUR_LETTERS",
    "COLOUR_NAMES",
    "RULE_SETS",
    "Code",
    "Codemaker",
    "Feedback",
    "QueryCounts",
    "Rules",
    "feedback",
    "is_consistent",
]
