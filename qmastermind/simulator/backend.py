"""The backend ``statevector``."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from qmastermind.backend import Backend, BackendInfo, Capability, Result
from qmastermind.circuit import Circuit
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.results import Counts, Distribution, Factor
from qmastermind.simulator.engine import resolve_threads
from qmastermind.simulator.measurement import (
    Group,
    exact_factor,
    measured_groups,
    sample_trajectories,
)
from qmastermind.simulator.memory import require_memory


class StatevectorBackend(Backend):
    """Simulates the exact state, group by group of qubits that interact.

    Args:
        threads: For groups of many qubits; default: as many as numba is set to use
            (``NUMBA_NUM_THREADS`` or ``numba.set_num_threads``). Results do not depend on it.

    Raises:
        UsageError: If ``threads`` is below 1.
    """

    info: ClassVar[BackendInfo] = BackendInfo(
        name="statevector",
        summary="embedded exact simulator, no framework needed",
        capabilities=frozenset(
            {Capability.RUN, Capability.SEED, Capability.EXACT, Capability.MID_CIRCUIT}
        ),
    )

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads if threads is None else resolve_threads(threads)

    @classmethod
    def create(cls, argument: str | None = None) -> StatevectorBackend:
        """Makes the backend; the argument may be ``threads=N``.

        Raises:
            UsageError: For any other argument.
        """
        if argument is None:
            return cls()
        option, _, number = argument.partition("=")
        if option != "threads" or not number.isdecimal():
            raise UsageError(
                f"backend 'statevector' takes the argument 'threads=N', not {argument!r}"
            )
        return cls(int(number))

    @property
    def name(self) -> str:
        """The registered name, with the number of threads if it was given."""
        return self.info.name + ("" if self._threads is None else f":threads={self._threads}")

    def _check_size(self, circuit: Circuit) -> None:
        try:
            circuit.check_size()
        except TooLargeError:
            for group in measured_groups(circuit):
                require_memory(len(group.qubits))  # what no smaller number of operations mends
            raise

    def _run(self, circuit: Circuit, shots: int, seed: int | None) -> Result:
        rng = np.random.default_rng(seed)
        groups = measured_groups(circuit)
        if not any(group.collapses for group in groups):
            distribution = self._distribution(circuit, groups)
            return Result(distribution.sample(shots, rng), distribution)
        threads = resolve_threads(self._threads)
        rows = np.zeros((shots, circuit.num_bits), dtype=np.uint8)
        for group in groups:
            if group.collapses:
                rows[:, group.bits] = sample_trajectories(group, shots, rng, threads)
            else:
                factor = exact_factor(group, threads)
                rows[:, factor.bits] = factor.sample(shots, rng)
        return Result(Counts.from_rows(rows))

    def probabilities(self, circuit: Circuit) -> Distribution:
        """The exact distribution of the classical bits; no query is counted.

        Measurements and resets before the end are followed through all their outcomes.

        Raises:
            UnsupportedError: If these have too many outcomes.
            TooLargeError: If qubits that interact have a state too large for the memory.
        """
        return self._distribution(circuit, measured_groups(circuit))

    def _distribution(self, circuit: Circuit, groups: list[Group]) -> Distribution:
        threads = resolve_threads(self._threads)
        factors = [exact_factor(group, threads) for group in groups]
        written = {bit for group in groups for bit in group.bits}
        unset = [b for b in range(circuit.num_bits) if b not in written]
        factors += [Factor((b,), np.array([1.0, 0.0])) for b in unset]
        return Distribution(circuit.num_bits, tuple(factors))
