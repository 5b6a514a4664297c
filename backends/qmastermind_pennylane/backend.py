"""The backend ``pennylane``."""

from __future__ import annotations

import importlib.metadata
import inspect
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from qmastermind.backend import Backend, BackendInfo, Capability, Compiled, Result
from qmastermind.circuit import Circuit, Measure, Reset
from qmastermind.errors import UnknownNameError
from qmastermind.plugin import compile_settled, framework_errors, without_idle_qubits
from qmastermind.results import Counts, Distribution, Factor
from qmastermind.simulator.memory import require_memory
from qmastermind.target import Target

DEFAULT_DEVICE = "lightning.qubit"
"""Comes with PennyLane itself, and is many times faster than ``default.qubit``."""

_DEVICES = "pennylane.plugins"  # the group of entry points in which devices are registered
_EXACT = ("default.qubit", "lightning.qubit", "default.mixed", "reference.qubit")
_MAX_DEFERRED = 22  # wires, those of the deferred measurements included


class PennyLaneBackend(Backend):
    """Compiles with PennyLane's transforms and runs on one of its devices.

    Measurements in mid-circuit are simulated branch by branch (PennyLane's ``tree-traversal``)
    on ``default.qubit`` and deferred to extra wires on other devices, of which
    ``lightning.qubit`` takes shot by shot what then has more than 22 wires.

    Args:
        device: Name of any installed device of PennyLane.

    Raises:
        UnknownNameError: If no such device is installed.
    """

    info: ClassVar[BackendInfo] = BackendInfo(
        name="pennylane",
        summary="PennyLane's compiler and devices (pennylane:default.qubit and others)",
        packages=("pennylane",),
        extra="pennylane",
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
    )

    def __init__(self, device: str = DEFAULT_DEVICE) -> None:
        self.require()
        known = {entry.name for entry in importlib.metadata.entry_points(group=_DEVICES)}
        if device not in known:
            raise UnknownNameError("device of PennyLane", device, known)
        self.device = device

    @classmethod
    def create(cls, argument: str | None = None) -> PennyLaneBackend:
        """Makes the backend for ``pennylane`` or ``pennylane:<device>``."""
        return cls(argument or DEFAULT_DEVICE)

    @property
    def name(self) -> str:
        """``pennylane``, with the device behind a colon if it is not the default."""
        return "pennylane" if self.device == DEFAULT_DEVICE else f"pennylane:{self.device}"

    def can(self, capability: Capability) -> bool:
        """Whether this backend has ``capability`` on its device."""
        if capability is Capability.EXACT:
            return self.device in _EXACT
        if capability is Capability.SEED:
            return self._takes_seed
        return super().can(capability)

    def _run(self, circuit: Circuit, shots: int, seed: int | None) -> Result:
        import pennylane as qml

        circuit = without_idle_qubits(circuit)
        rows = np.zeros((shots, circuit.num_bits), dtype=np.uint8)
        with framework_errors("PennyLane"):
            operations, bits, outcome = self._prepared(circuit)
            if bits:
                script = qml.tape.QuantumScript(operations, [qml.sample(**outcome)], shots=shots)
                samples = self._execute(script, circuit, seed)
                rows[:, bits] = np.asarray(samples).reshape(shots, len(bits))
        return Result(Counts.from_rows(rows))

    def probabilities(self, circuit: Circuit) -> Distribution:
        """The exact distribution of the classical bits; no query is counted.

        Measurements may be anywhere.

        Raises:
            UnsupportedError: If the device has none.
            TooLargeError: If the state does not fit into memory.
        """
        import pennylane as qml

        if not self.can(Capability.EXACT):
            return super().probabilities(circuit)
        circuit = without_idle_qubits(circuit)
        factors = []
        with framework_errors("PennyLane"):
            operations, bits, outcome = self._prepared(circuit)
            if bits:
                script = qml.tape.QuantumScript(operations, [qml.probs(**outcome)])
                found = np.asarray(self._execute(script, circuit, None), dtype=np.float64).ravel()
                factors.append(Factor(tuple(bits), found / found.sum()))
        unset = (b for b in range(circuit.num_bits) if b not in bits)
        factors += [Factor((b,), np.array([1.0, 0.0])) for b in unset]
        return Distribution(circuit.num_bits, tuple(factors))

    def compile(
        self,
        circuit: Circuit,
        target: Target | None = None,
        level: int = 2,
        seed: int | None = None,
    ) -> Compiled:
        """Compiles with PennyLane's transforms; see :mod:`qmastermind_pennylane.compiler`.

        Ancillas that the circuit does not use are clean work wires for its multi-controlled gates.

        Args:
            circuit: With or without measurements.
            target: Default: all-to-all, basis {rz, sx, x, cx}.
            level: 0 decomposes; 1 cancels inverses and merges rotations; 2 is the standard
                pipeline of ``qml.compile``; 3 runs it more often, and lends idle qubits to
                multi-controlled gates.
            seed: Not used; PennyLane's transforms are deterministic.

        Raises:
            UsageError: If the circuit does not fit the target.
            UnsupportedError: If the basis cannot express a gate.
        """
        from qmastermind_pennylane.compiler import compile_for

        return compile_settled(self, "PennyLane", compile_for, circuit, target, level, seed)

    def _prepared(self, circuit: Circuit) -> tuple[list[Any], list[int], dict[str, Any]]:
        """The operations, the bits that are written, and what a sample or probs is taken of."""
        import pennylane as qml

        from qmastermind_pennylane.exporter import Exporter

        exporter = Exporter()
        with qml.QueuingManager.stop_recording():
            if circuit.has_final_measurements_only():
                measured = circuit.final_measurements()
                bits = sorted(measured)
                operations = exporter.operations(circuit.without_measurements())
                return operations, bits, {"wires": [measured[bit] for bit in bits]}
            operations = exporter.operations(circuit)
        bits = sorted(exporter.values)
        return operations, bits, {"op": [exporter.values[bit] for bit in bits]}

    def _execute(self, script: Any, circuit: Circuit, seed: int | None) -> Any:
        import pennylane as qml

        wires, method = circuit.num_qubits, None
        if not circuit.has_final_measurements_only():
            method, wires = self._mid_circuit(circuit, bool(script.shots))
        if self.device in _EXACT:
            require_memory(wires * (2 if self.device == "default.mixed" else 1))
        options = {"seed": seed} if seed is not None and self._takes_seed else {}
        device = qml.device(self.device, wires=wires, **options)
        config = qml.devices.ExecutionConfig(mcm_config=qml.devices.MCMConfig(mcm_method=method))
        program, config = device.preprocess(config)
        batch, finish = program([script])
        return finish(device.execute(batch, config))[0]

    def _mid_circuit(self, circuit: Circuit, sampled: bool) -> tuple[str, int]:
        """PennyLane's method for measurements in between, and the wires that it takes."""
        n = circuit.num_qubits
        if self.device == "default.qubit":
            return "tree-traversal", n
        # lightning.qubit has a tree traversal too, but it fails on outcomes that cannot occur
        extra = sum(isinstance(op, Measure | Reset) for op in circuit.flat())
        if self.device == "lightning.qubit" and sampled and n + extra > _MAX_DEFERRED:
            return "one-shot", n
        return "deferred", n + extra

    @cached_property
    def _takes_seed(self) -> bool:
        (entry,) = importlib.metadata.entry_points(group=_DEVICES, name=self.device)
        return "seed" in inspect.signature(entry.load().__init__).parameters
