"""Strategy trees: the file format, the replay, and files that are not what they say."""

import copy
import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qmastermind.errors import QmastermindError, UsageError
from qmastermind.game import Codemaker, Feedback, Rules
from qmastermind_classical.exact.errors import FileFormatError, TreeError
from qmastermind_classical.exact.optimum import find_optimum
from qmastermind_classical.exact.tree import VERSION, load_tree
from qmastermind_classical.exact.verify import verify_tree

CLASSIC = Rules()
TREES = {
    "classic": lambda: find_optimum(CLASSIC),
    "capped": lambda: find_optimum(Rules(3, 4), max_guesses=4),
    "prescribed": lambda: find_optimum(CLASSIC, opening=CLASSIC.code("1122"), max_guesses=6),
    "consistent": lambda: find_optimum(Rules(3, 5), consistent=True),
    "distinct": lambda: find_optimum(Rules(3, 5, repeats=False)),
    "blanks": lambda: find_optimum(Rules(3, 4, blanks=True)),
    "many colours": lambda: find_optimum(Rules(2, 12)),
    "position": lambda: find_optimum(
        Rules(5, 8),
        history=[
            (Rules(5, 8).code("11223"), Feedback(2, 1)),
            (Rules(5, 8).code("11445"), Feedback(1, 1)),
        ],
    ),
    "one code": lambda: find_optimum(
        Rules(2, 3), history=[(Rules(2, 3).code("12"), Feedback(0, 2))]
    ),
}


@pytest.fixture(scope="module", params=TREES)
def tree(request):
    return TREES[request.param]().tree


@pytest.fixture(scope="module")
def small():
    return find_optimum(Rules(3, 4)).tree


def test_a_tree_is_read_as_it_was_written(tree, tmp_path):
    path = tmp_path / "tree.json"
    tree.save(path)
    again = load_tree(path)
    assert again == tree
    assert again.text == tree.text == path.read_text()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == tree.sha256
    assert verify_tree(again) == tree.distribution
    assert [p.name for p in tmp_path.iterdir()] == ["tree.json"]


def test_a_tree_has_one_node_for_each_guess_that_can_be_made(tree):
    nodes = list(tree.nodes())
    winning = sum(n.secrets - sum(p.secrets for p in n.after.values()) for n in nodes)
    assert winning == tree.secrets == sum(tree.distribution)
    assert sum(n.secrets for n in nodes) == tree.total
    assert tree.total == sum(turn * n for turn, n in enumerate(tree.distribution, start=1))


def test_playing_a_tree_finds_every_secret(small):
    total = 0
    for secret in small.rules.codes():
        maker = Codemaker(secret, small.rules)
        node = small.root
        while (answer := maker.answer(node.guess)).black < small.rules.positions:
            node = node.after[answer]
        total += maker.queries.classical
    assert total == small.total


def broken(tree, path, change):
    """Writes a tree with a change of its JSON; ``change`` returns what to write, or None."""
    data = json.loads(tree.text)
    new = change(data)
    path.write_text(json.dumps(data if new is None else new))
    return path


def verdict(path):
    return verify_tree(load_tree(path))


def node(data, *answers):
    found = data["root"]
    for answer in answers:
        found = found["after"][answer]
    return found


def setting(*keys_and_value):
    *keys, last, value = keys_and_value

    def change(data):
        for key in keys:
            data = data[key]
        data[last] = value

    return change


