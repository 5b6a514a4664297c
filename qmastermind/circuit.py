"""The neutral circuit: named registers, operations, and the ways to combine them.

Bit order, here and in everything public: qubit 0 is the first qubit of the first register, it
is the leftmost character of a bitstring and the most significant bit of a basis-state index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from qmastermind.errors import CircuitError, TooLargeError
from qmastermind.gates import Gate
from qmastermind.validation import whole

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_MAX_TABLE_QUBITS = 28
MAX_LISTED_QUBITS = 62
"""The widest diagonal whose basis states are listed; they are 64-bit integers."""
MAX_OPERATIONS = 10_000_000
"""How many operations a circuit may have to be run, or to have its boxes opened."""


@dataclass(frozen=True, slots=True)
class Register:
    """A named group of neighbouring qubits.

    Attributes:
        name: Unique within a circuit.
        size: Number of qubits, at least 1.
        ancilla: Whether these are scratch qubits that enter in |0> and leave in |0>.
    """

    name: str
    size: int
    ancilla: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise CircuitError(f"a register needs a name like an identifier, not {self.name!r}")
        if whole(self.size, f"the size of register {self.name!r}") < 1:
            raise CircuitError(f"register {self.name!r} needs at least 1 qubit, not {self.size}")


class Phases:
    """A diagonal unitary: basis state i gains ``exp(1j * angle(i))``.

    Kept as a table of all angles, or as the few basis states whose angle is not 0.

    Attributes:
        num_qubits: Width; basis-state indices have the first qubit most significant.
        indices: Basis states with an angle, increasing, shape ``(m,)``; None for a full table.
        angles: Radians, shape ``(m,)`` or ``(2**num_qubits,)``.
    """

    __slots__ = ("angles", "indices", "num_qubits")

    def __init__(
        self, num_qubits: int, angles: ArrayLike, indices: ArrayLike | None = None
    ) -> None:
        if num_qubits > (_MAX_TABLE_QUBITS if indices is None else MAX_LISTED_QUBITS):
            raise TooLargeError(
                f"a diagonal over {num_qubits} qubits is too wide: a table goes to "
                f"{_MAX_TABLE_QUBITS}, listed basis states to {MAX_LISTED_QUBITS}; "
                "build it from phase_on"
            )
        self.num_qubits = num_qubits
        self.angles: NDArray[np.float64] = np.array(angles, dtype=np.float64)
        self.indices: NDArray[np.int64] | None = None
        size = 2**num_qubits
        if indices is not None:
            listed = np.array(indices, dtype=np.int64)
            order = np.argsort(listed, kind="stable")
            self.indices, size = listed[order], len(listed)
            self.angles = np.broadcast_to(self.angles, listed.shape)[order].copy()
            if size and not 0 <= self.indices[0] <= self.indices[-1] < 2**num_qubits:
                raise CircuitError(f"a basis state is outside 0..2**{num_qubits}-1")
            if np.any(np.diff(self.indices) == 0):
                raise CircuitError("a basis state is listed twice")
            self.indices.setflags(write=False)
        if self.angles.shape != (size,) or not np.all(np.isfinite(self.angles)):
            raise CircuitError(f"expected {size} finite angles, not shape {self.angles.shape}")
        self.angles.setflags(write=False)

    @classmethod
    def from_function(
        cls, num_qubits: int, angle: Callable[[NDArray[np.int64]], ArrayLike]
    ) -> Phases:
        """Tabulates ``angle``, which maps an array of basis-state indices to radians."""
        if num_qubits > _MAX_TABLE_QUBITS:
            raise TooLargeError(
                f"a table over {num_qubits} qubits is too large (at most {_MAX_TABLE_QUBITS}); "
                "list the marked basis states, or build the diagonal from gates"
            )
        return cls(num_qubits, angle(np.arange(2**num_qubits, dtype=np.int64)))

    def table(self) -> NDArray[np.float64]:
        """All angles, shape ``(2**num_qubits,)``."""
        if self.indices is None:
            return self.angles
        full = np.zeros(2**self.num_qubits)
        full[self.indices] = self.angles
        return full

    def inverse(self) -> Phases:
        """The diagonal with all angles negated."""
        return Phases(self.num_qubits, -self.angles, self.indices)

    def _key(self) -> tuple[int, bytes, bytes | None]:
        indices = None if self.indices is None else self.indices.tobytes()
        return self.num_qubits, self.angles.tobytes(), indices

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Phases) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        form = "table" if self.indices is None else f"{len(self.indices)} states"
        return f"Phases({self.num_qubits} qubits, {form})"


@dataclass(frozen=True, slots=True)
class Apply:
    """A gate or a diagonal on target qubits, under controls.

    Attributes:
        gate: A :class:`Gate`, or :class:`Phases` for a diagonal.
        targets: Qubits acted on, first one most significant.
        controls: Qubits that must hold ``values`` for the gate to act.
        values: One 0 or 1 a control.
    """

    gate: Gate | Phases
    targets: tuple[int, ...]
    controls: tuple[int, ...] = ()
    values: tuple[int, ...] = ()

    @property
    def qubits(self) -> tuple[int, ...]:
        """Controls, then targets."""
        return self.controls + self.targets


@dataclass(frozen=True, slots=True)
class Barrier:
    """A fence that compilers keep: nothing moves or cancels across it."""

    qubits: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """Measures ``qubit`` in the computational basis into classical bit ``bit``."""

    qubit: int
    bit: int

    @property
    def qubits(self) -> tuple[int, ...]:
        """The qubit, as for other operations."""
        return (self.qubit,)


@dataclass(frozen=True, slots=True)
class Reset:
    """Puts ``qubit`` into |0>."""

    qubit: int

    @property
    def qubits(self) -> tuple[int, ...]:
        """The qubit, as for other operations."""
        return (self.qubit,)


class Query:
    """Marks a box as uses of an oracle that somebody counts.

    The counter is told when a circuit with the box has been run. Two queries are equal only if
    they are the same object.

    Args:
        model: What the oracle is, for example ``"match"`` or ``"black-peg count"``.
        record: Called with (model, uses in the circuit, shots).
    """

    def __init__(self, model: str, record: Callable[[str, int, int], None]) -> None:
        self.model = model
        self._record = record

    def record(self, uses: int, shots: int) -> None:
        """Reports ``uses`` in a circuit that was run for ``shots``."""
        self._record(self.model, uses, shots)

    def __repr__(self) -> str:
        return f"Query({self.model!r})"


@dataclass(frozen=True, slots=True)
class Box:
    """A circuit used as one operation, repeated ``repetitions`` times.

    Keeps structure: a Grover circuit holds its iteration once. A box without classical bits.

    Attributes:
        circuit: The body; its qubit i is ``qubits[i]`` of the circuit around it.
        qubits: As many as the body has, ancillas included.
        repetitions: At least 0.
        label: A name for drawings.
        query: Set if each repetition is one use of a counted oracle.
    """

    circuit: Circuit
    qubits: tuple[int, ...]
    repetitions: int = 1
    label: str = ""
    query: Query | None = None


Operation: TypeAlias = Apply | Barrier | Measure | Reset | Box


@dataclass(frozen=True)
class Circuit:
    """An immutable circuit. Build one with :class:`~qmastermind.builder.CircuitBuilder`.

    Attributes:
        registers: In qubit order; their qubits are numbered through.
        operations: In time order.
        num_bits: Number of classical bits; bit 0 is leftmost in counts.
        global_phase: Radians; matters once the circuit is controlled.

    The ancilla contract: a circuit may rely on its ancilla registers being |0> at the start,
    and leaves them in |0>.
    """

    registers: tuple[Register, ...]
    operations: tuple[Operation, ...] = ()
    num_bits: int = 0
    global_phase: float = 0.0

    @cached_property
    def num_qubits(self) -> int:
        """Number of qubits, ancillas included."""
        return sum(r.size for r in self.registers)

    def qubits(self, register: str) -> tuple[int, ...]:
        """The qubits of a register.

        Raises:
            CircuitError: If there is no such register.
        """
        return register_qubits(self.registers, register)

    @cached_property
    def ancillas(self) -> tuple[int, ...]:
        """The qubits of all ancilla registers."""
        return tuple(q for r in self.registers if r.ancilla for q in self.qubits(r.name))

    @cached_property
    def data(self) -> tuple[int, ...]:
        """The qubits that are not ancillas."""
        scratch = set(self.ancillas)
        return tuple(q for q in range(self.num_qubits) if q not in scratch)

    @cached_property
    def is_unitary(self) -> bool:
        """Whether there is no measurement and no reset."""
        return all(
            op.circuit.is_unitary if isinstance(op, Box) else not isinstance(op, Measure | Reset)
            for op in self.operations
        )

    @cached_property
    def size(self) -> int:
        """Number of operations with every box opened and repeated; none is opened to count."""
        return sum(
            op.repetitions * op.circuit.size if isinstance(op, Box) else 1 for op in self.operations
        )

    def check_size(self) -> None:
        """Raises TooLargeError if there are too many operations to go through one by one."""
        if self.size > max(MAX_OPERATIONS, len(self.operations)):
            raise TooLargeError(
                f"the circuit has {self.size:,} operations, too many to go through one by one "
                f"(at most {MAX_OPERATIONS:,}): repeat less often"
            )

    def flat(self) -> Iterator[Apply | Barrier | Measure | Reset]:
        """Iterates over the operations with every box opened and repeated.

        Raises:
            TooLargeError: If they are more than :data:`MAX_OPERATIONS`, before the first of them.
        """
        self.check_size()
        return self._flat()

    def _flat(self) -> Iterator[Apply | Barrier | Measure | Reset]:
        for op in self.operations:
            if isinstance(op, Box):
                for _ in range(op.repetitions):
                    for inner in op.circuit._flat():
                        yield remap(inner, op.qubits)
            else:
                yield op

    def flattened(self) -> Circuit:
        """The same circuit with every box opened; queries are no longer counted in it."""
        return replace(self, operations=tuple(self.flat()), global_phase=self.total_global_phase)

    @cached_property
    def total_global_phase(self) -> float:
        """The global phase with that of all boxes."""
        return self.global_phase + sum(
            op.repetitions * op.circuit.total_global_phase
            for op in self.operations
            if isinstance(op, Box)
        )

    def query_uses(self) -> dict[Query, int]:
        """How often each counted oracle is used in one run."""
        uses: dict[Query, int] = {}
        for op in self.operations:
            if isinstance(op, Box):
                if op.query is not None:
                    uses[op.query] = uses.get(op.query, 0) + op.repetitions
                for query, n in op.circuit.query_uses().items():
                    uses[query] = uses.get(query, 0) + n * op.repetitions
        return uses

    def inverse(self) -> Circuit:
        """The circuit that undoes this one.

        Raises:
            CircuitError: If it measures or resets.
        """
        return replace(
            self,
            operations=tuple(_invert(op) for op in reversed(self.operations)),
            global_phase=-self.global_phase,
        )

    def power(self, exponent: int, label: str = "") -> Circuit:
        """This circuit repeated; a negative exponent repeats the inverse."""
        exponent = whole(exponent, "an exponent")
        body = self if exponent >= 0 else self.inverse()
        box = Box(body, tuple(range(self.num_qubits)), abs(exponent), label)
        self._require_unitary("repeat")
        return Circuit(self.registers, (box,))

    def controlled(self, num_controls: int = 1, values: Sequence[int] | None = None) -> Circuit:
        """This circuit under new control qubits, a register ``control`` in front of the others.

        The global phase is controlled as well.

        Args:
            num_controls: How many.
            values: The control value of each, default all 1.

        Raises:
            CircuitError: If the circuit measures or resets.
        """
        self._require_unitary("control")
        name = fresh_name("control", self.registers)
        states = check_values(range(num_controls), values)
        from qmastermind.builder import CircuitBuilder  # which builds on this module

        builder = CircuitBuilder(Register(name, num_controls), *self.registers)
        controls, body = range(num_controls), range(num_controls, num_controls + self.num_qubits)
        for op in self.operations:
            builder.add(_control(remap(op, body), tuple(controls), states))
        if self.global_phase:
            builder.phase_on(self.global_phase, controls, states)
        return builder.build()

    def measured(self, qubits: Iterable[int] | None = None) -> Circuit:
        """This circuit with ``qubits`` (default: all that are not ancillas) measured at the end.

        Raises:
            CircuitError: For a qubit that there is not, or that is named twice.
        """
        chosen = tuple(self.data if qubits is None else qubits)
        check_qubits(chosen, self.num_qubits)
        added = tuple(Measure(q, self.num_bits + i) for i, q in enumerate(chosen))
        return replace(
            self, operations=self.operations + added, num_bits=self.num_bits + len(chosen)
        )

    def without_measurements(self) -> Circuit:
        """This circuit without its measurements, if all of them are final.

        Raises:
            CircuitError: If something follows a measurement on the same qubit, or on reset.
        """
        self.final_measurements()
        kept = tuple(op for op in self.operations if not isinstance(op, Measure))
        circuit = replace(self, operations=kept, num_bits=0)
        circuit._require_unitary("take the measurements from")
        return circuit

    def final_measurements(self) -> dict[int, int]:
        """Maps each classical bit to its qubit, if every measurement is the last on its qubit.

        Raises:
            CircuitError: If a measured qubit is used again, or a bit is written twice.
        """
        measured: dict[int, int] = {}
        done: set[int] = set()
        for op in self.operations:
            if done.intersection(op.qubits) and not isinstance(op, Barrier):
                raise CircuitError("a qubit is used again after it was measured")
            if isinstance(op, Measure):
                if op.bit in measured:
                    raise CircuitError(f"bit {op.bit} is written twice")
                measured[op.bit] = op.qubit
                done.add(op.qubit)
        return measured

    def has_final_measurements_only(self) -> bool:
        """Whether it has no reset and every measurement is the last operation on its qubit."""
        try:
            self.without_measurements()
        except CircuitError:
            return False
        return True

    def _require_unitary(self, verb: str) -> None:
        if not self.is_unitary:
            raise CircuitError(f"cannot {verb} a circuit that measures or resets")

    def draw(self, width: int = 100) -> str:
        """A text drawing, for small circuits."""
        from qmastermind.drawing import draw

        return draw(self, width)

    def __str__(self) -> str:
        registers = ", ".join(f"{r.name}[{r.size}]" for r in self.registers)
        return f"Circuit({registers}; {len(self.operations)} operations, {self.num_bits} bits)"


def register_qubits(registers: Sequence[Register], name: str) -> tuple[int, ...]:
    """The qubits of the register of a name.

    Raises:
        CircuitError: If there is none.
    """
    start = 0
    for register in registers:
        if register.name == name:
            return tuple(range(start, start + register.size))
        start += register.size
    known = ", ".join(r.name for r in registers)
    raise CircuitError(f"no register {name!r}; there are: {known or 'none'}")


def fresh_name(wanted: str, registers: Iterable[Register]) -> str:
    """``wanted`` if no register has this name, else with the first number that makes it new."""
    taken = {register.name for register in registers}
    return next(n for i in range(len(taken) + 1) if (n := f"{wanted}{i or ''}") not in taken)


def check_qubits(qubits: Sequence[int], num_qubits: int) -> None:
    """Refuses qubits that are not below ``num_qubits`` or occur twice.

    Raises:
        CircuitError: If one is.
        UsageError: If one is no whole number.
    """
    for q in qubits:
        if type(q) is not int:
            whole(q, "a qubit")  # numpy's integers will do
        if not 0 <= q < num_qubits:
            raise CircuitError(f"there is no qubit {q}: there are {num_qubits}")
    if len(set(qubits)) < len(qubits):
        raise CircuitError(f"a qubit occurs twice in one operation: {tuple(qubits)}")


def remap(op: Any, qubits: Sequence[int]) -> Any:
    """The operation with each of its qubits q replaced by ``qubits[q]``."""
    match op:
        case Apply():
            return Apply(
                op.gate,
                tuple(qubits[q] for q in op.targets),
                tuple(qubits[q] for q in op.controls),
                op.values,
            )
        case Barrier():
            return Barrier(tuple(qubits[q] for q in op.qubits))
        case Measure():
            return Measure(qubits[op.qubit], op.bit)
        case Reset():
            return Reset(qubits[op.qubit])
        case Box():
            return replace(op, qubits=tuple(qubits[q] for q in op.qubits))
    raise CircuitError(f"not an operation: {op!r}")


def _invert(op: Operation) -> Operation:
    match op:
        case Apply():
            return replace(op, gate=op.gate.inverse())
        case Barrier():
            return op
        case Box():
            return replace(op, circuit=op.circuit.inverse(), label=_dagger(op.label))
    raise CircuitError("cannot invert a circuit that measures or resets")


def _dagger(label: str) -> str:
    return label.removesuffix("†") if label.endswith("†") else label and label + "†"


def _control(op: Operation, controls: tuple[int, ...], values: tuple[int, ...]) -> Operation:
    match op:
        case Apply():
            return replace(op, controls=controls + op.controls, values=values + op.values)
        case Box():
            body = op.circuit.controlled(len(controls), values)
            return replace(op, circuit=body, qubits=controls + op.qubits)
    return op


def check_values(controls: Sequence[int], values: Sequence[int] | None) -> tuple[int, ...]:
    """The control values, by default all 1.

    Raises:
        CircuitError: If there are not as many as controls, or one is neither 0 nor 1.
    """
    states = (1,) * len(controls) if values is None else tuple(values)
    if len(states) != len(controls) or any(v not in (0, 1) for v in states):
        raise CircuitError(f"{len(controls)} controls need as many values 0 or 1, not {values}")
    return states
