"""The circuits that are compared: by name, or from a file."""

from __future__ import annotations

import math
from pathlib import Path

from qmastermind.algorithms.deutsch import pair_query
from qmastermind.algorithms.grover import grover, hadamards, iteration, plan
from qmastermind.circuit import Circuit
from qmastermind.comparison.devices import STORED, device_backend
from qmastermind.encoding import Encoding
from qmastermind.errors import UnknownNameError, UsageError
from qmastermind.game import Code, Rules, feedback
from qmastermind.oracle.match import MatchOracle
from qmastermind.oracle.pegs import ColourPairOracle
from qmastermind.target import Target

CIRCUITS = ("grover", "grover-iteration", "oracle", "deutsch", "feedback")
"""Circuits by name; a file ``x.qasm`` or ``x.py:name`` does as well, where the name is that of a
:class:`~qmastermind.circuit.Circuit` or of a function without arguments that returns one."""

TARGETS = ("all-to-all", "line", "grid", "heavy-hex", "ibm:NAME")


def build_case(
    name: str, rules: Rules, secret: Code, iterations: int | None = None, space: str = "all"
) -> Circuit:
    """The circuit of a name, without measurements.

    ``grover`` is the preparation and all iterations, ``grover-iteration`` one oracle and diffuser
    after the preparation, ``oracle`` the match oracle, ``deutsch`` one fenced pairwise query,
    ``feedback`` the consistency oracle of the opening guess of two pairs.

    Raises:
        UnknownNameError: For another name.
        UsageError: For a file that holds no circuit.
    """
    if name.lower().endswith((".qasm", ".qasm3")):
        from qmastermind.qasm import read_file

        return read_file(Path(name)).without_measurements()
    if ".py:" in name:
        return _from_python(name)
    if space not in ("valid", "all"):
        raise UsageError(f"unknown space {space!r}; known: valid, all")
    encoding = Encoding(rules)
    match name:
        case "oracle":
            return MatchOracle(secret, encoding).phase().flattened()
        case "grover" | "grover-iteration":
            start = encoding.prepare("valid" if space == "valid" else "all")
            oracle = MatchOracle(secret, encoding)
            number = 1 if name == "grover-iteration" else iterations
            search = plan(encoding.size("valid" if space == "valid" else "all"), iterations=number)
            return grover(oracle, start, plan=search)
        case "deutsch":
            return pair_query(ColourPairOracle(secret, 0, 1)).without_measurements()
        case "feedback":
            from qmastermind.oracle.consistency import ConsistencyOracle

            half = (rules.positions + 1) // 2
            guess = rules.code([0 if i < half else 1 for i in range(rules.positions)])
            consistent = ConsistencyOracle([(guess, feedback(guess, secret))], encoding)
            return consistent.phase().flattened()
    if Path(name).is_file():
        raise UsageError(f"{name}: a file with a circuit ends in .qasm, or is named FILE.py:NAME")
    raise UnknownNameError("circuit", name, [*CIRCUITS, "FILE.qasm", "FILE.py:NAME"])


def _from_python(target: str) -> Circuit:
    from qmastermind.cli.sources import load_object

    circuit = load_object(target)
    if callable(circuit):
        try:
            circuit = circuit()
        except UsageError:
            raise
        except (Exception, SystemExit) as error:
            raise UsageError(f"calling {target} failed: {type(error).__name__}: {error}") from error
    return require_circuit(circuit, f"{target} gives").without_measurements()


def require_circuit(value: object, what: str) -> Circuit:
    """``value``, if it is a circuit of ours.

    Args:
        value: Anything.
        what: How the message begins: ``my.py:f gives``.

    Raises:
        UsageError: If it is something else, such as a framework's circuit.
    """
    if isinstance(value, Circuit):
        return value
    kind = type(value)
    raise UsageError(f"{what} a {kind.__module__}.{kind.__qualname__}, not a qmastermind Circuit")


def search_circuits(num_qubits: int) -> dict[str, Circuit]:
    """The match oracle and one Grover iteration on ``num_qubits`` bits, for scaling."""
    rules = Rules(num_qubits, 2)
    oracle = MatchOracle(rules.code([i % 2 for i in range(num_qubits)]), Encoding(rules))
    step = iteration(oracle, hadamards(num_qubits), math.pi)
    return {"oracle": oracle.phase().flattened(), "grover-iteration": step.flattened()}


def device_of(target: str) -> str:
    """The name of the backend whose device a target's name means, or ``""``."""
    kind, _, name = target.partition(":")
    return f"{STORED}:{name}" if kind == "ibm" and name else ""


def build_target(name: str, num_qubits: int, basis: tuple[str, ...]) -> Target:
    """The target of a name, just large enough for ``num_qubits``.

    Raises:
        UnknownNameError: For another name.
    """
    if name == "all-to-all":
        return Target.all_to_all(basis)
    if name == "line":
        return Target.line(num_qubits, basis)
    if name == "grid":
        rows = max(1, math.isqrt(num_qubits))
        return Target.grid(rows, math.ceil(num_qubits / rows), basis)
    if name == "heavy-hex":
        distance = 3
        while (5 * distance**2 - 2 * distance - 1) // 2 < num_qubits:
            distance += 2
        return Target.heavy_hex(distance, basis)
    if device_of(name):
        return device_backend(device_of(name)).target
    raise UnknownNameError("target", name, TARGETS)
