"""Text drawings of small circuits: one row a qubit, one column a layer."""

from __future__ import annotations

from dataclasses import dataclass, field

from qmastermind.circuit import Apply, Barrier, Box, Circuit, Measure, Operation, Reset
from qmastermind.gates import Gate

_MAX_COLUMNS = 400


@dataclass
class Column:
    """A layer of a drawing.

    Attributes:
        cells: What stands on each qubit that it has.
        links: Qubits from which a line runs to the next.
    """

    cells: dict[int, str] = field(default_factory=dict)
    links: set[int] = field(default_factory=set)

    def place(self, span: range, cells: dict[int, str]) -> None:
        """Puts an operation on the qubits of a span, joined by a line."""
        self.cells.update(dict.fromkeys(span, "│") | cells)
        self.links.update(span[:-1])


def draw(circuit: Circuit, width: int = 100) -> str:
    """Draws a circuit with ``width`` characters a line, folded where it is wider.

    Controls are ● (acts on 1) and ○ (acts on 0), a swap is ×, a measurement M with its bit,
    a box its label with the number of repetitions.
    """
    names = [
        f"{r.name}[{i}]" if r.size > 1 else r.name for r in circuit.registers for i in range(r.size)
    ]
    if not names:
        return "(no qubits)"
    margin = max(map(len, names))
    columns = layers(circuit)
    cut = len(columns) > _MAX_COLUMNS
    rows = [_Rows(circuit.num_qubits)]
    for column in columns[:_MAX_COLUMNS]:
        if rows[-1].width and margin + 3 + rows[-1].width + _width(column) + 3 > width:
            rows.append(_Rows(circuit.num_qubits))
        rows[-1].add(column)
    blocks = [block.text(names, margin) for block in rows]
    if cut:
        blocks.append(f"({len(columns) - _MAX_COLUMNS} more layers)")
    return "\n\n".join(blocks)


def layers(circuit: Circuit) -> list[Column]:
    """The layers of a drawing, from left to right; no two operations cross in one."""
    columns: list[Column] = []
    ready = [0] * circuit.num_qubits
    for op in circuit.operations:
        if not op.qubits:
            continue
        span = range(min(op.qubits), max(op.qubits) + 1)
        at = max(ready[q] for q in span)
        while len(columns) <= at:
            columns.append(Column())
        columns[at].place(span, _cells(op))
        for q in span:
            ready[q] = at + 1
    return columns


def _cells(op: Operation) -> dict[int, str]:
    match op:
        case Apply():
            cells = dict(zip(op.controls, ("●" if v else "○" for v in op.values), strict=True))
            name = str(op.gate) if isinstance(op.gate, Gate) else "diagonal"
            symbol = {"swap": "×"}.get(name, name.upper() if name.isalpha() else name)
            return cells | dict.fromkeys(op.targets, symbol)
        case Measure():
            return {op.qubit: f"M{op.bit}"}
        case Reset():
            return {op.qubit: "|0>"}
        case Barrier():
            return dict.fromkeys(op.qubits, "░")
        case Box():
            times = f"^{op.repetitions}" if op.repetitions != 1 else ""
            return {q: f"[{op.label or 'box'}{times}:{i}]" for i, q in enumerate(op.qubits)}


def _width(column: Column) -> int:
    return max(map(len, column.cells.values()), default=0)


class _Rows:
    def __init__(self, num_qubits: int) -> None:
        self.wires = [""] * num_qubits
        self.gaps = [""] * num_qubits
        self.width = 0

    def add(self, column: Column) -> None:
        wide = _width(column)
        for q in range(len(self.wires)):
            cell = column.cells.get(q, "─" * wide)
            self.wires[q] += "─" + cell.center(wide, "─") + "─"
            self.gaps[q] += " " + ("│" if q in column.links else " ").center(wide) + " "
        self.width += wide + 2

    def text(self, names: list[str], margin: int) -> str:
        lines = []
        for q, wire in enumerate(self.wires):
            lines.append(f"{names[q]:>{margin}}: {wire}")
            lines.append(f"{'':>{margin}}  {self.gaps[q]}".rstrip())
        return "\n".join(line for i, line in enumerate(lines) if line.strip() or i % 2 == 0)
