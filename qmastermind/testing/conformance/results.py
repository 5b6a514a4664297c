"""Bit order, counts, exact probabilities, seeds, measurements in between, counted queries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qmastermind.backend import Backend, Capability
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Circuit, Measure, Register
from qmastermind.errors import UnsupportedError
from qmastermind.results import Counts, Distribution
from qmastermind.testing.conformance import cases
from qmastermind.testing.conformance.base import ConformanceBase, expected_distribution

_BASIS_STATES = {
    "first of three": (3, (0,), (0, 1, 2), "100"),
    "last of three": (3, (2,), (0, 1, 2), "001"),
    "two of five": (5, (0, 3), (0, 1, 2, 3, 4), "10010"),
    "measured in another order": (4, (1,), (3, 1, 0, 2), "0100"),
    "some measured": (4, (0, 3), (3, 2), "10"),
    "first not measured": (3, (2,), (1, 2), "01"),
    "none set": (3, (), (2, 0), "00"),
    "one qubit": (1, (0,), (0,), "1"),
}


class ResultConformance(ConformanceBase):
    """Results come in the order and with the totals that the protocol says."""

    @pytest.mark.parametrize("state", _BASIS_STATES)
    def test_bit_order(self, runner: Backend, state: str) -> None:
        """Bit 0 is the leftmost character; idle qubits keep their place."""
        num_qubits, ones, measured, expected = _BASIS_STATES[state]
        self.case()
        circuit = cases.bits_set(num_qubits, ones, measured)
        counts = runner.run(circuit, 10, self.seed).counts
        assert counts == {expected: 10}
        if runner.can(Capability.EXACT):
            self.case()
            assert runner.probabilities(circuit).probability(expected) == pytest.approx(1)

    def test_bits_in_any_order_and_never_written(self, runner: Backend) -> None:
        """A bit that no measurement writes is 0."""
        b = CircuitBuilder(Register("a", 2), Register("b", 1))
        cases.scramble(b, 3)
        b.x(2, controls=[0])
        measures = (Measure(2, 0), Measure(0, 3), Measure(1, 1))
        circuit = replace(b.build(), operations=(*b.build().operations, *measures), num_bits=5)
        self.check(runner, circuit, "bits 2 and 4 of 5 are never written")

    @pytest.mark.parametrize("shots", [1, 7, 1000, 30_011])
    def test_counts_add_up(self, runner: Backend, shots: int) -> None:
        """As many shots as were asked for, or more where a device rounds up."""
        self.case()
        result = runner.run(_skewed(), shots, self.seed)
        assert isinstance(result.counts, Counts)
        assert all(type(key) is str and type(n) is int for key, n in result.counts.items())
        assert all(n > 0 for n in result.counts.values())
        off = self.shots_off(runner, result.counts, shots)
        assert off is None, off

    def test_counts_follow_the_distribution(self, runner: Backend) -> None:
        """A chi-squared test with ten times the usual shots."""
        self.case()
        result = runner.run(_skewed(), 10 * self.shots, self.seed)
        off = self.shots_off(runner, result.counts, 10 * self.shots)
        assert off is None, off
        off = self.counts_off(result.counts, expected_distribution(_skewed()))
        assert off is None, off
        if result.distribution is not None:
            self.case()
            expected = expected_distribution(_skewed())
            found = result.distribution.array()
            np.testing.assert_allclose(found, expected, atol=self.tolerance)

    def test_exact_probabilities(self, backend: Backend) -> None:
        """They are a distribution over all bits, and an error where they are not declared."""
        self.case()
        if not backend.can(Capability.EXACT):
            with pytest.raises(UnsupportedError):
                backend.probabilities(_skewed())
            return
        distribution = backend.probabilities(_skewed())
        assert isinstance(distribution, Distribution)
        assert distribution.num_bits == 4
        expected = expected_distribution(_skewed())
        np.testing.assert_allclose(distribution.array(), expected, atol=self.tolerance)

    @pytest.mark.parametrize("seed", [7, 0, 2**32 - 1, 2**32 + 7, 2**64 + 7])
    def test_seed_repeats(self, runner: Backend, seed: int) -> None:
        """Equal seeds give equal counts, on one object and on another; other seeds others."""
        self.needs(runner, Capability.SEED)
        self.case()
        first = runner.run(_skewed(), 2000, seed).counts
        assert runner.run(_skewed(), 2000, seed).counts == first
        assert self.make_backend().run(_skewed(), 2000, seed).counts == first
        assert any(runner.run(_skewed(), 2000, other).counts != first for other in (8, 9))

    def test_runs_without_a_seed_are_independent(self, runner: Backend) -> None:
        """Nothing repeats by default."""
        self.case()
        runs = [runner.run(_skewed(), 2000).counts for _ in range(3)]
        assert runs[0] != runs[1] or runs[1] != runs[2]

    @pytest.mark.parametrize("name", cases.measured_in_between())
    def test_measurement_in_between(self, runner: Backend, name: str) -> None:
        """Measured and reset qubits go on being used, or the backend says that they cannot."""
        circuit = cases.measured_in_between()[name]
        if runner.can(Capability.MID_CIRCUIT):
            self.check(runner, circuit, name)
        else:
            self.case()
            with pytest.raises(UnsupportedError):
                runner.run(circuit, 10, self.seed)

    def test_queries_are_counted(self, runner: Backend) -> None:
        """A run tells a counted oracle how often it was used; probabilities do not."""
        self.case()
        told: list[tuple[str, int, int]] = []
        circuit = cases.counted_queries(lambda *use: told.append(use))
        runner.run(circuit, 25, self.seed)
        assert told == [("match", 4, 25)]
        if runner.can(Capability.EXACT):
            runner.probabilities(circuit)
            assert len(told) == 1


def _skewed() -> Circuit:
    """Sixteen outcomes of different probabilities."""
    b = CircuitBuilder(Register("q", 4))
    cases.scramble(b, 4)
    b.x(3, controls=[0], values=[0])
    b.ry(0.5, 1, controls=[3])
    b.measure([2, 0, 3, 1])
    return b.build()
