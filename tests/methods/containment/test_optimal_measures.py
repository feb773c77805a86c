# SPDX-License-Identifier: Apache-2.0
"""Measures of sets of features against their definitions."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Baskets
from discreet.methods.containment.optimal_measures import worth_of
from discreet.methods.containment.optimal_models import OneVersusRestLogistic, auc_of_counts, logistic


def information(patterns, labels):
    """I(pattern; class) in bits, from the definition."""
    n = len(labels)
    both, left, right = Counter(zip(patterns, labels, strict=True)), Counter(patterns), Counter(labels)
    return sum(c / n * math.log2(c * n / (left[p] * right[y])) for (p, y), c in both.items())


@given(st.data(), st.integers(2, 5))
def test_information_and_joint_information_of_pairs(data, d):
    n = data.draw(st.integers(2, 12))
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * d), min_size=n, max_size=n))
    labels = data.draw(st.lists(st.sampled_from("pqr"), min_size=n, max_size=n))
    baskets = Baskets.of(np.array(rows), labels)
    assert worth_of("information", baskets).value(range(d)) == pytest.approx(information(rows, labels), abs=1e-9)
    pairs = sum(information([(row[i], row[j]) for row in rows], labels) for i, j in combinations(range(d), 2))
    assert worth_of("cmi", baskets).value(range(d)) == pytest.approx(pairs / (d - 1), abs=1e-9)


def test_the_folds_of_a_logistic_regression_are_those_of_the_rows():
    """Fitted on distinct rows with counts, and once more on the rows themselves."""
    rng = np.random.default_rng(0)
    X = (rng.random((300, 5)) < 0.4).astype(int)
    y = (X[:, 0] + X[:, 2] + rng.normal(size=300) > 0.8).astype(int)
    model = OneVersusRestLogistic(Baskets.of(X, y))
    distinct, counts = model.counts([0, 2, 4])
    assert counts.sum() == 300
    of_class = counts.sum(axis=1)
    rows = np.column_stack([np.ones(300), X[:, [0, 2, 4]]])
    one, other = logistic(distinct, of_class[:, 1], of_class.sum(axis=1)), logistic(rows, y, np.ones(300))
    assert one == pytest.approx(other, abs=1e-6)
    near = logistic(rows, y, np.ones(300), start=one + 0.1)
    assert near == pytest.approx(other, abs=1e-6)
    assert auc_of_counts(rows @ other, y, 1 - y) == pytest.approx(
        auc_of_counts(distinct @ one, of_class[:, 1], of_class[:, 0])
    )
    assert 0.6 < model.auc([0, 2, 4]) < 1
