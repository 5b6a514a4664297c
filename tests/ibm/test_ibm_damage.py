"""Damaged files, outages and slips of the user: each is named, and stops nothing else."""

from __future__ import annotations

import json
import logging
import threading
import time
import warnings
from pathlib import Path

import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from ibm_command import Cli
from ibm_service import Fault, StandIn

from qmastermind_qiskit.ibm import errors, jobs
from qmastermind_qiskit.ibm.asking import asking
from qmastermind_qiskit.ibm.errors import translate
from qmastermind_qiskit.ibm.records import DONE, SENT, JobRecord, JobStore, home, new_tag

WORK = ("submit", "--circuit", "deutsch", "--secret", "RGBY", "--device", "ibm_manila",
        "--shots", "200", "--layouts", "1")  # fmt: skip
LOCAL = (*WORK[:6], "fake_manila", *WORK[7:])


@pytest.fixture
def outage(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client repeats nothing; else it takes 15 s over each server error."""
    import qiskit_ibm_runtime.api.session as session

    monkeypatch.setattr(session, "STATUS_FORCELIST", ())


def damaged(good: dict[str, object]) -> dict[str, bytes]:
    """Files that are no records, by what is wrong with them."""

    def changed(**fields: object) -> bytes:
        return json.dumps({**good, "tag": "qmm-other", **fields}).encode()

    return {
        "no UTF-8": b'{"tag": "\xff\xfe"}',
        "deep": b"[" * 100_000,
        "created": changed(created=5),
        "task": changed(task=None),
        "title": changed(task={}),
        "state": changed(state=[]),
        "unknown state": changed(state="thinking"),
        "shots": changed(shots="many"),
        "counts": changed(results=[{"0": "one"}]),
        "results": changed(results=[3]),
        "notes": changed(notes=[3]),
        "parts": changed(parts={}),
        "elsewhere": changed(tag="../../elsewhere"),
        "NaN": changed(seconds=float("nan")),
        "half": changed()[:200],
        "later": changed(schema=99),
    }


def test_a_damaged_file_stops_no_command(cli: Cli) -> None:
    ran = cli(*LOCAL, "--json")
    assert ran.code == 0, ran.err
    job = ran.json["job_id"]
    (record,) = JobStore().scan()[0]
    path = JobStore().folder / "damaged.json"
    for what, content in damaged(json.loads(record.to_json())).items():
        path.write_bytes(content)
        listed = cli("jobs", "--refresh", "--json")
        assert listed.code == 0, what
        assert [row["job_id"] for row in listed.json["jobs"]] == [job], what
        assert "damaged.json" in listed.json["problems"][0], what
        assert JobStore().find(job).job_id == job
        assert "damaged.json" in cli("status", "no-such-job").err
        ran = cli("result", str(path))
        assert ran.code == 1, what
        assert "damaged.json" in ran.err
    assert cli(*LOCAL).code == 0
    ran = cli("doctor", "--json")
    assert any("damaged.json" in found["text"] for found in ran.json["findings"])


def test_a_record_whose_content_does_not_fit_is_said_not_to(cli: Cli) -> None:
    ran = cli(*LOCAL, "--json")
    (record,) = JobStore().scan()[0]
    path = JobStore().path(record.tag)
    good = json.loads(path.read_text())
    first = good["parts"][0]
    for changes in (
        {"results": good["results"][:2]},
        {"results": [{} for _ in good["results"]]},
        {"results": [{"00": 5} for _ in good["results"]]},
        {"results": [{"2222": 5} for _ in good["results"]]},
        {"parts": [{**first, "forecast": {}}, *good["parts"][1:]]},
        {"parts": [{}, *good["parts"][1:]]},
        {"parts": [{**first, "groups": [[9]]}, *good["parts"][1:]]},
        {"task": {"title": "x"}},
        {"task": {"title": "x", "kind": "unknown"}},
        {"task": {**good["task"], "pairs": 3}},
    ):
        path.write_text(json.dumps({**good, **changes}))
        ran = cli("result", record.tag)
        assert ran.code == 1, changes
        assert record.tag in ran.err
    path.write_text(json.dumps(good))
    assert cli("result", record.tag).code == 0


@pytest.mark.parametrize("content", ["later", "half"])
def test_work_whose_record_cannot_be_read_is_not_sent_again_in_silence(
    service: StandIn, cli: Cli, content: str
) -> None:
    assert cli(*WORK).code == 0
    (record,) = JobStore().scan()[0]
    path = JobStore().path(record.tag)
    text = path.read_text()
    path.write_text(text[:300] if content == "half" else text.replace('"schema": 1', '"schema": 2'))
    ran = cli(*WORK)
    assert ran.code == 1
    assert "nothing was sent" in ran.err
    assert path.name in ran.err
    assert "--again" in ran.err
    assert len(service.state.jobs) == 1
    ran = cli(*WORK, "--again")
    assert ran.code == 0
    assert path.name in ran.err
    assert len(service.state.jobs) == 2


class TestOutages:
    def test_of_the_identity_service(self, service: StandIn, cli: Cli, outage: None) -> None:
        service.state.faults.append(Fault("POST", "/identity/token", status=503, times=99))
        ran = cli("devices")
        assert ran.code == 1
        assert "API" not in ran.err
        assert "failed while signing in (HTTP 503)" in ran.err
        assert "announcements" in ran.err

    @pytest.mark.parametrize("path", ["/backends", "/backends/ibm_manila/configuration"])
    @pytest.mark.parametrize(
        "arguments", [WORK, (*WORK[:5], "--least-busy", *WORK[7:]), ("devices",)]
    )
    def test_of_the_list_of_devices(
        self, service: StandIn, cli: Cli, outage: None, path: str, arguments: tuple[str, ...]
    ) -> None:
        service.state.faults.append(Fault("GET", path, status=503, times=99))
        ran = cli(*arguments)
        assert ran.code == 1
        assert "service failed" in ran.err
        assert "announcements" in ran.err
        assert "matches the criteria" not in ran.err
        assert "firewall" not in ran.err

    def test_of_an_instance_that_is_not_named(
        self, service: StandIn, cli: Cli, outage: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("QISKIT_IBM_INSTANCE")
        service.state.faults.append(Fault("GET", "/backends", status=503, times=1))
        ran = cli(*WORK)
        assert ran.code == 1
        assert "service failed" in ran.err

    def test_that_the_client_gives_up_on_is_no_lost_connection(self) -> None:
        import requests
        import urllib3
        from qiskit_ibm_runtime.api.exceptions import RequestsApiError

        reason = urllib3.exceptions.ResponseError("too many 503 error responses")
        error = RequestsApiError("no")
        error.__cause__ = requests.exceptions.RetryError(
            urllib3.exceptions.MaxRetryError(None, "/backends", reason)  # type: ignore[arg-type]
        )
        found = translate(error, "asking")
        assert isinstance(found, errors.ServiceFaultError)
        assert "(HTTP 503)" in str(found)

    def test_no_device_online_is_no_misuse(self, service: StandIn, cli: Cli) -> None:
        service.state.devices["ibm_manila"].online = False
        ran = cli(*WORK[:5], "--least-busy", *WORK[7:])
        assert ran.code == 1
        assert "is online" in ran.err
        assert "ibm devices" in ran.err


class TestWaiting:
    def test_an_outage_is_waited_through(
        self, service: StandIn, cli: Cli, outage: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        service.state.hold = True
        job = cli(*WORK, "--json").json["jobs"][0]["job_id"]
        monkeypatch.setattr(jobs, "SLOWEST_POLL", 0.01)
        fault = Fault("GET", f"/jobs/{job}", status=503, times=40)
        service.state.faults.append(fault)
        service.state.hold = False
        ran = cli("result", job, "--wait", "--json")
        assert ran.code == 0, ran.err
        assert ran.json["answer"] == "RGBY"
        assert fault.times == 0

    @pytest.mark.parametrize("timeout", [None, "0.5"])
    def test_who_gives_up_says_how_to_return(
        self,
        service: StandIn,
        cli: Cli,
        outage: None,
        monkeypatch: pytest.MonkeyPatch,
        timeout: str | None,
    ) -> None:
        job = cli(*WORK, "--json").json["jobs"][0]["job_id"]
        monkeypatch.setattr(jobs, "PATIENCE", 0.1)
        service.state.faults.append(Fault("GET", f"/jobs/{job}", status=503, times=999))
        started = time.monotonic()
        ran = cli("result", job, "--wait", *(["--timeout", timeout] if timeout else []))
        assert ran.code == 1
        assert f"qmastermind ibm result {job} --wait" in ran.err
        if timeout:  # and nothing else is obeyed
            assert time.monotonic() - started >= 0.5


def test_words_of_the_service_are_told_once(service: StandIn, cli: Cli) -> None:
    service.state.faults.append(Fault("POST", "/jobs", status=400, message="it's too wide"))
    ran = cli(*WORK)
    assert ran.err.count("it's too wide") == 1
    assert "{" not in ran.err
    assert "\\" not in ran.err
    (record,) = JobStore().scan()[0]
    ran = cli("cancel", record.tag)
    assert ran.code == 1
    assert "None" not in ran.err
    assert f"refused it (tag {record.tag})" in ran.err


@pytest.mark.parametrize("text", ["Job not found: d3k1352abc", "timeout, trace 9f1352ab"])
def test_figures_in_a_text_are_no_code(text: str) -> None:
    class IBMRuntimeError(Exception):
        status_code = 404

    assert not isinstance(translate(IBMRuntimeError(text), "asking"), errors.PlanForbidsError)
    coded = '400 Client Error. {"errors":[{"code":1352,"message":"no sessions"}]}'
    found = translate(IBMRuntimeError(coded), "asking")
    assert isinstance(found, errors.PlanForbidsError)
    assert "no sessions (code 1352)" in str(found)


class TestRecords:
    def example(self, **changes: object) -> JobRecord:
        usual: dict[str, object] = {
            "tag": new_tag(), "fingerprint": "f", "device": "ibm_manila", "shots": 1,
            "task": {"title": "x"}, "parts": (),
        }  # fmt: skip
        return JobRecord(**{**usual, **changes})  # type: ignore[arg-type]

    def test_the_copy_of_a_record_does_not_win_over_the_store(
        self, service: StandIn, cli: Cli, tmp_path: Path
    ) -> None:
        job = cli(*WORK, "--json").json["jobs"][0]["job_id"]
        copy = tmp_path / "copy.json"
        copy.write_bytes(JobStore().path(JobStore().find(job).tag).read_bytes())
        assert cli("result", job, "--wait").code == 0
        done = tmp_path / "done.json"
        done.write_bytes(JobStore().path(JobStore().find(job).tag).read_bytes())
        service.state.jobs.clear()  # the service has forgotten it
        ran = cli("result", str(copy), "--json")
        assert ran.code == 0, ran.err
        assert ran.json["answer"] == "RGBY"
        # and the other way round: what the copy knows is taken in
        JobStore().path(JobStore().find(job).tag).write_bytes(copy.read_bytes())
        assert cli("result", str(done), "--json").json["answer"] == "RGBY"
        assert JobStore().find(job).state == DONE

    def test_a_stale_copy_adds_its_notes_and_undoes_nothing(self, tmp_path: Path) -> None:
        store = JobStore(tmp_path)
        stale = store.save(self.example(state=SENT, job_id="d1"))
        store.save(stale, state=DONE, results=({"0": 1},), notes=("one",))
        kept = store.save(stale, notes=("two",), doubles=("d2",))
        assert store.find("d2") == kept
        assert (kept.state, kept.results) == (DONE, ({"0": 1},))
        assert (kept.notes, kept.doubles) == (("one", "two"), ("d2",))

    def test_records_of_one_second_are_in_order(self, tmp_path: Path) -> None:
        store = JobStore(tmp_path)
        saved = [store.save(self.example(fingerprint=str(i))) for i in range(20)]
        assert store.scan()[0] == saved

    def test_the_home_is_expanded_and_does_not_move(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("QMASTERMIND_HOME", "~/x")
        assert home() == tmp_path / "x"
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("QMASTERMIND_HOME", "y")
        store = JobStore()
        monkeypatch.chdir("/")
        assert store.folder == tmp_path / "y" / "ibm" / "jobs"

    def test_a_tag_is_found_whatever_else_is_there(self, tmp_path: Path) -> None:
        store = JobStore(tmp_path)
        record = store.save(self.example())
        (tmp_path / "damaged.json").write_bytes(b"\xff")
        assert store.find(record.tag) == record


def test_names_that_lead_to_no_job_are_misuse(cli: Cli, home: Path) -> None:
    store = JobStore()
    for tag in ("qmm-1a", "qmm-1b"):
        store.save(TestRecords().example(tag=tag))
    for name, words in (("d-unknown", "no job record"), ("qmm-1", "more than one")):
        for command in ("status", "result", "cancel"):
            ran = cli(command, name)
            assert ran.code == 2
            assert words in ran.err


def test_asking_in_threads_leaves_the_warnings_of_others_as_they_were() -> None:
    both = threading.Barrier(2)

    def ask(first: bool) -> None:
        with asking("something"):
            both.wait(10)
            if first:
                time.sleep(0.05)
        both.wait(10)

    before = list(warnings.filters)
    threads = [threading.Thread(target=ask, args=(first,)) for first in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert warnings.filters == before


def test_the_original_error_is_in_the_log_without_the_token(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("QISKIT_IBM_TOKEN", "very-secret-99")
    with (
        caplog.at_level(logging.DEBUG, "qmastermind_qiskit.ibm.asking"),
        pytest.raises(errors.IbmError) as caught,
        asking("something"),
    ):
        raise RuntimeError("odd, with very-secret-99 in it")
    assert "RuntimeError: odd" in caplog.text
    assert "very-secret" not in caplog.text + str(caught.value)
