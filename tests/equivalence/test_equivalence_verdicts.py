"""Verdicts against matrices that are multiplied out from the definitions."""

import dataclasses
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from qmastermind.backend import Compiled
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Circuit, Measure, Phases, Register, remap
from qmastermind.equivalence import TOLERANCE, Verdict, assert_equivalent, equivalent, simulate
from qmastermind.errors import CircuitError, UsageError
from qmastermind.gates import GATES, Gate
from qmastermind.target import Target
from qmastermind.testing import circuits, reference

METHODS = ("unitary", "states")


def isometry(circuit):
    """Columns for ancillas that enter in |0>, rows of ancillas that leave in |0>."""
    scratch = circuit.ancillas
    n = circuit.num_qubits
    clean = [i for i in range(2**n) if all(not i >> (n - 1 - q) & 1 for q in scratch)]
    return reference.unitary(circuit)[np.ix_(clean, clean)]


def distance(a, b):
    """Largest distance of two columns, up to phase; infinite if an ancilla is left dirty."""
    a, b = isometry(a), isometry(b)
    if not all(np.allclose(m.conj().T @ m, np.eye(len(m))) for m in (a, b)):
        return math.inf
    overlap = np.vdot(b, a)
    phase = overlap / abs(overlap) if abs(overlap) > 1e-12 else 1
    return float(np.linalg.norm(a - phase * b, axis=0).max())


def compiled(source, circuit, initial=None, final=None):
    identity = tuple(range(source.num_qubits))
    target = Target(num_qubits=circuit.num_qubits)
    return Compiled(
        source=source,
        circuit=circuit,
        native=None,
        target=target,
        backend="test",
        version="0",
        level=0,
        passes="none",
        seed=None,
        seconds=0.0,
        initial_layout=identity if initial is None else initial,
        final_layout=identity if final is None else final,
    )


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=60, deadline=None)
@given(circuit=circuits(max_qubits=3, max_operations=6), data=st.data())
def test_agrees_with_matrices_when_one_operation_is_changed(method, circuit, data):
    operations = list(circuit.flat())
    places = [i for i, op in enumerate(operations) if isinstance(op, Apply)]
    if not places:
        return
    i = data.draw(st.sampled_from(places))
    op = operations[i]
    kind = data.draw(st.sampled_from(["drop", "dagger", "values"]))
    if kind == "drop":
        del operations[i]
    elif kind == "dagger":
        operations[i] = dataclasses.replace(op, gate=op.gate.inverse())
    else:
        operations[i] = dataclasses.replace(op, values=tuple(1 - v for v in op.values))
    changed = dataclasses.replace(
        circuit, operations=tuple(operations), global_phase=circuit.total_global_phase
    )
    verdict = equivalent(circuit, changed, method=method)
    away = distance(circuit, changed)
    assume(not 1e-8 < away < 1e-4)  # angles of about the tolerance
    assert verdict.equal is (away < TOLERANCE)
    assert verdict.method == method


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40, deadline=None)
@given(circuit=circuits(max_qubits=3))
def test_boxes_phases_and_inverses_are_equal(method, circuit):
    turned = dataclasses.replace(circuit, global_phase=circuit.global_phase + 1.3)
    assert equivalent(circuit.flattened(), turned, method=method).equal
    assert equivalent(circuit.inverse().inverse(), circuit, method=method).equal


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GATES)
def test_every_gate_differs_from_the_identity_and_from_itself_twice(name, method):
    gate = Gate(name, tuple(0.3 + 0.2 * i for i in range(GATES[name].num_params)))
    width = gate.kind.num_qubits
    once, twice, nothing = (CircuitBuilder(Register("q", width)) for _ in range(3))
    once.gate(gate, range(width))
    for _ in range(2):
        twice.gate(gate, range(width))
    assert equivalent(once.build(), nothing.build(), method=method).equal is False
    assert equivalent(once.build(), twice.build(), method=method).equal is False
    assert equivalent(twice.build(), nothing.build(), method=method).equal is gate.kind.hermitian


