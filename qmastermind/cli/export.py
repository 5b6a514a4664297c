"""``qmastermind export``: a circuit as a file, in OpenQASM or a framework's own format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qmastermind.cli.common import (
    ColoursOption,
    JsonFlag,
    PositionsOption,
    RulesOption,
    SeedOption,
    choose_secret,
    print_json,
    read_rules,
    write_file,
)
from qmastermind.errors import UnknownNameError, UsageError

if TYPE_CHECKING:
    from qmastermind.circuit import Circuit

_MEASURED = ("grover", "deutsch")  # whole programs; the others are parts of one


def export(
    circuit: Annotated[
        str,
        typer.Option(
            "--circuit",
            help="grover and deutsch, measured; grover-iteration, oracle, feedback, FILE.qasm or "
            "FILE.py:NAME.",
        ),
    ] = "grover",
    file_format: Annotated[
        str, typer.Option("--format", help="qasm3, qasm2, qiskit-qpy, cirq-json or tket-json.")
    ] = "qasm3",
    rules: RulesOption = None,
    positions: PositionsOption = None,
    colours: ColoursOption = None,
    secret: Annotated[str, typer.Option("--secret", help="Code inside the oracle.")] = "random",
    iterations: Annotated[int | None, typer.Option("--iterations", help="For grover.")] = None,
    space: Annotated[str, typer.Option("--space", help="all or valid.")] = "all",
    seed: SeedOption = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file; default: the screen.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Writes a circuit as OpenQASM, or in the format of an installed framework."""
    from qmastermind.comparison.cases import build_case

    game = read_rules(rules, positions, colours)
    hidden = choose_secret(secret, game, seed)
    built = build_case(circuit, rules=game, secret=hidden, iterations=iterations, space=space)
    if circuit in _MEASURED:
        built = built.measured()
    about = {"circuit": circuit, "secret": str(hidden)}
    write_circuit(built, file_format, output, json, about)


def write_circuit(
    circuit: Circuit, file_format: str, output: Path | None, json: bool, about: Mapping[str, Any]
) -> None:
    """Writes a circuit to a file or to stdout, or prints it as JSON together with ``about``.

    Raises:
        UsageError: For a binary format without a file, and as :func:`written`.
        Exit: With 2, if the file cannot be written.
    """
    content = written(circuit, file_format)
    if output is not None:
        if not write_file(output, content, "circuit"):
            raise typer.Exit(2)
    elif isinstance(content, bytes):
        raise UsageError(f"{file_format} is a binary format; name a file with -o")
    elif not json:
        typer.echo(content, nl=False)
    if json:
        print_json(
            {
                **about,
                "format": file_format,
                "qubits": circuit.num_qubits,
                "bits": circuit.num_bits,
                "file": output,
                "text": content if output is None else None,
            }
        )
    elif output is not None:
        typer.echo(f"{file_format} of {circuit.num_qubits} qubits written to {output}")


def written(circuit: Circuit, file_format: str) -> str | bytes:
    """The file's content; text where it is text.

    Raises:
        UnknownNameError: If no installed backend has this format.
        MissingDependencyError: If the backend that has it lacks its framework.
    """
    from qmastermind.qasm import to_qasm2, to_qasm3
    from qmastermind.registry import get_backend, registered_backends

    if file_format in ("qasm2", "qasm3"):
        return to_qasm3(circuit) if file_format == "qasm3" else to_qasm2(circuit)
    owners = {
        written: name
        for name, plugin in registered_backends().items()
        if plugin.cls is not None
        for written in plugin.cls.info.formats
    }
    if file_format not in owners:
        raise UnknownNameError("format", file_format, ["qasm2", "qasm3", *owners])
    content = get_backend(owners[file_format]).export(circuit, file_format)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content
