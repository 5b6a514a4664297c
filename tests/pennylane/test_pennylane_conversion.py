"""Neutral to PennyLane and back, by unitary."""

from collections.abc import Callable
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

qml = pytest.importorskip("pennylane")

from qmastermind_pennylane import from_pennylane, to_pennylane  # noqa: E402


def native_unitary(script: Any, num_qubits: int) -> Any:
    if not script.operations:
        return np.eye(2**num_qubits)
    return qml.matrix(script, wire_order=range(num_qubits))


def check_both_ways(circuit: Circuit) -> None:
    n, expected = circuit.num_qubits, unitary(circuit)
    native = to_pennylane(circuit)
    np.testing.assert_allclose(native_unitary(native, n), expected, atol=1e-8)
    back = from_pennylane(native, range(n))
    np.testing.assert_allclose(unitary(back), expected, atol=1e-8)
    np.testing.assert_allclose(native_unitary(to_pennylane(back), n), expected, atol=1e-8)


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


def random_unitary(width: int) -> Any:
    rng = np.random.default_rng(width)
    shape = (2**width, 2**width)
    return np.linalg.qr(rng.normal(size=shape) + 1j * rng.normal(size=shape))[0]


NATIVE: list[Callable[[], Any]] = [
    lambda: qml.Rot(0.1, 0.2, 0.3, 0),
    lambda: qml.RX(7.0, 0),
    lambda: qml.U1(0.3, 0),
    lambda: qml.U2(0.3, 0.4, 0),
    lambda: qml.U3(0.1, 0.2, 0.3, 0),
    lambda: qml.adjoint(qml.U3(0.1, 0.2, 0.3, 0)),
    lambda: qml.adjoint(qml.SX(0)),
    lambda: qml.adjoint(qml.QFT([0, 1, 2])),
    lambda: qml.adjoint(qml.ECR([1, 0])),
    lambda: qml.pow(qml.SX(0), 3),
    lambda: qml.pow(qml.SX(0), 0.3),
    lambda: qml.pow(qml.S(0), -3),
    lambda: qml.pow(qml.CNOT([0, 1]), 0.3),
    lambda: qml.ISWAP([1, 0]),
    lambda: qml.SISWAP([0, 1]),
    lambda: qml.PSWAP(0.3, [0, 1]),
    lambda: qml.ECR([1, 0]),
    lambda: qml.IsingXX(0.3, [0, 1]),
    lambda: qml.IsingYY(0.3, [0, 1]),
    lambda: qml.IsingXY(0.3, [0, 1]),
    lambda: qml.IsingZZ(0.3, [0, 1]),
    lambda: qml.MultiRZ(0.3, [0, 1, 2]),
    lambda: qml.PauliRot(0.3, "XYZ", [0, 1, 2]),
    lambda: qml.SingleExcitation(0.3, [0, 1]),
    lambda: qml.DoubleExcitation(0.3, [0, 1, 2, 3]),
    lambda: qml.CPhaseShift00(0.3, [0, 1]),
    lambda: qml.QubitUnitary(random_unitary(1), [0]),
    lambda: qml.QubitUnitary(random_unitary(2), [1, 0]),
    lambda: qml.QubitUnitary(random_unitary(3), [1, 0, 2]),
    lambda: qml.ControlledQubitUnitary(random_unitary(2), wires=[1, 0, 2]),
    lambda: qml.DiagonalQubitUnitary(np.exp(1j * np.arange(8)), [0, 2, 1]),
    lambda: qml.QFT([0, 1, 2]),
    lambda: qml.GroverOperator([0, 1, 2]),
    lambda: qml.FlipSign([1, 0, 1], wires=[0, 1, 2]),
    lambda: qml.GlobalPhase(0.3),
    lambda: qml.Identity(0),
    lambda: qml.exp(qml.X(0) @ qml.Z(1), 0.3j),
    lambda: qml.X(0) @ qml.RX(0.2, 1),
    lambda: qml.s_prod(-1, qml.X(0)),
    lambda: qml.CRot(0.1, 0.2, 0.3, [1, 0]),
    lambda: qml.CNOT([1, 0]),
    lambda: qml.CY([1, 0]),
    lambda: qml.CZ([1, 0]),
    lambda: qml.CH([1, 0]),
    lambda: qml.CRX(0.3, [1, 0]),
    lambda: qml.CRY(0.3, [1, 0]),
    lambda: qml.CRZ(0.3, [1, 0]),
    lambda: qml.ControlledPhaseShift(0.3, [1, 0]),
    lambda: qml.CSWAP([2, 0, 1]),
    lambda: qml.Toffoli([2, 0, 1]),
    lambda: qml.CCZ([0, 1, 2]),
    lambda: qml.MultiControlledX([3, 0, 1, 2], control_values=[1, 0, 0]),
    lambda: qml.QubitCarry([0, 1, 2, 3]),
    lambda: qml.Select([qml.X(2), qml.Y(2)], control=[0]),
    lambda: qml.SelectPauliRot(np.arange(4) * 0.3, [0, 1], 2),
    lambda: qml.TrotterProduct(qml.dot([0.1, 0.2], [qml.X(0), qml.Z(0)]), 0.3),
]