def first_wrong(small):
    """Some tampering, and the node that must be named."""
    guess = small.rules.format(small.root.guess, "digits")
    answers = [
        (f"{a.black},{a.white}", n) for a, n in small.root.after.items() if len(n.after) >= 2
    ]
    answer, below = answers[0]
    after = f"the node after {guess} ({answer})"
    inner = next(f"{a.black},{a.white}" for a in below.after)
    second = small.rules.format(below.guess, "digits")
    deep = f"the node after {guess} ({answer}), {second} ({inner})"
    other = next(small.rules.format(c, "digits") for c in small.rules.codes() if c != below.guess)
    root = ("root", "after", answer)
    return [
        (setting("root", "total", small.total - 1), "the first node says that it takes"),
        (setting("root", "secrets", 63), "the first node says that 63 codes are possible"),
        (setting(*root, "total", below.total + 1), f"{after} says that it takes"),
        (setting(*root, "secrets", below.secrets + 1), f"{after} says that"),
        (setting(*root, "guess", other), after),
        (setting(*root, "guess", "9999"), f"{after} cannot be read"),
        (setting(*root, "guess", "1"), f"{after} cannot be read"),
        (setting(*root, "after", {}), f"{after} does not say what follows"),
        (setting(*root, "after", inner, "555"), f"{deep} cannot be read"),
        (setting("root", "after", "0,9", "111"), "the first node goes on after"),
        (setting("root", "after", "black", "111"), "the first node cannot be read"),
        (lambda d: node(d, answer)["after"].pop(inner) and None, f"{after} does not say"),
        (lambda d: node(d, answer).pop("total") and None, f"{after} has no 'total'"),
        (setting(*root, "after", [1]), f"{after} cannot be read"),
        (setting("max_guesses", 2), "past the 2 allowed"),
        (setting("distribution", [1, 2, 3]), "the head says"),
    ]


@pytest.mark.parametrize("number", range(16))
def test_tampering_is_found_and_the_first_wrong_node_named(small, tmp_path, number):
    change, expected = first_wrong(small)[number]
    path = broken(small, tmp_path / "tree.json", change)
    with pytest.raises(TreeError) as error:
        verdict(path)
    assert expected in str(error.value)


def test_a_guess_that_must_be_possible(tmp_path):
    tree = find_optimum(Rules(3, 5)).tree  # which guesses what cannot be the secret
    path = broken(tree, tmp_path / "tree.json", setting("consistent", True))
    with pytest.raises(TreeError, match="which cannot be the secret"):
        verdict(path)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (setting("version", VERSION + 1), f"of version {VERSION + 1}; this program reads"),
        (setting("format", "other"), "is not a strategy tree"),
        (lambda d: [d], "is not a strategy tree"),
        (setting("rules", "positions", -3), "its head cannot be read"),
        (setting("rules", {}), ""),
        (setting("history", [["11"]]), "its head cannot be read"),
        (lambda d: d.pop("distribution") and None, "its head cannot be read"),
    ],
)
def test_files_of_another_kind(small, tmp_path, change, expected):
    path = broken(small, tmp_path / "tree.json", change)
    with pytest.raises((FileFormatError, TreeError)) as error:
        verdict(path)
    assert expected in str(error.value)


def test_damaged_files(small, tmp_path):
    path = tmp_path / "tree.json"
    for content in (small.text[:-40], "", "\0\1", "[" * 100_000):
        path.write_text(content)
        with pytest.raises(FileFormatError, match="not JSON, or damaged"):
            load_tree(path)
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(FileFormatError):
        load_tree(path)
    with pytest.raises(UsageError, match="cannot read"):
        load_tree(tmp_path / "none.json")
    with pytest.raises(UsageError, match="cannot read"):
        load_tree(tmp_path)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_changed_character_is_found_or_harmless(small, data, tmp_path_factory):
    """A file with one other character either is refused, or still says what the replay says."""
    at = data.draw(st.integers(0, len(small.text) - 1))
    new = data.draw(st.sampled_from('0123456789,:{}[]" ax'))
    path = tmp_path_factory.mktemp("tree") / "tree.json"
    path.write_text(small.text[:at] + new + small.text[at + 1 :])
    try:
        tree = load_tree(path)
        distribution = verify_tree(tree)
    except QmastermindError:
        return
    assert distribution == tree.distribution
    assert tree.total == sum(turn * n for turn, n in enumerate(distribution, start=1))


def test_an_interrupted_save_leaves_the_old_file(small, tmp_path, monkeypatch):
    path = tmp_path / "tree.json"
    path.write_text("old")

    def fail(*_):
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="no space"):
        copy.copy(small).save(path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["tree.json"]
