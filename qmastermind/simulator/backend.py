"""The backend ``statevector``."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from qmastermind.backend import Backend, BackendInfo, Capability, Result
from qmastermind.circuit import Apply, Circuit, Measure, Reset
from qmastermind.errors import UnsupportedError
from qmastermind.results import Counts, Distribution, Factor
from qmastermind.simulator.memory import require_memory
from qmastermind.simulator.statevector import State, apply, statevector


class StatevectorBackend(Backend):
    """Simulates the exact state."""

    info: ClassVar[BackendInfo] = BackendInfo(
        name="statevector",
        summary="embedded exact simulator, no framework needed",
        capabilities=frozenset(
            {Capability.RUN, Capability.SEED, Capability.EXACT, Capability.MID_CIRCUIT}
        ),
    )

    def _run(self, circuit: Circuit, shots: int, seed: int | None) -> Result:
        rng = np.random.default_rng(seed)
        if circuit.has_final_measurements_only():
            distribution = self.probabilities(circuit)
            return Result(distribution.sample(shots, rng), distribution)
        counts: dict[str, int] = {}
        require_memory(circuit.num_qubits)
        n, ops = circuit.num_qubits, list(circuit.flat())
        state = np.zeros(2**n, dtype=np.complex128)
        state[0] = 1
        pending: list[tuple[int, State, list[str], int]] = [
            (0, state, ["0"] * circuit.num_bits, shots)
        ]
        while pending:
            start, state, bits, number = pending.pop()
            for i, op in enumerate(ops[start:], start):
                if isinstance(op, Apply):
                    apply(op, state, n)
                if isinstance(op, Measure | Reset):
                    halves = state.reshape(2**op.qubit, 2, -1)
                    weights = [float(np.linalg.norm(halves[:, v]) ** 2) for v in (0, 1)]
                    ones = int(rng.binomial(number, weights[1] / sum(weights)))
                    for v, m in ((0, number - ones), (1, ones)):
                        if m == 0:
                            continue
                        after = np.zeros_like(state)
                        goes = 0 if isinstance(op, Reset) else v
                        after.reshape(halves.shape)[:, goes] = halves[:, v] / weights[v] ** 0.5
                        record = list(bits)
                        if isinstance(op, Measure):
                            record[op.bit] = str(v)
                        pending.append((i + 1, after, record, m))
                    break
            else:
                key = "".join(bits)
                counts[key] = counts.get(key, 0) + number
        return Result(Counts(counts))

    def probabilities(self, circuit: Circuit) -> Distribution:
        """The exact distribution of the classical bits; no query is counted.

        Raises:
            UnsupportedError: If a measurement is not final.
            TooLargeError: If the state does not fit into memory.
        """
        if not circuit.has_final_measurements_only():
            raise UnsupportedError("exact probabilities need measurements that are final")
        measured = circuit.final_measurements()
        state = statevector(circuit.without_measurements())
        bits = tuple(sorted(measured))
        n = circuit.num_qubits
        cube = (np.abs(state) ** 2).reshape((2,) * n)
        qubits = [measured[b] for b in bits]
        cube = cube.sum(axis=tuple(q for q in range(n) if q not in qubits))
        order = np.argsort(np.argsort(qubits))
        joint = Factor(bits, np.ascontiguousarray(cube.transpose(order)).reshape(-1))
        unset = [
            Factor((b,), np.array([1.0, 0.0])) for b in range(circuit.num_bits) if b not in measured
        ]
        return Distribution(circuit.num_bits, (joint, *unset))
