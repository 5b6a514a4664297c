"""Whether the request that makes a job left this process, and how it was answered.

An error does not tell by itself whether a job exists: the client asks for the usage and the status
before it sends, and may ask more after the answer. What counts is where it came from, and that
is seen on the client's HTTP sessions, where the request with the job's own tag goes by.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass
class Post:
    """One request that makes a job.

    Attributes:
        left: Whether it left, as far as is known.
        status: HTTP status of the answer, once there is one.
        repeated: Whether the client repeated it by itself before that answer.
    """

    left: bool = False
    status: int | None = None
    repeated: bool = False

    @property
    def made_nothing(self) -> bool:
        """Whether it is certain that no job exists: nothing left, or the service said no."""
        # 408 says that the service gave up on a request that it may have begun to serve
        said_no = self.status is not None and 400 <= self.status < 500 and self.status != 408
        return not self.left or (said_no and not self.repeated)


@contextmanager
def watching(service: Any, tag: str) -> Iterator[Post]:
    """Watches the sessions of IBM's service object for the request with a tag.

    One at a time: the sessions belong to the service object. A version of the client
    that has its sessions elsewhere is taken to have sent whatever it was given.
    """
    sessions = _sessions(service)
    post = Post(left=not sessions)
    for session in sessions:
        session.send = _seen(session.send, tag, post)
    try:
        yield post
    finally:
        for session in sessions:
            del session.send  # the method of its class is back


def _seen(send: Any, tag: str, post: Post) -> Any:
    def seen(request: Any, **options: Any) -> Any:
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        ours = request.method == "POST" and tag.encode() in body
        if ours:
            post.left, post.status = True, None
        answer = send(request, **options)
        if ours:
            post.status = int(answer.status_code)
            retries = getattr(answer.raw, "retries", None)
            post.repeated = bool(getattr(retries, "history", ()))
        return answer

    return seen


def _sessions(service: Any) -> list[Any]:
    clients = list(getattr(service, "_api_clients", {}).values())
    clients.append(getattr(service, "_active_api_client", None))
    found = {id(s): s for c in clients if (s := getattr(c, "_session", None)) is not None}
    return [s for s in found.values() if callable(getattr(s, "send", None))]
