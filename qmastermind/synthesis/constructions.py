"""The constructions of each kind of multi-controlled gate, and the choice among them by cost.

Three tasks are enough: the phase of the all-ones state, an X up to phase, and a controlled
rotation about Z. Every other controlled gate is one of them between one-qubit gates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Literal, TypeAlias

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Box, Circuit, Operation, Register
from qmastermind.errors import CircuitError, UnsupportedError
from qmastermind.resources import count
from qmastermind.synthesis import ancilla_free
from qmastermind.synthesis.ancilla_free import controlled_rz, relative_x
from qmastermind.synthesis.borrowed import borrowed_z
from qmastermind.synthesis.conjunction import combine, plan
from qmastermind.synthesis.peephole import simplify
from qmastermind.synthesis.phases import all_ones_turns
from qmastermind.synthesis.policy import Objective
from qmastermind.synthesis.rebase import ENTANGLERS, rebase
from qmastermind.synthesis.toffoli import ccp, cp, is_pi, turn
from qmastermind.synthesis.writing import write_in

Kind: TypeAlias = Literal["phase", "flip", "rotation"]


@dataclass(frozen=True)
class Task:
    """A multi-controlled gate, up to the names of its qubits.

    Attributes:
        kind: ``phase``: exp(i angle) where all qubits are 1. ``flip``: X on the last qubit where
            all others are 1, up to a phase on each basis state. ``rotation``: exp(-i angle Z / 2)
            on the last qubit where all others are 1.
        qubits: How many.
        angle: Radians; 0 for a flip.
    """

    kind: Kind
    qubits: int
    angle: float = 0.0

    def __str__(self) -> str:
        if self.kind == "flip":
            return f"X up to phase, {self.qubits - 1} controls"
        if self.kind == "rotation":
            return f"Rz({self.angle:.4g}), {self.qubits - 1} controls"
        name = "Z" if is_pi(self.angle) else f"P({self.angle:.4g})"
        return f"{name}, {self.qubits - 1} controls"


@dataclass(frozen=True)
class Candidate:
    """One way to do a task, and what it costs in the basis, alone.

    Attributes:
        name: The construction.
        source: Where it is from.
        clean: Ancillas in |0> that it uses.
        borrowed: Ancillas in any state that it uses.
        two_qubit_gates: Of the circuit in the basis.
        two_qubit_depth: Likewise.
        depth: Likewise.
        t_gates: Likewise.
    """

    name: str
    source: str
    clean: int
    borrowed: int
    two_qubit_gates: int
    two_qubit_depth: int
    depth: int
    t_gates: int

    def rank(self, objective: Objective) -> tuple[int, ...]:
        """Smaller is better."""
        ancillas = (self.clean, self.borrowed)
        if objective == "depth":
            return (self.depth, self.two_qubit_gates, *ancillas)
        if objective == "t_count":
            return (self.t_gates, self.two_qubit_gates, self.depth, *ancillas)
        if objective == "qubits":
            return (self.clean, self.two_qubit_gates, self.depth, self.borrowed)
        return (self.two_qubit_gates, self.depth, *ancillas)


_Build: TypeAlias = Callable[[CircuitBuilder, Sequence[int], Sequence[int], Sequence[int]], None]
_Option: TypeAlias = tuple[str, str, int, int, _Build]  # name, source, clean, borrowed, build

_SMALL = "Amy et al., IEEE TCAD 32, 818 (2013)"
_PARITIES = "Welch et al., New J. Phys. 16, 033040 (2014)"
_INCREMENTS = "Gidney (2015), with the increments' ancillas of this library"
_CLEAN = "Khattar and Gidney, arXiv:2407.17966, with searched order"
_CLEAN_LADDER = "Khattar and Gidney, arXiv:2407.17966, section 3.1"
_BORROWED = "Khattar and Gidney, arXiv:2407.17966; Maslov, Phys. Rev. A 93, 022311 (2016)"
_RELATIVE = "Maslov, Phys. Rev. A 93, 022311 (2016); Silva and Silva, arXiv:2507.00400"
_COMMUTATOR = "Barenco et al., Phys. Rev. A 52, 3457 (1995), lemma 7.9"

SEVEN_PARITIES = "seven parities"
_SEARCHED = "conditionally clean"
_LADDER = "conditionally clean ladder"

_WIDEST_PARITIES = 6


def in_basis(circuit: Circuit, basis: frozenset[str]) -> Circuit:
    """Writes a circuit of one-qubit gates, CX and fences in a basis, after the peephole pass.

    Raises:
        UnsupportedError: If the basis cannot express a gate exactly.
    """
    operations, phase = simplify(circuit.operations, circuit.num_qubits)
    written, more = write_in(operations, circuit.num_qubits, basis)
    phase += more + circuit.global_phase
    if not {"cx", "cz"} & basis:
        written, more = _rebased(written, circuit.num_qubits, basis)
        phase += more
    return Circuit(circuit.registers, tuple(written), circuit.num_bits, phase)


def _rebased(
    operations: Sequence[Operation], num_qubits: int, basis: frozenset[str]
) -> tuple[list[Operation], float]:
    """Rebases what is between boxes, which are in the basis already."""
    found: list[Operation] = []
    phase = 0.0
    for is_box, group in groupby(operations, lambda op: isinstance(op, Box)):
        if is_box:
            found += group
        else:
            part = rebase(Circuit((Register("x", num_qubits),), tuple(group)), basis)
            found += part.operations
            phase += part.global_phase
    return found, phase


@lru_cache(maxsize=4096)
def candidates(
    task: Task, basis: frozenset[str], clean: int, borrowed: int, *, all_of_them: bool = False
) -> tuple[Candidate, ...]:
    """The ways to do a task with at most so many ancillas, and their costs.

    Args:
        task: What is to be done.
        basis: Where the costs are counted; what it cannot express exactly is left out.
        clean: Ancillas in |0> that there are.
        borrowed: Further ancillas, in any state.
        all_of_them: Adds those that are known to be no better, for a comparison.

    Raises:
        UnsupportedError: If there is none.
    """
    found = []
    for name, source, zeros, lent, build in _options(task, clean, borrowed, all_of_them):
        try:
            figures = count(in_basis(_built(task, zeros, lent, build), basis))
        except UnsupportedError:
            continue
        found.append(
            Candidate(
                name,
                source,
                zeros,
                lent,
                figures.two_qubit_gates,
                figures.two_qubit_depth,
                figures.depth,
                figures.t_gates,
            )
        )
    if not found:
        raise _none_found(task, basis, clean, borrowed)
    return tuple(found)


def _none_found(task: Task, basis: frozenset[str], clean: int, borrowed: int) -> UnsupportedError:
    remedy = (
        "allow more ancillas, or add u, or rz and sx, to the basis"
        if basis.intersection(ENTANGLERS)
        else f"add one of {', '.join(ENTANGLERS)} to the basis"
    )
    return UnsupportedError(
        f"{task} cannot be written exactly in {{{', '.join(sorted(basis))}}} with {clean} clean "
        f"and {borrowed} borrowed ancillas; {remedy}"
    )


def choose(
    task: Task,
    basis: frozenset[str],
    clean: int,
    borrowed: int,
    objective: Objective,
    *,
    coupled: bool = False,
) -> Candidate:
    """The best of :func:`candidates`.

    Angles of no special form are all judged by one of them. For a target with couplings the ladder
    stands for all conditionally clean forms: it joins neighbours, and routing the others costs
    more than their depth saves.

    Raises:
        UnsupportedError: If there is none.
    """
    try:
        found = candidates(representative(task), basis, *useful(task, clean, borrowed))
    except UnsupportedError:  # which names the angle that stands for this one
        raise _none_found(task, basis, clean, borrowed) from None
    avoided = _SEARCHED if coupled else _LADDER
    fitting = [candidate for candidate in found if candidate.name != avoided]
    return min(fitting, key=lambda candidate: candidate.rank(objective))


@lru_cache(maxsize=64)
def held_flip(controls: int) -> Circuit:
    """A flip whose inner ANDs stay in their ancillas until its inverse clears them.

    For k > 3 controls: registers ``x`` (controls, then the target) and ``held``, k - 2 qubits that
    start in |0>. Cost 3 k - 3 CX, against 6 k - 12 for a flip that clears them itself.
    """
    b = CircuitBuilder(Register("x", controls + 1), Register("held", controls - 2))
    wires = (*range(controls), *b.qubits("held"))
    relative_x(b, combine(b, plan(controls, controls - 2, final=2), wires), controls)
    return b.build()


def representative(task: Task) -> Task:
    """The task with its angle replaced by 1 if it is not a multiple of pi/4."""
    eighths = task.angle / (math.pi / 4)
    return task if abs(eighths - round(eighths)) < 1e-9 else replace(task, angle=1.0)


def useful(task: Task, clean: int, borrowed: int) -> tuple[int, int]:
    """The numbers of ancillas, without those that no construction could use."""
    return min(clean, task.qubits - 1), min(borrowed, task.qubits)


@lru_cache(maxsize=4096)
def construct(task: Task, candidate: Candidate) -> Circuit:
    """The circuit of a candidate, in one-qubit gates and CX.

    Registers ``x``, then ``clean`` and ``borrowed`` with the candidate's ancillas, if it has any.
    """
    wanted = (candidate.name, candidate.clean, candidate.borrowed)
    for name, _, clean, borrowed, build in _options(
        task, candidate.clean, candidate.borrowed, True
    ):
        if (name, clean, borrowed) == wanted:
            return _built(task, clean, borrowed, build)
    raise CircuitError(f"there is no construction {candidate.name!r} for {task}")


def _built(task: Task, clean: int, borrowed: int, build: _Build) -> Circuit:
    registers = [Register("x", task.qubits)]
    registers += [Register("clean", clean, ancilla=True)] if clean else []
    registers += [Register("borrowed", borrowed)] if borrowed else []
    b = CircuitBuilder(*registers)
    wires = tuple(range(task.qubits + clean + borrowed))
    end = task.qubits + clean
    build(b, wires[: task.qubits], wires[task.qubits : end], wires[end:])
    return b.build()


def _options(task: Task, clean: int, borrowed: int, full: bool) -> Iterator[_Option]:
    if task.kind == "phase":
        yield from _phases(task.qubits, task.angle, clean, borrowed, full)
    elif task.kind == "flip":
        yield from _flips(task.qubits - 1, clean, full)
    else:
        yield from _rotations(task.qubits - 1, task.angle, clean, full)


def _numbers(most: int, full: bool) -> list[int]:
    """How many ancillas to try: all of them; one, since that may do; some in between to show."""
    tried = {1, 2, 3, most} if full else {1, most}
    return sorted(n for n in tried if 0 < n <= most)


def _phases(qubits: int, angle: float, clean: int, borrowed: int, full: bool) -> Iterator[_Option]:
    if qubits == 1:
        yield "turn", "one gate", 0, 0, lambda b, x, c, d: turn(b, angle, *x)
    elif qubits == 2:
        yield "controlled turn", _SMALL, 0, 0, lambda b, x, c, d: cp(b, angle, *x)
    elif qubits == 3:
        yield SEVEN_PARITIES, _SMALL, 0, 0, lambda b, x, c, d: ccp(b, angle, *x)
    else:
        if qubits <= _WIDEST_PARITIES:
            yield "all parities", _PARITIES, 0, 0, lambda b, x, c, d: all_ones_turns(b, angle, x)
        if qubits >= _WIDEST_PARITIES:
            for high in ancilla_free.splits(qubits):
                name = f"increments of {high} qubits"
                yield name, _INCREMENTS, 0, 0, _increments(angle, high)
        for number in _numbers(min(clean, qubits - 3), full):
            yield _SEARCHED, _CLEAN, number, 0, _combined(angle, 3)
        if clean:
            yield _LADDER, _CLEAN_LADDER, 1, 0, _combined(angle, 3, ladder=True)
        if is_pi(angle):
            for number in _numbers(min(borrowed, max(1, qubits - 4)), full):
                yield "borrowed", _BORROWED, 0, number, lambda b, x, c, d: borrowed_z(b, x, d)
    if is_pi(angle):
        return
    # With fewer qubits left the turns are larger parts of the angle: with two left exact in
    # Clifford+T for multiples of pi / 2, with one left for multiples of pi / 4.
    for final in (2, 1):
        if qubits > final and clean >= min(3 - final, qubits - final):
            name, number = f"conditionally clean, {final} left", min(clean, qubits - final)
            yield name, _CLEAN, number, 0, _combined(angle, final)


def _increments(angle: float, group: int) -> _Build:
    return lambda b, x, c, d: ancilla_free.phase(b, angle, x, group)


def _combined(angle: float, final: int, *, ladder: bool = False) -> _Build:
    def build(
        b: CircuitBuilder, x: Sequence[int], clean: Sequence[int], borrowed: Sequence[int]
    ) -> None:
        wires = (*x, *clean)
        steps = plan(len(x), len(clean), final=final, ladder=ladder)
        (turn, cp, ccp)[final - 1](b, angle, *combine(b, steps, wires))
        combine(b, steps, wires, inverse=True)

    return build


def _flips(controls: int, clean: int, full: bool) -> Iterator[_Option]:
    yield "relative phase", _RELATIVE, 0, 0, lambda b, x, c, d: relative_x(b, x[:-1], x[-1])
    for final in (2, 3):
        if controls > max(final, 3):
            for number in _numbers(min(clean, controls - final), full):
                name = f"conditionally clean, {final} controls left"
                yield name, _CLEAN, number, 0, _combined_flip(final)


def _combined_flip(final: int) -> _Build:
    def build(
        b: CircuitBuilder, x: Sequence[int], clean: Sequence[int], borrowed: Sequence[int]
    ) -> None:
        wires = (*x[:-1], *clean)
        steps = plan(len(x) - 1, len(clean), final=final)
        relative_x(b, combine(b, steps, wires), x[-1])
        combine(b, steps, wires, inverse=True)

    return build


def _rotations(controls: int, angle: float, clean: int, full: bool) -> Iterator[_Option]:
    def direct(
        b: CircuitBuilder, x: Sequence[int], clean: Sequence[int], borrowed: Sequence[int]
    ) -> None:
        controlled_rz(b, angle, x[:-1], x[-1])

    def combined(
        b: CircuitBuilder, x: Sequence[int], clean: Sequence[int], borrowed: Sequence[int]
    ) -> None:
        wires = (*x[:-1], *clean)
        steps = plan(controls, len(clean), final=2)
        controlled_rz(b, angle, combine(b, steps, wires), x[-1])
        combine(b, steps, wires, inverse=True)

    yield "commutator", _COMMUTATOR, 0, 0, direct
    if controls > 2:
        for number in _numbers(min(clean, controls - 2), full):
            yield "conditionally clean", _CLEAN, number, 0, combined
