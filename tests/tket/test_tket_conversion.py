"""Neutral to tket and back, by unitary."""

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

pytket = pytest.importorskip("pytket")

from pytket.circuit import (  # noqa: E402
    CircBox,
    DiagonalBox,
    ExpBox,
    MultiplexedU2Box,
    Op,
    OpType,
    PauliExpBox,
    QControlBox,
    ToffoliBox,
    ToffoliBoxSynthStrat,
    Unitary1qBox,
    Unitary2qBox,
    Unitary3qBox,
)
from pytket.passes import (  # noqa: E402
    CliffordSimp,
    DecomposeBoxes,
    FullPeepholeOptimise,
    RebaseTket,
    SynthesiseTK,
    SynthesiseTket,
)
from pytket.pauli import Pauli  # noqa: E402

from qmastermind_tket import from_tket, to_tket  # noqa: E402


def check_both_ways(circuit: Circuit) -> None:
    expected = unitary(circuit)
    native = to_tket(circuit)
    np.testing.assert_allclose(native.get_unitary(), expected, atol=1e-8)
    back = from_tket(native)
    np.testing.assert_allclose(unitary(back), expected, atol=1e-8)
    np.testing.assert_allclose(to_tket(back).get_unitary(), expected, atol=1e-8)


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


@settings(max_examples=50)
@given(circuit=circuits(max_operations=6, max_controls=2))
def test_what_tket_compiles_to_is_read_with_its_permutation(circuit: Circuit) -> None:
    for step in (
        RebaseTket(),
        SynthesiseTket(),
        SynthesiseTK(),
        CliffordSimp(allow_swaps=True),
        FullPeepholeOptimise(allow_swaps=True),
    ):
        native = to_tket(circuit)
        DecomposeBoxes().apply(native)
        RebaseTket().apply(native)
        step.apply(native)
        np.testing.assert_allclose(unitary(from_tket(native)), unitary(circuit), atol=1e-7)


def test_an_implicit_permutation_becomes_swaps() -> None:
    native = pytket.Circuit(3).CX(0, 1).CX(1, 0).CX(0, 1).CX(1, 2).CX(2, 1).CX(1, 2).H(0)
    expected = native.get_unitary()
    FullPeepholeOptimise(allow_swaps=True).apply(native)
    assert native.has_implicit_wireswaps, "tket found no permutation: a weak example"
    read = from_tket(native)
    assert native.has_implicit_wireswaps, "the circuit given must stay as it is"
    np.testing.assert_allclose(unitary(read), expected, atol=1e-9)


def gates_of_tket() -> list[tuple[str, Any]]:
    """Every gate type with a unitary, on at most three qubits, reversed, with unequal angles."""
    found = []
    for name, kind in vars(OpType).items():
        if name.startswith("_") or not isinstance(kind, OpType):
            continue
        for width in (1, 2, 3):
            for params in ([], [0.13], [0.13, 0.37], [0.13, 0.37, 0.71]):
                circuit = pytket.Circuit(width)
                try:
                    circuit.add_gate(kind, params, list(reversed(range(width))))
                    circuit.get_unitary()
                except (IndexError, RuntimeError, TypeError, ValueError):
                    continue
                found.append((f"{name}-{width}", circuit))
    return found


GATES_OF_TKET = gates_of_tket()


def test_all_gate_types_were_found() -> None:
    names = {name.partition("-")[0] for name, _ in GATES_OF_TKET}
    assert len(names) > 50
    assert names >= {"TK1", "TK2", "PhasedX", "ZZPhase", "XXPhase", "ECR", "CnX", "CnRy", "AAMS"}


@pytest.mark.parametrize(
    "native", [c for _, c in GATES_OF_TKET], ids=[name for name, _ in GATES_OF_TKET]
)
def test_gates_of_tket_are_read_under_any_control(native: Any) -> None:
    expected = native.get_unitary()
    np.testing.assert_allclose(unitary(from_tket(native)), expected, atol=1e-8)
    check_controlled(native)


def check_controlled(native: Any) -> None:
    width, size = native.n_qubits, 2**native.n_qubits
    for states in ([True], [False, True]):
        whole = pytket.Circuit(width + len(states))
        whole.add_qcontrolbox(
            QControlBox(CircBox(native), len(states), states), list(range(whole.n_qubits))
        )
        expected = np.eye(size * 2 ** len(states), dtype=complex)
        start = size * int("".join("01"[s] for s in states), 2)
        block = slice(start, start + size)
        expected[block, block] = native.get_unitary()
        np.testing.assert_allclose(unitary(from_tket(whole)), expected, atol=1e-8)


def random_unitary(width: int) -> Any:
    rng = np.random.default_rng(width)
    shape = (2**width, 2**width)
    return np.linalg.qr(rng.normal(size=shape) + 1j * rng.normal(size=shape))[0]


def inner() -> Any:
    return pytket.Circuit(2).H(0).CX(0, 1).add_phase(0.3)


