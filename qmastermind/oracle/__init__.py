"""Oracles: a classical truth, and circuits tested against it."""

from qmastermind.oracle.base import Meter, Oracle, ValueOracle
from qmastermind.oracle.match import MatchOracle
from qmastermind.oracle.pegs import (
    BlackPegOracle,
    ColourPairOracle,
    colour_pair_by_kickback,
    parity_by_kickback,
    phase_by_kickback,
)

__all__ = [
    "BlackPegOracle",
    "ColourPairOracle",
    "MatchOracle",
    "Meter",
    "Oracle",
    "ValueOracle",
    "colour_pair_by_kickback",
    "parity_by_kickback",
    "phase_by_kickback",
]
