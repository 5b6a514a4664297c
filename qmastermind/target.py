"""What a circuit is compiled for: basis gates, number of qubits, coupling map."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from qmastermind.circuit import Apply, Barrier, Circuit, Measure, Reset
from qmastermind.errors import UsageError
from qmastermind.gates import GATES, Gate
from qmastermind.validation import whole

DEFAULT_BASIS = ("rz", "sx", "x", "cx")


def operation_name(op: Apply) -> str:
    """The basis name of an operation: the gate's name with a ``c`` for each control.

    Open controls are written ``o``: ``ox`` acts when the control is 0. A diagonal is
    ``diagonal``.
    """
    prefix = "".join("c" if v else "o" for v in op.values)
    return prefix + (op.gate.name if isinstance(op.gate, Gate) else "diagonal")


def check_basis(basis: Iterable[str]) -> tuple[str, ...]:
    """The names of basis gates.

    Raises:
        UsageError: For a gate that there is not, or one text in place of names.
    """
    if isinstance(basis, str):
        raise UsageError(f"a basis is a collection of gate names, not the text {basis!r}")
    names = tuple(basis)
    for name in names:
        if not isinstance(name, str) or (name not in GATES and name.lstrip("co") not in GATES):
            raise UsageError(
                f"unknown basis gate {name!r}; known: {', '.join(GATES)}, "
                "each with a leading c (o) for a control on 1 (0)"
            )
    return names


@dataclass(frozen=True)
class Target:
    """A set of basis gates and, optionally, a device's qubits and couplings.

    Attributes:
        basis: Basis gate names, as :func:`operation_name` gives them, for example
            ``("rz", "sx", "x", "cx")``.
        num_qubits: Number of physical qubits, or None for as many as the circuit has.
        coupling: Pairs of physical qubits that a two-qubit gate may join, either direction;
            None means all pairs.
        name: For tables.

    Raises:
        UsageError: For an unknown basis gate or a coupling outside the qubits.
    """

    basis: tuple[str, ...] = DEFAULT_BASIS
    num_qubits: int | None = None
    coupling: frozenset[tuple[int, int]] | None = None
    name: str = "all-to-all"

    def __post_init__(self) -> None:
        object.__setattr__(self, "basis", check_basis(self.basis))
        if self.num_qubits is not None:
            whole(self.num_qubits, "the number of qubits of a target", 0)
        if self.coupling is not None:
            if self.num_qubits is None:
                raise UsageError("a coupling map needs a number of qubits")
            pairs = frozenset((min(a, b), max(a, b)) for a, b in self.coupling)
            if any(not 0 <= a < b < self.num_qubits for a, b in pairs):
                raise UsageError(f"a coupling is not between two of {self.num_qubits} qubits")
            object.__setattr__(self, "coupling", pairs)

    @classmethod
    def all_to_all(
        cls, basis: Iterable[str] = DEFAULT_BASIS, num_qubits: int | None = None
    ) -> Target:
        """Every pair of qubits is coupled."""
        return cls(check_basis(basis), num_qubits)

    @classmethod
    def line(cls, num_qubits: int, basis: Iterable[str] = DEFAULT_BASIS) -> Target:
        """Each qubit is coupled to the next."""
        whole(num_qubits, "the number of qubits", 1)
        pairs = frozenset((i, i + 1) for i in range(num_qubits - 1))
        return cls(check_basis(basis), num_qubits, pairs, f"line-{num_qubits}")

    @classmethod
    def grid(cls, rows: int, columns: int, basis: Iterable[str] = DEFAULT_BASIS) -> Target:
        """A square lattice, numbered row by row."""
        whole(rows, "the number of rows", 1)
        whole(columns, "the number of columns", 1)
        right = {
            (r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)
        }
        down = {
            (r * columns + c, (r + 1) * columns + c)
            for r in range(rows - 1)
            for c in range(columns)
        }
        return cls(
            check_basis(basis), rows * columns, frozenset(right | down), f"grid-{rows}x{columns}"
        )

    @classmethod
    def heavy_hex(cls, distance: int, basis: Iterable[str] = DEFAULT_BASIS) -> Target:
        """The heavy-hexagon lattice of odd code distance d, with (5 d^2 - 2 d - 1) / 2 qubits.

        Source: Chamberland et al., Phys. Rev. X 10, 011022 (2020), section II: d x d data qubits,
        flags between neighbours in a row, syndrome qubits that bridge the rows.
        """
        if whole(distance, "the distance of a lattice") < 1 or distance % 2 == 0:
            raise UsageError(f"the distance of a heavy-hex lattice is odd, not {distance}")
        pairs = frozenset(_heavy_hex_pairs(distance))
        qubits = (5 * distance**2 - 2 * distance - 1) // 2
        return cls(check_basis(basis), qubits, pairs, f"heavy-hex-{distance}")

    def permits(self, circuit: Circuit) -> bool:
        """Whether every operation is in the basis and on coupled qubits."""
        return not any(True for _ in self.violations(circuit))

    def violations(self, circuit: Circuit) -> Iterator[str]:
        """Says, for each operation that the target does not have, which and where."""
        if self.num_qubits is not None and circuit.num_qubits > self.num_qubits:
            yield f"{circuit.num_qubits} qubits on a target of {self.num_qubits}"
        for op in circuit.flat():
            if isinstance(op, Barrier | Measure | Reset):
                continue
            if operation_name(op) not in self.basis:
                yield f"{operation_name(op)} on {op.qubits} is not in the basis"
            elif len(op.qubits) == 2 and self.coupling is not None:
                pair = (min(op.qubits), max(op.qubits))
                if pair not in self.coupling:
                    yield f"{operation_name(op)} on {op.qubits}: not coupled"


def _heavy_hex_pairs(d: int) -> Iterator[tuple[int, int]]:
    """Data qubits first, then the flags between them in a row, then the bridges between rows."""
    fresh = d * d
    rows: list[list[int]] = []
    for row in range(d):
        path = [row * d]
        for column in range(1, d):
            path += [fresh, row * d + column]
            fresh += 1
        rows.append(path)
        yield from pairwise(path)
    for upper in range(d - 1):
        # Bridges join flags two data qubits apart, shifted from row to row, and one outer end.
        inner = range(3, 2 * d - 1, 4) if upper % 2 == 0 else range(1, 2 * d - 2, 4)
        end = 0 if upper % 2 == 0 else 2 * d - 2
        for place in (end, *inner):
            yield rows[upper][place], fresh
            yield fresh, rows[upper + 1][place]
            fresh += 1
