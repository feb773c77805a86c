# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discreet import DataError
from discreet.evaluate.statistics import area_under_curve, friedman, signed_ranks
from discreet.learning.significance import corrected_resampled, five_by_two_cv

# Table 6 of Demsar (2006): AUC of C4.5 and three variants on 14 data sets.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_the_worked_example_of_demsar():
    """Mean ranks 3.143, 2.000, 2.893, 1.964; chi2 9.28 and F 3.69 without a correction for ties; CD 1.25 and 1.17."""
    found = friedman(DEMSAR)
    assert np.allclose(found.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert found.degrees == (3, 39)
    ranks = np.array(found.ranks)
    plain = 12 * 14 / (4 * 5) * ((ranks**2).sum() - 4 * 5**2 / 4)
    assert plain == pytest.approx(9.28, abs=0.01)
    assert found.chi2 == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).statistic)
    assert found.chi2 > plain  # ties leave less to be spread
    assert found.critical_difference(0.95) == pytest.approx(2.569 * math.sqrt(4 * 5 / (6 * 14)), abs=2e-3)
    assert found.critical_difference(0.95, control=True) == pytest.approx(1.17, abs=0.01)
    assert found.critical_difference(0.90, control=True) < found.critical_difference(0.95, control=True)
    assert 13 * plain / (14 * 3 - plain) == pytest.approx(3.69, abs=0.01)
    assert found.f > 3.69


@pytest.mark.parametrize(
    ("confidence", "control", "q", "difference"),
    [(0.95, False, 2.569, 1.25), (0.90, False, 2.291, 1.12), (0.95, True, 2.394, 1.17), (0.90, True, 2.128, 1.04)],
)
def test_the_critical_values_of_demsars_table_5(confidence, control, q, difference):
    """Four classifiers, 14 data sets; his text has 1.25, 1.12 and 1.04, and 1.16 where 2.394 x 0.488 is 1.17."""
    found = friedman(DEMSAR).critical_difference(confidence, control=control)
    assert found == pytest.approx(q * math.sqrt(4 * 5 / (6 * 14)), abs=1e-3)
    assert found == pytest.approx(difference, abs=6e-3)


@pytest.mark.parametrize("k", range(2, 11))
def test_the_critical_values_of_demsars_table_5_for_more_classifiers(k):
    nemenyi = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    dunn = [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.724, 2.773]  # his 2.724 is 2.734
    found = friedman(np.tile(np.arange(k), (6, 1)))
    scale = math.sqrt(k * (k + 1) / 36)
    assert found.critical_difference(0.95) / scale == pytest.approx(nemenyi[k - 2], abs=1.1e-3)
    assert found.critical_difference(0.95, control=True) / scale == pytest.approx(dunn[k - 2], abs=1.1e-2)


def test_the_groups_of_demsars_figure_1():
    """At 0.10 C4.5 differs from C4.5+m and from C4.5+m+cf; at 0.05 nothing does."""
    found = friedman(DEMSAR)
    assert found.groups(0.90) == [(3, 1, 2), (2, 0)]
    assert found.groups(0.95) == [(3, 1, 2, 0)]


@given(st.lists(st.lists(st.integers(0, 9), min_size=5, max_size=5), min_size=3, max_size=8))
def test_groups_are_the_largest_sets_of_methods_nearer_than_the_critical_difference(rows):
    found = friedman(np.array(rows, dtype=float))
    apart, groups = found.critical_difference(0.5), [set(group) for group in found.groups(0.5)]
    for one in range(5):
        for other in range(one + 1, 5):
            near = abs(found.ranks[one] - found.ranks[other]) < apart
            assert near == any({one, other} <= group for group in groups)
    assert not any(mine < theirs for mine in groups for theirs in groups)


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=8))
def test_friedman_equals_scipy(rows):
    table = np.array(rows, dtype=float)
    found = friedman(table)
    if all(len(set(row)) == 1 for row in rows):
        assert found.chi2 == 0
        assert found.p == pytest.approx(1)
        return
    assert found.chi2 == pytest.approx(stats.friedmanchisquare(*table.T).statistic)
    assert sum(found.ranks) == pytest.approx(6)
    lower = friedman(-table, higher_is_better=False)
    assert lower.ranks == found.ranks


