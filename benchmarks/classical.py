"""Measures the classical codebreakers beside plain Python and beside published figures.

    python benchmarks/classical.py            everything, some minutes: the reference is slow
    python benchmarks/classical.py tree genetic

Sections: tree, article, second, genetic, permutation, human. Times are CPU seconds of this
process on one thread, after compilation; the fast side of a comparison is the best of five runs,
the reference runs once. A section that compares two programs checks that they
agree before it prints their ratio.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import TypeVar

os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import numpy as np

from qmastermind.game import Codemaker, Feedback, Rules, feedback
from qmastermind.solver import Solver
from qmastermind_classical.genetic import GeneticSolver
from qmastermind_classical.human import HumanSolver
from qmastermind_classical.onestep import MinimaxSolver
from qmastermind_classical.permutation import find_permutation, query_bound
from qmastermind_classical.replay import replay
from qmastermind_classical.scores import get_score_rule
from qmastermind_classical.strategy import Strategy

Pegs = tuple[int, ...]
T = TypeVar("T")


def timed(function: Callable[[], T], runs: int = 1) -> tuple[T, float]:
    """The result and the shortest time of some runs."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        result = function()
        best = min(best, time.process_time() - start)
    return result, best


# The reference: the rule as it is stated, in plain Python, scored by ``qmastermind.game.feedback``.


def plain_minimax(candidates: Sequence[Pegs], possible: list[Pegs]) -> Pegs:
    if len(possible) == 1:
        return possible[0]
    inside = set(possible)
    best: tuple[int, bool] | None = None
    chosen = possible[0]
    for guess in candidates:
        largest = max(Counter(feedback(guess, code) for code in possible).values())
        score = (largest, guess not in inside)
        if best is None or score < best:
            best, chosen = score, guess
    return chosen


def plain_tree(positions: int, colours: int) -> list[int]:
    codes = list(product(range(colours), repeat=positions))
    found: Counter[int] = Counter()
    pending = [(codes, 1)]
    while pending:
        possible, depth = pending.pop()
        guess = plain_minimax(codes, possible)
        parts: dict[Feedback, list[Pegs]] = {}
        for code in possible:
            parts.setdefault(feedback(guess, code), []).append(code)
        for answer, part in parts.items():
            if answer.black == positions:
                found[depth] += 1
            else:
                pending.append((part, depth + 1))
    return [found[depth] for depth in range(1, max(found) + 1)]


def plain_game(positions: int, colours: int, opening: Pegs, secret: Pegs) -> list[Pegs]:
    possible = list(product(range(colours), repeat=positions))
    guesses = [opening]
    while guesses[-1] != secret:
        answer = feedback(guesses[-1], secret)
        possible = [code for code in possible if feedback(guesses[-1], code) == answer]
        guesses.append(plain_minimax(possible, possible))
    return guesses


def compare(what: str, ours: float, plain: float, note: str = "") -> None:
    print(f"{what}: {ours:.3f} s; plain Python {plain:.1f} s; ratio {plain / ours:.0f}{note}")


def tree() -> None:
    """Minimax on MM(4,6) over all secrets; at least 100 times faster is the aim."""
    rule = get_score_rule("minimax")
    replay(Rules(3, 3), rule)  # compiles
    found, ours = timed(lambda: replay(Rules(), rule), runs=5)
    expected, plain = timed(lambda: plain_tree(4, 6))
    assert list(found.distribution) == expected, (found.distribution, expected)
    compare(f"whole tree of minimax on MM(4,6), total {found.total}", ours, plain)


def article() -> None:
    """The article's six-peg game, which took its author's program 295.7 s."""
    rules = Rules(6, 6)
    secret, opening = rules.code("OOYGIB"), rules.code("RGBYYY")
    solver = MinimaxSolver(consistent=True, opening=opening)
    solver.solve(Codemaker(secret, rules))  # compiles
    solution, ours = timed(lambda: solver.solve(Codemaker(secret, rules)), runs=5)
    expected, plain = timed(lambda: plain_game(6, 6, tuple(opening), tuple(secret)))
    assert [tuple(guess) for guess, _ in solution.guesses] == expected
    compare("the article's six-peg game", ours, plain, " (the article: 295.7 s)")


