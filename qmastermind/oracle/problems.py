"""Familiar problems as oracles, each a few lines on top of the algebra."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations

from qmastermind.errors import UsageError
from qmastermind.oracle.algebra import ExpressionOracle
from qmastermind.oracle.expression import (
    Constant,
    Expression,
    Literal,
    SumEquals,
    conjunction,
    negation,
    parity,
)
from qmastermind.oracle.variables import Variable, Variables, bits
from qmastermind.validation import whole


def equal(variables: Variables, first: str, second: str | int) -> Expression:
    """Whether a variable equals another one of the same size, or a number."""
    span = variables.span(first)
    if isinstance(second, str):
        other = variables.span(second)
        if len(other) != len(span):
            raise UsageError(f"{first!r} and {second!r} have different sizes")
        pairs = zip(span, other, strict=True)
        return conjunction([negation(parity([Literal(a), Literal(b)])) for a, b in pairs])
    size = next(v.size for v in variables if v.name == first)
    if not 0 <= second < size:
        return Constant(False)
    word = format(second, f"0{len(span)}b")
    return conjunction([Literal(b, w == "1") for b, w in zip(span, word, strict=True)])


def all_different(variables: Variables, names: Iterable[str]) -> Expression:
    """Whether no two of some variables are equal: the constraint of a Sudoku's row."""
    return conjunction([negation(equal(variables, a, b)) for a, b in combinations(tuple(names), 2)])


def graph_colouring(edges: Iterable[tuple[Hashable, Hashable]], colours: int) -> ExpressionOracle:
    """Marks the colourings in which no edge joins two vertices of one colour.

    Variables: one a vertex, named ``v`` and its name, in order of first appearance.

    Raises:
        UsageError: For no edge, an impossible number of colours, or two vertices of one name, such
            as 1 and "1".
    """
    joined = [tuple(edge) for edge in edges]
    if not joined:
        raise UsageError("a graph without an edge has nothing to search for")
    for edge in joined:
        if len(edge) != 2:
            raise UsageError(f"an edge joins two vertices, not {edge}")
    vertices = dict.fromkeys(vertex for edge in joined for vertex in edge)
    names = {vertex: f"v{vertex}" for vertex in vertices}
    of_name = {name: vertex for vertex, name in names.items()}
    for vertex, name in names.items():
        if of_name[name] != vertex:
            raise UsageError(f"{vertex!r} and {of_name[name]!r} are two vertices of one name")
    variables = Variables(tuple(Variable(name, colours) for name in names.values()))
    proper = (
        Constant(False) if a == b else negation(equal(variables, names[a], names[b]))
        for a, b in joined
    )
    return ExpressionOracle(conjunction(proper), variables, "colouring")


def exact_cover(sets: Mapping[str, Iterable[Hashable]]) -> ExpressionOracle:
    """Marks the choices of sets that contain every element exactly once.

    Variables: one bit a set, under its name, in the order of the mapping.
    """
    if not sets:
        raise UsageError("there is no set to choose from")
    members = {name: dict.fromkeys(elements) for name, elements in sets.items()}
    universe = dict.fromkeys(e for elements in members.values() for e in elements)
    once = []
    for element in universe:
        holders = [Literal(i) for i, name in enumerate(members) if element in members[name]]
        once.append(holders[0] if len(holders) == 1 else _sum_is(holders, [1] * len(holders), 1))
    return ExpressionOracle(conjunction(once), bits(*members), "exact cover")


def subset_sum(numbers: Sequence[int], total: int) -> ExpressionOracle:
    """Marks the choices of positive numbers that add up to ``total``.

    Variables: one bit a number, ``n0``, ``n1``, ...
    """
    whole(total, "the total")
    if not numbers or any(whole(n, "a number") < 1 for n in numbers):
        raise UsageError(f"expected positive numbers, not {list(numbers)}")
    parts = [Literal(i) for i in range(len(numbers))]
    names = (f"n{i}" for i in range(len(numbers)))
    return ExpressionOracle(_sum_is(parts, numbers, total), bits(*names), "subset sum")


def _sum_is(parts: Sequence[Expression], weights: Sequence[int], total: int) -> Expression:
    return SumEquals(tuple(parts), tuple(weights), total)


def sudoku(clues: Mapping[tuple[int, int], int], order: int = 2) -> ExpressionOracle:
    """Marks the solutions of a Sudoku with blocks of ``order`` by ``order``.

    Args:
        clues: Numbers from 1 by (row, column) from 0; given cells are no variables.
        order: 2 for the 4 by 4 puzzle.

    Variables: ``r0c1`` and so on, row by row, with the values 0 to order^2 - 1.

    Raises:
        UsageError: For a clue outside the grid, or no empty cell.
    """
    size = whole(order, "the order of a Sudoku", 2) ** 2
    cells = [(r, c) for r in range(size) for c in range(size)]
    for (r, c), number in clues.items():
        if (r, c) not in cells or not 1 <= whole(number, "a clue") <= size:
            raise UsageError(f"the clue {number} at {(r, c)} is outside the grid of 1 to {size}")
    every = Variables(tuple(Variable(f"r{r}c{c}", size) for r, c in cells))
    groups = [[(r, c) for c in range(size)] for r in range(size)]
    groups += [[(r, c) for r in range(size)] for c in range(size)]
    groups += [
        [(r + i, c + j) for i in range(order) for j in range(order)]
        for r in range(0, size, order)
        for c in range(0, size, order)
    ]
    rules = conjunction([all_different(every, [f"r{r}c{c}" for r, c in group]) for group in groups])
    fixed = {f"r{r}c{c}": number - 1 for (r, c), number in clues.items()}
    return ExpressionOracle(rules, every, "sudoku").restrict(**fixed)
