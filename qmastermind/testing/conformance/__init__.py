"""The suite that every backend has to pass, ours and anybody else's.

Subclass it in a test file and run pytest::

    from qmastermind.testing import BackendConformance

    class TestToy(BackendConformance):
        backend_name = "toy"

What a backend does not declare in its capabilities is either skipped or has to be refused with an
error of ours. Exact probabilities are compared to within ``tolerance``; counts by a chi-squared
test that fails one right case in ``1 / false_alarm``, and always the same way with a backend that
has seeds. The number of cases is printed at the end.
"""

from __future__ import annotations

from qmastermind.testing.conformance.compiling import CompileConformance
from qmastermind.testing.conformance.gates import GateConformance
from qmastermind.testing.conformance.protocol import ProtocolConformance
from qmastermind.testing.conformance.results import ResultConformance

__all__ = ["BackendConformance"]


class BackendConformance(
    ProtocolConformance, ResultConformance, GateConformance, CompileConformance
):
    """All of it. Set ``backend_name``, or override ``make_backend``."""
