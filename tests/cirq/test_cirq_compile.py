"""Compilation with Cirq: in the basis, on the couplings, equivalent, fences kept."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.backend import Compiled
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Barrier, Circuit, Register
from qmastermind.equivalence import assert_equivalent
from qmastermind.errors import TooLargeError, UnsupportedError, UsageError
from qmastermind.gates import Gate
from qmastermind.resources import count
from qmastermind.target import Target
from qmastermind.testing.strategies import circuits

cirq = pytest.importorskip("cirq")

from qmastermind_cirq import CirqBackend, from_cirq  # noqa: E402

CX, CZ = ("rz", "sx", "x", "cx"), ("rz", "sx", "x", "cz")


@pytest.fixture(scope="module")
def backend() -> CirqBackend:
    return CirqBackend()


def targets(num_qubits: int) -> list[Target]:
    return [
        target
        for basis in (CX, CZ)
        for target in (
            Target.all_to_all(basis),
            Target.line(num_qubits, basis),
            Target.grid(2, 3, basis),
        )
    ]


def check(compiled: Compiled, source: Circuit) -> None:
    assert list(compiled.target.violations(compiled.circuit)) == []
    assert compiled.circuit.num_bits == source.num_bits
    assert_equivalent(source, compiled)


@settings(max_examples=30)
@given(
    circuit=st.booleans().flatmap(
        lambda measured: circuits(
            max_qubits=3, max_operations=5, max_controls=2, boxes=False, measured=measured
        )
    ),
    level=st.integers(0, 3),
    choice=st.integers(0, 5),
)
def test_random_circuits(circuit: Circuit, level: int, choice: int) -> None:
    target = targets(circuit.num_qubits)[choice]
    check(CirqBackend().compile(circuit, target, level), circuit)


@pytest.mark.slow
@settings(max_examples=100)
@given(circuit=circuits(), level=st.integers(0, 3))
def test_many_random_circuits(circuit: Circuit, level: int) -> None:
    for target in targets(circuit.num_qubits):
        check(CirqBackend().compile(circuit, target, level), circuit)


def multi_controlled(extra: int = 0) -> Circuit:
    b = CircuitBuilder(Register("q", 5 + extra))
    for q in range(5):
        b.gate(Gate("ry", (0.3 + q,)), (q,))
    b.z(0, [1, 2, 3, 4], [1, 0, 1, 0])
    return b.build()


def test_level_3_lends_idle_qubits(backend: CirqBackend) -> None:
    costs = {}
    for extra in (0, 1, 2):
        circuit = multi_controlled(extra)
        compiled = backend.compile(circuit, level=3)
        check(compiled, circuit)
        costs[extra] = count(compiled.circuit).two_qubit_gates
    assert costs[2] < costs[1] < costs[0]
    assert "decompose_multi_controlled_x" in compiled.passes


def test_level_3_borrows_spare_qubits_of_the_target(backend: CirqBackend) -> None:
    circuit = multi_controlled()
    target = Target.all_to_all(CZ, num_qubits=7)
    compiled = backend.compile(circuit, target, 3)
    check(compiled, circuit)
    alone = backend.compile(circuit, Target.all_to_all(CZ), 3)
    assert count(compiled.circuit).two_qubit_gates < count(alone.circuit).two_qubit_gates
    check(backend.compile(circuit, Target.grid(2, 4, CZ), 3), circuit)


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("target", [Target(), Target.line(3)], ids=["all-to-all", "line"])
def test_nothing_passes_a_barrier(backend: CirqBackend, level: int, target: Target) -> None:
    b = CircuitBuilder(Register("q", 3))
    b.h(0)
    b.x(2, [0])
    b.barrier()
    b.x(2, [0])
    b.barrier([0])
    b.h(0)
    compiled = backend.compile(b.build(), target, level)
    check(compiled, b.build())
    kinds = [
        "fence" if isinstance(op, Barrier) else len(op.qubits) for op in compiled.circuit.flat()
    ]
    assert kinds.count("fence") == 2
    first = kinds.index("fence")
    assert 2 in kinds[:first]
    assert 2 in kinds[first:]
    assert any(isinstance(op, Apply) for op in compiled.circuit.operations)


def test_layouts_of_a_routed_circuit(backend: CirqBackend) -> None:
    b = CircuitBuilder(Register("q", 4))
    b.x(0)
    for control, target in ((0, 3), (0, 2), (1, 3), (2, 1), (0, 1)):
        b.x(target, [control])
        b.gate(Gate("ry", (0.4,)), (target,))
    compiled = backend.compile(b.build(), Target.line(5), 2)
    assert compiled.initial_layout != compiled.final_layout, "nothing moved: a weak example"
    assert len(set(compiled.initial_layout)) == len(set(compiled.final_layout)) == 4
    check(compiled, b.build())
    native = from_cirq(compiled.native, cirq.LineQubit.range(5))
    assert_equivalent(native, compiled.circuit)


def test_disconnected_devices(backend: CirqBackend) -> None:
    pairs = frozenset({(0, 1), (3, 4), (4, 5)})
    b = CircuitBuilder(Register("q", 3))
    b.x(1, [0])
    b.x(2, [1])
    check(backend.compile(b.build(), Target(CX, 6, pairs, "islands")), b.build())
    with pytest.raises(UnsupportedError, match="largest connected part"):
        backend.compile(b.build(), Target(CX, 6, frozenset({(0, 1)}), "pair"))


def test_other_bases(backend: CirqBackend) -> None:
    for basis in (("u", "cx"), ("rz", "ry", "cz"), ("rz", "sx", "ecr"), ("rz", "rx", "rzz")):
        compiled = backend.compile(multi_controlled(), Target(basis))
        check(compiled, multi_controlled())
        assert "CZTargetGateset" in compiled.passes
    with pytest.raises(UnsupportedError):
        backend.compile(multi_controlled(), Target(("rz", "x", "cx")))


def test_requests_are_checked(backend: CirqBackend) -> None:
    with pytest.raises(UsageError, match="level"):
        backend.compile(multi_controlled(), level=5)
    with pytest.raises(TooLargeError):
        backend.compile(multi_controlled(), Target.line(4))