BOXES: list[Callable[[Any], Any]] = [
    lambda c: c.add_unitary1qbox(Unitary1qBox(random_unitary(1)), 1),
    lambda c: c.add_unitary2qbox(Unitary2qBox(random_unitary(2)), 2, 0),
    lambda c: c.add_unitary3qbox(Unitary3qBox(random_unitary(3)), 2, 0, 1),
    lambda c: c.add_expbox(ExpBox(np.diag([1, 2, 3, 4.0]), 0.3), 2, 0),
    lambda c: c.add_pauliexpbox(PauliExpBox([Pauli.X, Pauli.Y, Pauli.Z], 0.3), [2, 0, 1]),
    lambda c: c.add_circbox(CircBox(inner()), [2, 0]),
    lambda c: c.add_qcontrolbox(QControlBox(CircBox(inner()), 1, [False]), [2, 0, 1]),
    lambda c: c.add_qcontrolbox(
        QControlBox(QControlBox(Op.create(OpType.Rx, 0.3), 1, [False]), 1, [True]), [2, 0, 1]
    ),
    lambda c: c.add_qcontrolbox(
        QControlBox(Unitary2qBox(random_unitary(2)), 1, [False]), [2, 0, 1]
    ),
    lambda c: c.add_diagonal_box(DiagonalBox(np.exp(1j * np.arange(8))), [2, 0, 1]),
    lambda c: c.add_toffolibox(
        ToffoliBox(
            [((False, False), (True, True)), ((True, True), (False, False))],
            ToffoliBoxSynthStrat.Matching,
        ),
        [2, 0],
    ),
    lambda c: c.add_multiplexedu2(
        MultiplexedU2Box({(False,): Unitary1qBox(random_unitary(1)), (True,): Op.create(OpType.H)}),
        [2, 0],
    ),
    lambda c: c.add_phase(0.3),
]


@pytest.mark.parametrize("build", BOXES)
def test_boxes_are_opened_with_their_phase(build: Callable[[Any], Any]) -> None:
    native = pytket.Circuit(3)
    build(native)
    np.testing.assert_allclose(unitary(from_tket(native)), native.get_unitary(), atol=1e-8)
    check_controlled(native)


def test_every_control_pattern_of_multi_controlled_gates() -> None:
    for name in ("x", "z", "ry", "h"):
        for pattern in range(16):
            values = [pattern >> i & 1 for i in range(4)]
            b = CircuitBuilder(Register("q", 5))
            b.gate(Gate(name, (0.4,) if name == "ry" else ()), (2,), (4, 0, 3, 1), values)
            check_both_ways(b.build())
            assert to_tket(b.build()).n_gates == 1, "handed over whole"


def test_dense_and_sparse_diagonals() -> None:
    b = CircuitBuilder(Register("q", 5))
    for q in range(5):
        b.h(q)
    b.diagonal(Phases(3, np.linspace(0.1, 2, 8)), (4, 1, 2), (0,), (0,))
    b.diagonal(Phases(4, [np.pi], [9]), (0, 1, 2, 3))
    check_both_ways(b.build())
    assert to_tket(b.build()).n_gates_of_type(OpType.DiagonalBox) == 1


def test_angles_are_half_turns() -> None:
    b = CircuitBuilder(Register("x", 1))
    b.rz(np.pi / 2, 0)
    (command,) = to_tket(b.build()).get_commands()
    assert float(command.op.params[0]) == 0.5


def test_measurements_resets_and_barriers_come_back() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.h(0)
    b.measure([2])
    b.reset(2)
    b.barrier([0, 2])
    b.h(2)
    b.measure([0, 1])
    back = from_tket(to_tket(b.build()))
    kinds = (Measure, Reset, Barrier)
    assert sorted(str(op) for op in back.operations if isinstance(op, kinds)) == sorted(
        str(op) for op in b.build().operations if isinstance(op, kinds)
    )
    assert back.num_bits == 3
    np.testing.assert_allclose(distribution(back), distribution(b.build()), atol=1e-12)


def test_registers_of_others_are_read_in_order() -> None:
    native = pytket.Circuit()
    second, first = native.add_q_register("b", 1), native.add_q_register("a", 2)
    bits = native.add_c_register("m", 2)
    native.X(second[0]).CX(second[0], first[1]).Measure(first[1], bits[1])
    np.testing.assert_allclose(distribution(from_tket(native)), [0, 1, 0, 0], atol=1e-12)
    order = [second[0], first[0], first[1]]
    read = from_tket(native, order)
    assert read.operations[0].qubits == (0,)
    with pytest.raises(CircuitError, match="not in the order"):
        from_tket(native, order[:2])


def test_what_cannot_be_read_is_said() -> None:
    from pytket.circuit import fresh_symbol

    with pytest.raises(CircuitError, match="unresolved symbols"):
        from_tket(pytket.Circuit(1).Rx(fresh_symbol("a"), 0))
    native = pytket.Circuit(2, 1).Measure(0, 0)
    native.X(1, condition_bits=[0], condition_value=1)
    with pytest.raises(UnsupportedError, match="classical control"):
        from_tket(native)
    if hasattr(OpType, "Collapse"):  # since pytket 2.1
        collapsing = pytket.Circuit(1)
        collapsing.add_gate(OpType.Collapse, [0])
        with pytest.raises(UnsupportedError, match="neither unitary"):
            from_tket(collapsing)
