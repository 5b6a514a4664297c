"""What can be sent to a device: circuits, what is right, and how counts become an answer.

Everything that decoding needs is JSON-ready, so that it travels in the job record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from qmastermind.circuit import (
    Barrier,
    Box,
    Circuit,
    Operation,
    Query,
)
from qmastermind.errors import TooLargeError, UsageError
from qmastermind.game import Code, Codemaker, Rules
from qmastermind.results import Counts, Distribution
from qmastermind_qiskit.ibm.forecast import Answer, Groups

if TYPE_CHECKING:
    from qmastermind.algorithms.deutsch import Pairs

_MOST_RIGHT = 4096  # right bitstrings that a record lists


@dataclass(frozen=True)
class Part:
    """One circuit of a task.

    Attributes:
        name: For tables.
        circuit: Neutral, measured at its end.
        groups: Bits that are decided together.
        marked: Right bitstrings where they are known beforehand; None: what the circuit gives
            most often without noise.
        judged: Whether the most frequent bitstring has to be right, as in a search; a circuit
            whose distribution is wanted has no right one.
    """

    name: str
    circuit: Circuit
    groups: Groups
    marked: frozenset[str] | None = None
    judged: bool = True

    @cached_property
    def ideal(self) -> Distribution | None:
        """The distribution without noise, from the embedded simulator; None if it is too large."""
        from qmastermind.simulator import StatevectorBackend

        try:
            return StatevectorBackend().probabilities(self.circuit)
        except TooLargeError:
            return None

    @cached_property
    def answer(self) -> Answer:
        """What counts as right."""
        if self.marked is not None:
            return Answer(self.marked, self.groups)
        if self.ideal is None:
            return Answer(frozenset(), self.groups, judged=False)
        likely = self.ideal.most_likely(_MOST_RIGHT)
        best = likely[0][1]
        right = frozenset(x for x, p in likely if p > best - 1e-9)
        return Answer(right, self.groups, self.judged)


@dataclass(frozen=True)
class Task:
    """Circuits that belong together: one job.

    Attributes:
        title: For people.
        parts: One circuit each.
        decoding: How the counts become an answer, JSON-ready.
    """

    title: str
    parts: tuple[Part, ...]
    decoding: Mapping[str, Any]

    @property
    def num_qubits(self) -> int:
        """Qubits of the widest part."""
        return max(part.circuit.num_qubits for part in self.parts)


def deutsch(secret: Code, rules: Rules, pairs: Pairs = "star", fence: bool = True) -> Task:
    """All pairwise queries about a secret, as one task with a part each.

    Args:
        secret: Of the codemaker.
        rules: Of the game; at least 3 colours.
        pairs: Which pairs are asked about, as in
            :func:`~qmastermind.algorithms.deutsch.colour_pairs`.
        fence: Keeps compilers from merging the oracle with its surroundings.
    """
    from qmastermind.algorithms.deutsch import colour_pairs, pair_query

    codemaker = Codemaker(secret, rules)
    singles = tuple((j,) for j in range(rules.positions))
    asked = colour_pairs(rules.colours, pairs)
    parts = tuple(
        Part(_pair_name(pair), pair_query(codemaker.colour_pair_oracle(*pair), fence), singles)
        for pair in asked
    )
    return Task(
        f"{len(parts)} pairwise queries, {rules}",
        parts,
        {
            "kind": "deutsch",
            "oracle": "colour pair",
            "pairs": [list(pair) for pair in asked],
            **_game(secret, rules),
        },
    )


def adaptive(secret: Code, rules: Rules, fence: bool = True) -> Task:
    """The exact search of all pegs at once; arguments as in :func:`deutsch`."""
    from qmastermind.algorithms.adaptive import adaptive as build
    from qmastermind.algorithms.adaptive import adaptive_plan

    plan = adaptive_plan(rules)
    circuit = build(Codemaker(secret, rules).black_peg_oracle(plan.encoding), plan)
    body = fenced(circuit) if fence else circuit
    pegs = tuple(tuple(span) for span in plan.encoding.peg_slices)
    return Task(
        f"adaptive search with {plan.queries} queries, {rules}",
        (Part("all pegs", body.measured(), pegs),),
        {
            "kind": "adaptive",
            "oracle": "black-peg phase",
            "queries": plan.queries,
            "peg_bits": plan.encoding.bits_per_peg,
            **_game(secret, rules),
        },
    )


def grover_code(
    secret: Code,
    rules: Rules,
    iterations: int | None = None,
    space: Literal["valid", "all"] = "valid",
    fence: bool = True,
) -> Task:
    """Grover's search for a secret code.

    Args:
        secret: Of the codemaker.
        rules: Of the game.
        iterations: Default: the best without noise.
        space: Search valid codes only, or all bitstrings.
        fence: Puts barriers around every use of the oracle.
    """
    from qmastermind.algorithms.grover import grover, plan
    from qmastermind.encoding import Encoding

    encoding = Encoding(rules)
    search = plan(encoding.size(space), iterations=iterations)
    oracle = Codemaker(secret, rules).match_oracle(encoding)
    circuit = grover(oracle, encoding.prepare(space), plan=search)
    part = _searching(circuit, [encoding.encode(secret)], search.iterations, fence)
    return Task(
        f"Grover's search for a code, {rules}, {search.iterations} iterations",
        (part,),
        {
            "kind": "grover",
            "oracle": "match",
            "space": space,
            "iterations": search.iterations,
            **_game(secret, rules),
        },
    )


def grover_marked(marked: Sequence[str], iterations: int | None = None, fence: bool = True) -> Task:
    """Grover's search for marked bitstrings.

    Args:
        marked: Bitstrings of one length, bit 0 leftmost.
        iterations: Default: the best without noise.
        fence: Puts barriers around every use of the oracle.

    Raises:
        UsageError: If there is none, or they differ in length.
    """
    from qmastermind.algorithms.grover import grover, plan
    from qmastermind.oracle.base import Meter
    from qmastermind.oracle.table import TableOracle
    from qmastermind.oracle.variables import Variable, Variables

    if not marked or not marked[0]:
        raise UsageError("expected at least one marked bitstring, such as 101")
    width, wanted = len(marked[0]), sorted(set(marked))
    oracle = TableOracle(wanted, Variables(tuple(Variable(f"x{i}") for i in range(width))))
    # Nobody counts its uses, but they are to be seen in the circuit.
    oracle.meter = Meter(Query("marked", lambda *_: None), lambda: None)
    search = plan(2**width, len(wanted), iterations=iterations)
    part = _searching(grover(oracle, plan=search), wanted, search.iterations, fence)
    return Task(
        f"Grover's search for {len(wanted)} of {2**width} bitstrings, "
        f"{search.iterations} iterations",
        (part,),
        {
            "kind": "search",
            "oracle": oracle.label,
            "marked": wanted,
            "iterations": search.iterations,
        },
    )


def plain(circuit: Circuit, title: str) -> Task:
    """Any circuit; what it gives most often without noise counts as right.

    It is not judged by that: what is wanted of it may be the whole distribution.

    Raises:
        CircuitError: If a measured qubit is used again, or a bit is written twice.
    """
    measured = circuit if circuit.num_bits else circuit.measured()
    measured.final_measurements()
    part = Part(title, measured, (tuple(range(measured.num_bits)),), judged=False)
    return Task(title, (part,), {"kind": "circuit", "oracle": ""})


def _searching(circuit: Circuit, marked: Sequence[str], iterations: int, fence: bool) -> Part:
    body = fenced(circuit) if fence else circuit
    whole = (tuple(range(len(circuit.data))),)
    return Part(f"{iterations} iterations", body.measured(), whole, frozenset(marked))


def fenced(circuit: Circuit) -> Circuit:
    """The circuit with a barrier before and after every use of an oracle.

    Nothing is merged across a barrier, so what is measured is the oracle that was asked for and
    not a circuit that knows its answer.
    """
    operations: list[Operation] = []
    for op in circuit.operations:
        if not isinstance(op, Box):
            operations.append(op)
        elif op.query is not None:
            fence = Barrier(op.qubits)
            operations += [fence, op, fence]
        else:
            operations.append(replace(op, circuit=fenced(op.circuit)))
    return replace(circuit, operations=tuple(operations))


def _pair_name(pair: tuple[int | None, int]) -> str:
    names = ["-" if colour is None else str(Code((colour,))) for colour in pair]
    return ("" if all(len(name) == 1 for name in names) else " ").join(names)


def _game(secret: Code, rules: Rules) -> dict[str, Any]:
    return {"rules": rules.as_dict(), "secret": list(secret)}


def decide(counts: Counts, groups: Groups) -> str:
    """For each group of bits the value that most shots gave, put together in bit order."""
    decided: dict[int, str] = {}
    for group in groups:
        value, _ = counts.marginal(group).most_common(1)[0]
        decided.update(zip(group, value, strict=True))
    return "".join(decided[b] for b in sorted(decided))
