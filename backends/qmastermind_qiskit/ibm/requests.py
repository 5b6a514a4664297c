"""What the command line asks for, as tasks and plans."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qmastermind.errors import UnknownNameError, UsageError
from qmastermind.game import Code, Rules
from qmastermind_qiskit.ibm import tasks
from qmastermind_qiskit.ibm.plan import (
    Compilation,
    Plan,
    make_plan,
    neutral_hash,
    plan_iterations,
)

if TYPE_CHECKING:
    from qmastermind.algorithms.deutsch import Pairs
    from qmastermind.encoding import Space
    from qmastermind_qiskit.ibm.client import RunOptions
    from qmastermind_qiskit.ibm.device import Device
    from qmastermind_qiskit.ibm.tasks import Task

BUILDERS = ("deutsch", "adaptive", "grover")
AUTO = "auto"


@dataclass(frozen=True)
class Request:
    """Circuits to be planned.

    Attributes:
        circuit: One of :data:`BUILDERS`, or the path of a file in OpenQASM.
        secrets: Codes as text, or ``random``; one job each. Default: one random code.
        marked: For ``grover``: bitstrings with commas between them, in place of a secret.
        iterations: For ``grover``: a number, or ``auto`` for the one with the best forecast.
        space: For ``grover`` with a secret: ``valid`` or ``all``.
        pairs: For ``deutsch``: which pairs are asked about.
        rules: Of the game.
        fence: Whether the oracle stands between barriers.
        seed: Of random secrets.
        device: Name of the device, or ``least busy``.
    """

    circuit: str
    secrets: Sequence[str] | None
    marked: str | None
    iterations: str
    space: Space
    pairs: Pairs
    rules: Rules
    fence: bool = True
    seed: int | None = None
    device: str = ""

    def __post_init__(self) -> None:
        if self.circuit not in BUILDERS and not _is_file(self.circuit):
            raise UnknownNameError("circuit or file", self.circuit, BUILDERS)
        if self.marked is not None and (self.circuit != "grover" or self.secrets):
            raise UsageError("--marked goes with --circuit grover and without --secret")
        if self.iterations != AUTO and not self.iterations.isdecimal():
            raise UsageError(f"--iterations takes a number or auto, not {self.iterations!r}")

    @cached_property
    def codes(self) -> list[Code]:
        """The secrets; random ones are drawn once."""
        rng = np.random.default_rng(self.seed)
        return [
            self.rules.random_code(rng) if text.lower() == "random" else self.rules.code(text)
            for text in self.secrets or ["random"]
        ]

    @property
    def num_qubits(self) -> int:
        """Qubits that a device must have."""
        return self._tasks(1)[0].num_qubits

    def plans(self, device: Device, options: RunOptions, how: Compilation) -> list[Plan]:
        """A plan for each job."""
        keys = self.keys(options)
        if self.circuit == "grover" and self.iterations == AUTO:
            plans = [self._best_plan(job, device, options, how) for job in range(len(keys))]
        else:
            number = int(self.iterations) if self.circuit == "grover" else None
            plans = [make_plan(task, device, options, how) for task in self._tasks(number)]
        return [replace(plan, request=key) for plan, key in zip(plans, keys, strict=True)]

    def keys(self, options: RunOptions) -> list[str]:
        """For each job a hash of what is asked for, the same for the same command.

        What calibration, queues and chance decide is not in it: a device that is chosen, the number
        of iterations, a secret that is drawn without a seed.
        """
        asked = {
            "circuit": self.circuit if self._is_built else self._file_hash(),
            "marked": self.marked,
            "iterations": self.iterations if self.circuit == "grover" else None,
            "space": self.space,
            "pairs": self.pairs,
            "rules": self.rules.as_dict(),
            "fence": self.fence,
            "device": self.device,
            "options": {k: v for k, v in options.as_dict().items() if k != "seed"},
        }
        jobs: list[object] = [None]
        if self._is_built and self.marked is None:
            texts = self.secrets or ["random"]
            drawn = [t.lower() == "random" and self.seed is None for t in texts]
            # the first random secret of a command, the second, ...
            jobs = [sum(drawn[:i]) if drawn[i] else list(code) for i, code in enumerate(self.codes)]
        return [
            hashlib.sha256(json.dumps({**asked, "job": job}, sort_keys=True).encode()).hexdigest()
            for job in jobs
        ]

    @property
    def _is_built(self) -> bool:
        return self.circuit in BUILDERS

    def _file_hash(self) -> str:
        (task,) = self._tasks(None)
        return neutral_hash(task.parts[0].circuit)

    def merged(self, device: Device, options: RunOptions, how: Compilation) -> Plan | None:
        """What is left of pairwise queries when the compiler may merge the oracle away."""
        if self.circuit != "deutsch":
            return None
        code = self.codes[0]  # a random one is not drawn again
        task = tasks.deutsch(code, self.rules, self.pairs, fence=False)
        return make_plan(task, device, options, how)

    def _best_plan(self, job: int, device: Device, options: RunOptions, how: Compilation) -> Plan:
        from qmastermind.algorithms.grover import plan, success_probability

        size, marked = self._size()
        found = plan_iterations(
            lambda k: self._tasks(k)[job],
            lambda k: success_probability(k, size, marked),
            max(1, plan(size, marked).iterations),
            device,
            options,
            how,
        )
        tried = {k: p.parts[0].forecast for k, p in sorted(found.items())}
        return replace(list(found.values())[-1], tried=tried)

    def _size(self) -> tuple[int, int]:
        """Number of prepared states, and how many of them are marked."""
        from qmastermind.encoding import Encoding

        if self.marked is not None:
            listed = _bitstrings(self.marked)
            return 2 ** len(listed[0]), len(set(listed))
        return Encoding(self.rules).size(self.space), 1

    def _tasks(self, iterations: int | None) -> list[Task]:
        from qmastermind.qasm import read_file

        if self.circuit == "deutsch":
            return [tasks.deutsch(code, self.rules, self.pairs, self.fence) for code in self.codes]
        if self.circuit == "adaptive":
            return [tasks.adaptive(code, self.rules, self.fence) for code in self.codes]
        if self.circuit == "grover" and self.marked is not None:
            return [tasks.grover_marked(_bitstrings(self.marked), iterations, self.fence)]
        if self.circuit == "grover":
            return [
                tasks.grover_code(code, self.rules, iterations, self.space, self.fence)
                for code in self.codes
            ]
        path = Path(self.circuit)
        return [tasks.plain(read_file(path), path.name)]


def _is_file(name: str) -> bool:
    return Path(name).suffix == ".qasm" or Path(name).is_file()


def _bitstrings(text: str) -> list[str]:
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not found or any(len(x) != len(found[0]) for x in found):
        raise UsageError(f"--marked takes bitstrings of one length, such as 101,110, not {text!r}")
    return found


def refuse_session() -> None:
    """Says why there is no session mode.

    Raises:
        UsageError: Always.
    """
    raise UsageError(
        "sessions are not used: the open plan refuses them, and on other plans a session is "
        "charged while it waits, but all circuits of a task fit into one job. Use --mode job or "
        "--mode batch: every plan has them."
    )
