import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("cirq")


class TestCirq(BackendConformance):
    backend_name = "cirq"
