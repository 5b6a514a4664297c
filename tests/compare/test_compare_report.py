"""Ranking, pictures, charts and the page of a comparison."""

import csv
import io
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.comparison import FIGURES, OURS, Cell, Row
from qmastermind.comparison import cells as cells_module
from qmastermind.comparison.cells import run_cell
from qmastermind.comparison.charts import (
    alone,
    bar_panels,
    overview_panels,
    together,
)
from qmastermind.comparison.figures import is_clifford_t
from qmastermind.comparison.growth import exponent, in_growth
from qmastermind.comparison.picture import svg
from qmastermind.comparison.report import to_html
from qmastermind.comparison.tables import (
    HEADINGS,
    blocks,
    cells_of,
    columns,
    decisive,
    ranked,
    ranking,
    remarks,
    shown_equivalent,
    to_csv,
    to_markdown,
    verdict,
)
from qmastermind.target import Target

CLIFFORD_T = ("h", "s", "sdg", "t", "tdg", "x", "cx")


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
    assert sorted(fills) == ["currentColor", "var(--paper, #fff)"]  # one control on 1, one on 0
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


def figures(**changes):
    return {**row().figures, **changes}


def test_slopes_are_exponents():
    points = [(n, 3.0 * n**2) for n in (2, 6, 8, 12)]
    assert exponent(points) == pytest.approx(2)
    assert exponent(points[:2]) is None
    assert exponent([(n, 0) for n in (6, 8)]) is None


def test_growth_leaves_out_what_was_shown_to_differ():
    rows = [row(circuit=f"oracle {n}", equivalent=True if n < 6 else None) for n in (6, 4, 2)]
    other = [
        row(circuit="oracle 8", equivalent=False),
        row(circuit="oracle 10", status="timed out", figures={}),
    ]
    (lines,) = in_growth(rows + other).values()
    assert lines == {OURS: rows[::-1]}
    assert in_growth([row(circuit="oracle, 3 parts")]) == {}


def test_growth_on_lines_is_a_line_and_another_target_a_chart_of_its_own():
    sizes = (4, 6, 8)
    lines = [row(circuit=f"oracle {n}", target=f"line-{n}") for n in sizes]
    free = [row(circuit=f"oracle {n}") for n in sizes]
    found = in_growth(lines + free)
    assert [target for _, target, _ in found] == ["line", "all-to-all"]
    assert [len(members) for series in found.values() for members in series.values()] == [3, 3]
    assert [panel.name for panel in overview_panels(lines + free)] == [
        "oracle on line: 2q depth",
        "oracle on all-to-all: 2q depth",
    ]


def test_a_clifford_t_block_is_ranked_by_t_depth():
    assert is_clifford_t(CLIFFORD_T)
    assert not is_clifford_t(("rz", "sx", "x", "cx"))
    assert not is_clifford_t(("h", "s", "cx"))
    better = row(basis=CLIFFORD_T, backend="a", figures=figures(t_depth=2, depth=99))
    (members,) = blocks([row(basis=CLIFFORD_T), better]).values()
    assert [r.backend for _, r in ranked(members)] == ["a", OURS]
    assert {"t_depth", "t_gates"} <= set(columns(members))
    assert not {"t_depth", "t_gates"} & set(columns([row()]))


@pytest.mark.parametrize(
    "key", ["t_depth", "t_gates", "two_qubit_depth", "two_qubit_gates", "depth", "one_qubit_gates"]
)
def test_every_figure_of_the_ranking_decides_where_those_before_it_are_equal(key):
    keys = ranking([row(basis=CLIFFORD_T)])
    later = keys[keys.index(key) + 1 :]
    worse = row(basis=CLIFFORD_T, figures=figures(**{key: 99}, **dict.fromkeys(later, 0)))
    (members,) = blocks([worse, row(basis=CLIFFORD_T, backend="a")]).values()
    assert [(rank, r.backend) for rank, r in ranked(members)] == [(1, "a"), (2, OURS)]


def test_virtual_gates_rank_as_one_qubit_gates_alone():
    rows = [row(figures=figures(virtual_rz=n), backend=name) for n, name in ((1, "a"), (2, "b"))]
    (members,) = blocks(rows).values()
    assert [rank for rank, _ in ranked(members)] == [1, 1]


