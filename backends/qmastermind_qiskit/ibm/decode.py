"""From counts to an answer, with nothing but the job record, and a classical check of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from qmastermind.errors import UsageError
from qmastermind.game import Code, Codemaker, Rules
from qmastermind.results import Counts
from qmastermind_qiskit.ibm.errors import RecordError
from qmastermind_qiskit.ibm.records import JobRecord
from qmastermind_qiskit.ibm.tasks import decide


@dataclass(frozen=True)
class PartOutcome:
    """What came of one circuit.

    Attributes:
        name: Of the part.
        decided: Each group's most frequent value, in bit order.
        agreement: For each group, the share of shots that gave this value.
        success: Share of the shots with a right bitstring; None where none is known.
        forecast: The same as it was forecast.
        shots: Shots that were returned; a device may round up what was asked.
        top: The most frequent bitstrings.
    """

    name: str
    decided: str
    agreement: tuple[float, ...]
    success: float | None
    forecast: float
    shots: int
    top: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Outcome:
    """What came of a job.

    Attributes:
        answer: A code or a bitstring; empty if the counts fit none.
        verified: Whether the answer passed its classical check; None where there is none.
        parts: One for each circuit.
        problem: Why there is no answer.
    """

    answer: str
    verified: bool | None
    parts: tuple[PartOutcome, ...]
    problem: str = ""

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)


def decode(record: JobRecord) -> Outcome:
    """Decodes a job that is done.

    Raises:
        RecordError: If the record has no results, or they do not fit its parts.
    """
    if record.results is None or len(record.results) != len(record.parts):
        raise RecordError(f"the record {record.tag} has no results for its parts", "")
    try:
        return _decode(record)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(
            f"the record {record.tag} cannot be decoded: {type(error).__name__}: {error}",
            "Its file was changed or damaged; a copy of before can be given by its path.",
        ) from None


def _decode(record: JobRecord) -> Outcome:
    assert record.results is not None
    parts = tuple(
        _part(part, Counts(counts))
        for part, counts in zip(record.parts, record.results, strict=True)
    )
    decided = [part.decided for part in parts]
    task = record.task
    try:
        match task["kind"]:
            case "deutsch":
                from qmastermind.algorithms.deutsch import decode_memberships

                pairs = [(first, second) for first, second in task["pairs"]]
                pegs = decode_memberships(pairs, decided)
                return _check_code(Rules(**task["rules"]).code(pegs), task, parts)
            case "adaptive":
                from qmastermind.encoding import Encoding
                from qmastermind.solvers.adaptive import majority_code

                encoding = Encoding(Rules(**task["rules"]), peg_bits=task["peg_bits"])
                code = majority_code(Counts(record.results[0]), encoding)
                if code is None:
                    return Outcome("", False, parts, "a peg was never measured as a colour")
                return _check_code(code, task, parts)
            case "grover":
                from qmastermind.encoding import Encoding

                encoding = Encoding(Rules(**task["rules"]))
                code = encoding.decode(decided[0])
                if code is None:
                    return Outcome("", False, parts, f"{decided[0]} is no code of these rules")
                return _check_code(code, task, parts)
            case "search":
                return Outcome(decided[0], decided[0] in task["marked"], parts)
            case "circuit":
                return Outcome(decided[0], None, parts)
    except UsageError as error:  # noise gave answers that fit no code
        return Outcome("", False, parts, str(error))
    raise RecordError(f"the record {record.tag} is of an unknown kind {task['kind']!r}", "")


def _check_code(code: Code, task: Mapping[str, Any], parts: tuple[PartOutcome, ...]) -> Outcome:
    rules = Rules(**task["rules"])
    codemaker = Codemaker(rules.code(task["secret"]), rules)
    return Outcome(str(code), codemaker.answer(code).black == rules.positions, parts)


def _part(part: Mapping[str, Any], counts: Counts) -> PartOutcome:
    width = len(part["bits"])
    if not counts.shots or any(len(x) != width or set(x) - {"0", "1"} for x in counts):
        raise ValueError(f"the counts of {part['name']} are not of {width} bits")
    groups = tuple(tuple(group) for group in part["groups"])
    right, shots = set(part["right"]), counts.shots
    return PartOutcome(
        name=part["name"],
        decided=decide(counts, groups),
        agreement=tuple(counts.marginal(g).most_common(1)[0][1] / shots for g in groups),
        success=sum(n for x, n in counts.items() if x in right) / shots if right else None,
        forecast=part["forecast"]["success"],
        shots=shots,
        top=tuple(counts.most_common(8)),
    )
