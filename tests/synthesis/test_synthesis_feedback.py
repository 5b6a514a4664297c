"""Consistency oracles on all codes, by classical simulation, lowered, and in a Grover search."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthesis_truth import embedded, evolve, state_of

from qmastermind.algorithms.grover import diffuser
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Apply, Circuit, Register
from qmastermind.encoding import Encoding
from qmastermind.errors import UsageError
from qmastermind.game import Code, Feedback, Rules, feedback, is_consistent
from qmastermind.oracle.feedback import consistency_counters, consistency_one_hot
from qmastermind.resources import count
from qmastermind.synthesis import Policy, lower

History = list[tuple[Code, Feedback]]
DESIGNS = [consistency_counters, consistency_one_hot]
CLASSIC = Rules()


def played(rules: Rules, secret: str, *guesses: str) -> History:
    return [(g, feedback(g, rules.code(secret))) for g in map(rules.code, guesses)]


def phases(circuit: Circuit, inputs: np.ndarray) -> np.ndarray:
    """The phase of each input, shape ``(m,)``; inputs are bits of shape ``(m, data qubits)``.

    Simulates X and phases; asserts that data and ancillas are given back.
    """
    bits = np.zeros((len(inputs), circuit.num_qubits), dtype=bool)
    bits[:, list(circuit.data)] = inputs
    start = bits.copy()
    angles = np.full(len(inputs), circuit.total_global_phase)
    for op in circuit.flat():
        assert isinstance(op, Apply)
        holds = np.ones(len(inputs), dtype=bool)
        for q, value in zip(op.controls, op.values, strict=True):
            holds &= bits[:, q] == bool(value)
        if op.gate.name == "x":  # type: ignore[union-attr]
            bits[:, op.targets[0]] ^= holds
        else:
            diagonal = np.angle(np.diag(op.gate.matrix()))  # type: ignore[union-attr]
            angles += np.where(holds, diagonal[bits[:, op.targets[0]].astype(int)], 0.0)
    assert np.array_equal(bits, start)
    return angles


def bits_of(encoding: Encoding, codes: list[Code]) -> np.ndarray:
    return np.array([[b == "1" for b in encoding.encode(code)] for code in codes])


@st.composite
def games(draw: st.DrawFn) -> tuple[Rules, History]:
    colours = draw(st.integers(2, 8))
    positions = draw(st.integers(1, 5 if colours < 5 else 4))
    repeats = draw(st.booleans()) or positions > colours
    rules = Rules(positions, colours, repeats)
    codes = list(rules.codes())
    secret = draw(st.sampled_from(codes))
    guesses = draw(st.lists(st.sampled_from(codes), max_size=3))
    history = [(guess, feedback(guess, secret)) for guess in guesses]
    if history and draw(st.integers(0, 4)) == 0:  # an answer that may contradict the others
        history[0] = (guesses[0], draw(st.sampled_from(rules.feedbacks())))
    return rules, history


@pytest.mark.parametrize("design", DESIGNS)
@given(game=games())
@settings(max_examples=40, deadline=None)
def test_all_codes(design: Callable[..., Circuit], game: tuple[Rules, History]) -> None:
    rules, history = game
    encoding = Encoding(rules)
    codes = list(rules.codes())
    angles = phases(design(history, encoding, 0.7), bits_of(encoding, codes))
    assert np.allclose(angles, [0.7 * is_consistent(code, history) for code in codes])


@pytest.mark.parametrize("design", DESIGNS)
@given(game=games(), spare=st.integers(0, 1))
@settings(max_examples=25, deadline=None)
def test_no_phase_on_what_is_no_code(
    design: Callable[..., Circuit], game: tuple[Rules, History], spare: int
) -> None:
    rules, history = game
    width = Encoding(rules).bits_per_peg + spare
    encoding = Encoding(rules, peg_bits=width)
    if encoding.num_bits > 12:
        return
    words = [format(i, f"0{encoding.num_bits}b") for i in range(2**encoding.num_bits)]
    inputs = np.array([[b == "1" for b in word] for word in words])
    decoded = [encoding.decode(word) for word in words]
    angles = phases(design(history, encoding, check_codes=True), inputs)
    wanted = [math.pi * (code is not None and is_consistent(code, history)) for code in decoded]
    assert np.allclose(angles, wanted)


@pytest.mark.parametrize("design", DESIGNS)
def test_all_1296_codes(design: Callable[..., Circuit]) -> None:
    rng = np.random.default_rng(3)
    encoding = Encoding(CLASSIC)
    codes = list(CLASSIC.codes())
    inputs = bits_of(encoding, codes)
    for _ in range(12):
        secret, *guesses = (CLASSIC.random_code(rng) for _ in range(1 + rng.integers(1, 4)))
        history = [(guess, feedback(guess, secret)) for guess in guesses]
        angles = phases(design(history, encoding), inputs)
        assert np.allclose(angles, [math.pi * is_consistent(c, history) for c in codes])


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("policy", [Policy.none(), Policy(2)])
def test_lowered_on_superpositions(design: Callable[..., Circuit], policy: Policy) -> None:
    """All codes at once, through the relative-phase Toffolis: only the wanted signs remain."""
    for rules, secret, guesses in (
        (Rules(2, 3), (1, 2), [(0, 1)]),
        (Rules(2, 3), (0, 0), [(0, 2), (1, 1)]),
        (Rules(3, 2), (0, 1, 0), [(0, 0, 1)]),
        (Rules(2, 4), (3, 1), [(3, 3), (1, 0)]),
    ):
        history = [(rules.code(g), feedback(g, secret)) for g in guesses]
        encoding = Encoding(rules)
        circuit = design(history, encoding)
        lowered = lower(circuit, ancillas=policy)
        if lowered.num_qubits > 15:
            continue
        start = state_of(encoding.prepare("valid"))
        rng = np.random.default_rng(0)
        start = start * np.exp(2j * math.pi * rng.random(start.size))
        signs = np.ones(start.size)
        for code in rules.codes():
            if is_consistent(code, history):
                signs[int(encoding.encode(code), 2)] = -1
        size = lowered.num_qubits
        found = evolve(lowered, embedded(start, range(encoding.num_bits), size))
        wanted = embedded(start * signs, range(encoding.num_bits), size)
        assert np.abs(found - wanted).max() < 1e-10


def test_grover_with_the_smallest_game() -> None:
    """Two codes of nine fit: one iteration finds one with probability 0.990397805213."""
    rules = Rules(2, 3)
    encoding = Encoding(rules)
    history = [(rules.code((0, 1)), feedback((0, 1), (1, 2)))]
    for design in DESIGNS:
        b = CircuitBuilder(Register("code", encoding.num_bits))
        b.compose(encoding.prepare("valid"))
        b.compose(design(history, encoding))
        b.compose(diffuser(encoding.prepare("valid")))
        lowered = lower(b.build())
        state = state_of(lowered).reshape(2**encoding.num_bits, -1)
        right = [
            int(encoding.encode(code), 2) for code in rules.codes() if is_consistent(code, history)
        ]
        assert len(right) == 2
        probability = float((np.abs(state[right, 0]) ** 2).sum())
        assert probability == pytest.approx(0.990397805213, abs=1e-11)


ARTICLE = ["RGBY", "RRGO", "RBOR"]
LIMITS = [
    # rows, (qubits, CX) with counters, (qubits, CX, two-qubit depth) one-hot
    (1, (22, 350), (42, 265, 97)),
    (2, (28, 789), (58, 409, 143)),
    (3, (32, 1233), (66, 495, 163)),
]


@pytest.mark.parametrize(("rows", "counters", "one_hot"), LIMITS)
def test_cost_for_the_rows_of_the_article(
    rows: int, counters: tuple[int, int], one_hot: tuple[int, int, int]
) -> None:
    history = played(CLASSIC, "ROYR", *ARTICLE[:rows])
    few = count(lower(consistency_counters(history, Encoding(CLASSIC)), ancillas=Policy.none()))
    assert few.qubits <= counters[0]
    assert few.two_qubit_gates <= counters[1]
    fast = count(lower(consistency_one_hot(history, Encoding(CLASSIC)), ancillas=Policy.none()))
    assert fast.qubits <= one_hot[0]
    assert fast.two_qubit_gates <= one_hot[1]
    assert fast.two_qubit_depth <= one_hot[2]


def test_reached_cost_for_the_rows_of_the_article() -> None:
    """What these designs reach; a change that costs more is seen here."""
    reached = []
    for rows in (1, 2, 3):
        history = played(CLASSIC, "ROYR", *ARTICLE[:rows])
        for design in DESIGNS:
            figures = count(lower(design(history, Encoding(CLASSIC)), ancillas=Policy.none()))
            reached.append((figures.qubits, figures.two_qubit_gates))
    limits = [(21, 260), (34, 182), (25, 472), (46, 328), (27, 546), (49, 402)]
    assert all(
        a <= b for pair in zip(reached, limits, strict=True) for a, b in zip(*pair, strict=True)
    )


def test_histories_without_rows_and_without_codes() -> None:
    encoding = Encoding(CLASSIC)
    code = CLASSIC.code("RGBY")
    for design in DESIGNS:
        assert design([], encoding, 0.4).total_global_phase == 0.4
        contradiction = [(code, Feedback(4, 0)), (code, Feedback(0, 0))]
        inputs = bits_of(encoding, [code, CLASSIC.code("OOOO")])
        assert np.allclose(phases(design(contradiction, encoding), inputs), 0)


def test_one_hot_codes_are_refused() -> None:
    with pytest.raises(UsageError, match="binary"):
        consistency_counters([], Encoding(CLASSIC, "one-hot"))


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS[:1])
def test_lowered_for_the_classic_game(design: Callable[..., Circuit]) -> None:
    """The 21-qubit circuit in {rz, sx, x, cx} on all 1296 codes at once."""
    encoding = Encoding(CLASSIC)
    history = played(CLASSIC, "ROYR", *ARTICLE[:1])
    lowered = lower(design(history, encoding), ancillas=Policy.none())
    start = state_of(encoding.prepare("valid"))
    signs = np.ones(start.size)
    for code in CLASSIC.codes():
        if is_consistent(code, history):
            signs[int(encoding.encode(code), 2)] = -1
    size = lowered.num_qubits
    found = evolve(lowered, embedded(start, range(encoding.num_bits), size))
    wanted = embedded(start * signs, range(encoding.num_bits), size)
    assert np.abs(found - wanted).max() < 1e-10
