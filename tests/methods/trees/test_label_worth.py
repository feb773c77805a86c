# SPDX-License-Identifier: Apache-2.0
import math
from collections import Counter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

from discreet.methods.trees.label_worth import Known, LabelRegression, LabelWorth, class_known, detail_kept


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_regression_is_that_of_scikit_learn(n_classes):
    """Within what is left after 25 turns."""
    random = np.random.default_rng(n_classes)
    labels = np.unique(random.integers(0, 5, (80, 3)), axis=0)
    counts = random.integers(0, 9, (len(labels), n_classes)) * (1 + (labels[:, :1] == np.arange(n_classes)))
    ones = OneHotEncoder().fit_transform(labels)
    row, label = np.nonzero(counts)
    model = LogisticRegression(max_iter=2000).fit(ones[row], label, sample_weight=counts[row, label])
    assert np.abs(LabelRegression.of(labels, counts).said(labels) - model.predict_proba(ones)).max() < 0.02


def test_a_label_that_says_all_is_worth_nearly_all_and_one_that_says_nothing_nothing():
    labels = np.array([[0], [1]])
    rows = np.array([[500, 0], [0, 500]])
    all_known, nothing = class_known(labels, rows, rows), class_known(np.array([[0], [0]]), rows, rows)
    assert all_known.told > 0.95
    assert all_known.right == 1
    assert nothing == pytest.approx((0, 0, 0), abs=1e-6)
    misled = class_known(labels, rows, rows[::-1])  # the other rows are the other way round
    assert misled.told < -1
    assert misled.right == -1  # twice the errors of guessing
    assert LabelWorth(0.1, np.ones(1)).of(-1.0, 0.5) == pytest.approx(0.05)


def test_what_columns_say_together_is_worth_something():
    """The class is odd where two cells differ: a regression knows nothing, the groups all."""
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    rows = np.array([[200, 0], [0, 200], [0, 200], [200, 0]])
    known = class_known(labels, rows, rows)
    assert 0.4 < known.told < 0.6
    assert known.right == pytest.approx(0.5)


def test_those_who_do_not_recode_count_where_they_know_less():
    labels, rows = np.array([[0], [1]]), np.array([[500, 0], [0, 500]])
    known = class_known(labels, rows, rows)
    read, blind, misled = (class_known(labels, rows, rows, other) for other in (labels, labels * 0, 1 - labels))
    assert read.share == pytest.approx(known.share, abs=0.01)
    assert 0 < misled.share <= blind.share < known.share


def test_errors_count_beside_the_log_loss():
    """Of two that save as much log-loss, the one is worth more that makes fewer errors."""
    known = Known(0.3, 0.2, 0.3)
    assert 0.2 < known.share < 0.3
    assert known._replace(right=0.25).share > known.share
    assert known._replace(told=0.35, unrecoded=0.35).share > known.share


def test_errors_are_those_of_the_likeliest_class():
    labels, learnt = np.array([[0], [1], [2]]), np.array([[90, 10], [60, 40], [10, 90]])
    asked = np.array([[9, 1], [4, 6], [2, 8]])
    guess, wrong = 15, 1 + 6 + 2  # all as the first class, which is more frequent; the likeliest of each label
    assert class_known(labels, learnt, asked).right == pytest.approx(1 - wrong / guess)


def test_detail_is_the_information_that_labels_have_about_cells():
    random = np.random.default_rng(2)
    cells, labels = random.integers(0, 6, (50, 2)), random.integers(0, 3, (50, 2))
    labels[:, 1] = cells[:, 1]
    rows = random.integers(1, 5, 50)

    def bits(values):
        counts = Counter()
        for value, n in zip(values, rows.tolist(), strict=True):
            counts[value] += n
        return -sum(n / rows.sum() * math.log2(n / rows.sum()) for n in counts.values())

    own = [bits(cells[:, c].tolist()) for c in range(2)]
    together = list(zip(cells[:, 0].tolist(), labels[:, 0].tolist(), strict=True))
    shared = own[0] + bits(labels[:, 0].tolist()) - bits(together)
    kept = detail_kept(cells, labels, rows, own, np.array([3.0, 1.0]))
    assert kept == pytest.approx((3 * shared / own[0] + 1) / 4)
    assert detail_kept(cells, np.zeros_like(labels), rows, own, np.ones(2)) == pytest.approx(0)
