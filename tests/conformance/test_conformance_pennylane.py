import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("pennylane.ops")


class TestDefaultQubit(BackendConformance):
    backend_name = "pennylane:default.qubit"


class TestLightningQubit(BackendConformance):
    backend_name = "pennylane:lightning.qubit"