@pytest.mark.parametrize("build", NATIVE)
def test_operations_of_pennylane_are_read_under_any_control(build: Callable[[], Any]) -> None:
    op = build()
    for values in ([], [0], [1, 0]):
        controls = list(range(4, 4 + len(values)))
        whole = qml.ctrl(op, controls, control_values=values) if values else op
        read = from_pennylane(qml.tape.QuantumScript([whole]), range(6))
        expected = qml.matrix(whole, wire_order=range(6))
        np.testing.assert_allclose(unitary(read), expected, atol=1e-7)


def test_every_control_pattern_of_multi_controlled_gates() -> None:
    for name in ("x", "z"):
        for pattern in range(16):
            values = [pattern >> i & 1 for i in range(4)]
            b = CircuitBuilder(Register("q", 5))
            b.gate(Gate(name), (2,), (4, 0, 3, 1), values)
            check_both_ways(b.build())
            names = [op.name for op in to_pennylane(b.build()).operations]
            assert names.count("MultiControlledX") == 1, "handed over whole"
            assert len(names) == (3 if name == "z" else 1)


def test_dense_and_sparse_diagonals() -> None:
    b = CircuitBuilder(Register("q", 5))
    for q in range(5):
        b.h(q)
    b.diagonal(Phases(3, np.linspace(0.1, 2, 8)), (4, 1, 2), (0,), (0,))
    b.diagonal(Phases(4, [np.pi, 0.4], [3, 9]), (0, 1, 2, 3))
    check_both_ways(b.build())
    assert "DiagonalQubitUnitary" in [op.name for op in to_pennylane(b.build()).operations]


def test_final_measurements_are_counts_in_the_order_of_the_bits() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.x(0)
    b.measure([2, 0])
    native = to_pennylane(b.build())
    (process,) = native.measurements
    assert process.wires.tolist() == [2, 0]
    back = from_pennylane(native, range(3))
    assert [op for op in back.operations if isinstance(op, Measure)] == [
        Measure(2, 0),
        Measure(0, 1),
    ]


def test_measurements_in_between_resets_and_barriers_come_back() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.h(0)
    b.measure([2])
    b.reset(2)
    b.barrier([0, 2])
    b.h(2)
    b.measure([0, 1])
    circuit = b.build()
    back = from_pennylane(to_pennylane(circuit), range(3))
    kinds = (Measure, Reset, Barrier)
    assert [op for op in back.operations if isinstance(op, kinds)] == [
        op for op in circuit.operations if isinstance(op, kinds)
    ]
    assert back.num_bits == 3
    np.testing.assert_allclose(distribution(back), distribution(circuit), atol=1e-12)


