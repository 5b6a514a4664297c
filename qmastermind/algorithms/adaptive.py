"""The adaptive search: every peg searched at once, with certainty, in m(k) black-peg queries.

One use of the black-peg oracle at pi multiplies the sign oracles of all positions,
(-1)^B(x) = prod_j (-1)^[x_j = s_j], so that one query is a Grover query for every position. Each
position is a search for 1 of k colours, and all of them end together, whatever their number. The
adaptive algorithm of Li, Luo and Xu (arXiv:2207.09356) has O(sqrt k) queries; the schedules here
are exact and take

    m(k) = ceil(pi / (4 theta) - 1/2),  theta = asin(1 / sqrt k),

which the lower bound for exact search of 1 in k (Zalka, Phys. Rev. A 60, 2746 (1999)) equals, so
no exact algorithm that may play empty holes needs fewer. The query flips signs only, so exactness
comes from elsewhere:

* ``phases``: the last two diffusers turn by matched angles (search with a restricted oracle, Roy,
  Jiang and Schuster, Phys. Rev. Research 4, L022013 (2022)); needs k >= 4;
* ``blanks``: the prepared state has just so much weight on empty holes that plain diffusers land
  on the secret;
* ``padded``: ``phases`` over all 2^b patterns of a peg, Hadamards instead of a preparation; unused
  patterns are empty holes. As few queries, and the fewest gates, where m(2^b) = m(k).
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from qmastermind.algorithms.grover import diffuser, hadamards
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Register
from qmastermind.encoding import Encoding
from qmastermind.errors import UsageError
from qmastermind.game.rules import Rules
from qmastermind.oracle.pegs import BlackPegOracle, parity_by_kickback
from qmastermind.synthesis.preparation import uniform
from qmastermind.validation import whole

Variant: TypeAlias = Literal["auto", "phases", "blanks", "padded"]


def num_queries(colours: int) -> int:
    """m(k): black-peg queries that the exact search needs, for any number of positions."""
    if whole(colours, "the number of colours") < 2:
        raise UsageError(f"a search needs at least 2 colours, not {colours}")
    theta = math.asin(1 / math.sqrt(colours))
    return max(1, math.ceil(math.pi / (4 * theta) - 0.5 - 1e-12))


def blank_weight(colours: int) -> float:
    """Probability of an empty hole in the prepared peg of the ``blanks`` variant."""
    amplitude = math.sin(math.pi / (4 * num_queries(colours) + 2))
    weight = 1 - colours * amplitude**2
    return weight if weight > 1e-12 else 0.0


def diffuser_angles(colours: int) -> tuple[float, ...]:
    """Angles of the m(k) diffusers of the ``phases`` variant, radians.

    All but the last two are pi. The last diffuser can reach the marked pole of the Bloch sphere
    of (marked, rest) from any point at the angle pi - 2 theta from the prepared state; the one
    before it goes to such a point by the spherical law of cosines.

    Raises:
        UsageError: For fewer than 4 colours.
    """
    if colours < 4:
        raise UsageError(
            f"with {colours} colours the sign of one peg is no search: use the variant 'blanks' "
            "or 'padded'"
        )
    m = num_queries(colours)
    theta = math.asin(1 / math.sqrt(colours))
    start = (math.sin(theta), math.cos(theta))  # along (marked, rest)
    across = (math.cos(theta), -math.sin(theta))
    angles = [math.pi] * (m - 1)
    if m > 1:
        turned = 4 * theta * (m - 1)
        cosine = (-math.cos(2 * theta) - math.cos(turned) * math.cos(4 * theta)) / (
            math.sin(turned) * math.sin(4 * theta)
        )
        angles[-1] = math.acos(min(1.0, max(-1.0, cosine)))
    marked, rest = complex(start[0]), complex(start[1])
    for angle in angles:
        marked = -marked
        overlap = (1 - cmath.exp(1j * angle)) * (start[0] * marked + start[1] * rest)
        marked, rest = marked - overlap * start[0], rest - overlap * start[1]
    marked = -marked
    last = (across[0] * marked + across[1] * rest) / (start[0] * marked + start[1] * rest)
    return (*angles, cmath.phase(last))


@dataclass(frozen=True)
class AdaptivePlan:
    """How one peg is prepared and turned.

    Attributes:
        variant: Which of the schedules.
        encoding: How codes are bits; may have more bits a peg than colours need.
        peg: Prepares one peg from |0>.
        angles: One diffuser angle a query, radians.
    """

    variant: str
    encoding: Encoding
    peg: Circuit
    angles: tuple[float, ...]

    @property
    def queries(self) -> int:
        """Number of uses of the black-peg oracle."""
        return len(self.angles)


def adaptive_plan(rules: Rules, variant: Variant = "auto") -> AdaptivePlan:
    """Plans the search for a game.

    Args:
        rules: Positions and colours; codes without repeats are found as well.
        variant: ``auto`` takes ``padded`` where it needs no more queries, else ``phases``.

    Raises:
        UsageError: For an unknown variant, or ``phases`` with fewer than 4 colours.
    """
    k = rules.colours
    padded_bits = max(2, (k - 1).bit_length())
    if variant == "auto":
        variant = "padded" if num_queries(2**padded_bits) == num_queries(k) else "phases"
    if variant == "padded":
        encoding = Encoding(rules, peg_bits=padded_bits)
        return AdaptivePlan(
            variant, encoding, hadamards(padded_bits), diffuser_angles(2**padded_bits)
        )
    if variant == "phases":
        encoding = Encoding(rules)
        peg = uniform(k, encoding.bits_per_peg)
        return AdaptivePlan(variant, encoding, peg, diffuser_angles(k))
    if variant == "blanks":
        weight = blank_weight(k)
        encoding = Encoding(rules, peg_bits=(k if weight else k - 1).bit_length())
        peg = uniform(k, encoding.bits_per_peg, weight)
        return AdaptivePlan(variant, encoding, peg, (math.pi,) * num_queries(k))
    raise UsageError(f"unknown variant {variant!r}; known: auto, phases, blanks, padded")


def adaptive(oracle: BlackPegOracle, plan: AdaptivePlan, counting: bool = False) -> Circuit:
    """The whole search without measurement.

    Args:
        oracle: Over ``plan.encoding``.
        plan: From :func:`adaptive_plan`.
        counting: Use the counting oracle and kick back the parity of its counter, as a black-peg
            oracle demands; otherwise the phase oracle, a product over the pegs.

    Raises:
        UsageError: If the oracle reads another encoding.
    """
    if oracle.encoding != plan.encoding:
        raise UsageError("the oracle and the plan have different encodings")
    query = parity_by_kickback(oracle) if counting else oracle.phase()
    builder = CircuitBuilder(Register("code", oracle.num_bits))
    for span in plan.encoding.peg_slices:
        builder.compose(plan.peg, span)
    for angle in plan.angles:
        builder.compose(query)
        turn = diffuser(plan.peg, angle)
        for span in plan.encoding.peg_slices:
            builder.append(turn, span, label="diffuser")
    return builder.build()
