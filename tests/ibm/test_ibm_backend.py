"""The backends ``fake`` and ``ibm`` of the registry."""

from __future__ import annotations

import logging

import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from ibm_service import StandIn
from qiskit_aer.noise import NoiseModel, depolarizing_error

from qmastermind.backend import Capability
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Circuit, Measure, Register
from qmastermind.errors import TooLargeError, UnsupportedError, UsageError
from qmastermind.game import Codemaker, Rules
from qmastermind.gates import Gate
from qmastermind.registry import get_backend, get_solver
from qmastermind.target import Target
from qmastermind_qiskit.ibm.backend import FakeBackend, IbmBackend
from qmastermind_qiskit.ibm.client import RunOptions
from qmastermind_qiskit.ibm.device import snapshot
from qmastermind_qiskit.ibm.errors import (
    DeviceNotFoundError,
    ForecastRefusedError,
    JobCancelledError,
    JobTimeoutError,
    NotIsaError,
)
from qmastermind_qiskit.ibm.records import JobStore


def asymmetric() -> Circuit:
    """1 on the first of three qubits: 100."""
    builder = CircuitBuilder(Register("x", 3))
    builder.x(0)
    return builder.build().measured()


def bell() -> Circuit:
    builder = CircuitBuilder(Register("x", 2))
    builder.h(0)
    builder.x(1, [0])
    return builder.build().measured()


def test_bit_0_is_leftmost_whatever_the_layout() -> None:
    backend = get_backend("fake:manila")
    for seed in range(3):
        counts = backend.run(asymmetric(), 500, seed).counts
        assert counts.most_common(1)[0][0] == "100"
        assert counts.shots == 500


def test_the_noise_is_the_devices() -> None:
    counts = get_backend("fake:manila").run(bell(), 20_000, 1).counts
    right = (counts["00"] + counts["11"]) / counts.shots
    assert 0.9 < right < 0.99


def test_the_same_seed_gives_the_same_counts() -> None:
    backend = get_backend("fake:manila")
    assert backend.run(bell(), 300, 7).counts == backend.run(bell(), 300, 7).counts


def test_of_two_measurements_into_a_bit_the_later_counts() -> None:
    steps = (Apply(Gate("x"), (0,)), Measure(0, 0), Measure(1, 0))
    circuit = Circuit((Register("x", 2),), steps, 1)
    counts = get_backend("fake:manila").run(circuit, 500, 1).counts
    assert counts["0"] > 450


def test_names_arguments_and_capabilities() -> None:
    assert get_backend("fake").name == "fake:manila"
    backend = get_backend("fake:fake_quito")
    assert backend.name == "fake:quito"
    assert backend.can(Capability.RUN)
    assert not backend.can(Capability.REMOTE)
    with pytest.raises(DeviceNotFoundError, match="fake_torino"):
        get_backend("fake:torrino")
    with pytest.raises(UsageError, match="ibm:torino"):
        get_backend("ibm")


def test_compiled_circuits_keep_to_the_device() -> None:
    backend = FakeBackend("manila")
    compiled = backend.compile(bell(), seed=1)
    assert compiled.target.permits(compiled.circuit)
    assert set(compiled.target.basis) >= {"cx", "sx", "rz"}
    assert len(set(compiled.initial_layout)) == 2
    job = backend.submit(compiled, 200, 3)
    assert job.status() == "done"
    assert job.result().counts.shots == 200
    with pytest.raises(UnsupportedError, match="its own device only"):
        backend.compile(bell(), Target.line(5))
    with pytest.raises(TooLargeError, match="6 qubits"):
        backend.compile(CircuitBuilder(Register("x", 6)).build())


def test_a_circuit_of_another_device_is_not_run() -> None:
    other = FakeBackend("yorktown")  # another coupling map
    builder = CircuitBuilder(Register("x", 3))
    builder.h(0)
    for a, b in ((0, 1), (1, 2), (0, 2)):
        builder.x(b, [a])
    compiled = other.compile(builder.build().measured(), seed=1)
    with pytest.raises(NotIsaError):
        FakeBackend("manila").submit(compiled)


def test_any_noise_model_of_aer() -> None:
    model = NoiseModel()
    model.add_all_qubit_quantum_error(depolarizing_error(0.5, 1), ["x", "sx"])
    worse = FakeBackend("manila", noise_model=model).run(asymmetric(), 4000, 1).counts
    better = FakeBackend("manila", noise_model=NoiseModel()).run(asymmetric(), 4000, 1).counts
    assert better == {"100": 4000}
    assert worse["100"] / 4000 == pytest.approx(0.75, abs=0.03)  # one noisy gate: 1 - 0.5 / 2


def test_solvers_run_on_a_stored_device() -> None:
    rules = Rules(2, 4)
    for name in ("deutsch", "adaptive"):
        solver = get_solver(name, backend="fake:manila", shots=400, seed=1)
        solution = solver.solve(Codemaker("GO", rules))
        assert solution.verified, name


