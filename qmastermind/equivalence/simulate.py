"""Comparison by simulation: all basis states, or random product states."""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from qmastermind.circuit import Circuit, Register
from qmastermind.equivalence.side import Side
from qmastermind.equivalence.verdict import Verdict

_Array: TypeAlias = NDArray[np.complex128]

_MANY_STATES_UP_TO = 20  # qubits; four states are simulated at once, above it one
_MAX_DENSITY = 2**24  # entries of the matrices that stand for states with a hidden part


def compare(a: Side, b: Side, method: str, tolerance: float, seed: int) -> Verdict:
    """Compares two sides whose interfaces match.

    Args:
        a: One side.
        b: The other.
        method: ``unitary`` or ``states``.
        tolerance: Largest 2-norm distance of corresponding states.
        seed: Of the random states.

    Raises:
        TooLargeError: If the states do not fit into memory.
    """
    from qmastermind.simulator.memory import require_memory

    width = len(a.starts)
    most = max(x.circuit.num_qubits for x in (a, b))
    require_memory(most + (width if method == "unitary" else 0))
    if method == "unitary":
        inputs = np.eye(2**width, dtype=np.complex128)
    else:
        number = 4 if most <= _MANY_STATES_UP_TO else 1
        inputs = _product_states(width, number, np.random.default_rng(seed))
    images = []
    for name, x in (("first", a), ("second", b)):
        image, dirty = _images(x, inputs)
        if dirty > tolerance**2:
            return Verdict(
                False,
                method,
                f"the {name} circuit does not return its ancillas to |0>: "
                f"they are seen in another state with probability {dirty:.3g}",
            )
        images.append(image)
    if a.hidden or b.hidden:
        size = prod(images[0].shape[i] for i in (0, 1, 1, 3, 3))
        if size > _MAX_DENSITY:
            return Verdict(None, method, "too wide to compare with measurements in between")
        distances = _mixed_distances(*images)
    else:
        distances = _pure_distances(*images)
    worst = int(np.argmax(distances))
    distance = float(distances[worst])
    among = f"all {2**width} basis states"
    if method == "states":
        among = "four random product states" if inputs.shape[1] == 4 else "a random product state"
    if distance <= tolerance:
        detail = f"equal on {among}, largest distance {distance:.1e}"
        return Verdict(True, method, detail, distance)
    where = f" on input {worst:0{width}b}" if method == "unitary" and width else ""
    return Verdict(False, method, f"the results differ by {distance:.3g}{where}", distance)


def _product_states(width: int, number: int, rng: np.random.Generator) -> _Array:
    """Products of random qubits, shape ``(2**width, number)``.

    Each qubit is 1 with a probability of 0.45 to 0.55, so that no basis state has an amplitude
    below 0.45**(width/2). Haar-random qubits would leave typical ones at exp(-width/2) and some
    far smaller, and a fault in such a state would be missed.
    """
    columns = []
    for _ in range(number):
        column = np.ones(1, dtype=np.complex128)
        for _ in range(width):
            one = rng.uniform(0.45, 0.55)
            phase = np.exp(2j * np.pi * rng.random())
            column = np.kron(column, [(1 - one) ** 0.5, phase * one**0.5])
        columns.append(column)
    return np.stack(columns, axis=1)


def _images(x: Side, inputs: _Array) -> tuple[_Array, float]:
    """What becomes of the input states, where all other qubits end in |0>.

    Args:
        x: The circuit.
        inputs: Shape ``(2**data, batch)``.

    Returns:
        Amplitudes, shape ``(2**bits, 2**kept, 2**hidden, batch)``, and the largest probability,
        over the inputs, that another qubit does not end in |0>.
    """
    from qmastermind.simulator import statevector

    n, width, batch = x.circuit.num_qubits, len(x.starts), inputs.shape[1]
    state = np.zeros((2,) * n + (batch,), dtype=np.complex128)
    entry = tuple(slice(None) if q in x.starts else 0 for q in range(n))
    # The axes of the view are in order of qubits, those of the inputs in order of data qubits.
    state[entry] = inputs.reshape((2,) * width + (batch,)).transpose(*np.argsort(x.starts), width)
    # The batch is carried along as qubits that nothing acts on.
    circuit = x.circuit
    if batch > 1:
        more = Register("batch", batch.bit_length() - 1)
        circuit = Circuit((*circuit.registers, more), circuit.operations, 0, circuit.global_phase)
    state = statevector(circuit, state.reshape(-1)).reshape((2,) * n + (batch,))
    seen = (*x.outputs, *x.hidden)
    clean = tuple(slice(None) if q in seen else 0 for q in range(n))
    image = state[clean].copy()
    state[clean] = 0
    dirty = float(np.sum(np.abs(state) ** 2, axis=tuple(range(n))).max())
    image = image.transpose(*np.argsort(np.argsort(seen)), len(seen))
    shape = (2 ** len(x.bits), 2 ** len(x.kept), 2 ** len(x.hidden), batch)
    return image.reshape(shape), dirty


def _pure_distances(a: _Array, b: _Array) -> NDArray[np.float64]:
    """Distance for each input, one phase for each outcome being free."""
    a, b = a[:, :, 0], b[:, :, 0]
    overlap = np.sum(a.conj() * b, axis=(1, 2))
    size = np.abs(overlap)
    phase = np.where(size > 0, overlap / np.where(size > 0, size, 1), 1)
    difference = a * phase[:, None, None] - b
    distances: NDArray[np.float64] = np.linalg.norm(difference, axis=(0, 1))
    return distances


def _mixed_distances(a: _Array, b: _Array) -> NDArray[np.float64]:
    """The same for density matrices over what is kept and which input it came from."""
    outcomes, kept, _, batch = a.shape
    matrices = []
    for image in (a, b):
        flat = image.transpose(0, 1, 3, 2).reshape(outcomes, kept * batch, -1)
        matrices.append(flat @ flat.conj().transpose(0, 2, 1))
    difference = (matrices[0] - matrices[1]).reshape(outcomes, kept, batch, -1)
    distances: NDArray[np.float64] = np.sqrt(np.sum(np.abs(difference) ** 2, axis=(0, 1, 3)))
    return distances
