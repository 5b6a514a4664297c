"""Job records: what must survive a crash, a reboot and the way to another machine.

A record is one JSON file, named by a tag that was chosen before anything was sent. It is written
before the circuits are sent, so that a job can be found by its tag whatever happens in between,
and it holds all that is needed to decode the result: bit order, ancillas, layout, the oracle.
Files are replaced as a whole and never written in place.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from qmastermind.errors import MissingDependencyError
from qmastermind.files import replacing
from qmastermind_qiskit.ibm.errors import RecordError, UnknownJobError
from qmastermind_qiskit.ibm.locking import alone, holder
from qmastermind_qiskit.ibm.record_check import LISTS, check, no_number

SCHEMA = 1

SENDING, SENT = "sending", "sent"
DONE, FAILED, CANCELLED, REFUSED = "done", "failed", "cancelled", "refused"
FINAL = frozenset({DONE, FAILED, CANCELLED, REFUSED})
_STATES = FINAL | {SENDING, SENT}


@dataclass(frozen=True)
class JobRecord:
    """One job.

    Attributes:
        tag: Unique; chosen before sending, and given to the service as a job tag.
        fingerprint: Hash of device, shots, options and circuits: equal for the same work.
        request: Hash of what was asked for, before a device or a number of iterations was chosen
            or a secret drawn; empty if circuits were given.
        device: Name of the device.
        shots: Shots that were asked for, of each part.
        task: What the job is about and how its counts are decoded.
        parts: For each circuit its name, hash, bit order, ancillas, layout and forecast.
        state: ``sending`` (may or may not have arrived), ``sent``, ``done``, ``failed``,
            ``cancelled``, or ``refused`` (by the service; no job exists).
        job_id: The service's id, once known.
        instance: The service instance that the job belongs to; empty for local runs.
        mode: ``job`` or ``batch``.
        batch_id: The service's id of the batch.
        options: Options of the run.
        versions: Of the packages that made it.
        attempts: How often it was sent; more than once if an earlier attempt seemed lost.
        reason: Why it failed.
        results: Counts of each part, bit 0 leftmost, once fetched.
        seconds: Charged seconds, once known.
        notes: What the user was told.
        doubles: Ids of other jobs of the service with the same tag.
        created: UTC, ISO 8601.
        updated: UTC, ISO 8601.
        schema: Version of this format.
    """

    tag: str
    fingerprint: str
    device: str
    shots: int
    task: Mapping[str, Any]
    parts: tuple[Mapping[str, Any], ...]
    request: str = ""
    state: str = SENDING
    job_id: str | None = None
    instance: str = ""
    mode: str = "job"
    batch_id: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    attempts: int = 1
    reason: str = ""
    results: tuple[Mapping[str, int], ...] | None = None
    seconds: float | None = None
    notes: tuple[str, ...] = ()
    doubles: tuple[str, ...] = ()
    created: str = ""
    updated: str = ""
    schema: int = SCHEMA

    def to_json(self) -> str:
        """The record as text."""
        return json.dumps(asdict(self), indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> JobRecord:
        """Reads a record.

        Raises:
            RecordError: If the text is none, or of a later version of this format.
        """
        try:
            data = json.loads(text, parse_constant=no_number)
            if data["schema"] > SCHEMA:
                raise RecordError(
                    f"the record has format {data['schema']}, this version knows {SCHEMA}",
                    "Update qmastermind.",
                )
            known = {f.name for f in fields(cls)}
            data = {k: v for k, v in data.items() if k in known}
            check(data, _STATES)
            for name in LISTS & data.keys():
                data[name] = None if data[name] is None else tuple(data[name])
            return cls(**data)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise RecordError(f"not a job record: {error}", "") from None


def new_tag() -> str:
    """A tag that nobody else has."""
    return f"qmm-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"


def home() -> Path:
    """Where records live: ``$QMASTERMIND_HOME``, else the user's data folder."""
    chosen = os.environ.get("QMASTERMIND_HOME")
    if chosen:
        return Path(chosen).expanduser().absolute()
    try:
        from platformdirs import user_data_path
    except ImportError:
        raise MissingDependencyError("the folder of job records", "platformdirs", "ibm") from None
    return user_data_path("qmastermind", appauthor=False)


