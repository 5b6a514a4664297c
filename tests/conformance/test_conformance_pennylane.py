import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("pennylane.ops")


class Conformance(BackendConformance):
    def read_native(self, compiled):
        from qmastermind_pennylane.importer import from_pennylane

        return from_pennylane(compiled.native, range(compiled.circuit.num_qubits))


class TestDefaultQubit(Conformance):
    backend_name = "pennylane:default.qubit"


class TestLightningQubit(Conformance):
    backend_name = "pennylane:lightning.qubit"
