"""One process at a time sends: a lock that the system gives back when its holder dies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on this system: everything works, but nobody waits for another process
    fcntl = None  # type: ignore[assignment]


@contextmanager
def alone(path: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Holds a lock; waits for whoever holds it.

    Args:
        path: The lock's file; made if there is none, and left behind, as it means nothing itself.
        tell: Told once who is waited for, such as ``process 123``.

    Raises:
        OSError: If the file cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(handle, tell)
        yield
    finally:
        os.close(handle)  # which gives the lock back


def _lock(handle: int, tell: Callable[[str], None]) -> None:
    if fcntl is None:
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(_holder(handle))
            fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:  # a file system without locks
        return
    with suppress(OSError):  # the name is a courtesy
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)


def holder(path: Path) -> str | None:
    """Who holds the lock now, such as ``process 123``; None if nobody does."""
    if fcntl is None:
        return None
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _holder(handle)
    except OSError:
        return None
    finally:
        os.close(handle)
    return None


def _holder(handle: int) -> str:
    pid = os.pread(handle, 20, 0).decode(errors="replace")
    return f"process {pid}" if pid.isdecimal() else "another process"
