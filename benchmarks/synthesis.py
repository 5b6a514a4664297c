"""Costs of our lowering beside the frameworks' own, on the same circuits in the same run.

    python benchmarks/synthesis.py [SECTION ...] [--frameworks qiskit tket] [--controls 11]

Sections: mcz, grover, adaptive, preparation, feedback, device, speed. Every framework gets the
circuit with its multi-controlled gates whole, and with as many clean ancillas as ours in an
ancilla register; whether it uses them is its own affair. All results are counted by one counter
in {rz, sx, x, cx}, all-to-all, and compared with the original: ``=`` equal, ``~`` equal to three
digits (a framework drops small rotations), ``!`` different, ``?`` not decided (too wide for its
length). A framework that took longer than the limit is left out of larger cases.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

from qmastermind.algorithms.adaptive import adaptive, adaptive_plan
from qmastermind.algorithms.grover import grover, hadamards, iteration, plan
from qmastermind.backend import Compiled
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.encoding import Encoding
from qmastermind.equivalence import equivalent
from qmastermind.errors import QmastermindError
from qmastermind.game import Rules, feedback
from qmastermind.oracle.feedback import consistency_counters, consistency_one_hot
from qmastermind.oracle.match import MatchOracle
from qmastermind.oracle.pegs import BlackPegOracle
from qmastermind.registry import get_backend, registered_backends
from qmastermind.resources import count
from qmastermind.synthesis import Objective, Policy, lower, uniform
from qmastermind.target import DEFAULT_BASIS

FRAMEWORKS = ("qiskit", "tket", "cirq", "pennylane")
WIDEST_SIMULATION = 24
MOST_WORK = 2**34  # amplitudes touched by a comparison

header = f"{'':34}{'qubits':>7}{'2q':>7}{'2q depth':>9}{'depth':>7}{'s':>8}  equal"


class Bench:
    """Prints rows, and remembers which framework is too slow for larger ones."""

    def __init__(self, frameworks: Sequence[str], seconds: float, controls: Sequence[int]) -> None:
        self.controls = controls
        self.frameworks = [name for name in frameworks if name in registered_backends()]
        self.seconds = seconds
        self.slow: set[str] = set()

    def case(self, title: str, circuit: Circuit, ours: dict[str, tuple[Policy, Objective]]) -> None:
        """Prints our lowerings of a circuit and what each framework makes of it."""
        print(f"\n{title}\n{header}")
        for name, (policy, objective) in ours.items():
            make = partial(lower, circuit, DEFAULT_BASIS, policy, objective)
            self.row(f"ours, {name}", circuit, make)
        clean = max((policy.clean for policy, _ in ours.values()), default=0)
        for number in dict.fromkeys((0, 1, clean)):
            given = with_ancillas(circuit, number) if number else circuit
            for name in self.frameworks:
                if name not in self.slow:
                    label = f"{name}, {number} clean" if number else name
                    self.row(label, given, partial(get_backend(name).compile, given), name)

    def row(
        self,
        label: str,
        circuit: Circuit,
        make: Callable[[], Circuit | Compiled],
        framework: str | None = None,
    ) -> None:
        """Prints the figures of one result."""
        started = time.process_time()
        try:
            made = make()
        except QmastermindError as error:
            print(f"{label:34} {str(error).splitlines()[0][:80]}")
            return
        seconds = time.process_time() - started
        if framework and seconds > self.seconds:
            self.slow.add(framework)
        result = made.circuit if isinstance(made, Compiled) else made
        f = count(result)
        whole = f"  ({f.multi_qubit_gates} gates left whole)" if f.multi_qubit_gates else ""
        print(
            f"{label:34}{f.qubits:7}{f.two_qubit_gates:7}{f.two_qubit_depth:9}{f.depth:7}"
            f"{seconds:8.2f}  {verdict(circuit, made)}{whole}",
            flush=True,
        )


def verdict(circuit: Circuit, made: Circuit | Compiled) -> str:
    result = made.circuit if isinstance(made, Compiled) else made
    wide = result.num_qubits > WIDEST_SIMULATION
    if not wide and len(result.operations) << result.num_qubits > MOST_WORK:
        return "?"
    found = equivalent(circuit, made, method="qcec" if wide else "auto")
    if found.equal is False and found.distance is not None and found.distance < 1e-3:
        return "~"
    return {True: "=", False: "!", None: "?"}[found.equal]


def with_ancillas(circuit: Circuit, number: int) -> Circuit:
    b = CircuitBuilder(*circuit.registers, Register("spare", number, ancilla=True))
    for op in circuit.operations:
        b.add(op)
    b.global_phase = circuit.global_phase
    return b.build()


def mcz(controls: int, idle: int = 0) -> Circuit:
    b = CircuitBuilder(Register("x", controls + 1))
    if idle:
        b.register(Register("idle", idle))
    b.z(controls, range(controls))
    return b.build()


def policies(*clean: int) -> dict[str, tuple[Policy, Objective]]:
    return {
        f"{n} clean" if n else "no ancilla": (Policy(n, borrow=False), "two_qubit") for n in clean
    }


def section_mcz(bench: Bench) -> None:
    print("\nMCZ, ours for 3 to 20 controls: CX / two-qubit depth / depth")
    settings = {
        "none": (0, 0), "1 clean": (1, 0), "2 clean": (2, 0), "n-2 clean": (None, 0),
        "1 borrowed": (0, 1), "5 borrowed": (0, 5),
    }  # fmt: skip
    print("controls  " + "".join(f"{name:>16}" for name in settings))
    for controls in range(3, 21):
        cells = []
        for clean, idle in settings.values():
            policy = Policy(max(0, controls - 2) if clean is None else clean, borrow=idle > 0)
            f = count(lower(mcz(controls, idle), DEFAULT_BASIS, policy))
            cells.append(f"{f.two_qubit_gates}/{f.two_qubit_depth}/{f.depth}")
        print(f"{controls:8}  " + "".join(f"{cell:>16}" for cell in cells), flush=True)
    for controls in bench.controls:
        bench.case(f"MCZ, {controls} controls", mcz(controls), policies(0, 1, 2, controls - 2))


def article_iteration() -> Circuit:
    rules = Rules()
    return iteration(MatchOracle(rules.code("OYGB"), Encoding(rules)), hadamards(12))


def section_grover(bench: Bench) -> None:
    bench.case(
        "one Grover iteration, 12 qubits, all states",
        article_iteration(),
        policies(0, 1, 2, 3, 8, 10),
    )


def section_adaptive(bench: Bench) -> None:
    schedule = adaptive_plan(Rules())
    oracle = BlackPegOracle(Rules().code("BOYB"), schedule.encoding)
    bench.case("adaptive search, n = 4, k = 6", adaptive(oracle, schedule), policies(0))


def section_preparation(bench: Bench) -> None:
    for k, bits in ((3, 2), (6, 3), (5, 3), (7, 3), (10, 4), (11, 4)):
        bench.case(f"uniform over {k} of {2**bits}", uniform(k, bits), policies(0))
    bench.case("all codes of 4 pegs, 6 colours", Encoding(Rules()).prepare("valid"), policies(0))


def section_feedback(bench: Bench) -> None:
    rules = Rules()
    secret = rules.code("ROYR")
    guesses = [rules.code(text) for text in ("RGBY", "RRGO", "RBOR")]
    for rows, design in product((1, 2, 3), (consistency_counters, consistency_one_hot)):
        history = [(guess, feedback(guess, secret)) for guess in guesses[:rows]]
        bench.case(
            f"{design.__name__}, {rows} rows", design(history, Encoding(rules)), policies(0, 2)
        )


def section_device(bench: Bench) -> None:
    print("\nMCZ, 11 controls, on a stored Heron (CZ gates, two-qubit depth): 10 seeds")
    backend = get_backend("qiskit:fake_torino")
    target = backend.device  # type: ignore[attr-defined]  # the Qiskit backend's
    circuit = mcz(11)
    ours = lower(circuit, target.basis, Policy(spare=True), target=target)
    declared = with_ancillas(circuit, 1)
    for name, given in (("ours", ours), ("qiskit", circuit), ("qiskit, 1 clean", declared)):
        rows = sorted(
            (f.two_qubit_gates, f.two_qubit_depth)
            for f in (count(backend.compile(given, target, 3, seed).circuit) for seed in range(10))
        )
        print(f"{name:20} best {rows[0]}, median {rows[5]}, worst {rows[-1]}", flush=True)


def section_speed(bench: Bench) -> None:
    print("\nlowering a 20-qubit Grover circuit of 100 iterations, CPU seconds")
    rules = Rules(5, 16)
    oracle = MatchOracle(rules.code((1, 2, 3, 15, 0)), Encoding(rules))
    circuit = grover(oracle, plan=plan(2**20, iterations=100))
    makers: dict[str, Callable[[], object]] = {
        f"ours, {n} clean": partial(lower, circuit, ancillas=Policy(n)) for n in (0, 1, 2, 10)
    }
    for name in bench.frameworks:
        if name == "qiskit":  # the others take minutes
            makers[name] = partial(get_backend(name).compile, circuit, level=1)
    reference = None
    for name, make in makers.items():
        started = time.process_time()
        make()
        seconds = time.process_time() - started
        reference = seconds if reference is None else reference
        print(f"{name:20}{seconds:8.2f}  {seconds / reference:8.1f} times the first", flush=True)


SECTIONS = {
    name.removeprefix("section_"): function
    for name, function in globals().items()
    if name.startswith("section_")
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[[], *SECTIONS], default=[])
    parser.add_argument("--frameworks", nargs="*", default=FRAMEWORKS)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--controls", type=int, nargs="*", default=[3, 5, 7, 9, 11, 14, 17, 20])
    arguments = parser.parse_args()
    bench = Bench(arguments.frameworks, arguments.seconds, arguments.controls)
    for name in bench.frameworks:
        print(name, get_backend(name).version)
    for name in arguments.sections or SECTIONS:
        SECTIONS[name](bench)


if __name__ == "__main__":
    main()
