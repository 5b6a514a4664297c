"""From calls of gates to operations: the standard libraries, definitions, modifiers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NoReturn, TypeAlias

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Barrier, Register, remap
from qmastermind.gates import GATES, Gate
from qmastermind.qasm import definitions
from qmastermind.qasm.parse2 import parse_definition
from qmastermind.qasm.parse3 import parse3
from qmastermind.qasm.program import Call, Definition, Fence, Modifier, Operand, Position, Program
from qmastermind.qasm.write3 import DEFINITIONS, STANDARD_CONTROLLED

Gates: TypeAlias = list[Apply | Barrier]

_MAX_GATES = 1_000_000  # that a power is written out to

# Names of the standard libraries: our gate, and how many closed controls it has. The phases of
# u2, u3, cu3 and cu are those that Qiskit, Cirq and tket give them.
_LIBRARY: dict[str, tuple[str, int]] = {
    **{name: (name, 0) for name in GATES if name not in ("sxdg", "rzz", "ecr")},
    **{name: (gate, n) for (gate, n), name in STANDARD_CONTROLLED.items()},
    "U": ("u", 0),
    "u1": ("p", 0),
    "u3": ("u", 0),
    "phase": ("p", 0),
    "CX": ("x", 1),
    "cphase": ("p", 1),
    "cu1": ("p", 1),
    "cu3": ("u", 1),
}

# What Qiskit writes in OpenQASM 2 as if qelib1.inc had it.
_EXTENDED_LIBRARY = {
    **_LIBRARY,
    "sxdg": ("sxdg", 0),
    "rzz": ("rzz", 0),
    "csx": ("sx", 1),
    "c3x": ("x", 3),
    "c4x": ("x", 4),
}

# Numbers of angles and of qubits of the names that are no single gate of ours.
_SPECIAL = {"id": (0, 1), "u2": (2, 1), "cu": (4, 2), "gphase": (1, 0)}


class GateSet:
    """The gates that a program can use at some point of it."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._library = _LIBRARY if program.version == 3 else _EXTENDED_LIBRARY
        self._defined: dict[str, Definition] = {}
        self._ours: dict[str, tuple[str, tuple[int, ...]]] = {}

    def _fail(self, message: str, at: Position) -> NoReturn:
        raise self._program.error(message, at)

    def define(self, definition: Definition) -> None:
        """Adds a gate; its body can only use gates that there are already.

        Raises:
            QasmError: If it is defined before, or its body makes no sense.
        """
        name = definition.name
        if name in self._defined:
            self._fail(f"gate {name!r} is defined twice", definition.at)
        for names in (definition.parameters, definition.qubits):
            if len(set(names)) < len(names):
                self._fail(f"gate {name!r} names something twice", definition.at)
        for statement in definition.body:
            for operand in statement.operands:
                if operand.name not in definition.qubits or operand.index is not None:
                    self._fail(f"{_written(operand)!r} is no qubit of this gate", operand.at)
            if isinstance(statement, Call):
                self._require(statement)
        if self._is_ours(definition):
            gate, values = definitions.split_name(name) or (name, "")
            self._ours[name] = gate, tuple(map(int, values))
        self._defined[name] = definition

    def _require(self, call: Call) -> None:
        if call.gate in self._defined or call.gate in self._library:
            return
        if call.gate not in _SPECIAL or (call.gate == "gphase" and self._program.version == 2):
            self._fail(f"there is no gate {call.gate!r} here", call.at)

    def _is_ours(self, definition: Definition) -> bool:
        """Whether it is one that our writers write, and so are those that it uses."""
        if self._program.version == 3:
            return definition == _definition_3(definition.name)
        return definition == _definition_2(definition.name) and all(
            call.gate in self._ours or call.gate not in self._defined
            for call in definition.body
            if isinstance(call, Call)
        )

    def expand(
        self, call: Call, qubits: tuple[int, ...], values: Mapping[str, float]
    ) -> tuple[Gates, float]:
        """The operations of a call, and the global phase that comes with them.

        Args:
            call: With or without modifiers.
            qubits: What its operands are.
            values: Parameters of the gate in whose body it stands.

        Raises:
            QasmError: If there is no such gate, or the call does not fit it.
        """
        self._require(call)
        controls = [self._num_controls(m, values) for m in call.modifiers]
        used = sum(controls)
        if used > len(qubits):
            self._fail(f"{used} controls on {len(qubits)} qubits", call.at)
        gates, phase = self._bare(call, qubits[used:], values)
        # the modifier next to the gate works first, and has the controls next to its qubits
        for modifier, number in zip(reversed(call.modifiers), reversed(controls), strict=True):
            if modifier.kind == "inv":
                gates, phase = _inverse(gates), -phase
            elif modifier.kind == "pow":
                gates, phase = self._power(gates, phase, modifier, values)
            else:
                on = qubits[used - number : used]
                used -= number
                states = (int(modifier.kind == "ctrl"),) * number
                gates = [_controlled(op, on, states) for op in gates]
                gates += _phase_on(phase, on, states) if phase else []
                phase = 0.0
        return gates, phase

    def _bare(
        self, call: Call, qubits: tuple[int, ...], values: Mapping[str, float]
    ) -> tuple[Gates, float]:
        """A call without its modifiers."""
        name = call.gate
        angles = tuple(self._program.value(a, values) for a in call.arguments)
        if name in self._defined:
            definition = self._defined[name]
            self._check(call, len(definition.parameters), qubits, len(definition.qubits))
            if name in self._ours:
                gate, states = self._ours[name]
                return [_apply(gate, angles, qubits, states)], 0.0
            return self._body(definition, qubits, angles)
        if name not in self._library:
            self._check(call, _SPECIAL[name][0], qubits, _SPECIAL[name][1])
            if name == "id":
                return [], 0.0
            if name == "u2":
                return [_apply("u", (math.pi / 2, *angles), qubits)], 0.0
            if name == "gphase":
                return [], angles[0]
            first, *_ = qubits  # cu has its fourth angle as a phase of the control
            return [_apply("p", angles[3:], (first,)), _apply("u", angles[:3], qubits, (1,))], 0.0
        gate, num_controls = self._library[name]
        kind = GATES[gate]
        self._check(call, kind.num_params, qubits, num_controls + kind.num_qubits)
        return [_apply(gate, angles, qubits, (1,) * num_controls)], 0.0

    def _check(self, call: Call, num_angles: int, qubits: Sequence[int], num_qubits: int) -> None:
        if len(call.arguments) != num_angles:
            given = len(call.arguments)
            self._fail(f"{call.gate} takes {num_angles} angles, not {given}", call.at)
        if len(qubits) != num_qubits:
            self._fail(f"{call.gate} takes {num_qubits} qubits, not {len(qubits)}", call.at)

    def _body(
        self, definition: Definition, qubits: tuple[int, ...], angles: tuple[float, ...]
    ) -> tuple[Gates, float]:
        place = dict(zip(definition.qubits, qubits, strict=True))
        values = dict(zip(definition.parameters, angles, strict=True))
        gates: Gates = []
        phase = 0.0
        for statement in definition.body:
            on = tuple(place[o.name] for o in statement.operands)
            if len(set(on)) < len(on):
                self._fail("a qubit occurs twice in one operation", statement.at)
            if isinstance(statement, Fence):
                gates.append(Barrier(on or qubits))
                continue
            more, turned = self.expand(statement, on, values)
            gates += more
            phase += turned
        return gates, phase

    def _num_controls(self, modifier: Modifier, values: Mapping[str, float]) -> int:
        if "ctrl" not in modifier.kind:
            return 0
        if modifier.argument is None:
            return 1
        number = self._program.value(modifier.argument, values)
        if number < 1 or number != int(number):
            what = f"{modifier.kind}({number:g})"
            self._fail(f"{what} needs a positive whole number of controls", modifier.at)
        return int(number)

    def _power(
        self, gates: Gates, phase: float, modifier: Modifier, values: Mapping[str, float]
    ) -> tuple[Gates, float]:
        assert modifier.argument is not None
        exponent = self._program.value(modifier.argument, values)
        if exponent == int(exponent):
            if abs(exponent) * max(len(gates), 1) > _MAX_GATES:
                self._fail(f"a power of {exponent:g} is too large to write out", modifier.at)
            body = gates if exponent >= 0 else _inverse(gates)
            return body * abs(int(exponent)), phase * exponent
        if len(gates) == 1 and isinstance(gates[0], Apply) and isinstance(gates[0].gate, Gate):
            gate = gates[0].gate
            if gate.name in ("p", "rx", "ry", "rz", "rzz"):
                turned = Gate(gate.name, (gate.params[0] * exponent,))
                return [replace(gates[0], gate=turned)], phase * exponent
        raise self._program.error(
            "only p, rx, ry, rz and rzz can have a power that is not whole", modifier.at
        )


