"""Checkpoints: what an interrupted search has proved, in a file.

A checkpoint is an ``.npz`` archive with the state of an engine and a text that says what it is of.
It is written beside the old one and then put in its place, so that there is a whole one always.
"""

from __future__ import annotations

import contextlib
import json
import time
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from qmastermind.files import replacing
from qmastermind_classical.exact.engine import Engine
from qmastermind_classical.exact.errors import FileFormatError

FORMAT = "qmastermind-checkpoint"
VERSION = 1
_SHARE = 0.05  # of the time, at most, goes into writing


def save_checkpoint(engine: Engine, path: Path) -> None:
    """Writes what an engine has proved."""
    with replacing(path, "wb") as file:
        state: dict[str, Any] = engine.state()
        np.savez(file, description=np.array(json.dumps(_description(engine))), **state)


def load_checkpoint(engine: Engine, path: Path) -> None:
    """Gives an engine what is in a checkpoint.

    Raises:
        FileFormatError: If there is none, it is damaged or of another version, or it is of
            another game or method.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            state = {name: archive[name] for name in archive.files}
        found = json.loads(str(state.pop("description")))
    except FileNotFoundError:
        raise FileFormatError(f"there is no checkpoint {path}; start without --resume") from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise FileFormatError(
            f"{path} is not a checkpoint, or damaged ({error}); start without --resume"
        ) from error
    wanted = _description(engine)
    if found != wanted:
        different = [name for name in wanted if found.get(name) != wanted[name]]
        raise FileFormatError(
            f"{path} is a checkpoint of something else: "
            + "; ".join(f"{n} is {found.get(n)}, not {wanted[n]}" for n in different)
        )
    try:
        engine.restore(state)
    except (KeyError, ValueError, IndexError) as error:
        raise FileFormatError(f"{path} is damaged ({error}); start without --resume") from error


def _description(engine: Engine) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": engine.rules.as_dict(),
        "codes": len(engine.codes),
        "consistent": engine.consistent,
        "method": asdict(engine.method),
    }


class Keeper:
    """Writes a checkpoint now and then.

    Args:
        engine: The engine to save.
        path: Where, or None for nowhere.
        every: Seconds between two checkpoints, at least; more if writing takes long.
    """

    def __init__(self, engine: Engine, path: Path | None, every: float) -> None:
        self.engine = engine
        self.path = path
        self._every = every
        self._next = time.monotonic() + every

    def now_and_then(self) -> None:
        """Saves if it is time. If that fails, the search goes on without."""
        if time.monotonic() >= self._next:
            with contextlib.suppress(OSError):
                self.save()

    def save(self) -> None:
        """Saves.

        Raises:
            OSError: If the file cannot be written.
        """
        if self.path is None:
            return
        self._next = time.monotonic() + self._every
        started = time.monotonic()
        save_checkpoint(self.engine, self.path)
        ended = time.monotonic()
        self._next = ended + max(self._every, (ended - started) / _SHARE)

    def done(self) -> None:
        """Removes the checkpoint: there is nothing left to resume."""
        if self.path is not None and self.path.is_file():  # never a device
            self.path.unlink(missing_ok=True)
