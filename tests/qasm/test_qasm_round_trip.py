"""What is written is read back equal, and is well-formed where it is easy to get wrong."""

import dataclasses
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Measure, Phases, Register
from qmastermind.equivalence import assert_equivalent
from qmastermind.errors import TooLargeError
from qmastermind.gates import GATES, Gate
from qmastermind.qasm import from_qasm, to_qasm2, to_qasm3
from qmastermind.qasm.names import angle_text, unique_name
from qmastermind.testing import circuits, reference
from qmastermind.testing.conformance import cases

without_diagonals = circuits(max_qubits=5, diagonals=False, dynamic=True, measured=True)


@settings(max_examples=150)
@given(without_diagonals)
def test_version_2_comes_back_without_its_global_phase(circuit):
    expected = dataclasses.replace(circuit.flattened(), global_phase=0.0)
    assert from_qasm(to_qasm2(circuit)) == expected


@settings(max_examples=100)
@given(without_diagonals)
def test_version_3_comes_back_equal(circuit):
    pytest.importorskip("openqasm3")
    assert from_qasm(to_qasm3(circuit)) == circuit.flattened()


@settings(max_examples=40)
@given(circuits(max_qubits=3, max_operations=6))
def test_diagonals_come_back_equivalent(circuit):
    assert_equivalent(from_qasm(to_qasm2(circuit)), circuit, tolerance=1e-9)


def test_version_3_keeps_the_phase_of_diagonals_and_the_global_one():
    pytest.importorskip("openqasm3")
    b = CircuitBuilder(Register("q", 2))
    b.diagonal(Phases(2, [0.3, 1.9, -0.8, 2.6]), [1, 0])
    b.global_phase = -0.7
    found = reference.unitary(from_qasm(to_qasm3(b.build())))
    np.testing.assert_allclose(found, reference.unitary(b.build()), atol=1e-12)


@pytest.mark.parametrize("write", [to_qasm2, to_qasm3])
class TestWritten:
    def back(self, write, circuit):
        if write is to_qasm3:
            pytest.importorskip("openqasm3")
        return from_qasm(write(circuit))

    @pytest.mark.parametrize("name", ["x", "input", "gate", "pi", "Code", "_q", "größe", "c", "u3"])
    def test_any_name_of_a_register(self, write, name):
        circuit = CircuitBuilder(Register(name, 2), Register("d", 1, ancilla=True)).build()
        circuit = circuit.measured()
        assert self.back(write, circuit) == circuit
        declared = re.search(r"^(?:qubit\[2\] |qreg )(\w+)", write(circuit), re.MULTILINE)[1]
        assert re.fullmatch(r"[a-z][A-Za-z0-9_]*", declared)
        assert declared not in ("x", "input", "gate", "pi", "u3")

    def test_names_that_become_the_same(self, write):
        circuit = CircuitBuilder(Register("x", 1), Register("x_", 1), Register("q_X", 1)).build()
        assert self.back(write, circuit) == circuit

    def test_bits_that_are_never_written(self, write):
        b = CircuitBuilder(Register("q", 2))
        b.add(Measure(1, 2))
        circuit = dataclasses.replace(b.build(), num_bits=5)
        assert self.back(write, circuit) == circuit

    def test_nothing_at_all(self, write):
        circuit = CircuitBuilder(Register("q", 1)).build()
        assert self.back(write, circuit) == circuit

    def test_a_large_diagonal_is_refused(self, write):
        b = CircuitBuilder(Register("q", 13))
        b.diagonal(Phases(13, np.linspace(0.1, 1, 2**13)), range(13))
        with pytest.raises(TooLargeError, match="8192 phases"):
            write(b.build())

    def test_many_controls(self, write):
        b = CircuitBuilder(Register("q", 12))
        b.phase_on(math.pi, range(12), [1, 0] * 6)
        circuit = b.build()
        assert self.back(write, circuit) == circuit


@given(
    st.floats(-100, 100, allow_subnormal=False)
    | st.integers(-64, 64).map(lambda k: k * math.pi / 16)
)
def test_angles_lose_nothing(angle):
    text = angle_text(angle)
    assert eval(text, {"pi": math.pi}) == angle
    # a real number of version 2 has a point
    assert re.fullmatch(r"-?(\d+\*)?pi(/\d+)?|-?\d+\.\d+(e[+-]?\d+)?", text)


@pytest.mark.parametrize(
    ("angle", "text"),
    [
        (math.pi, "pi"),
        (-math.pi / 2, "-pi/2"),
        (3 * math.pi / 4, "3*pi/4"),
        (2 * math.pi, "2*pi"),
        (0.0, "0.0"),
        (1e-7, "1.0e-07"),
        (0.1, "0.1"),
    ],
)
def test_angles_are_readable(angle, text):
    assert angle_text(angle) == text


def test_names_do_not_collide():
    assert unique_name("rx", ()) == "rx_"
    assert unique_name("a", {"a", "a_"}) == "a__"


class TestDefinitions:
    """The bodies, read as those of somebody else's gates."""

    @staticmethod
    def foreign(text):
        text = re.sub(r"\b(\w+)_if_(\w+)", r"other_\1_\2", text)
        for name in ("sx", "sxdg", "swap", "rzz", "ecr"):
            text = re.sub(rf"\b{name}\b", f"my{name}", text)
        return text

    @pytest.mark.parametrize("num_controls", range(4))
    @pytest.mark.parametrize("name", GATES)
    def test_a_body_is_the_gate(self, name, num_controls):
        width, operations = cases.applications(cases.example_gates(name), num_controls)
        circuit = cases.interference(width, operations, measure=False)
        opened = from_qasm(self.foreign(to_qasm2(circuit)))
        if num_controls > 1:
            assert len(opened.operations) > len(circuit.operations)
        assert_equivalent(circuit, opened, tolerance=1e-9)

    @pytest.mark.parametrize("num_controls", [4, 5, 6, 9])
    def test_many_controls(self, num_controls):
        b = CircuitBuilder(Register("q", num_controls + 1))
        b.x(0, range(1, num_controls + 1))
        b.u(0.3, 0.5, -1.2, num_controls, range(num_controls))
        opened = from_qasm(self.foreign(to_qasm2(b.build())))
        assert_equivalent(b.build(), opened, tolerance=1e-9)

    def test_the_cost_grows_with_the_square(self):
        sizes = []
        for n in (12, 24, 36):
            b = CircuitBuilder(Register("q", n + 1))
            b.x(n, range(n))
            sizes.append(len(from_qasm(self.foreign(to_qasm2(b.build()))).operations))
        growth = (sizes[2] - sizes[1]) / (sizes[1] - sizes[0])
        assert growth < 2  # a square gives 5/3 in the limit, a cube 19/7

    def test_only_what_is_used_is_defined(self):
        b = CircuitBuilder(Register("q", 3))
        b.x(1, [0])
        b.x(2, [0, 1])
        b.gate(Gate("u", (0.1, 0.2, 0.3)), [0])
        assert "gate " not in to_qasm2(b.build())
        b.x(2, [0, 1], [1, 0])
        assert re.findall(r"gate (\w+)", to_qasm2(b.build())) == ["x_if_10"]
