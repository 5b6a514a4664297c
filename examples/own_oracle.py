"""An oracle of your own: say what is marked, build the circuit, test one against the other.

Run: python examples/own_oracle.py
"""

import numpy as np

from qmastermind import Circuit, CircuitBuilder, Oracle, Register, get_backend
from qmastermind.algorithms import grover, plan
from qmastermind.oracle.base import all_bitstrings
from qmastermind.simulator import unitary


class Palindrome(Oracle):
    """Marks the bitstrings of six bits that read the same backwards."""

    num_bits = 6
    label = "palindrome"

    def _marks(self, x: str) -> bool:
        return x == x[::-1]

    def _phase(self, angle: float) -> Circuit:
        builder = CircuitBuilder(Register("x", 6))
        for q in range(3):
            builder.x(q, [5 - q])  # 0 where the two bits agree
        builder.phase_on(angle, [0, 1, 2], [0, 0, 0])
        for q in range(3):
            builder.x(q, [5 - q])
        return builder.build()


def main() -> None:
    oracle = Palindrome()
    signs = [-1 if oracle.marks(x) else 1 for x in all_bitstrings(6)]
    assert np.allclose(unitary(oracle.phase()), np.diag(signs))

    marked = len(list(oracle.marked()))
    circuit = grover(oracle, plan=plan(64, marked, exact=True))
    counts = get_backend("statevector").run(circuit.measured(), shots=200, seed=1).counts
    print(f"{marked} palindromes; 200 shots found {len(counts)} of them:", *sorted(counts))
    assert all(oracle.marks(x) for x in counts)


if __name__ == "__main__":
    main()
