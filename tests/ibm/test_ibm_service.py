"""The stand-in and the client as IBM ships it: what our use of the client rests on."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from ibm_service import StandIn
from qiskit import QuantumCircuit, transpile
from qiskit_ibm_runtime import QiskitRuntimeService, SamplerV2, Session
from qiskit_ibm_runtime.executor_sampler import Sampler


def asymmetric() -> QuantumCircuit:
    """Gives 1 on qubit 0 and 0 on the others: Qiskit writes 001."""
    circuit = QuantumCircuit(3)
    circuit.x(0)
    circuit.measure_all()
    return circuit


@pytest.fixture
def account(service: StandIn) -> QiskitRuntimeService:
    return QiskitRuntimeService()


@pytest.mark.parametrize("sampler", [Sampler, SamplerV2])
@pytest.mark.parametrize("twirling", [False, True])
@pytest.mark.filterwarnings("ignore:The SamplerV2 class:DeprecationWarning")
def test_both_samplers_get_what_the_device_measured(
    account: QiskitRuntimeService, sampler: Any, twirling: bool
) -> None:
    device = account.backend("ibm_manila")
    primitive = sampler(mode=device)
    primitive.options.twirling.enable_gates = twirling
    primitive.options.twirling.enable_measure = twirling
    circuit = transpile(asymmetric(), device, optimization_level=3, seed_transpiler=1)
    job = primitive.run([circuit], shots=1000)
    bits = job.result(poll_interval=0.1)[0].join_data()
    assert bits.num_shots == (1024 if twirling else 1000)  # 32 randomisations of 32 shots
    counts = bits.get_counts()
    assert max(counts, key=counts.get) == "001"
    assert 0.75 < counts["001"] / bits.num_shots < 0.99  # the device's noise is there


def test_the_environment_alone_sends_the_client_here(
    service: StandIn, account: QiskitRuntimeService
) -> None:
    # IAM_URL and the rule about "experimental" are internals of the client: this pins them.
    assert account.active_instance() == service.state.crn
    asked = service.state.requests
    assert asked["POST", "/identity/token"] > 0
    assert asked["POST", "/v3/resources/search"] > 0
    assert asked["GET", "/api/v1/plan-1"] > 0
    assert account.backend("ibm_manila").num_qubits == 5
    assert asked["GET", "/backends"] > 0


def test_the_new_sampler_sends_what_the_device_cannot_run(
    service: StandIn, account: QiskitRuntimeService
) -> None:
    """qiskit-community/qiskit-algorithms#165: it fails in the queue with 1517, not here."""
    # Why we check circuits ourselves. If this fails, the client has begun to check.
    circuit = QuantumCircuit(1)
    circuit.h(0)
    circuit.measure_all()
    job = Sampler(mode=account.backend("ibm_manila")).run([circuit], shots=10)
    with pytest.raises(Exception, match="1517"):
        job.result(poll_interval=0.1)


def test_a_session_is_refused_on_the_open_plan(account: QiskitRuntimeService) -> None:
    """qiskit-community/spank-plugins#133: the open plan has no sessions."""
    with pytest.raises(Exception, match="open plan"):
        Session(backend=account.backend("ibm_manila"))


def test_jobs_are_found_by_their_tag_in_another_connection(
    service: StandIn, account: QiskitRuntimeService
) -> None:
    device = account.backend("ibm_manila")
    sampler = Sampler(mode=device)
    sampler.options.environment.job_tags = ["mine"]
    circuit = transpile(asymmetric(), device, seed_transpiler=1)
    job = sampler.run([circuit], shots=10)
    (found,) = QiskitRuntimeService().jobs(job_tags=["mine"])
    assert found.job_id() == job.job_id()
    assert not QiskitRuntimeService().jobs(job_tags=["other"])
    job.wait_for_final_state(poll_interval=0.1)


def test_the_client_repeats_a_post_that_was_answered_with_503(
    service: StandIn, account: QiskitRuntimeService
) -> None:
    # Why we look for doubles after sending.
    from ibm_service import Fault

    device = account.backend("ibm_manila")
    circuit = transpile(asymmetric(), device, seed_transpiler=1)
    service.state.faults.append(Fault("POST", "/jobs", status=503, when="after"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Sampler(mode=device).run([circuit], shots=10)
    assert len(service.state.jobs) == 2
