"""A process that works on cells, so that one that hangs or dies takes nothing else with it.

``python -m qmastermind.comparison.worker PARENT``, with the process id of who starts it, reads
pickled cells from its standard input, each after its length in 8 bytes, and answers in the same
way: with nothing when the compiler is ready, with a row as soon as it is counted, and with the row
again when its proof is done.
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
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.comparison.cells import Cell, Row, blank_row, compile_cell, run_cell
from qmastermind.errors import QmastermindError

_LENGTH = 8
_READY_SECONDS = 60.0
"""What a process may take to import a framework, if that is more than it may take to compile."""
_WATCH_SECONDS = 1.0


class Worker:
    """Runs cells in a process of its own, started when needed and again after it was lost."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def run(self, cell: Cell, timeout: float) -> Row:
        """The row of a cell; one that took too long or killed the process says so.

        Args:
            cell: What to run.
            timeout: Seconds that compiling may take, and again the proof of equivalence. What was
                compiled and not proved in time keeps its figures.
        """
        process = self._started()
        if self._ended:  # while it started
            process.kill()
        assert process.stdin is not None
        assert process.stdout is not None
        row: Row | None = None
        try:
            _send(process.stdin, cell)
            _receive_before(process.stdout, time.monotonic() + max(timeout, _READY_SECONDS))
            row, final = _receive_before(process.stdout, time.monotonic() + timeout)
            if not final:
                row, _ = _receive_before(process.stdout, time.monotonic() + timeout)
        except TimeoutError:
            self.close()
            if row is not None:
                return replace(row, detail=f"no proof within {timeout:g} s")
            return blank_row(cell, status="timed out", detail=f"no result within {timeout:g} s")
        except (EOFError, OSError, ValueError):  # gone, or closed by us
            how = _ending(process.wait())
            self.close()
            if row is not None:
                return replace(row, detail=f"no proof: its process ended ({how})")
            return blank_row(cell, status="died", detail=f"the compiler's process ended ({how})")
        assert row is not None
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
                [sys.executable, "-m", "qmastermind.comparison.worker", str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        return self._process


def _ending(code: int) -> str:
    if code == -signal.SIGKILL:
        return "SIGKILL, as the system sends it when memory runs out"
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


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


def _receive_before(stream: IO[bytes], deadline: float) -> tuple[Row | None, bool]:
    """A row, or None if there is none yet, and whether it is the last word on its cell."""
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
    row, final = pickle.loads(buffer.getvalue()[_LENGTH:])
    return row, final


def attempt(cell: Cell, counted: Callable[[Row], None] | None = None) -> Row:
    """The row of a cell, whatever happens short of the end of the process."""
    try:
        return run_cell(cell, counted)
    except QmastermindError as error:
        return blank_row(cell, status="failed", detail=str(error))
    except MemoryError:
        return blank_row(cell, status="failed", detail="out of memory")
    except Exception as error:  # a framework's: one row fails, the others go on
        return blank_row(cell, status="failed", detail=f"{type(error).__name__}: {error}")


def warm_up(cell: Cell) -> None:
    """Compiles something small with the cell's compiler, which may import and prepare a lot.

    The first of a process's compilations would else be timed with what it is not to blame for.
    """
    b = CircuitBuilder(Register("q", 4))
    b.h(3)
    b.z(3, [0, 1, 2])
    with contextlib.suppress(Exception):  # the cell itself will say what is wrong
        compile_cell(replace(cell, circuit=b.build(), ancillas=0), cell.seeds[0])


def _end_with(parent: int) -> None:
    """Ends this process once its parent is gone, which may be while a framework compiles."""
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    os._exit(1)


def main() -> None:
    """Serves cells until the input ends."""
    if os.name == "posix":  # elsewhere a process may stand between the two
        threading.Thread(target=_end_with, args=(int(sys.argv[1]),), daemon=True).start()
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a framework prints must not come between the answers
    warnings.simplefilter("ignore")
    with contextlib.suppress(OSError):  # if memory runs out, this process is to go, not its parent
        Path("/proc/self/oom_score_adj").write_text("500")
    warm: set[str] = set()
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            cell = _receive(requests)
            if cell.backend not in warm:
                warm_up(cell)
                warm.add(cell.backend)
            _send(answers, (None, False))
            row = attempt(cell, lambda row: _send(answers, (row, False)))
            _send(answers, (row, True))


if __name__ == "__main__":
    main()
