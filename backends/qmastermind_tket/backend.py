"""The backend ``tket``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar

from qmastermind.backend import Backend, BackendInfo, Capability, Compiled, Result
from qmastermind.circuit import Circuit
from qmastermind.errors import UnknownNameError, UnsupportedError
from qmastermind.plugin import check_request, framework_errors, join_passes, settle
from qmastermind.results import Counts, Distribution
from qmastermind.target import Target

if TYPE_CHECKING:
    from pytket.backends import Backend as NativeBackend


class TketBackend(Backend):
    """Compiles with tket's passes.

    pytket simulates nothing itself: circuits run on the embedded simulator, after going through
    tket's form and back, or on a backend of an installed pytket extension.

    Args:
        native: A pytket backend that runs circuits; default the embedded simulator.
    """

    info: ClassVar[BackendInfo] = BackendInfo(
        name="tket",
        summary="tket's compiler; runs on the embedded simulator or a pytket extension's backend",
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
    )

    def __init__(self, native: NativeBackend | None = None) -> None:
        self.require()
        self.native = native

    @classmethod
    def create(cls, argument: str | None = None) -> TketBackend:
        """Makes the backend; ``tket:AerBackend`` runs on a backend of a pytket extension.

        Raises:
            MissingDependencyError: If pytket is missing.
            UnknownNameError: If no installed extension has a backend of that name.
        """
        cls.require()
        if argument is None:
            return cls()
        known = extension_backends()
        if argument not in known:
            raise UnknownNameError("pytket backend", argument, known)
        with framework_errors("pytket"):
            return cls(known[argument]())

    @property
    def name(self) -> str:
        """``tket``, with the name of the pytket backend behind a colon if there is one."""
        if self.native is None:
            return self.info.name
        return f"{self.info.name}:{type(self.native).__name__}"

    def can(self, capability: Capability) -> bool:
        """Whether this backend has ``capability``; a pytket backend has no exact probabilities."""
        if self.native is not None and capability in (Capability.EXACT, Capability.MID_CIRCUIT):
            return False
        return super().can(capability)

    def _run(self, circuit: Circuit, shots: int, seed: int | None) -> Result:
        from qmastermind_tket.exporter import to_tket

        if self.native is None:
            from qmastermind.simulator import StatevectorBackend

            return StatevectorBackend().run(self._through_tket(circuit), shots, seed)
        with framework_errors("pytket"):
            compiled = self.native.get_compiled_circuit(to_tket(circuit))
            handle = self.native.process_circuit(compiled, n_shots=shots, seed=seed)
            outcomes = self.native.get_result(handle).get_counts(compiled.bits)
        counts = Counts()
        for bits, number in outcomes.items():
            counts["".join("01"[b] for b in bits)] = int(number)
        return Result(counts)

    def probabilities(self, circuit: Circuit) -> Distribution:
        """The exact distribution of the classical bits, from the embedded simulator.

        Raises:
            UnsupportedError: If a measurement is not final, or circuits run elsewhere.
            TooLargeError: If the state does not fit into memory.
        """
        if self.native is not None:
            raise UnsupportedError(f"backend {self.name!r} gives no exact probabilities")
        from qmastermind.simulator import StatevectorBackend

        return StatevectorBackend().probabilities(self._through_tket(circuit))

    def _through_tket(self, circuit: Circuit) -> Circuit:
        """The circuit as tket has it, so that a run tests the conversion as well."""
        from qmastermind_tket.exporter import to_tket
        from qmastermind_tket.importer import from_tket

        with framework_errors("pytket"):
            return from_tket(to_tket(circuit))

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
            level: 0 decomposes; 1 is ``SynthesiseTket``; 2 adds ``KAKDecomposition`` and
                ``CliffordSimp``; 3 is ``FullPeepholeOptimise``, which takes about ten times as
                long.
            seed: Not used; these passes are deterministic.

        Raises:
            UsageError: If the circuit does not fit the target.
            UnsupportedError: If the basis cannot express a gate.
        """
        target = check_request(circuit, target, level)
        started = time.perf_counter()
        with framework_errors("pytket"):
            from qmastermind_tket.compiler import compile_for

            native, neutral, passes, initial, final = compile_for(circuit, target, level)
        neutral, note = settle(neutral, circuit, target)
        return Compiled(
            source=circuit,
            circuit=neutral,
            native=native,
            target=target,
            backend=self.name,
            version=self.version,
            level=level,
            passes=join_passes((passes, note)),
            seed=seed,
            seconds=time.perf_counter() - started,
            initial_layout=initial,
            final_layout=final,
        )


def extension_backends() -> dict[str, Any]:
    """The backends of installed pytket extensions, by class name."""
    import importlib
    import pkgutil

    from pytket.backends import Backend as NativeBackend

    try:
        namespace = importlib.import_module("pytket.extensions")
    except ImportError:
        return {}
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(namespace.__path__):
        with framework_errors("pytket"):
            extension = importlib.import_module(f"pytket.extensions.{module.name}")
        for name, value in vars(extension).items():
            if isinstance(value, type) and issubclass(value, NativeBackend):
                found[name] = value
    return found
