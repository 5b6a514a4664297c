"""A process that works on cells, so that one that hangs or dies takes nothing else with it.

``python -m qmastermind.compare.worker`` reads pickled cells from its standard input, each after its
length in 8 bytes, and answers with rows in the same way.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import selectors
import signal
import subprocess
import sys
import time
import warnings
from typing import IO, Any

from qmastermind.compare.cells import Cell, Row, blank_row, run_cell
from qmastermind.errors import QmastermindError

_LENGTH = 8


class Worker:
    """Runs cells in a process of its own, started when needed and again after it was lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def run(self, cell: Cell, timeout: float) -> Row:
        """The row of a cell; one that took too long or killed the process says so."""
        process = self._started()
        if self._ended:  # while it started
            process.kill()
        assert process.stdin is not None
        assert process.stdout is not None
        deadline = time.monotonic() + timeout
        try:
            _send(process.stdin, cell)
            row = _receive_before(process.stdout, deadline)
        except TimeoutError:
            self.close()
            return blank_row(cell, status="timed out", detail=f"no result within {timeout:g} s")
        except (EOFError, OSError, ValueError):  # gone, or closed by us
            code = process.wait()
            self.close()
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return blank_row(cell, status="died", detail=f"the compiler's process ended ({how})")
        assert isinstance(row, Row)
        return row

    def kill(self) -> None:
        """Ends the process; a cell that is being worked on becomes a row that says so."""
        self._ended = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Ends the process and frees its pipes; not while :meth:`run` is under way."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # what was not sent yet
                    pipe.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            # A new session: Ctrl-C in the terminal ends the parent, which ends the workers.
            self._process = subprocess.Popen(
                [sys.executable, "-m", "qmastermind.compare.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._process


def _send(stream: IO[bytes], value: Any) -> None:
    data = pickle.dumps(value)
    stream.write(len(data).to_bytes(_LENGTH, "big") + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    header = stream.read(_LENGTH)
    if len(header) < _LENGTH:
        raise EOFError
    data = stream.read(int.from_bytes(header, "big"))
    return pickle.loads(data)  # from our own process


def _receive_before(stream: IO[bytes], deadline: float) -> Any:
    buffer = io.BytesIO()
    wanted = _LENGTH
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while buffer.tell() < wanted:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise TimeoutError
            chunk = os.read(stream.fileno(), wanted - buffer.tell())
            if not chunk:
                raise EOFError
            buffer.write(chunk)
            if wanted == _LENGTH and buffer.tell() == _LENGTH:
                wanted += int.from_bytes(buffer.getvalue(), "big")
    return pickle.loads(buffer.getvalue()[_LENGTH:])


def attempt(cell: Cell) -> Row:
    """The row of a cell, whatever happens short of the end of the process."""
    try:
        return run_cell(cell)
    except QmastermindError as error:
        return blank_row(cell, status="failed", detail=str(error))
    except MemoryError:
        return blank_row(cell, status="failed", detail="out of memory")
    except Exception as error:  # a framework's: one row fails, the others go on
        return blank_row(cell, status="failed", detail=f"{type(error).__name__}: {error}")


def main() -> None:
    """Serves cells until the input ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a framework prints must not come between the answers
    warnings.simplefilter("ignore")
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            _send(answers, attempt(_receive(requests)))


if __name__ == "__main__":
    main()
