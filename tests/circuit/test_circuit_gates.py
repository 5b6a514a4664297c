import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.errors import CircuitError, UnknownNameError
from qmastermind.gates import GATES, Gate

ANGLES = st.floats(-10, 10)
GATES_WITH_ANGLES = st.sampled_from(sorted(GATES)).flatmap(
    lambda name: st.tuples(*[ANGLES] * GATES[name].num_params).map(lambda p: Gate(name, p))
)

X = np.array([[0, 1], [1, 0]])
Y = np.array([[0, -1j], [1j, 0]])
Z = np.diag([1, -1])


def exponential(generator, angle):
    """exp(-i angle generator / 2) for a generator that squares to 1."""
    return math.cos(angle / 2) * np.eye(len(generator)) - 1j * math.sin(angle / 2) * generator


@given(GATES_WITH_ANGLES)
def test_matrices_are_unitary_and_inverses_invert(gate):
    matrix = gate.matrix()
    assert np.allclose(matrix @ matrix.conj().T, np.eye(len(matrix)))
    assert np.allclose(gate.inverse().matrix() @ matrix, np.eye(len(matrix)))
    if gate.kind.hermitian:
        assert np.allclose(matrix, matrix.conj().T)
    if gate.kind.diagonal:
        assert np.array_equal(matrix, np.diag(np.diag(matrix)))


@given(ANGLES)
def test_rotations_are_exponentials(angle):
    for name, generator in (("rx", X), ("ry", Y), ("rz", Z), ("rzz", np.kron(Z, Z))):
        assert np.allclose(Gate(name, (angle,)).matrix(), exponential(generator, angle))


@given(ANGLES, ANGLES, ANGLES)
def test_u_is_the_euler_form(theta, phi, lam):
    euler = Gate("p", (phi,)).matrix() @ Gate("ry", (theta,)).matrix() @ Gate("p", (lam,)).matrix()
    assert np.allclose(Gate("u", (theta, phi, lam)).matrix(), euler)


def test_relations_between_fixed_gates():
    def m(name):
        return Gate(name).matrix()

    assert np.allclose(m("x"), X)
    assert np.allclose(m("y"), Y)
    assert np.allclose(m("z"), Z)
    assert np.allclose(m("sx") @ m("sx"), X)
    assert np.allclose(m("t") @ m("t"), m("s"))
    assert np.allclose(m("s") @ m("s"), Z)
    assert np.allclose(m("h") @ X @ m("h"), Z)
    assert np.allclose(m("ecr"), (np.kron(X, np.eye(2)) - np.kron(Y, X)) / math.sqrt(2))
    assert np.allclose(m("swap") @ np.kron([1, 2], [3, 4]), np.kron([3, 4], [1, 2]))


def test_wrong_gates_are_refused():
    with pytest.raises(UnknownNameError, match="unknown gate 'hadamard'"):
        Gate("hadamard")
    with pytest.raises(CircuitError, match="takes 1 angles, not 0"):
        Gate("rx")
    with pytest.raises(CircuitError, match="finite"):
        Gate("rx", (math.nan,))
