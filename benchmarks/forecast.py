"""Forecasts against simulations with the noise and the idle times of stored devices.

Prints, for each circuit and device, the success that was forecast and the share of right answers
in a simulation, the two largest differences, and whether the number of iterations with the best
forecast is also the best in simulation. The forecast has one fitted constant, the share of
harmless errors; the figures without it stand beside. ``--held-out`` takes devices, circuits,
secrets and a compiler level that the constant was not fitted to. Takes some minutes:
``nice python benchmarks/forecast.py``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.game import Rules
from qmastermind_qiskit.ibm import tasks
from qmastermind_qiskit.ibm.client import RunOptions
from qmastermind_qiskit.ibm.device import Device, snapshot
from qmastermind_qiskit.ibm.forecast import predicted_distribution
from qmastermind_qiskit.ibm.noise import NoisySimulator
from qmastermind_qiskit.ibm.plan import Compilation, make_plan

DEVICES = ("torino", "fez", "boston", "nighthawk", "sherbrooke")
HELD_OUT = (
    "kingston", "aachen", "marrakesh", "brisbane", "kyiv", "hanoi", "guadalupe", "lagos", "manila",
)  # fmt: skip
SHOTS = 20_000
MARKED = "10110"
Circuits = Iterator[tuple[str, int, tasks.Task]]
"""(name, iterations, task); the pairwise queries count as one circuit, their average."""


@dataclass(frozen=True)
class Row:
    """One circuit on one device at one compiler level."""

    device: str
    level: int
    circuit: str
    iterations: int
    two_qubit_gates: int
    ideal: float
    forecast: float
    without: float
    simulated: float


def circuits() -> Circuits:
    """Those whose figures are promised."""
    classic, small = Rules(4, 6), Rules(4, 4)
    yield "deutsch 4x6", 0, tasks.deutsch(classic.code("RGBY"), classic)
    yield "adaptive 4x4", 0, tasks.adaptive(small.code("RGOY"), small)
    for width in (2, 3, 4, 5):
        for iterations in (1, 2, 3, 4):
            task = tasks.grover_marked([MARKED[:width]], iterations)
            yield f"grover {width}", iterations, task


def held_out_circuits() -> Circuits:
    """Others, for devices that the constant was not fitted to."""
    classic, small = Rules(4, 6), Rules(3, 4)
    yield "deutsch 4x6", 0, tasks.deutsch(classic.code("OOGI"), classic)
    yield "adaptive 3x4", 0, tasks.adaptive(small.code("GOR"), small)
    for marked, most in (("01", 1), ("010", 3), ("000", 2), ("0111", 3), ("0000", 2), ("01101", 2)):
        for iterations in range(1, most + 1):
            yield f"grover {marked}", iterations, tasks.grover_marked([marked], iterations)
    yield "grover 2 of 8", 1, tasks.grover_marked(["010", "111"], 1)
    for mask in ("101", "1111"):
        yield f"bernstein-vazirani {mask}", 0, bernstein_vazirani(mask)


def bernstein_vazirani(mask: str) -> tasks.Task:
    """The form with an ancilla and a CX for each 1."""
    width = len(mask)
    builder = CircuitBuilder(Register("x", width), Register("flag", 1))
    builder.x(width)
    for q in range(width + 1):
        builder.h(q)
    for q in (q for q, bit in enumerate(mask) if bit == "1"):
        builder.x(width, [q])
    for q in range(width):
        builder.h(q)
    return tasks.plain(builder.build().measured(range(width)), mask)


def measure(device: Device, name: str, iterations: int, task: tasks.Task, how: Compilation) -> Row:
    plan = make_plan(task, device, RunOptions(shots=SHOTS), how)
    counts = NoisySimulator(device).run(plan.circuits, SHOTS, seed=1)
    shares, without = [], []
    for part, counted in zip(plan.parts, counts, strict=True):
        right = part.part.answer.right
        shares.append(sum(counted.get(x, 0) for x in right) / counted.shots)
        bare = predicted_distribution(part.native, device, part.part.ideal, harmless=0.0)
        without.append(sum(bare.probability(x) for x in right))
    forecasts = [p.forecast for p in plan.parts]
    return Row(
        device.name,
        how.level,
        name,
        iterations,
        max(f.two_qubit_gates for f in forecasts),
        float(np.mean([f.ideal for f in forecasts])),
        float(np.mean([f.success for f in forecasts])),
        float(np.mean(without)),
        float(np.mean(shares)),
    )


def choices(rows: list[Row], figure: str) -> list[tuple[str, int, str, int, int, float]]:
    """(device, level, circuit, chosen, best, success lost) for each search."""
    found = []
    searches = dict.fromkeys((r.device, r.level, r.circuit) for r in rows if r.iterations)
    for device, level, circuit in searches:
        family = [r for r in rows if (r.device, r.level, r.circuit) == (device, level, circuit)]
        chosen = max(family, key=lambda r: float(getattr(r, figure)))
        best = max(family, key=lambda r: r.simulated)
        lost = best.simulated - chosen.simulated
        found.append((device, level, circuit, chosen.iterations, best.iterations, lost))
    return found


def summary(rows: list[Row], figure: str) -> dict[str, float]:
    """Forecast less simulation, over all rows."""
    differences = np.array([getattr(row, figure) - row.simulated for row in rows])
    return {
        "mean_error": float(differences.mean()),
        "mean_absolute_error": float(np.abs(differences).mean()),
        "worst": float(np.abs(differences).max()),
        "worst_choice": max((lost for *_, lost in choices(rows, figure)), default=0.0),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--devices", nargs="+")
    parser.add_argument("--layouts", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    started = time.perf_counter()
    rows = []
    for level in (3, 1) if given.held_out else (3,):
        how = Compilation(level, given.layouts)
        for name in given.devices or (HELD_OUT if given.held_out else DEVICES):
            device = snapshot(name)
            for circuit, iterations, task in held_out_circuits() if given.held_out else circuits():
                if task.num_qubits > device.num_qubits:
                    continue
                row = measure(device, circuit, iterations, task, how)
                rows.append(row)
                if not given.json:
                    print(
                        f"{row.device:15} level {level} {row.circuit:23} x{row.iterations}  "
                        f"{row.two_qubit_gates:4} two-qubit gates  ideal {row.ideal:.3f}  "
                        f"forecast {row.forecast:.3f} (without the constant {row.without:.3f})  "
                        f"simulated {row.simulated:.3f}  "
                        f"difference {row.forecast - row.simulated:+.3f}",
                        flush=True,
                    )
    found: dict[str, Any] = {"rows": len(rows), "shots": SHOTS, **summary(rows, "forecast")}
    found["without"] = summary(rows, "without")
    found["seconds"] = time.perf_counter() - started
    if given.json:
        print(json.dumps(found))
        return
    print("\niterations with the best forecast, and in simulation")
    for where, level, circuit, mine, best, lost in choices(rows, "forecast"):
        print(f"{where:15} level {level} {circuit:15} {mine} {best}  success lost {lost:.4f}")
    print(f"\n{len(rows)} circuits, {SHOTS:,} shots each, {found['seconds']:.0f} s")
    for title, figures in (("forecast", found), ("without the constant", found["without"])):
        print(
            f"{title:21}: mean error {figures['mean_error']:+.4f}, mean absolute error "
            f"{figures['mean_absolute_error']:.4f}, worst {figures['worst']:.4f}, success lost by "
            f"the choice of iterations at most {figures['worst_choice']:.4f}"
        )


if __name__ == "__main__":
    main()