def test_the_ranking_is_that_of_columns_reports_and_docs():
    docs = Path(__file__).parents[2].joinpath("docs", "compare.md").read_text()
    plain, device = ranking([row()]), ranking([row(figures=figures(success=0.5))])
    clifford_t = ranking([row(basis=CLIFFORD_T)])
    assert device == ("success", *plain)
    assert clifford_t == ("t_depth", "t_gates", *plain)
    for keys in (plain, device, clifford_t):
        assert list(keys) == [key for key in HEADINGS if key in keys]
    assert f"**{', '.join(HEADINGS[key] for key in plain)}**" in docs
    assert f"**{', '.join(HEADINGS[key] for key in clifford_t[:2])}**" in docs
    sentence = "Ranked by success, then 2q depth, then 2q gates, then depth, then 1q gates."
    assert sentence in to_markdown([row(figures=figures(success=0.5))])


def test_a_block_of_a_device_is_ranked_by_expected_success():
    likely = row(backend="a", figures=figures(two_qubit_depth=9, success=0.9))
    short = row(backend="b", figures=figures(success=0.8))
    unknown = row(backend="c")  # its success could not be computed
    (members,) = blocks([unknown, short, likely]).values()
    assert [(rank, r.backend) for rank, r in ranked(members)] == [(1, "a"), (2, "b"), (3, "c")]


def test_success_ranks_by_the_digits_that_are_shown():
    long = row(backend="a", figures=figures(two_qubit_depth=9, success=0.81349))
    short = row(backend="b", figures=figures(success=0.81251))
    (members,) = blocks([long, short]).values()
    assert [cells_of(r, None)["success"] for r in members] == ["0.813", "0.813"]
    assert [r.backend for r in members] == ["b", "a"]
    small = cells_of(row(figures=figures(success=1.234e-5)), 1)
    assert small["success"] == "1.23e-05"


def test_charts_and_summary_show_what_decides():
    assert decisive([row()]) == ["two_qubit_depth"]
    assert decisive([row(), row(figures=figures(two_qubit_gates=5))]) == [
        "two_qubit_depth", "two_qubit_gates",
    ]  # fmt: skip
    assert decisive([row(), row(figures=figures(depth=6))]) == ["two_qubit_depth", "depth"]
    nothing = {"two_qubit_depth": 0, "two_qubit_gates": 0}
    assert decisive([row(figures=figures(**nothing))]) == ["depth"]
    on_device = [row(figures=figures(**nothing, success=p)) for p in (0.9, 0.8)]
    assert decisive(on_device) == ["success"]
    t = [row(basis=CLIFFORD_T, figures=figures(t_gates=n)) for n in (9, 12)]
    assert decisive(t) == ["t_depth", "t_gates"]
    unproved = row(figures=figures(two_qubit_gates=5), equivalent=None)
    assert decisive([row(), unproved]) == ["two_qubit_depth"]


def test_t_gates_are_counted_in_clifford_t_bases_alone():
    b = CircuitBuilder(Register("x", 3))
    b.z(2, [0, 1])
    elsewhere = run_cell(Cell("ccz", b.build(), OURS, 2, "ours", Target()))
    assert set(elsewhere.figures) == set(FIGURES) - {"t_gates", "t_depth"}
    there = run_cell(Cell("ccz", b.build(), OURS, 2, "ours", Target(CLIFFORD_T)))
    assert set(there.figures) == set(FIGURES)
    assert there.figures["t_gates"] == 7
    lines = list(csv.DictReader(io.StringIO(to_csv([elsewhere, there]))))
    assert [line["t_gates"] for line in lines] == ["", "7.0"]
    assert [line["t_depth_max"] == "" for line in lines] == [True, False]


def test_a_median_is_the_figure_of_a_circuit_that_was_compiled(monkeypatch):
    """Of an even number of seeds too."""
    honest = cells_module.compile_cell(Cell("c", circuit(), OURS, 2, "ours", Target()), 1)

    def more_each_time(cell, seed):
        b = CircuitBuilder(Register("x", 3))
        for _ in range(seed**2):
            b.x(1, [0])
        return replace(honest, circuit=b.build(), native=b.build(), seconds=float(seed))

    monkeypatch.setattr(cells_module, "compile_cell", more_each_time)
    found = run_cell(Cell("c", circuit(), OURS, 2, "ours", Target(), seeds=(4, 3, 2, 1)))
    assert found.figures["depth"] == 4
    assert found.spread["depth"] == (1, 16)
    assert found.seconds == 2


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
    assert cells_of(row(seeds=(1, 5, 9)), 1)["seeds"] == "1, 5, 9"
    assert "seeds" in columns([several])
    assert "seeds" not in columns([row()])
    large = cells_of(row(figures={"depth": 1234567.0}), 1)
    assert large["depth"] == "1234567"