def test_pegs_that_no_gate_joins_are_simulated_apart() -> None:
    # 16 qubits with noise are too many for a density matrix; each is simulated by itself
    secret = "ROYROYROYROYROYR"
    solver = get_solver("deutsch", backend="fake:guadalupe", shots=300, seed=1)
    assert solver.solve(Codemaker(secret, Rules(16, 3))).verified


def test_a_run_on_an_account_is_a_recorded_job(service: StandIn) -> None:
    result = get_backend("ibm:manila").run(asymmetric(), 300)
    assert result.counts.most_common(1)[0][0] == "100"
    (record,) = JobStore().scan()[0]
    assert record.state == "done"
    assert record.job_id in service.state.jobs


def test_submit_and_come_back(service: StandIn) -> None:
    service.state.hold = True
    backend = IbmBackend("manila", RunOptions(max_seconds=9))
    codemaker = Codemaker("RY", Rules(2, 3))
    from qmastermind.algorithms.deutsch import pair_query

    compiled = backend.compile(pair_query(codemaker.colour_pair_oracle(0, 1)), seed=1)
    job = backend.submit(compiled, 100)
    assert codemaker.queries.executions == 100
    assert job.status() == "queued"
    with pytest.raises(JobTimeoutError, match="It goes on"):
        job.result(timeout=0.1)
    service.state.hold = False
    assert job.result(timeout=30).counts.most_common(1)[0][0] == "10"
    assert job.status() == "done"
    job.cancel()  # a finished job stays as it is
    assert job.status() == "done"
    assert service.state.jobs[job.job_id].cost == 9


def test_an_ordinary_sampling_circuit_is_sent(service: StandIn) -> None:
    builder = CircuitBuilder(Register("x", 3))
    for q in range(3):
        builder.h(q)
        builder.ry(0.02 * (q + 1), q)  # no bitstring stands out
    result = get_backend("ibm:manila").run(builder.build().measured(), 200)
    assert len(result.counts) == 8


def test_what_measures_in_between_is_not_sent(service: StandIn) -> None:
    builder = CircuitBuilder(Register("x", 1))
    builder.h(0)
    builder.measure([0])
    builder.x(0)
    with pytest.raises(UnsupportedError, match="fake:manila"):
        get_backend("ibm:manila").run(builder.build(), 10)
    assert not service.state.jobs


def test_cancelling_a_job_that_has_ended_meanwhile_changes_nothing(service: StandIn) -> None:
    backend = IbmBackend("manila")
    job = backend.submit(backend.compile(asymmetric(), seed=1), 100)
    service.state.jobs[job.job_id].status = "Completed"
    job.cancel()
    assert job.status() == "done"
    assert job.result().counts.most_common(1)[0][0] == "100"


def test_cancel_a_submitted_job(service: StandIn) -> None:
    service.state.hold = True
    backend = IbmBackend("manila")
    job = backend.submit(backend.compile(asymmetric(), seed=1), 100)
    job.cancel()
    assert job.status() == "cancelled"
    with pytest.raises(JobCancelledError):
        job.result()


def test_the_forecast_guards_the_api_as_well(service: StandIn) -> None:
    builder = CircuitBuilder(Register("x", 2))
    builder.h(0)
    for _ in range(600):  # far beyond what the device's gates survive
        builder.x(1, [0])
        builder.barrier()
    circuit = builder.build().measured()
    backend = IbmBackend("manila")
    with pytest.raises(ForecastRefusedError, match="--force"):
        backend.submit(backend.compile(circuit, seed=1), 100)
    assert not service.state.jobs
    forced = IbmBackend("manila", force=True)
    job = forced.submit(forced.compile(circuit, seed=1), 100)
    assert job.result(timeout=30).counts.shots == 100


def test_a_second_submission_of_the_same_is_sent_and_told(
    service: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    backend = IbmBackend("manila")
    compiled = backend.compile(asymmetric(), seed=1)
    first, second = backend.submit(compiled, 50), backend.submit(compiled, 50)
    assert first.job_id != second.job_id
    with caplog.at_level(logging.WARNING):
        assert first.job_id in caplog.text
    assert first.result(timeout=30).counts.shots == second.result(timeout=30).counts.shots == 50


def test_what_another_backend_compiled_is_not_sent(service: StandIn) -> None:
    compiled = FakeBackend("manila").compile(asymmetric(), seed=1)
    with pytest.raises(UsageError, match="what it compiled itself"):
        IbmBackend("manila").submit(compiled)


def test_snapshots_are_one_whatever_they_are_called() -> None:
    names = {snapshot(name).name for name in ("manila", "fake_manila", "fake:manila")}
    assert names == {"fake_manila"}
