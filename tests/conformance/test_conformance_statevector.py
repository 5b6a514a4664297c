from qmastermind.testing import BackendConformance


class TestStatevector(BackendConformance):
    backend_name = "statevector"
