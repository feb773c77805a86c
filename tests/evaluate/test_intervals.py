# SPDX-License-Identifier: Apache-2.0
"""Intervals of shares cover what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from discreet.evaluate.intervals import effective_rows, paired_difference, wilson


@given(st.integers(0, 50), st.integers(1, 50))
def test_wilson_is_that_of_scipy(right, more):
    n = right + more
    found, theirs = wilson(right / n, n), binomtest(right, n).proportion_ci(method="wilson")
    assert found.low == pytest.approx(theirs.low, abs=1e-9)
    assert found.high == pytest.approx(theirs.high, abs=1e-9)


def test_rows_of_one_person_count_less():
    assert effective_rows(None, 10) == 10
    assert effective_rows(np.array([1, 2, 3]), 3) == 3
    assert effective_rows(np.array([5, 5, 5, 5]), 4) == 1
    assert effective_rows(np.array([1, 1, 2]), 3) == pytest.approx(9 / 5)


def test_nothing_gained_and_nothing_lost_is_a_difference_of_nought_with_a_margin():
    found = paired_difference(0.0, 0.0, 100)
    assert found.value == 0
    assert -0.05 < found.low < 0 < found.high < 0.05


@pytest.mark.parametrize(("gained", "lost", "n"), [(0.1, 0.05, 80), (0.02, 0.02, 150), (0.3, 0.1, 40)])
def test_the_interval_of_a_difference_covers_the_truth_19_times_in_20(gained, lost, n):
    """4,000 draws: by chance the share falls below 0.935 with probability under 0.0001 if it is 0.95."""
    rng = np.random.default_rng(1)
    draws = rng.multinomial(n, [gained, lost, 1 - gained - lost], size=4000) / n
    found = [paired_difference(up, down, n) for up, down, _ in draws]
    covered = np.mean([share.low <= gained - lost <= share.high for share in found])
    assert covered >= 0.935
