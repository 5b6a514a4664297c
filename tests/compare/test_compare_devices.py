"""Devices as targets, and the share of runs that is expected to go right on them."""

import pytest

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.comparison import Cell, build_target, compare, grid, suite
from qmastermind.comparison import cells as cells_module
from qmastermind.comparison.cells import run_cell
from qmastermind.comparison.devices import DeviceBackend, device_backend, stored_devices
from qmastermind.comparison.tables import cells_of, columns, to_markdown
from qmastermind.errors import QmastermindError, UnknownNameError, UnsupportedError
from qmastermind.registry import get_backend

pytest.importorskip("qiskit_ibm_runtime")


def bell(pairs=1):
    b = CircuitBuilder(Register("x", 2 * pairs))
    for i in range(pairs):
        b.h(2 * i)
        b.x(2 * i + 1, [2 * i])
    return b.build()


def test_every_stored_device_is_a_target():
    names = stored_devices()
    assert len(names) > 50
    assert "torino" in names
    cells = suite("devices", backends=("qiskit",), devices=("manila", "lima"))
    assert {cell.device for cell in cells} == {"fake:manila", "fake:lima"}
    assert {cell.backend for cell in cells} == {"qiskit", "fake:manila", "fake:lima"}


def test_a_device_brings_its_couplings_and_basis():
    target = build_target("ibm:manila", 2, ("rz", "sx", "x", "cz"))
    assert target == get_backend("fake:manila").target
    assert target.num_qubits == 5
    assert "cx" in target.basis


def test_what_is_no_device_is_refused():
    with pytest.raises(UnknownNameError, match="unknown target 'ibm:'"):
        build_target("ibm:", 2, ("cx",))
    with pytest.raises(QmastermindError, match="unknown stored device 'no-such-place'"):
        build_target("ibm:no-such-place", 2, ("cx",))
    assert not isinstance(get_backend("statevector"), DeviceBackend)
    with pytest.raises(UnsupportedError, match="describes no device"):
        device_backend("statevector")


def test_expected_success_counts_gates_and_readout():
    rows = compare(bell(), backends=("qiskit",), lowerings=("framework",), targets=("ibm:manila",))
    assert {row.backend for row in rows} == {"qiskit", "fake:manila"}
    for row in rows:
        assert row.ranked
        device = get_backend("fake:manila").device
        worst_readout = max((r.one_for_zero + r.zero_for_one) / 2 for r in device.readout)
        best_readout = min((r.one_for_zero + r.zero_for_one) / 2 for r in device.readout)
        errors = [device.error_and_duration("cx", pair)[0] for pair in device.target["cx"]]
        assert (1 - worst_readout) ** 2 * (1 - 2 * max(errors)) * 0.9 < row.figures["success"]
        assert row.figures["success"] < (1 - best_readout) ** 2
        assert "success" in columns([row])
        assert cells_of(row, 1)["success"].startswith("0.")
    assert "| success |" in to_markdown(rows)


def test_a_larger_circuit_is_less_likely_to_go_right():
    found = {}
    for name, circuit in (("one", bell()), ("two", bell(2))):
        (cell,) = grid(
            {name: circuit},
            backends=(),
            lowerings=("framework",),
            targets=("ibm:manila",),
        )
        assert cell.backend == "fake:manila"  # the device's own compiler is always there
        found[name] = run_cell(cell)
    assert found["two"].figures["two_qubit_gates"] == 2 * found["one"].figures["two_qubit_gates"]
    assert found["two"].figures["success"] < found["one"].figures["success"]


def test_a_forecast_that_cannot_be_made_costs_no_row(monkeypatch):
    def refuse(*_):
        raise UnsupportedError("no calibration")

    monkeypatch.setattr(cells_module, "expected_success", refuse)
    target = build_target("ibm:manila", 2, ())
    row = run_cell(Cell("bell", bell(), "qiskit", 1, "framework", target, device="fake:manila"))
    assert row.ranked
    assert "success" not in row.figures
    assert row.detail == "no expected success: no calibration"


def test_a_device_that_is_too_small_is_a_row():
    rows = compare(bell(3), backends=("qiskit",), lowerings=("framework",), targets=("ibm:manila",))
    assert {row.status for row in rows} == {"failed"}
    assert all("6 qubits" in row.detail for row in rows)


def test_a_device_on_which_nothing_works_is_a_row():
    rows = compare(bell(), backends=("qiskit",), targets=("ibm:kyoto",))
    assert {row.status for row in rows} == {"failed"}
    assert all("couplings as unusable" in row.detail for row in rows)
    assert {row.target for row in rows} == {"ibm:kyoto"}


def test_qubits_in_use_are_counted_not_those_of_the_device():
    (row,) = compare(bell(), backends=(), lowerings=("framework",), targets=("ibm:torino",))
    assert row.figures["qubits"] == 2
    assert row.figures["used_ancillas"] == 0
