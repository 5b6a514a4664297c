"""Faults that a test orders beforehand."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass
class Fault:
    """Spoils the next requests that match.

    Attributes:
        method: HTTP method.
        path: Regular expression that the whole path must match, without the API prefix.
        status: HTTP status to answer with; 0 cuts the connection without an answer.
        code: IBM's error code in the body.
        message: Text in the body.
        times: How many requests are spoilt.
        when: ``before`` the request is served, or ``after`` it took effect, so that only the
            answer is lost.
        body: Sent as it is with status 200, for malformed answers.
        action: Called when it strikes.
    """

    method: str
    path: str
    status: int = 500
    code: int = 1000
    message: str = "ordered by the test"
    times: int = 1
    when: Literal["before", "after"] = "before"
    body: bytes | None = None
    action: Callable[[], None] | None = None

    def matches(self, method: str, path: str) -> bool:
        """Whether the request is to be spoilt."""
        return (
            self.times > 0 and method == self.method and re.fullmatch(self.path, path) is not None
        )
