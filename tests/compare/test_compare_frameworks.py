import statistics
from dataclasses import replace

import pytest

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.comparison import FRAMEWORKS, Cell
from qmastermind.comparison.cells import run_cell
from qmastermind.registry import registered_backends
from qmastermind.target import Target

INSTALLED = [
    name
    for name in FRAMEWORKS
    if (plugin := registered_backends().get(name)) and plugin.cls and not plugin.cls.info.missing()
]


def native_circuit():
    """Already in the basis, with nothing to merge: every run of one-qubit gates is rz, sx."""
    b = CircuitBuilder(Register("x", 4))
    for layer in range(6):
        for q in range(4):
            b.rz(0.3 + 0.1 * q + layer, q)
            b.sx(q)
        for q in range(0, 4, 2):
            b.x((q + 1 + layer % 2) % 4, [(q + layer % 2) % 4])
    return b.build()


@pytest.mark.parametrize("backend", INSTALLED)
def test_one_counter_gives_one_answer_at_level_0(backend):
    """The same circuit through each framework, untouched, has identical counts."""
    cell = Cell("native", native_circuit(), backend, 0, "framework", Target())
    row = run_cell(cell)
    assert row.equivalent is True
    expected = {
        "qubits": 4, "used_ancillas": 0, "depth": 18, "two_qubit_depth": 6, "two_qubit_gates": 12,
        "one_qubit_gates": 48, "virtual_rz": 24,
    }  # fmt: skip
    assert row.figures == expected


@pytest.mark.parametrize("backend", INSTALLED)
@pytest.mark.parametrize("lowering", ["framework", "ours"])
def test_a_multi_controlled_gate_through_each_framework(backend, lowering):
    b = CircuitBuilder(Register("x", 5))
    b.z(4, [0, 1, 2, 3], [1, 0, 1, 1])
    for target in (Target(), Target.line(5)):
        row = run_cell(Cell("mcz", b.build(), backend, 2, lowering, target))
        assert row.status == "ok"
        assert row.equivalent is True
        assert row.passes
        assert row.version


@pytest.mark.skipif("qiskit" not in INSTALLED, reason="Qiskit is not installed")
def test_a_router_is_asked_with_several_seeds():
    b = CircuitBuilder(Register("x", 6))
    b.z(5, range(5))
    seeds = tuple(range(1, 9))
    cell = Cell("mcz", b.build(), "qiskit", 2, "framework", Target.line(6), seeds=seeds)
    row = run_cell(cell)
    assert row.ranked
    low, high = row.spread["two_qubit_gates"]
    assert low < high
    singles = [run_cell(replace(cell, seeds=(seed,))).figures for seed in seeds]
    for name in ("depth", "two_qubit_gates"):
        values = [figures[name] for figures in singles]
        assert row.figures[name] == statistics.median_low(values)
        assert row.spread[name] == (min(values), max(values))


@pytest.mark.parametrize("backend", INSTALLED)
def test_our_lowering_is_never_worse_than_the_frameworks_own(backend):
    b = CircuitBuilder(Register("x", 8))
    b.z(7, range(7))
    figures = {
        lowering: run_cell(Cell("mcz", b.build(), backend, 2, lowering, Target())).figures
        for lowering in ("framework", "ours")
    }
    for name in ("two_qubit_gates", "two_qubit_depth"):
        assert figures["ours"][name] <= figures["framework"][name]
