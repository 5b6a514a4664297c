"""The non-adaptive searches: fixed queries, each about pairs of colours.

``star`` is the algorithm of Li, Luo and Xu (arXiv:2207.09356, algorithms 1 and 2): every query
holds the first colour against another one and tells, for each position, whether the secret has
one of the two there. Any set of pairs does whose edges tell the colours apart: ``paths`` leaves
one colour out and joins the others into paths, which takes ceil(2 (k - 1) / 3) queries. With an
empty hole for the first colour (``blank``) a query is Bernstein and Vazirani's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from qmastermind.algorithms.grover import diffuser, hadamards
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.errors import UsageError
from qmastermind.oracle.pegs import BlackPegOracle, ColourPairOracle, phase_by_kickback
from qmastermind.oracle.variables import check_bits
from qmastermind.validation import whole

Pair: TypeAlias = tuple[int | None, int]
Pairs: TypeAlias = Literal["star", "paths", "blank"]


def colour_pairs(colours: int, pairs: Pairs = "star") -> tuple[Pair, ...]:
    """The pairs that are asked about; None stands for an empty hole.

    Args:
        colours: k.
        pairs: ``star``: k - 1 pairs with colour 0. ``paths``: ceil(2 (k - 1) / 3) pairs for
            k >= 4, colour 0 in none of them. ``blank``: k - 1 pairs of a hole and a colour.

    Raises:
        UsageError: For other pairs, or for two colours, unless with holes: every position holds
            one of the pair.
    """
    if pairs not in get_args(Pairs):
        raise UsageError(f"unknown pairs {pairs!r}; known: {', '.join(get_args(Pairs))}")
    if whole(colours, "the number of colours") < 2:
        raise UsageError(f"a search needs at least 2 colours, not {colours}")
    if pairs == "blank":
        return tuple((None, c) for c in range(1, colours))
    if colours < 3:
        raise UsageError(
            "the pairwise method carries no information with 2 colours: every position holds one "
            "of the pair, so its only query gives the same answer for every secret. "
            "One query with a counter finds such a secret: solver 'adaptive'"
        )
    if pairs == "star" or colours == 3:
        return tuple((0, c) for c in range(1, colours))
    # Paths of at least 3 colours each: no colour but 0 is alone, and no path is a single pair.
    number = (colours - 1) // 3
    ends = [1 + i * 3 for i in range(number)] + [colours]
    return tuple((c, c + 1) for first, after in pairwise(ends) for c in range(first, after - 1))


def pair_query(oracle: ColourPairOracle, fence: bool = True) -> Circuit:
    """One query, measured: bit j is 1 if position j holds one of the oracle's two colours.

    Args:
        oracle: For a pair of colours.
        fence: Keeps compilers from merging the oracle with the Hadamards around it, which
            would turn the whole query into a few X gates.

    Cost: one use of the oracle, one qubit a position, no two-qubit gate.
    """
    builder = CircuitBuilder(Register("x", oracle.num_bits))
    for qubit in range(oracle.num_bits):
        builder.h(qubit)
    if fence:
        builder.barrier()
    builder.compose(oracle.phase())
    if fence:
        builder.barrier()
    for qubit in range(oracle.num_bits):
        builder.h(qubit)
    return builder.build().measured()


def decode_memberships(pairs: Sequence[Pair], memberships: Sequence[str]) -> tuple[int, ...]:
    """The secret from the answers about some pairs.

    Args:
        pairs: From :func:`colour_pairs`.
        memberships: For each pair the measured bits, 1 where the secret has one of the two.

    Raises:
        UsageError: If there are not as many answers as pairs, all for as many positions, or if a
            position's answers fit no colour, which only noise can bring about.
    """
    if not pairs or len(memberships) != len(pairs):
        raise UsageError(
            f"expected an answer for each pair, not {len(memberships)} for {len(pairs)}"
        )
    for answer in memberships:
        check_bits(answer, len(memberships[0]))
    colours = 1 + max(second for _, second in pairs)
    signatures = {
        "".join("01"[colour in pair] for pair in pairs): colour for colour in range(colours)
    }
    pegs = []
    for position, column in enumerate(zip(*memberships, strict=True), 1):
        bits = "".join(column)
        if bits not in signatures:
            raise UsageError(f"the answers {bits} for position {position} fit no colour")
        pegs.append(signatures[bits])
    return tuple(pegs)


def two_colour_query(oracle: BlackPegOracle) -> Circuit:
    """The whole search for two colours, one use of the counting oracle, measured.

    The parity of the black pegs says nothing here, but exp(i pi B / 2) does: it is a quarter turn
    a position, and one diffuser of pi / 2 ends the exact search for 1 of 2 (the matched phase of
    Long at k = 2).

    Raises:
        UsageError: If the oracle has not one bit a peg, or its counter fewer than 2 bits.
    """
    if oracle.num_bits != oracle.encoding.rules.positions or oracle.count_bits < 2:
        raise UsageError("expected one bit a peg and a counter of at least 2 bits")
    peg = hadamards(1)
    builder = CircuitBuilder(Register("code", oracle.num_bits))
    for qubit in range(oracle.num_bits):
        builder.compose(peg, [qubit])
    builder.compose(phase_by_kickback(oracle, 2**oracle.count_bits // 4))
    for qubit in range(oracle.num_bits):
        builder.append(diffuser(peg, math.pi / 2), [qubit], label="diffuser")
    return builder.build().measured()
