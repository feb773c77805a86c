# SPDX-License-Identifier: Apache-2.0
"""Tests of a difference over folds, against SciPy's and against the formula written out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.learning.significance import TESTS, difference, keeps_up

SCORES = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=2, max_size=12)


@settings(max_examples=100, deadline=None)
@given(SCORES)
def test_the_paired_test_is_scipys(pairs):
    new, old = np.array(pairs, dtype=float).T / 100
    apart = {b - a for a, b in pairs}
    if len(apart) == 1:  # SciPy divides by zero
        assert difference(new, old).p == (1.0 if apart == {0} else 0.0)
    else:
        assert difference(new, old).p == pytest.approx(stats.ttest_rel(new, old).pvalue, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(SCORES, st.sampled_from([1 / 9, 1.0]))
def test_the_corrected_test_is_the_formula(pairs, overlap):
    apart = [(a - b) / 100 for a, b in pairs]
    mean = sum(apart) / len(apart)
    variance = sum((d - mean) ** 2 for d in apart) / (len(apart) - 1)
    new, old = np.array(pairs, dtype=float).T / 100
    found = difference(new, old, overlap=overlap)
    assert found.mean == pytest.approx(mean, abs=1e-12)
    error = math.sqrt(variance * (1 / len(apart) + overlap))
    half = stats.t.ppf(0.975, len(apart) - 1) * error
    assert (found.mean - found.low, found.high - found.mean) == pytest.approx((half, half), abs=1e-9)
    least = mean - stats.t.ppf(0.95, len(apart) - 1) * error
    assert keeps_up(new, old, "equivalence", -least + 1e-6, overlap)
    assert not keeps_up(new, old, "equivalence", -least - 1e-6, overlap)


def test_a_noisy_loss_is_not_significant_and_not_equivalent():
    new, old = np.array([0.6, 0.8, 0.6, 0.8]), np.array([0.7, 0.7, 0.7, 0.74])
    assert keeps_up(new, old, "paired-t", 0.01, 1 / 3)
    assert not keeps_up(new, old, "equivalence", 0.01, 1 / 3)


def test_the_corrected_test_finds_fewer_differences():
    new, old = np.array([0.70, 0.71, 0.69, 0.70]), np.array([0.72, 0.72, 0.72, 0.70])
    p = [difference(new, old, overlap=overlap).p for overlap in (0.0, 1 / 3)]
    assert p[0] < p[1]
    assert set(TESTS) == {"paired-t", "corrected-resampled", "equivalence"}
