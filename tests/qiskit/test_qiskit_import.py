import math

import numpy as np
import pytest

pytest.importorskip("qiskit.circuit")  # not this folder, which is importable as "qiskit"

from hypothesis import given, settings
from hypothesis import strategies as st
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, generate_preset_pass_manager
from qiskit.circuit import (
    AncillaRegister,
    AnnotatedOperation,
    ControlModifier,
    Gate,
    InverseModifier,
    Parameter,
    PowerModifier,
    Qubit,
    library,
)
from qiskit.circuit.random import random_circuit
from qiskit.quantum_info import SparsePauliOp, random_clifford, random_unitary
from qiskit_truth import assert_same, matrix

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Box, Phases, Register
from qmastermind.errors import UnsupportedError, UsageError
from qmastermind.testing.reference import unitary
from qmastermind.testing.strategies import circuits
from qmastermind_qiskit import from_qiskit, to_qiskit

LIBRARY = {
    "ccz open": library.CCZGate(ctrl_state=1),
    "cu": library.CUGate(0.1, 0.2, 0.3, 0.4),
    "cu open": library.CUGate(0.1, 0.2, 0.3, 0.4, ctrl_state=0),
    "cu under more controls": library.CUGate(0.1, 0.2, 0.3, 0.4).control(2, annotated=False),
    "cu1": library.CU1Gate(0.4),
    "cu3": library.CU3Gate(0.1, 0.2, 0.3),
    "csx": library.CSXGate(),
    "c3sx": library.C3SXGate(),
    "c3x": library.C3XGate(ctrl_state=2),
    "c4x": library.C4XGate(),
    "mcx": library.MCXGate(5, ctrl_state=9),
    "mcphase": library.MCPhaseGate(0.3, 3, ctrl_state=5),
    "mch": library.HGate().control(3, ctrl_state=2, annotated=False),
    "mcrz": library.RZGate(0.3).control(2, annotated=False),
    "mcmt": library.MCMTGate(library.ZGate(), 2, 2),
    "mcmt one target": library.MCMTGate(library.XGate(), 2, 1),
    "u1": library.U1Gate(0.3),
    "u2": library.U2Gate(0.2, 0.3),
    "u3": library.U3Gate(0.1, 0.2, 0.3),
    "u2 controlled": library.U2Gate(0.2, 0.3).control(1, annotated=False),
    "r": library.RGate(0.1, 0.2),
    "rv": library.RVGate(0.1, 0.2, 0.3),
    "ecr": library.ECRGate(),
    "iswap": library.iSwapGate(),
    "iswap controlled": library.iSwapGate().control(1, ctrl_state=0, annotated=False),
    "dcx": library.DCXGate(),
    "rxx": library.RXXGate(0.3),
    "ryy": library.RYYGate(0.4),
    "rzz": library.RZZGate(0.5),
    "rzx": library.RZXGate(0.2),
    "xx_plus_yy": library.XXPlusYYGate(0.3, 0.2),
    "xx_minus_yy": library.XXMinusYYGate(0.3, 0.2),
    "rccx": library.RCCXGate(),
    "rcccx": library.RC3XGate(),
    "ms": library.MSGate(3, 0.2),
    "pauli": library.PauliGate("XYZ"),
    "permutation": library.PermutationGate([2, 0, 1]),
    "permutation controlled": AnnotatedOperation(
        library.PermutationGate([1, 2, 0]), [ControlModifier(1, 1)]
    ),
    "linear function": library.LinearFunction([[1, 1], [0, 1]]),
    "clifford": random_clifford(3, seed=1),
    "qft": library.QFTGate(3),
    "ucry": library.UCRYGate([0.1, 0.2]),
    "hamiltonian": library.HamiltonianGate(np.diag([1, -1]), 0.3),
    "state preparation": library.StatePreparation([0.6, 0.8j]),
    "unitary 1": library.UnitaryGate(random_unitary(2, seed=3)),
    "unitary 2": library.UnitaryGate(random_unitary(4, seed=2)),
    "unitary 3": library.UnitaryGate(random_unitary(8, seed=1)),
    "unitary controlled": library.UnitaryGate(random_unitary(4, seed=2)).control(
        2, ctrl_state=1, annotated=False
    ),
    "diagonal": library.DiagonalGate([1, 1j, -1, np.exp(0.3j)]),
    "diagonal controlled": library.DiagonalGate([1, 1j, -1, 1]).control(1, annotated=True),
    "global phase": library.GlobalPhaseGate(0.3),
    "global phase controlled": library.GlobalPhaseGate(0.3).control(2, annotated=False),
    "identity": library.IGate(),
    "annotated": AnnotatedOperation(
        library.SXGate(), [InverseModifier(), ControlModifier(2, 1), PowerModifier(3)]
    ),
    "annotated twice controlled": AnnotatedOperation(
        library.SwapGate(), [ControlModifier(1, 0), InverseModifier(), ControlModifier(1, 1)]
    ),
    "annotated power": AnnotatedOperation(library.TGate(), [PowerModifier(-2)]),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_with_its_phases(name):
    op = LIBRARY[name]
    native = QuantumCircuit(op.num_qubits + 1)
    native.global_phase = 0.3
    native.h(0)
    order = np.random.default_rng(5).permutation(op.num_qubits + 1)[: op.num_qubits]
    native.append(op, order.tolist())
    assert_same(matrix(native), unitary(from_qiskit(native)))


def test_pauli_evolution_through_its_definition():
    native = QuantumCircuit(2)
    native.append(library.PauliEvolutionGate(SparsePauliOp(["XX", "ZI"]), 0.3), [0, 1])
    assert_same(matrix(native.decompose()), unitary(from_qiskit(native)))


@given(circuits(measured=True))
@settings(max_examples=500)
def test_round_trip(circuit):
    native = to_qiskit(circuit)
    back = from_qiskit(native)
    assert back.registers == circuit.registers
    assert back.final_measurements() == circuit.final_measurements()
    again = to_qiskit(back.without_measurements())
    assert_same(matrix(again), matrix(to_qiskit(circuit.without_measurements())))


@pytest.mark.slow
@given(circuits(max_qubits=5, max_operations=20))
@settings(max_examples=500)
def test_round_trip_of_wider_circuits(circuit):
    truth = unitary(circuit)
    native = to_qiskit(circuit)
    assert_same(matrix(native), truth)
    assert_same(matrix(to_qiskit(from_qiskit(native))), truth)


@given(circuits(dynamic=True, measured=True))
@settings(max_examples=30)
def test_measurement_and_reset_in_between_come_back(circuit):
    def places(c):
        return [op for op in c.flat() if not isinstance(op, Apply)]

    back = from_qiskit(to_qiskit(circuit, flatten=True))
    assert places(back) == places(circuit)
    assert back.num_bits == circuit.num_bits


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_random_circuits_of_qiskit(seed):
    native = random_circuit(4, 4, max_operands=4, seed=seed)
    circuit = from_qiskit(native)
    assert_same(matrix(native), unitary(circuit))
    assert_same(matrix(to_qiskit(circuit)), unitary(circuit))


@pytest.mark.parametrize(
    "basis",
    [
        ["rz", "sx", "x", "cx"],
        ["rz", "sx", "x", "cz"],
        ["rz", "sx", "x", "ecr"],
        ["rz", "rx", "sx", "x", "cz", "rzz"],
        ["u1", "u2", "u3", "cx"],
        ["u", "cp", "swap"],
        ["h", "p", "cx", "ccx"],
        ["rx", "ry", "rxx"],
        ["r", "iswap"],
        ["u", "csx", "crx"],
        ["u3", "rzx"],
    ],
)
@pytest.mark.parametrize("level", [0, 3])
def test_what_the_transpiler_emits(basis, level):
    native = QuantumCircuit(4)
    native.h(range(4))
    native.append(library.ZGate().control(3, ctrl_state=5, annotated=False), range(4))
    native.append(library.UnitaryGate(random_unitary(4, seed=8)), [1, 3])
    native.append(library.DiagonalGate([1, 1j, -1, np.exp(0.3j)]), [0, 2])
    native.sxdg(3)
    manager = generate_preset_pass_manager(level, basis_gates=basis, seed_transpiler=1)
    compiled = manager.run(native)
    assert set(compiled.count_ops()) <= set(basis)
    assert_same(matrix(compiled), unitary(from_qiskit(compiled)))


class TestStructure:
    def test_qiskits_first_qubit_is_our_leftmost(self):
        native = QuantumCircuit(3)
        native.x(0)
        assert abs(unitary(from_qiskit(native))[0b100, 0]) == 1

    def test_a_diagonal_counts_from_qiskits_last_qubit(self):
        native = QuantumCircuit(2)
        native.append(library.DiagonalGate([1, -1, 1, 1]), [0, 1])
        (op,) = from_qiskit(native).operations
        assert op == Apply(Phases(2, [math.pi], [1]), (1, 0))
        assert np.allclose(np.diag(unitary(from_qiskit(native))), [1, 1, -1, 1])

    def test_registers(self):
        native = QuantumCircuit(
            [Qubit()],
            QuantumRegister(2, "peg-1"),
            AncillaRegister(1, "work"),
            [Qubit(), Qubit()],
            QuantumRegister(1, "q"),
        )
        assert from_qiskit(native).registers == (
            Register("q", 1),
            Register("peg_1", 2),
            Register("work", 1, ancilla=True),
            Register("q_", 2),
            Register("q__", 1),
        )

    def test_registers_that_share_qubits_become_one(self):
        first = QuantumRegister(3, "a")
        native = QuantumCircuit(first, QuantumRegister(name="b", bits=first[1:]))
        assert from_qiskit(native).registers == (Register("q", 3),)

    def test_several_classical_registers_are_numbered_through(self):
        native = QuantumCircuit(
            QuantumRegister(2, "x"), ClassicalRegister(2, "a"), ClassicalRegister(1, "b")
        )
        native.measure(1, 2)
        native.measure(0, 0)
        circuit = from_qiskit(native)
        assert circuit.num_bits == 3
        assert circuit.final_measurements() == {2: 1, 0: 0}

    def test_users_gates_become_boxes_and_repeats_are_counted(self):
        body = QuantumCircuit(2, name="oracle")
        body.cz(0, 1)
        body.global_phase = 0.2
        gate = body.to_gate()
        native = QuantumCircuit(3)
        for _ in range(7):
            native.append(gate, [2, 0])
        native.append(gate, [0, 2])
        native.append(gate.control(1, annotated=False), [0, 1, 2])
        circuit = from_qiskit(native)
        first, second, *rest = circuit.operations
        assert isinstance(first, Box)
        assert (first.qubits, first.repetitions, first.label) == ((2, 0), 7, "oracle")
        assert isinstance(second, Box)
        assert second.repetitions == 1
        assert all(isinstance(op, Apply) for op in rest)
        assert_same(matrix(native), unitary(circuit))

    def test_our_boxes_come_back(self):
        inner = CircuitBuilder(Register("q", 2))
        inner.x(1, [0])
        b = CircuitBuilder(Register("q", 2))
        b.append(inner.build(), [1, 0], repetitions=4, label="step†")
        b.append(inner.build(), [1, 0])
        first, second = from_qiskit(to_qiskit(b.build())).operations
        assert (first.repetitions, first.label) == (4, "step†")
        assert second.label == ""

    def test_users_instructions_that_measure_are_opened(self):
        body = QuantumCircuit(2, 1, name="syndrome")
        body.cx(0, 1)
        body.measure(1, 0)
        body.reset(1)
        native = QuantumCircuit(3, 2)
        native.append(body.to_instruction(), [2, 0], [1])
        kinds = [(type(op).__name__, op.qubits) for op in from_qiskit(native).operations]
        assert kinds == [("Apply", (2, 0)), ("Measure", (0,)), ("Reset", (0,))]
        assert from_qiskit(native).operations[1].bit == 1

    def test_initialize_resets_first(self):
        native = QuantumCircuit(1)
        native.initialize([0.6, 0.8], 0)
        kinds = [type(op).__name__ for op in from_qiskit(native).flat()]
        assert kinds[0] == "Reset"
        assert "Measure" not in kinds

    def test_delays_and_identities_are_dropped(self):
        native = QuantumCircuit(1)
        native.id(0)
        native.delay(100, 0)
        assert from_qiskit(native).operations == ()

    def test_a_box_of_qiskit_is_opened(self):
        native = QuantumCircuit(2)
        with native.box():
            native.cx(1, 0)
        assert_same(matrix(_plain_cx()), unitary(from_qiskit(native)))

    def test_bound_parameters(self):
        theta = Parameter("theta")
        native = QuantumCircuit(1)
        native.rx(2 * theta, 0)
        native.global_phase = theta
        bound = native.assign_parameters({theta: 0.4})
        assert_same(matrix(bound), unitary(from_qiskit(bound)))


def _plain_cx():
    native = QuantumCircuit(2)
    native.cx(1, 0)
    return native


class TestRefused:
    def test_free_parameters_are_named(self):
        native = QuantumCircuit(1)
        native.rx(Parameter("theta"), 0)
        with pytest.raises(UnsupportedError, match="free parameters: theta"):
            from_qiskit(native)

    @pytest.mark.parametrize("kind", ["if_else", "while_loop", "for_loop", "switch_case"])
    def test_control_flow_is_named(self, kind):
        native = QuantumCircuit(1, 1)
        native.measure(0, 0)
        if kind == "if_else":
            with native.if_test((0, 1)):
                native.x(0)
        elif kind == "while_loop":
            with native.while_loop((0, 1)):
                native.x(0)
        elif kind == "for_loop":
            with native.for_loop(range(3)):
                native.x(0)
        else:
            with native.switch(native.clbits[0]) as case, case(True):
                native.x(0)
        with pytest.raises(UnsupportedError, match=kind):
            from_qiskit(native)

    def test_classical_variables(self):
        native = QuantumCircuit(1)
        native.add_var("flag", False)
        with pytest.raises(UnsupportedError, match="classical variables"):
            from_qiskit(native)

    def test_an_instruction_without_a_meaning(self):
        native = QuantumCircuit(1)
        native.append(Gate("secret_sauce", 1, []), [0])
        with pytest.raises(UnsupportedError, match="secret_sauce"):
            from_qiskit(native)

    def test_a_broken_power(self):
        native = QuantumCircuit(1)
        native.append(AnnotatedOperation(library.TGate(), [PowerModifier(0.5)]), [0])
        with pytest.raises(UnsupportedError, match="whole powers"):
            from_qiskit(native)

    def test_something_else(self):
        with pytest.raises(UsageError, match="QuantumCircuit"):
            from_qiskit("OPENQASM 2.0;")
