import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("pytket")


class TestTket(BackendConformance):
    backend_name = "tket"
