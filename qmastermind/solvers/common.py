"""What the quantum solvers share."""

from __future__ import annotations

from typing import Any

from qmastermind.circuit import Circuit
from qmastermind.game import Code, Codemaker, Feedback
from qmastermind.resources import count
from qmastermind.synthesis.lowering import lower
from qmastermind.target import DEFAULT_BASIS


def verify(codemaker: Codemaker, code: Code) -> tuple[bool, tuple[tuple[Code, Feedback], ...]]:
    """Asks the codemaker whether ``code`` is the secret; one classical query."""
    answer = codemaker.answer(code)
    return answer.black == codemaker.rules.positions, ((code, answer),)


def lowered_resources(circuit: Circuit) -> dict[str, Any]:
    """Qubits, depth and two-qubit gates of our own lowering to the default basis."""
    figures = count(lower(circuit, DEFAULT_BASIS))
    return {
        "qubits": circuit.num_qubits,
        "depth": figures.depth,
        "two_qubit_gates": figures.two_qubit_gates,
        "two_qubit_depth": figures.two_qubit_depth,
        "ancillas": figures.ancillas,
        "basis": list(DEFAULT_BASIS),
    }
