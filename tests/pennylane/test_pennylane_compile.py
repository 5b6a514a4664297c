"""Compilation with PennyLane: in the basis, on the couplings, equivalent, fences kept."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.backend import Compiled
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Barrier, Circuit, Measure, Register, Reset
from qmastermind.equivalence import assert_equivalent
from qmastermind.errors import TooLargeError, UnsupportedError, UsageError
from qmastermind.gates import Gate
from qmastermind.resources import count
from qmastermind.target import Target
from qmastermind.testing.reference import distribution
from qmastermind.testing.strategies import circuits

pytest.importorskip("pennylane")

from qmastermind_pennylane import PennyLaneBackend, from_pennylane
from qmastermind_pennylane import compiler as compiler_module

CX, CZ = ("rz", "sx", "x", "cx"), ("rz", "sx", "x", "cz")


@pytest.fixture(scope="module")
def backend() -> PennyLaneBackend:
    return PennyLaneBackend()


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
    check(PennyLaneBackend().compile(circuit, target, level), circuit)


@pytest.mark.slow
@settings(max_examples=100)
@given(circuit=circuits(), level=st.integers(0, 3))
def test_many_random_circuits(circuit: Circuit, level: int) -> None:
    for target in targets(circuit.num_qubits):
        check(PennyLaneBackend().compile(circuit, target, level), circuit)


@settings(max_examples=25)
@given(
    circuit=circuits(max_qubits=3, max_operations=6, max_controls=1, measured=True, dynamic=True),
    level=st.integers(0, 3),
)
def test_measurements_in_between_keep_the_distribution(circuit: Circuit, level: int) -> None:
    for target in (Target(), Target.line(circuit.num_qubits)):
        compiled = PennyLaneBackend().compile(circuit, target, level)
        assert distribution(compiled.circuit) == pytest.approx(distribution(circuit), abs=1e-7)


def multi_controlled(extra: int = 0) -> Circuit:
    b = CircuitBuilder(Register("q", 7 + extra))
    for q in range(7):
        b.gate(Gate("ry", (0.3 + q,)), (q,))
    b.z(0, [1, 2, 3, 4, 5, 6], [1, 0, 1, 1, 0, 1])
    b.x(3, [1, 2, 0, 5], [0, 0, 1, 1])
    return b.build()


def test_level_3_lends_idle_qubits(backend: PennyLaneBackend) -> None:
    costs = {}
    for extra in (0, 1):
        circuit = multi_controlled(extra)
        compiled = backend.compile(circuit, level=3)
        check(compiled, circuit)
        costs[extra] = count(compiled.circuit).two_qubit_gates
    assert costs[1] < costs[0]
    assert "borrowed" in compiled.passes
    spare = backend.compile(multi_controlled(), Target.all_to_all(CX, num_qubits=8), 3)
    check(spare, multi_controlled())
    assert count(spare.circuit).two_qubit_gates < costs[0]


def test_clean_ancillas_are_work_wires(backend: PennyLaneBackend) -> None:
    """At every level; an ancilla that the circuit uses is not one that is surely |0>."""
    costs = {}
    for spares in (0, 1, 4):
        more = [Register("spare", spares, ancilla=True)] if spares else []
        b = CircuitBuilder(Register("q", 7), *more)
        b.z(0, range(1, 7), [1, 0, 1, 1, 0, 1])
        compiled = backend.compile(b.build(), level=1)
        check(compiled, b.build())
        costs[spares] = count(compiled.circuit).two_qubit_gates
        assert ("clean ancillas" in compiled.passes) == bool(spares)
    assert costs[4] < costs[1] < costs[0]
    b = CircuitBuilder(Register("q", 6), Register("spare", 1, ancilla=True))
    b.x(6, [0])
    b.z(0, range(1, 6))
    b.x(6, [0])
    compiled = backend.compile(b.build(), level=1)
    check(compiled, b.build())
    assert "clean ancillas" not in compiled.passes


def test_windows_change_nothing_but_the_time(
    backend: PennyLaneBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = backend.compile(multi_controlled(), level=2)
    monkeypatch.setattr(compiler_module, "WINDOW", 20)
    windows = backend.compile(multi_controlled(), level=2)
    routed = backend.compile(multi_controlled(), Target.grid(2, 4), level=1)
    check(windows, multi_controlled())
    check(routed, multi_controlled())
    few, many = (count(c.circuit).two_qubit_gates for c in (whole, windows))
    assert few <= many <= 1.1 * few


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("target", [Target(), Target.line(3)], ids=["all-to-all", "line"])
def test_nothing_passes_a_barrier(backend: PennyLaneBackend, level: int, target: Target) -> None:
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


def test_layouts_and_native_script_of_a_routed_circuit(backend: PennyLaneBackend) -> None:
    b = CircuitBuilder(Register("q", 4))
    b.x(0)
    for control, target in ((0, 3), (1, 3), (0, 2)):
        b.x(target, [control])
        b.gate(Gate("ry", (0.4,)), (target,))
    source = b.build().measured([2, 0])
    compiled = backend.compile(source, Target.line(5), 2)
    assert compiled.initial_layout != compiled.final_layout, "nothing moved: a weak example"
    check(compiled, source)
    native = from_pennylane(compiled.native, range(5))
    assert_equivalent(native, compiled.circuit)


def test_bits_keep_their_numbers(backend: PennyLaneBackend) -> None:
    b = CircuitBuilder(Register("q", 2))
    b.h(0)
    b.add(Measure(0, 3))
    b.add(Reset(0))
    b.x(1)
    b.add(Measure(1, 1))
    compiled = backend.compile(b.build(), Target.line(3))
    assert [op.bit for op in compiled.circuit.operations if isinstance(op, Measure)] == [3, 1]
    assert distribution(compiled.circuit) == pytest.approx(distribution(b.build()))


def test_placement_on_devices_that_are_no_line(backend: PennyLaneBackend) -> None:
    b = CircuitBuilder(Register("q", 3))
    b.x(1, [0])
    b.x(2, [1])
    pairs = frozenset({(0, 1), (3, 5), (4, 5)})
    compiled = backend.compile(b.build(), Target(CX, 6, pairs, "islands"))
    check(compiled, b.build())
    assert "placement" in compiled.passes
    assert sorted(compiled.initial_layout) == [3, 4, 5]
    check(backend.compile(b.build(), Target.heavy_hex(3)), b.build())
    with pytest.raises(UnsupportedError, match="largest connected part"):
        backend.compile(b.build(), Target(CX, 6, frozenset({(0, 1)}), "pair"))


def test_other_bases(backend: PennyLaneBackend) -> None:
    for basis in (("u", "cx"), ("rz", "ry", "cz"), ("rz", "sx", "ecr"), ("rz", "rx", "ry", "cx")):
        compiled = backend.compile(multi_controlled(), Target(basis))
        check(compiled, multi_controlled())
        assert ("rebase" in compiled.passes) == (basis != ("rz", "rx", "ry", "cx"))
    with pytest.raises(UnsupportedError):
        backend.compile(multi_controlled(), Target(("rz", "x", "cx")))


def test_requests_are_checked(backend: PennyLaneBackend) -> None:
    with pytest.raises(UsageError, match="level"):
        backend.compile(multi_controlled(), level=5)
    with pytest.raises(TooLargeError):
        backend.compile(multi_controlled(), Target.line(5))
