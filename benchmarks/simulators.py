"""The embedded simulator against others, on the same circuits in the same run.

    python benchmarks/simulators.py
    python benchmarks/simulators.py --rows grover-12 random-20 --simulators aer --repeats 9

Grover searches for one basis state keep their multi-controlled phases native on every side. The
times are of simulation alone: what it takes to bring a circuit into the simulator's own form is
printed apart, and no transpiler runs. Everybody computes in double precision, and all must agree
on the probability of one basis state. Ratios are of median wall times; above 1 the embedded
simulator is faster. Processor time stands beside them, for machines that have other work.

The share of the memory bandwidth is what the passes over the state that our simulator has to make
would take at the speed of a copy, over what the whole run took, memory fresh from the operating
system included.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.gates import GATES, Gate
from qmastermind.simulator import statevector

Prepared = Callable[[], float]
"""Runs a circuit once and returns the probability of the row's basis state."""


@dataclass(frozen=True)
class Row:
    """Circuits that are timed together.

    Attributes:
        name: For the table.
        circuits: All on the same number of qubits.
        index: The basis state whose probability is compared.
        passes: How often our simulator reads or writes the whole state, all circuits together.
    """

    name: str
    circuits: list[Circuit]
    index: int
    passes: Callable[[], int]


def grover(num_qubits: int, iterations: int, marked: int) -> Circuit:
    """A search for one basis state, its iteration held once in a box."""
    register = Register("x", num_qubits)
    bits = [marked >> (num_qubits - 1 - q) & 1 for q in range(num_qubits)]
    iteration = CircuitBuilder(register)
    iteration.phase_on(math.pi, range(num_qubits), bits)
    for q in range(num_qubits):
        iteration.h(q)
    iteration.phase_on(math.pi, range(num_qubits), [0] * num_qubits)
    for q in range(num_qubits):
        iteration.h(q)
    builder = CircuitBuilder(register)
    for q in range(num_qubits):
        builder.h(q)
    builder.append(iteration.build(), repetitions=iterations)
    return builder.build()


# without s, as Aer's fusion is wrong about s between two x (its issue 2245)
_ONE_QUBIT = ("h", "x", "y", "t", "sx", "rx", "ry", "rz", "u")
_TWO_QUBIT = ("cx", "cz", "cp", "crx", "rzz", "swap")


def random_circuit(num_qubits: int, gates: int, seed: int) -> Circuit:
    """One- and two-qubit gates in equal numbers, on qubits and with angles drawn evenly."""
    rng = random.Random(seed)
    builder = CircuitBuilder(Register("q", num_qubits))
    for _ in range(gates):
        controls = 0
        name = rng.choice(_ONE_QUBIT if rng.random() < 0.5 else _TWO_QUBIT)
        if name not in GATES:
            name, controls = name[1:], 1
        angles = tuple(rng.uniform(-math.pi, math.pi) for _ in range(GATES[name].num_params))
        qubits = rng.sample(range(num_qubits), controls + GATES[name].num_qubits)
        builder.gate(Gate(name, angles), qubits[controls:], qubits[:controls])
    return builder.build()


def rows() -> dict[str, Row]:
    """All rows by name."""
    found = {}
    for num_qubits, iterations in ((12, 50), (18, 100), (24, 10)):
        marked = 2**num_qubits // 3
        circuits = [grover(num_qubits, iterations, marked)]
        # written once as a product, read for the overlap, read and written for the result
        found[f"grover-{num_qubits}"] = Row(
            f"Grover {num_qubits} qubits x {iterations}", circuits, marked, lambda: 4
        )
    circuits = [random_circuit(20, 200, seed) for seed in range(10)]
    found["random-20"] = Row(
        "10 random, 20 qubits, 200 gates", circuits, 0, partial(_passes, circuits)
    )
    return found


def _passes(circuits: list[Circuit]) -> int:
    """Two a block of gates, and one to write the initial state."""
    from qmastermind.simulator.blocks import form_blocks
    from qmastermind.simulator.evolution import plan_for
    from qmastermind.simulator.ops import lower
    from qmastermind.simulator.steps import Gates

    total = 0
    for circuit in circuits:
        n = circuit.num_qubits
        ops = [op for op in lower(circuit) if op.qubits]
        steps = plan_for(ops, range(n), 1, fixed=True).steps
        blocks = (len(form_blocks(step.ops, n)) for step in steps if isinstance(step, Gates))
        total += 1 + 2 * sum(blocks)
    return total


def embedded(circuit: Circuit, index: int, threads: int) -> Prepared:
    """Ours, lowering and planning included."""
    return lambda: float(abs(statevector(circuit, threads=threads)[index]) ** 2)


def aer(circuit: Circuit, index: int, threads: int) -> Prepared:
    """Qiskit Aer, statevector method, its default fusion."""
    from qiskit_aer import AerSimulator

    from qmastermind_qiskit.aer import to_aer

    native = to_aer(circuit)
    reversed_index = int(format(index, f"0{circuit.num_qubits}b")[::-1], 2)
    native.save_amplitudes_squared([reversed_index])
    simulator = AerSimulator(method="statevector", precision="double", max_parallel_threads=threads)

    def run() -> float:
        data = simulator.run(native, shots=1).result().data(0)
        return float(data["amplitudes_squared"][0])

    return run


