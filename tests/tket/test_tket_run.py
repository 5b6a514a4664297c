"""Runs through tket's form on the embedded simulator, and on backends of pytket."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from qmastermind.backend import Capability
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Measure, Register
from qmastermind.errors import UnknownNameError, UnsupportedError, UsageError
from qmastermind.registry import get_backend
from qmastermind.target import Target
from qmastermind.testing.reference import distribution, unitary
from qmastermind.testing.statistics import chi_squared_p_value
from qmastermind.testing.strategies import circuits

pytket = pytest.importorskip("pytket")

from qmastermind_tket import TketBackend, from_tket  # noqa: E402

# A backend of pytket as an extension brings it: only what the protocol asks for.
EXTENSION = """
import numpy as np
from pytket.backends import Backend, CircuitStatus, ResultHandle, StatusEnum
from pytket.backends.backendresult import BackendResult
from pytket.circuit import OpType
from pytket.passes import AutoRebase, DecomposeBoxes, SequencePass
from pytket.predicates import GateSetPredicate, NoMidMeasurePredicate
from pytket.utils.outcomearray import OutcomeArray

GATES = {OpType.CX, OpType.TK1, OpType.Measure, OpType.Barrier}

class ToyBackend(Backend):
    _supports_shots = True
    _supports_counts = True
    _persistent_handles = False

    @property
    def required_predicates(self):
        return [GateSetPredicate(GATES), NoMidMeasurePredicate()]

    def rebase_pass(self):
        return AutoRebase(GATES)

    def default_compilation_pass(self, optimisation_level=2, timeout=300):
        return SequencePass([DecomposeBoxes(), self.rebase_pass()])

    @property
    def _result_id_type(self):
        return (int,)

    def process_circuits(self, circuits, n_shots=None, valid_check=True, **kwargs):
        handles = []
        for circuit in circuits:
            measured = circuit.qubit_to_bit_map
            bare = circuit.copy()
            bare.remove_blank_wires(keep_blank_classical_wires=True)
            kept = [c for c in circuit.get_commands() if c.op.type != OpType.Measure]
            plain = type(circuit)(circuit.n_qubits)
            for command in kept:
                plain.add_gate(command.op, [q.index[0] for q in command.qubits])
            weights = np.abs(plain.get_statevector()) ** 2
            rng = np.random.default_rng(kwargs.get("seed"))
            drawn = rng.choice(len(weights), size=n_shots, p=weights / weights.sum())
            rows = np.zeros((n_shots, circuit.n_bits), dtype=np.uint8)
            for qubit, bit in measured.items():
                place = circuit.n_qubits - 1 - circuit.qubits.index(qubit)
                rows[:, circuit.bits.index(bit)] = drawn >> place & 1
            result = BackendResult(c_bits=circuit.bits, shots=OutcomeArray.from_readouts(rows))
            handle = ResultHandle(len(self._cache))
            self._cache[handle] = {"result": result}
            handles.append(handle)
        return handles

    def circuit_status(self, handle):
        return CircuitStatus(StatusEnum.COMPLETED)

class NeedyBackend(ToyBackend):
    def __init__(self, token):
        super().__init__()

class DumbBackend(ToyBackend):
    _supports_shots = False
    _supports_counts = False
"""


@pytest.fixture
def extensions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place where pytket finds extensions, with a toy and a broken one."""
    home = tmp_path / "pytket" / "extensions"
    (home / "toy").mkdir(parents=True)
    (home / "toy" / "__init__.py").write_text(EXTENSION)
    monkeypatch.setattr(pytket, "__path__", [*pytket.__path__, str(tmp_path / "pytket")])
    loaded = set(sys.modules)
    yield home
    for name in set(sys.modules) - loaded:
        if name.startswith("pytket.extensions"):
            del sys.modules[name]
    if "pytket.extensions" not in loaded and hasattr(pytket, "extensions"):
        del pytket.extensions


@settings(max_examples=50)
@given(circuit=circuits(measured=True))
def test_exact_probabilities(circuit: Circuit) -> None:
    exact = TketBackend().probabilities(circuit).array()
    np.testing.assert_allclose(exact, distribution(circuit), atol=1e-8)


