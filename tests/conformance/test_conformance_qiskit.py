import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("qiskit")


class TestQiskit(BackendConformance):
    backend_name = "qiskit"
