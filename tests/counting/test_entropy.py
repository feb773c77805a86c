# SPDX-License-Identifier: Apache-2.0
"""Entropy of counts: by hand, against its definition by shares, and the kernel against the arrays."""

import math

import numpy as np
import pytest

from discreet.counting import compiled_entropy
from discreet.counting.entropy import entropy, entropy_times_n, n_log_n


def test_entropy_of_equal_shares_is_their_number_in_bits():
    assert entropy(np.array([3, 3, 3, 3])) == 2.0
    assert entropy(np.array([7])) == 0.0
    assert entropy([4, 4]) == 1.0
    assert entropy([5, 0]) == 0.0
    assert entropy([]) == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_arrays_and_kernels_are_the_definition_by_shares(seed):
    counts = np.random.default_rng(seed).integers(0, 9, (6, 4))
    counts[0] = 0
    for line, bits, all_bits in zip(counts, entropy(counts), entropy_times_n(counts), strict=True):
        shares = [count / line.sum() for count in line.tolist() if count]
        assert bits == pytest.approx(-sum(share * math.log2(share) for share in shares), abs=1e-12)
        assert all_bits == pytest.approx(bits * line.sum(), abs=1e-12)
        assert compiled_entropy.entropy_times_n(line) == pytest.approx(all_bits, abs=1e-12)


def test_weights_may_be_fractions():
    assert entropy([0.25, 0.25]) == 1.0
    assert entropy_times_n([0.25, 0.25]) == 0.5
    assert n_log_n([0.25]).tolist() == [-0.5] == [compiled_entropy.n_log_n(0.25)]
