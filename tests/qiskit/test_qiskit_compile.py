import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("qiskit.circuit")  # not this folder, which is importable as "qiskit"

from hypothesis import given, settings
from hypothesis import strategies as st
from qiskit_truth import assert_compiled

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Barrier, Circuit, Measure, Phases, Register, remap
from qmastermind.errors import TooLargeError, UnsupportedError, UsageError
from qmastermind.resources import count
from qmastermind.target import Target
from qmastermind.testing.reference import distribution
from qmastermind.testing.strategies import circuits
from qmastermind_qiskit import QiskitBackend

CX = ("rz", "sx", "x", "cx")
CZ = ("rz", "sx", "x", "cz")
TARGETS = {
    "all-to-all": Target.all_to_all,
    "line": lambda basis: Target.line(6, basis),
    "grid": lambda basis: Target.grid(2, 3, basis),
    "heavy-hex": lambda basis: Target.heavy_hex(3, basis),
}


def on(size, ancillas=0):
    b = CircuitBuilder(Register("x", size))
    if ancillas:
        b.register(Register("work", ancillas, ancilla=True))
    return b


def search():
    """Asymmetric, with swaps that a compiler may elide, open controls and a borrowed ancilla."""
    b = on(4)
    b.ry(0.4, 0)
    b.swap(0, 2)
    b.z(3, [0, 1, 2], [1, 0, 0])
    with b.ancillas(1) as (scratch,):
        b.x(scratch, [1, 3])
        b.p(0.7, scratch, [0])
        b.x(scratch, [1, 3])
    b.diagonal(Phases(2, [0.1, 0.2, 0.3, 0.4]), [3, 1])
    b.swap(1, 3)
    b.u(0.3, 0.2, 0.1, 2)
    return b.build()


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("basis", [CX, CZ], ids=["cx", "cz"])
@pytest.mark.parametrize("place", TARGETS)
def test_levels_targets_and_bases(level, basis, place):
    target = TARGETS[place](basis)
    for seed in range(3):
        compiled = QiskitBackend().compile(search(), target, level, seed)
        assert_compiled(compiled, seed)
        assert (compiled.level, compiled.seed, compiled.target) == (level, seed, target)
        assert f"preset pass manager, level {level}" in compiled.passes
        assert "qubits_initially_zero=False" in compiled.passes


@given(
    circuits(max_qubits=4, max_operations=6), st.integers(0, 3), st.sampled_from(sorted(TARGETS))
)
@settings(max_examples=60)
def test_random_circuits(circuit, level, place):
    # From level 2 on Qiskit drops what turns by 2e-6 or less.
    compiled = QiskitBackend().compile(circuit, TARGETS[place](CX), level, seed=1)
    assert_compiled(compiled, atol=1e-4)


@pytest.mark.parametrize(
    "basis",
    [
        ("rz", "sx", "x", "ecr"),
        ("rx", "rz", "cz"),
        ("rz", "rx", "rzz"),
        ("u", "cx"),
        ("h", "p", "cp"),
        ("p", "u", "swap", "cx"),
        ("u", "crx"),
        ("u", "cu", "cx"),
        ("h", "rz", "cx", "ccx"),
    ],
)
def test_other_bases(basis):
    assert_compiled(QiskitBackend().compile(search(), Target(basis), 3, 1))
    if "ccx" not in basis:
        assert_compiled(QiskitBackend().compile(search(), Target.line(5, basis), 3, 1))


def test_clifford_t_is_exact_where_the_circuit_is():
    b = on(3)
    b.h(0)
    b.x(2, [0, 1], [1, 0])
    b.t(1)
    basis = ("h", "s", "sdg", "t", "tdg", "x", "cx")
    compiled = QiskitBackend().compile(b.build(), Target(basis), 2)
    assert_compiled(compiled)
    assert count(compiled.circuit).t_gates == 8
    assert "Clifford+T" in compiled.passes
    b.rz(0.3, 0)
    assert_compiled(QiskitBackend().compile(b.build(), Target(basis), 2))