def test_signed_ranks_are_scipys_and_holm_corrects_them():
    rng = np.random.default_rng(5)
    table = rng.normal(size=(12, 4)) + np.array([0.8, 0, 0.3, 0.7])
    plain = [stats.wilcoxon(table[:, 0], table[:, other]).pvalue for other in (1, 2, 3)]
    by_the_book, least = [0.0] * 3, 0.0
    for place, other in enumerate(sorted(range(3), key=plain.__getitem__)):
        least = max(least, min(1, (3 - place) * plain[other]))
        by_the_book[other] = least
    assert signed_ranks(table) == pytest.approx(by_the_book)
    assert signed_ranks([[1, 1], [2, 2], [3, 3]]) == (1,)


def test_methods_that_never_change_places_differ_for_certain():
    found = friedman([[3, 2, 1]] * 5)
    assert found.ranks == (1, 2, 3)
    assert found.f == math.inf
    assert found.p == 0


def test_the_corrected_test_is_wider_than_the_plain_one():
    d = np.random.default_rng(0).normal(0.01, 0.02, 100)
    found = corrected_resampled(d, test_share=1 / 9)
    plain = stats.ttest_1samp(d, 0)
    assert found.mean == pytest.approx(d.mean())
    assert found.t == pytest.approx(plain.statistic / math.sqrt(1 + 100 / 9))
    assert found.p > plain.pvalue
    assert found.low < found.mean < found.high


def test_the_corrected_test_keeps_its_level_where_the_plain_one_does_not():
    """Two learners that do not differ: the mean of overlapping folds varies more than the folds let one think."""
    rng = np.random.default_rng(1)
    wrong = plain_wrong = 0
    for _ in range(400):
        shared = rng.normal(0, 1)  # what the training rows of all folds have in common
        d = shared * math.sqrt(0.1) + rng.normal(0, 1, 30)
        wrong += corrected_resampled(d, test_share=1 / 9).p < 0.05
        plain_wrong += stats.ttest_1samp(d, 0).pvalue < 0.05
    assert wrong / 400 < 0.08
    assert plain_wrong / 400 > 0.2


def test_five_by_two():
    d = np.array([[0.02, 0.01], [0.03, 0.02], [0.01, 0.02], [0.02, 0.02], [0.03, 0.01]])
    found = five_by_two_cv(d)
    variance = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1).mean()
    assert found.t == pytest.approx(0.02 / math.sqrt(variance))
    assert found.p == pytest.approx(2 * stats.t.sf(found.t, 5))
    assert found.mean == pytest.approx(d.mean())
    assert five_by_two_cv(np.zeros((5, 2))).p == 1


def test_areas():
    assert area_under_curve([5, 10, 15], [1, 0, 1], log=False) == pytest.approx(0.5)
    assert area_under_curve([5], [0.7]) == 0.7
    assert area_under_curve([1, math.e, math.e**3], [0, 0, 3]) == pytest.approx(1)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: friedman([[1, 2]]),
        lambda: friedman([[1, 2], [1, float("nan")]]),
        lambda: signed_ranks([[1], [2]]),
        lambda: friedman([[1, 2], [2, 1]]).critical_difference(95),
        lambda: corrected_resampled([0.1], test_share=1),
        lambda: corrected_resampled([0.1, 0.2], test_share=0),
        lambda: five_by_two_cv([[0.1, 0.2]]),
        lambda: area_under_curve([5, 5], [1, 2]),
        lambda: area_under_curve([0, 5], [1, 2]),
        lambda: area_under_curve([], []),
    ],
)
def test_bad_input_is_named(ask):
    with pytest.raises(DataError):
        ask()
