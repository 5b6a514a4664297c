import io
import itertools
import math

import numpy as np
import pytest

pytest.importorskip("qiskit.circuit")  # not this folder, which is importable as "qiskit"

from hypothesis import given, settings
from qiskit import QuantumCircuit, __version__, qasm2, qasm3, qpy
from qiskit.circuit import AncillaRegister, AnnotatedOperation, QuantumRegister
from qiskit_truth import assert_same, matrix

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Phases, Register
from qmastermind.errors import TooLargeError, UnsupportedError
from qmastermind.gates import GATES, Gate
from qmastermind.testing.reference import unitary
from qmastermind.testing.strategies import circuits
from qmastermind_qiskit import QiskitBackend, to_qiskit


def on(*sizes):
    return CircuitBuilder(*(Register(f"r{i}", size) for i, size in enumerate(sizes)))


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("count", range(4))
def test_every_gate_under_every_pattern_of_controls(name, count):
    kind = GATES[name]
    width = kind.num_qubits
    angles = (0.3, -1.1, 0.7)[: kind.num_params]
    order = np.random.default_rng(count).permutation(width + count).tolist()
    for values in itertools.product((0, 1), repeat=count):
        b = on(width + count)
        b.global_phase = 0.4
        b.gate(Gate(name, angles), order[:width], order[width:], values)
        circuit = b.build()
        assert_same(matrix(to_qiskit(circuit)), unitary(circuit))


@given(circuits())
@settings(max_examples=60)
def test_random_circuits(circuit):
    truth = unitary(circuit)
    assert_same(matrix(to_qiskit(circuit)), truth)
    assert_same(matrix(to_qiskit(circuit, flatten=True)), truth)


def test_qiskit_prints_our_first_qubit_rightmost():
    b = on(3)
    b.x(0)
    assert matrix(to_qiskit(b.build()))[0b100, 0] == 1
    from qiskit.quantum_info import Statevector

    assert Statevector(to_qiskit(b.build())).probabilities_dict() == {"001": 1}


def test_the_first_control_is_the_lowest_bit_of_ctrl_state():
    b = on(3)
    b.x(2, [0, 1], [0, 1])
    (step,) = to_qiskit(b.build()).data
    assert step.operation.ctrl_state == 0b10


def test_controls_are_high_level_gates_and_never_annotated():
    b = on(12)
    b.x(11, range(11), [1, 0] * 5 + [1])
    b.z(11, range(11))
    b.p(0.3, 11, range(11), [0] * 11)
    b.h(0, range(1, 5))
    b.ry(0.2, 3, [1, 2])
    native = to_qiskit(b.build())
    assert [step.operation.num_qubits for step in native.data] == [12, 12, 12, 5, 3]
    assert not any(isinstance(step.operation, AnnotatedOperation) for step in native.data)
    assert qasm2.dumps(native)
    assert qasm3.dumps(native)


def test_a_controlled_swap_costs_one_multi_controlled_x():
    b = on(5)
    b.swap(0, 1, [2, 3, 4], [1, 0, 1])
    assert to_qiskit(b.build()).count_ops() == {"cx": 2, "mcx_o13": 1}


class TestDiagonals:
    def test_one_marked_state_is_a_multi_controlled_z(self):
        b = on(6)
        b.diagonal(Phases(6, [math.pi], [0b101101]), range(6))
        native = to_qiskit(b.build())
        assert len(native.data) == 1
        assert native.data[0].operation.base_gate.name == "z"
        assert_same(matrix(native), unitary(b.build()))

    def test_a_marked_state_of_all_zeros(self):
        b = on(4)
        b.diagonal(Phases(4, [0.3], [0]), [2, 0, 3, 1])
        assert_same(matrix(to_qiskit(b.build())), unitary(b.build()))

    def test_many_angles_are_one_diagonal_gate(self):
        angles = np.random.default_rng(1).normal(size=8)
        b = on(4)
        b.diagonal(Phases(3, angles), [3, 0, 2])
        native = to_qiskit(b.build())
        assert native.count_ops() == {"diagonal": 1}
        assert_same(matrix(native), unitary(b.build()))

    def test_a_table_that_marks_one_state_is_sparse_as_well(self):
        table = np.zeros(32)
        table[17] = math.pi
        b = on(5)
        b.diagonal(Phases(5, table), range(5))
        assert "diagonal" not in to_qiskit(b.build()).count_ops()

    @pytest.mark.parametrize("values", list(itertools.product((0, 1), repeat=2)))
    def test_controls_of_a_diagonal(self, values):
        b = on(4)
        b.diagonal(Phases(2, [0.1, 0.2, 0.3, 0.4]), [2, 0], [3, 1], values)
        assert_same(matrix(to_qiskit(b.build())), unitary(b.build()))

    def test_the_cheaper_form_is_chosen(self):
        def two_qubit_gates(circuit):
            compiled = QiskitBackend().compile(circuit, level=2)
            return sum(len(s.qubits) == 2 for s in compiled.native.data)

        for marked in (2, 40):
            states = np.random.default_rng(3).permutation(2**9)[:marked]
            b = on(9)
            b.diagonal(Phases(9, np.full(marked, 0.7), states), range(9))
            is_dense = "diagonal" in to_qiskit(b.build()).count_ops()
            assert is_dense == (marked == 40)
            # A DiagonalGate takes 2^9 - 2, a state about 220, and 324 before Qiskit 2.6.
            if tuple(map(int, __version__.split(".")[:2])) >= (2, 6):
                assert two_qubit_gates(b.build()) <= 2**9 - 2

    def test_too_large_a_table_is_refused(self):
        states = range(2**15)
        b = on(21)
        b.diagonal(Phases(21, np.full(len(states), 0.5), states), range(21))
        with pytest.raises(TooLargeError, match="at most 20 qubits"):
            to_qiskit(b.build())

    def test_no_angle_is_no_gate(self):
        b = on(2)
        b.diagonal(Phases(2, [0, 0, 0, 2 * math.pi]), [0, 1])
        assert len(to_qiskit(b.build()).data) == 0


