"""Compilation with tket: in the basis, on the couplings, equivalent, fences kept."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.backend import Compiled
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Barrier, Circuit, Register
from qmastermind.equivalence import assert_equivalent
from qmastermind.errors import TooLargeError, UnsupportedError, UsageError
from qmastermind.gates import Gate
from qmastermind.resources import count
from qmastermind.target import Target
from qmastermind.testing.reference import distribution
from qmastermind.testing.strategies import circuits

pytest.importorskip("pytket")

from pytket.circuit import Node

from qmastermind_tket import TketBackend, from_tket

CX, CZ = ("rz", "sx", "x", "cx"), ("rz", "sx", "x", "cz")


@pytest.fixture(scope="module")
def backend() -> TketBackend:
    return TketBackend()


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


@settings(max_examples=60)
@given(
    circuit=st.booleans().flatmap(
        lambda measured: circuits(
            max_qubits=4, max_operations=6, max_controls=2, boxes=False, measured=measured
        )
    ),
    level=st.integers(0, 3),
    choice=st.integers(0, 5),
)
def test_random_circuits(circuit: Circuit, level: int, choice: int) -> None:
    target = targets(circuit.num_qubits)[choice]
    check(TketBackend().compile(circuit, target, level), circuit)


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("target", [Target(), Target.line(4)], ids=str)
def test_swaps_are_left_out_and_the_layout_says_so(level: int, target: Target) -> None:
    b = CircuitBuilder(Register("q", 4))
    b.h(0)
    b.swap(0, 3)
    b.x(1, [0])
    b.swap(1, 2)
    for circuit in (b.build(), b.build().measured()):
        compiled = TketBackend().compile(circuit, target, level)
        check(compiled, circuit)
        if level >= 2 and target.coupling is None:
            assert compiled.final_layout == (3, 2, 1, 0)
            assert count(compiled.circuit).two_qubit_gates == 1


@pytest.mark.slow
@settings(max_examples=100)
@given(circuit=circuits(), level=st.integers(0, 3))
def test_many_random_circuits(circuit: Circuit, level: int) -> None:
    for target in targets(circuit.num_qubits):
        check(TketBackend().compile(circuit, target, level), circuit)


@settings(max_examples=25)
@given(
    circuit=circuits(max_qubits=3, max_operations=6, max_controls=1, measured=True, dynamic=True),
    level=st.integers(0, 3),
)
def test_measurements_in_between_keep_the_distribution(circuit: Circuit, level: int) -> None:
    for target in (Target(), Target.line(circuit.num_qubits)):
        compiled = TketBackend().compile(circuit, target, level)
        assert distribution(compiled.circuit) == pytest.approx(distribution(circuit), abs=1e-7)


def multi_controlled() -> Circuit:
    b = CircuitBuilder(Register("q", 5))
    for q in range(5):
        b.gate(Gate("ry", (0.3 + q,)), (q,))
    b.z(0, [1, 2, 3, 4], [1, 0, 1, 1])
    b.x(3, [1, 2, 0], [0, 0, 1])
    return b.build()


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("target", [Target(), Target.line(3)], ids=["all-to-all", "line"])
def test_nothing_passes_a_barrier(backend: TketBackend, level: int, target: Target) -> None:
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


@pytest.mark.parametrize("level", range(4))
def test_layouts_and_native_circuit_of_a_routed_circuit(backend: TketBackend, level: int) -> None:
    b = CircuitBuilder(Register("q", 5))
    b.x(0)
    for control, target in ((0, 3), (0, 2), (1, 3), (2, 1), (0, 1), (4, 2), (4, 0), (4, 3)):
        b.x(target, [control])
        b.gate(Gate("ry", (0.4,)), (target,))
    source = b.build().measured([2, 0])
    compiled = backend.compile(source, Target.line(7), level)
    assert compiled.initial_layout != compiled.final_layout, "nothing moved: a weak example"
    check(compiled, source)
    native = from_tket(compiled.native, [Node(i) for i in range(7)])
    assert_equivalent(native, compiled.circuit)


def test_tket_rebases_where_it_can(backend: TketBackend) -> None:
    for basis in (CX, CZ, ("u", "cx"), ("rz", "sx", "ecr"), ("rz", "rx", "rzz")):
        compiled = backend.compile(multi_controlled(), Target(basis))
        check(compiled, multi_controlled())
        assert "AutoRebase" in compiled.passes
        assert "qmastermind" not in compiled.passes
    for basis in (("rz", "ry", "cz"), ("p", "h", "cp")):
        compiled = backend.compile(multi_controlled(), Target(basis))
        check(compiled, multi_controlled())
        assert "qmastermind rebase" in compiled.passes
    with pytest.raises(UnsupportedError):
        backend.compile(multi_controlled(), Target(("rz", "x", "cx")))


def test_devices_in_parts_and_without_couplings(backend: TketBackend) -> None:
    b = CircuitBuilder(Register("q", 3))
    b.x(1, [0])
    b.x(2, [1])
    pairs = frozenset({(0, 1), (3, 5), (4, 5)})
    compiled = backend.compile(b.build(), Target(CX, 6, pairs, "islands"))
    check(compiled, b.build())
    assert sorted(compiled.initial_layout) == [3, 4, 5]
    check(backend.compile(b.build(), Target.heavy_hex(3)), b.build())
    with pytest.raises(UnsupportedError, match="largest connected part"):
        backend.compile(b.build(), Target(CX, 6, frozenset({(0, 1)}), "pair"))
    single = CircuitBuilder(Register("q", 1))
    single.h(0)
    check(backend.compile(single.build(), Target.line(1)), single.build())
    check(backend.compile(single.build(), Target.line(4)), single.build())


def test_spare_qubits_of_a_target_without_couplings(backend: TketBackend) -> None:
    compiled = backend.compile(multi_controlled(), Target.all_to_all(CX, num_qubits=8))
    assert compiled.circuit.num_qubits == 8
    check(compiled, multi_controlled())


def test_level_3_is_never_worse(backend: TketBackend) -> None:
    sizes = [backend.compile(multi_controlled(), level=level).native for level in range(4)]
    assert sizes[3].n_2qb_gates() <= min(native.n_2qb_gates() for native in sizes)
    assert "best of 3 recipes" in backend.compile(multi_controlled(), level=3).passes


def test_requests_are_checked(backend: TketBackend) -> None:
    with pytest.raises(UsageError, match="level"):
        backend.compile(multi_controlled(), level=-1)
    with pytest.raises(TooLargeError):
        backend.compile(multi_controlled(), Target.line(4))
