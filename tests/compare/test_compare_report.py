"""Pictures, charts and the page of a comparison."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from qmastermind.circuit import CircuitBuilder, Register
from qmastermind.comparison import OURS, Cell, Row
from qmastermind.comparison.cells import run_cell
from qmastermind.comparison.charts import (
    Point,
    bar_figure,
    exponent,
    overview_figure,
    scaling_series,
)
from qmastermind.comparison.picture import svg
from qmastermind.comparison.report import to_html
from qmastermind.comparison.tables import (
    blocks,
    cells_of,
    columns,
    is_clifford_t,
    ranked,
    to_markdown,
    verdict,
)
from qmastermind.target import Target


def row(**changes):
    base = Row(
        circuit="c", backend=OURS, version="1", level=2, passes="p", lowering="ours",
        target="all-to-all", basis=("rz", "sx", "x", "cx"), ancillas=0, seeds=(1,),
        figures={"depth": 5, "two_qubit_depth": 3, "two_qubit_gates": 4, "t_depth": 7,
                 "t_gates": 9, "one_qubit_gates": 6},
        equivalent=True, method="unitary",
    )  # fmt: skip
    changed = replace(base, **changes)
    return replace(changed, spread={k: (v, v) for k, v in changed.figures.items()})


def circuit():
    body = CircuitBuilder(Register("x", 2))
    body.h(0)
    body.x(1, [0], [0])
    b = CircuitBuilder(Register("x", 3))
    b.h(0)
    b.barrier()
    b.append(body.build(), (0, 1), repetitions=3, label="step")
    b.swap(0, 2)
    b.z(2, [0, 1], [1, 0])
    return b.build()


def test_a_picture_has_every_gate():
    root = ET.fromstring(svg(circuit()))
    space = "{http://www.w3.org/2000/svg}"
    texts = [node.text for node in root.iter(f"{space}text")]
    assert texts[:3] == ["x[0]", "x[1]", "x[2]"]
    assert sorted(texts[3:]) == ["H", "Z", "step^3"]
    fills = [node.get("fill") for node in root.iter(f"{space}circle")]
    assert sorted(fills) == ["#1d2430", "#fff"]  # one control on 1, one on 0
    assert len(list(root.iter(f"{space}path"))) == 2  # both ends of the swap


def test_a_long_circuit_is_cut_and_says_so():
    b = CircuitBuilder(Register("x", 1))
    for _ in range(130):
        b.h(0)
    assert "10 more layers" in svg(b.build())


def test_labels_cannot_leave_the_picture():
    b = CircuitBuilder(Register("x", 1))
    b.append(CircuitBuilder(Register("x", 1)).build(), label="<script>&")
    ET.fromstring(svg(b.build()))


def test_slopes_are_exponents():
    points = [Point(n, 3.0 * n**2, True) for n in (2, 6, 8, 12)]
    assert exponent(points) == pytest.approx(2)
    assert exponent(points[:2]) is None
    assert exponent([Point(n, 0, True) for n in (6, 8)]) is None


def test_scaling_leaves_out_what_was_shown_to_differ():
    rows = [row(circuit=f"oracle {n}", equivalent=True if n < 6 else None) for n in (2, 4, 6)]
    rows.append(row(circuit="oracle 8", equivalent=False))
    rows.append(row(circuit="oracle 10", status="timed out", figures={}))
    (series,) = scaling_series(rows).values()
    assert series == {OURS: [Point(2, 3, True), Point(4, 3, True), Point(6, 3, False)]}
    assert scaling_series([row(circuit="oracle, 3 parts")]) == {}


def test_a_clifford_t_block_is_ranked_by_t_depth():
    basis = ("h", "s", "sdg", "t", "tdg", "x", "cx")
    assert is_clifford_t(basis)
    assert not is_clifford_t(("rz", "sx", "x", "cx"))
    assert not is_clifford_t(("h", "s", "cx"))
    better = row(basis=basis, backend="a", figures={**row().figures, "t_depth": 2, "depth": 99})
    (members,) = blocks([row(basis=basis), better]).values()
    assert [r.backend for _, r in ranked(members)] == ["a", OURS]
    assert {"t_depth", "t_gates"} <= set(columns(members))
    assert not {"t_depth", "t_gates"} & set(columns([row()]))


def test_a_block_of_a_device_is_ranked_by_expected_success():
    likely = row(backend="a", figures={**row().figures, "two_qubit_depth": 9, "success": 0.9})
    short = row(backend="b", figures={**row().figures, "success": 0.8})
    (members,) = blocks([short, likely]).values()
    assert [(rank, r.backend) for rank, r in ranked(members)] == [(1, "a"), (2, "b")]


def test_verdicts():
    assert verdict(row()) == "yes (unitary)"
    assert verdict(row(distance=1e-12)) == "yes (unitary)"
    assert verdict(row(distance=8.6e-5)) == "to 9e-05 (unitary)"
    assert verdict(row(equivalent=False, detail="they differ")) == "NO (unitary): they differ"
    assert verdict(row(equivalent=None, detail="no proof in 3 s")) == "not shown: no proof in 3 s"
    assert verdict(row(status="died", detail="gone\nx")) == "died: gone"


def test_spread_and_seeds_are_shown():
    several = replace(row(seeds=(1, 2, 3)), spread={**row().spread, "depth": (4, 9)})
    cells = cells_of(several, 1)
    assert cells["depth"] == "5 (4-9)"
    assert cells["seeds"] == "1-3"
    assert "seeds" in columns([several])
    assert "seeds" not in columns([row()])
    large = cells_of(row(figures={"depth": 1234567.0}), 1)
    assert large["depth"] == "1234567"


def test_passes_stand_below_the_tables():
    text = to_markdown([row(passes="a > b", backend="qiskit", version="2.6")])
    assert "* qiskit 2.6, level 2: a > b" in text


def test_the_page_stands_alone_and_is_well_formed():
    pytest.importorskip("matplotlib")
    done = run_cell(Cell("c", circuit(), OURS, 2, "ours", Target()))
    bad = replace(done, backend="<b>", status="failed", detail="<i>no</i>", figures={}, spread={})
    about = {"command": "qmastermind compare", "versions": {"a": "1"}, "date": "today"}
    page = to_html([done, replace(done, backend="qiskit"), bad], about, {"c": circuit()})
    assert "<i>no</i>" not in page
    assert "&lt;i&gt;no&lt;/i&gt;" in page
    for external in ("src=", "@import", "<link"):
        assert external not in page
    ids = re.findall(r" id=[\"']([^\"']+)", page)
    assert len(ids) == len(set(ids))
    used = set(re.findall(r"(?:url\(|href=[\"'])#([^\"')]+)", page))
    assert used <= set(ids)
    for words in ("step:", "<th class='n'><button>2q depth</button>", "Repeat it with"):
        assert words in page


def test_nothing_that_is_proved_is_said_in_the_chart():
    pytest.importorskip("matplotlib")
    fig = bar_figure([row(equivalent=None)])
    assert [text.get_text() for text in fig.texts] == ["no row was shown equivalent"]


def test_several_devices_share_a_plot():
    pytest.importorskip("matplotlib")
    rows = [
        row(target=f"d{i}", backend=backend, figures={**row().figures, "success": 0.1 * i})
        for i in range(1, 4)
        for backend in ("qiskit", f"fake:d{i}")
    ]
    assert overview_figure(rows[:4]) is None
    (axes,) = overview_figure(rows).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["d3", "d2", "d1"]
    lines = {line.get_label(): list(line.get_xdata()) for line in axes.get_lines()}
    expected = pytest.approx([0.1, 0.2, 0.3])
    assert lines["qiskit, our lowering"] == expected
    assert lines["the device's own compiler, our lowering"] == expected


def test_the_scaling_plot_has_slopes_and_marks_what_is_not_proved():
    pytest.importorskip("matplotlib")
    rows = [
        row(circuit=f"oracle {n}", figures={**row().figures, "two_qubit_depth": n**2},
            equivalent=True if n < 10 else None)
        for n in (4, 6, 8, 10)
    ]  # fmt: skip
    (axes,) = overview_figure(rows).axes
    line, proved, unproved = axes.get_lines()
    assert line.get_label() == f"{OURS}: n^2.0"
    assert list(proved.get_xdata()) == [4, 6, 8]
    assert list(unproved.get_xdata()) == [10]
    assert unproved.get_markerfacecolor() == "white"
