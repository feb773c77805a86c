# SPDX-License-Identifier: Apache-2.0
"""Intervals of shares cover what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from discreet.evaluate.confidence import effective_rows, mean_chance, paired_difference, share_of_pairs, wilson


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


def chances(kind, rng, n=2000):
    """What attacks compute: right or wrong; one of the rows of a group; small and mostly alike; one of many or sure."""
    if kind == "right or wrong":
        return (rng.random(n) < 0.3).astype(float)
    if kind == "one of a group":
        return 1 / rng.integers(5, 10, n)
    if kind == "tiny":
        return rng.exponential(0.002, n).clip(max=0.02)
    return np.where(rng.random(n) < 0.15, 1.0, 1 / rng.integers(4, 40, n))


@pytest.mark.parametrize("kind", ["right or wrong", "one of a group", "tiny", "some are sure"])
@pytest.mark.parametrize("n", [100, 1000])
def test_the_interval_of_a_mean_chance_covers_19_times_in_20(kind, n):
    """600 draws of n of 2,000 persons: a share of 0.95 is outside 0.925 to 0.985 with probability under 0.01."""
    rng = np.random.default_rng(7)
    everybody = chances(kind, rng)
    found = [mean_chance(rng.permutation(everybody)[:n], of=2000) for _ in range(600)]
    covered = np.mean([one.low <= everybody.mean() <= one.high for one in found])
    assert 0.925 <= covered <= 0.985


@pytest.mark.parametrize("n", [11, 23])
def test_the_interval_of_a_few_chances_is_neither_narrow_nor_wide(n):
    """4,000 draws of chances around 3/4: a share of 0.97 is above 0.9775 with probability under 0.003."""
    rng = np.random.default_rng(3)
    found = [mean_chance(rng.beta(24, 8, n)) for _ in range(4000)]
    assert 0.93 <= np.mean([share.low <= 0.75 <= share.high for share in found]) <= 0.9775


def test_one_chance_alone_is_not_certain():
    assert not mean_chance(np.array([0.6])).is_counted
    assert mean_chance(np.array([0.6])) == wilson(0.6, 1)


def test_a_mean_chance_of_all_is_counted_and_of_none_unknown():
    assert mean_chance(np.array([0.2, 0.4]), of=2).is_counted
    assert mean_chance(np.zeros(5)).low == 0
    assert mean_chance(np.ones(5)).high == 1
    assert (mean_chance(np.empty(0)).low, mean_chance(np.empty(0)).high) == (0, 1)


def test_the_interval_of_a_share_of_pairs_covers_19_times_in_20():
    rng = np.random.default_rng(1)
    found = [share_of_pairs(rng.normal(0.6, 1, 80), rng.normal(0, 1, 60)) for _ in range(800)]
    truth = 0.6643  # the normal distribution at 0.6 / sqrt(2)
    assert 0.93 <= np.mean([one.low <= truth <= one.high for one in found]) <= 0.975
