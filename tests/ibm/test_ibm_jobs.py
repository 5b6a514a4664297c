"""The command line against the stand-in, from submit to the checked answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from ibm_command import Cli
from ibm_service import Fault, StandIn

from qmastermind_qiskit.ibm.records import JobStore

pytestmark = pytest.mark.filterwarnings("error")

DEUTSCH = ("--circuit", "deutsch", "--secret", "RGBY", "--device", "ibm_manila")
FAST = ("--shots", "500", "--layouts", "1")


def send(cli: Cli, *more: str) -> str:
    """Submits the usual job without waiting; returns its id."""
    ran = cli("submit", *DEUTSCH, *FAST, "--json", *more)
    assert ran.code == 0, ran.err
    (job,) = ran.json["jobs"]
    return str(job["job_id"])


def ended(service: StandIn) -> None:
    """Waits until no job is in the queue or running."""
    for _ in range(500):
        if all(j.status not in ("Queued", "Running") for j in service.state.jobs.values()):
            return
        time.sleep(0.02)
    raise AssertionError("a job does not end")


@pytest.mark.parametrize("sampler", ["new", "old"])
def test_pairwise_queries_are_one_job_with_a_part_each(
    service: StandIn, cli: Cli, sampler: str
) -> None:
    ran = cli("submit", *DEUTSCH, *FAST, "--sampler", sampler, "--wait", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["answer"] == "RGBY"
    assert ran.json["verified"] is True
    assert [part["name"] for part in ran.json["parts"]] == ["RO", "RY", "RG", "RB", "RI"]
    assert [part["decided"] for part in ran.json["parts"]] == [
        "1000",
        "1001",
        "1100",
        "1010",
        "1000",
    ]
    for part in ran.json["parts"]:
        assert part["shots"] == 500
        assert abs(part["success"] - part["forecast"]) < 0.08
    (job,) = service.state.jobs.values()
    assert job.program_id == {"new": "executor", "old": "sampler"}[sampler]
    assert job.session_id is None
    assert job.cost == 30
    (record,) = JobStore().scan()[0]
    assert record.tag in job.tags
    assert record.instance == service.state.crn


@pytest.mark.parametrize("sampler", ["new", "old"])
def test_options_reach_the_service(service: StandIn, cli: Cli, sampler: str) -> None:
    ran = cli(
        "submit", *DEUTSCH, *FAST, "--sampler", sampler, "--max-seconds", "7",
        "--dynamical-decoupling", "XY4", "--twirling", "--wait", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.json["answer"] == "RGBY"
    (job,) = service.state.jobs.values()
    assert job.cost == 7
    # 500 shots were asked for; twirling rounds up, and shares are of what was returned
    assert {part["shots"] for part in ran.json["parts"]} == {512}
    assert all(abs(part["success"] - part["forecast"]) < 0.08 for part in ran.json["parts"])
    (record,) = JobStore().scan()[0]
    assert record.options["dynamical_decoupling"] == "XY4"
    assert record.options["sampler"].endswith({"new": "Sampler", "old": "SamplerV2"}[sampler])


def test_the_new_sampler_is_preferred(service: StandIn, cli: Cli) -> None:
    send(cli)
    (job,) = service.state.jobs.values()
    assert job.program_id == "executor"
    ended(service)


def test_adaptive_search_is_decided_peg_by_peg(service: StandIn, cli: Cli) -> None:
    ran = cli(
        "submit", "--circuit", "adaptive", "--positions", "2", "--colours", "4",
        "--secret", "GO", "--device", "ibm_manila", *FAST, "--wait", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert (ran.json["answer"], ran.json["verified"]) == ("GO", True)
    (part,) = ran.json["parts"]
    assert part["decided"] == "1101"
    assert len(part["agreement"]) == 2  # one share a peg


def test_grover_takes_the_iterations_with_the_best_forecast(service: StandIn, cli: Cli) -> None:
    ran = cli(
        "submit", "--circuit", "grover", "--marked", "101", "--device", "ibm_manila",
        *FAST, "--wait", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert (ran.json["answer"], ran.json["verified"]) == ("101", True)
    (record,) = JobStore().scan()[0]
    assert record.task["iterations"] in (1, 2)


def test_a_file_in_openqasm_is_sent_as_it_is(service: StandIn, cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "first.qasm"
    path.write_text('OPENQASM 2.0; include "qelib1.inc"; qreg q[3]; creg c[3]; x q[0]; '
                    "measure q -> c;")  # fmt: skip
    ran = cli("submit", "--circuit", str(path), "--device", "ibm_manila", *FAST, "--wait", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["answer"] == "100"  # bit 0 leftmost
    assert ran.json["verified"] is None


def test_without_a_fixed_instance_the_record_names_the_one_that_was_used(
    service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QISKIT_IBM_INSTANCE")
    job = send(cli)
    assert JobStore().find(job).instance == service.state.crn
    assert cli("result", job, "--wait", "--json").json["answer"] == "RGBY"


def test_least_busy_takes_the_shortest_queue_that_is_wide_enough(
    service: StandIn, cli: Cli
) -> None:
    from ibm_service.devices import Device

    service.state.devices |= {
        "ibm_quito": Device("ibm_quito", queue=1),
        "ibm_armonk": Device("ibm_armonk", queue=0),
        "ibm_lima": Device("ibm_lima", queue=0, online=False),
    }
    service.state.devices["ibm_manila"].queue = 5
    ran = cli("submit", *DEUTSCH[:4], "--least-busy", *FAST, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["jobs"][0]["device"] == "ibm_quito"
    ended(service)


def test_several_secrets_are_a_batch(service: StandIn, cli: Cli) -> None:
    ran = cli("submit", *DEUTSCH, "--secret", "BBRR", *FAST, "--wait", "--json")
    assert ran.code == 0, ran.err
    assert [job["answer"] for job in ran.json["jobs"]] == ["RGBY", "BBRR"]
    first, second = service.state.jobs.values()
    assert first.session_id == second.session_id is not None
    batch = service.state.sessions[first.session_id or ""]
    assert batch["mode"] == "batch"
    assert batch["accepting_jobs"] is False  # it was closed
    assert {record.batch_id for record in JobStore().scan()[0]} == {first.session_id}


def test_a_batch_that_cannot_be_closed_hides_no_job(service: StandIn, cli: Cli) -> None:
    service.state.faults.append(Fault("PATCH", "/sessions/[^/]+", status=400))
    ran = cli("submit", *DEUTSCH, *FAST, "--mode", "batch", "--json")
    assert ran.code == 0, ran.err
    assert list(service.state.jobs) == [ran.json["jobs"][0]["job_id"]]
    ended(service)


def test_a_session_is_refused_with_the_reason(service: StandIn, cli: Cli) -> None:
    """qiskit-community/spank-plugins#133: what to do instead is said."""
    ran = cli("submit", *DEUTSCH, *FAST, "--mode", "session")
    assert ran.code == 2
    assert "open plan refuses" in ran.err
    assert "--mode batch" in ran.err
    assert not service.state.jobs


