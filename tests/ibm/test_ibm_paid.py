"""Paid minutes: no job is lost, doubled in silence, or called refused when it may exist."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from ibm_command import Cli
from ibm_service import Fault, Job, StandIn

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.game import Rules
from qmastermind_qiskit.ibm import jobs, locking, records
from qmastermind_qiskit.ibm.account import IbmClient
from qmastermind_qiskit.ibm.backend import IbmBackend
from qmastermind_qiskit.ibm.client import NotTakenError, RunOptions
from qmastermind_qiskit.ibm.compilation import compile_circuit
from qmastermind_qiskit.ibm.errors import IbmError, TimeLimitError
from qmastermind_qiskit.ibm.records import CANCELLED, DONE, FAILED, REFUSED, SENDING, SENT, JobStore
from qmastermind_qiskit.ibm.requests import Request


def work(secret: str = "RGBY", *more: str) -> tuple[str, ...]:
    """The arguments of a usual submission."""
    return ("submit", "--circuit", "deutsch", "--secret", secret, "--device", "ibm_manila",
            "--shots", "200", "--layouts", "1", *more)  # fmt: skip


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qmastermind_qiskit.ibm.recovery.LOOK_SECONDS", 0.0)


def sent(cli: Cli, *arguments: str) -> str:
    """Sends a job; returns its id."""
    ran = cli(*(arguments or work()), "--json")
    assert ran.code == 0, ran.err
    return str(ran.json["jobs"][0]["job_id"])


def lose(service: StandIn, cli: Cli, *arguments: str) -> str:
    """Sends a job whose answer is lost, in an outage that leaves it unclear; returns its id."""
    before = set(service.state.jobs)
    service.state.faults += [
        Fault("POST", "/jobs", status=0, when="after"),
        Fault("GET", "/jobs", status=400, times=10**6),
    ]
    assert cli(*arguments).code == 1
    service.state.faults.clear()
    (job,) = set(service.state.jobs) - before
    return job


def doubled(service: StandIn, cli: Cli) -> tuple[str, str, str]:
    """Sends a job that the service makes twice and holds; returns both ids, and what was told."""
    service.state.hold = True
    service.state.faults.append(Fault("POST", "/jobs", status=503, when="after"))
    ran = cli(*work(), "--json")
    assert ran.code == 0, ran.err
    (double,) = ran.json["jobs"][0]["doubles"]
    return str(ran.json["jobs"][0]["job_id"]), double, ran.err


def after_writes(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """The disk is full after so many records were written."""
    write, written = records.write_atomically, [0]

    def full(path: Path, text: str) -> None:
        written[0] += 1
        if written[0] > number:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, text)

    monkeypatch.setattr(records, "write_atomically", full)


class TestOtherInstances:
    def test_an_attempt_on_one_is_not_taken_for_one_on_another(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = service.state.add_instance()
        job = lose(service, cli, *work())
        monkeypatch.setenv("QISKIT_IBM_INSTANCE", other.crn)
        ran = cli(*work(), "--json")
        assert ran.code == 0, ran.err
        first, second = JobStore().scan()[0]
        assert (first.instance, first.job_id, first.state) == (service.state.crn, job, SENT)
        assert second.instance == other.crn
        assert list(other.jobs) == [second.job_id]
        assert f"did arrive: job {job}" in ran.err
        assert "with another instance too" in ran.err
        assert cli("result", job, "--wait", "--json").json["answer"] == "RGBY"
        assert cli("result", second.tag, "--wait", "--json").json["answer"] == "RGBY"

    def test_one_that_cannot_be_asked_is_named(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lose(service, cli, *work())
        (record,) = JobStore().scan()[0]
        JobStore().save(record, instance=service.state.crn.replace("a/", "a/0"))
        ran = cli(*work(), "--json")
        assert ran.code == 0, ran.err
        assert f"interrupted ({record.tag}), and whether its job exists is not known" in ran.err
        assert JobStore().find(record.tag).state == SENDING

    def test_waiting_asks_the_instance_of_the_job(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = service.state.add_instance()
        job = sent(cli)
        monkeypatch.setenv("QISKIT_IBM_INSTANCE", other.crn)
        ran = cli(*work(), "--wait", "--json")
        assert ran.code == 0, ran.err
        assert ran.json["job_id"] in other.jobs
        assert job in ran.err  # the same work, elsewhere


class TestFullDisk:
    def test_the_id_is_told_and_no_second_job_is_led_to(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            after_writes(patch, 1)
            ran = cli(*work())
        assert ran.code == 1
        (job,) = service.state.jobs
        (record,) = JobStore().scan()[0]
        assert record.state == SENDING
        assert f"job {job} is with the service (tag {record.tag}" in ran.err
        assert f"qmastermind ibm status {record.tag}" in ran.err
        assert "QMASTERMIND_HOME" not in ran.err
        assert cli("status", record.tag).code == 0
        assert JobStore().find(job).state in (SENT, DONE)
        assert "nothing was sent" in cli(*work()).err
        assert len(service.state.jobs) == 1

    def test_a_job_that_was_found_is_told(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        job = lose(service, cli, *work())
        (record,) = JobStore().scan()[0]
        with monkeypatch.context() as patch:
            after_writes(patch, 0)
            ran = cli("status", record.tag)
            assert ran.code == 1
            assert job in ran.err
            assert f"qmastermind ibm status {record.tag}" in ran.err

    def test_a_refusal_is_told_as_one(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        service.state.faults.append(Fault("POST", "/jobs", status=400, message="no such option"))
        with monkeypatch.context() as patch:
            after_writes(patch, 1)
            ran = cli(*work())
        assert ran.code == 1
        assert "no such option" in ran.err
        assert "No job was made" in ran.err

    def test_before_sending_it_sends_nothing(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        after_writes(monkeypatch, 0)
        ran = cli(*work())
        assert ran.code == 1
        assert "QMASTERMIND_HOME" in ran.err
        assert not service.state.jobs


class TestTheSameRequest:
    def test_the_least_busy_device_is_another_now(self, service: StandIn, cli: Cli) -> None:
        from ibm_service.devices import Device

        service.state.devices["ibm_quito"] = Device("ibm_quito", queue=5)
        least_busy = (*work()[:5], "--least-busy", *work()[7:])
        job = lose(service, cli, *least_busy)
        service.state.devices["ibm_manila"].queue = 9
        ran = cli(*least_busy, "--json")
        assert ran.code == 0, ran.err
        assert ran.json["jobs"][0]["job_id"] == job
        assert ran.json["jobs"][0]["device"] == "ibm_manila"
        assert "nothing was sent" in ran.err
        assert list(service.state.jobs) == [job]

    def test_one_that_never_arrived_keeps_its_tag_and_its_device(
        self, service: StandIn, cli: Cli
    ) -> None:
        from ibm_service.devices import Device

        service.state.devices["ibm_quito"] = Device("ibm_quito", queue=5)
        least_busy = (*work()[:5], "--least-busy", *work()[7:])
        service.state.faults.append(Fault("POST", "/jobs", status=0))
        assert cli(*least_busy).code == 1
        (lost,) = JobStore().scan()[0]
        service.state.devices["ibm_manila"].queue = 9
        ran = cli(*least_busy, "--json")
        assert ran.code == 0, ran.err
        assert f"interrupted ({lost.tag})" in ran.err
        assert f"qmastermind ibm status {lost.tag}" in ran.err
        assert JobStore().find(lost.tag).device == "ibm_manila"  # were it to show up late
        assert ran.json["jobs"][0]["device"] == "ibm_quito"
        assert ran.json["jobs"][0]["tag"] != lost.tag

    def test_other_work_that_was_interrupted_is_looked_for_and_named(
        self, service: StandIn, cli: Cli
    ) -> None:
        job = lose(service, cli, *work())
        ran = cli(*work("YBBY"), "--json")
        assert ran.code == 0, ran.err
        assert f"did arrive: job {job}" in ran.err
        assert JobStore().find(job).state == SENT
        assert len(service.state.jobs) == 2

    def test_one_that_never_arrived_can_be_given_up(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        service.state.faults.append(Fault("POST", "/jobs", status=0))
        assert cli(*work()).code == 1
        (lost,) = JobStore().scan()[0]
        ran = cli(*work("YBBY"))
        assert f"`qmastermind ibm cancel {lost.tag}` gives it up" in ran.err
        assert cli("cancel", lost.tag).code == 1  # it may still arrive
        assert JobStore().find(lost.tag).state == SENDING
        monkeypatch.setattr(jobs, "LATE", 0.0)
        ran = cli("cancel", lost.tag)
        assert ran.code == 0, ran.err
        assert lost.tag in ran.out
        assert "None" not in ran.out
        assert JobStore().find(lost.tag).state == CANCELLED
        assert lost.tag not in cli(*work("BBBY")).err
        assert "never arrived" in cli("cancel", lost.tag).err

    def test_one_that_did_arrive_is_not_given_up(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        service.state.hold = True
        job = lose(service, cli, *work())
        (lost,) = JobStore().scan()[0]
        monkeypatch.setattr(jobs, "LATE", 0.0)
        assert cli("cancel", lost.tag).code == 0
        assert service.state.jobs[job].status == "Cancelled"
        assert JobStore().find(job).state == CANCELLED

    def test_a_secret_that_is_drawn(self, service: StandIn, cli: Cli) -> None:
        drawn = (*work()[:3], *work()[5:])
        job = lose(service, cli, *drawn)
        ran = cli(*drawn, "--json")
        assert ran.code == 0, ran.err
        assert ran.json["jobs"][0]["job_id"] == job
        assert sent(cli, *drawn, "--again") != job

    def test_what_is_in_it_and_what_is_not(self, tmp_path: Path) -> None:
        def key(**changes: object) -> list[str]:
            usual: dict[str, object] = {
                "circuit": "grover", "secrets": ["RGBY"], "marked": None, "iterations": "auto",
                "space": "valid", "pairs": "star", "rules": Rules(), "device": "ibm_manila",
            }  # fmt: skip
            options = changes.pop("options", RunOptions())
            return Request(**{**usual, **changes}).keys(options)  # type: ignore[arg-type]

        assert key() == key() == key(secrets=["rgby"]) == key(options=RunOptions(seed=3))
        path = tmp_path / "x.qasm"
        path.write_text('OPENQASM 2.0; include "qelib1.inc"; qreg q[1]; x q[0];')
        different = [
            key(),
            key(iterations="2"),
            key(device="least busy"),
            key(secrets=["RGBB"]),
            key(space="all"),
            key(circuit="adaptive"),
            key(secrets=None),
            key(secrets=None, marked="101"),
            key(options=RunOptions(shots=3)),
            key(circuit=str(path), secrets=None),
        ]
        assert len({k for keys in different for k in keys}) == len(different)
        first, second = key(secrets=["random", "random"])
        assert first != second
        assert key(secrets=["random"], seed=1) == key(secrets=["random"], seed=1)
        assert key(secrets=["random"], seed=1) != key(secrets=["random"], seed=2)


class TestTimeLimit:
    def test_a_job_that_would_be_ended_is_not_sent(self, service: StandIn, cli: Cli) -> None:
        long = (*work(), "--shots", "60000")
        ran = cli(*long)
        assert ran.code == 2
        assert "device seconds, and the service ends it after 30" in ran.err
        assert service.state.requests["POST", "/jobs"] == 0
        enough = ran.err.split("--max-seconds ")[1].split()[0]
        assert sent(cli, *long, "--max-seconds", enough)
        assert sent(cli, *long, "--force")

    def test_it_is_shown_beforehand(self, service: StandIn, cli: Cli) -> None:
        ran = cli(*work(), "--shots", "1000000", "--dry-run")
        assert ran.code == 0, ran.err
        assert "too long" in ran.out
        ran = cli("forecast", *work()[1:7], "--shots", "60000", "--layouts", "1", "--json")
        assert "ends it after 30" in ran.json["too_long"]
        assert cli("forecast", *work()[1:7], "--layouts", "1", "--json").json["too_long"] == ""

    def test_a_backend_refuses_as_well(self, service: StandIn) -> None:
        backend = IbmBackend("manila")
        builder = CircuitBuilder(Register("x", 1))
        builder.x(0)
        compiled = backend.compile(builder.build().measured(), seed=1)
        with pytest.raises(TimeLimitError, match="ends it after 30"):
            backend.submit(compiled, 1_000_000)
        assert service.state.requests["POST", "/jobs"] == 0
        assert JobStore().scan() == ([], [])


class TestCancelling:
    def test_a_job_that_is_done_all_the_same_keeps_its_result(
        self, service: StandIn, cli: Cli
    ) -> None:
        service.state.hold = True
        job = sent(cli)
        service.state.faults.append(Fault("POST", f"/jobs/{job}/cancel", body=b""))
        ran = cli("cancel", job)
        assert ran.code == 0, ran.err
        assert "has not ended yet" in ran.out
        assert JobStore().find(job).state == SENT
        service.state.hold = False
        ran = cli("result", job, "--wait", "--json")
        assert ran.code == 0, ran.err
        assert ran.json["answer"] == "RGBY"
        assert "cancelling was asked for" in ran.json["notes"]

    def test_what_the_service_says_is_written(self, service: StandIn, cli: Cli) -> None:
        service.state.hold = True
        job = sent(cli)

        def finish() -> None:
            service.state.hold = False
            while service.state.jobs[job].status != "Completed":
                time.sleep(0.01)

        service.state.faults.append(Fault("POST", f"/jobs/{job}/cancel", body=b"", action=finish))
        ran = cli("cancel", job)
        assert ran.code == 1
        assert "it is done" in ran.err
        assert f"qmastermind ibm result {job}" in ran.err
        assert JobStore().find(job).state == DONE
        assert cli("result", job, "--json").json["answer"] == "RGBY"

    def test_doubles_are_ended_by_the_command_that_is_named(
        self, service: StandIn, cli: Cli
    ) -> None:
        main, double, told = doubled(service, cli)
        assert {main, double} == set(service.state.jobs)
        assert f"`qmastermind ibm cancel {double}`" in told
        assert f"qmastermind ibm cancel {double}" in cli("status", main).out
        ran = cli("cancel", double)
        assert ran.code == 0, ran.err
        assert service.state.jobs[double].status == "Cancelled"
        assert service.state.jobs[main].status == "Queued"
        service.state.hold = False
        assert cli("result", main, "--wait", "--json").json["answer"] == "RGBY"

    def test_doubles_can_be_ended_after_their_job(self, service: StandIn, cli: Cli) -> None:
        main, double, _ = doubled(service, cli)
        assert cli("cancel", main).code == 0
        assert JobStore().find(main).state == CANCELLED
        assert cli("cancel", double).code == 0
        assert {job.status for job in service.state.jobs.values()} == {"Cancelled"}

    def test_the_result_of_a_double_takes_the_place_of_a_job_that_was_cancelled(
        self, service: StandIn, cli: Cli
    ) -> None:
        main, double, _ = doubled(service, cli)
        assert cli("cancel", main).code == 0
        service.state.hold = False
        ran = cli("result", double, "--wait", "--json")
        assert ran.code == 0, ran.err
        assert (ran.json["job_id"], ran.json["doubles"]) == (double, [main])
        assert ran.json["answer"] == "RGBY"
        assert JobStore().find(main).state == DONE


class TestTwoAtOnce:
    def test_the_second_waits_and_finds_the_job_of_the_first(
        self, service: StandIn, cli: Cli
    ) -> None:
        arrived, submit = threading.Event(), service.state.submit

        def slow(body: dict[str, object]) -> Job:
            arrived.set()
            time.sleep(3)
            return submit(body)

        service.state.submit = slow  # type: ignore[method-assign]
        with subprocess.Popen(
            [sys.executable, "-m", "qmastermind", "ibm", *work()],
            env=dict(os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as first:
            assert arrived.wait(60)
            (record,) = JobStore().scan()[0]
            ran = cli("status", record.tag)
            assert f"process {first.pid} is sending" in ran.out
            ran = cli(*work(), "--json")
            assert first.wait(60) == 0
        assert ran.code == 0, ran.err
        assert f"process {first.pid} is sending jobs; waiting" in ran.err
        assert "nothing was sent" in ran.err
        assert "interrupted" not in ran.err
        assert list(service.state.jobs) == [ran.json["jobs"][0]["job_id"]]

    @pytest.mark.skipif(locking.fcntl is None, reason="no locks on this system")
    def test_a_lock_dies_with_its_holder(self, tmp_path: Path) -> None:
        path, told = tmp_path / "sending.lock", list[str]()
        code = (
            "import pathlib, sys, time; from qmastermind_qiskit.ibm.locking import alone\n"
            "with alone(pathlib.Path(sys.argv[1]), print): print(flush=True); time.sleep(60)"
        )
        with subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
        ) as other:
            assert other.stdout is not None
            other.stdout.readline()
            assert locking.holder(path) == f"process {other.pid}"
            other.send_signal(signal.SIGKILL)
        assert locking.holder(path) is None
        with locking.alone(path, told.append):
            assert locking.holder(path) == f"process {os.getpid()}"
        assert told == []

    def test_without_locks_everything_else_works(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(locking, "fcntl", None)
        job = sent(cli)
        assert cli("result", job, "--wait", "--json").json["answer"] == "RGBY"
        assert JobStore().sender() is None


class TestWhereAnErrorCameFrom:
    def test_an_answer_that_names_another_device(self, service: StandIn, cli: Cli) -> None:
        service.state.faults.append(
            Fault("POST", "/jobs", when="after", body=b'{"id": "d1", "backend": "ibm_manila2"}')
        )
        ran = cli(*work(), "--json")
        assert ran.code == 0, ran.err
        (job,) = service.state.jobs
        assert ran.json["jobs"][0]["job_id"] == job
        assert ran.json["jobs"][0]["state"] == SENT
        assert cli("result", job, "--wait", "--json").json["answer"] == "RGBY"

    def test_a_server_error_is_unclear_whatever_its_text(
        self, service: StandIn, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import qiskit_ibm_runtime.api.session as session

        monkeypatch.setattr(session, "STATUS_FORCELIST", ())  # the client waits 15 s over this
        service.state.faults.append(
            Fault("POST", "/jobs", status=502, when="after", message="trace 9f1352ab, code 1352")
        )
        ran = cli(*work(), "--json")
        assert ran.code == 0, ran.err
        assert list(service.state.jobs) == [ran.json["jobs"][0]["job_id"]]

    @pytest.mark.parametrize(
        ("fault", "nothing"),
        [
            (Fault("GET", "/backends/ibm_manila/status", status=409), True),
            (Fault("GET", "/instances/usage", body=b"{"), True),
            (Fault("POST", "/jobs", status=403), True),
            (Fault("POST", "/jobs", status=429), True),
            (Fault("POST", "/jobs", status=408), False),
            (Fault("POST", "/jobs", status=0), False),
            (Fault("POST", "/jobs", body=b"[]"), False),
            (Fault("POST", "/jobs", body=b'{"id": "d1", "backend": "other"}'), False),
        ],
    )
    def test_before_or_after_the_request(
        self, service: StandIn, fault: Fault, nothing: bool
    ) -> None:
        client = IbmClient.connect()
        device = client.device("ibm_manila")
        builder = CircuitBuilder(Register("x", 1))
        builder.x(0)
        native, _, _ = compile_circuit(builder.build().measured(), device, 1, 1)
        service.state.faults.append(fault)
        with pytest.raises((NotTakenError, IbmError)) as caught:
            client.send([native], device, RunOptions(shots=10), "qmm-a-tag")
        assert isinstance(caught.value, NotTakenError) == nothing
        asked = service.state.requests["POST", "/jobs"]
        assert asked == (1 if fault.method == "POST" else 0)
        assert fault.times == 0

    def test_a_refusal_of_the_clients_own_repetition_says_nothing_of_the_first_request(
        self, service: StandIn, cli: Cli
    ) -> None:
        service.state.faults += [
            Fault("POST", "/jobs", status=503, when="after"),
            Fault("POST", "/jobs", status=429, message="too many pending jobs"),
        ]
        ran = cli(*work(), "--json")
        assert ran.code == 0, ran.err
        assert list(service.state.jobs) == [ran.json["jobs"][0]["job_id"]]

    def test_a_refused_repetition_leaves_the_first_attempt_to_be_found(
        self, service: StandIn, cli: Cli
    ) -> None:
        job = lose(service, cli, *work())
        late, service.state.jobs = dict(service.state.jobs), {}  # it is listed later
        service.state.faults.append(Fault("POST", "/jobs", status=429))
        ran = cli(*work())
        assert ran.code == 1
        (record,) = JobStore().scan()[0]
        assert record.state == SENDING
        assert f"qmastermind ibm status {record.tag}" in ran.err
        service.state.jobs = late
        assert job in cli("status", record.tag).out

    def test_nothing_is_sent_while_it_is_not_known_what_became_of_the_first(
        self, service: StandIn, cli: Cli
    ) -> None:
        lose(service, cli, *work())
        service.state.faults.append(Fault("GET", "/jobs", status=400, times=9))
        ran = cli(*work())
        assert ran.code == 1
        (record,) = JobStore().scan()[0]
        assert "Nothing was sent" in ran.err
        assert f"qmastermind ibm status {record.tag}" in ran.err
        assert len(service.state.jobs) == 1

    def test_sending_once_more_names_the_one_that_was_interrupted(
        self, service: StandIn, cli: Cli
    ) -> None:
        job = lose(service, cli, *work())
        assert sent(cli, *work(), "--again") != job
        assert JobStore().find(job).state == SENT

    def test_a_client_that_cannot_be_watched_is_taken_to_have_sent(
        self, service: StandIn, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client = IbmClient.connect()
        device = client.device("ibm_manila")
        builder = CircuitBuilder(Register("x", 1))
        native, _, _ = compile_circuit(builder.build().measured(), device, 1, 1)
        monkeypatch.setattr("qmastermind_qiskit.ibm.posting._sessions", lambda service: [])
        service.state.faults.append(Fault("GET", "/backends/ibm_manila/status", status=409))
        with pytest.raises(IbmError):
            client.send([native], device, RunOptions(shots=10), "qmm-a-tag")


class TestSeveralJobs:
    def test_a_batch_that_fails_half_way_names_what_was_sent(
        self, service: StandIn, cli: Cli
    ) -> None:
        service.state.hold = True
        fault = Fault("POST", "/jobs", status=400, message="no more", times=0)
        service.state.faults.append(fault)
        after(service, 2, lambda: setattr(fault, "times", 1))
        ran = cli(*work(), "--secret", "BBGY", "--secret", "YYYY", "--wait")
        assert ran.code == 1
        assert "no more" in ran.err
        first, second = service.state.jobs
        for number, job in enumerate((first, second), 1):
            assert f"{number} of 3: job {job} is with ibm_manila; tag qmm-" in ran.err
            assert f"qmastermind ibm result {job} --wait" in ran.err
        assert [r.state for r in JobStore().scan()[0]] == [SENT, SENT, REFUSED]

    @pytest.mark.parametrize("json", [False, True])
    def test_one_that_fails_hides_no_other(self, service: StandIn, cli: Cli, json: bool) -> None:
        service.state.hold = True
        names = ["RGBY", "BBGY", "YYYY"]
        more = [text for name in names[1:] for text in ("--secret", name)]
        assert cli(*work(), *more).code == 0
        ids = list(service.state.jobs)
        one = service.state.jobs[ids[1]]
        one.status, one.reason, one.reason_code = "Failed", "it broke", 9999
        service.state.hold = False
        ran = cli(*work(), *more, "--wait", *(["--json"] if json else []))
        assert ran.code == 1
        if json:
            rows = ran.json["jobs"]
            assert [row["job_id"] for row in rows] == ids
            assert [row.get("answer") for row in rows] == ["RGBY", None, "YYYY"]
            assert [row["state"] for row in rows] == [DONE, FAILED, DONE]
            assert "it broke" in rows[1]["error"]
        else:
            assert "verified: RGBY" in ran.out
            assert "it broke" in ran.out
            assert "verified: YYYY" in ran.out


def after(service: StandIn, jobs: int, action: Callable[[], None]) -> None:
    """Has something happen once so many jobs arrived."""
    submit = service.state.submit

    def counted(body: dict[str, object]) -> Job:
        job = submit(body)
        if len(service.state.jobs) == jobs:
            action()
        return job

    service.state.submit = counted  # type: ignore[method-assign]
