"""The article's search against figures that were measured apart from this package.

Measured with each framework alone, its multi-controlled gates handed over as its own, and counted
by another counter: two-qubit gates, two-qubit depth and depth of one Grover iteration with its
preparation, secret OYGB, 12 qubits. They hold for these versions only.
"""

import pytest

from qmastermind.comparison import OURS, Cell, blocks, build_case, in_order, run_cells, suite
from qmastermind.comparison.cells import run_cell
from qmastermind.game import Rules
from qmastermind.registry import registered_backends
from qmastermind.target import Target

VERSIONS = {"qiskit": "2.6.", "cirq": "1.7.", "pennylane": "0.45.", "tket": "2.18."}
PACKAGES = {"cirq": "cirq-core", "tket": "pytket"}
RZ_CX, RZ_CZ, U_CX, U_CZ = (
    ("rz", "sx", "x", "cx"),
    ("rz", "sx", "x", "cz"),
    ("u", "cx"),
    ("u", "cz"),
)
RXYZ = ("rz", "rx", "ry", "cx")
CLOSE = 0.02

# backend, level, basis, spare qubits: two-qubit gates, two-qubit depth, depth
QUICK = [
    ("qiskit", 0, RZ_CX, 0, 884, 304, 985),
    ("qiskit", 1, RZ_CX, 0, 884, 304, 555),
    ("qiskit", 2, RZ_CX, 0, 880, 300, 651),
    ("qiskit", 3, RZ_CX, 0, 880, 300, 651),
    ("qiskit", 3, RZ_CX, 1, 119, 107, 281),
    ("qiskit", 3, RZ_CX, 2, 119, 71, 191),
    ("qiskit", 3, RZ_CX, 9, 119, 71, 191),
    ("qiskit", 3, RZ_CZ, 0, 880, 300, 1212),
    ("qiskit", 3, U_CX, 0, 880, 300, 532),
    ("tket", 1, RZ_CX, 0, 880, 556, 1130),
    ("tket", 2, RZ_CX, 0, 880, 556, 1210),
    ("pennylane", 2, RXYZ, 1, 216, 178, None),
    ("pennylane", 2, RXYZ, 2, 204, 114, None),
    ("pennylane", 2, RXYZ, 9, 120, 120, None),
]
SLOW = [
    ("tket", 3, RZ_CX, 0, 880, 556, 1210),
    ("pennylane", 0, RXYZ, 0, 2800, 2295, 5592),
    ("pennylane", 2, RXYZ, 0, 2800, 2295, 5121),
    ("cirq", 2, U_CZ, 0, 3496, 3150, 6301),
    ("cirq", 3, U_CZ, 1, 464, 421, 843),
    ("cirq", 3, U_CZ, 9, 236, 233, 467),
]


def required(backend):
    plugin = registered_backends().get(backend)
    if plugin is None or plugin.cls is None or plugin.cls.info.missing():
        pytest.skip(f"{backend} is not installed")
    package = PACKAGES.get(backend, backend)
    version = plugin.cls.info.versions()[package]
    if not version.startswith(VERSIONS[backend]):
        pytest.skip(f"measured with {package} {VERSIONS[backend]}, not {version}")


def check(backend, level, basis, spares, gates, two_qubit_depth, depth):
    required(backend)
    circuit = build_case("grover-iteration", Rules(), Rules().code("OYGB"))
    cell = Cell("step", circuit, backend, level, "framework", Target(basis), spares)
    row = run_cell(cell)
    assert row.ranked
    expected = {"two_qubit_gates": gates, "two_qubit_depth": two_qubit_depth, "depth": depth}
    for name, value in expected.items():
        if value is not None:
            assert row.figures[name] == pytest.approx(value, rel=CLOSE), name


@pytest.mark.parametrize(
    ("backend", "level", "basis", "spares", "gates", "two_qubit_depth", "depth"), QUICK
)
def test_figures_of_one_iteration(backend, level, basis, spares, gates, two_qubit_depth, depth):
    check(backend, level, basis, spares, gates, two_qubit_depth, depth)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "level", "basis", "spares", "gates", "two_qubit_depth", "depth"), SLOW
)
def test_figures_of_one_iteration_that_take_long(
    backend, level, basis, spares, gates, two_qubit_depth, depth
):
    check(backend, level, basis, spares, gates, two_qubit_depth, depth)


def least(rows, figure):
    """The least figure by whose lowering it was, for each block and number of spare qubits."""
    for members in blocks(rows).values():
        for spares in {row.ancillas for row in members}:
            given = [row for row in members if row.ancillas == spares]
            yield {
                kind: min(
                    row.figures[figure] for row in given if kind in (row.lowering, row.backend)
                )
                for kind in ("framework", "ours", OURS)
                if any(kind in (row.lowering, row.backend) for row in given)
            }


def test_our_lowering_has_the_least_depth_and_count_of_a_small_search():
    from qmastermind.comparison import FRAMEWORKS, grid

    for backend in FRAMEWORKS:
        required(backend)
    rules = Rules(2, 8)
    steps = {name: build_case(name, rules, rules.code("RO")) for name in ("oracle", "deutsch")}
    steps["grover"] = build_case("grover", rules, rules.code("RO"), 2)
    rows = [run_cell(cell) for cell in grid(steps, levels=(1,), ancillas=(0, 2))]
    assert all(row.ranked for row in rows)
    for figure in ("two_qubit_depth", "two_qubit_gates"):
        found = list(least(rows, figure))
        assert len(found) == 6
        for best in found:
            assert best["ours"] <= best["framework"]


@pytest.mark.slow
def test_the_suite_of_the_article():
    for backend in VERSIONS:
        required(backend)
    cells = suite("article")
    rows = in_order(run_cells(cells, workers=2, timeout=600), cells)
    assert len(rows) == len(cells)
    for row in rows:
        assert row.ranked, (row.circuit, row.backend, row.lowering, row.status, row.detail)
    for figure in ("two_qubit_depth", "two_qubit_gates"):
        for best in least(rows, figure):
            assert best[OURS] <= min(best.values())
    step = {
        (row.backend, row.level, row.ancillas): row
        for row in rows
        if row.circuit == "grover-iteration" and row.lowering == "framework"
    }
    expected = {
        ("qiskit", 2, 0): (880, 300),
        ("qiskit", 2, 1): (119, 107),
        ("qiskit", 2, 9): (119, 71),
        ("tket", 2, 0): (880, 556),
        ("cirq", 2, 0): (3496, 3150),
        ("cirq", 3, 1): (464, 421),
        ("cirq", 3, 9): (236, 233),
        ("pennylane", 2, 0): (2800, 2295),
        ("pennylane", 2, 1): (216, 178),
        ("pennylane", 2, 9): (120, 120),
    }
    for key, (gates, depth) in expected.items():
        assert step[key].figures["two_qubit_gates"] == pytest.approx(gates, rel=CLOSE)
        assert step[key].figures["two_qubit_depth"] == pytest.approx(depth, rel=CLOSE)