def test_scripts_of_others_are_read() -> None:
    with qml.queuing.AnnotatedQueue() as queue:
        qml.X("b")
        qml.Snapshot()
        first = qml.measure("b", reset=True)
        qml.Hadamard("a")
        qml.CNOT(["a", "b"])
        qml.counts([first])
        qml.probs(wires=["a", "b"])
    script = qml.tape.QuantumScript.from_queue(queue)
    read = from_pennylane(script, ["a", "b"])
    expected = np.array([0, 0, 0, 0, 0.5, 0, 0, 0.5])
    np.testing.assert_allclose(distribution(read), expected, atol=1e-12)
    default = from_pennylane(script)
    assert default.num_qubits == 2
    with pytest.raises(CircuitError, match="not in the order"):
        from_pennylane(script, ["a"])


def test_a_qnode_can_use_what_is_written() -> None:
    b = CircuitBuilder(Register("q", 2))
    b.h(0)
    b.x(1, [0], [0])
    script = to_pennylane(b.build())

    def circuit() -> Any:
        for op in script.operations:
            qml.apply(op)
        return qml.probs(wires=[0, 1])

    node = qml.QNode(circuit, qml.device("default.qubit", wires=2))
    np.testing.assert_allclose(node(), [0, 0.5, 0.5, 0], atol=1e-12)


class Composed(qml.operation.Operation):  # type: ignore[misc]
    """What a user wrote as operations of PennyLane: no unitary in general."""

    num_wires = 1

    def __init__(self, *inner: Any) -> None:
        self.inner = inner
        super().__init__(wires=[0])

    def decomposition(self) -> list[Any]:
        return list(self.inner)


def measurement(reset: bool) -> Any:
    (found,) = qml.measure(0, reset=reset).measurements
    return found


def test_all_of_a_decomposition_is_read() -> None:
    with qml.QueuingManager.stop_recording():
        parts = [qml.X(0), qml.Barrier(0), measurement(reset=True), qml.H(0)]
        read = from_pennylane(qml.tape.QuantumScript([Composed(*parts)]))
        measured = Composed(measurement(reset=False))
        controlled = qml.ctrl(Composed(measurement(reset=True)), control=[1])
    kinds = [type(op).__name__ for op in read.operations]
    assert kinds == ["Apply", "Barrier", "Reset", "Apply"]
    with pytest.raises(UnsupportedError, match="measurement inside another operation"):
        from_pennylane(qml.tape.QuantumScript([measured]))
    with pytest.raises(UnsupportedError):
        from_pennylane(qml.tape.QuantumScript([controlled]))


def test_what_cannot_be_read_is_said() -> None:
    def script(*operations: Any, measurements: Any = ()) -> Any:
        return qml.tape.QuantumScript(list(operations), list(measurements))

    with pytest.raises(CircuitError, match="batches"):
        from_pennylane(script(qml.RX(np.array([0.1, 0.2]), 0)))
    with pytest.raises(UnsupportedError, match="no measurement of bits"):
        from_pennylane(script(qml.X(0), measurements=[qml.expval(qml.Z(0))]))
    with pytest.raises(UnsupportedError):
        from_pennylane(script(qml.DepolarizingChannel(0.1, wires=0)))
    with qml.queuing.AnnotatedQueue() as queue:
        outcome = qml.measure(0)
        qml.cond(outcome, qml.X)(1)
    with pytest.raises(UnsupportedError, match="classical control"):
        from_pennylane(qml.tape.QuantumScript.from_queue(queue))
    with qml.queuing.AnnotatedQueue() as queue:
        qml.measure(0, postselect=1)
    with pytest.raises(UnsupportedError, match="post-selection"):
        from_pennylane(qml.tape.QuantumScript.from_queue(queue))
    with qml.queuing.AnnotatedQueue() as queue:
        qml.counts(qml.measure(0) + qml.measure(1))
    with pytest.raises(UnsupportedError, match="arithmetic"):
        from_pennylane(qml.tape.QuantumScript.from_queue(queue))