@lru_cache(maxsize=4096)
def _definition_2(name: str) -> Definition | None:
    """What our writer of OpenQASM 2 defines by this name."""
    gate = definitions.split_name(name)
    return None if gate is None else parse_definition(definitions.definition(*gate)[0])


@lru_cache(maxsize=8)
def _definition_3(name: str) -> Definition | None:
    """What our writer of OpenQASM 3 defines by this name."""
    if name not in DEFINITIONS:
        return None
    (statement,) = parse3(DEFINITIONS[name]).statements
    assert isinstance(statement, Definition)
    return statement


def _written(operand: Operand) -> str:
    return operand.name if operand.index is None else f"{operand.name}[{operand.index}]"


def _apply(
    gate: str, angles: tuple[float, ...], qubits: tuple[int, ...], values: tuple[int, ...] = ()
) -> Apply:
    split = len(values)
    return Apply(Gate(gate, angles), qubits[split:], qubits[:split], values)


def _inverse(gates: Gates) -> Gates:
    return [
        replace(op, gate=op.gate.inverse()) if isinstance(op, Apply) else op
        for op in reversed(gates)
    ]


def _controlled(
    op: Apply | Barrier, controls: tuple[int, ...], values: tuple[int, ...]
) -> Apply | Barrier:
    if isinstance(op, Barrier):
        return op
    return replace(op, controls=controls + op.controls, values=values + op.values)


def _phase_on(angle: float, qubits: tuple[int, ...], values: tuple[int, ...]) -> Gates:
    """A phase on one state of the controls, which is what a controlled global phase is."""
    builder = CircuitBuilder(Register("q", len(qubits)))
    builder.phase_on(angle, range(len(qubits)), values)
    return [remap(op, qubits) for op in builder.build().operations]