class TestLayout:
    def test_a_swap_that_is_only_relabelled_shows_in_the_final_layout(self):
        b = on(3)
        b.h(0)
        b.swap(0, 2)
        compiled = QiskitBackend().compile(b.build(), level=3)
        assert count(compiled.circuit).two_qubit_gates == 0
        assert (compiled.initial_layout, compiled.final_layout) == ((0, 1, 2), (2, 1, 0))
        assert_compiled(compiled)

    def test_with_a_coupling_map_all_physical_qubits_are_there(self):
        compiled = QiskitBackend().compile(search(), Target.heavy_hex(3), 1, 1)
        assert compiled.circuit.num_qubits == 19
        assert len(compiled.initial_layout) == len(compiled.final_layout) == 5
        assert compiled.native.num_qubits == 19

    def test_without_one_the_registers_stay(self):
        compiled = QiskitBackend().compile(search(), Target.all_to_all(num_qubits=9), 3, 1)
        assert compiled.circuit.registers == search().registers

    def test_the_wrong_layout_would_be_noticed(self):
        compiled = QiskitBackend().compile(search(), Target.line(6), 3, 1)
        assert compiled.initial_layout != compiled.final_layout
        with pytest.raises(AssertionError):
            assert_compiled(replace(compiled, final_layout=compiled.initial_layout))

    def test_a_line_of_a_device_with_a_hole(self):
        pairs = frozenset({(0, 1), (1, 2), (2, 3), (5, 6)})
        compiled = QiskitBackend().compile(search_of_three(), Target(CX, 7, pairs, "holed"), 3, 1)
        assert_compiled(compiled)


def search_of_three():
    b = on(3)
    b.h(0)
    b.z(2, [0, 1], [0, 1])
    b.x(0, [2])
    return b.build()


class TestAncillas:
    def multi_controlled(self, controls, spare, kind):
        b = CircuitBuilder(Register("x", controls + 1))
        if spare:
            b.register(Register("spare", spare, ancilla=kind == "clean"))
        b.x(controls, range(controls))
        return b.build()

    def two_qubit_gates(self, circuit, **kwargs):
        return count(QiskitBackend().compile(circuit, **kwargs).circuit).two_qubit_gates

    @pytest.mark.parametrize("level", range(4))
    def test_an_ancilla_register_is_clean_and_a_data_register_is_not(self, level):
        none, clean, dirty = (
            self.multi_controlled(5, spare, kind)
            for spare, kind in ((0, ""), (1, "clean"), (1, "dirty"))
        )
        costs = [self.two_qubit_gates(c, level=level) for c in (none, clean, dirty)]
        assert costs[1] < costs[2] < costs[0]
        for circuit in (none, clean, dirty):
            assert_compiled(QiskitBackend().compile(circuit, level=level))

    def test_no_reset_is_left(self):
        compiled = QiskitBackend().compile(
            self.multi_controlled(4, 2, "clean"), Target.line(9), 3, 1
        )
        assert set(compiled.native.count_ops()) <= set(CX)
        assert "ancilla registers taken as clean" in compiled.passes
        assert_compiled(compiled)

    def test_a_real_reset_stays(self):
        b = on(3, ancillas=1)
        b.h(0)
        b.reset(0)
        b.x(3, [0, 1])
        b.x(3, [0, 1])
        b.z(2, [0, 1])
        compiled = QiskitBackend().compile(b.build(), level=2)
        assert compiled.native.count_ops()["reset"] == 1

    def test_the_spare_helps_inside_of_repeated_boxes(self):
        body = on(8)
        body.z(7, range(7))
        for q in range(8):
            body.h(q)

        def grover(ancillas):
            b = on(8, ancillas)
            b.append(body.build(), range(8), repetitions=3)
            return b.build()

        assert 3 * self.two_qubit_gates(grover(1)) < self.two_qubit_gates(grover(0))


