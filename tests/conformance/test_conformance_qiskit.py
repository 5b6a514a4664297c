import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("qiskit.circuit")
pytest.importorskip("qiskit_aer")


class TestQiskit(BackendConformance):
    backend_name = "qiskit"
