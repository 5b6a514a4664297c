"""The non-adaptive pairwise search: colours - 1 queries, each about one pair of colours.

Source: Li, Luo and Xu, arXiv:2207.09356, algorithms 1 and 2. Every query holds the first colour
against another one, and tells for each position whether the secret has one of the two there.
"""

from __future__ import annotations

from collections.abc import Sequence

from qmastermind.circuit import Circuit, CircuitBuilder, Register
from qmastermind.errors import UsageError
from qmastermind.oracle.pegs import ColourPairOracle


def require_three_colours(colours: int) -> None:
    """Refuses games in which the pairwise queries say nothing.

    Raises:
        UsageError: For two colours: every position holds one of the pair, whatever the secret.
    """
    if colours < 3:
        raise UsageError(
            "the pairwise method carries no information with 2 colours: every position holds one "
            "of the pair, so its only query gives the same answer for every secret"
        )


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


def decode_memberships(memberships: Sequence[str]) -> tuple[int, ...]:
    """The secret from the answers about the pairs (0, 1), (0, 2), ..., (0, colours - 1).

    A position whose memberships are all 1 holds colour 0; otherwise its one 1 is at its colour.

    Raises:
        UsageError: If a position has no such pattern (noise), or there are fewer than 2 answers.
    """
    require_three_colours(len(memberships) + 1)
    pegs = []
    for position, column in enumerate(zip(*memberships, strict=True)):
        bits = "".join(column)
        if "0" not in bits:
            pegs.append(0)
        elif bits.count("1") == 1:
            pegs.append(bits.index("1") + 1)
        else:
            raise UsageError(f"the answers {bits} for position {position + 1} fit no colour")
    return tuple(pegs)
