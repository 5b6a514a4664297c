"""Runs a circuit on a backend of Qiskit that takes it as it is. Imports Qiskit."""

from __future__ import annotations

import logging

from qiskit import QuantumCircuit
from qiskit.exceptions import QiskitError
from qiskit.providers import BackendV2
from qiskit.result import Result

from qmastermind.results import Counts
from qmastermind_qiskit.failures import our_errors

# Aer tells its logger of a failed run as well as the result, which is where we read it.
logging.getLogger("qiskit_aer").addHandler(logging.NullHandler())


def sample(backend: BackendV2, native: QuantumCircuit, shots: int, seed: int | None) -> Counts:
    """Counts of a circuit that the backend can execute.

    Args:
        backend: Any that runs circuits itself.
        native: Compiled for it, with at least one classical bit.
        shots: Number of runs.
        seed: Makes a simulator's counts repeat.

    Returns:
        Bit 0 leftmost, unlike Qiskit's own.

    Raises:
        TooLargeError: If it needs more memory or qubits than there are.
        UnsupportedError: If the backend lacks an instruction.
        BackendError: If the run fails.
    """
    with our_errors(f"running on {backend.name}"):
        counts = run_native(backend, native, shots, seed).get_counts()
    return Counts((bits.replace(" ", "")[::-1], int(n)) for bits, n in counts.items())


def run_native(
    backend: BackendV2, native: QuantumCircuit, shots: int, seed: int | None = None
) -> Result:
    """Qiskit's result of a run.

    Qiskit's samplers do not look whether a run succeeded, and stumble over the empty result.

    Raises:
        QiskitError: If the run fails.
    """
    options = {} if seed is None else {"seed_simulator": seed}
    result = backend.run(native, shots=shots, **options).result()
    if not result.success:
        raise QiskitError(result.status)
    return result
