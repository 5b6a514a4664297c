"""The suite that every backend has to pass, ours and anybody else's.

Subclass it in a test file and run pytest::

    from qmastermind.testing import BackendConformance

    class TestToy(BackendConformance):
        backend_name = "toy"

What a backend does not declare in its capabilities is either skipped or has to be refused with an
error of ours. Exact probabilities are compared to within ``tolerance``, and counts in any case, by
a chi-squared test that fails a right backend in less than one of ten million circuits, and always
the same way if it has seeds. A backend with exact probabilities samples about 150 circuits; one
without samples every operation alone as well, 550 circuits in all, so that the suite fails it
without a reason in less than one of ten thousand runs. The number of cases is printed at the end.
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
