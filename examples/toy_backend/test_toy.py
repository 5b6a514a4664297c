"""The conformance suite on the toy backend; run it with ``pytest`` once both are installed."""

from qmastermind.testing import BackendConformance


class TestToy(BackendConformance):
    """All of the suite."""

    backend_name = "toy"
