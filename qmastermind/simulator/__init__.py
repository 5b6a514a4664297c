"""The embedded statevector simulator: the default backend, needs no framework."""

from qmastermind.simulator.backend import StatevectorBackend
from qmastermind.simulator.evolution import statevector, unitary

__all__ = ["StatevectorBackend", "statevector", "unitary"]
