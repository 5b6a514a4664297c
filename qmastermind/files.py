"""Files that are replaced as a whole, so that nobody ever finds a half-written one."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def replacing(path: Path, mode: str = "w", *, private: bool = False) -> Iterator[IO[Any]]:
    """Opens a file that takes the place of ``path`` once it is written whole.

    When the block is left, the new content is on disk under this name. If it is left by an
    exception, or the process dies, what was there before is still there. A link stays one: the
    file that it leads to is replaced.

    Devices, pipes and sockets cannot be replaced: a file in the place of ``/dev/null`` would break
    the machine. They are written to as they are.

    Args:
        path: In a folder that exists.
        mode: ``w`` for text in UTF-8, ``wb`` for bytes.
        private: Whether the file is for its owner alone.

    Raises:
        OSError: If it cannot be written.
    """
    encoding = None if "b" in mode else "utf-8"
    if _is_irreplaceable(path):
        with open(path, mode, encoding=encoding) as file:
            yield file
        return
    path = path.resolve()
    beside = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    permissions = 0o600 if private else 0o666  # less the umask, as for any new file
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, permissions)
        with open(handle, mode, encoding=encoding) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    _sync_folder(path.parent)


_BINARY = getattr(os, "O_BINARY", 0)  # else Windows changes line ends below Python


def _is_irreplaceable(path: Path) -> bool:
    """Whether there is something else than a regular file; a folder then fails to open."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def _sync_folder(folder: Path) -> None:
    """Has the renaming itself on disk, which Windows cannot wait for."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
