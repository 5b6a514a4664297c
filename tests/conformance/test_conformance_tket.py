import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("pytket.circuit")


class TestTket(BackendConformance):
    backend_name = "tket"

    def read_native(self, compiled):
        from pytket.circuit import Node, Qubit

        from qmastermind_tket.importer import from_tket

        kind = Qubit if compiled.target.coupling is None else Node
        return from_tket(compiled.native, [kind(q) for q in range(compiled.circuit.num_qubits)])
