"""What the tests of the Qiskit plugin compare with: matrices and states, written plainly."""

import cmath

import numpy as np
from qiskit.quantum_info import Operator

from qmastermind.circuit import Apply, Circuit, Register, remap
from qmastermind.testing.reference import operator, unitary


def matrix(native):
    """Qiskit's own matrix of its circuit, brought into our bit order."""
    return Operator(native.reverse_bits()).data


def assert_same(left, right, atol=1e-9):
    """Equal matrices, global phase included."""
    assert left.shape == right.shape
    assert np.abs(left - right).max() < atol


def evolve(circuit, state):
    """The state after a unitary circuit, operation by operation."""
    n = circuit.num_qubits
    state = state.reshape((2,) * n)
    for op in circuit.flat():
        if not isinstance(op, Apply):
            continue
        width, count = len(op.qubits), len(op.controls)
        local = Apply(op.gate, tuple(range(count, width)), tuple(range(count)), op.values)
        small = operator(local, width).reshape((2,) * (2 * width))
        state = np.tensordot(small, state, (range(width, 2 * width), op.qubits))
        state = np.moveaxis(state, range(width), op.qubits)
    return state.reshape(-1) * cmath.exp(1j * circuit.total_global_phase)


def assert_compiled(compiled, seed=7, atol=1e-9):
    """The result keeps to the target and does what the source does, from any state of its data.

    Two random states have to agree in the same phase, so that the matrices agree up to one.
    """
    source, circuit = compiled.source, compiled.circuit
    assert list(compiled.target.violations(circuit)) == []
    used = sorted(
        {q for op in circuit.operations for q in op.qubits}
        | set(compiled.initial_layout)
        | set(compiled.final_layout)
    )
    assert len(used) <= 14, "too wide for this check"
    rng = np.random.default_rng(seed)
    n = source.num_qubits
    whole = unitary(source)
    phases = []
    for _ in range(2):
        start = rng.normal(size=2**n) + 1j * rng.normal(size=2**n)
        index = np.arange(2**n)
        for q in source.ancillas:
            start[(index >> (n - 1 - q)) & 1 == 1] = 0
        start /= np.linalg.norm(start)
        placed = _place(start, [used.index(q) for q in compiled.initial_layout], len(used))
        wanted = _place(whole @ start, [used.index(q) for q in compiled.final_layout], len(used))
        compact = _on(circuit, used)
        phases.append(np.vdot(wanted, evolve(compact, placed)))
    assert abs(abs(phases[0]) - 1) < atol
    assert abs(phases[0] - phases[1]) < atol


def _place(state, qubits, width):
    n = len(qubits)
    index = np.arange(2**n)
    where = np.zeros(2**n, dtype=np.int64)
    for i, q in enumerate(qubits):
        where |= ((index >> (n - 1 - i)) & 1) << (width - 1 - q)
    placed = np.zeros(2**width, dtype=np.complex128)
    placed[where] = state
    return placed


def _on(circuit, used):
    where = {q: i for i, q in enumerate(used)}
    ops = [remap(op, where) for op in circuit.flat()]
    register = Register("q", len(used))
    return Circuit((register,), tuple(ops), global_phase=circuit.total_global_phase)


def chi_squared_p(counts, probabilities):
    """The chance of counts this far off; impossible outcomes must not occur at all."""
    from scipy.stats import chi2

    width = int(probabilities.size).bit_length() - 1
    observed = np.zeros(probabilities.size)
    for bits, number in counts.items():
        observed[int(bits, 2)] += number
        assert len(bits) == width
    assert observed[probabilities < 1e-12].sum() == 0
    expected = probabilities * observed.sum()
    big = expected >= 5
    pairs = [*zip(observed[big], expected[big], strict=True)]
    rest = (observed[~big].sum(), expected[~big].sum())
    if rest[1] >= 5:
        pairs.append(rest)
    if len(pairs) < 2:
        return 1.0
    statistic = sum((o - e) ** 2 / e for o, e in pairs)
    return float(chi2.sf(statistic, len(pairs) - 1))
