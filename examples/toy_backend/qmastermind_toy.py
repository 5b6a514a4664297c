"""A backend of qmastermind in one short file: multiplies out the state with numpy."""

import numpy as np

from qmastermind.backend import Backend, BackendInfo, Capability, Result
from qmastermind.circuit import Apply, Phases
from qmastermind.errors import TooLargeError, UnsupportedError
from qmastermind.results import Distribution


class ToyBackend(Backend):
    """Runs circuits of up to 20 qubits that measure at their end."""

    info = BackendInfo(
        name="toy",
        summary="an example of a plugin",
        packages=("qmastermind-toy",),
        capabilities=frozenset({Capability.RUN, Capability.SEED}),
    )

    def _run(self, circuit, shots, seed):
        if not circuit.has_final_measurements_only():
            raise UnsupportedError("the toy backend measures only at the end of a circuit")
        if circuit.num_qubits > 20:
            raise TooLargeError(f"the toy backend takes 20 qubits, not {circuit.num_qubits}")
        state = np.zeros((2,) * circuit.num_qubits, dtype=complex)
        state.flat[0] = 1
        for op in circuit.flat():
            if isinstance(op, Apply):
                state = _applied(op, state)
        # Qubit 0 is the first axis and bit 0 the leftmost character, so nothing is reversed.
        weights = Distribution.dense(np.abs(state.reshape(-1)) ** 2)
        of_qubits = weights.sample(shots, np.random.default_rng(seed))
        counts = type(of_qubits)()
        for qubits, number in of_qubits.items():
            bits = ["0"] * circuit.num_bits
            for bit, qubit in circuit.final_measurements().items():
                bits[bit] = qubits[qubit]
            counts["".join(bits)] = counts.get("".join(bits), 0) + number
        return Result(counts)


def _applied(op, state):
    """The state after a gate or a diagonal under controls."""
    gate = op.gate
    inner = np.diag(np.exp(1j * gate.table())) if isinstance(gate, Phases) else gate.matrix()
    width, size = len(op.qubits), len(inner)
    matrix = np.eye(2**width, dtype=complex)
    start = int("0" + "".join(map(str, op.values)), 2) * size
    matrix[start : start + size, start : start + size] = inner
    cube = matrix.reshape((2,) * (2 * width))
    return np.moveaxis(
        np.tensordot(cube, state, (range(width, 2 * width), op.qubits)), range(width), op.qubits
    )