class TestRegisters:
    def test_names_kinds_and_bits(self):
        b = on(2)
        b.register(Register("scratch", 1, ancilla=True))
        b.measure([1, 0])
        native = to_qiskit(b.build())
        assert [(r.name, r.size, type(r)) for r in native.qregs] == [
            ("r0", 2, QuantumRegister),
            ("scratch", 1, AncillaRegister),
        ]
        assert [(r.name, r.size) for r in native.cregs] == [("result", 2)]
        where = [
            (native.find_bit(s.qubits[0]).index, native.find_bit(s.clbits[0]).index)
            for s in native.data
        ]
        assert where == [(1, 0), (0, 1)]

    def test_a_register_of_the_name_of_the_bits(self):
        circuit = Circuit((Register("result", 1),)).measured()
        assert [r.name for r in to_qiskit(circuit).cregs] == ["result_"]

    def test_no_bits_no_classical_register(self):
        assert to_qiskit(on(1).build()).cregs == []


class TestBoxes:
    def body(self, fenced=False):
        b = on(2)
        b.global_phase = 0.3
        b.x(1, [0])
        if fenced:
            b.barrier()
        b.t(1)
        return b.build()

    def test_repeats_share_one_definition(self):
        b = on(3)
        b.append(self.body(), [2, 0], repetitions=50, label="step")
        native = to_qiskit(b.build())
        assert native.count_ops() == {"block_step": 50}
        assert len({id(s.operation.definition) for s in native.data}) == 1
        assert_same(matrix(native), unitary(b.build()))

    def test_a_label_never_makes_a_gate_of_qiskit(self):
        b = on(2)
        for label in ("x", "h", "x†", "", "my_oracle", "measure"):
            b.append(self.body(), [0, 1], label=label)
        native = to_qiskit(b.build())
        names = [s.operation.name for s in native.data]
        assert names == [
            "block_x",
            "block_h",
            "block_x_dg",
            "block",
            "block_my_oracle",
            "block_measure",
        ]
        assert_same(matrix(native), unitary(b.build()))

    def test_different_boxes_of_one_label_have_different_names(self):
        b = on(2)
        b.append(self.body(), [0, 1], label="same")
        b.append(self.body().inverse(), [0, 1], label="same")
        assert list(to_qiskit(b.build()).count_ops()) == ["block_same", "block_same_2"]

    def test_a_fence_inside_a_box_stays(self):
        b = on(2)
        b.append(self.body(fenced=True), [0, 1], repetitions=2, label="fenced")
        native = to_qiskit(b.build())
        assert native.decompose().count_ops()["barrier"] == 2
        assert_same(matrix(native), unitary(b.build()))

    def test_flatten_opens_nested_boxes_with_their_phases(self):
        inner = on(2)
        inner.append(self.body(), [1, 0], repetitions=2)
        b = on(2)
        b.append(inner.build(), [0, 1], repetitions=3)
        native = to_qiskit(b.build(), flatten=True)
        assert native.count_ops() == {"cx": 6, "t": 6}
        assert native.global_phase == pytest.approx(1.8)

    def test_no_repetition_is_nothing(self):
        b = on(2)
        b.append(self.body(), [0, 1], repetitions=0)
        assert len(to_qiskit(b.build()).data) == 0


class TestFiles:
    def test_qpy_comes_back_equal(self):
        b = on(4)
        b.x(3, [0, 1, 2], [0, 1, 0])
        b.diagonal(Phases(2, [0.1, 0.2, 0.3, 0.4]), [2, 0])
        b.append(TestBoxes().body(fenced=True), [3, 1], repetitions=2, label="oracle")
        content = QiskitBackend().export(b.build(), "qiskit-qpy")
        (native,) = qpy.load(io.BytesIO(content))
        assert isinstance(native, QuantumCircuit)
        assert_same(matrix(native), unitary(b.build()))

    def test_another_format_is_refused(self):
        with pytest.raises(UnsupportedError, match="qiskit-qpy"):
            QiskitBackend().export(on(1).build(), "cirq-json")
