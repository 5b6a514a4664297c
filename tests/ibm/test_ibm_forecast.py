"""Forecasts against simulations, and the parts that they are made of."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("qiskit_ibm_runtime")
pytest.importorskip("qiskit_aer")

from hypothesis import given, settings
from hypothesis import strategies as st
from qiskit import QuantumCircuit, transpile
from qiskit.circuit import Measure, library
from qiskit.transpiler import InstructionProperties, PassManager, Target
from qiskit.transpiler.passes import ALAPScheduleAnalysis, PadDelay, TimeUnitConversion
from qiskit_aer import AerSimulator
from qiskit_ibm_runtime.fake_provider import FakeLagosV2

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import TooLargeError, UnsupportedError, UsageError
from qmastermind.game import Rules
from qmastermind.results import Counts, Distribution, Factor
from qmastermind_qiskit.ibm import tasks
from qmastermind_qiskit.ibm.client import RunOptions
from qmastermind_qiskit.ibm.compilation import circuit_hash, require_isa
from qmastermind_qiskit.ibm.device import Device, Readout, from_backend, snapshot
from qmastermind_qiskit.ibm.errors import NotIsaError
from qmastermind_qiskit.ibm.fidelity import waits as waiting_times
from qmastermind_qiskit.ibm.forecast import (
    HARMLESS,
    Answer,
    _marginal,
    forecast,
    predicted_distribution,
)
from qmastermind_qiskit.ibm.noise import NoisySimulator, scheduled
from qmastermind_qiskit.ibm.plan import Compilation, Plan, make_plan, plan_iterations
from qmastermind_qiskit.ibm.structure import components, used_qubits

MANILA = snapshot("manila")
ONCE = Compilation(seeds=1)
CLASSIC = Rules(4, 6)


def uniform(num_bits: int) -> Distribution:
    return Distribution.dense(np.full(2**num_bits, 0.5**num_bits))


def point(bits: str) -> Distribution:
    table = np.zeros(2 ** len(bits))
    table[int(bits, 2)] = 1.0
    return Distribution.dense(table)


def planned(task: tasks.Task, device: Device = MANILA, shots: int = 4000) -> Plan:
    return make_plan(task, device, RunOptions(shots=shots), ONCE)


def simulated(plan: Plan, shots: int = 20_000) -> list[float]:
    """The share of right answers in a run with the device's noise and idle times."""
    counts = NoisySimulator(plan.device).run(plan.circuits, shots, seed=11)
    return [
        sum(c.get(x, 0) for x in p.part.answer.right) / c.shots
        for p, c in zip(plan.parts, counts, strict=True)
    ]


def described(*errors: float) -> Device:
    """A line of qubits whose ``sx`` have the errors given; all else is perfect."""
    target = Target(num_qubits=len(errors), dt=1e-9)
    target.add_instruction(
        library.SXGate(), {(q,): InstructionProperties(0, e) for q, e in enumerate(errors)}
    )
    pairs = [(q, q + 1) for q in range(len(errors) - 1)]
    target.add_instruction(
        library.CZGate(), {pair: InstructionProperties(0, 0.0) for pair in pairs}
    )
    target.add_instruction(
        Measure(), {(q,): InstructionProperties(0, 0.0) for q in range(len(errors))}
    )
    return Device("described", target, (None,) * len(errors), ())


TASKS = {
    "deutsch": tasks.deutsch(CLASSIC.code("RGBY"), CLASSIC),
    "adaptive 2x4": tasks.adaptive(Rules(2, 4).code("GO"), Rules(2, 4)),
    "grover 2": tasks.grover_marked(["10"], 1),
    "grover 3, 1": tasks.grover_marked(["101"], 1),
    "grover 3, 2": tasks.grover_marked(["101"], 2),
    "grover 3, two marked": tasks.grover_marked(["101", "011"], 1),
    "grover 4, 1": tasks.grover_marked(["1011"], 1),
}


@pytest.mark.parametrize("name", TASKS)
def test_a_forecast_is_near_the_simulation(name: str) -> None:
    plan = planned(TASKS[name])
    for part, found in zip(plan.parts, simulated(plan), strict=True):
        # 0.0035 is the sampling error of one standard deviation
        assert abs(part.forecast.success - found) < 0.03, (part.part.name, part.forecast, found)


