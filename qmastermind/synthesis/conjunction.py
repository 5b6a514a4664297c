"""The AND of many qubits on few ancillas: relative-phase Toffolis onto conditionally clean qubits.

After ``z ^= u AND v`` onto a clean z, u and v are known to be 1 *if z is 1*. As long as z still
has to be 1 for the whole AND, u and v are then as good as ancillas, between two X: they are clean
on condition of z. So one clean ancilla is enough for any number of qubits, and a few more make
the depth logarithmic. Where the condition fails, what is computed is wrong but does not matter,
since the AND is 0 anyway, and undoing the steps restores every qubit.

Source: Khattar and Gidney, arXiv:2407.17966, section 3 (conditionally clean ancillas); Nie, Zi and
Sun, arXiv:2402.05053, section 3. The order of the steps is searched for here, with the rule in
:class:`_State`; the search gives less depth than the fixed ladders of those papers.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from qmastermind.builder import CircuitBuilder
from qmastermind.errors import CircuitError
from qmastermind.synthesis.toffoli import relative_ccx

# Layers, one-qubit turns included, from the start of a relative-phase Toffoli: when it needs its
# inner control, when its result can control something, when its controls can be targets.
_INNER, _RESULT, _FIRST_FREE, _SECOND_FREE, _PREPARED = 2, 7, 6, 8, 2

_WIDEST_SEARCH = 40
_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class Step:
    """``target ^= first AND second``, up to phase; X on the target before if it holds 1."""

    first: int
    second: int
    target: int
    holds_one: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps that leave a few wires whose AND is that of all literals.

    Attributes:
        steps: In time order; 3 CX and 4 T each.
        literals: What is left, the latest last.
    """

    steps: tuple[Step, ...]
    literals: tuple[int, ...]


@lru_cache(maxsize=512)
def plan(
    literals: int,
    clean: int,
    ones: int = 0,
    final: int = 3,
    keep: bool = False,
    ladder: bool = False,
) -> Plan:
    """Plans the AND of wires 0..literals-1 down to ``final`` wires.

    Args:
        literals: Number of qubits to combine.
        clean: Wires after those that are |0>.
        ones: Wires after those that are 1 whenever it matters. With ``keep`` that is whenever
            wire 0 is 1, else whenever a condition outside holds.
        final: How many wires may be left.
        keep: Whether wire 0 must be among them and stay as it is.
        ladder: Takes the fixed ladder, deeper but with neighbours joined, instead of searching.

    Raises:
        CircuitError: If there is no ancilla to start from.
    """
    if literals <= final:
        return Plan((), tuple(range(literals)))
    if clean + ones == 0:
        raise CircuitError(f"{literals} qubits cannot be combined without an ancilla")
    guard = 1 if keep else 0
    free = tuple((_PREPARED, 0, literals + i) for i in range(clean))
    free += tuple((_PREPARED, guard, literals + clean + i) for i in range(ones))
    start = _State(tuple((0, q) for q in range(literals)), free, ())
    found = None
    if clean >= literals - final and not (keep or ladder):
        found = _tree(start, literals - final)
    elif literals <= _WIDEST_SEARCH and not ladder:
        width = 8 if literals <= 16 else 4 if literals <= 24 else 1
        found = _search(start, literals, final, keep, width)
    if found is None:
        found = _ladder(start, literals, final, keep)
    fresh = set(range(literals, literals + clean))
    alive = list(range(literals))
    steps = []
    for u, v, z in found:
        steps.append(Step(u, v, z, holds_one=z not in fresh))
        fresh.discard(z)
        alive = [q for q in alive if q not in (u, v)] + [z]
    return Plan(tuple(steps), tuple(alive))


