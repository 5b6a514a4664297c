"""Forecasts against simulations with the noise and the idle times of stored devices.

Prints, for each circuit and device, the success that was forecast and the share of right answers
in a simulation, the two largest differences, and whether the number of iterations with the best
forecast is also the best in simulation. Takes some minutes: ``nice python benchmarks/forecast.py``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qmastermind.game import Rules
from qmastermind_qiskit.ibm import tasks
from qmastermind_qiskit.ibm.client import RunOptions
from qmastermind_qiskit.ibm.device import Device, snapshot
from qmastermind_qiskit.ibm.noise import NoisySimulator
from qmastermind_qiskit.ibm.plan import Compilation, make_plan

DEVICES = ("torino", "fez", "boston", "nighthawk", "sherbrooke")
SHOTS = 20_000
MARKED = "10110"


@dataclass(frozen=True)
class Row:
    """One circuit on one device."""

    device: str
    circuit: str
    iterations: int
    two_qubit_gates: int
    ideal: float
    forecast: float
    simulated: float

    @property
    def difference(self) -> float:
        """Forecast less simulation."""
        return self.forecast - self.simulated


def circuits() -> Iterator[tuple[str, int, tasks.Task]]:
    """(name, iterations, task); the pairwise queries count as one circuit, their average."""
    classic, small = Rules(4, 6), Rules(4, 4)
    yield "deutsch 4x6", 0, tasks.deutsch(classic.code("RGBY"), classic)
    yield "adaptive 4x4", 0, tasks.adaptive(small.code("RGOY"), small)
    for width in (2, 3, 4, 5):
        for iterations in (1, 2, 3, 4):
            task = tasks.grover_marked([MARKED[:width]], iterations)
            yield f"grover {width}", iterations, task


def measure(device: Device, name: str, iterations: int, task: tasks.Task, how: Compilation) -> Row:
    plan = make_plan(task, device, RunOptions(shots=SHOTS), how)
    counts = NoisySimulator(device).run(plan.circuits, SHOTS, seed=1)
    shares = [
        sum(c.get(x, 0) for x in p.part.answer.right) / c.shots
        for p, c in zip(plan.parts, counts, strict=True)
    ]
    forecasts = [p.forecast for p in plan.parts]
    return Row(
        device.name,
        name,
        iterations,
        max(f.two_qubit_gates for f in forecasts),
        float(np.mean([f.ideal for f in forecasts])),
        float(np.mean([f.success for f in forecasts])),
        float(np.mean(shares)),
    )


def choices(rows: list[Row]) -> list[tuple[str, str, int, int, float]]:
    """(device, circuit, chosen, best, success lost) for each search with several iterations."""
    found = []
    for device, circuit in dict.fromkeys((r.device, r.circuit) for r in rows if r.iterations):
        family = [r for r in rows if (r.device, r.circuit) == (device, circuit)]
        chosen = max(family, key=lambda r: r.forecast)
        best = max(family, key=lambda r: r.simulated)
        lost = best.simulated - chosen.simulated
        found.append((device, circuit, chosen.iterations, best.iterations, lost))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", nargs="+", default=DEVICES)
    parser.add_argument("--layouts", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    started = time.perf_counter()
    rows = []
    for name in given.devices:
        device = snapshot(name)
        for circuit, iterations, task in circuits():
            row = measure(device, circuit, iterations, task, Compilation(seeds=given.layouts))
            rows.append(row)
            if not given.json:
                print(
                    f"{row.device:16} {row.circuit:12} x{row.iterations}  "
                    f"{row.two_qubit_gates:4} two-qubit gates  ideal {row.ideal:.3f}  "
                    f"forecast {row.forecast:.3f}  simulated {row.simulated:.3f}  "
                    f"difference {row.difference:+.3f}",
                    flush=True,
                )
    differences = np.array([row.difference for row in rows])
    chosen = choices(rows)
    summary = {
        "rows": len(rows),
        "shots": SHOTS,
        "mean_error": float(differences.mean()),
        "mean_absolute_error": float(np.abs(differences).mean()),
        "worst": float(np.abs(differences).max()),
        "worst_choice": max(lost for *_, lost in chosen),
        "seconds": time.perf_counter() - started,
    }
    if given.json:
        print(json.dumps(summary))
        return
    print("\niterations with the best forecast, and in simulation")
    for device, circuit, mine, best, lost in chosen:
        print(f"{device:16} {circuit:12} {mine} {best}  success lost {lost:.4f}")
    print(
        f"\n{summary['rows']} circuits, {SHOTS:,} shots each: mean error "
        f"{summary['mean_error']:+.4f}, mean absolute error "
        f"{summary['mean_absolute_error']:.4f}, worst {summary['worst']:.4f}, success lost by "
        f"the choice of iterations at most {summary['worst_choice']:.4f}; "
        f"{summary['seconds']:.0f} s"
    )


if __name__ == "__main__":
    main()
