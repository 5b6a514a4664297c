"""OpenQASM 3.0 and 2.0, out and in.

What is read back equals what was written: registers, ancillas, gates with their controls, barriers,
resets and measurements; boxes come back opened. OpenQASM 2 has no global phase.
"""

from qmastermind.qasm.read import from_qasm, read_file
from qmastermind.qasm.write2 import to_qasm2
from qmastermind.qasm.write3 import to_qasm3

__all__ = ["from_qasm", "read_file", "to_qasm2", "to_qasm3"]