def test_the_whole_distribution_is_predicted() -> None:
    plan = planned(TASKS["grover 3, 1"])
    (part,) = plan.parts
    predicted = predicted_distribution(part.native, MANILA, part.part.ideal).array()
    (counts,) = NoisySimulator(MANILA).run(plan.circuits, 20_000, seed=5)
    found = np.array([counts.get(format(i, "03b"), 0) / counts.shots for i in range(8)])
    assert predicted.sum() == pytest.approx(1)
    assert np.abs(predicted - found).sum() / 2 < 0.05  # total variation distance
    assert np.abs(part.part.ideal.array() - found).sum() / 2 > 0.1  # noise is no small thing


def test_the_number_of_iterations_is_the_best_under_noise() -> None:
    plans = plan_iterations(
        lambda k: tasks.grover_marked(["1011"], k),
        lambda k: math.sin((2 * k + 1) * math.asin(0.25)) ** 2,
        3,
        MANILA,
        RunOptions(),
        ONCE,
    )
    assert set(plans) == {1, 2, 3}
    chosen = list(plans)[-1]
    success = {k: simulated(plan)[0] for k, plan in plans.items()}
    assert success[chosen] >= max(success.values()) - 0.01
    assert chosen < 3  # without noise it would be 3


def test_many_iterations_are_extrapolated() -> None:
    built: list[int] = []

    def build(k: int) -> tasks.Task:
        built.append(k)
        return tasks.grover_marked(["1011"], k)

    plans = plan_iterations(
        build, lambda k: math.sin((2 * k + 1) * 0.05) ** 2, 15, MANILA, RunOptions(), ONCE
    )
    assert {1, 2} <= set(plans)
    assert len(plans) <= 5
    assert set(built) == set(plans)


@pytest.mark.parametrize(("name", "apart"), [("grover 3, 2", 1), ("adaptive 2x4", 2)])
def test_a_circuit_in_parts_has_the_noise_of_the_whole(name: str, apart: int) -> None:
    # against Aer's own model of the whole device; its readout is the same for 0 and 1
    symmetric = replace(
        MANILA,
        readout=tuple(
            Readout(error, error)
            for error in (MANILA.target["measure"][(q,)].error for q in range(5))
        ),
    )
    plan = make_plan(TASKS[name], symmetric, RunOptions(), Compilation(3, 1))
    (circuit,) = plan.circuits
    assert len(components(circuit)) == apart
    assert len(used_qubits(circuit)) < 5
    (ours,) = NoisySimulator(symmetric).run([circuit], 40_000, 1)
    passes = [TimeUnitConversion(target=MANILA.target), ALAPScheduleAnalysis(target=MANILA.target)]
    whole = PassManager([*passes, PadDelay(target=MANILA.target)]).run(circuit)
    simulator = AerSimulator.from_backend(MANILA.backend)
    theirs = simulator.run(whole, shots=40_000, seed_simulator=51).result().get_counts()
    width = circuit.num_clbits
    for bits in (format(i, f"0{width}b") for i in range(2**width)):
        p, q = ours.get(bits, 0) / 40_000, theirs.get(bits[::-1], 0) / 40_000
        assert abs(p - q) < 5 * math.sqrt((p + q) / 40_000) + 1e-4


def test_readout_errors_differ_for_0_and_1() -> None:
    readout = tuple(Readout(0.0, 0.3) for _ in range(5))
    device = replace(MANILA, readout=readout)
    for prepared, share in (("0", 1.0), ("1", 0.7)):
        circuit = QuantumCircuit(5, 1)
        if prepared == "1":
            circuit.x(0)
        circuit.measure(0, 0)
        answer = Answer.whole([prepared])
        expected = forecast(circuit, device, point(prepared), answer, 100)
        (counts,) = NoisySimulator(device).run([circuit], 20_000, seed=3)
        assert expected.success == pytest.approx(share, abs=0.002)
        assert counts.get(prepared, 0) / counts.shots == pytest.approx(share, abs=0.02)


