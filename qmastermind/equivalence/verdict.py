"""What a comparison found."""

from __future__ import annotations

from dataclasses import dataclass

TOLERANCE = 1e-6
"""Largest distance (2-norm of a normalised state) between results that count as equal."""


@dataclass(frozen=True)
class Verdict:
    """What a comparison found.

    Attributes:
        equal: True, False, or None if it could not be decided.
        method: ``unitary``, ``states`` or ``qcec``; ``identical`` if the operations are the same
            ones, ``interface`` if qubits or bits do not match, ``none`` if no method applied.
        detail: The evidence in words.
        distance: The largest 2-norm distance between results, where both were simulated.
    """

    equal: bool | None
    method: str
    detail: str
    distance: float | None = None

    def __str__(self) -> str:
        word = {True: "equivalent", False: "not equivalent", None: "not decided"}[self.equal]
        return f"{word} ({self.method}): {self.detail}"
