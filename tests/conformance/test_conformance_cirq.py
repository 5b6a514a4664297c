import pytest

from qmastermind.testing import BackendConformance

pytest.importorskip("cirq.circuits")


class TestCirq(BackendConformance):
    backend_name = "cirq"

    def read_native(self, compiled):
        import cirq

        from qmastermind_cirq.importer import from_cirq

        return from_cirq(compiled.native, cirq.LineQubit.range(compiled.circuit.num_qubits))
