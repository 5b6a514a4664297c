import json
from dataclasses import dataclass

import pytest

from qmastermind.cli import main
from qmastermind.game import Codemaker


class StrictCodemaker(Codemaker):
    """Counts its guesses and allows nothing but the rules and its answers to be read."""

    __slots__ = ("asked",)

    def __init__(self, secret, rules=None):
        super().__init__(secret, rules)
        self.asked = []

    def answer(self, guess):
        self.asked.append(tuple(guess))
        return super().answer(guess)


@pytest.fixture
def play():
    """Plays a game and checks what every solver owes."""

    def call(solver, secret, rules=None):
        codemaker = StrictCodemaker(secret, rules)
        solution = solver.solve(codemaker)
        assert solution.verified
        assert solution.code == codemaker.rules.code(secret)
        assert [tuple(g) for g, _ in solution.guesses] == codemaker.asked
        assert solution.guesses[-1][1].black == codemaker.rules.positions
        assert all(a.black < codemaker.rules.positions for _, a in solution.guesses[:-1])
        json.dumps(solution.details)
        return solution

    return call


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def run(capsys, monkeypatch):
    """Runs the command line in this process."""
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments):
        code = 0
        try:
            main([str(a) for a in arguments])
        except SystemExit as stop:
            code = stop.code or 0
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call
