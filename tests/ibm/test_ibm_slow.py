"""The figures that take a big device: run with ``-m slow``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from ibm_command import Cli
from ibm_service import StandIn, State

from qmastermind.game import Rules
from qmastermind_qiskit.ibm import tasks
from qmastermind_qiskit.ibm.client import RunOptions
from qmastermind_qiskit.ibm.device import snapshots
from qmastermind_qiskit.ibm.noise import NoisySimulator
from qmastermind_qiskit.ibm.plan import Compilation, make_plan

pytestmark = pytest.mark.slow


@pytest.fixture
def torino(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """The stand-in with a device of 133 qubits."""
    with StandIn(State(("ibm_torino",))) as running:
        for name, value in running.environment().items():
            monkeypatch.setenv(name, value)
        yield running


@pytest.mark.parametrize(
    ("circuit", "rules", "parts"), [("deutsch", Rules(4, 6), 5), ("adaptive", Rules(4, 4), 1)]
)
def test_twenty_secrets_on_torino(
    torino: StandIn, cli: Cli, circuit: str, rules: Rules, parts: int
) -> None:
    rng = np.random.default_rng(20251130)
    for _ in range(20):
        secret = str(rules.random_code(rng))
        ran = cli(
            "submit", "--circuit", circuit, "--secret", secret, "--device", "ibm_torino",
            "--positions", str(rules.positions), "--colours", str(rules.colours),
            "--shots", "1000", "--again", "--wait", "--json",
        )  # fmt: skip
        assert ran.code == 0, ran.err
        assert ran.json["answer"] == secret
        assert ran.json["verified"] is True
        assert len(ran.json["parts"]) == parts
    assert len(torino.state.jobs) == 20  # one job each, whatever the number of queries


def test_adaptive_4x4_takes_8_two_qubit_gates(cli: Cli) -> None:
    ran = cli("forecast", "--circuit", "adaptive", "--positions", "4", "--colours", "4",
              "--secret", "RGOY", "--device", "fake_torino", "--json")  # fmt: skip
    (part,) = ran.json["parts"]
    assert part["two_qubit_gates"] == 8
    assert part["success"] > 0.85


def test_the_articles_search_is_refused_on_torino(cli: Cli) -> None:
    arguments = ("--circuit", "grover", "--secret", "RGBY", "--space", "all", "--device",
                 "fake_torino")  # fmt: skip
    ran = cli("forecast", *arguments, "--iterations", "10", "--json")
    assert ran.json["verdict"] == "refuse"
    assert ran.json["parts"][0]["fidelity"] < 1e-6
    # nor is there any number of iterations that noise would let through
    ran = cli("submit", *arguments, "--layouts", "1")
    assert ran.code == 1
    assert "expected success" in ran.err


def test_forecasts_meet_their_figures_on_big_devices() -> None:
    benchmark = Path(__file__).parents[2] / "benchmarks" / "forecast.py"
    done = subprocess.run(
        [sys.executable, str(benchmark), "--json"],
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["rows"] > 50
    assert found["mean_absolute_error"] <= 0.02
    assert found["worst"] <= 0.08
    assert found["worst_choice"] <= 0.01


def test_all_snapshots_are_listed(cli: Cli) -> None:
    rows = cli("devices", "--offline", "--json").json["devices"]
    assert len(rows) > 60
    torino = next(row for row in rows if row["name"] == "fake_torino")
    assert (torino["qubits"], torino["two_qubit_gates"]) == (133, ["cz"])
    assert len(torino["unusable_edges"]) == 22


def test_every_snapshot_runs_as_it_is_forecast() -> None:
    task, ran = tasks.grover_marked(["10"], 1), 0
    for device in snapshots():
        if device.num_qubits > 1 and device.two_qubit_gates:
            plan = make_plan(task, device, RunOptions(shots=2000), Compilation(seeds=1))
            (counts,) = NoisySimulator(device).run(plan.circuits, 2000, seed=1)
            success = plan.parts[0].forecast.success
            assert counts["10"] / 2000 == pytest.approx(success, abs=0.05), device.name
            ran += 1
    assert ran > 60