class JobStore:
    """The records in a folder.

    Args:
        folder: Default: ``ibm/jobs`` under :func:`home`.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or home() / "ibm" / "jobs"

    def path(self, tag: str) -> Path:
        """The file of a tag."""
        return self.folder / f"{tag}.json"

    @contextmanager
    def alone(self, notify: Callable[[str], None]) -> Iterator[None]:
        """Keeps other processes from sending jobs of this folder; waits for one that does.

        Raises:
            RecordError: If the folder cannot be written.
        """
        with ExitStack() as stack:
            try:
                stack.enter_context(
                    alone(self._lock, lambda who: notify(f"{who} is sending jobs; waiting for it"))
                )
            except OSError as error:
                raise _unwritable(self._lock, error) from None
            yield

    def sender(self) -> str | None:
        """Who is sending jobs of this folder at this moment, such as ``process 123``."""
        return holder(self._lock)

    @property
    def _lock(self) -> Path:
        return self.folder / "sending.lock"

    def save(self, record: JobRecord, **changes: Any) -> JobRecord:
        """Writes a record with ``changes`` and returns it as written.

        After this returns the record is on disk; if it does not return, the old record is. What
        has ended stays ended: a copy of before adds no more than its notes to a final record.

        Raises:
            RecordError: If the folder cannot be written.
        """
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        path = self.path(record.tag)
        record = replace(record, **changes)
        if record.state not in FINAL:
            record = self._beside(record)
        record = replace(record, created=record.created or now, updated=now)
        try:
            write_atomically(path, record.to_json())
        except OSError as error:
            if record.job_id is None:
                raise _unwritable(path, error) from None
            raise RecordError(
                f"job {record.job_id} is with the service (tag {record.tag}, {record.device}), but "
                f"its record {path} cannot be written: {error.strerror}",
                "Sending it again would make a second job. Make room, then: "
                f"qmastermind ibm status {record.tag}",
            ) from None
        return record

    def _beside(self, record: JobRecord) -> JobRecord:
        """The record, or the final one that has been written meanwhile, with what both tell."""
        try:
            kept = self.load(self.path(record.tag))
        except RecordError:
            return record
        if kept.state not in FINAL:
            return record
        return replace(
            kept,
            notes=tuple(dict.fromkeys((*kept.notes, *record.notes))),
            doubles=tuple(dict.fromkeys((*kept.doubles, *record.doubles))),
        )

    def load(self, path: Path) -> JobRecord:
        """Reads one file.

        Raises:
            RecordError: If it cannot be read.
        """
        try:
            return JobRecord.from_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise RecordError(f"cannot read {path}: {error.strerror}", "") from None
        except (ValueError, RecordError) as error:
            raise RecordError(f"{path}: {error}", "") from None

    def scan(self) -> tuple[list[JobRecord], list[str]]:
        """All records, oldest first, and what is wrong with files that are none."""
        records, problems = [], []
        for path in sorted(self.folder.glob("*.json")) if self.folder.is_dir() else ():
            try:
                records.append(self.load(path))
            except RecordError as error:
                problems.append(str(error))
        return sorted(records, key=lambda r: (r.created, r.tag)), problems

    def find(self, name: str) -> JobRecord:
        """The record of a tag, a job id, an unambiguous beginning of either, or a file.

        The id of a double leads to the record of its job. A file of another folder is taken into
        this one, so that later changes have a place, unless this one knows more.

        Raises:
            UnknownJobError: If there is none, or more than one.
            RecordError: If the file cannot be read.
        """
        if name.endswith(".json") and Path(name).is_file():
            return self._take_in(self.load(Path(name)))
        if name and Path(name).name == name and self.path(name).is_file():
            return self.load(self.path(name))
        records, problems = self.scan()
        exact = [r for r in records if name == r.job_id or name in r.doubles]
        found = exact or [
            r for r in records if name and (r.tag.startswith(name) or _id(r).startswith(name))
        ]
        if len(found) == 1:
            return found[0]
        if found:
            tags = ", ".join(r.tag for r in found)
            raise UnknownJobError(f"{name!r} fits more than one job record: {tags}")
        unread = f"; some cannot be read: {'; '.join(problems)}" if problems else ""
        raise UnknownJobError(f"there is no job record {name!r}{unread}")

    def _take_in(self, record: JobRecord) -> JobRecord:
        try:
            kept = self.load(self.path(record.tag))
        except RecordError:
            return self.save(record)
        return kept if _knowledge(kept) >= _knowledge(record) else self.save(record)


def _unwritable(path: Path, error: OSError) -> RecordError:
    return RecordError(
        f"cannot write the job record {path}: {error.strerror}",
        "Nothing was sent now. Set QMASTERMIND_HOME to a folder that can be written.",
    )


def _knowledge(record: JobRecord) -> int:
    """How much is known of a job: that it ended, that it exists, or nothing."""
    return 2 if record.state in FINAL else 1 if record.job_id else 0


def _id(record: JobRecord) -> str:
    return record.job_id or ""


def write_atomically(path: Path, text: str) -> None:
    """Replaces a file as a whole, for its owner alone, and has it on disk when it returns."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with replacing(path, private=True) as file:
        file.write(text)
