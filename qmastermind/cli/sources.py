"""Options that name an oracle: a formula, a DIMACS file, a predicate, a list of marked inputs."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from qmastermind.errors import UsageError
from qmastermind.oracle.base import Oracle
from qmastermind.oracle.dimacs import from_dimacs
from qmastermind.oracle.formula import from_formula
from qmastermind.oracle.table import TableOracle, from_predicate
from qmastermind.oracle.variables import Variable, Variables, bits

DimacsOption = Annotated[Path | None, typer.Option("--dimacs", help="A CNF file in DIMACS format.")]
FormulaOption = Annotated[
    str | None, typer.Option("--formula", help="For example '(a & c | b & d) & ~(c & d)'.")
]
PredicateOption = Annotated[
    str | None,
    typer.Option(
        "--predicate",
        metavar="FILE.py:NAME",
        help="A function of bits; a parameter annotated range(k) takes 0 to k-1.",
    ),
]
MarkedOption = Annotated[
    Path | None, typer.Option("--marked", help="A file of marked bitstrings, one a line.")
]


def read_oracle(
    dimacs: Path | None, formula: str | None, predicate: str | None, marked: Path | None
) -> Oracle:
    """The oracle that exactly one of the options names.

    Raises:
        UsageError: If none or several are given, or what is named cannot be used.
    """
    given = [source for source in (dimacs, formula, predicate, marked) if source is not None]
    if len(given) != 1:
        raise UsageError("give exactly one of --dimacs, --formula, --predicate and --marked")
    if formula is not None:
        return from_formula(formula)
    if dimacs is not None:
        return from_dimacs(_read(dimacs))
    if predicate is not None:
        return _from_python(predicate)
    assert marked is not None
    return _from_list(marked)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read {path}: {reason}") from None


def _from_list(path: Path) -> Oracle:
    rows = [line.split("#")[0].strip() for line in _read(path).splitlines()]
    words = [row for row in rows if row]
    if not words:
        raise UsageError(f"{path} lists no bitstring, so that not even their length is known")
    for number, row in enumerate(rows, 1):
        if row and (set(row) - {"0", "1"} or len(row) != len(words[0])):
            raise UsageError(
                f"{path}, line {number}: expected {len(words[0])} characters 0 or 1, not {row!r}"
            )
    return TableOracle(words, bits(*(f"x{i}" for i in range(len(words[0])))))


def _from_python(target: str) -> Oracle:
    function = load_function(target)
    return from_predicate(function, _parameters(function))


def load_function(target: str) -> Callable[..., Any]:
    """The function of ``FILE.py:NAME``; the file is run.

    Raises:
        UsageError: If there is no such file or function, or the file fails to run.
    """
    file, colon, name = target.rpartition(":")
    if not colon or not name.isidentifier():
        raise UsageError(f"expected FILE.py:NAME, not {target!r}")
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file {file}")
    spec = importlib.util.spec_from_file_location("qmastermind_user_file", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise UsageError(f"running {file} failed: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise UsageError(f"{file} defines no function {name!r}")

    @wraps(function)
    def quiet(*args: Any, **kwargs: Any) -> Any:
        """The function; what it prints must not come between our own output."""
        with redirect_stdout(sys.stderr):
            return function(*args, **kwargs)

    return quiet


def _parameters(function: Callable[..., Any]) -> Variables:
    declared = []
    try:
        notes = inspect.get_annotations(function, eval_str=True)
        parameters = inspect.signature(function).parameters.values()
    except Exception as error:
        raise UsageError(f"cannot read the predicate's parameters: {error}") from error
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise UsageError("a predicate names its parameters one by one")
        note = notes.get(parameter.name, bool)
        if note is bool:
            declared.append(Variable(parameter.name))
        elif isinstance(note, range) and note == range(len(note)):
            declared.append(Variable(parameter.name, len(note)))
        else:
            raise UsageError(
                f"parameter {parameter.name!r} is annotated {note!r}; expected bool or range(k)"
            )
    if not declared:
        raise UsageError("a predicate needs at least one parameter")
    return Variables(tuple(declared))
