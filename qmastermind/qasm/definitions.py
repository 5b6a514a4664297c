"""Gate definitions for what OpenQASM 2 and its ``qelib1.inc`` lack.

``qelib1.inc`` is that of the language's paper (Cross et al., arXiv:1707.03429), which importers
agree on. ``sx``, ``sxdg``, ``swap``, ``rzz`` and ``ecr`` are defined under their own names, and a
gate under controls as ``gate_if_values``: ``x_if_110`` acts when its first two qubits are 1 and
the third is 0. A definition needs no ancilla. Its cost grows with the square of the number of
controls: a phase is halved and passed on (Barenco et al., Phys. Rev. A 52, 3457 (1995),
lemma 7.5), each X in between has the target as a borrowed qubit (lemmas 7.2 and 7.3).

The phase of a defined gate is that of our gate, so that it is right wherever it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from qmastermind.gates import GATES

HEADER = 'OPENQASM 2.0;\ninclude "qelib1.inc";\n'

_PARAMETERS = ("theta", "phi", "lambda")

# Names in qelib1.inc, by gate and values of controls.
_STANDARD = {
    ("p", ""): "u1",
    ("u", ""): "u3",
    ("x", "1"): "cx",
    ("x", "11"): "ccx",
    ("y", "1"): "cy",
    ("z", "1"): "cz",
    ("h", "1"): "ch",
    ("p", "1"): "cu1",
    ("rz", "1"): "crz",
    **{(g, ""): g for g in ("x", "y", "z", "h", "s", "sdg", "t", "tdg", "rx", "ry", "rz")},
}

_PHASES = {"z": "pi", "s": "pi/2", "sdg": "-pi/2", "t": "pi/4", "tdg": "-pi/4"}

# A gate as (before, diagonal gate, after): it is the same under controls, as before and after
# undo each other.
_CONJUGATED = {
    "x": (("h",), ("z", ""), ("h",)),
    "y": (("sdg",), ("x", ""), ("s",)),
    "h": (("ry(-pi/4)",), ("z", ""), ("ry(pi/4)",)),
    "sx": (("h",), ("p", "pi/2"), ("h",)),
    "sxdg": (("h",), ("p", "-pi/2"), ("h",)),
    "rx": (("h",), ("rz", "theta"), ("h",)),
    "ry": (("sdg", "h"), ("rz", "theta"), ("h", "s")),
}

_PLAIN = {
    "sx": ("h t0;", "s t0;", "h t0;"),
    "sxdg": ("h t0;", "sdg t0;", "h t0;"),
    "swap": ("cx t0,t1;", "cx t1,t0;", "cx t0,t1;"),
    "rzz": ("cx t0,t1;", "rz(theta) t1;", "cx t0,t1;"),
    "ecr": ("s t0;", "rx(pi/2) t1;", "cx t0,t1;", "x t0;"),
}


def gate_name(gate: str, values: str) -> str:
    """The name in OpenQASM 2 of a gate under controls of these values."""
    standard = _STANDARD.get((gate, values))
    if standard is not None:
        return standard
    return f"{gate}_if_{values}" if values else gate


def split_name(name: str) -> tuple[str, str] | None:
    """The gate and the values of controls that one of our definitions is for, or None."""
    gate, _, values = name.partition("_if_")
    if gate not in GATES or set(values) - {"0", "1"} or gate_name(gate, values) != name:
        return None
    return None if (gate, values) in _STANDARD else (gate, values)


@lru_cache(maxsize=4096)
def definition(gate: str, values: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The text of a definition, and the gates in it that need one as well."""
    kind = GATES[gate]
    controls = [f"c{i}" for i in range(len(values))]
    targets = [f"t{i}" for i in range(kind.num_qubits)]
    parameters = _PARAMETERS[: kind.num_params]
    body = _Body()
    if not values:
        body.lines += _PLAIN[gate]
    elif "0" in values:
        opened = [c for c, v in zip(controls, values, strict=True) if v == "0"]
        body.lines += [f"x {c};" for c in opened]
        body.call(gate, len(values), parameters, [*controls, *targets])
        body.lines += [f"x {c};" for c in opened]
    else:
        _closed(body, gate, controls, targets)
    angles = f"({','.join(parameters)})" if parameters else ""
    head = f"gate {gate_name(gate, values)}{angles} {','.join([*controls, *targets])} {{"
    return "\n".join([head, *(f"  {line}" for line in body.lines), "}"]), tuple(body.needs)


