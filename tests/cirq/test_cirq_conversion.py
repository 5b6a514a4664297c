"""Neutral to Cirq and back, by unitary."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Barrier, Circuit, Measure, Phases, Register, Reset
from qmastermind.errors import CircuitError, UnsupportedError
from qmastermind.gates import GATES, Gate
from qmastermind.testing.reference import distribution, unitary
from qmastermind.testing.strategies import circuits

cirq = pytest.importorskip("cirq")

from qmastermind_cirq import from_cirq, to_cirq  # noqa: E402

CONTROL_VALUES = [
    None,
    [0],
    [1, 0],
    [(0, 1), 1],
    cirq.SumOfProducts([(0, 1), (1, 0)]),
]


def native_unitary(circuit: Any, num_qubits: int) -> Any:
    order = cirq.LineQubit.range(num_qubits)
    return circuit.unitary(qubit_order=order, qubits_that_should_be_present=order)


def check_both_ways(circuit: Circuit) -> None:
    expected = unitary(circuit)
    native = to_cirq(circuit)
    np.testing.assert_allclose(native_unitary(native, circuit.num_qubits), expected, atol=1e-8)
    back = from_cirq(native, cirq.LineQubit.range(circuit.num_qubits))
    np.testing.assert_allclose(unitary(back), expected, atol=1e-8)
    again = native_unitary(to_cirq(back), circuit.num_qubits)
    np.testing.assert_allclose(again, expected, atol=1e-8)


@settings(max_examples=150)
@given(circuit=circuits())
def test_there_and_back_keeps_the_unitary(circuit: Circuit) -> None:
    check_both_ways(circuit)


@pytest.mark.parametrize("name", sorted(GATES))
@pytest.mark.parametrize("num_controls", range(4))
def test_every_gate_under_every_control_pattern(name: str, num_controls: int) -> None:
    kind = GATES[name]
    rng = np.random.default_rng(len(name) + num_controls)
    width = kind.num_qubits + num_controls
    for pattern in range(2**num_controls):
        gate = Gate(name, tuple(rng.uniform(-6, 6, kind.num_params)))
        qubits = [int(q) for q in rng.permutation(width)]
        values = [pattern >> i & 1 for i in range(num_controls)]
        b = CircuitBuilder(Register("x", width))
        b.gate(gate, qubits[: kind.num_qubits], qubits[kind.num_qubits :], values)
        check_both_ways(b.build())


@pytest.mark.slow
@settings(max_examples=500)
@given(circuit=circuits(max_qubits=5, max_operations=20, max_controls=4))
def test_500_circuits_there_and_back(circuit: Circuit) -> None:
    check_both_ways(circuit)


@given(circuit=circuits(max_operations=5))
def test_what_cirq_decomposes_to_is_read(circuit: Circuit) -> None:
    order = cirq.LineQubit.range(circuit.num_qubits)
    native = cirq.Circuit(cirq.decompose(to_cirq(circuit)))
    read = unitary(from_cirq(native, order))
    np.testing.assert_allclose(read, native_unitary(native, circuit.num_qubits), atol=1e-6)
    overlap = np.vdot(read, unitary(circuit)) / len(read)
    assert abs(abs(overlap) - 1) < 1e-6


NATIVE = [
    cirq.PhasedXZGate(x_exponent=0.3, z_exponent=0.2, axis_phase_exponent=0.7),
    cirq.PhasedXPowGate(phase_exponent=0.3, exponent=0.6),
    cirq.PhasedXPowGate(phase_exponent=0.3, exponent=1, global_shift=0.3),
    cirq.X**0.3,
    cirq.X**-3.5,
    cirq.XPowGate(exponent=1, global_shift=0.3),
    cirq.XPowGate(exponent=0.5, global_shift=0.3),
    cirq.rx(4.0),
    cirq.ry(4.0),
    cirq.rz(4.0),
    cirq.Y**-0.7,
    cirq.Y**3,
    cirq.Z**1.3,
    cirq.ZPowGate(exponent=0.5, global_shift=0.2),
    cirq.H**0.4,
    cirq.H**3,
    cirq.HPowGate(exponent=1, global_shift=0.2),
    cirq.CZ**0.3,
    cirq.CZPowGate(exponent=1.5, global_shift=-0.5),
    cirq.CX**0.3,
    cirq.CXPowGate(exponent=0.3, global_shift=-0.5),
    cirq.CXPowGate(exponent=1, global_shift=0.4),
    cirq.CCX**0.3,
    cirq.CCXPowGate(exponent=0.2, global_shift=0.9),
    cirq.CCZ**0.7,
    cirq.CSWAP,
    cirq.SWAP,
    cirq.SWAP**0.3,
    cirq.SwapPowGate(exponent=1, global_shift=0.1),
    cirq.ISWAP,
    cirq.ISWAP**0.3,
    cirq.XX**0.3,
    cirq.YY**0.2,
    cirq.ZZ**0.4,
    cirq.ZZPowGate(exponent=0.3, global_shift=0.2),
    cirq.ms(0.3),
    cirq.FSimGate(0.3, 0.4),
    cirq.PhasedFSimGate(0.1, 0.2, 0.3, 0.4, 0.5),
    cirq.PhasedISwapPowGate(phase_exponent=0.2, exponent=0.3),
    *(
        cirq.MatrixGate(cirq.testing.random_unitary(2**n, random_state=n), name=f"random-{n}")
        for n in (1, 2, 3)
    ),
    cirq.DiagonalGate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]),
    cirq.TwoQubitDiagonalGate([0.1, 0.2, 0.3, 0.4]),
    cirq.ThreeQubitDiagonalGate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]),
    cirq.QuantumFourierTransformGate(3),
    cirq.PhaseGradientGate(num_qubits=3, exponent=0.3),
    cirq.ParallelGate(cirq.X**0.3, 3),
    cirq.QubitPermutationGate([1, 2, 0]),
    cirq.PauliInteractionGate(cirq.X, True, cirq.Y, False),
    cirq.SingleQubitCliffordGate.X_sqrt,
    cirq.CliffordGate.CNOT,
    cirq.BooleanHamiltonianGate(["a", "b"], ["a & b"], 0.3),
    cirq.IdentityGate(3),
    cirq.WaitGate(cirq.Duration(nanos=3)),
]


@pytest.mark.parametrize("gate", NATIVE, ids=lambda g: f"{type(g).__name__} {g}"[:40])
def test_gates_of_cirq_are_read_under_any_control(gate: Any) -> None:
    width = cirq.num_qubits(gate)
    qubits = cirq.LineQubit.range(width + 2)
    op = gate.on(*reversed(qubits[:width]))
    for values in CONTROL_VALUES:
        controls = qubits[width:-1] if values == [0] else qubits[width:]
        forms = [op]
        if values is not None:
            whole = cirq.ControlledGate(gate, len(controls), values)
            forms = [
                op.controlled_by(*controls, control_values=values),
                cirq.ControlledOperation(controls, op, values),
                whole.on(*controls, *op.qubits),
            ]
        for form in forms:
            native = cirq.Circuit(form)
            read = unitary(from_cirq(native, qubits))
            np.testing.assert_allclose(read, native_unitary(native, width + 2), atol=1e-6)


def test_a_matrix_on_four_qubits_is_read() -> None:
    matrix = cirq.testing.random_unitary(16, random_state=4)
    native = cirq.Circuit(cirq.MatrixGate(matrix).on(*cirq.LineQubit.range(4)))
    np.testing.assert_allclose(unitary(from_cirq(native)), matrix, atol=1e-6)


def test_every_control_pattern_of_multi_controlled_gates() -> None:
    for name in ("x", "z"):
        for pattern in range(16):
            values = [pattern >> i & 1 for i in range(4)]
            b = CircuitBuilder(Register("q", 5))
            b.gate(Gate(name), (2,), (4, 0, 3, 1), values)
            check_both_ways(b.build())
            (op,) = to_cirq(b.build()).all_operations()
            assert isinstance(op.gate, cirq.ControlledGate), "handed over whole"


def test_circuit_operations_pauli_strings_and_global_phases() -> None:
    q = cirq.LineQubit.range(4)
    body = cirq.FrozenCircuit(cirq.H(q[0]), cirq.CX(q[0], q[2]) ** 0.3)
    native = cirq.Circuit(
        cirq.CircuitOperation(body, repetitions=3),
        cirq.CircuitOperation(body, qubit_map={q[0]: q[1]}).controlled_by(q[3]),
        cirq.PauliString({q[0]: cirq.X, q[1]: cirq.Y}, coefficient=-1),
        cirq.global_phase_operation(np.exp(0.3j)).controlled_by(q[1], q[2], control_values=[0, 1]),
        cirq.global_phase_operation(1j),
        cirq.T(q[3]).with_tags("a tag"),
    )
    np.testing.assert_allclose(unitary(from_cirq(native)), native_unitary(native, 4), atol=1e-7)


def test_dense_and_sparse_diagonals() -> None:
    b = CircuitBuilder(Register("q", 5))
    for q in range(5):
        b.h(q)
    b.diagonal(Phases(3, np.linspace(0.1, 2, 8)), (4, 1, 2), (0,), (0,))
    b.diagonal(Phases(4, [np.pi, 0.4], [3, 9]), (0, 1, 2, 3))
    check_both_ways(b.build())
    assert any(isinstance(op.gate, cirq.DiagonalGate) for op in to_cirq(b.build()).all_operations())


def test_measurements_resets_and_barriers_come_back() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.h(0)
    b.measure([2])
    b.reset(2)
    b.barrier([0, 2])
    b.measure([0, 1])
    back = from_cirq(to_cirq(b.build()), cirq.LineQubit.range(3))
    kinds = [op for op in back.operations if isinstance(op, Measure | Reset | Barrier)]
    assert sorted(map(str, kinds)) == sorted(
        map(str, [Measure(2, 0), Reset(2), Barrier((0, 2)), Measure(0, 1), Measure(1, 2)])
    )
    assert back.num_bits == 3


def test_measurements_of_others_are_read() -> None:
    q = cirq.LineQubit.range(3)
    native = cirq.Circuit(
        cirq.X(q[1]),
        cirq.measure(q[1], q[0], key="first", invert_mask=(True, True)),
        cirq.H(q[0]),
        cirq.CX(q[0], q[2]),
        cirq.measure_single_paulistring(cirq.X(q[2]) * cirq.X(q[0]), key="parity"),
    )
    read = from_cirq(native)
    assert read.num_bits == 3
    exact = distribution(read)
    assert exact[0b010] == pytest.approx(1)  # q1 = 1 and q0 = 0, inverted; then XX of a Bell pair


def test_qubits_are_ordered_as_said() -> None:
    a, b = cirq.NamedQubit("a"), cirq.NamedQubit("b")
    native = cirq.Circuit(cirq.X(b), cirq.I(a))
    assert unitary(from_cirq(native))[0b01, 0] == 1
    assert unitary(from_cirq(native, [b, a]))[0b10, 0] == 1
    assert from_cirq(cirq.Circuit(cirq.X(cirq.LineQubit(2)))).num_qubits == 3
    with pytest.raises(CircuitError, match="not in the order"):
        from_cirq(native, [a])


def test_what_cannot_be_read_is_said() -> None:
    angle = cirq.read_json(json_text='{"cirq_type": "sympy.Symbol", "name": "t"}')
    q = cirq.LineQubit.range(2)
    with pytest.raises(CircuitError, match="unresolved parameters"):
        from_cirq(cirq.Circuit(cirq.X(q[0]) ** angle))
    with pytest.raises(UnsupportedError, match="neither unitary"):
        from_cirq(cirq.Circuit(cirq.depolarize(0.1)(q[0])))
    with pytest.raises(UnsupportedError, match="classical control"):
        from_cirq(
            cirq.Circuit(cirq.measure(q[0], key="m"), cirq.X(q[1]).with_classical_controls("m"))
        )
    until = cirq.CircuitOperation(
        cirq.FrozenCircuit(cirq.H(q[0]), cirq.measure(q[0], key="m")),
        use_repetition_ids=False,
        repeat_until=cirq.KeyCondition(cirq.MeasurementKey("m")),
    )
    for op in (until, cirq.CircuitOperation(cirq.FrozenCircuit(until)), until.with_tags("here")):
        with pytest.raises(UnsupportedError, match=r"classical control.*repeat_until"):
            from_cirq(cirq.Circuit(op))
    with pytest.raises(CircuitError, match="dimension 2"):
        from_cirq(cirq.Circuit(cirq.IdentityGate(qid_shape=(3,)).on(cirq.LineQid(0, 3))))
