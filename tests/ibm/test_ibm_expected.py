"""The expected success of circuits that some framework compiled for a device."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from ibm_service import StandIn

from qmastermind.algorithms.grover import grover, plan
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import TooLargeError
from qmastermind.oracle import TableOracle
from qmastermind.oracle.variables import Variable, Variables
from qmastermind.registry import get_backend
from qmastermind_qiskit.ibm.backend import FakeBackend, IbmBackend
from qmastermind_qiskit.ibm.errors import NotIsaError
from qmastermind_qiskit.ibm.fidelity import survival


def on(num_qubits: int, *steps: tuple[str, tuple[int, ...]]) -> Circuit:
    """Gates ``x``, ``sx``, ``p``, ``u`` or ``cx`` on qubits."""
    builder = CircuitBuilder(Register("q", num_qubits))
    for name, qubits in steps:
        match name:
            case "x" | "sx":
                getattr(builder, name)(*qubits)
            case "p":
                builder.p(0.3, *qubits)
            case "u":
                builder.u(0.1, 0.2, 0.3, *qubits)
            case "cx":
                builder.x(qubits[1], [qubits[0]])
    return builder.build()


def there_and_back(width: int) -> Circuit:
    """A search and its inverse, between which no compiler may look: ends in |0...0>."""
    variables = Variables(tuple(Variable(f"x{i}") for i in range(width)))
    search = grover(TableOracle(["1" * width], variables), plan=plan(2**width, iterations=1))
    builder = CircuitBuilder(Register("x", width))
    builder.append(search)
    builder.barrier()
    builder.append(search.inverse())
    return builder.build().measured()


def test_against_a_simulation_with_the_devices_noise() -> None:
    backend = FakeBackend("manila")
    compiled = backend.compile(there_and_back(3), seed=2)
    expected = backend.expected_success(compiled.circuit)
    counts = backend.submit(compiled, 20_000, 3).result().counts
    found = counts["000"] / counts.shots
    assert 0.3 < found < 0.9  # noise is no small thing here
    # what went wrong gives the right string at times
    assert expected < found + 0.01
    assert found == pytest.approx(expected + (1 - expected) / 8, abs=0.05)


def test_the_product_by_hand() -> None:
    backend = FakeBackend("manila")
    device = backend.device
    circuit = on(5, ("sx", (0,)), ("cx", (0, 1)))
    gates = 1.0
    for name, qubits, scale in (("sx", (0,), 1.5), ("cx", (0, 1), 1.25)):
        error, seconds = device.error_and_duration(name, qubits)
        decay = 1.0
        for q in qubits:
            t1, t2 = device.t1_t2(q)
            decay *= (1 + math.exp(-seconds / t1) + 2 * math.exp(-seconds / t2)) / 4
        gates *= min(1 - scale * error, decay)
    assert backend.expected_success(circuit) == pytest.approx(gates)
    readout = device.readout[1]
    assert readout is not None
    right = 1 - (readout.one_for_zero + readout.zero_for_one) / 2
    assert backend.expected_success(circuit.measured([1])) == pytest.approx(gates * right)
    assert backend.expected_success(on(5)) == 1.0


def test_it_is_that_of_the_native_circuit() -> None:
    backend = FakeBackend("torino")
    compiled = backend.compile(there_and_back(2), seed=1)
    found, _ = survival(compiled.native, backend.device)
    assert compiled.circuit.num_qubits == 133
    bare = compiled.circuit.without_measurements()
    assert backend.expected_success(bare) == pytest.approx(
        math.prod(component.fidelity for component in found)
    )
    assert backend.expected_success(compiled.circuit) < backend.expected_success(bare)


@pytest.mark.parametrize(
    ("framework", "module"),  # a module that no folder of these tests is taken for
    [("qiskit", "qiskit.circuit"), ("cirq", "cirq.circuits"), ("pennylane", "pennylane.ops"),
     ("tket", "pytket.circuit")],
)  # fmt: skip
@pytest.mark.parametrize("device", ["manila", "cairo", "almaden", "nairobi"])
def test_whatever_framework_compiled_it(framework: str, module: str, device: str) -> None:
    pytest.importorskip(module)
    backend = FakeBackend(device)
    circuit = on(2, ("sx", (0,)), ("cx", (0, 1)), ("sx", (1,)), ("cx", (1, 0)))
    compiled = get_backend(framework).compile(circuit, backend.target, level=1, seed=1)
    assert 0.8 < backend.expected_success(compiled.circuit) < 1


def test_a_coupling_counts_in_both_directions_and_with_any_gate() -> None:
    geneva = FakeBackend("geneva")  # there 16 -> 14 is broken, 14 -> 16 is not
    assert geneva.expected_success(on(27, ("cx", (16, 14)))) == geneva.expected_success(
        on(27, ("cx", (14, 16)))
    )
    cairo = FakeBackend("cairo")  # cx on some couplings, ecr on others
    (pair, *_) = (p for p in cairo.device.target["ecr"] if p not in cairo.device.target["cx"])
    assert 0.9 < cairo.expected_success(on(27, ("cx", pair))) < 1


def test_gates_under_older_names() -> None:
    almaden = FakeBackend("almaden")  # u1, u2, u3
    assert almaden.expected_success(on(20, ("p", (0,)))) == pytest.approx(1, abs=1e-9)
    assert 0.9 < almaden.expected_success(on(20, ("u", (0,)))) < 1


def test_what_is_broken_gives_no_hope_and_what_is_missing_is_an_error() -> None:
    assert FakeBackend("kyoto").expected_success(on(127, ("cx", (0, 1)))) == 0.0
    boston = FakeBackend("boston")
    assert boston.expected_success(on(156, ("sx", (146,)))) == 0.0  # its sx has error 1
    manila = FakeBackend("manila")
    with pytest.raises(NotIsaError, match="cx on qubits 0, 4"):
        manila.expected_success(on(5, ("cx", (0, 4))))
    with pytest.raises(NotIsaError, match="u on qubits 0"):
        manila.expected_success(on(5, ("u", (0,))))
    with pytest.raises(TooLargeError):
        manila.expected_success(on(6, ("sx", (0,))))


def test_devices_are_listed(service: StandIn) -> None:
    assert "fake_torino" in FakeBackend.devices()
    assert IbmBackend.devices() == ["ibm_manila"]


def test_the_account_has_it_as_well(service: StandIn) -> None:
    circuit = on(5, ("sx", (0,)), ("cx", (0, 1)))
    assert IbmBackend("manila").expected_success(circuit) == pytest.approx(
        FakeBackend("manila").expected_success(circuit)
    )