@settings(max_examples=25)
@given(circuit=circuits(max_qubits=3, max_operations=8, measured=True, dynamic=True))
def test_sampled_counts_fit_whatever_is_measured_in_between(circuit: Circuit) -> None:
    counts = TketBackend().run(circuit, 400, seed=11).counts
    # 25 examples at 1e-7 each: a right program fails once in 400,000 runs
    assert chi_squared_p_value(counts, distribution(circuit)) > 1e-7


def test_bits_that_are_never_written_are_0() -> None:
    b = CircuitBuilder(Register("q", 2))
    b.x(0)
    b.add(Measure(0, 2))
    assert TketBackend().run(b.build(), 20).counts == {"001": 20}
    assert TketBackend().probabilities(b.build()).probability("001") == pytest.approx(1)


@settings(max_examples=25)
@given(circuit=circuits(max_qubits=3, max_operations=8, measured=True, dynamic=True))
def test_exact_probabilities_of_what_is_measured_in_between(circuit: Circuit) -> None:
    exact = TketBackend().probabilities(circuit).array()
    np.testing.assert_allclose(exact, distribution(circuit), atol=1e-8)


def test_a_circuit_of_a_large_device_runs_on_what_it_uses() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.h(0)
    b.x(2, [0])
    backend = TketBackend()
    compiled = backend.compile(b.build().measured(), Target.heavy_hex(7), 1)
    assert set(backend.submit(compiled, 200, seed=1).result().counts) == {"000", "101"}


def asymmetric() -> Circuit:
    b = CircuitBuilder(Register("q", 4))
    b.ry(0.8, 0)
    b.x(2, [0, 1], [1, 0])
    b.ry(0.4, 3)
    b.x(1, [0, 2, 3], [1, 1, 0])
    return b.build().measured([2, 0, 3])


def test_a_backend_of_pytket_by_name(extensions: Path) -> None:
    for name in ("ToyBackend", "toy.ToyBackend"):
        backend = get_backend(f"tket:{name}")
        assert backend.name == "tket:ToyBackend"
        counts = backend.run(asymmetric(), 2000, seed=5).counts
        assert counts.shots == 2000
        assert chi_squared_p_value(counts, distribution(asymmetric())) > 1e-6
    assert backend.can(Capability.RUN)
    assert backend.can(Capability.TARGET)
    assert not backend.can(Capability.EXACT)
    assert not backend.can(Capability.MID_CIRCUIT), "the toy says NoMidMeasurePredicate"
    with pytest.raises(UnsupportedError):
        backend.probabilities(asymmetric())


def test_what_a_backend_of_pytket_cannot_run_is_refused(extensions: Path) -> None:
    b = CircuitBuilder(Register("q", 1))
    b.measure([0])
    b.h(0)
    b.measure([0])
    with pytest.raises(UnsupportedError, match="ToyBackend cannot run"):
        get_backend("tket:ToyBackend").run(b.build(), 10)


def test_backends_that_there_are_not(extensions: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"toy\.ToyBackend"):
        get_backend("tket:AerBackend")
    with pytest.raises(UsageError, match=r"cannot be made without arguments.*TketBackend"):
        get_backend("tket:NeedyBackend")
    with pytest.raises(UsageError, match="neither shots nor counts"):
        get_backend("tket:DumbBackend")
    (extensions / "broken").mkdir()
    (extensions / "broken" / "__init__.py").write_text("import no_such_module_at_all")
    with pytest.raises(UsageError, match=r"broken \(ModuleNotFoundError"):
        get_backend("tket:AerBackend")
    assert get_backend("tket:ToyBackend").name == "tket:ToyBackend"


def test_without_extensions_the_name_is_unknown() -> None:
    if not hasattr(pytket, "extensions"):
        with pytest.raises(UnknownNameError, match="known: none"):
            get_backend("tket:AerBackend")


def test_export_is_read_by_tket() -> None:
    b = CircuitBuilder(Register("q", 3))
    b.h(0)
    b.x(2, [0, 1], [1, 0])
    data = TketBackend().export(b.build(), "tket-json")
    read = from_tket(pytket.Circuit.from_dict(json.loads(data)))
    np.testing.assert_allclose(unitary(read), unitary(b.build()), atol=1e-12)


def test_importing_the_plugin_imports_no_pytket() -> None:
    code = "import sys, qmastermind_tket; sys.exit('pytket' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
