"""The ledger of the documentation is what the program computes."""

import hashlib
import re
from pathlib import Path

import pytest

from qmastermind_classical.exact.cells import PUBLISHED
from qmastermind_classical.exact.jobs import Job, prove
from qmastermind_classical.exact.ledger import Ledger, markdown
from qmastermind_classical.exact.tree import load_tree
from qmastermind_classical.exact.verify import verify_tree

DOCS = Path(__file__).parents[2] / "docs"
LEDGER = Ledger.open(DOCS / "ledger.json")


def seconds(cell):
    return LEDGER.records[cell]["proofs"]["main"]["seconds"]


def test_the_page_shows_the_results_file():
    text = (DOCS / "ledger.md").read_text()
    shown = re.search(r"<!-- table -->\n(.*?)<!-- end of table -->", text, re.DOTALL)
    assert shown is not None
    assert shown[1] == markdown(LEDGER, LEDGER.cells())


def test_every_published_cell_is_there_and_every_new_one_is_proved_twice():
    assert PUBLISHED.keys() <= LEDGER.records.keys()
    new = [cell for cell in LEDGER.cells() if LEDGER.records[cell]["status"] == "new"]
    twice = [c for c in new if {"main", "cross"} <= LEDGER.records[c]["proofs"].keys()]
    assert len(twice) >= 6
    assert set(new) == set(twice)


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(c, marks=[] if seconds(c) < 1 else pytest.mark.slow, id=c.spec)
        for c in LEDGER.cells()
        if seconds(c) < 100
    ],
)
def test_cells_are_proved_as_written(cell):
    """Totals, sets and tree hashes: the search and its result are the same on every machine."""
    record = LEDGER.records[cell]
    proof = prove(Job(cell))
    fresh = Ledger(DOCS / "none.json")
    fresh.enter(proof, None)
    found = fresh.records[cell]
    written = record["proofs"]["main"]
    assert {k: v for k, v in found.items() if k != "proofs"} == {
        k: v for k, v in record.items() if k != "proofs"
    }
    again = found["proofs"]["main"]
    assert again["expanded_sets"] == written["expanded_sets"]
    assert (again["tree"] or {}).get("sha256") == (written["tree"] or {}).get("sha256")


@pytest.mark.parametrize("path", sorted((DOCS / "trees").glob("*.json")), ids=lambda p: p.stem)
def test_trees_beside_the_page_are_strategies_of_the_totals_there(path):
    """For cells that take too long to be proved again."""
    [record] = [LEDGER.records[c] for c in LEDGER.cells() if c.spec == path.stem]
    tree = load_tree(path)
    assert list(verify_tree(tree)) == record["distribution"]
    assert tree.total == record["total"]
    assert tree.sha256 == record["proofs"]["main"]["tree"]["sha256"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == tree.sha256
