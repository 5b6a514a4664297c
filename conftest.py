"""Runs the Python code and the shell commands of the README and the docs as tests."""

import shlex
from pathlib import Path

import pytest

try:
    from sybil import Sybil
    from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser
except ImportError:  # a run without the tools of developers tests the package only
    collect_ignore_glob = ["*.md"]
else:

    def run_commands(example):
        """Runs every ``qmastermind ...`` line; other lines are for reading."""
        from qmastermind.cli import main

        for line in example.parsed.splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words[:1] != ["qmastermind"]:
                continue
            try:
                main(words[1:])
                code = 0
            except SystemExit as stop:
                code = stop.code
            assert not code, f"{line!r} ended with {code}"

    class ConsoleParser(CodeBlockParser):
        language = "console"

        def evaluate(self, example):
            run_commands(example)

    @pytest.fixture
    def in_empty_folder(tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    pytest_collect_file = Sybil(
        parsers=[PythonCodeBlockParser(), ConsoleParser(), SkipParser()],
        patterns=["README.md", "docs/*.md"],
        path=str(Path(__file__).parent),
        fixtures=["in_empty_folder"],
    ).pytest()
