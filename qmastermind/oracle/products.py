"""Expressions as exclusive sums of products: no ancilla, and no list of inputs either.

An expression is multiplied out over xor and and: a clause is 1 xor the product of its negated
literals, so that a conjunction of clauses is a sum over products of such. Few clauses give few
products, which then beat an ancilla a clause; many give more than is worth writing down.
"""

from __future__ import annotations

from collections.abc import Set

from qmastermind.oracle.expression import (
    And,
    Constant,
    Expression,
    Literal,
    Not,
    Xor,
    conjunction,
    parity,
)
from qmastermind.synthesis.boolean import Cube, simplified

MOST_PRODUCTS = 256
"""An expression with more products on the way is left as it is."""

_ONE = Cube(0, 0)


def as_products(expression: Expression, num_bits: int) -> Expression | None:
    """The expression as an exclusive or of conjunctions of literals.

    Args:
        expression: Over ``num_bits`` bits.
        num_bits: Number of bits.

    Returns:
        An equal expression, or None if it has too many products, or a part (a sum, or another
        oracle) that has no such form.
    """
    cubes = _multiplied_out(expression, num_bits)
    if cubes is None:
        return None
    terms = (
        conjunction([Literal(bit, bool(value)) for bit, value in cube.literals(num_bits)])
        for cube in simplified(num_bits, cubes)
    )
    return parity(terms)


def _multiplied_out(expression: Expression, num_bits: int) -> Set[Cube] | None:
    match expression:
        case Constant(value):
            return {_ONE} if value else set()
        case Literal(bit, positive):
            mask = 1 << (num_bits - 1 - bit)
            return {Cube(mask, mask if positive else 0)}
        case Not(part):
            inner = _multiplied_out(part, num_bits)
            return None if inner is None else inner ^ {_ONE}
        case And(parts) | Xor(parts):
            whole: Set[Cube] = {_ONE} if isinstance(expression, And) else set()
            for part in parts:
                inner = _multiplied_out(part, num_bits)
                if inner is None:
                    return None
                whole = _product(whole, inner) if isinstance(expression, And) else whole ^ inner
                if len(whole) > MOST_PRODUCTS:
                    return None
            return whole
    return None


def _product(first: Set[Cube], second: Set[Cube]) -> Set[Cube]:
    result: set[Cube] = set()
    for a in first:
        for b in second:
            if not (a.value ^ b.value) & a.mask & b.mask:
                result ^= {Cube(a.mask | b.mask, a.value | b.value)}
    return result
