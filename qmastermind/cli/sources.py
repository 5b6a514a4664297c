"""Options that name an oracle: formula, DIMACS file, predicate, marked inputs, or a history."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from qmastermind.cli.common import read_rules
from qmastermind.encoding import Encoding
from qmastermind.errors import UnknownNameError, UsageError
from qmastermind.game import Code, Feedback, Rules
from qmastermind.oracle.algebra import ExpressionOracle
from qmastermind.oracle.base import Oracle
from qmastermind.oracle.consistency import ConsistencyOracle, Design
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
HistoryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--history",
        metavar="GUESS:BLACK,WHITE",
        help="Answers so far, such as RGBY:1,1; repeat it or separate rows by spaces. Marks the "
        "codes that fit.",
    ),
]
DesignOption = Annotated[
    str,
    typer.Option(
        "--design",
        help="auto takes the fewest Toffolis that fit; a formula or DIMACS has wide, narrow and "
        "products, a history counters, one-hot and table.",
    ),
]

MAX_QUBITS = 24
"""Where ``auto`` is to be simulated, the widest circuit that it takes."""


def read_oracle(
    dimacs: Path | None,
    formula: str | None,
    predicate: str | None,
    marked: Path | None,
    history: Sequence[str] | None = None,
    rules: Rules | None = None,
    design: str | None = "auto",
    max_qubits: int | None = None,
) -> Oracle:
    """The oracle that exactly one of the sources names.

    Args:
        dimacs: A file.
        formula: Text.
        predicate: ``FILE.py:NAME``.
        marked: A file.
        history: Rows ``GUESS:BLACK,WHITE``.
        rules: Of the game that the history is from; default classic.
        design: Of the circuit; None leaves it as the source has it.
        max_qubits: Which ``auto`` keeps to where it can.

    Raises:
        UsageError: If none or several are given, or what is named cannot be used.
        ConflictError: If no code fits the history.
    """
    sources = (dimacs, formula, predicate, marked, history or None)
    if sum(source is not None for source in sources) != 1:
        raise UsageError(
            "give exactly one of --dimacs, --formula, --predicate, --marked and --history"
        )
    if history:
        return _from_history(history, rules or Rules(), design or "auto", max_qubits)
    if rules is not None:
        raise UsageError("--rules, --positions and --colours belong to --history")
    if formula is not None:
        return _designed(from_formula(formula), design, max_qubits)
    if dimacs is not None:
        return _designed(from_dimacs(_read(dimacs)), design, max_qubits)
    if design not in (None, "auto"):
        raise UsageError("--design needs a formula, a DIMACS file or a history")
    if predicate is not None:
        return _from_python(predicate)
    assert marked is not None
    return _from_list(marked)


def game_of(rules: str | None, positions: int | None, colours: int | None) -> Rules | None:
    """The rules that the options name, or None if there is no such option."""
    if rules is None and positions is None and colours is None:
        return None
    return read_rules(rules, positions, colours)


def _designed(oracle: ExpressionOracle, design: str | None, max_qubits: int | None) -> Oracle:
    if design is None:
        return oracle
    if design == "auto":
        return oracle.cheapest(max_qubits)
    forms = oracle.designs()
    if design not in forms:
        raise UnknownNameError("design", design, ["auto", *forms])
    return forms[design]


def _from_history(
    rows: Sequence[str], rules: Rules, design: str, max_qubits: int | None
) -> ConsistencyOracle:
    history = [_read_row(row, rules) for text in rows for row in re.split(r"[\s;]+", text) if row]
    if not history:
        raise UsageError("--history has no row; expected GUESS:BLACK,WHITE, such as RGBY:1,1")
    encoding = Encoding(rules)
    if design == "auto":
        return ConsistencyOracle.within(history, encoding, max_qubits)
    return ConsistencyOracle(history, encoding, cast("Design", design))  # which it checks


def _read_row(text: str, rules: Rules) -> tuple[Code, Feedback]:
    match = re.fullmatch(r"(.+):(\d+),(\d+)", text)
    if match is None:
        raise UsageError(f"a row of a history is GUESS:BLACK,WHITE, such as RGBY:1,1, not {text!r}")
    guess, black, white = match.groups()
    return rules.code(guess), rules.check_feedback((int(black), int(white)))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")  # a byte order mark is no content
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
    function = load_object(target)
    if not callable(function):
        file, _, name = target.rpartition(":")
        raise UsageError(f"{file} defines no function {name!r}")
    return cast("Callable[..., Any]", function)


def load_object(target: str) -> Any:
    """What ``FILE.py:NAME`` names; the file is run.

    What a function prints goes to stderr, so that it does not come between our own output.

    Raises:
        UsageError: If there is no such file or name, or the file fails to run.
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
    if not hasattr(module, name):
        raise UsageError(f"{file} defines no {name!r}")
    found = getattr(module, name)
    if not callable(found):
        return found

    @wraps(found)
    def quiet(*args: Any, **kwargs: Any) -> Any:
        with redirect_stdout(sys.stderr):
            return found(*args, **kwargs)

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
