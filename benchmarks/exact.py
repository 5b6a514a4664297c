"""The exact solver: what a proof costs, beside a plain search and what others have published.

    python benchmarks/exact.py
    python benchmarks/exact.py --games 4x6 3x10 --positions 100

CPU seconds throughout, on one core: the kernels of the exact search use one thread. A set counts as
expanded each time all guesses are scored for it; sets that the small-set rule settles, scoring no
guess but the set's own codes, are counted apart. Published counts follow their own definitions.
"""

from __future__ import annotations

import argparse
import functools
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from qmastermind.game import Rules, feedback
from qmastermind_classical.exact.cells import PUBLISHED, Cell, read_cells
from qmastermind_classical.exact.engine import Engine
from qmastermind_classical.exact.hint import Adviser
from qmastermind_classical.exact.optimum import find_optimum
from qmastermind_classical.exact.position import possible_codes

GAMES = ["4x6", "4x6/5", "3x10", "5x4", "4x7", "4x10d"]
EARLIER = {
    "4x6": "43,712 sets, 107.9 s (TypeScript); 0.16 s (C++, 2012)",
    "3x10": "168.8 s (TypeScript); about 33 s (C++, 2012)",
    "5x4": "about 1.3 s (C++, 2012)",
    "4x7": "not completed (TypeScript); 27.9 s (C++, 2012)",
    "4x10d": "167 s (C++, 2012)",
}
COLUMNS = "{:8} {:>8} {:>9} {:>9} {:>9} {:>8}  {}"


def cpu(work: Callable[[], Any]) -> tuple[Any, float]:
    """A result, and the CPU seconds it took."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def plain_search(rules: Rules) -> int:
    """The least total, by a search in plain Python without symmetry and without bounds."""
    codes = list(rules.codes())
    cuts = []
    for guess in codes:
        masks: dict[tuple[int, int], int] = {}
        for bit, code in enumerate(codes):
            answer = feedback(guess, code)
            masks[answer] = masks.get(answer, 0) | 1 << bit
        masks.pop((rules.positions, 0))
        cuts.append(tuple(masks.values()))

    @functools.cache
    def cost(codes: int) -> int:
        least = 1 << 30
        for cut in cuts:
            parts = [codes & part for part in cut if codes & part]
            if codes not in parts:
                least = min(least, codes.bit_count() + sum(map(cost, parts)))
        return least

    return cost((1 << len(codes)) - 1)


def against_plain_search() -> None:
    """The same small games by both."""
    print("\nagainst a plain search in Python (no symmetry, no bounds)")
    Engine(Rules(2, 2))  # compiled
    for rules in (Rules(3, 3), Rules(5, 2), Rules(3, 4)):
        slow, plain = cpu(lambda rules=rules: plain_search(rules))
        fast, ours = cpu(lambda rules=rules: find_optimum(rules).tree.total)
        assert slow == fast, (rules, slow, fast)
        print(f"  {rules}: total {fast}, {plain:.3f} s against {ours:.4f} s: {plain / ours:,.0f} x")


def proofs(cells: tuple[Cell, ...]) -> None:
    """Proves cells, and says what others needed."""
    print("\nproofs, each with its tree replayed against every secret")
    print(COLUMNS.format("game", "total", "expanded", "settled", "search s", "all s", "others"))
    for cell in cells:
        found, everything = cpu(
            lambda cell=cell: find_optimum(cell.rules, max_guesses=cell.max_guesses)
        )
        published = PUBLISHED.get(cell)
        assert published is None or published.total == found.tree.total
        effort = found.effort
        counts = f"{effort.expanded:,}", f"{effort.settled:,}"
        seconds = f"{effort.seconds:.2f}", f"{everything:.2f}"
        others = EARLIER.get(cell.spec, "")
        print(COLUMNS.format(cell.spec, f"{found.tree.total:,}", *counts, *seconds, others))


def whole_process(cell: str, cache: str | None = None) -> tuple[float, float]:
    """CPU seconds and peak memory in MiB of a process that proves one cell."""
    code = (
        "import sys\n"
        "from qmastermind_classical.exact.cells import read_cells\n"
        "from qmastermind_classical.exact.optimum import find_optimum\n"
        "find_optimum(read_cells(sys.argv[1])[0].rules)\n"
        "import resource\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n"
    )
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        [sys.executable, "-c", code, cell],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, float(run.stdout)


def processes() -> None:
    """Whole processes, from the start of Python to the replayed tree."""
    print("\nwhole processes")
    with tempfile.TemporaryDirectory() as cache:
        cold, _ = whole_process("4x6", cache)
        warm, memory = whole_process("4x6", cache)
    print(f"  4x6: {cold:.2f} s with nothing compiled, {warm:.2f} s from the cache of kernels")
    print(f"  4x6: peak {memory:,.0f} MiB")
    seconds, memory = whole_process("4x7")
    print(f"  4x7: {seconds:.2f} s, peak {memory:,.0f} MiB")


def random_history(rules: Rules, most: int, rng: np.random.Generator) -> list[Any]:
    """A game of random guesses until at most ``most`` codes are possible, at least 3."""
    while True:
        secret = rules.random_code(rng)
        history: list[Any] = []
        while True:
            guess = rules.random_code(rng)
            history.append((guess, feedback(guess, secret)))
            possible = len(possible_codes(rules, history))
            if possible <= most:
                break
        if possible >= 3:
            return history


def hints(number: int) -> None:
    """Live hints at random positions of at most 80 codes."""
    print(f"\nexact hints, {number} random positions of 3 to 80 codes, ms")
    rng = np.random.default_rng(2026)
    for rules, fresh in (
        (Rules(4, 6), False),
        (Rules(4, 6), True),
        (Rules(4, 7), True),
        (Rules(4, 10, repeats=False), True),
        (Rules(5, 8), True),
    ):
        adviser = Adviser(rules)
        adviser.hint(random_history(rules, 80, rng))
        times = []
        for _ in range(number):
            history = random_history(rules, 80, rng)
            if fresh:
                adviser = Adviser(rules)
            found, seconds = cpu(lambda a=adviser, h=history: a.hint(h))
            assert found.method == "exact"
            times.append(1000 * seconds)
        times.sort()
        memo = "fresh memo" if fresh else "one memo for all"
        print(
            f"  {rules}, {memo}: median {statistics.median(times):.2f}, "
            f"95 % {times[int(0.95 * len(times))]:.2f}, worst {times[-1]:.1f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="*", default=GAMES)
    parser.add_argument("--positions", type=int, default=500)
    arguments = parser.parse_args()
    processes()
    proofs(read_cells(" ".join(arguments.games)))
    against_plain_search()
    hints(arguments.positions)


if __name__ == "__main__":
    main()