def cirq_simulator(circuit: Circuit, index: int, threads: int) -> Prepared:
    """cirq.Simulator, which uses one thread."""
    import cirq

    from qmastermind_cirq import to_cirq

    native = to_cirq(circuit)
    simulator = cirq.Simulator(dtype=np.complex128)
    order = cirq.LineQubit.range(circuit.num_qubits)

    def run() -> float:
        (amplitude,) = simulator.compute_amplitudes(native, [index], qubit_order=order)
        return float(abs(amplitude) ** 2)

    return run


def lightning(circuit: Circuit, index: int, threads: int) -> Prepared:
    """PennyLane's lightning.qubit, which uses one thread."""
    import pennylane as qml

    from qmastermind_pennylane import to_pennylane

    device = qml.device("lightning.qubit", wires=circuit.num_qubits, c_dtype=np.complex128)
    tape = qml.tape.QuantumScript(to_pennylane(circuit).operations, [qml.state()])
    (tape,), _ = device.preprocess_transforms()([tape])
    return lambda: float(abs(device.execute(tape)[index]) ** 2)


OTHERS = {"aer": aer, "cirq": cirq_simulator, "lightning": lightning}
_THREADED = ("aer",)
_SLOW = 50.0  # seconds after which a simulator is not asked to repeat


def copy_bandwidth(num_bytes: int, threads: int) -> float:
    """Bytes a second that are read and written when an array of that size is copied."""
    source = np.ones(num_bytes // 8)
    target = np.ones(num_bytes // 8)
    parts = list(zip(np.array_split(target, threads), np.array_split(source, threads), strict=True))
    repeats = max(1, 2**28 // num_bytes)

    def copy(part: tuple[np.ndarray, np.ndarray]) -> None:
        for _ in range(repeats):
            part[0][:] = part[1]

    times = []
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(7):
            started = time.perf_counter()
            list(pool.map(copy, parts))
            times.append((time.perf_counter() - started) / repeats)
    return 2 * num_bytes / min(times)


@dataclass(frozen=True)
class Timing:
    """Seconds for all circuits of a row."""

    build: float
    run: float
    cpu: float
    values: list[float]


def measure(
    row: Row, make: Callable[[Circuit, int, int], Prepared], threads: int, repeats: int
) -> Timing:
    """Builds once, runs once to warm up, then takes the median of the repeats."""
    started = time.perf_counter()
    prepared = [make(circuit, row.index, threads) for circuit in row.circuits]
    build = time.perf_counter() - started
    times, cpu_times = [], []
    for _ in range(repeats + 1):
        started, cpu_started = time.perf_counter(), time.process_time()
        values = [run() for run in prepared]
        times.append(time.perf_counter() - started)
        cpu_times.append(time.process_time() - cpu_started)
        if times[0] > _SLOW:
            break
    run, cpu = (statistics.median(all_times[1:] or all_times) for all_times in (times, cpu_times))
    return Timing(build, run, cpu, values)


def main() -> None:
    known = rows()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="*", default=list(known), choices=list(known))
    parser.add_argument("--simulators", nargs="*", default=list(OTHERS), choices=list(OTHERS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="most to use")
    options = parser.parse_args()
    # Loaded and compiled before anything is timed.
    import qmastermind.simulator.kernels  # noqa: F401

    counts = sorted({1, options.threads})
    figures = f"{'build s':>9} {'run s':>9} {'cpu s':>9} {'ratio':>8}"
    print(f"{'circuits':32} {'simulator':10} threads {figures}  note")
    for key in options.rows:
        row = known[key]
        state = 16 << row.circuits[0].num_qubits
        ours: dict[int, Timing] = {}
        for threads in counts:
            bandwidth = copy_bandwidth(state, threads)
            ours[threads] = measure(row, embedded, threads, options.repeats)
            share = row.passes() * state / bandwidth / ours[threads].run
            note = f"{share:.0%} of what {bandwidth / 1e9:.1f} GB/s allow"
            _print(row.name, "embedded", threads, ours[threads], "", note)
        for name in options.simulators:
            for threads in counts if name in _THREADED else counts[:1]:
                try:
                    theirs = measure(row, OTHERS[name], threads, options.repeats)
                except ImportError as error:
                    print(f"{row.name:32} {name:10} not installed: {error.name}")
                    break
                if not np.allclose(theirs.values, ours[1].values, atol=1e-9):
                    raise SystemExit(f"{name} disagrees on {row.name}")
                ratio = f"{theirs.run / ours[threads].run:.1f}"
                _print(row.name, name, threads, theirs, ratio, "")


def _print(row: str, name: str, threads: int, timing: Timing, ratio: str, note: str) -> None:
    figures = f"{timing.build:9.4f} {timing.run:9.4f} {timing.cpu:9.4f} {ratio:>8}"
    print(f"{row:32} {name:10} {threads:7} {figures}  {note}", flush=True)


if __name__ == "__main__":
    main()
