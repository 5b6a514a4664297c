"""The command line: ``qmastermind`` and ``python -m qmastermind``."""

from qmastermind.cli.app import main

__all__ = ["main"]
