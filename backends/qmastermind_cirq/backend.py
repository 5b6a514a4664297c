"""The backend ``cirq``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qmastermind.backend import Backend, BackendInfo, Capability, Compiled, Result
from qmastermind.circuit import Circuit
from qmastermind.errors import MissingDependencyError, UnknownNameError, UnsupportedError
from qmastermind.plugin import compile_settled, framework_errors, without_idle_qubits
from qmastermind.results import Counts, Distribution, Factor
from qmastermind.simulator.memory import require_memory
from qmastermind.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIMULATORS = ("simulator", "qsim")


class CirqBackend(Backend):
    """Compiles with Cirq's transformers and runs on one of its simulators.

    Args:
        simulator: ``simulator`` (``cirq.Simulator``, double precision) or ``qsim``
            (qsimcirq, single precision).

    Raises:
        UnknownNameError: For another simulator.
        MissingDependencyError: If qsimcirq is asked for and not installed.
    """

    info: ClassVar[BackendInfo] = BackendInfo(
        name="cirq",
        summary="Cirq's compiler and simulators (cirq:simulator, cirq:qsim)",
        packages=("cirq-core",),
        extra="cirq",
        capabilities=frozenset(
            {
                Capability.RUN,
                Capability.SEED,
                Capability.EXACT,
                Capability.MID_CIRCUIT,
                Capability.TARGET,
                Capability.ROUTING,
            }
        ),
        formats=("cirq-json",),
    )

    def __init__(self, simulator: str = "simulator") -> None:
        self.require()
        if simulator not in SIMULATORS:
            raise UnknownNameError("simulator of Cirq", simulator, SIMULATORS)
        if simulator == "qsim" and BackendInfo("", "", ("qsimcirq",)).missing():
            raise MissingDependencyError("backend 'cirq:qsim'", "qsimcirq", "qsim")
        self.simulator = simulator

    @classmethod
    def create(cls, argument: str | None = None) -> CirqBackend:
        """Makes the backend for ``cirq``, ``cirq:simulator`` or ``cirq:qsim``."""
        return cls(argument or "simulator")

    @property
    def name(self) -> str:
        """``cirq`` or ``cirq:qsim``."""
        return "cirq" if self.simulator == "simulator" else f"cirq:{self.simulator}"

    def _run(self, circuit: Circuit, shots: int, seed: int | None) -> Result:
        from qmastermind_cirq.exporter import to_cirq

        circuit = without_idle_qubits(circuit)
        require_memory(circuit.num_qubits)
        samples = np.zeros((shots, circuit.num_bits), dtype=np.uint8)
        with framework_errors("Cirq"):
            native = to_cirq(circuit)
            if native.has_measurements():
                result = self._simulator(seed).run(native, repetitions=shots)
                for key, record in result.records.items():
                    samples[:, int(key[1:])] = record[:, -1, 0]
        return Result(Counts.from_rows(samples))

    def probabilities(self, circuit: Circuit) -> Distribution:
        """The exact distribution of the classical bits; no query is counted.

        Raises:
            UnsupportedError: If a measurement is not final.
            TooLargeError: If the state does not fit into memory.
        """
        import cirq

        from qmastermind_cirq.exporter import to_cirq

        if not circuit.has_final_measurements_only():
            raise UnsupportedError("exact probabilities need measurements that are final")
        circuit = without_idle_qubits(circuit)
        require_memory(circuit.num_qubits)
        measured = circuit.final_measurements()
        bits = tuple(sorted(measured))
        with framework_errors("Cirq"):
            order = cirq.LineQubit.range(circuit.num_qubits)
            native = to_cirq(circuit.without_measurements())
            state: NDArray[Any] = (
                self._simulator(None).simulate(native, qubit_order=order).final_state_vector
            )
        weights = np.abs(state.astype(np.complex128)) ** 2
        cube = (weights / weights.sum()).reshape((2,) * circuit.num_qubits)
        kept = [measured[b] for b in bits]
        cube = cube.sum(axis=tuple(q for q in range(circuit.num_qubits) if q not in kept))
        joint = cube.transpose(np.argsort(np.argsort(kept)))
        unset = (b for b in range(circuit.num_bits) if b not in measured)
        factors = [Factor((b,), np.array([1.0, 0.0])) for b in unset]
        factors.append(Factor(bits, np.ascontiguousarray(joint).reshape(-1)))
        return Distribution(circuit.num_bits, tuple(factors))

    def compile(
        self,
        circuit: Circuit,
        target: Target | None = None,
        level: int = 2,
        seed: int | None = None,
    ) -> Compiled:
        """Compiles a circuit with Cirq's transformers; see :mod:`qmastermind_cirq.compiler`.

        Args:
            circuit: With or without measurements.
            target: Default: all-to-all, basis {rz, sx, x, cx}.
            level: 0 decomposes; 1 moves and merges one-qubit gates; 2 is Cirq's standard,
                ``optimize_for_target_gateset`` for CZ; 3 repeats it as long as it helps,
                reorders, and lends idle qubits to multi-controlled gates.
            seed: Not used; Cirq's passes are deterministic.

        Raises:
            UsageError: If the circuit does not fit the target.
            UnsupportedError: If the basis cannot express a gate.
        """
        from qmastermind_cirq.compiler import compile_for

        return compile_settled(self, "Cirq", compile_for, circuit, target, level, seed)

    def export(self, circuit: Circuit, file_format: str) -> bytes:
        """The circuit as a file for ``cirq.read_json``, boxes opened.

        Raises:
            UnsupportedError: For a format other than ``cirq-json``.
        """
        if file_format not in self.info.formats:
            return super().export(circuit, file_format)
        import cirq

        from qmastermind_cirq.exporter import to_cirq

        with framework_errors("Cirq"):
            text: str = cirq.to_json(to_cirq(circuit))
        return text.encode()

    def _simulator(self, seed: int | None) -> Any:
        if self.simulator == "qsim":
            import qsimcirq

            return qsimcirq.QSimSimulator(seed=seed)
        import cirq

        return cirq.Simulator(dtype=np.complex128, seed=seed)