def random_circuit(rng: np.random.Generator, gates: int) -> QuantumCircuit:
    circuit = QuantumCircuit(5, 3)
    for _ in range(gates):
        kind = rng.integers(5)
        q = int(rng.integers(4))
        if kind == 0:
            circuit.sx(q)
        elif kind == 1:
            circuit.rz(0.3, q)
        elif kind == 2:
            circuit.barrier(sorted({q, int(rng.integers(4))}))
        else:
            pair = (q, q + 1) if kind == 3 else (q + 1, q)
            circuit.cx(*pair)
    circuit.barrier()
    circuit.measure([0, 1, 2], [0, 1, 2])
    return circuit


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(0, 25))
def test_waiting_times_are_those_of_qiskits_schedule(seed: int, gates: int) -> None:
    circuit = random_circuit(np.random.default_rng(seed), gates)
    waits, duration = waiting_times(circuit, MANILA)
    ours = [0.0] * 5
    for qubit, seconds in waits:
        ours[qubit] += seconds
    theirs = [0.0] * 5
    begun: set[int] = set()
    timed = scheduled(circuit, MANILA.target)
    unfinished = {q: [] for q in range(5)}  # type: ignore[var-annotated]
    for step in timed.data:
        qubits = [timed.find_bit(q).index for q in step.qubits]
        if step.operation.name == "delay":
            unfinished[qubits[0]].append(step.operation.duration * MANILA.target.dt)
        elif step.operation.name != "barrier":
            for q in qubits:  # only a delay between two operations is a wait
                if q in begun:
                    theirs[q] += sum(unfinished[q])
                unfinished[q] = []
                begun.add(q)
    assert ours == pytest.approx(theirs, abs=1e-12)
    assert duration <= timed.estimate_duration(MANILA.target, unit="s") + 1e-12


def test_waiting_costs_fidelity_and_t2_is_clamped() -> None:
    circuit = QuantumCircuit(5, 1)
    circuit.sx(0)
    circuit.delay(50, 0, unit="us")
    circuit.sx(0)
    circuit.measure(0, 0)
    t1, t2 = MANILA.t1_t2(0)
    assert t2 <= 2 * t1
    error, seconds = MANILA.error_and_duration("sx", (0,))
    gate = min(1 - 1.5 * error, (1 + math.exp(-seconds / t1) + 2 * math.exp(-seconds / t2)) / 4)
    wait = (1 + math.exp(-50e-6 / t1) + 2 * math.exp(-50e-6 / t2)) / 4
    found = forecast(circuit, MANILA, point("1"), Answer.whole(["1"]), 100)
    assert found.fidelity == pytest.approx(gate**2 * wait)
    many = [snapshot(name) for name in ("almaden", "brooklyn")]
    assert all(t2 <= 2 * t1 for d in many for t1, t2 in map(d.t1_t2, range(d.num_qubits)))


def test_components_are_forecast_by_themselves() -> None:
    # two pegs, of which one is noisy: the other's decision does not suffer
    device = described(0.2, 0.0, 0.0)
    circuit = QuantumCircuit(3, 3)
    circuit.sx(0)
    circuit.sx(0)
    circuit.cz(1, 2)
    circuit.measure(range(3), range(3))
    ideal = Distribution(3, (Factor((0,), np.array([0.0, 1.0])), *(
        Factor((b,), np.array([1.0, 0.0])) for b in (1, 2))))  # fmt: skip
    answer = Answer(frozenset(["100"]), ((0,), (1, 2)))
    found = forecast(circuit, device, ideal, answer, 100)
    assert found.fidelity == pytest.approx(0.7**2)
    weight = 0.49 ** (1 - HARMLESS)
    assert found.success == pytest.approx(weight + (1 - weight) / 2)
    assert found.lead == pytest.approx(weight)


