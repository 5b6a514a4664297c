"""The backend ``tket``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from qmastermind.backend import Backend, BackendInfo, Capability, Compiled, Result
from qmastermind.circuit import Circuit
from qmastermind.plugin import compile_settled, framework_errors, without_idle_qubits
from qmastermind.results import Distribution
from qmastermind.simulator import StatevectorBackend
from qmastermind.target import Target

if TYPE_CHECKING:
    from pytket.backends import Backend as NativeBackend


class TketBackend(Backend):
    """Compiles with tket; runs on the embedded simulator, or on a backend of pytket.

    Pytket has no simulator of its own. By default a circuit goes through tket's form and back,
    and then to the embedded simulator.

    Args:
        backend: A backend of pytket with shots or counts, or None.
    """

    info: ClassVar[BackendInfo] = BackendInfo(
        name="tket",
        summary="tket's compiler; runs on the embedded simulator (tket:<backend of pytket>)",
        packages=("pytket",),
        extra="tket",
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
        formats=("tket-json",),
    )

    def __init__(self, backend: NativeBackend | None = None) -> None:
        self.require()
        self.native = backend

    @classmethod
    def create(cls, argument: str | None = None) -> TketBackend:
        """Makes the backend for ``tket`` or ``tket:<backend of pytket>``.

        Args:
            argument: Name of a class in an installed extension of pytket that needs no
                arguments, such as ``AerBackend``, also with its extension: ``qiskit.AerBackend``.

        Raises:
            UnknownNameError: If there is no such class.
            UsageError: If it cannot be made without arguments.
        """
        cls.require()
        if argument is None:
            return cls()
        from qmastermind_tket.extensions import find_backend

        return cls(find_backend(argument))

    @property
    def name(self) -> str:
        """``tket``, with the name of pytket's backend behind a colon if there is one."""
        return "tket" if self.native is None else f"tket:{type(self.native).__name__}"

    def can(self, capability: Capability) -> bool:
        """Whether this backend has ``capability``; of pytket's backends only runs are known."""
        if self.native is None or capability in (Capability.TARGET, Capability.ROUTING):
            return super().can(capability)
        if capability is Capability.MID_CIRCUIT:
            from pytket.predicates import NoMidMeasurePredicate

            needed = self.native.required_predicates
            return not any(isinstance(p, NoMidMeasurePredicate) for p in needed)
        return capability is Capability.RUN

    def _run(self, circuit: Circuit, shots: int, seed: int | None) -> Result:
        circuit = without_idle_qubits(circuit)
        if self.native is None:
            return StatevectorBackend()._run(self._through_tket(circuit), shots, seed)
        from qmastermind_tket.extensions import sample

        with framework_errors("pytket"):
            return Result(sample(self.native, circuit, shots, seed))

    def probabilities(self, circuit: Circuit) -> Distribution:
        """The exact distribution of the classical bits; no query is counted.

        Raises:
            UnsupportedError: If this is a backend of pytket, or there are too many outcomes of
                measurements in between.
            TooLargeError: If the state does not fit into memory.
        """
        if self.native is not None:
            return super().probabilities(circuit)
        return StatevectorBackend().probabilities(self._through_tket(circuit))

    def compile(
        self,
        circuit: Circuit,
        target: Target | None = None,
        level: int = 2,
        seed: int | None = None,
    ) -> Compiled:
        """Compiles a circuit with tket's passes; see :mod:`qmastermind_tket.compiler`.

        Args:
            circuit: With or without measurements.
            target: Default: all-to-all, basis {rz, sx, x, cx}.
            level: 0 rebases; 1 is ``SynthesiseTket``; 2 adds ``KAKDecomposition`` and
                ``CliffordSimp``; 3 takes the best of that and of ``FullPeepholeOptimise`` with
                and without ``OptimisePhaseGadgets``, by two-qubit gates, two-qubit depth and
                depth, and takes about twenty times as long.
            seed: Not used; tket's passes are deterministic.

        Raises:
            UsageError: If the circuit does not fit the target.
            UnsupportedError: If the basis cannot express a gate.
        """
        from qmastermind_tket.compiler import compile_for

        return compile_settled(self, "tket", compile_for, circuit, target, level, seed)

    def export(self, circuit: Circuit, file_format: str) -> bytes:
        """The circuit as a file for ``pytket.Circuit.from_dict(json.load(...))``, boxes opened.

        Raises:
            UnsupportedError: For a format other than ``tket-json``.
        """
        if file_format not in self.info.formats:
            return super().export(circuit, file_format)
        import json

        from qmastermind_tket.exporter import to_tket

        with framework_errors("tket"):
            return json.dumps(to_tket(circuit).to_dict()).encode()

    def _through_tket(self, circuit: Circuit) -> Circuit:
        from qmastermind_tket.exporter import to_tket
        from qmastermind_tket.importer import from_tket

        with framework_errors("tket"):
            return from_tket(to_tket(circuit))
