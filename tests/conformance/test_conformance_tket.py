import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("pytket.circuit")


class TestTket(BackendConformance):
    backend_name = "tket"
