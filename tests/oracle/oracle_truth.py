"""Independent ways to see what an oracle's circuit does."""

import numpy as np

from qmastermind.circuit import Apply, Barrier
from qmastermind.gates import Gate


def run_classically(circuit, inputs):
    """Follows basis states through a circuit of controlled X gates and phases.

    Args:
        circuit: No gate that superposes.
        inputs: Bitstrings over the data qubits.

    Returns:
        The final bits of all qubits, shape (inputs, qubits), and the phases, shape (inputs,).
    """
    state = np.zeros((len(inputs), circuit.num_qubits), dtype=bool)
    state[:, list(circuit.data)] = [[b == "1" for b in x] for x in inputs]
    phase = np.full(len(inputs), circuit.total_global_phase)
    for op in circuit.flat():
        if isinstance(op, Barrier):
            continue
        assert isinstance(op, Apply)
        active = np.ones(len(inputs), dtype=bool)
        for control, value in zip(op.controls, op.values, strict=True):
            active &= state[:, control] == bool(value)
        if not isinstance(op.gate, Gate):
            index = np.zeros(len(inputs), dtype=int)
            for q in op.targets:
                index = 2 * index + state[:, q]
            phase += np.where(active, op.gate.table()[index], 0)
            continue
        (target,) = op.targets
        if op.gate.name == "x":
            state[:, target] ^= active
        elif op.gate.name in ("z", "p"):
            angle = np.pi if op.gate.name == "z" else op.gate.params[0]
            phase += np.where(active & state[:, target], angle, 0)
        else:
            raise AssertionError(f"{op.gate} is not classical")
    return state, phase


def check_phase_oracle(oracle, inputs, angle=np.pi):
    """The phase oracle agrees with the classical truth, and leaves everything as it was."""
    circuit = oracle.phase(angle)
    state, phase = run_classically(circuit, inputs)
    data = list(circuit.data)
    assert (state[:, data] == [[b == "1" for b in x] for x in inputs]).all()
    assert not state[:, list(circuit.ancillas)].any(), "an ancilla is left dirty"
    truth = np.array([oracle.marks(x) for x in inputs])
    assert np.allclose(np.exp(1j * phase), np.exp(1j * angle * truth))


def check_bit_oracle(oracle, inputs):
    """The bit oracle flips its last data qubit exactly where the oracle marks."""
    circuit = oracle.bit_flip()
    for r in "01":
        state, phase = run_classically(circuit, [x + r for x in inputs])
        wanted = [x + str(int(r) ^ oracle.marks(x)) for x in inputs]
        assert (state[:, list(circuit.data)] == [[b == "1" for b in x] for x in wanted]).all()
        assert not state[:, list(circuit.ancillas)].any()
        assert np.allclose(np.exp(1j * phase), 1)