def second() -> None:
    """Minimax's second guess on 6x6, each of the 46,656 codes a candidate."""
    rules = Rules(6, 6)
    for name, opening, answer in (("RGBYYY", "RGBYYY", (0, 3)), ("RRROOO", "RRROOO", (0, 1))):
        strategy = Strategy(rules, get_score_rule("minimax"))
        guess = strategy.index(rules.code(opening))
        wanted = rules.feedbacks().index(answer)
        everything = strategy.everything()
        possible = everything[strategy.answers(guess, everything) == wanted]
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        full, seconds = timed(lambda s=strategy, p=possible: s.choose(p))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        unplayed = set(range(6)) - set(rules.code(opening))
        fewer, quick = timed(lambda s=strategy, p=possible, u=unplayed: s.choose(p, u))
        assert full.guess == fewer.guess
        print(
            f"second guess on 6x6 after {name}, {len(possible):,} codes possible: "
            f"{seconds:.2f} s over all 46,656 guesses, {quick:.2f} s without renamings; "
            f"{grown:.0f} MB of memory"
        )


def play_many(solvers: Callable[[int], Solver], rules: Rules, games: int) -> tuple[str, float]:
    rng = np.random.default_rng(2009)
    secrets = [rules.random_code(rng) for _ in range(games)]
    lengths = []
    start = time.process_time()
    for seed, secret in enumerate(secrets):
        solution = solvers(seed).solve(Codemaker(secret, rules))
        assert solution.code == secret
        lengths.append(len(solution.guesses))
    milliseconds = 1000 * (time.process_time() - start) / games
    error = np.std(lengths) / games**0.5
    return f"mean {np.mean(lengths):.3f} +- {error:.3f}, max {max(lengths)}", milliseconds


def genetic() -> None:
    """Means of seeded games; the published ones are Berghman, Goossens and Leus 2009."""
    GeneticSolver(seed=0).solve(Codemaker("1234"))  # compiles
    for positions, colours, games, published in (
        (4, 6, 1000, "4.39, 0.6 s"),
        (5, 8, 1000, "5.618"),
        (6, 9, 600, "6.475"),
        (8, 12, 300, "8.366"),
    ):
        for choice in ("lookahead", "expected-size"):
            text, milliseconds = play_many(
                lambda seed, c=choice: GeneticSolver(seed=seed, choice=c),
                Rules(positions, colours),
                games,
            )
            print(
                f"genetic {positions}x{colours}, {choice}: {text} over {games} games, "
                f"{milliseconds:.0f} ms a game (published: {published})"
            )


def permutation() -> None:
    """Queries of the black-peg permutation game beside the published bound."""

    def queries(secret: Sequence[int], colours: int) -> int:
        hidden = np.asarray(secret)
        count = 0

        def ask(guess: np.ndarray) -> int:
            nonlocal count
            count += 1
            return int((guess == hidden).sum())

        assert find_permutation(ask, len(hidden), colours) == tuple(hidden.tolist())
        return count

    def show(what: str, found: list[int], bound: float) -> None:
        assert max(found) <= bound
        print(f"permutation {what}: max {max(found)}, mean {np.mean(found):.3f}, bound {bound:g}")

    for n in range(2, 8):
        found = [queries(secret, n) for secret in permutations(range(n))]
        show(f"n = k = {n}, every secret", found, query_bound(n, n))
    rng = np.random.default_rng(2018)
    for n, k, games in (
        (16, 16, 400),
        (64, 64, 400),
        (128, 128, 100),
        (64, 128, 200),
        (200, 400, 50),
        (1000, 1000, 20),
    ):
        found = [queries(rng.permutation(k)[:n], k) for _ in range(games)]
        show(f"n = {n}, k = {k}, {games} random secrets", found, query_bound(n, k))


def human() -> None:
    """Means of the human-style solver; Felix took 10 and lost every fifth game of 20 guesses."""
    lengths = [len(HumanSolver().solve(Codemaker(code)).guesses) for code in Rules().codes()]
    print(f"human 4x6, every secret: mean {np.mean(lengths):.3f}, max {max(lengths)} (Felix: 10)")
    for rules in (Rules(4, 10, repeats=False), Rules(5, 8), Rules(6, 9), Rules(8, 12)):
        text, milliseconds = play_many(lambda _: HumanSolver(), rules, 100)
        print(f"human {rules}: {text} over 100 games, {milliseconds:.0f} ms a game")


SECTIONS = {
    function.__name__: function for function in (tree, article, second, genetic, permutation, human)
}

if __name__ == "__main__":
    for name in sys.argv[1:] or SECTIONS:
        SECTIONS[name]()
