"""Qiskit's backends: those of a name, and what they are as targets. Imports Qiskit."""

from __future__ import annotations

from qiskit.providers import BackendV2
from qiskit.transpiler import InstructionProperties
from qiskit.transpiler import Target as NativeTarget
from qiskit_aer import AerSimulator

from qmastermind.errors import MissingDependencyError, UnknownNameError, UnsupportedError
from qmastermind.gates import GATES
from qmastermind.target import Target
from qmastermind_qiskit.calibration import broken_qubits, error_rate, fault

_OURS = {"u1": "p", "u2": "u", "u3": "u", "cu1": "cp", "cu3": "cu"}
_AER = "aer_simulator"
_AER_METHODS = (
    "statevector",
    "density_matrix",
    "stabilizer",
    "matrix_product_state",
)


def named_backend(name: str) -> BackendV2:
    """A local backend of Qiskit.

    Args:
        name: ``aer`` or ``aer_simulator``, the same with a method
            (``aer_simulator_statevector``), ``basic_simulator``, or a stored device
            (``fake_manila``, ``fake_torino``; needs qiskit-ibm-runtime).

    Raises:
        UnknownNameError: If there is none of that name.
        MissingDependencyError: For a stored device without qiskit-ibm-runtime.
    """
    if name in ("aer", _AER):
        return AerSimulator()
    methods = {f"{_AER}_{method}": method for method in _AER_METHODS}
    if name in methods:
        return AerSimulator(method=methods[name])
    if name == "basic_simulator":
        from qiskit.providers.basic_provider import BasicSimulator

        return BasicSimulator()
    stored = _stored_devices(required=name.startswith("fake_"))
    if name not in stored:
        raise UnknownNameError(
            "Qiskit backend", name, ["aer", _AER, *methods, "basic_simulator", *stored]
        )
    return stored[name]()


def _stored_devices(required: bool) -> dict[str, type[BackendV2]]:
    try:
        from qiskit_ibm_runtime import fake_provider
        from qiskit_ibm_runtime.fake_provider.fake_backend import FakeBackendV2
    except ImportError as error:
        if required:
            raise MissingDependencyError(
                "a stored device of IBM", "qiskit-ibm-runtime", "ibm"
            ) from error
        return {}
    kinds = [kind for kind in vars(fake_provider).values() if isinstance(kind, type)]
    names = [(getattr(kind, "backend_name", None), kind) for kind in kinds]
    return {name: kind for name, kind in names if name and issubclass(kind, FakeBackendV2)}


def target_from_qiskit(backend: BackendV2) -> Target:
    """What a backend of Qiskit is as a target, for compilation by any framework.

    The basis has the gates that our layer knows (``u1``, ``u2`` and ``u3`` as ``p`` and ``u``; no
    delay, identity or control flow). It holds for every coupling: on a device with different
    gates on different couplings, such as ``fake_cairo``, a circuit that another framework
    compiled may need Qiskit's translation once more, which a run on the device does. Couplings
    that :func:`unusable_couplings` lists are left out.

    Args:
        backend: Any BackendV2, a simulator or a stored device as well.

    Raises:
        UnsupportedError: If every coupling is unusable, or no gate is one that we know.
    """
    native = backend.target
    basis = sorted({_OURS.get(n, n) for n in native.operation_names if _known(n)})
    if not basis:
        raise UnsupportedError(f"{backend.name} has no gate that qmastermind knows")
    coupled = _pairs(native)
    if coupled is None:
        return Target(tuple(basis), native.num_qubits, None, backend.name)
    bad = unusable_couplings(backend)
    usable = frozenset(coupled - bad.keys())
    if coupled and not usable:
        raise UnsupportedError(
            f"{backend.name} reports all of its {len(coupled)} couplings as unusable "
            f"({next(iter(bad.values()))})"
        )
    return Target(tuple(basis), native.num_qubits, usable, backend.name)


def unusable_couplings(backend: BackendV2) -> dict[tuple[int, int], str]:
    """The couplings on which a device cannot be used, smaller qubit first, each with the reason.

    A coupling is unusable if every two-qubit gate on it, or one of its qubits, is broken as in
    :mod:`qmastermind_qiskit.calibration`. A backend that gives no error rates at all has none.
    """
    native = backend.target
    pairs = _pairs(native)
    if pairs is None or not _has_errors(native):
        return {}
    broken = broken_qubits(native)
    gates = [n for n in native.operation_names if _known(n) and _width(native, n) == 2]
    found: dict[tuple[int, int], str] = {}
    for pair in sorted(pairs):
        entries = [
            (gate, native[gate][qargs])
            for gate in gates
            for qargs in (pair, pair[::-1])
            if qargs in native[gate]
        ]
        faults = [f"{gate} {reason}" for gate, entry in entries if (reason := fault(entry))]
        sick = [broken[q] for q in pair if q in broken]
        if sick or len(faults) == len(entries):
            found[pair] = ", ".join(dict.fromkeys(sick or faults))
    return found


def usable_target(backend: BackendV2) -> NativeTarget:
    """Qiskit's own target of a backend without its unusable couplings.

    What is left on a broken qubit has error rate 1: Qiskit takes a missing one for 0.
    """
    native, bad = backend.target, unusable_couplings(backend)
    broken = broken_qubits(native) if _has_errors(native) else {}
    if not bad and not broken:
        return native
    kept = NativeTarget(
        description=native.description,
        num_qubits=native.num_qubits,
        dt=native.dt,
        granularity=native.granularity,
        min_length=native.min_length,
        pulse_alignment=native.pulse_alignment,
        acquire_alignment=native.acquire_alignment,
        qubit_properties=native.qubit_properties,
        concurrent_measurements=native.concurrent_measurements,
    )
    for name in native.operation_names:
        operation, entries = native.operation_from_name(name), native[name]
        if None in entries:
            kept.add_instruction(operation, name=name)
            continue
        usable = {
            qargs: _hopeless(entry) if len(qargs) == 1 and qargs[0] in broken else entry
            for qargs, entry in entries.items()
            if len(qargs) != 2 or (min(qargs), max(qargs)) not in bad
        }
        kept.add_instruction(operation, usable, name=name)
    return kept


def _hopeless(entry: InstructionProperties | None) -> InstructionProperties:
    return InstructionProperties(getattr(entry, "duration", None), 1.0)


def _known(name: str) -> bool:
    ours = _OURS.get(name, name)
    return ours in GATES or (ours.startswith("c") and ours.lstrip("c") in GATES)


def _width(native: NativeTarget, name: str) -> int | None:
    return getattr(native.operation_from_name(name), "num_qubits", None)


def _pairs(native: NativeTarget) -> set[tuple[int, int]] | None:
    """The coupled pairs, smaller qubit first; None if all are."""
    coupling = native.build_coupling_map()
    if coupling is None:
        return set() if native.num_qubits == 1 else None
    return {(min(a, b), max(a, b)) for a, b in coupling.get_edges()}


def _has_errors(native: NativeTarget) -> bool:
    return any(
        error_rate(entry) is not None
        for name in native.operation_names
        if _width(native, name) == 2
        for entry in native[name].values()
    )