@given(st.permutations(range(4)), st.integers(1, 4), st.integers(0, 1000))
def test_marginals_follow_the_order_of_their_bits(order: list[int], size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.random(4), rng.random(4)
    whole = Distribution(
        4, (Factor((2, 0), first / first.sum()), Factor((1, 3), second / second.sum()))
    )
    bits = order[:size]
    cube = whole.array().reshape((2,) * 4)
    expected = np.zeros(2**size)
    for index in np.ndindex(2, 2, 2, 2):
        expected[int("".join(str(index[b]) for b in bits), 2)] += cube[index]
    assert _marginal(whole, bits) == pytest.approx(expected)


@pytest.mark.parametrize(("lead", "shots"), [(0.3, 4000), (0.05, 20_000)])
def test_the_shots_called_needed_do_suffice(lead: float, shots: int) -> None:
    # three values; in 300 games with as many shots as were called needed, the right one leads
    table = np.array([0.35 + lead, 0.35, 0.3 - lead, 0.0])
    predicted = Distribution.dense(table)
    circuit = QuantumCircuit(2, 2)
    circuit.cz(0, 1)
    circuit.measure([0, 1], [0, 1])
    found = forecast(circuit, described(0.0, 0.0), predicted, Answer.whole(["00"]), shots)
    assert found.lead == pytest.approx(lead)
    assert found.shots_needed is not None
    rng = np.random.default_rng(1)
    games = [predicted.sample(found.shots_needed, rng) for _ in range(300)]
    assert all(Counts(g).most_common(1)[0][0] == "00" for g in games)
    assert found.verdict == "go"


def test_verdicts() -> None:
    circuit = QuantumCircuit(5, 1)
    circuit.measure(0, 0)
    device = replace(MANILA, readout=(None,) * 5)
    close = Distribution.dense(np.array([0.52, 0.48]))
    verdicts = {
        shots: forecast(circuit, device, close, Answer.whole(["0"]), shots).verdict
        for shots in (100_000, 10_000, 2_000, 100)
    }
    assert verdicts == {100_000: "go", 10_000: "go", 2_000: "warn", 100: "refuse"}
    wrong = forecast(circuit, device, close, Answer.whole(["1"]), 100_000)
    assert (wrong.verdict, wrong.shots_needed) == ("refuse", None)
    long = QuantumCircuit(5, 1)
    long.sx(0)
    long.delay(500, 0, unit="us")
    long.measure(0, 0)
    late = forecast(long, device, point("0"), Answer.whole(["0"]), 100_000)
    assert late.verdict == "refuse"
    assert "keeps its phase" in late.reason


def test_the_articles_search_over_12_qubits_is_refused() -> None:
    # 4 pegs of 3 bits, Hadamards on all of them, 10 iterations, on the article's device
    task = tasks.grover_code(CLASSIC.code("RGBY"), CLASSIC, 10, "all")
    assert task.num_qubits == 12
    plan = make_plan(task, snapshot("almaden"), RunOptions(), ONCE)
    (part,) = plan.parts
    assert plan.verdict == "refuse"
    assert part.forecast.ideal == pytest.approx(0.103865218, abs=1e-6)
    assert part.forecast.fidelity < 1e-3
    assert part.forecast.two_qubit_gates > 1000
    assert "noise is all that is left" in plan.reason


def test_a_forecast_needs_something_measured_and_something_right() -> None:
    circuit = QuantumCircuit(5)
    circuit.sx(0)
    with pytest.raises(UsageError, match="measures something"):
        forecast(circuit, MANILA, uniform(0), Answer(frozenset([""]), ((),)), 1)
    with pytest.raises(UsageError, match="at least one right"):
        Answer.whole([])


def test_broken_couplings_and_qubits_are_not_used() -> None:
    geneva, boston, kyoto = snapshot("geneva"), snapshot("boston"), snapshot("kyoto")
    assert (16, 14) in geneva.unusable  # one direction only
    assert (16, 14) not in geneva.target["cx"]
    assert (14, 16) in geneva.target["cx"]
    assert (146,) not in boston.target["sx"]  # its sx has error 1
    assert {(145, 146), (146, 147)} <= set(boston.unusable)
    assert kyoto.two_qubit_gates == ()  # every edge of that snapshot has error 1
    for device in (geneva, boston, kyoto):
        for name in device.target.operation_names:
            for properties in device.target[name].values():
                error = getattr(properties, "error", None)
                assert error is None or error < 1
    plan = planned(TASKS["deutsch"], kyoto)
    assert plan.verdict == "go"  # no two-qubit gate is needed


def bell() -> Circuit:
    builder = CircuitBuilder(Register("x", 2))
    builder.h(0)
    builder.x(1, [0])
    return builder.build().measured()


def lagos(gates: tuple[str, ...], error: float | None) -> Device:
    """Lagos with another error of some instructions on qubit 5, the target alone saying so."""

    def make() -> FakeLagosV2:
        backend = FakeLagosV2()
        for name in gates:
            duration = backend.target[name][(5,)].duration
            changed = InstructionProperties(duration, error)
            backend.target.update_instruction_properties(name, (5,), changed)
        backend.properties = lambda: None
        return backend

    return from_backend(make)


@pytest.mark.parametrize("error", [None, float("nan"), 1.0])
@pytest.mark.parametrize("gates", [("measure",), ("sx", "x")])
def test_what_was_not_calibrated_is_not_taken_for_perfect(
    gates: tuple[str, ...], error: float | None
) -> None:
    device = lagos(gates, error)
    assert {pair for pair in device.unusable if 5 in pair} == {
        *((3, 5), (5, 3), (4, 5), (5, 4), (5, 6), (6, 5))
    }
    whole = planned(tasks.plain(bell(), "Bell"), lagos((), None))
    plan = planned(tasks.plain(bell(), "Bell"), device)
    assert 5 not in plan.parts[0].initial_layout
    assert plan.parts[0].forecast.success <= whole.parts[0].forecast.success + 1e-9
    json.dumps(plan.as_dict(), allow_nan=False)


def test_what_is_left_of_a_device_decides_what_fits() -> None:
    kyoto = snapshot("kyoto")
    with pytest.raises(UnsupportedError, match="all of its 144 couplings as unusable"):
        planned(TASKS["grover 2"], kyoto)
    device = lagos(("measure",), None)
    with pytest.raises(TooLargeError, match="6 can be used"):
        planned(tasks.plain(Circuit((Register("x", 7),)), "wide"), device)


def test_what_a_snapshot_says_about_itself_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from qiskit_ibm_runtime.fake_provider.backends.nighthawk import fake_nighthawk

    monkeypatch.setattr(fake_nighthawk, "DISPLAY_WARNING", True)  # it speaks once a process
    assert any("not intended" in note for note in snapshot("nighthawk").notes)


def test_isa_check() -> None:
    """Qiskit/qiskit-ibm-runtime#1718, qiskit-community/qiskit-device-benchmarking#58: non-ISA."""
    good = transpile(QuantumCircuit(2), target=MANILA.target)
    require_isa([good], MANILA)
    for wrong, words in (
        (lambda c: c.h(0), "h on qubits 0"),
        (lambda c: c.cx(0, 2), "cx on qubits 0, 2"),
        (lambda c: c.ccx(0, 1, 2), "ccx"),
    ):
        circuit = QuantumCircuit(5)
        wrong(circuit)
        with pytest.raises(NotIsaError, match=words):
            require_isa([good, circuit], MANILA)
    with pytest.raises(NotIsaError, match="6 qubits"):
        require_isa([QuantumCircuit(6)], MANILA)
    fractional = snapshot("fractional")
    for angle, fits in ((0.5, True), (-0.5, False), (2.0, False)):
        circuit = QuantumCircuit(5)
        circuit.rzz(angle, 0, 1)
        if fits:
            require_isa([circuit], fractional)
        else:
            with pytest.raises(NotIsaError, match="must be in 0 to pi/2"):
                require_isa([circuit], fractional)


def test_compiled_angles_are_those_that_the_device_takes() -> None:
    plan = planned(TASKS["grover 3, 2"], snapshot("fractional"))  # its rzz, from Qiskit 2.6 on
    angles = [float(i.operation.params[0]) for i in plan.circuits[0].data if i.name == "rzz"]
    assert all(0 <= angle <= math.pi / 2 + 1e-9 for angle in angles)
    (found,) = simulated(plan)
    assert found == pytest.approx(plan.parts[0].forecast.success, abs=0.06)


def test_a_circuit_wider_than_the_device() -> None:
    with pytest.raises(TooLargeError, match="the circuit has 8 qubits, fake_manila has 5"):
        planned(tasks.adaptive(Rules(4, 4).code("RGOY"), Rules(4, 4)))


def test_circuit_hashes_tell_circuits_apart() -> None:
    def build(angle: float, qubit: int) -> QuantumCircuit:
        circuit = QuantumCircuit(3, 1, name=str(np.random.default_rng().random()))
        circuit.rz(angle, qubit)
        circuit.measure(qubit, 0)
        return circuit

    assert circuit_hash(build(0.5, 0)) == circuit_hash(build(0.5, 0))
    assert len({circuit_hash(build(a, q)) for a in (0.5, 0.25) for q in (0, 1)}) == 4


def test_a_barrier_keeps_the_oracle_in_the_circuit() -> None:
    code = CLASSIC.code("RGBY")
    fenced = planned(tasks.deutsch(code, CLASSIC))
    merged = planned(tasks.deutsch(code, CLASSIC, fence=False))
    assert min(p.forecast.depth for p in fenced.parts) > 2
    assert max(p.forecast.depth for p in merged.parts) <= 2  # an X for each member
    grover = tasks.grover_marked(["11"], 1)
    assert sum(type(op).__name__ == "Barrier" for op in grover.parts[0].circuit.flat()) == 2


def test_a_spare_qubit_makes_wide_gates_cheaper() -> None:
    task = tasks.grover_marked(["10110"], 1)
    guadalupe = snapshot("guadalupe")
    lent = planned(task, guadalupe).parts[0]
    assert lent.spares > 0
    from qmastermind_qiskit.ibm.compilation import compile_circuit

    alone = compile_circuit(task.parts[0].circuit, guadalupe, 3, 0)
    cx = alone.native.count_ops()["cx"]
    assert lent.forecast.two_qubit_gates < 0.8 * cx


def test_the_fingerprint_is_of_the_work_not_of_the_calibration() -> None:
    task = TASKS["deutsch"]
    one = planned(task)
    other_layout = make_plan(task, MANILA, RunOptions(), Compilation(1, 1))
    assert one.fingerprint == other_layout.fingerprint
    assert one.fingerprint != planned(task, shots=10).fingerprint
    other_secret = tasks.deutsch(CLASSIC.code("RGBR"), CLASSIC)
    assert one.fingerprint != planned(other_secret).fingerprint


def sampling(num_qubits: int) -> Circuit:
    """A state spread over all bitstrings, none of which stands out, entangled along a line."""
    builder = CircuitBuilder(Register("x", num_qubits))
    for q in range(num_qubits):
        builder.h(q)
        builder.ry(0.2 + 0.05 * q, q)
    for q in range(num_qubits - 1):
        builder.x(q + 1, [q])
        builder.ry(0.3, q + 1)
    return builder.build().measured()


def test_a_circuit_without_a_right_answer_is_judged_by_its_noise_alone() -> None:
    flat = CircuitBuilder(Register("x", 3))
    for q, angle in enumerate((0.05, 0.1, 0.02)):
        flat.h(q)
        flat.ry(angle, q)
    plan = planned(tasks.plain(flat.build().measured(), "flat"), shots=10)
    assert plan.verdict == "go"
    assert "without an error" in plan.reason
    long = CircuitBuilder(Register("x", 2))
    long.h(0)
    for _ in range(600):
        long.x(1, [0])
        long.barrier()
    assert planned(tasks.plain(long.build().measured(), "long")).verdict == "refuse"


def test_a_circuit_that_nobody_can_simulate_has_a_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    task = tasks.plain(sampling(40), "wide")
    plan = make_plan(task, snapshot("torino"), RunOptions(shots=100), ONCE)
    part = plan.parts[0]
    found = part.forecast
    assert (found.ideal, found.lead, found.shots_needed) == (None, None, None)
    assert 0 < found.success < found.fidelity < 1
    assert plan.verdict == "warn"
    assert "too wide to simulate" in plan.reason
    assert part.as_dict()["right"] == []
    json.dumps(plan.as_dict(), allow_nan=False)

    # On a circuit that can be simulated, the two forecasts differ by readout and harmless errors.
    small = planned(tasks.plain(bell(), "Bell")).parts[0].forecast
    monkeypatch.setattr(tasks.Part, "ideal", None)
    blind = planned(tasks.plain(bell(), "Bell")).parts[0].forecast
    assert blind.fidelity == small.fidelity
    assert blind.success == pytest.approx(small.success, abs=0.03)
    assert blind.duration == small.duration
