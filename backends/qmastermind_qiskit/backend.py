"""The backend ``qiskit``."""

from __future__ import annotations

import time
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, ClassVar

from qmastermind.backend import Backend, BackendInfo, Capability, Compiled, Result
from qmastermind.circuit import Circuit
from qmastermind.errors import UnsupportedError, UsageError
from qmastermind.results import Distribution
from qmastermind.target import Target

if TYPE_CHECKING:
    from qiskit.providers import BackendV2

_DEVICE_LEVEL = 3


class QiskitBackend(Backend):
    """Compiles with Qiskit; runs on Aer or on another backend of Qiskit.

    On Aer's ideal statevector a circuit runs as it is, with multi-controlled gates and diagonals
    whole, and the exact distribution is known. For any other backend or method of Aer it is first
    compiled at level 3 (lower levels keep bad qubits).

    Args:
        backend: Any BackendV2, stored devices and an Aer with a noise model among them; a name
            as in :func:`~qmastermind_qiskit.named_backend`. Default: Aer.
    """

    info: ClassVar[BackendInfo] = BackendInfo(
        name="qiskit",
        summary="Qiskit's compiler; runs on Aer, stored IBM devices, any local BackendV2",
        packages=("qiskit", "qiskit-aer"),
        extra="qiskit",
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
        formats=("qiskit-qpy",),
    )

    def __init__(self, backend: BackendV2 | str | None = None) -> None:
        self.require()
        self._given = backend

    @classmethod
    def create(cls, argument: str | None = None) -> QiskitBackend:
        """Makes a backend.

        Args:
            argument: A name as in :func:`~qmastermind_qiskit.named_backend`: ``qiskit:aer``,
                ``qiskit:aer_simulator_statevector``, ``qiskit:basic_simulator``,
                ``qiskit:fake_manila``. Default: Aer.

        Raises:
            MissingDependencyError: If a package is missing.
            UnknownNameError: If Qiskit has no local backend of that name.
        """
        backend = cls(argument)
        if argument is not None:
            _ = backend.native  # an unknown name fails here, not in the middle of a run
        return backend

    @cached_property
    def native(self) -> BackendV2:
        """Qiskit's backend object.

        Raises:
            UnknownNameError: If it was given by a name that there is not.
            UsageError: If it was given as something else than a BackendV2.
        """
        from qiskit.providers import BackendV2

        from qmastermind_qiskit.devices import named_backend

        if self._given is None or isinstance(self._given, str):
            return named_backend(self._given or "aer")
        if not isinstance(self._given, BackendV2):
            raise UsageError(f"expected a BackendV2 of Qiskit, not {type(self._given).__name__}")
        return self._given

    @cached_property
    def device(self) -> Target | None:
        """What circuits are compiled for before they run; None for Aer's ideal statevector.

        Raises:
            UnsupportedError: If the device reports all its couplings as unusable.
        """
        from qiskit_aer import AerSimulator

        from qmastermind_qiskit.devices import target_from_qiskit

        ideal = (
            isinstance(self.native, AerSimulator)
            and self.native.options.method in ("automatic", "statevector")
            and self.native.options.noise_model is None
            and self.native.coupling_map is None
        )
        return None if ideal else target_from_qiskit(self.native)

    @property
    def name(self) -> str:
        """``qiskit``, with the name of Qiskit's backend behind a colon if one was given."""
        if self._given is None:
            return self.info.name
        return f"{self.info.name}:{getattr(self._given, 'name', self._given)}"

    def can(self, capability: Capability) -> bool:
        """Whether this backend has ``capability``; only an ideal Aer has exact probabilities."""
        if capability is Capability.EXACT and self.device is not None:
            return False
        if capability is Capability.MID_CIRCUIT and self.device is not None:
            return "reset" in self.native.target.operation_names
        return super().can(capability)

    def probabilities(self, circuit: Circuit) -> Distribution:
        """The exact distribution of the classical bits, from Aer's statevector.

        Raises:
            UnsupportedError: If a measurement is not final, or this is not an ideal Aer.
            TooLargeError: If the state does not fit into memory.
        """
        if self.device is not None:
            raise UnsupportedError(f"backend {self.name!r} gives no exact probabilities")
        from qmastermind_qiskit.aer import exact

        return exact(circuit)

    def compile(
        self,
        circuit: Circuit,
        target: Target | None = None,
        level: int = 2,
        seed: int | None = None,
    ) -> Compiled:
        """Compiles with Qiskit's preset pass manager of a level.

        Exact to about 1e-12, but for rotations by 2e-6 or less, which Qiskit drops from level 2
        on, and for a Clifford+T basis, to which it approximates other rotations to about 1e-12.

        Args:
            circuit: With or without measurements. Its ancilla registers are taken as |0>, its
                other qubits may start in any state.
            target: Default: the device behind this backend; for an ideal Aer all-to-all, basis
                {rz, sx, x, cx}.
            level: Qiskit's optimisation level, 0 to 3.
            seed: Of layout and routing.

        Returns:
            With a coupling map, on all physical qubits of the target; without one, on the qubits
            of ``circuit``.

        Raises:
            UsageError: For a level that there is not.
            TooLargeError: If the circuit has more qubits than the target.
            UnsupportedError: If Qiskit cannot compile to the basis, or cannot route its gates.
        """
        from qmastermind_qiskit.compiler import compile_for
        from qmastermind_qiskit.devices import usable_target

        started = time.perf_counter()
        chosen = target or self.device or Target()
        own = chosen == self.device
        outcome = compile_for(
            circuit, chosen, level, seed, usable_target(self.native) if own else None
        )
        return Compiled(
            source=circuit,
            circuit=outcome.circuit,
            native=outcome.native,
            target=chosen,
            backend=self.name,
            version=self.version,
            level=level,
            passes=outcome.passes,
            seed=seed,
            seconds=time.perf_counter() - started,
            initial_layout=outcome.initial_layout,
            final_layout=outcome.final_layout,
        )

    def export(self, circuit: Circuit, file_format: str) -> bytes:
        """The circuit as a file for ``qiskit.qpy.load``; boxes are kept.

        Raises:
            UnsupportedError: For a format other than ``qiskit-qpy``.
        """
        if file_format not in self.info.formats:
            return super().export(circuit, file_format)
        from qiskit import qpy

        from qmastermind_qiskit.exporter import to_qiskit
        from qmastermind_qiskit.failures import our_errors

        file = BytesIO()
        with our_errors("writing a QPY file"):
            qpy.dump(to_qiskit(circuit), file)
        return file.getvalue()

    def _run(self, circuit: Circuit, shots: int, seed: int | None) -> Result:
        if self.device is not None:
            compiled = self.compile(circuit, level=_DEVICE_LEVEL, seed=seed)
            return self._run_compiled(compiled, shots, seed)
        from qmastermind_qiskit.aer import to_aer
        from qmastermind_qiskit.running import sample

        return Result(sample(self.native, to_aer(circuit), shots, seed))

    def _run_compiled(self, compiled: Compiled, shots: int, seed: int | None) -> Result:
        if self.device is None or compiled.target != self.device or compiled.backend != self.name:
            return self._run(compiled.circuit, shots, seed)
        from qmastermind_qiskit.running import sample

        return Result(sample(self.native, compiled.native, shots, seed))
