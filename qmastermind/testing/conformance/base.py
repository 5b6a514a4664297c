"""What the parts of the conformance suite share: the backend, the comparison, the count."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pytest

from qmastermind.backend import Backend, Capability
from qmastermind.circuit import Circuit
from qmastermind.registry import get_backend
from qmastermind.testing import reference
from qmastermind.testing.pytest_plugin import CASES
from qmastermind.testing.statistics import chi_squared_p_value

if TYPE_CHECKING:
    from numpy.typing import NDArray


@lru_cache(maxsize=1024)
def expected_distribution(circuit: Circuit) -> NDArray[np.float64]:
    """The truth, computed once for all backends of a session."""
    return reference.distribution(circuit)


class ConformanceBase:
    """Settings and helpers.

    Attributes:
        backend_name: What :func:`qmastermind.registry.get_backend` takes.
        shots: Shots of each sampled case.
        false_alarm: The p-value below which counts are called wrong. Of 24 million simulated
            samples of these circuits 4 came below 1e-7 and none below 1e-8, so that a right
            backend fails in less than one of ten million sampled circuits.
        tolerance: Largest error of an exact probability.
        seed: Seed of every run.
    """

    backend_name: ClassVar[str]
    shots: ClassVar[int] = 2000
    false_alarm: ClassVar[float] = 1e-8
    tolerance: ClassVar[float] = 1e-6
    seed: ClassVar[int] = 20_250_301

    @classmethod
    def make_backend(cls) -> Backend:
        """A fresh backend; override it for one that is not registered."""
        return get_backend(cls.backend_name)

    @pytest.fixture
    def backend(self) -> Backend:
        """The backend, made once for all tests of the class."""
        cls = type(self)
        if "_made" not in vars(cls):
            cls._made = self.make_backend()
        return cls._made

    @pytest.fixture(autouse=True)
    def _counted(self, request: pytest.FixtureRequest) -> Iterator[None]:
        self._cases = 0
        yield
        request.node.user_properties.append((CASES, self._cases))

    _made: ClassVar[Backend]
    _cases: int = 0

    def case(self, number: int = 1) -> None:
        """Counts cases that are about to be checked."""
        self._cases += number

    @pytest.fixture
    def runner(self, backend: Backend) -> Backend:
        """The backend, if it runs circuits."""
        self.needs(backend, Capability.RUN)
        return backend

    @pytest.fixture
    def compiler(self, backend: Backend) -> Backend:
        """The backend, if it compiles: to a basis, or for the device that it is."""
        if not backend.can(Capability.OWN_DEVICE):
            self.needs(backend, Capability.TARGET)
        return backend

    @staticmethod
    def needs(backend: Backend, capability: Capability) -> None:
        """Skips the test if the backend does not declare a capability."""
        if not backend.can(capability):
            pytest.skip(f"{backend.name} does not declare: {capability.value}")

    def difference(self, backend: Backend, circuit: Circuit) -> str | None:
        """How the backend's results are off, or None.

        Exact probabilities are compared where it has them, and counts in any case: users call
        ``run``, and nothing says that it does what ``probabilities`` does.
        """
        expected = expected_distribution(circuit)
        if backend.can(Capability.EXACT) and circuit.has_final_measurements_only():
            off = self._probabilities_off(backend.probabilities(circuit).array(), expected)
            if off is not None:
                return off
        counts = backend.run(circuit, self.shots, self.seed).counts
        return self.counts_off(counts, expected)

    def _probabilities_off(
        self, found: NDArray[np.float64], expected: NDArray[np.float64]
    ) -> str | None:
        if found.shape != expected.shape:
            return f"{found.shape} probabilities instead of {expected.shape}"
        worst = int(np.argmax(np.abs(found - expected)))
        if abs(found[worst] - expected[worst]) <= self.tolerance:
            return None
        bits = format(worst, f"0{expected.size.bit_length() - 1}b")
        return f"probability of {bits} is {found[worst]:.6g}, not {expected[worst]:.6g}"

    def shots_off(self, backend: Backend, counts: dict[str, int], shots: int) -> str | None:
        """How the number of shots is off, or None; a device may round it up."""
        returned = sum(counts.values())
        if returned == shots or (returned > shots and backend.can(Capability.REMOTE)):
            return None
        return f"{returned} shots came back of {shots}"

    def counts_off(self, counts: dict[str, int], expected: NDArray[np.float64]) -> str | None:
        """How counts deviate from a distribution, or None."""
        width = expected.size.bit_length() - 1
        wrong = [key for key in counts if len(key) != width or set(key) - {"0", "1"}]
        if wrong:
            return f"{wrong[0]!r} is no bitstring of {width} bits"
        p = chi_squared_p_value(counts, expected)
        if p >= self.false_alarm:
            return None
        top = sorted(counts.items(), key=lambda item: -item[1])[:4]
        likely = [
            (format(i, f"0{width}b"), round(float(expected[i]), 4))
            for i in np.argsort(-expected)[:4]
        ]
        return f"counts {top} do not follow the probabilities {likely} (p = {p:.1e})"

    def check(self, backend: Backend, circuit: Circuit, what: str) -> None:
        """One case: fails if the results of a circuit are off."""
        self.case()
        off = self.difference(backend, circuit)
        if off is not None:
            pytest.fail(f"{what}: {off}", pytrace=False)
