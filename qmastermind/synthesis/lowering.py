"""Lowering: every multi-controlled gate and diagonal of a circuit in a stated basis."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import Literal, overload

from qmastermind.circuit import Circuit, Register, fresh_name, remap
from qmastermind.errors import UsageError
from qmastermind.synthesis.constructions import in_basis
from qmastermind.synthesis.explanation import Explanation
from qmastermind.synthesis.items import Translator, opened
from qmastermind.synthesis.placement import Body, Placer, Settings
from qmastermind.synthesis.policy import Objective, Policy, check_objective
from qmastermind.synthesis.rewrites import merge_phases, relax_mirrored
from qmastermind.target import DEFAULT_BASIS, Target, check_basis


@overload
def lower(
    circuit: Circuit,
    basis: Collection[str] = ...,
    ancillas: Policy = ...,
    objective: Objective = ...,
    target: Target | None = ...,
    explain: Literal[False] = ...,
) -> Circuit: ...


@overload
def lower(
    circuit: Circuit,
    basis: Collection[str] = ...,
    ancillas: Policy = ...,
    objective: Objective = ...,
    target: Target | None = ...,
    *,
    explain: Literal[True],
) -> tuple[Circuit, Explanation]: ...


def lower(
    circuit: Circuit,
    basis: Collection[str] = DEFAULT_BASIS,
    ancillas: Policy = Policy(),  # noqa: B008  # immutable
    objective: Objective = "two_qubit",
    target: Target | None = None,
    explain: bool = False,
) -> Circuit | tuple[Circuit, Explanation]:
    """Writes a circuit in a basis, each multi-controlled gate by the best construction there is.

    Boxes that are repeated or counted stay boxes, and are lowered once; others are opened, so
    that gates merge across their edges. The result equals the circuit, global phase included,
    with the added ancillas |0> before and after.

    Args:
        circuit: Any.
        basis: Basis gate names, as in :attr:`qmastermind.target.Target.basis`. Fixed gates such
            as {h, s, sdg, t, tdg, x, cx} are enough for what is exact in them.
        ancillas: Which ancillas there may be; by default only idle qubits of the circuit.
        objective: What is made least.
        target: Whose spare qubits there are, if the policy says so. If it has couplings, forms
            that join neighbours are preferred; the result still has to be routed.
        explain: Also returns, for each kind of gate, the constructions that there were.

    Returns:
        A circuit with the same registers, then a register ``ancilla`` (or ``ancilla1`` and so
        on) if any were added; with ``explain`` also the explanation.

    Raises:
        UnsupportedError: If the basis cannot express a gate exactly, with such ancillas.
        UsageError: For an unknown basis gate or objective, or a target that is too small.
    """
    check_objective(objective)
    clean = _clean_limit(circuit, ancillas, target)
    explanation = Explanation(objective)
    coupled = target is not None and target.coupling is not None
    names = frozenset(check_basis(basis))
    lowering = _Lowering(names, objective, ancillas.borrow, coupled, explanation)
    result = lowering.body(circuit, clean, 0).circuit
    return (result, explanation) if explain else result


def _clean_limit(circuit: Circuit, policy: Policy, target: Target | None) -> int:
    if target is None or target.num_qubits is None:
        if policy.spare:
            raise UsageError("the policy asks for spare qubits: pass a target that has a number")
        return policy.clean
    spare = target.num_qubits - circuit.num_qubits
    if spare < 0:
        raise UsageError(
            f"the circuit has {circuit.num_qubits} qubits, target {target.name!r} only "
            f"{target.num_qubits}"
        )
    if policy.spare:
        return min(policy.clean or spare, spare)
    return min(policy.clean, spare)


class _Lowering:
    """Lowers the bodies of one circuit, each once for the ancillas that there are for it."""

    def __init__(
        self,
        basis: frozenset[str],
        objective: Objective,
        borrow: bool,
        coupled: bool,
        explanation: Explanation,
    ) -> None:
        self._settings = Settings(basis, objective, borrow, coupled, explanation, self.body)
        self._known: dict[tuple[int, int, int], tuple[Circuit, Body]] = {}

    def body(self, circuit: Circuit, clean: int, borrowed: int) -> Body:
        """Lowers a circuit, with at most so many ancillas from outside."""
        key = (id(circuit), clean, borrowed)
        if key not in self._known:
            # the circuit is kept with its result, so that its id stays its own
            self._known[key] = (circuit, self._lowered(circuit, clean, borrowed))
        return self._known[key][1]

    def _lowered(self, circuit: Circuit, clean: int, borrowed: int) -> Body:
        operations, phase = opened(circuit)
        translator = Translator()
        for op in operations:
            translator.add(op)
        items, merged = merge_phases(translator.finish())
        placer = Placer(self._settings, circuit, relax_mirrored(items), clean, borrowed)
        placer.run()
        phase += circuit.global_phase + translator.phase + merged + placer.phase
        used_clean, used_borrowed = placer.used()
        registers = list(circuit.registers)
        if used_clean:
            registers.append(
                Register(fresh_name("ancilla", circuit.registers), len(used_clean), True)
            )
        if used_borrowed:
            registers.append(
                Register(fresh_name("borrowed", circuit.registers), len(used_borrowed))
            )
        kept = (*range(circuit.num_qubits), *used_clean, *used_borrowed)
        wires = [0] * (1 + max(kept, default=0))
        for place, wire in enumerate(kept):
            wires[wire] = place
        moved = tuple(remap(op, wires) for op in placer.operations)
        done = in_basis(
            Circuit(tuple(registers), moved, circuit.num_bits, phase), self._settings.basis
        )
        done = replace(done, global_phase=math.remainder(done.global_phase, 2 * math.pi))
        return Body(done, len(used_clean), len(used_borrowed))
