"""The backend's interface, its refusals, and what it must not import."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from qmastermind.backend import Capability
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Phases, Register
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.registry import get_backend
from qmastermind.simulator import StatevectorBackend, statevector, unitary
from qmastermind.simulator.engine import resolve_threads
from qmastermind.simulator.memory import available_bytes


def chain(num_qubits: int):
    b = CircuitBuilder(Register("q", num_qubits))
    b.h(0)
    for q in range(num_qubits - 1):
        b.x(q + 1, [q])
    return b.build()


def test_registered_with_what_it_can_do():
    backend = get_backend("statevector")
    assert isinstance(backend, StatevectorBackend)
    assert backend.name == "statevector"
    assert all(backend.can(c) for c in (Capability.RUN, Capability.EXACT, Capability.MID_CIRCUIT))


def test_threads_as_argument():
    backend = get_backend("statevector:threads=2")
    assert backend.name == "statevector:threads=2"
    for argument in ("threads=0", "threads=x", "threads", "gpu"):
        with pytest.raises(UsageError, match="thread"):
            get_backend(f"statevector:{argument}")


def test_threads_follow_numba():
    code = (
        "from qmastermind.simulator.engine import resolve_threads as r; print(r(None));"
        "import numba; numba.set_num_threads(1); print(r(None))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"NUMBA_NUM_THREADS": "2", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["2", "1"]
    assert resolve_threads(3) == 3


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_results(threads):
    b = CircuitBuilder(Register("q", 17))
    for q in range(17):
        b.ry(0.2 * q, q)
    b.diagonal(Phases.from_function(17, lambda i: 1e-9 * (i % 12_345) ** 2), range(17))
    b.diagonal(Phases.from_function(4, lambda i: 0.1 * i**2), [3, 9, 16, 0], [5])
    b.append(chain(17), repetitions=2)
    b.phase_on(0.4, range(17), [1] * 17)
    circuit = b.build().measured()
    one = StatevectorBackend(threads=1).run(circuit, shots=100, seed=4)
    other = StatevectorBackend(threads=threads).run(circuit, shots=100, seed=4)
    assert other.counts == one.counts
    assert np.array_equal(other.distribution.array(), one.distribution.array())


def test_importing_the_backend_and_running_a_small_game_needs_no_numba():
    code = """
import sys, math
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.simulator import StatevectorBackend
b = CircuitBuilder(Register("x", 12))
iteration = CircuitBuilder(Register("x", 12))
iteration.z(11, range(11))
for q in range(12):
    iteration.h(q)
iteration.phase_on(math.pi, range(12), [0] * 12)
for q in range(12):
    b.h(q)
    iteration.h(q)
b.append(iteration.build(), repetitions=50)
print(StatevectorBackend().run(b.build().measured(), seed=1).counts.most_common(1)[0][0])
print([m for m in ("numba", "scipy", "qiskit", "cirq", "pennylane", "pytket") if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1" * 12, "[]"]


def test_memory_is_refused_before_it_is_taken(monkeypatch):
    message = r"20 qubits .* 16,777,216 bytes.*at most 19 qubits"
    monkeypatch.setattr("qmastermind.simulator.memory.available_bytes", lambda: 2**24 - 1)
    with pytest.raises(TooLargeError, match=message):
        statevector(chain(20))
    with pytest.raises(TooLargeError, match="at most 19 qubits"):
        unitary(chain(10))
    assert len(statevector(chain(19))) == 2**19
    backend = StatevectorBackend()
    with pytest.raises(TooLargeError, match="20 qubits"):
        backend.run(chain(20).measured())
    b = CircuitBuilder(Register("q", 20))
    b.h(0)
    b.measure([0])
    b.append(chain(20))
    with pytest.raises(TooLargeError, match="20 qubits"):
        backend.run(b.build().measured())


def test_more_qubits_than_any_machine_has_memory_for():
    with pytest.raises(TooLargeError, match=r"the state of 70 qubits that interact takes"):
        StatevectorBackend().probabilities(chain(70).measured())
    with pytest.raises(TooLargeError, match="at most"):
        statevector(chain(2000))


def test_available_memory_is_plausible():
    available = available_bytes()
    assert available is not None
    assert 2**20 < available < 2**50


def test_memory_without_a_proc_filesystem(monkeypatch):
    def missing(self):
        raise FileNotFoundError

    monkeypatch.setattr("pathlib.Path.read_text", missing)
    assert available_bytes() > 2**20
    monkeypatch.delattr("os.sysconf")
    assert available_bytes() is None
    assert len(statevector(chain(17))) == 2**17


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"seed": -1}, "seed must be at least 0, not -1"),
        ({"seed": 1.5}, "seed must be a whole number, not 1.5"),
        ({"shots": 2.5}, "shots must be a whole number, not 2.5"),
        ({"shots": 0}, "shots must be at least 1, not 0"),
    ],
)
def test_bad_numbers_are_refused(wrong, words):
    builder = CircuitBuilder(Register("x", 1))
    with pytest.raises(UsageError, match=words):
        StatevectorBackend().run(builder.build().measured(), **wrong)