@pytest.mark.parametrize("method", METHODS)
def test_a_phase_between_inputs_is_seen_though_each_basis_state_agrees(method):
    """Every basis state maps to itself up to a phase in both circuits."""
    plain, turned = CircuitBuilder(Register("q", 5)), CircuitBuilder(Register("q", 5))
    turned.diagonal(Phases(5, [1e-4], [19]), range(5))
    verdict = equivalent(plain.build(), turned.build(), method=method)
    assert verdict.equal is False
    global_only = CircuitBuilder(Register("q", 5))
    global_only.diagonal(Phases(5, np.full(32, 0.7)), range(5))
    assert equivalent(plain.build(), global_only.build(), method=method).equal


def test_random_states_have_no_small_amplitude():
    states = simulate._product_states(16, 4, np.random.default_rng(1))
    assert np.allclose(np.linalg.norm(states, axis=0), 1)
    assert np.abs(states).min() > 0.45**8
    assert abs(np.vdot(states[:, 0], states[:, 1])) < 0.1


@pytest.mark.parametrize("qubits", [12, 16])
def test_one_wrong_basis_state_among_many_is_seen(qubits):
    def oracle(state):
        b = CircuitBuilder(Register("q", qubits))
        b.diagonal(Phases(qubits, [math.pi], [state]), range(qubits))
        return b.build()

    other = CircuitBuilder(Register("q", qubits))
    other.phase_on(math.pi, range(qubits), [int(c) for c in format(1234, f"0{qubits}b")])
    verdict = equivalent(oracle(1234), other.build())
    assert (verdict.equal, verdict.method) == (True, "states")
    verdict = equivalent(oracle(1234), oracle(1235))
    assert (verdict.equal, verdict.method) == (False, "states")


@pytest.mark.parametrize("method", METHODS)
class TestAncillas:
    def and_of_three(self, uncompute=True, reuse=False):
        b = CircuitBuilder(Register("x", 3), Register("y", 1))
        with b.ancillas(1) as (scratch,):
            b.x(scratch, controls=[0, 1])
            b.x(3, controls=[2, scratch])
            if uncompute:
                b.x(scratch, controls=[0, 1])
            if reuse:
                b.z(scratch)
                b.x(0, controls=[scratch])
        return b.build()

    def plain(self):
        b = CircuitBuilder(Register("x", 3), Register("y", 1))
        b.x(3, controls=[0, 1, 2])
        return b.build()

    def test_clean_ancillas_do_not_count(self, method):
        assert equivalent(self.plain(), self.and_of_three(), method=method).equal
        # acts only on an ancilla that is not |0>, which never happens
        assert equivalent(self.plain(), self.and_of_three(reuse=True), method=method).equal

    def test_dirty_ancillas_are_named(self, method):
        verdict = equivalent(self.plain(), self.and_of_three(uncompute=False), method=method)
        assert verdict.equal is False
        assert "second circuit does not return its ancillas" in verdict.detail

    def test_extra_physical_qubits_are_ancillas(self, method):
        b = CircuitBuilder(Register("q", 7))
        b.x(6, controls=[5, 3])
        b.x(0, controls=[1, 6])
        b.x(6, controls=[5, 3])
        result = compiled(self.plain(), b.build(), (5, 3, 1, 0), (5, 3, 1, 0))
        assert equivalent(self.plain(), result, method=method).equal


