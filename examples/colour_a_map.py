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
    size, qubits = oracle.variables.num_assignments, oracle.cost.qubits
    print(f"{size} colourings, the circuit has {qubits} qubits")
    backend = get_backend("statevector")
    *found, none_left = search_all(oracle, backend, seed=7, failure_bound=0.01)
    for result in found:
        print({state[1:]: NAMES[colour] for state, colour in result.assignment.items()})
    print(f"no other, except with probability {none_left.failure_bound:.1g}")
    assert len(found) == len(list(oracle.marked()))


if __name__ == "__main__":
    main()
