import copy
import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.errors import CodeSyntaxError, TooLargeError, UnknownNameError, UsageError
from qmastermind.game import COLOUR_LETTERS, RULE_SETS, Code, Rules
from qmastermind.game.feedback import feedback

SMALL = [
    Rules(1, 2), Rules(1, 3), Rules(2, 2), Rules(3, 2), Rules(2, 3), Rules(3, 3), Rules(4, 3),
    Rules(3, 4), Rules(2, 2, repeats=False), Rules(3, 3, repeats=False), Rules(3, 4, repeats=False),
    Rules(3, 5, repeats=False), Rules(2, 3, blanks=True),
]  # fmt: skip


@st.composite
def rules_and_code(draw):
    positions = draw(st.integers(1, 8))
    repeats = draw(st.booleans())
    colours = draw(st.integers(max(2, 1 if repeats else positions), 40))
    rules = Rules(positions, colours, repeats=repeats, blanks=draw(st.booleans()))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return rules, rules.random_code(rng)


@given(rules_and_code(), st.sampled_from(["letters", "digits", "numbers"]))
def test_every_style_reads_back(case, style):
    rules, code = case
    assert rules.code(rules.format(code, style)) == code
    assert rules.code(str(code)) == code
    assert rules.code(str(code).lower().replace(",", " ")) == code


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_enumeration(rules):
    codes = list(rules.codes())
    assert len(codes) == len(set(codes)) == rules.num_codes
    assert codes == sorted(codes)
    assert rules.code_array().tolist() == [list(c) for c in codes]
    everything = product(range(rules.colours), repeat=rules.positions)
    allowed = [c for c in everything if rules.repeats or len(set(c)) == len(c)]
    assert [tuple(c) for c in codes] == allowed


@pytest.mark.parametrize("rules", SMALL, ids=str)
def test_feedbacks_are_exactly_those_that_occur(rules):
    codes = list(rules.codes())
    assert set(rules.feedbacks()) == {feedback(a, b) for a in codes for b in codes}


def test_named_rule_sets():
    sizes = {name: rules.num_codes for name, rules in RULE_SETS.items()}
    assert sizes == {"classic": 1296, "blanks": 2401, "super": 32768, "bulls-and-cows": 5040}
    with pytest.raises(UnknownNameError, match=r"known: blanks, .*Did you mean 'classic'"):
        Rules.named("clasic")


def test_letters_are_distinct_and_start_as_printed_on_the_box():
    assert COLOUR_LETTERS.startswith("ROYGBIVW")
    assert len(set(COLOUR_LETTERS)) == len(COLOUR_LETTERS) == 26


def test_the_blank_has_a_symbol_of_its_own():
    rules = Rules.named("blanks")
    code = rules.code("R-_.")
    assert tuple(code) == (0, 6, 6, 6)
    assert str(code) == "R---"
    assert rules.code("1777") == code


def test_ten_digits_may_use_zero():
    rules = Rules.named("bulls-and-cows")
    assert tuple(rules.code("0123")) == (9, 0, 1, 2)
    assert tuple(rules.code("10,1,2,3")) == (9, 0, 1, 2)


@pytest.mark.parametrize(
    ("rules", "text", "position", "words"),
    [
        (Rules(), "RBXY", 2, "'X' is no colour"),
        (Rules(), "RBVY", 2, "expected a colour letter of ROYGBI"),
        (Rules(), "11 7 1", 0, "'11' is no colour"),
        (Rules(), "1,2,7,1", 4, "'7' is no colour"),
        (Rules(), "RB", 2, "too short: 2 pegs, expected 4"),
        (Rules(), "RRRRR", 4, "too long: 5 pegs, expected 4"),
        (Rules(), "1, ,3,4", 1, "a number is missing"),
        (Rules(), "1,2,3,", 5, "a number is missing"),
        (Rules(), "   ", 0, "empty"),
        (Rules(), "R²BY", 1, "'²' is no colour"),
        (Rules.named("bulls-and-cows"), "1231", 3, "repeats a colour"),
        (Rules(), "RB-Y", 2, "no colour"),
    ],
)
def test_faults_are_shown_where_they_are(rules, text, position, words):
    with pytest.raises(CodeSyntaxError) as caught:
        rules.code(text)
    assert words in str(caught.value)
    assert caught.value.position == position
    assert str(caught.value).endswith(f"\n  {text}\n  {' ' * position}^")


def test_a_number_of_any_length_is_read_or_refused():
    rules = Rules(2, 12)
    assert rules.code("0" * 5000 + "12, 1") == (11, 0)
    with pytest.raises(CodeSyntaxError, match="a number from 1 to 12"):
        rules.code("1" * 5000 + ", 1")


def test_numbers_of_one_position_are_not_split_into_digits():
    assert tuple(Rules(1, 30).code("12")) == (11,)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 6), "at least 1 position"),
        ((-1, 6), "at least 1 position"),
        ((4, 1), "at least 2 colours"),
        ((4, 3, False), "at least 4 colours"),
    ],
)
def test_rules_that_make_no_game(arguments, words):
    with pytest.raises(UsageError, match=words):
        Rules(*arguments)


def test_pegs_are_checked():
    with pytest.raises(UsageError, match=r"0\.\.5"):
        Rules().code((0, 1, 2, 6))
    with pytest.raises(UsageError, match="4 pegs here, not 3"):
        Rules().code((0, 1, 2))
    with pytest.raises(UsageError, match="no colour twice"):
        Rules(3, 4, repeats=False).code((1, 1, 0))
    with pytest.raises(UsageError, match="cannot occur"):
        Rules().check_feedback((3, 1))
    with pytest.raises(UsageError, match="unknown style"):
        format(Rules().code("RBRY"), "emoji")


def test_huge_games_are_not_enumerated():
    with pytest.raises(TooLargeError, match="too many to enumerate"):
        Rules(12, 8).code_array()


def test_codes_survive_pickle_and_copy():
    code = Rules.named("blanks").code("R--O")
    for twin in (pickle.loads(pickle.dumps(code)), copy.deepcopy(code)):
        assert twin == code
        assert str(twin) == "R--O"
    assert repr(code) == "Code('R--O')"
    assert Code((0, 1)) == (0, 1)


def test_numbers_that_are_no_whole_numbers():
    for positions, colours in ((4.5, 6), ("4", 6), (4, None)):
        with pytest.raises(UsageError, match="must be a whole number"):
            Rules(positions, colours)
    with pytest.raises(UsageError, match="text or a sequence of peg values, not 1234"):
        Rules().code(1234)
    with pytest.raises(UsageError, match=r"a peg value must be a whole number, not 1\.5"):
        Rules().code((1.5, 0, 0, 0))
    assert Rules().code(np.array([1, 0, 2, 3])) == (1, 0, 2, 3)
    for answer in (3, (1,), (1, 2, 3)):
        with pytest.raises(UsageError, match="two numbers, black and white"):
            Rules().check_feedback(answer)
    with pytest.raises(UsageError, match=r"black must be a whole number, not 0\.5"):
        Rules().check_feedback((0.5, 1))
