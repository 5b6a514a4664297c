import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("qiskit.circuit")
pytest.importorskip("qiskit_aer")


class TestQiskit(BackendConformance):
    backend_name = "qiskit"

    def read_native(self, compiled):
        from qmastermind_qiskit.importer import from_qiskit

        return from_qiskit(compiled.native)