def test_passes_stand_below_the_tables():
    text = to_markdown([row(passes="a > b", backend="qiskit", version="2.6")])
    assert "* qiskit 2.6, level 2: a > b" in text


def test_a_partial_sweep_says_so():
    told = "interrupted: 5 of 9 rows"
    assert to_markdown([row()], {"interrupted": told}).startswith(f"**{told}**\n\n### ")
    assert to_markdown([row()], {}) == to_markdown([row()])
    page = to_html([row()], {"interrupted": f"<{told}>"}, {})
    assert f"<p class='partial'>&lt;{told}&gt;." in page
    assert "class='partial'" not in to_html([row()], {}, {})


def test_reports_say_how_rows_were_shown_equivalent():
    rows = [row(), row(method="states"), row(method="states"), row(equivalent=None)]
    text = "3 of 4 rows shown equivalent to the original circuit: 2 by states, 1 by unitary"
    assert shown_equivalent(rows) == text
    assert f"{text}." in to_markdown(rows)
    assert f"{text}." in page_of(*rows)
    assert shown_equivalent(rows[3:]) == "0 of 1 rows shown equivalent to the original circuit"


def test_rows_of_one_remark_share_it():
    failed = [row(backend=b, status="failed", detail="no\nmore") for b in ("a", "b")]
    noted = row(detail="no expected success: no calibration")
    assert remarks([row(), noted, *failed]) == {noted.detail: [noted], "no": failed}


def page_of(*rows, **about):
    pytest.importorskip("matplotlib")
    return to_html(rows, about, {})


def test_the_reasons_of_failures_stand_below_the_table():
    why = "a one-qubit gate of the circuit cannot be written exactly; " * 5
    page = page_of(row(), *(row(backend=b, status="failed", detail=why) for b in ("a", "b")))
    assert page.count(why) == 1
    assert f"<li class='bad'>a level 2, our lowering; b level 2, our lowering: {why}</li>" in page
    assert page.count("<td class='verdict'>failed</td>") == 2
    assert "In no ranking: 2 of 3 rows" in page


def test_every_row_points_to_its_passes_and_says_its_seeds():
    rows = [row(passes=name, backend=b) for name, b in (("p > q", "a"), ("r", "b"), ("r", "b"))]
    page = page_of(*rows)
    listed = dict(re.findall(r"<li id='p(\d+)'>([^<]*)", page))
    assert listed == {"1": "a 1, level 2: p &gt; q", "2": "b 1, level 2: r"}
    assert re.findall(r"href='#p(\d+)'", page) == ["1", "2", "2"]
    assert "<button>seeds</button>" in page
    assert "title=" not in page.replace("<title>", "")


def test_the_summary_shows_what_decides():
    shown = [row(basis=CLIFFORD_T, backend=b, figures=figures(t_depth=n)) for b, n in
             (("a", 7), ("b", 7), ("c", 8))]  # fmt: skip
    summary = page_of(*shown).partition("<section")[0]
    assert "<th class='n'>T depth</th>" in summary
    assert "2q" not in summary.partition("</style>")[2]
    assert "and 1 more" in summary  # of two that are best none is left out
    assert re.findall(r"<td class='n'>(\d+)</td>", summary) == ["7", "8"]


def test_spread_stands_below_the_median():
    several = replace(row(seeds=(1, 2, 3)), spread={**row().spread, "depth": (4, 9)})
    assert "<td class='n'>5 <small>(4-9)</small></td>" in page_of(several)


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
    assert "var(--paper)" in page  # charts and pictures follow a dark page
    assert "fill: #000000" not in page
    for words in ("step:", "<th class='n'><button>2q depth</button>", "Repeat it with"):
        assert words in page


def test_charts_are_the_same_each_time():
    rows = [row(), row(backend="qiskit")]
    assert page_of(*rows) == page_of(*rows)


def test_a_plot_of_nothing_says_so():
    pytest.importorskip("matplotlib")
    assert bar_panels([row(equivalent=None)]) == []
    assert [text.get_text() for text in together([]).texts] == ["no row was shown equivalent"]


