"""The compiled half of :mod:`qmastermind_classical.genetic`: importing this module imports numba.

Codes are rows of int32 peg values. Random numbers come from a splitmix64 generator whose state is
handed in, so that a seed gives the same game with every version of numba and NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

ONE_POINT = 0.5
MUTATION = 0.03
SWAP = 0.03
INVERSION = 0.02


@njit("uint64(uint64[::1])", cache=True, nogil=True)
def draw(state: Any) -> Any:
    """The next 64 random bits (splitmix64: Steele, Lea and Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit("float64(uint64[::1])", cache=True, nogil=True)
def uniform(state: Any) -> float:
    """A random number in [0, 1)."""
    return float(draw(state) >> np.uint64(11)) * 2.0**-53


@njit("int64(uint64[::1], int64)", cache=True, nogil=True)
def below(state: Any, limit: int) -> int:
    """A random integer in ``0 .. limit - 1``."""
    return int(uniform(state) * limit)


@njit("void(uint64[::1], int64, boolean, int32[::1])", cache=True, nogil=True)
def random_code(state: Any, colours: int, repeats: bool, out: Any) -> None:
    """Draws a code uniformly."""
    n = out.size
    if repeats:
        for i in range(n):
            out[i] = below(state, colours)
        return
    deck = np.empty(colours, dtype=np.int32)
    for c in range(colours):
        deck[c] = c
    for i in range(n):
        j = i + below(state, colours - i)
        out[i] = deck[j]
        deck[j] = deck[i]


@njit("int64(int32[::1], int32[::1], int32[::1])", cache=True, nogil=True)
def black_and_common(a: Any, b: Any, counts: Any) -> int:
    """``black * 65536 + (black + white)`` of two codes; ``counts`` is scratch, zero again after."""
    n = a.size
    black = 0
    common = 0
    for i in range(n):
        black += a[i] == b[i]
        counts[a[i]] += 1
    for i in range(n):
        if counts[b[i]] > 0:
            counts[b[i]] -= 1
            common += 1
    for i in range(n):
        counts[a[i]] = 0
    return black * 65536 + common


@njit("int64(int32[::1], int32[:, ::1], int64[:, ::1], int32[::1])", cache=True, nogil=True)
def misfit(code: Any, rows: Any, answers: Any, counts: Any) -> int:
    """How far the code's answers are from those given: 0 exactly if the code is eligible."""
    total = 0
    for q in range(rows.shape[0]):
        packed = black_and_common(code, rows[q], counts)
        black = packed >> 16
        total += abs(black - answers[q, 0]) + abs((packed & 65535) - black - answers[q, 1])
    return total


@njit("int64(int32[:, ::1], int64, int32[::1])", cache=True, nogil=True)
def find_row(codes: Any, used: int, code: Any) -> int:
    """The row of ``code`` among the first ``used``, or -1."""
    for r in range(used):
        same = True
        for i in range(code.size):
            if codes[r, i] != code[i]:
                same = False
                break
        if same:
            return r
    return -1


@njit("void(uint64[::1], int64, boolean, int32[::1], int32[::1])", cache=True, nogil=True)
def vary(state: Any, colours: int, repeats: bool, code: Any, counts: Any) -> None:
    """Mutation, swap and inversion, each with its own probability, and the repair before them.

    Without repeats a colour that crossover has brought in twice is replaced by an absent one, and
    mutation takes an absent colour, or swaps if there is none.
    """
    n = code.size
    if not repeats:
        for i in range(n):
            if counts[code[i]]:
                code[i] = -1
            else:
                counts[code[i]] = 1
        for i in range(n):
            if code[i] < 0:
                new = below(state, colours)
                while counts[new]:
                    new = (new + 1) % colours
                code[i] = new
                counts[new] = 1
    swaps = uniform(state) < SWAP
    if uniform(state) < MUTATION:
        i = below(state, n)
        if repeats:
            code[i] = (code[i] + 1 + below(state, colours - 1)) % colours
        elif colours > n:
            new = below(state, colours)
            while counts[new]:
                new = (new + 1) % colours
            code[i] = new
        else:
            swaps = True
    if swaps and n > 1:
        i = below(state, n)
        j = (i + 1 + below(state, n - 1)) % n
        code[i], code[j] = code[j], code[i]
    if uniform(state) < INVERSION:
        i = below(state, n)
        j = below(state, n)
        if i > j:
            i, j = j, i
        while i < j:
            code[i], code[j] = code[j], code[i]
            i += 1
            j -= 1
    counts[:] = 0


@njit("int64(float64[::1], uint64[::1])", cache=True, nogil=True)
def spin(wheel: Any, state: Any) -> int:
    """Roulette: an index with probability proportional to its step in the running sums."""
    at = uniform(state) * wheel[-1]
    low = 0
    high = wheel.size - 1
    while low < high:
        middle = (low + high) // 2
        if wheel[middle] > at:
            high = middle
        else:
            low = middle + 1
    return low


@njit(
    "int64(uint64[::1], int64, boolean, int32[:, ::1], int64[:, ::1], int64, int64,"
    " int32[:, ::1], int32[::1], int64[::1])",
    cache=True,
    nogil=True,
)
def evolve(
    state: Any,
    colours: int,
    repeats: bool,
    rows: Any,
    answers: Any,
    population: int,
    generations: int,
    eligible: Any,
    nearest: Any,
    least: Any,
) -> int:
    """Evolves one population and collects the eligible codes that it comes upon.

    Parents are drawn with probability proportional to ``1 / (1 + misfit)``: a small misfit is
    good. A child equal to another of its generation is replaced by a random code.

    Args:
        state: Of the random numbers; it moves on.
        colours: Number of colours.
        repeats: Whether a code may repeat a colour.
        rows: The guesses so far, shape ``(rows, positions)``.
        answers: Black and white pegs of each, shape ``(rows, 2)``.
        population: Size of a generation.
        generations: How many there are at most.
        eligible: Receives eligible codes; evolution stops when it is full.
        nearest: Receives the code of least misfit that has not been guessed.
        least: Its misfit, shape ``(1,)``; only a smaller one replaces it.

    Returns:
        How many eligible codes there are.
    """
    n = rows.shape[1]
    old = np.empty((population, n), dtype=np.int32)
    new = np.empty((population, n), dtype=np.int32)
    wheel = np.empty(population)
    counts = np.zeros(colours, dtype=np.int32)
    found = 0
    for p in range(population):
        random_code(state, colours, repeats, new[p])
    for generation in range(generations):
        old, new = new, old
        total = 0.0
        for p in range(population):
            fault = misfit(old[p], rows, answers, counts)
            if fault < least[0] and find_row(rows, rows.shape[0], old[p]) < 0:
                least[0] = fault
                for i in range(n):
                    nearest[i] = old[p, i]
            if fault == 0 and find_row(eligible, found, old[p]) < 0:
                for i in range(n):
                    eligible[found, i] = old[p, i]
                found += 1
                if found == eligible.shape[0]:
                    return found
            total += 1.0 / (1.0 + fault)
            wheel[p] = total
        if generation == generations - 1:
            break
        for p in range(population):
            if p % 2 == 0:
                mother = spin(wheel, state)
                father = spin(wheel, state)
                start = 0
                stop = below(state, n + 1)
                if uniform(state) >= ONE_POINT:
                    start = below(state, n + 1)
                    if start > stop:
                        start, stop = stop, start
            for i in range(n):
                inside = start <= i < stop
                new[p, i] = old[mother, i] if inside == (p % 2 == 0) else old[father, i]
            vary(state, colours, repeats, new[p], counts)
            if find_row(new, p, new[p]) >= 0:
                random_code(state, colours, repeats, new[p])
    return found


@njit("int64(int32[:, ::1], int64, int64, boolean, uint64[::1])", cache=True, nogil=True)
def pick(eligible: Any, found: int, colours: int, look_ahead: bool, state: Any) -> int:
    """Chooses among eligible codes, any of which may be the secret; ties by lot.

    Without ``look_ahead``, the one that leaves the fewest of them on average: the smallest sum of
    squared part sizes. With it, the one with the smallest lower bound on guesses in total, if
    each of its parts is cut by one of its own codes and what is left of ``m`` codes then takes
    ``2 m - 1``: over the parts that is the largest sum of 2 plus the most parts a second guess
    makes, the winning one not counted.

    Returns:
        Its row.
    """
    n = eligible.shape[1]
    win = n * (n + 1) + n
    counts = np.zeros(colours, dtype=np.int32)
    table = np.empty((found, found), dtype=np.int64)
    for g in range(found):
        for s in range(found):
            packed = black_and_common(eligible[g], eligible[s], counts)
            table[g, s] = (packed >> 16) * (n + 1) + (packed & 65535)
    sizes = np.zeros(win + 1, dtype=np.int64)
    seen = np.zeros(win + 1, dtype=np.int64)
    stamp = 0
    part = np.empty(found, dtype=np.int64)
    best = 0
    chosen = 0
    ties = 0
    for g in range(found):
        sizes[:] = 0
        for s in range(found):
            sizes[table[g, s]] += 1
        value = 0
        for answer in range(win):
            if sizes[answer] == 0:
                continue
            if not look_ahead:
                value -= sizes[answer] * sizes[answer]
                continue
            size = 0
            for s in range(found):
                if table[g, s] == answer:
                    part[size] = s
                    size += 1
            most = 0
            for i in range(size):
                stamp += 1
                cuts = -1
                for j in range(size):
                    second = table[part[i], part[j]]
                    cuts += seen[second] != stamp
                    seen[second] = stamp
                most = max(most, cuts)
            value += 2 + most
        if ties == 0 or value > best:
            best = value
            chosen = g
            ties = 1
        elif value == best:
            ties += 1
            if below(state, ties) == 0:
                chosen = g
    return chosen


@njit(
    "int64(uint64[::1], int64, boolean, int32[:, ::1], int64[:, ::1], int64, int32[::1])",
    cache=True,
    nogil=True,
)
def search(
    state: Any, colours: int, repeats: bool, rows: Any, answers: Any, limit: int, out: Any
) -> int:
    """Looks for an eligible code depth first, position by position, in random colour order.

    A branch ends where some row has too many key pegs already or too few places left for the rest.

    Args:
        state: Of the random numbers; it moves on.
        colours: Number of colours.
        repeats: Whether a code may repeat a colour.
        rows: The guesses so far.
        answers: Black and white pegs of each.
        limit: How many pegs to try at most.
        out: Receives the code.

    Returns:
        1 found, 0 there is none, -1 the limit came first.
    """
    n = rows.shape[1]
    q = rows.shape[0]
    order = np.empty((n, colours), dtype=np.int32)
    left = np.zeros((q, colours), dtype=np.int32)
    for r in range(q):
        for i in range(n):
            left[r, rows[r, i]] += 1
    used = np.zeros(colours, dtype=np.int64)
    black = np.empty(q, dtype=np.int64)
    common = np.empty(q, dtype=np.int64)
    for r in range(q):
        black[r] = answers[r, 0]
        common[r] = answers[r, 0] + answers[r, 1]
    at = np.zeros(n, dtype=np.int64)
    deck = np.empty(colours, dtype=np.int32)
    for c in range(colours):
        deck[c] = c
    for i in range(n):
        for c in range(colours):
            j = c + below(state, colours - c)
            deck[c], deck[j] = deck[j], deck[c]
        for c in range(colours):
            order[i, c] = deck[c]
    depth = 0
    tries = 0
    while depth >= 0:
        if at[depth] > 0:  # take back the peg that is there
            colour = order[depth, at[depth] - 1]
            if out[depth] >= 0:
                used[colour] -= 1
                for r in range(q):
                    black[r] += rows[r, depth] == colour
                    left[r, colour] += 1
                    common[r] += left[r, colour] > 0
        if at[depth] == colours:
            at[depth] = 0
            depth -= 1
            continue
        tries += 1
        if tries > limit:
            return -1
        colour = order[depth, at[depth]]
        at[depth] += 1
        out[depth] = -1
        if not repeats and used[colour]:
            continue
        out[depth] = colour
        used[colour] += 1
        places = n - depth - 1
        good = True
        for r in range(q):
            black[r] -= rows[r, depth] == colour
            common[r] -= left[r, colour] > 0
            left[r, colour] -= 1
            if black[r] < 0 or black[r] > places or common[r] < 0 or common[r] > places:
                good = False
        if good:
            if depth == n - 1:
                return 1
            depth += 1
            at[depth] = 0
    return 0
