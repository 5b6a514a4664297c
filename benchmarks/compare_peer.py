"""OpenQASM 2 files counted by qmastermind and by Qiskit's methods, as Benchpress reports them.

python benchmarks/compare_peer.py FILE.qasm ...
"""

import sys
from pathlib import Path

from qiskit import QuantumCircuit, qasm2

from qmastermind import count
from qmastermind.qasm import read_file

NAMES = ("qubits", "two-qubit gates", "two-qubit depth", "depth")


def by_qiskit(circuit: QuantumCircuit) -> tuple[int, ...]:
    """Final measurements are left out of the depth; they are a layer for Qiskit."""
    native = circuit.remove_final_measurements(inplace=False)
    return (
        circuit.num_qubits,
        circuit.num_nonlocal_gates(),
        circuit.depth(lambda i: i.operation.num_qubits == 2),
        native.depth(lambda i: i.operation.name not in ("barrier", "measure")),
    )


def by_us(path: Path) -> tuple[int, ...]:
    found = count(read_file(path))
    return found.qubits, found.two_qubit_gates, found.two_qubit_depth, found.depth


def main() -> None:
    different = 0
    for path in map(Path, sys.argv[1:]):
        native = qasm2.load(path, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)
        ours, theirs = by_us(path), by_qiskit(native)
        different += ours != theirs
        pairs = ", ".join(
            f"{name} {a}" if a == b else f"{name} {a} against {b}"
            for name, a, b in zip(NAMES, ours, theirs, strict=True)
        )
        print(f"{path.stem}: {pairs}")
    print(f"{len(sys.argv) - 1 - different} of {len(sys.argv) - 1} files have equal figures")


if __name__ == "__main__":
    main()
