"""Puts the commands together: ours, and those that plugins register.

A plugin adds a command through the entry-point group ``qmastermind.commands``: the name is the
command, the value a function or a :class:`typer.Typer`. Such a module is imported for every call,
so it imports nothing heavy at its top level.
"""

from __future__ import annotations

import importlib.metadata
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import typer
from typer.core import TyperGroup

from qmastermind.cli.backends import backends, solvers
from qmastermind.cli.common import err_console, print_error
from qmastermind.cli.compare import compare
from qmastermind.cli.export import export
from qmastermind.cli.oracle import oracle
from qmastermind.cli.search import search
from qmastermind.cli.solve import solve
from qmastermind.cli.verify import verify
from qmastermind.errors import QmastermindError

COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {
    "solve": solve,
    "search": search,
    "compare": compare,
    "oracle": oracle,
    "export": export,
    "verify": verify,
    "backends": backends,
    "solvers": solvers,
}


class _ReaderGoneError(Exception):
    """Nobody reads the output any more."""


class _InterruptedError(Exception):
    """Ctrl-C."""


@contextmanager
def _endings() -> Iterator[None]:
    """Renames what would otherwise end in typer, with exit codes and silence of its own."""
    try:
        yield
    except BrokenPipeError:
        raise _ReaderGoneError from None
    except SystemExit as stop:  # as rich ends then
        if isinstance(stop.__context__, BrokenPipeError):
            raise _ReaderGoneError from None
        raise
    except KeyboardInterrupt:
        raise _InterruptedError from None


class _Group(TyperGroup):
    """The commands, with our way to end."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        with _endings():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        with _endings():
            return super().invoke(ctx)


def build_app() -> typer.Typer:
    """The application with every command."""
    app = typer.Typer(
        name="qmastermind",
        cls=_Group,
        help="Quantum search circuits built once and compiled to any framework, with Mastermind "
        "as the worked domain.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name, command in COMMANDS.items():
        _add(app, name, command)
    for entry in sorted(importlib.metadata.entry_points(group="qmastermind.commands")):
        try:
            command = entry.load()
        except Exception as error:  # a broken plugin must not take the others with it
            text = f"command {entry.name!r} cannot be loaded: {error}"
            err_console().print(text, style="yellow", markup=False)
            continue
        _add(app, entry.name, command)
    return app


def _add(app: typer.Typer, name: str, command: Callable[..., Any] | typer.Typer) -> None:
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"qmastermind {importlib.metadata.version('qmastermind')}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command and exits: 0 done, 1 failed, 2 misuse, 130 interrupted.

    The end that ``kill`` and job schedulers ask for (SIGTERM) is taken as Ctrl-C.
    A reader that goes away (``qmastermind ... | head -1``) is no failure: 0, without a word.
    """
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        try:
            build_app()(args=None if arguments is None else list(arguments))
        finally:
            if sys.stdout is not None:  # closed from the start
                sys.stdout.flush()
    except QmastermindError as error:
        _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, _InterruptedError):
        _fail("interrupted", 130)
    except MemoryError:
        _fail("out of memory", 1)
    except (BrokenPipeError, _ReaderGoneError):
        _leave_output()  # the reader has what it wanted
        sys.exit(0)
    except OSError as error:  # a full disk, most likely
        _leave_output()
        what = "cannot write the output" if error.filename is None else str(error.filename)
        _fail(f"{what}: {error.strerror or error}", 1)


def _fail(message: str, code: int) -> None:
    with suppress(BrokenPipeError, SystemExit):  # if nobody reads it
        print_error(message)
    sys.exit(code)


def _leave_output() -> None:
    """Points stdout elsewhere, so that nothing is flushed to it once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
