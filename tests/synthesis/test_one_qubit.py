"""One-qubit synthesis against the matrices themselves."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.errors import CircuitError, UnsupportedError
from qmastermind.gates import GATES, Gate
from qmastermind.synthesis.one_qubit import is_universal, synthesise_one_qubit

UNIVERSAL = (
    ("rz", "sx", "x", "cx"),
    ("rz", "sx"),
    ("p", "sx", "x"),
    ("u", "cx"),
    ("u", "rz", "sx"),
    ("rz", "ry", "cx"),
    ("rz", "rx", "cz"),
    ("p", "ry"),
    ("p", "rx"),
    ("rx", "ry"),
    ("rx", "ry", "rz"),
    ("rz", "h"),
    ("p", "h", "s", "t"),
    ("rz", "sx", "x", "h", "z", "s", "sdg", "t", "tdg"),
)
# Angles around the special values as well: there the rules change over.
special = st.builds(
    lambda k, e: k * math.pi / 4 + e,
    st.integers(-8, 8),
    st.sampled_from([0.0, 0.0, 1e-13, -1e-13, 1e-10, -1e-9, 1e-7]),
)
angles = st.one_of(special, st.floats(-10, 10))
unitaries = st.builds(
    lambda t, p, m, g: np.exp(1j * g) * Gate("u", (t, p, m)).matrix(),
    angles,
    angles,
    angles,
    angles,
)


def rebuilt(gates: list[Gate], phase: float) -> np.ndarray:
    result = np.eye(2, dtype=complex)
    for gate in gates:
        result = gate.matrix() @ result
    rotated: np.ndarray = np.exp(1j * phase) * result
    return rotated


@pytest.mark.parametrize("basis", UNIVERSAL, ids="-".join)
@given(matrix=unitaries)
def test_product_is_the_matrix_with_its_phase(basis: tuple[str, ...], matrix: np.ndarray) -> None:
    gates, phase = synthesise_one_qubit(matrix, basis)
    assert is_universal(basis)
    assert {g.name for g in gates} <= set(basis)
    assert -math.pi <= phase <= math.pi
    np.testing.assert_allclose(rebuilt(gates, phase), matrix, atol=1e-10)


@given(matrix=unitaries)
def test_number_of_gates_has_its_known_bound(matrix: np.ndarray) -> None:
    zsx, _ = synthesise_one_qubit(matrix, ("rz", "sx", "x"))
    assert len(zsx) <= 5
    assert sum(g.name == "sx" for g in zsx) <= 2
    assert len(synthesise_one_qubit(matrix, ("u",))[0]) <= 1
    for basis in (("rz", "ry"), ("rz", "rx"), ("rx", "ry")):
        assert len(synthesise_one_qubit(matrix, basis)[0]) <= 3


@pytest.mark.parametrize(
    ("name", "params", "expected"),
    [
        ("h", (), ["rz", "sx", "rz"]),
        ("x", (), ["x"]),
        ("y", (), ["x", "rz"]),
        ("z", (), ["rz"]),
        ("sx", (), ["sx"]),
        ("p", (0.0,), []),
        ("rx", (math.pi / 2,), ["sx"]),
        ("ry", (math.pi / 2,), ["rz", "sx", "rz"]),
        ("rz", (2 * math.pi,), []),
    ],
)
def test_special_gates_come_out_short(
    name: str, params: tuple[float, ...], expected: list[str]
) -> None:
    gates, _ = synthesise_one_qubit(Gate(name, params).matrix(), ("rz", "sx", "x"))
    assert len(gates) == len(expected)
    assert [g.name for g in gates if g.name != "rz"] == [n for n in expected if n != "rz"]


def test_gate_of_the_basis_stays_as_it_is() -> None:
    for basis in UNIVERSAL:
        for name in basis:
            if name in GATES and GATES[name].num_qubits == 1:
                gate = Gate(name, (0.3, 1.1, -0.7)[: GATES[name].num_params])
                assert len(synthesise_one_qubit(gate.matrix(), basis)[0]) == 1, (basis, name)


def test_fixed_basis_gives_the_whole_clifford_group() -> None:
    s, h = Gate("s").matrix(), Gate("h").matrix()
    words = {0: np.eye(2, dtype=complex)}
    for length in range(1, 8):
        for word in itertools.product((s, h), repeat=length):
            words[len(words)] = np.linalg.multi_dot([np.eye(2), *word, np.eye(2)])
    for matrix in words.values():
        gates, phase = synthesise_one_qubit(matrix, ("h", "s"))
        assert {g.name for g in gates} <= {"h", "s"}
        np.testing.assert_allclose(rebuilt(gates, phase), matrix, atol=1e-12)


def test_t_inverse_is_written_in_t() -> None:
    gates, phase = synthesise_one_qubit(Gate("tdg").matrix(), ("h", "s", "t"))
    assert sum({"s": 2, "t": 1}[g.name] for g in gates) == 7
    np.testing.assert_allclose(rebuilt(gates, phase), Gate("tdg").matrix(), atol=1e-12)


def test_basis_that_cannot_says_what_to_add() -> None:
    with pytest.raises(UnsupportedError, match="add u, or rz"):
        synthesise_one_qubit(Gate("rx", (0.3,)).matrix(), ("h", "s", "t", "cx"))
    with pytest.raises(UnsupportedError):
        synthesise_one_qubit(Gate("h").matrix(), ("rz", "x", "cx"))
    assert not is_universal(("h", "s", "t", "cx"))


@pytest.mark.parametrize(
    "matrix", [np.eye(4), np.ones((2, 2)), np.diag([1, 2]), np.full((2, 2), np.nan)]
)
def test_no_unitary_is_refused(matrix: np.ndarray) -> None:
    with pytest.raises(CircuitError):
        synthesise_one_qubit(matrix, ("u",))