@dataclass(frozen=True, slots=True)
class _State:
    """Where a search stands.

    Attributes:
        literals: (time ready, wire), still to be combined.
        free: (time ready, guard, wire): the wire is clean if all literals of the guard, a bit
            mask of wires, are 1. It may take ``u AND v`` only if neither is in its guard: else
            its garbage could look like a 1 just where the guard it lost would have told.
        steps: (first, second, target) so far.
    """

    literals: tuple[tuple[int, int], ...]
    free: tuple[tuple[int, int, int], ...]
    steps: tuple[tuple[int, int, int], ...]

    def after(self, u: tuple[int, int], v: tuple[int, int], target: int) -> _State:
        """The state after ``free[target] ^= u AND v``."""
        ready, guard, wire = self.free[target]
        start = max(u[0] - _INNER, v[0], ready, 0)
        gone = 1 << u[1] | 1 << v[1]
        inherited = guard | 1 << wire
        free = [
            (t, g & ~gone | inherited if g & gone else g, w)
            for i, (t, g, w) in enumerate(self.free)
            if i != target
        ]
        free.append((start + _FIRST_FREE, inherited, u[1]))
        free.append((start + _SECOND_FREE, inherited, v[1]))
        free.sort(key=lambda f: (f[0], f[1].bit_count()))
        left = [x for x in self.literals if x not in (u, v)]
        left.append((start + _RESULT, wire))
        left.sort()
        return _State(tuple(left), tuple(free), (*self.steps, (u[1], v[1], wire)))

    def score(self, final: int) -> tuple[int, int, int]:
        """How soon it may end, had it ancillas without guards; then how tight the guards are."""
        times = [t for t, _ in self.literals]
        total = sum(times)
        left = len(times)
        heapq.heapify(times)
        for _ in range(left - final):
            first, second = heapq.heappop(times), heapq.heappop(times)
            heapq.heappush(times, max(first, second - _INNER) + _RESULT)
        # The last step but j leaves final + j literals, so its target's guard can hold no more
        # than final + j - 1 of them.
        sizes = sorted(g.bit_count() for _, g, _ in self.free)[: left - final]
        excess = [max(0, size - j - final + 1) for j, size in enumerate(sizes)]
        return max(times) + _RESULT * max(excess, default=0), sum(excess), total


def _tree(start: _State, count: int) -> tuple[tuple[int, int, int], ...]:
    """A clean target for every step: always the two earliest literals."""
    state = start
    for _ in range(count):
        early, late = state.literals[:2]
        target = next(i for i, (_, guard, _) in enumerate(state.free) if not guard)
        state = state.after(late, early, target)
    return state.steps


def _search(
    start: _State, literals: int, final: int, keep: bool, width: int
) -> tuple[tuple[int, int, int], ...] | None:
    """Beam search over the order of steps; None if every branch runs out of targets."""
    beam = [start]
    for _ in range(literals - final):
        best: dict[tuple[object, ...], tuple[tuple[int, int, int], _State]] = {}
        for state in beam:
            for after in _successors(state, keep):
                shape = tuple(t for t, _ in after.literals)
                guards = tuple((t, g.bit_count()) for t, g, _ in after.free)
                if len(shape) > final and all(n >= final for _, n in guards):
                    continue  # no target for the last step
                score = after.score(final)
                known = best.get((shape, guards))
                if known is None or score < known[0]:
                    best[shape, guards] = (score, after)
        ranked = heapq.nsmallest(width, best.values(), key=lambda item: item[0])
        beam = [state for _, state in ranked]
    return beam[0].steps if beam else None


def _successors(state: _State, keep: bool) -> list[_State]:
    found = []
    seen = set()
    for index, (ready, guard, _) in enumerate(state.free):
        if (ready, guard) in seen:
            continue
        seen.add((ready, guard))
        usable = [x for x in state.literals if not guard >> x[1] & 1 and not (keep and x[1] == 0)][
            :_CANDIDATES
        ]
        found += [state.after(u, v, index) for u in usable for v in usable if u is not v]
    return found


def _ladder(
    start: _State, literals: int, final: int, keep: bool
) -> tuple[tuple[int, int, int], ...]:
    """Up: pairs, each onto a qubit that the pair before it freed; down: the results combined.

    For any number of literals, in linear depth, on one ancilla (two for ``final=1``).
    """
    raw = list(range(int(keep), literals))
    wires = [wire for _, _, wire in start.free]
    target = wires[0]
    # spares[i] is clean if results[0..i] are 1
    results, spares = ([0], wires[1:2]) if keep else ([], [])
    steps: list[tuple[int, int, int]] = []

    def step(u: int, v: int, onto: int) -> None:
        if literals - len(steps) > final:
            steps.append((u, v, onto))

    while len(raw) >= 2 and literals - len(steps) > final:
        u, v, *raw = raw
        step(u, v, target)
        results.append(target)
        spares.append(v)
        target = u
    top = results.pop()
    spares.pop()
    if raw and results:
        step(top, raw.pop(), spares[-1])
        top = spares[-1]
    while len(results) > 1:
        below = results.pop()
        spares.pop()
        step(top, below, spares[-1])
        top = spares[-1]
    for other in (*results, *raw):
        step(top, other, wires[-1])
    return tuple(steps)


def combine(
    b: CircuitBuilder, plan_: Plan, wires: Sequence[int], *, inverse: bool = False
) -> tuple[int, ...]:
    """Adds the steps of a plan, ``wires[i]`` for its wire i; returns the literals that are left."""
    for step in reversed(plan_.steps) if inverse else plan_.steps:
        target = wires[step.target]
        if step.holds_one and not inverse:
            b.x(target)
        relative_ccx(b, wires[step.first], wires[step.second], target)
        if step.holds_one and inverse:
            b.x(target)
    return tuple(wires[q] for q in plan_.literals)
