"""Building circuits: gates by name, boxes, and ancillas that are lent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from qmastermind.circuit import (
    Apply,
    Barrier,
    Box,
    Circuit,
    Measure,
    Operation,
    Phases,
    Query,
    Register,
    Reset,
    check_qubits,
    check_values,
    fresh_name,
    register_qubits,
    remap,
)
from qmastermind.errors import CircuitError
from qmastermind.gates import Gate
from qmastermind.validation import whole


class CircuitBuilder:
    """Builds a :class:`Circuit` step by step.

    Every gate method takes target qubits, then ``controls`` and, optionally, their ``values``::

        b = CircuitBuilder(Register("x", 3))
        b.h(0)
        b.x(2, controls=[0, 1], values=[1, 0])
        circuit = b.build()

    Args:
        registers: The registers; more can be added with :meth:`register`.
    """

    def __init__(self, *registers: Register) -> None:
        self._registers: list[Register] = []
        self._operations: list[Operation] = []
        self._num_bits = 0
        self._num_qubits = 0
        self._free: list[int] = []
        self.global_phase = 0.0
        for register in registers:
            self.register(register)

    def register(self, register: Register) -> tuple[int, ...]:
        """Adds a register and returns its qubits."""
        if any(r.name == register.name for r in self._registers):
            raise CircuitError(f"there is a register {register.name!r} already")
        self._registers.append(register)
        qubits = tuple(range(self._num_qubits, self._num_qubits + register.size))
        self._num_qubits += register.size
        return qubits

    def qubits(self, register: str) -> tuple[int, ...]:
        """The qubits of a register."""
        return register_qubits(self._registers, register)

    def gate(
        self,
        gate: Gate | Phases,
        targets: Sequence[int],
        controls: Sequence[int] = (),
        values: Sequence[int] | None = None,
    ) -> None:
        """Applies a gate or a diagonal; a diagonal over no qubit is a phase of the controls.

        Raises:
            CircuitError: For a wrong number of targets, qubits that do not exist or occur twice.
        """
        wanted = gate.num_qubits if isinstance(gate, Phases) else gate.kind.num_qubits
        if len(targets) != wanted:
            raise CircuitError(f"{gate} takes {wanted} targets, not {len(targets)}")
        states = check_values(controls, values)
        self._check((*targets, *controls))
        if isinstance(gate, Phases) and not len(targets):
            self.phase_on(float(gate.table()[0]), controls, states)
            return
        self._operations.append(Apply(gate, tuple(targets), tuple(controls), states))

    def _check(self, qubits: Sequence[int]) -> None:
        check_qubits(qubits, self._num_qubits)

    def _named(
        self,
        name: str,
        params: tuple[float, ...],
        target: int,
        controls: Sequence[int],
        values: Sequence[int] | None,
    ) -> None:
        self.gate(Gate(name, params), (target,), controls, values)

    def x(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """Pauli X; with controls CX, CCX, MCX."""
        self._named("x", (), target, controls, values)

    def y(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """Pauli Y."""
        self._named("y", (), target, controls, values)

    def z(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """Pauli Z; with controls CZ, MCZ."""
        self._named("z", (), target, controls, values)

    def h(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """Hadamard."""
        self._named("h", (), target, controls, values)

    def s(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """diag(1, i)."""
        self._named("s", (), target, controls, values)

    def sdg(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """diag(1, -i)."""
        self._named("sdg", (), target, controls, values)

    def t(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """diag(1, exp(i pi/4))."""
        self._named("t", (), target, controls, values)

    def tdg(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """diag(1, exp(-i pi/4))."""
        self._named("tdg", (), target, controls, values)

    def sx(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """Square root of X, phase as in OpenQASM."""
        self._named("sx", (), target, controls, values)

    def sxdg(
        self, target: int, controls: Sequence[int] = (), values: Sequence[int] | None = None
    ) -> None:
        """Inverse of :meth:`sx`."""
        self._named("sxdg", (), target, controls, values)

    def rx(
        self,
        angle: float,
        target: int,
        controls: Sequence[int] = (),
        values: Sequence[int] | None = None,
    ) -> None:
        """exp(-i angle X / 2)."""
        self._named("rx", (angle,), target, controls, values)

    def ry(
        self,
        angle: float,
        target: int,
        controls: Sequence[int] = (),
        values: Sequence[int] | None = None,
    ) -> None:
        """exp(-i angle Y / 2)."""
        self._named("ry", (angle,), target, controls, values)

    def rz(
        self,
        angle: float,
        target: int,
        controls: Sequence[int] = (),
        values: Sequence[int] | None = None,
    ) -> None:
        """exp(-i angle Z / 2)."""
        self._named("rz", (angle,), target, controls, values)

    def p(
        self,
        angle: float,
        target: int,
        controls: Sequence[int] = (),
        values: Sequence[int] | None = None,
    ) -> None:
        """diag(1, exp(i angle)); with controls CP, MCP."""
        self._named("p", (angle,), target, controls, values)

    def u(
        self,
        theta: float,
        phi: float,
        lam: float,
        target: int,
        controls: Sequence[int] = (),
        values: Sequence[int] | None = None,
    ) -> None:
        """The general one-qubit gate, phase as in OpenQASM 3."""
        self._named("u", (theta, phi, lam), target, controls, values)

    def swap(
        self,
        first: int,
        second: int,
        controls: Sequence[int] = (),
        values: Sequence[int] | None = None,
    ) -> None:
        """Exchanges two qubits."""
        self.gate(Gate("swap"), (first, second), controls, values)

    def diagonal(
        self,
        phases: Phases,
        targets: Sequence[int],
        controls: Sequence[int] = (),
        values: Sequence[int] | None = None,
    ) -> None:
        """Applies a diagonal unitary; the first target is the most significant."""
        self.gate(phases, targets, controls, values)

    def phase_on(self, angle: float, qubits: Sequence[int], values: Sequence[int]) -> None:
        """Gives the one basis state ``values`` of ``qubits`` the phase exp(i angle).

        Of no qubits there is one state, and its phase is the global one.
        """
        if not len(qubits):
            self.global_phase += angle
            return
        *controls, last = qubits
        *states, state = check_values(qubits, values)
        if state:
            gate = Gate("z") if angle == np.pi else Gate("p", (angle,))
            self.gate(gate, (last,), controls, states)
        elif controls and any(states):
            # a symmetric gate: let a qubit that must be 1 be the target
            i = states.index(1)
            order = [q for j, q in enumerate(qubits) if j != i]
            rest = [v for j, v in enumerate(values) if j != i]
            self.phase_on(angle, [*order, qubits[i]], [*rest, 1])
        else:
            self.x(last)
            self.phase_on(angle, qubits, [*states, 1])
            self.x(last)

    def barrier(self, qubits: Sequence[int] | None = None) -> None:
        """A fence over ``qubits``, default all."""
        chosen = range(self._num_qubits) if qubits is None else qubits
        self._check(tuple(chosen))
        self._operations.append(Barrier(tuple(chosen)))

    def measure(self, qubits: Sequence[int]) -> tuple[int, ...]:
        """Measures into new classical bits and returns those."""
        self._check(qubits)
        bits = tuple(range(self._num_bits, self._num_bits + len(qubits)))
        self._operations += [Measure(q, b) for q, b in zip(qubits, bits, strict=True)]
        self._num_bits += len(bits)
        return bits

    def reset(self, qubit: int) -> None:
        """Puts a qubit into |0>."""
        self._check((qubit,))
        self._operations.append(Reset(qubit))

    @contextmanager
    def ancillas(self, count: int) -> Iterator[tuple[int, ...]]:
        """Lends ``count`` qubits in |0>; they must be in |0> again when the block ends.

        Qubits given back are lent again, so that ancillas number as many as are in use at once.
        """
        qubits = self._take(count)
        yield qubits
        self._free = sorted({*self._free, *qubits})

    def _take(self, count: int) -> tuple[int, ...]:
        missing = count - len(self._free)
        if missing > 0:
            name = fresh_name("ancilla", self._registers)
            self._free += self.register(Register(name, missing, ancilla=True))
        taken, self._free = self._free[:count], self._free[count:]
        return tuple(taken)

    def append(
        self,
        circuit: Circuit,
        qubits: Sequence[int] | None = None,
        *,
        repetitions: int = 1,
        label: str = "",
        query: Query | None = None,
    ) -> None:
        """Adds a circuit as one box.

        Args:
            circuit: The body, without classical bits.
            qubits: Where its data qubits go, in order; its ancillas are lent by this builder.
                Default: the first qubits of this circuit.
            repetitions: How often it is applied.
            label: A name for drawings.
            query: A counter for uses of an oracle.

        Raises:
            CircuitError: If the numbers of qubits differ, or the body has classical bits.
        """
        if circuit.num_bits or not circuit.is_unitary:
            raise CircuitError("a box cannot measure or reset")
        if whole(repetitions, "the number of repetitions") < 0:
            raise CircuitError(f"a box cannot be repeated {repetitions} times")
        with self._place(circuit, qubits) as mapped:
            self._operations.append(Box(circuit, mapped, repetitions, label, query))

    def compose(self, circuit: Circuit, qubits: Sequence[int] | None = None) -> None:
        """Adds the operations of a circuit, not as a box; arguments as in :meth:`append`.

        Classical bits of the circuit become new bits of this one.
        """
        with self._place(circuit, qubits) as mapped:
            for op in circuit.operations:
                placed = remap(op, mapped)
                if isinstance(placed, Measure):
                    placed = replace(placed, bit=placed.bit + self._num_bits)
                self._operations.append(placed)
        self._num_bits += circuit.num_bits
        self.global_phase += circuit.global_phase

    @contextmanager
    def _place(self, circuit: Circuit, qubits: Sequence[int] | None) -> Iterator[tuple[int, ...]]:
        """Where each qubit of a circuit goes: data qubits as told, ancillas on what is lent."""
        chosen = tuple(range(len(circuit.data)) if qubits is None else qubits)
        if len(chosen) != len(circuit.data):
            raise CircuitError(f"the body has {len(circuit.data)} data qubits, not {len(chosen)}")
        self._check(chosen)
        with self.ancillas(len(circuit.ancillas)) as scratch:
            where = dict(zip(circuit.data, chosen, strict=True))
            where.update(zip(circuit.ancillas, scratch, strict=True))
            yield tuple(where[q] for q in range(circuit.num_qubits))

    def add(self, op: Operation) -> None:
        """Adds an operation as it is; its qubits are this circuit's.

        Raises:
            CircuitError: For qubits that do not exist, occur twice, or are not as many as it takes.
        """
        if isinstance(op, Apply):
            self.gate(op.gate, op.targets, op.controls, op.values)
            return
        self._check(op.qubits)
        if isinstance(op, Box) and len(op.qubits) != op.circuit.num_qubits:
            raise CircuitError(f"the body has {op.circuit.num_qubits} qubits, not {len(op.qubits)}")
        if isinstance(op, Measure):
            self._num_bits = max(self._num_bits, op.bit + 1)
        self._operations.append(op)

    def build(self) -> Circuit:
        """The circuit so far."""
        return Circuit(
            tuple(self._registers), tuple(self._operations), self._num_bits, self.global_phase
        )
