"""A pytest plugin that prints how many conformance cases were checked, also under pytest-xdist."""

from __future__ import annotations

from collections import Counter
from typing import Any

CASES = "qmastermind_conformance_cases"
"""The property of a test that holds its number of cases."""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Adds one line for each class of the suite that was run."""
    cases: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            # a test's properties are complete when it has been torn down
            if getattr(report, "when", "") == "teardown":
                found = dict(report.user_properties).get(CASES, 0)
                if found:
                    cases[report.nodeid.split("::")[1]] += found
    for suite, number in sorted(cases.items()):
        terminalreporter.write_line(f"{suite}: {number} conformance cases checked")