@pytest.mark.parametrize("method", METHODS)
class TestLayouts:
    def source(self):
        b = CircuitBuilder(Register("q", 3))
        b.ry(0.4, 0)
        b.x(1, controls=[0])
        b.u(0.3, 0.2, 0.1, 2, controls=[1], values=[0])
        return b.build()

    def placed(self, initial, swapped):
        b = CircuitBuilder(Register("p", 5))
        i, j, k = initial
        b.ry(0.4, i)
        b.x(j, controls=[i])
        b.u(0.3, 0.2, 0.1, k, controls=[j], values=[0])
        for pair in swapped:
            b.swap(*pair)
        return b.build()

    def test_initial_and_final_layouts_are_followed(self, method):
        routed = self.placed((4, 1, 2), [(4, 1), (2, 0)])
        result = compiled(self.source(), routed, (4, 1, 2), (1, 4, 0))
        assert equivalent(self.source(), result, method=method).equal

    def test_idle_physical_qubits_cost_nothing(self, method):
        b = CircuitBuilder(Register("p", 127))
        for op in self.placed((4, 1, 2), [(4, 1), (2, 0)]).operations:
            b.add(remap(op, [100, 7, 126, 3, 55]))
        result = compiled(self.source(), b.build(), (55, 7, 126), (7, 55, 100))
        assert equivalent(self.source(), result, method=method).equal

    @pytest.mark.parametrize("wrong", [(4, 1, 0), (1, 4, 2), (1, 4, 3), (0, 4, 1)])
    def test_a_wrong_final_layout_is_seen(self, method, wrong):
        routed = self.placed((4, 1, 2), [(4, 1), (2, 0)])
        result = compiled(self.source(), routed, (4, 1, 2), wrong)
        assert equivalent(self.source(), result, method=method).equal is False

    def test_a_wrong_initial_layout_is_seen(self, method):
        result = compiled(self.source(), self.placed((4, 1, 2), []), (1, 4, 2), (4, 1, 2))
        assert equivalent(self.source(), result, method=method).equal is False

    @pytest.mark.parametrize("layout", [(0, 1), (0, 0, 1), (0, 1, 5)])
    def test_a_layout_that_places_nothing_is_an_error(self, method, layout):
        result = compiled(self.source(), self.placed((4, 1, 2), []), layout, (4, 1, 2))
        with pytest.raises(CircuitError, match="initial layout"):
            equivalent(self.source(), result, method=method)


@pytest.mark.parametrize("method", METHODS)
class TestMeasurements:
    def base(self):
        b = CircuitBuilder(Register("q", 3))
        b.h(0)
        b.x(1, controls=[0])
        b.ry(0.7, 2, controls=[1])
        return b

    def test_bits_count_and_not_the_qubits_they_were_read_from(self, method):
        plain, moved, wrong = self.base(), self.base(), self.base()
        plain.measure([0, 1, 2])
        moved.swap(0, 2)
        for bit, qubit in enumerate((2, 1, 0)):
            moved.add(Measure(qubit, bit))
        wrong.measure([2, 1, 0])
        assert equivalent(plain.build(), moved.build(), method=method).equal
        assert equivalent(plain.build(), wrong.build(), method=method).equal is False

    def test_a_phase_before_a_measurement_is_not_seen(self, method):
        plain, turned = self.base(), self.base()
        plain.measure([0, 1, 2])
        turned.p(0.4, 1)
        assert equivalent(self.base().build(), turned.build(), method=method).equal is False
        turned.measure([0, 1, 2])
        assert equivalent(plain.build(), turned.build(), method=method).equal

    def test_a_phase_of_what_stays_unmeasured_is_seen(self, method):
        plain, turned = self.base(), self.base()
        turned.p(0.4, 1)
        plain.measure([0, 2])
        turned.measure([0, 2])
        assert equivalent(plain.build(), turned.build(), method=method).equal is False

    def test_different_bits_do_not_match(self, method):
        plain, fewer, none = self.base(), self.base(), self.base()
        plain.measure([0, 1, 2])
        fewer.measure([0, 1])
        for other in (fewer, none):
            verdict = equivalent(plain.build(), other.build(), method=method)
            assert (verdict.equal, verdict.method) == (False, "interface")

    def test_compiled_measurements_follow_the_bit(self, method):
        plain = self.base()
        plain.measure([2, 0, 1])
        b = CircuitBuilder(Register("p", 4))
        b.h(3)
        b.x(2, controls=[3])
        b.ry(0.7, 0, controls=[2])
        for bit, qubit in enumerate((0, 3, 2)):
            b.add(Measure(qubit, bit))
        result = compiled(plain.build(), b.build(), (3, 2, 0), (3, 2, 0))
        assert equivalent(plain.build(), result, method=method).equal


def test_a_layout_on_top_of_a_measurement_is_an_error():
    source, b = CircuitBuilder(Register("q", 2)), CircuitBuilder(Register("p", 2))
    source.measure([0])
    b.measure([1])
    result = compiled(source.build(), b.build())
    with pytest.raises(CircuitError, match="some are measured"):
        equivalent(source.build(), result)


