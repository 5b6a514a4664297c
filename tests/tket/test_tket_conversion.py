import math

import numpy as np
import pytest

pytest.importorskip("pytket")

from hypothesis import given, settings
from pytket.circuit import Circuit as TketCircuit
from pytket.circuit import OpType, Unitary2qBox
from pytket.passes import (
    CliffordSimp,
    DecomposeBoxes,
    FullPeepholeOptimise,
    RebaseTket,
    SynthesiseTK,
)
from sympy import Symbol

from qmastermind.circuit import CircuitBuilder, Register
from qmastermind.errors import UnsupportedError
from qmastermind.gates import GATES, Gate
from qmastermind.simulator import unitary
from qmastermind.testing.strategies import circuits
from qmastermind_tket import from_tket, to_tket


@pytest.mark.parametrize("name", sorted(GATES))
@pytest.mark.parametrize("num_controls", range(4))
def test_every_gate_under_every_control_pattern(name, num_controls):
    kind = GATES[name]
    rng = np.random.default_rng(len(name) + num_controls)
    width = kind.num_qubits + num_controls
    for pattern in range(2**num_controls):
        gate = Gate(name, tuple(rng.uniform(-6, 6, kind.num_params)))
        qubits = [int(q) for q in rng.permutation(width)]
        values = [pattern >> i & 1 for i in range(num_controls)]
        b = CircuitBuilder(Register("x", width))
        b.gate(gate, qubits[: kind.num_qubits], qubits[kind.num_qubits :], values)
        expected = unitary(b.build())
        native = to_tket(b.build())
        assert np.allclose(native.get_unitary(), expected, atol=1e-8)
        assert np.allclose(unitary(from_tket(native)), expected, atol=1e-8)


@given(circuits(max_qubits=4))
@settings(max_examples=100)
def test_random_circuits_go_there_and_back(circuit):
    expected = unitary(circuit)
    native = to_tket(circuit)
    assert np.allclose(native.get_unitary(), expected, atol=1e-7)
    again = to_tket(from_tket(native))
    assert np.allclose(again.get_unitary(), expected, atol=1e-7)


@pytest.mark.slow
@given(circuits(max_qubits=5, max_operations=20))
@settings(max_examples=500)
def test_five_hundred_random_circuits(circuit):
    native = to_tket(circuit)
    for optimise in (SynthesiseTK(), FullPeepholeOptimise(allow_swaps=True)):
        compiled = native.copy()
        optimise.apply(compiled)
        assert np.allclose(unitary(from_tket(compiled)), native.get_unitary(), atol=1e-6)


@given(circuits(max_qubits=4, boxes=False))
@settings(max_examples=25)
def test_what_its_passes_emit_is_read(circuit):
    native = to_tket(circuit)
    for optimise in (
        RebaseTket(),
        SynthesiseTK(),
        CliffordSimp(allow_swaps=True),  # leaves an implicit permutation
        FullPeepholeOptimise(allow_swaps=True),
    ):
        compiled = to_tket(circuit)
        DecomposeBoxes().apply(compiled)
        RebaseTket().apply(compiled)
        optimise.apply(compiled)
        assert np.allclose(unitary(from_tket(compiled)), native.get_unitary(), atol=1e-6)


GATES_OF_TKET = [
    (OpType.TK1, 3, 1), (OpType.TK2, 3, 2), (OpType.PhasedX, 2, 1), (OpType.V, 0, 1),
    (OpType.Vdg, 0, 1), (OpType.U1, 1, 1), (OpType.U2, 2, 1), (OpType.U3, 3, 1),
    (OpType.XXPhase, 1, 2), (OpType.YYPhase, 1, 2), (OpType.ZZPhase, 1, 2), (OpType.ZZMax, 0, 2),
    (OpType.ISWAP, 1, 2), (OpType.ISWAPMax, 0, 2), (OpType.CV, 0, 2), (OpType.CVdg, 0, 2),
    (OpType.CSWAP, 0, 3), (OpType.CnRx, 1, 3), (OpType.CnRy, 1, 4), (OpType.CnRz, 1, 3),
    (OpType.GPI, 1, 1), (OpType.GPI2, 1, 1), (OpType.CU3, 3, 2),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "params", "width"), GATES_OF_TKET, ids=lambda x: str(x))
def test_gates_that_only_tket_has(kind, params, width):
    rng = np.random.default_rng(width)
    native = TketCircuit(width)
    native.add_gate(kind, list(rng.uniform(-3, 3, params)), list(reversed(range(width))))
    assert np.allclose(unitary(from_tket(native)), native.get_unitary(), atol=1e-8)


def test_implicit_permutations_become_swaps():
    native = TketCircuit(3).SWAP(0, 1).H(0).CX(1, 2)
    compiled = native.copy()
    compiled.replace_SWAPs()
    assert compiled.has_implicit_wireswaps
    assert np.allclose(unitary(from_tket(compiled)), native.get_unitary())


def test_boxes_are_opened():
    native = TketCircuit(2)
    rng = np.random.default_rng(3)
    q, _ = np.linalg.qr(rng.normal(size=(4, 4)) + 1j * rng.normal(size=(4, 4)))
    native.add_gate(Unitary2qBox(q), [1, 0])
    assert np.allclose(unitary(from_tket(native)), native.get_unitary(), atol=1e-8)


def test_bit_order_barriers_and_measurements():
    b = CircuitBuilder(Register("x", 3))
    b.x(0)
    b.barrier([2, 0])
    b.reset(1)
    b.measure([2, 0])
    circuit = b.build()
    again = from_tket(to_tket(circuit))
    assert set(again.operations) == set(circuit.operations)  # tket keeps no order of what commutes
    assert again.final_measurements() == {0: 2, 1: 0}
    assert again.num_bits == 2


def test_what_cannot_be_read():
    symbolic = TketCircuit(1).Rx(Symbol("a"), 0)
    with pytest.raises(UnsupportedError, match="symbols without a value"):
        from_tket(symbolic)
    conditional = TketCircuit(1, 1)
    conditional.X(0, condition_bits=[0], condition_value=1)
    with pytest.raises(UnsupportedError, match="cannot read tket's operation"):
        from_tket(conditional)


def test_angles_are_half_turns():
    b = CircuitBuilder(Register("x", 1))
    b.rz(math.pi / 2, 0)
    (command,) = to_tket(b.build()).get_commands()
    assert float(command.op.params[0]) == 0.5
