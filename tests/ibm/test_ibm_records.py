"""Job records: written as a whole or not at all, found under every name."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("platformdirs")

from hypothesis import given
from hypothesis import strategies as st

from qmastermind_qiskit.ibm.errors import JobNotFoundError, RecordError
from qmastermind_qiskit.ibm.records import JobRecord, JobStore, new_tag, write_atomically


def example(**changes: object) -> JobRecord:
    record = JobRecord(
        tag="qmm-20251130-101500-0a1b2c3d",
        fingerprint="f" * 64,
        device="ibm_manila",
        shots=1000,
        task={"kind": "circuit", "title": "nothing"},
        parts=({"name": "one", "right": ["0"]},),
    )
    return replace(record, **changes)  # type: ignore[arg-type]


texts = st.text(max_size=20)


@given(
    texts,
    st.none() | texts,
    st.dictionaries(texts, st.integers() | texts | st.none(), max_size=3),
    st.none() | st.lists(st.dictionaries(texts, st.integers(0, 9), max_size=3), max_size=3),
    st.none() | st.floats(0, 1e6),
)
def test_a_record_survives_the_way_to_text_and_back(
    reason: str,
    job_id: str | None,
    options: dict[str, object],
    results: list[dict[str, int]] | None,
    seconds: float | None,
) -> None:
    record = example(
        reason=reason,
        job_id=job_id,
        options=options,
        results=None if results is None else tuple(results),
        seconds=seconds,
        notes=(reason,),
    )
    assert JobRecord.from_json(record.to_json()) == record


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "null", "{}", '{"schema": 1}', '{"schema": "x"}']
)
def test_what_is_no_record_is_said_to_be_none(text: str) -> None:
    with pytest.raises(RecordError, match="not a job record"):
        JobRecord.from_json(text)


def test_a_record_of_a_later_version_is_refused() -> None:
    later = json.loads(example().to_json()) | {"schema": 2}
    with pytest.raises(RecordError, match="Update qmastermind"):
        JobRecord.from_json(json.dumps(later))


def test_fields_of_a_later_minor_version_are_passed_over() -> None:
    more = json.loads(example().to_json()) | {"weather": "fine"}
    assert JobRecord.from_json(json.dumps(more)) == example()


def test_records_are_for_their_owner_alone(tmp_path: Path) -> None:
    store = JobStore(tmp_path / "a" / "b")
    record = store.save(example())
    path = store.path(record.tag)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert record.created == record.updated != ""


def test_tags_differ_and_are_file_names() -> None:
    tags = {new_tag() for _ in range(1000)}
    assert len(tags) == 1000
    assert all(Path(tag).name == tag for tag in tags)


def test_a_failed_write_leaves_the_old_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = JobStore(tmp_path)
    record = store.save(example())

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RecordError, match="No space left on device"):
        store.save(record, state="sent", job_id="j1")
    assert store.find(record.tag).state == "sending"
    assert store.scan()[1] == []  # what the failed write left behind is no record


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RecordError, match="QMASTERMIND_HOME"):
        JobStore(tmp_path / "file" / "jobs").save(example())


def test_find_by_tag_id_beginning_and_file(tmp_path: Path) -> None:
    store = JobStore(tmp_path / "jobs")
    one = store.save(example(job_id="d1234", state="sent"))
    two = store.save(example(tag="qmm-20251201-000000-ffffffff", job_id="d1299", state="sent"))
    for name in (one.tag, "d1234", "d123", "qmm-20251130"):
        assert store.find(name) == one
    assert store.find(str(store.path(two.tag))) == two
    for name, message in (("d12", "more than one"), ("nothing", "no job record"), ("", "no job")):
        with pytest.raises(JobNotFoundError, match=message):
            store.find(name)


def test_a_broken_file_hides_no_other(tmp_path: Path) -> None:
    store = JobStore(tmp_path)
    record = store.save(example())
    (tmp_path / "notes.json").write_text("{half")
    records, problems = store.scan()
    assert records == [record]
    assert len(problems) == 1
    assert "notes.json" in problems[0]
    assert store.find(record.tag) == record


def test_the_folder_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QMASTERMIND_HOME", str(tmp_path))
    assert JobStore().folder == tmp_path / "ibm" / "jobs"
    monkeypatch.delenv("QMASTERMIND_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    assert "qmastermind" in JobStore().folder.parts


def test_readers_never_see_half_a_file(tmp_path: Path) -> None:
    import threading

    path = tmp_path / "record.json"
    words = ["a" * 20_000, "b" * 30_000]
    write_atomically(path, words[0])
    stop = threading.Event()

    def write() -> None:
        for i in range(200):
            write_atomically(path, words[i % 2])
        stop.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not stop.is_set():
        seen.add(path.read_text())
    writer.join()
    assert seen <= set(words)
