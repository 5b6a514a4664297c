import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("cirq.circuits")


class TestCirq(BackendConformance):
    backend_name = "cirq"
