"""What a backend says of itself, how it is found, and the errors it raises."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from qmastermind.backend import Backend, Capability
from qmastermind.circuit import Circuit, Measure, Register
from qmastermind.errors import QmastermindError, UnsupportedError, UsageError
from qmastermind.registry import registered_backends
from qmastermind.testing.conformance import cases
from qmastermind.testing.conformance.base import ConformanceBase

_DISCOVERY = """
import importlib.metadata, json, sys
from qmastermind.registry import registered_backends
import numpy
before = set(sys.modules)
plugin = registered_backends()[sys.argv[1]]
assert plugin.cls is not None, plugin.problem
plugin.cls.info.versions()
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
owners = importlib.metadata.packages_distributions()
wanted = {package.lower().replace("_", "-") for package in plugin.cls.info.packages}
print(json.dumps(sorted(
    name for name in loaded
    if any(owner.lower().replace("_", "-") in wanted for owner in owners.get(name, ()))
    and not name.startswith("qmastermind")
)))
"""


class ProtocolConformance(ConformanceBase):
    """Names, versions, discovery and errors."""

    def test_info(self, backend: Backend) -> None:
        """What it says of itself without running is complete."""
        self.case()
        info = backend.info
        assert info.name == backend.name.partition(":")[0]
        assert info.summary
        assert info.missing() is None
        assert all(isinstance(c, Capability) for c in info.capabilities)
        assert backend.version
        many, own = (backend.can(c) for c in (Capability.TARGET, Capability.OWN_DEVICE))
        assert not (many and own), "it compiles for any target, or for its own device only"

    def test_discovery_imports_no_framework(self, backend: Backend) -> None:
        """Listing the backends must not cost the import of all frameworks."""
        name = backend.info.name
        if name not in registered_backends():
            pytest.skip(f"{name} is not registered")
        self.case()
        done = subprocess.run(
            [sys.executable, "-c", _DISCOVERY, name], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == []

    def test_a_strange_argument_is_refused(self, backend: Backend) -> None:
        """What follows a colon in a name is checked; by a remote backend when it is used."""
        self.case()

        def make_and_use() -> None:
            made = type(backend).create("no-such-thing-anywhere")
            if backend.can(Capability.REMOTE):
                made.run(cases.bits_set(1, (0,), (0,)), 10)

        with pytest.raises(QmastermindError):
            make_and_use()

    def test_nothing_to_measure(self, backend: Backend) -> None:
        """A circuit without bits cannot be run."""
        self.case()
        with pytest.raises(UsageError):
            backend.run(Circuit((Register("q", 2),)), 10)

    @pytest.mark.parametrize("shots", [0, -3])
    def test_shots(self, backend: Backend, shots: int) -> None:
        """Fewer than one shot is an error."""
        self.case()
        circuit = Circuit((Register("q", 1),), (Measure(0, 0),), 1)
        with pytest.raises(UsageError):
            backend.run(circuit, shots)

    def test_too_many_qubits(self, runner: Backend) -> None:
        """A state that cannot be held is refused in our words, or is simulated after all."""
        if runner.can(Capability.REMOTE):
            pytest.skip("not sent to a device")
        self.case()
        try:
            result = runner.run(cases.too_wide(70), 5, self.seed)
        except QmastermindError:
            return
        assert result.counts.shots == 5

    def test_formats(self, backend: Backend) -> None:
        """Every declared format is written, and no other."""
        circuit = cases.grover_step(3, 5, measure=True)
        for file_format in backend.info.formats:
            self.case()
            assert len(backend.export(circuit, file_format)) > 0
        self.case()
        with pytest.raises(UnsupportedError):
            backend.export(circuit, "no-such-format")