class TestMeasurementsInBetween:
    @settings(max_examples=40, deadline=None)
    @given(circuits(max_qubits=2, max_operations=5, dynamic=True, measured=True, ancillas=False))
    def test_equal_circuits_have_equal_distributions(self, circuit):
        inverted = dataclasses.replace(circuit, operations=circuit.operations[1:])
        verdict = equivalent(circuit, inverted, method="unitary")
        here, there = reference.distribution(circuit), reference.distribution(inverted)
        if not np.allclose(here, there, atol=1e-5):
            assert verdict.equal is False
        assert equivalent(circuit, circuit.flattened(), method="unitary").equal

    def test_a_reset_is_not_its_absence(self):
        with_reset, without = CircuitBuilder(Register("q", 1)), CircuitBuilder(Register("q", 1))
        with_reset.reset(0)
        assert equivalent(with_reset.build(), without.build()).equal is False

    def test_measured_and_flipped_back_is_a_reset_with_a_record(self):
        a, b = CircuitBuilder(Register("q", 1)), CircuitBuilder(Register("q", 1))
        a.measure([0])
        a.reset(0)
        b.measure([0])
        b.reset(0)
        b.reset(0)
        assert equivalent(a.build(), b.build()).equal

    def test_a_phase_before_a_reset_is_not_seen(self):
        a, b = CircuitBuilder(Register("q", 2)), CircuitBuilder(Register("q", 2))
        b.p(0.3, 0)
        for builder in (a, b):
            builder.reset(0)
        assert equivalent(a.build(), b.build()).equal
        b.p(0.3, 1)
        assert equivalent(a.build(), b.build()).equal is False


def test_different_numbers_of_data_qubits_do_not_match():
    verdict = equivalent(Circuit((Register("q", 2),)), Circuit((Register("q", 3),)))
    assert (verdict.equal, verdict.method) == (False, "interface")
    assert "2 data qubits against 3" in verdict.detail


def test_identical_operations_need_no_simulation():
    b = CircuitBuilder(Register("q", 100))
    for q in range(99):
        b.x(q + 1, controls=[q])
    circuit = b.build()
    for other in (circuit.power(1), dataclasses.replace(circuit, global_phase=0.4)):
        verdict = equivalent(circuit, other)
        assert (verdict.equal, verdict.method) == (True, "identical")


def test_one_random_state_is_enough_when_circuits_are_wide():
    plain, same, other = (CircuitBuilder(Register("q", 21)) for _ in range(3))
    for b, angle in ((plain, 0.3), (same, 0.3), (other, 0.31)):
        b.h(20)
        b.phase_on(angle, range(21), [1, 0, 1] * 7)
    same.x(0)
    same.x(0)
    verdict = equivalent(plain.build(), same.build())
    assert (verdict.equal, verdict.method) == (True, "states")
    assert "a random product state" in verdict.detail
    assert equivalent(plain.build(), other.build()).equal is False


def test_unknown_methods_are_refused():
    circuit = Circuit((Register("q", 1),))
    with pytest.raises(UsageError, match="unknown method 'magic'; known: auto"):
        equivalent(circuit, circuit, method="magic")


def test_the_assertion_says_why():
    plain, flipped = CircuitBuilder(Register("q", 2)), CircuitBuilder(Register("q", 2))
    flipped.x(1)
    assert_equivalent(plain.build(), plain.build())
    with pytest.raises(AssertionError, match=r"not equivalent \(unitary\).* input 00"):
        assert_equivalent(plain.build(), flipped.build())


def test_errors_below_the_tolerance_pass_and_above_fail():
    plain = CircuitBuilder(Register("q", 2)).build()
    for angle, expected in ((TOLERANCE / 4, True), (TOLERANCE * 8, False)):
        turned = CircuitBuilder(Register("q", 2))
        turned.p(angle, 0)
        assert equivalent(plain, turned.build()).equal is expected


def test_a_verdict_reads_well():
    assert str(Verdict(None, "qcec", "no time")) == "not decided (qcec): no time"


def test_importing_the_assertion_needs_no_test_tools():
    script = (
        "import sys; from qmastermind.testing import assert_equivalent;"
        "print(sorted({'pytest', 'hypothesis', 'numba', 'mqt', 'openqasm3'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