def needed(gates: Iterable[tuple[str, str]]) -> list[str]:
    """The texts of all definitions that these gates need, each after those it uses."""
    texts: dict[tuple[str, str], str] = {}

    def add(gate: tuple[str, str]) -> None:
        if gate in texts or gate in _STANDARD:
            return
        text, needs = definition(*gate)
        for other in needs:
            add(other)
        texts[gate] = text

    for gate in gates:
        add(gate)
    return list(texts.values())


@dataclass
class _Body:
    """The lines of a definition, and what they use."""

    lines: list[str] = field(default_factory=list)
    needs: dict[tuple[str, str], None] = field(default_factory=dict)

    def call(
        self, gate: str, num_controls: int, angles: Sequence[str], qubits: Sequence[str]
    ) -> None:
        """A gate under closed controls."""
        values = "1" * num_controls
        self.needs[gate, values] = None
        arguments = f"({','.join(angles)})" if angles else ""
        self.lines.append(f"{gate_name(gate, values)}{arguments} {','.join(qubits)};")

    def phase(self, angle: str, qubits: Sequence[str]) -> None:
        """A phase where all the qubits are 1."""
        self.call("p", len(qubits) - 1, [angle], qubits)


def _closed(body: _Body, gate: str, controls: list[str], targets: list[str]) -> None:
    """A gate under controls that are all 1."""
    n, (first, *others) = len(controls), targets
    if gate == "p":
        _controlled_phase(body, controls, first)
    elif gate in _PHASES:
        body.phase(_PHASES[gate], [*controls, first])
    elif gate in _CONJUGATED:
        before, (inner, angle), after = _CONJUGATED[gate]
        body.lines += [f"{name} {first};" for name in before]
        body.call(inner, n, [angle] if angle else [], [*controls, first])
        body.lines += [f"{name} {first};" for name in after]
    elif gate == "rz":
        body.phase("theta", [*controls, first])
        body.phase("-theta/2", controls)
    elif gate == "u":
        body.phase("(phi+lambda)/2", controls)
        body.lines.append(f"rz((lambda-phi)/2) {first};")
        body.call("x", n, [], [*controls, first])
        body.lines.append(f"u3(-theta/2,0,-(phi+lambda)/2) {first};")
        body.call("x", n, [], [*controls, first])
        body.lines.append(f"u3(theta/2,phi,0) {first};")
    elif gate == "rzz":
        body.lines.append(f"cx {first},{others[0]};")
        body.call("rz", n, ["theta"], [*controls, others[0]])
        body.lines.append(f"cx {first},{others[0]};")
    elif gate == "swap":
        body.lines.append(f"cx {others[0]},{first};")
        body.call("x", n + 1, [], [*controls, first, others[0]])
        body.lines.append(f"cx {others[0]},{first};")
    else:  # ecr
        body.call("s", n, [], [*controls, first])
        body.call("rx", n, ["pi/2"], [*controls, others[0]])
        body.call("x", n + 1, [], [*controls, first, others[0]])
        body.call("x", n, [], [*controls, first])


def _controlled_phase(body: _Body, controls: list[str], target: str) -> None:
    """The phase theta where all are 1, for two or more controls."""
    *rest, last = controls
    for sign in ("", "-"):
        body.phase(f"{sign}theta/2", [last, target])
        body.lines += _borrowing_x(rest, last, target)
    body.phase("theta/2", [*rest, target])


def _borrowing_x(controls: list[str], target: str, borrowed: str) -> list[str]:
    """X under closed controls, with one qubit in any state that is given back."""
    if len(controls) <= 2:
        return _chain(controls, target, [])
    half = (len(controls) + 1) // 2
    first, second = controls[:half], [*controls[half:], borrowed]
    return 2 * [
        *_chain(first, borrowed, [*controls[half:], target]),
        *_chain(second, target, first),
    ]


def _chain(controls: list[str], target: str, borrowed: list[str]) -> list[str]:
    """X under m closed controls with m - 2 borrowed qubits, in 4 (m - 2) Toffoli gates."""
    m = len(controls)
    if m <= 2:
        return [f"{'c' * m}x {','.join([*controls, target])};"]
    steps = [(controls[m - 1], borrowed[m - 3], target)]
    steps += [(controls[i], borrowed[i - 2], borrowed[i - 1]) for i in range(m - 2, 1, -1)]
    turn = (controls[0], controls[1], borrowed[0])
    down, up = steps, steps[::-1]
    path = [*down, turn, *up, *down[1:], turn, *up[:-1]]
    return [f"ccx {','.join(step)};" for step in path]
