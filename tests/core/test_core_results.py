"""Counts from rows of bits, however wide, and distributions that are sampled."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qmastermind.backend import Backend, BackendInfo, Capability, Result
from qmastermind.builder import CircuitBuilder
from qmastermind.circuit import Register
from qmastermind.results import Counts, Factor
from qmastermind.validation import narrow_seed


@given(
    st.integers(0, 40),
    st.sampled_from([0, 1, 7, 8, 9, 63, 64, 65, 130]),
    st.integers(0, 2**32 - 1),
)
def test_counts_are_those_of_the_rows_in_increasing_order(shots, width, seed):
    rows = np.random.default_rng(seed).integers(2, size=(shots, width), dtype=np.uint8)
    if shots:
        rows[shots // 2 :] = rows[0]  # some rows more than once
    counts = Counts.from_rows(rows)
    assert counts == Counter("".join(map(str, row)) for row in rows.tolist())
    assert list(counts) == sorted(counts)
    assert all(type(number) is int for number in counts.values())


def test_a_factor_samples_its_bits_first_one_most_significant():
    certain = np.zeros(8)
    certain[0b110] = 1
    rows = Factor((4, 0, 2), certain).sample(3, np.random.default_rng(1))
    assert rows.tolist() == [[1, 1, 0]] * 3
    assert rows.dtype == np.uint8


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1])
def test_small_seeds_are_passed_on_as_they_are(seed):
    assert narrow_seed(seed) == seed


def test_large_seeds_are_narrowed_for_every_backend():
    seeds = []

    class Noting(Backend):
        info = BackendInfo("noting", "for tests", capabilities=frozenset({Capability.RUN}))

        def _run(self, circuit, shots, seed):
            seeds.append(seed)
            return Result(Counts({"0": shots}))

    builder = CircuitBuilder(Register("q", 1))
    circuit = builder.build().measured()
    large = (2**32, 2**32 + 7, 2**63, 2**200 + 1)
    for seed in (*large, *large, None):
        Noting().run(circuit, 1, seed)
    assert seeds[:4] == seeds[4:8]
    assert len(set(seeds[:4])) == 4
    assert all(seed < 2**32 for seed in seeds[:4])
    assert seeds[8] is None