def test_bars_show_figure_spread_and_whose_lowering():
    pytest.importorskip("matplotlib")
    theirs = row(backend="qiskit", lowering="framework", figures=figures(two_qubit_depth=8))
    theirs = replace(theirs, spread={**theirs.spread, "two_qubit_depth": (6, 9)})
    (panel,) = bar_panels([row(), theirs])
    assert panel.name == "2q depth"
    assert "Faded: the framework's own" in panel.caption
    assert "the least and the most" in panel.caption
    (axes,) = alone(panel).axes
    assert [bar.get_width() for bar in axes.patches] == [3, 8]
    assert [bar.get_alpha() for bar in axes.patches] == [None, 0.55]
    assert [text.get_text() for text in axes.texts] == ["3", "8 (6-9)"]
    (line,) = axes.get_lines()
    assert list(line.get_xdata()) == [6, 9]


def test_a_plot_says_what_it_compares():
    pytest.importorskip("matplotlib")
    panels = bar_panels([row(), row(figures=figures(two_qubit_gates=5))])
    fig = together([("c on all-to-all, basis {rz}", panels)])
    (part,) = fig.subfigs
    assert part.get_suptitle() == "c on all-to-all, basis {rz}"
    assert part.get_supxlabel().startswith("Full colour: our lowering")
    assert [axes.get_title(loc="left") for axes in part.axes] == ["2q depth", "2q gates"]


def test_several_devices_share_a_plot():
    pytest.importorskip("matplotlib")
    rows = [
        row(target=f"d{i}", backend=backend, figures=figures(success=0.1 * i))
        for i in range(1, 4)
        for backend in ("qiskit", f"fake:d{i}")
    ]
    assert overview_panels(rows[:4]) == []
    (panel,) = overview_panels(rows)
    (axes,) = alone(panel).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["d3", "d2", "d1"]
    lines = {line.get_label(): list(line.get_xdata()) for line in axes.get_lines()}
    expected = pytest.approx([0.1, 0.2, 0.3])
    assert lines["qiskit level 2, our lowering"] == expected
    assert lines["the device's own compiler level 2, our lowering"] == expected
    (both,) = overview_panels([*rows, *(replace(r, level=3) for r in rows)])
    assert "circles for level 2, diamonds for level 3" in both.caption
    markers = {line.get_label(): line.get_marker() for line in alone(both).axes[0].get_lines()}
    assert markers["qiskit level 2, our lowering"] != markers["qiskit level 3, our lowering"]


def test_nothing_of_a_chart_is_cut_off():
    pytest.importorskip("matplotlib")
    wide = replace(row(seeds=(1, 2)), spread={**row().spread, "two_qubit_depth": (2, 4_000_000)})
    (panel,) = bar_panels([wide, row()])
    fig = alone(panel)
    fig.draw_without_rendering()
    (axes,) = fig.axes
    assert all(fig.bbox.containsx(text.get_window_extent().x1) for text in axes.texts)


def grown(level=2, **changes):
    return [
        row(circuit=f"oracle {n}", level=level, figures=figures(two_qubit_depth=n**2),
            equivalent=True if n < 10 else None, **changes)
        for n in (4, 6, 8, 10)
    ]  # fmt: skip


def test_the_growth_plot_has_slopes_and_marks_what_is_not_proved():
    pytest.importorskip("matplotlib")
    (panel,) = overview_panels(grown())
    (axes,) = alone(panel).axes
    line, unproved = axes.get_lines()
    assert line.get_label() == f"{OURS}: n^2.0"
    assert list(line.get_xdata()) == [4, 6, 8, 10]
    assert list(unproved.get_xdata()) == [10]
    assert unproved.get_markerfacecolor() == "#ffffff"


def test_levels_have_markers_of_their_own():
    pytest.importorskip("matplotlib")
    rows = grown(2, backend="qiskit", lowering="framework")
    (panel,) = overview_panels(rows + grown(3, backend="qiskit", lowering="framework"))
    assert "circles for level 2, diamonds for level 3" in panel.caption
    (axes,) = alone(panel).axes
    markers = {line.get_label(): line.get_marker() for line in axes.get_lines()}
    assert markers["qiskit level 2: n^2.0"] != markers["qiskit level 3: n^2.0"]
