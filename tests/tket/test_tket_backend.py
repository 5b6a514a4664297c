import pytest

pytest.importorskip("pytket")

from pytket.backends import Backend as NativeBackend
from pytket.backends import CircuitStatus, ResultHandle, StatusEnum
from pytket.backends.backendresult import BackendResult
from pytket.passes import RebaseTket
from pytket.utils.outcomearray import OutcomeArray

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.errors import BackendError, TooLargeError, UnknownNameError, UsageError
from qmastermind.registry import get_backend
from qmastermind.target import Target
from qmastermind_tket import TketBackend
from qmastermind_tket import extensions as module


def test_passes_are_named():
    b = CircuitBuilder(Register("x", 3))
    b.z(2, [0, 1])
    compiled = TketBackend().compile(b.build(), level=2)
    assert "CliffordSimp(allow_swaps=True)" in compiled.passes
    routed = TketBackend().compile(b.build(), Target.line(3), level=1)
    assert "RoutingPass" in routed.passes
    assert "AutoRebase(CX, Rz, SX, X)" in routed.passes


def test_runs_go_through_tkets_form():
    b = CircuitBuilder(Register("x", 3))
    b.x(0)
    b.x(2, [0])
    circuit = b.build().measured([2, 1, 0])
    assert TketBackend().run(circuit, 10, 1).counts == {"101": 10}
    assert TketBackend().probabilities(circuit).probability("101") == 1


def test_misuse():
    b = CircuitBuilder(Register("x", 3))
    b.h(0)
    with pytest.raises(UsageError, match="level is 0, 1, 2 or 3"):
        TketBackend().compile(b.build(), level=7)
    with pytest.raises(TooLargeError, match="3 qubits"):
        TketBackend().compile(b.build(), Target.line(2))
    with pytest.raises(UnknownNameError, match="unknown pytket backend 'none'"):
        get_backend("tket:none")


class Constant(NativeBackend):
    """A pytket backend that always measures 0 on bit 0 and 1 on the others."""

    _supports_shots = True
    _supports_counts = True

    @property
    def required_predicates(self):
        return []

    def rebase_pass(self):
        return RebaseTket()

    def default_compilation_pass(self, optimisation_level=2):
        return RebaseTket()

    @property
    def _result_id_type(self):
        return (str,)

    def process_circuits(self, circuits, n_shots=None, valid_check=True, **kwargs):
        if kwargs.get("seed") == 13:
            raise RuntimeError("this device has a cold")
        handles = []
        for i, circuit in enumerate(circuits):
            row = [0] + [1] * (circuit.n_bits - 1)
            shots = OutcomeArray.from_readouts([row] * n_shots)
            handle = ResultHandle(str(i))
            result = BackendResult(shots=shots, c_bits=circuit.bits)
            self._cache[handle] = {"result": result}
            handles.append(handle)
        return handles

    def circuit_status(self, handle):
        return CircuitStatus(StatusEnum.COMPLETED)


def test_a_pytket_backend_runs_the_circuit(monkeypatch):
    monkeypatch.setattr(module, "backend_classes", lambda: ({"toy.Constant": Constant}, {}))
    backend = get_backend("tket:Constant")
    assert backend.name == "tket:Constant"
    b = CircuitBuilder(Register("x", 3))
    b.h(0)
    circuit = b.build().measured()
    assert backend.run(circuit, 7, 1).counts == {"011": 7}
    with pytest.raises(BackendError, match="RuntimeError: this device has a cold"):
        backend.run(circuit, 7, 13)
