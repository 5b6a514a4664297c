"""Compilation by Qiskit's preset pass managers. Imports Qiskit."""

from __future__ import annotations

from typing import NamedTuple

from qiskit import QuantumCircuit
from qiskit.transpiler import CouplingMap, PassManager, generate_preset_pass_manager
from qiskit.transpiler import Target as NativeTarget

from qmastermind.circuit import Circuit
from qmastermind.errors import BackendError, UnsupportedError
from qmastermind.plugin import check_request
from qmastermind.target import Target
from qmastermind.validation import narrow_seed
from qmastermind_qiskit.exporter import to_qiskit
from qmastermind_qiskit.failures import our_errors
from qmastermind_qiskit.importer import from_qiskit

_DIRECT = (
    *("x", "y", "z", "h", "s", "sdg", "t", "tdg", "sx", "sxdg", "rx", "ry", "rz", "p", "u"),
    *("rzz", "ecr", "swap", "cx", "cy", "cz", "ch", "cs", "csdg", "csx", "cp", "crx", "cry", "crz"),
    *("ccx", "ccz", "cswap"),
)
BASIS_NAMES = {name: name for name in _DIRECT} | {"cu": "cu3"}  # Qiskit's cu has a fourth angle
"""Qiskit's name for each basis gate of ours that it compiles to."""

_CLIFFORD_T = frozenset(
    {"x", "y", "z", "h", "s", "sdg", "t", "tdg", "sx", "sxdg", "cx", "cy", "cz", "swap", "ecr"}
)
_FENCE = "ancillas are clean up to here"


class Outcome(NamedTuple):
    """What a pass manager made of a circuit.

    Attributes:
        native: The compiled circuit.
        circuit: The neutral copy of it.
        initial_layout: For each qubit of the source, where it starts.
        final_layout: For each qubit of the source, where it ends.
        passes: The passes by name, and what they were told.
    """

    native: QuantumCircuit
    circuit: Circuit
    initial_layout: tuple[int, ...]
    final_layout: tuple[int, ...]
    passes: str


def compile_for(
    circuit: Circuit,
    target: Target,
    level: int,
    seed: int | None,
    device: NativeTarget | None = None,
) -> Outcome:
    """Compiles for a target of ours, or for a device of Qiskit that it describes.

    Qiskit is told ``qubits_initially_zero=False``: otherwise it takes any qubit that is idle for
    a clean ancilla, and the result is right from |0...0> only, not as a part of a larger circuit.
    Ancilla registers are |0> by contract. To say so of them alone they are reset in front of
    everything, and these resets are taken out of the result again.

    Args:
        circuit: With or without measurements.
        target: What the result must keep to.
        level: 0 to 3.
        seed: Of layout and routing.
        device: Qiskit's own description of the target, with gate directions and error rates.

    Returns:
        With a coupling map, a circuit on all physical qubits of the target, idle ones included;
        without one, on the qubits and registers of the source.

    Raises:
        UsageError: For a level that there is not.
        TooLargeError: If the circuit has more qubits than the target.
        UnsupportedError: If Qiskit cannot compile to the basis.
        BackendError: If Qiskit fails.
    """
    check_request(circuit, target, level)
    with our_errors(f"compiling for {target.name}"):
        manager = _preset(target, level, seed, device)
        compiled = manager.run(_with_clean_ancillas(circuit))
        _take_out_resets(compiled, len(circuit.ancillas))
        neutral = from_qiskit(compiled)
    # A simulator may have gates that our description of it cannot name.
    broken = None if device is not None else next(target.violations(neutral), None)
    if broken is not None:
        raise BackendError(f"compiling for {target.name}: Qiskit left {broken}")
    initial = final = tuple(range(circuit.num_qubits))
    if compiled.layout is not None:
        initial = tuple(compiled.layout.initial_index_layout(filter_ancillas=True))
        final = tuple(compiled.layout.final_index_layout(filter_ancillas=True))
    passes = f"preset pass manager, level {level}; qubits_initially_zero=False"
    if circuit.ancillas:
        passes += ", ancilla registers taken as clean"
    if device is None and _CLIFFORD_T.issuperset(target.basis) and {"t", "tdg"} & set(target.basis):
        passes += "; Clifford+T passes, rotations approximated"
    return Outcome(compiled, neutral, initial, final, passes)


def _preset(
    target: Target, level: int, seed: int | None, device: NativeTarget | None
) -> PassManager:
    # Not a Target of Qiskit for ours: without couplings its Clifford+T passes fail on one.
    given = {"target": device} if device is not None else {"basis_gates": _native_basis(target)}
    if device is None and target.coupling is not None:
        given["coupling_map"] = _coupling_map(target)
    return generate_preset_pass_manager(
        optimization_level=level,
        seed_transpiler=narrow_seed(seed),
        qubits_initially_zero=False,
        **given,
    )


def _native_basis(target: Target) -> list[str]:
    lacking = [gate for gate in target.basis if gate not in BASIS_NAMES]
    if lacking:
        raise UnsupportedError(
            f"Qiskit cannot compile to {', '.join(lacking)}; it can to {', '.join(BASIS_NAMES)}"
        )
    wide = [gate for gate in target.basis if gate in ("ccx", "ccz", "cswap")]
    if wide and target.coupling is not None:
        raise UnsupportedError(
            f"Qiskit routes gates on two qubits, not {', '.join(wide)}; "
            "leave them out of the basis, or give no coupling map"
        )
    return [BASIS_NAMES[gate] for gate in target.basis]


def _coupling_map(target: Target) -> CouplingMap:
    coupling = CouplingMap()
    for qubit in range(target.num_qubits or 0):
        coupling.add_physical_qubit(qubit)
    for a, b in sorted(target.coupling or ()):
        coupling.add_edge(a, b)
        coupling.add_edge(b, a)
    return coupling


def _with_clean_ancillas(circuit: Circuit) -> QuantumCircuit:
    native = to_qiskit(circuit)
    if not circuit.ancillas:
        return native
    whole: QuantumCircuit = native.copy_empty_like()
    whole.global_phase = 0
    whole.reset(circuit.ancillas)
    # Without the barrier, the synthesis may come to an ancilla before its reset.
    whole.barrier(label=_FENCE)
    whole.compose(native, copy=False, inplace=True)
    return whole


def _take_out_resets(compiled: QuantumCircuit, count: int) -> None:
    if not count:
        return
    front: list[int] = []
    for position, step in enumerate(compiled.data):
        if step.name == "reset":
            front.append(position)
        elif step.name == "barrier" and step.operation.label == _FENCE:
            front.append(position)
            break
    if len(front) != count + 1:
        raise BackendError("Qiskit moved the resets that say which qubits are clean")
    for position in reversed(front):
        del compiled.data[position]
