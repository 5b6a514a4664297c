"""Runs ``qmastermind`` commands in processes that are killed at a chosen step: see ``main``.

Every command is the real one with IBM's client as it is, in a process of its own, forked from one
that has everything imported but has used nothing yet. A step is a line of the functions that write
records, send and fetch, and the same line again when it is executed for the second time; the
process dies (SIGKILL) right before a step.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from importlib import import_module
from types import FrameType
from typing import Any

FUNCTIONS = {
    "qmastermind.files": ("replacing", "_sync_folder"),
    "qmastermind_qiskit.ibm.records": ("JobStore.save", "write_atomically"),
    "qmastermind_qiskit.ibm.submit": ("submit_all", "settle"),
    "qmastermind_qiskit.ibm.attempt": (
        "Attempt.unless_there_is_one", "Attempt._after", "Attempt._send", "Attempt._look_for"),
    "qmastermind_qiskit.ibm.recovery": ("recover", "note_doubles", "_tell_doubles"),
    "qmastermind_qiskit.ibm.jobs": ("look", "result", "_patiently"),
    "qmastermind_qiskit.ibm.account": (
        "IbmClient.send", "IbmClient.find",
        "AccountJob.progress", "AccountJob.counts", "AccountJob.seconds"),
}  # fmt: skip
"""Whose lines are steps, by module."""

IMPORTS = (
    "qmastermind.algorithms.deutsch",
    "qmastermind.simulator",
    "qmastermind_qiskit.ibm.cli",
    "qmastermind_qiskit.ibm.decode",
    "qmastermind_qiskit.ibm.requests",
    "qmastermind_qiskit.exporter",
    "qiskit.transpiler.preset_passmanagers",
    "qiskit.transpiler.passes",
    "qiskit_ibm_runtime.executor_sampler",
)


def run(arguments: list[str], environment: dict[str, str], at: int | None, folder: str) -> None:
    """The life of one process; says in the file ``steps`` which steps it took.

    Args:
        arguments: Of the command.
        environment: Added to this one.
        at: Step to die at, counted from 1; 0 for none, None to count none either.
        folder: For what it prints, and ``steps``.
    """
    from qmastermind.cli.app import main

    watched = {str(import_module(name).__file__): names for name, names in FUNCTIONS.items()}
    times: Counter[tuple[str, int]] = Counter()
    steps: list[tuple[str, int]] = []

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if code.co_qualname not in watched.get(code.co_filename, ()):
            return None
        line = (code.co_qualname, frame.f_lineno)
        if event == "line" and times[line] < 2:
            times[line] += 1
            steps.append(line)
            if len(steps) == at:
                os.kill(os.getpid(), signal.SIGKILL)
        return step

    os.environ.update(environment)
    for number, name in ((1, "out"), (2, "err")):
        handle = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, number)
    try:
        if at is not None:  # it makes everything slow
            sys.settrace(step)
        main(arguments)
    except SystemExit as ended:
        sys.settrace(None)
        sys.stdout.flush()
        sys.stderr.flush()
        with open(f"{folder}/steps", "w", encoding="utf-8") as file:
            json.dump(steps, file)
        code = ended.code
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)
    os._exit(99)


def main() -> None:
    """Reads orders, one JSON object a line, and tells the pid and then how the process ended."""
    for name in (*FUNCTIONS, *IMPORTS):
        import_module(name)
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            run(order["arguments"], order["environment"], order["at"], order["folder"])
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
