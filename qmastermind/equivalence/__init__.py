"""Whether two circuits, or a circuit and what a compiler made of it, do the same.

The same means: for every state of the data qubits, with all other qubits in |0>, the two leave the
same state of the data qubits, up to one phase for all inputs, and the other qubits in |0>. Where
they measure, it means the same outcomes with the same probabilities for every input, and the same
state of what was not measured, up to one phase for each outcome; a bit counts by its number and
not by the qubit that it was read from, so that a compiler may move a measurement.

Methods, and the verdict says which one was used:

* ``unitary``: the images of all basis states of the data qubits, phases between them included.
* ``states``: the images of four random product states, of one above 20 qubits. Circuits that differ
  agree on random states with probability 0, so a distance above the tolerance is a proof of a
  difference, while agreement is strong evidence and no formal proof. A phase that is wrong by a
  in one of 2**n basis states shows as a distance of at least a * 0.45**(n/2), so that a wrong
  sign is far above the tolerance at every width that can be simulated.
* ``qcec``: decision diagrams and ZX calculus, for circuits too wide to simulate. Equal are circuits
  whose overlap is 1 up to what the tolerance allows; a difference below 1.4e-4 that is above the
  tolerance is not decided.
"""

from qmastermind.equivalence.check import METHODS, assert_equivalent, equivalent
from qmastermind.equivalence.verdict import TOLERANCE, Verdict

__all__ = ["METHODS", "TOLERANCE", "Verdict", "assert_equivalent", "equivalent"]
