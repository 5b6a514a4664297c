"""Gates, controls, diagonals, phases, boxes and ancillas."""

from __future__ import annotations

import pytest

from qmastermind.backend import Backend, Capability
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Phases, Register
from qmastermind.gates import GATES, Gate
from qmastermind.target import operation_name
from qmastermind.testing.conformance import cases
from qmastermind.testing.conformance.base import ConformanceBase

MAX_CONTROLS = 3


class GateConformance(ConformanceBase):
    """Every operation does what the gate's matrix says."""

    @pytest.mark.parametrize("num_controls", range(MAX_CONTROLS + 1))
    @pytest.mark.parametrize("name", GATES)
    def test_gate(self, runner: Backend, name: str, num_controls: int) -> None:
        """A gate under all values of its controls, on different qubits."""
        self._check_each(runner, cases.example_gates(name), num_controls)

    @pytest.mark.parametrize("num_controls", range(3))
    def test_diagonal(self, runner: Backend, num_controls: int) -> None:
        """Diagonals as tables and as lists of states, under all values of controls."""
        self._check_each(runner, cases.example_diagonals(), num_controls)

    def _check_each(self, runner: Backend, gates: list[Gate | Phases], num_controls: int) -> None:
        """All patterns in one circuit, and if that is off, which of them alone are.

        Counts alone would not show a fault of one pattern among many, so that a backend without
        exact probabilities runs each of them alone in any case.
        """
        num_qubits, operations = cases.applications(gates, num_controls)
        self.case(len(operations))
        off = self.difference(runner, cases.interference(num_qubits, operations))
        if off is None and runner.can(Capability.EXACT):
            return
        single = (self.difference(runner, cases.leaning(num_qubits, op)) for op in operations)
        wrong = {
            _describe(op): found for op, found in zip(operations, single, strict=True) if found
        }
        if off is None and not wrong:
            return
        alone = f"wrong alone: {', '.join(wrong)}" if wrong else "each is right alone"
        pytest.fail(f"{off or next(iter(wrong.values()))}; {alone}", pytrace=False)

    @pytest.mark.parametrize("num_controls", [5, 7])
    def test_many_controls(self, runner: Backend, num_controls: int) -> None:
        """X, Z and a phase under many controls of mixed values."""
        width = num_controls + 1
        values = tuple((i * i + 1) % 3 % 2 for i in range(num_controls))
        for shift, gate in enumerate((Gate("x"), Gate("z"), Gate("p", (0.8,)))):
            order = [(shift + 3 * i) % width for i in range(width)]
            if width % 3 == 0:
                order = [(shift - i) % width for i in range(width)]
            op = Apply(gate, (order[0],), tuple(order[1:]), values)
            self.check(
                runner, cases.leaning(width, op), f"{gate.name} under {num_controls} controls"
            )

    @pytest.mark.parametrize("body", cases.phase_bodies())
    def test_global_phase_under_control(self, runner: Backend, body: str) -> None:
        """The global phase of a circuit becomes a relative one once it is controlled."""
        circuit = cases.under_control(cases.phase_bodies()[body])
        self.check(runner, circuit, f"global phase {body}")

    @pytest.mark.parametrize("repetitions", [0, 1, 3])
    def test_box(self, runner: Backend, repetitions: int) -> None:
        """Boxes are opened, and as often as they say."""
        self.check(runner, cases.boxed(repetitions), f"a box repeated {repetitions} times")

    def test_barriers_change_nothing(self, runner: Backend) -> None:
        """A barrier on all qubits, and on some."""
        b = CircuitBuilder(Register("q", 3))
        cases.scramble(b, 3)
        b.barrier()
        b.x(2, controls=[0])
        b.barrier([2, 0])
        cases.scramble(b, 3, 1)
        b.measure(range(3))
        self.check(runner, b.build(), "barriers")

    def test_ancillas(self, runner: Backend) -> None:
        """Ancillas that are lent twice."""
        self.check(runner, cases.with_ancillas(), "ancillas")

    @pytest.mark.parametrize("marked", [1, 23, 54])
    def test_grover_iteration(self, runner: Backend, marked: int) -> None:
        """One iteration on six qubits."""
        circuit = cases.grover_step(6, marked, measure=True)
        self.check(runner, circuit, f"a Grover iteration for {marked:06b}")


def _describe(op: Apply) -> str:
    params = op.gate.params if isinstance(op.gate, Gate) else ()
    angles = f"({', '.join(f'{p:g}' for p in params)})" if params else ""
    return f"{operation_name(op)}{angles} on {', '.join(map(str, op.qubits))}"