class TestBits:
    def test_measurements_keep_their_bits(self):
        b = on(3)
        b.x(0)
        b.ry(1.0, 1)
        b.swap(1, 2)
        b.measure([2, 0])
        b.measure([1])
        for place in TARGETS:
            for level in range(4):
                compiled = QiskitBackend().compile(b.build(), TARGETS[place](CX), level, 1)
                narrow = _narrow(compiled.circuit)
                assert np.allclose(distribution(narrow), distribution(b.build()), atol=1e-9)

    @given(circuits(max_qubits=3, max_operations=6, dynamic=True, measured=True))
    @settings(max_examples=40)
    def test_measurement_and_reset_in_between(self, circuit):
        compiled = QiskitBackend().compile(circuit, level=3, seed=1)
        assert np.allclose(distribution(compiled.circuit), distribution(circuit), atol=1e-4)

    def test_a_fence_is_kept(self):
        b = on(1)
        b.h(0)
        b.barrier()
        b.h(0)
        compiled = QiskitBackend().compile(b.build(), level=3)
        assert sum(isinstance(op, Barrier) for op in compiled.circuit.operations) == 1
        assert len(compiled.circuit.operations) > 1


def _narrow(circuit):
    used = sorted({op.qubit for op in circuit.operations if isinstance(op, Measure)})
    others = sorted({q for op in circuit.operations for q in op.qubits} - set(used))
    where = {q: i for i, q in enumerate(used + others)}
    ops = tuple(remap(op, where) for op in circuit.operations)
    return Circuit((Register("q", len(where)),), ops, circuit.num_bits, circuit.global_phase)


class TestRepeats:
    def test_the_same_seed_gives_the_same_circuit(self):
        backend, target = QiskitBackend(), Target.grid(3, 3)
        first, second = (backend.compile(search(), target, 3, 5) for _ in range(2))
        assert first.circuit == second.circuit
        assert first.initial_layout == second.initial_layout

    def test_other_seeds_give_other_layouts(self):
        backend, target = QiskitBackend(), Target.grid(3, 3)
        assert len({backend.compile(search(), target, 1, s).initial_layout for s in range(8)}) > 1

    def test_a_circuit_can_be_compiled_for_its_own_result(self):
        first = QiskitBackend().compile(search(), level=1)
        second = QiskitBackend().compile(first.circuit, Target(CZ), 3)
        assert_compiled(second)


class TestRefused:
    def test_levels(self):
        with pytest.raises(UsageError, match="0, 1, 2 or 3, not 4"):
            QiskitBackend().compile(search(), level=4)

    def test_too_many_qubits(self):
        with pytest.raises(TooLargeError, match=r"5 qubits, target .line-4. has 4"):
            QiskitBackend().compile(search(), Target.line(4))

    def test_a_basis_that_is_not_universal(self):
        with pytest.raises(UnsupportedError, match="no rules to reach"):
            QiskitBackend().compile(search(), Target(("h", "cx")))

    def test_a_basis_gate_that_qiskit_has_not(self):
        with pytest.raises(UnsupportedError, match="cannot compile to cecr"):
            QiskitBackend().compile(search(), Target(("rz", "sx", "cecr")))

    def test_wide_gates_on_a_coupling_map(self):
        with pytest.raises(UnsupportedError, match="routes gates on two qubits, not ccx"):
            QiskitBackend().compile(search(), Target.line(6, ("h", "rz", "cx", "ccx")))

    def test_couplings_that_are_too_few(self):
        island = Target(CX, 6, frozenset({(0, 1)}), "islands")
        with pytest.raises(TooLargeError, match="islands"):
            QiskitBackend().compile(search(), island, 1, 1)


def test_precision_of_a_long_circuit():
    """A phase error of 1e-10 in each of 80 repetitions would show."""
    body = on(4)
    body.p(math.pi / 7, 3, [0, 1, 2])
    for q in range(4):
        body.ry(0.1 * (q + 1), q)
    b = on(4)
    b.append(body.build(), range(4), repetitions=80)
    assert_compiled(QiskitBackend().compile(b.build(), level=3))
