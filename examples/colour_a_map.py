"""Colour a map with three colours: one oracle, all its solutions.

Run: python examples/colour_a_map.py
"""

from qmastermind import get_backend
from qmastermind.algorithms.search import search_all
from qmastermind.oracle import graph_colouring

BORDERS = [("WA", "NT"), ("WA", "SA"), ("NT", "SA")]
NAMES = ("red", "green", "blue")


def main() -> None:
    oracle = graph_colouring(BORDERS, colours=3)
    print(
        f"{oracle.variables.num_assignments} colourings, the circuit has {oracle.cost.qubits} qubits"
    )
    *found, none_left = search_all(oracle, get_backend("statevector"), seed=7)
    for result in found:
        print({state[1:]: NAMES[colour] for state, colour in result.assignment.items()})
    print(f"no other, except with probability {none_left.failure_bound:.1g}")
    assert len(found) == len(list(oracle.marked()))


if __name__ == "__main__":
    main()