def test_dry_run_sends_nothing(service: StandIn, cli: Cli) -> None:
    ran = cli("submit", *DEUTSCH, *FAST, "--dry-run", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["sent"] is False
    assert ran.json["plans"][0]["verdict"] == "go"
    assert service.state.requests["POST", "/jobs"] == 0
    assert JobStore().scan() == ([], [])


def test_a_hopeless_circuit_is_refused_unless_forced(service: StandIn, cli: Cli) -> None:
    hopeless = ("submit", "--circuit", "grover", "--marked", "10110", "--iterations", "4",
                "--device", "ibm_manila", *FAST)  # fmt: skip
    ran = cli(*hopeless)
    assert ran.code == 1
    assert "--force" in ran.err
    assert "expected success" in ran.err
    assert not service.state.jobs
    ran = cli(*hopeless, "--force", "--json")
    assert ran.code == 0, ran.err
    assert len(service.state.jobs) == 1
    ended(service)


def test_another_process_gets_the_result(service: StandIn, cli: Cli, home: Path) -> None:
    """Qiskit/qiskit-tutorials#249, qiskit-ibm-runtime#696: results after closing the laptop."""
    job = send(cli)
    done = subprocess.run(
        [sys.executable, "-m", "qmastermind", "ibm", "result", job, "--wait", "--json"],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answer"] == "RGBY"
    # and once it is in the record, no service is needed
    asked = service.state.requests.total()
    ran = cli("result", job, "--json")
    assert ran.json["answer"] == "RGBY"
    assert service.state.requests.total() == asked


def test_another_machine_gets_the_result_from_the_record_file(
    service: StandIn, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(cli)
    (record,) = JobStore().scan()[0]
    copy = tmp_path / "sent-by-mail.json"
    copy.write_bytes(JobStore().path(record.tag).read_bytes())
    monkeypatch.setenv("QMASTERMIND_HOME", str(tmp_path / "other machine"))
    ran = cli("result", str(copy), "--wait", "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["answer"], ran.json["verified"]) == ("RGBY", True)
    assert JobStore().find(record.tag).state == "done"


def test_a_result_that_is_not_there_yet(service: StandIn, cli: Cli) -> None:
    """Qiskit/qiskit-ibm-runtime#1001: a result was waited for without end or word."""
    service.state.hold = True
    job = send(cli)
    for arguments in (("result", job), ("result", job, "--timeout", "0.3")):
        ran = cli(*arguments)
        assert ran.code == 1
        assert "queued" in ran.err
        assert f"qmastermind ibm result {job} --wait" in ran.err
    ran = cli("status", job, "--json")
    assert (ran.code, ran.json["status"]) == (0, "queued")
    service.state.hold = False
    assert cli("result", job, "--wait", "--json").json["answer"] == "RGBY"


def test_ctrl_c_leaves_the_job_and_says_how_to_return(
    service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.state.hold = True
    job = send(cli)

    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    clock = SimpleNamespace(monotonic=time.monotonic, sleep=interrupt)
    monkeypatch.setattr("qmastermind_qiskit.ibm.jobs.time", clock)
    ran = cli("result", job, "--wait")
    assert ran.code == 130
    assert f"job {job} goes on" in ran.err
    assert f"qmastermind ibm result {job} --wait" in ran.err
    assert service.state.jobs[job].status == "Queued"


def test_cancel(service: StandIn, cli: Cli) -> None:
    service.state.hold = True
    job = send(cli)
    ran = cli("cancel", job)
    assert ran.code == 0, ran.err
    assert service.state.jobs[job].status == "Cancelled"
    ran = cli("result", job)
    assert ran.code == 1
    assert "was cancelled" in ran.err
    assert cli("cancel", job).code == 1  # it has ended


def test_a_job_cancelled_elsewhere_says_so(service: StandIn, cli: Cli) -> None:
    """Qiskit/documentation#1227: the result of a cancelled job has to say "cancelled"."""
    service.state.hold = True
    job = send(cli)
    service.state.cancel(job)
    ran = cli("result", job, "--wait")
    assert ran.code == 1
    assert "was cancelled" in ran.err
    assert JobStore().find(job).state == "cancelled"


def test_a_done_job_cannot_be_cancelled(service: StandIn, cli: Cli) -> None:
    job = send(cli)
    ended(service)
    ran = cli("cancel", job)
    assert ran.code == 1
    assert "cannot be cancelled: it is done" in ran.err
    assert cli("result", job, "--json").json["answer"] == "RGBY"


@pytest.mark.parametrize(
    ("code", "reason", "hint"),
    [
        (1305, "Job took too long to complete.", "--max-seconds"),
        (1517, "The circuit is not in the instruction set.", "compile it again"),
        (9999, "The device went down for repair.", "starts a new job"),
    ],
)
def test_a_failed_job_tells_the_reason(
    service: StandIn, cli: Cli, code: int, reason: str, hint: str
) -> None:
    service.state.fail_next = (code, reason)
    job = send(cli)
    ran = cli("result", job, "--wait")
    assert ran.code == 1
    assert reason.rstrip(".") in ran.err
    assert hint in ran.err
    assert JobStore().find(job).state == "failed"


@pytest.mark.parametrize(
    "fault",
    [
        Fault("GET", "/jobs/[^/]+/results", status=0),
        Fault("GET", "/jobs/[^/]+/results", body=b'{"data": [tru'),
        Fault("GET", "/jobs/[^/]+/results", body=b""),
        Fault("GET", "/jobs/[^/]+", status=0, times=2),
        Fault("GET", "/jobs/[^/]+", body=b"<html>bad gateway</html>"),
        Fault("GET", "/jobs/[^/]+", status=503, times=2),
        Fault("GET", "/jobs/[^/]+", status=429),
    ],
    ids=["cut", "half an answer", "empty", "status cut", "status in HTML", "503", "429"],
)
def test_waiting_outlives_a_bad_answer(service: StandIn, cli: Cli, fault: Fault) -> None:
    job = send(cli)
    service.state.faults.append(fault)
    ran = cli("result", job, "--wait", "--timeout", "30", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["answer"] == "RGBY"
    assert fault.times <= 0  # the fault did happen


def test_a_slow_job_is_waited_for(service: StandIn, cli: Cli) -> None:
    service.state.hold = True
    job = send(cli)
    threading.Timer(1.0, setattr, (service.state, "hold", False)).start()
    ran = cli("result", job, "--wait", "--timeout", "30", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["answer"] == "RGBY"


def test_the_same_work_is_not_sent_twice_unnoticed(service: StandIn, cli: Cli) -> None:
    service.state.hold = True
    job = send(cli)
    ran = cli("submit", *DEUTSCH, *FAST, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["jobs"][0]["job_id"] == job
    assert "nothing was sent" in ran.err
    assert job in ran.err
    assert len(service.state.jobs) == 1
    other = send(cli, "--again")
    assert other != job
    service.state.hold = False
    ended(service)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("body", [None, b"{", b"{}"], ids=["cut", "half JSON", "no id"])
def test_a_lost_answer_to_submit(
    service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch, when: str, body: bytes | None
) -> None:
    monkeypatch.setattr("qmastermind_qiskit.ibm.recovery.LOOK_SECONDS", 0.0)
    service.state.faults.append(Fault("POST", "/jobs", status=0, when=when, body=body))  # type: ignore[arg-type]
    ran = cli("submit", *DEUTSCH, *FAST, "--json")
    if when == "after":  # it had arrived, and is found by its tag
        assert ran.code == 0, ran.err
        assert "arrived" in ran.err
        (job,) = service.state.jobs
        assert ran.json["jobs"][0]["job_id"] == job
        assert cli("result", job, "--wait", "--json").json["answer"] == "RGBY"
        return
    assert ran.code == 1
    (record,) = JobStore().scan()[0]
    assert f"qmastermind ibm status {record.tag}" in ran.err
    assert "knows no job" in cli("status", record.tag).out
    assert "did not arrive" in cli("result", record.tag, "--wait").err
    # the same again: looks for it, says so, and sends it under the same tag
    ran = cli("submit", *DEUTSCH, *FAST, "--json")
    assert ran.code == 0, ran.err
    assert "interrupted" in ran.err
    (job,) = service.state.jobs.values()
    assert record.tag in job.tags
    ended(service)


def test_doubles_made_by_the_clients_own_repetition_are_told(service: StandIn, cli: Cli) -> None:
    service.state.faults.append(Fault("POST", "/jobs", status=500, when="after"))
    ran = cli("submit", *DEUTSCH, *FAST, "--json")
    assert ran.code == 0, ran.err
    assert len(service.state.jobs) == 2
    double = next(j for j in service.state.jobs if j != ran.json["jobs"][0]["job_id"])
    assert double in ran.err
    ended(service)


def test_jobs_lists_and_refreshes(service: StandIn, cli: Cli) -> None:
    job = send(cli)
    ended(service)
    assert cli("jobs", "--json").json["jobs"][0]["state"] == "sent"
    ran = cli("jobs", "--refresh", "--json")
    assert (ran.json["jobs"][0]["job_id"], ran.json["jobs"][0]["state"]) == (job, "done")
    assert job in cli("jobs").out
    assert ran.json["jobs"][0]["seconds"] == 2
