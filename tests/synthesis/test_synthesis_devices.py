"""A stored device's idle qubits used as ancillas: lowered here, routed by Qiskit."""

from __future__ import annotations

import pytest

pytest.importorskip("qiskit")
pytest.importorskip("qiskit_ibm_runtime")

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.resources import count
from qmastermind.synthesis import Policy, lower
from qmastermind_qiskit import QiskitBackend


def test_twelve_qubit_z_on_a_stored_heron() -> None:
    """818 CZ by Qiskit 2.6 alone, which leaves idle qubits idle; 126 with one declared."""
    device = QiskitBackend("fake_torino")
    target = device.device
    assert target is not None
    b = CircuitBuilder(Register("x", 12))
    b.z(11, range(11))
    lowered = lower(b.build(), target.basis, Policy(spare=True), target=target)
    assert count(lowered).ancillas == 1
    compiled = [device.compile(lowered, level=3, seed=seed).circuit for seed in range(4)]
    assert all(target.permits(circuit) for circuit in compiled)
    assert min(count(circuit).two_qubit_gates for circuit in compiled) <= 126
