# SPDX-License-Identifier: Apache-2.0
"""Folds by name, and the interval that fits them."""

import math

import numpy as np
import pytest

from discreet import ParameterError
from discreet.evaluate.folds import Folds
from discreet.learning.cross_validation import five_by_two, kfold
from discreet.learning.significance import corrected_resampled, five_by_two_cv


@pytest.mark.parametrize(
    ("text", "repeats", "folds", "test"),
    [
        ("5-fold", 1, 5, "corrected"),
        ("10-fold", 1, 10, "corrected"),
        ("5x2", 5, 2, "Dietterich"),
        ("5x2-fold", 5, 2, "Dietterich"),
        ("10x10-fold", 10, 10, "corrected"),
        ("3x2", 3, 2, "corrected"),
    ],
)
def test_a_name_says_how_many(text, repeats, folds, test):
    found = Folds.of(text)
    assert (found.repeats, found.folds, len(found)) == (repeats, folds, repeats * folds)
    assert test in found.test
    assert Folds.of(str(found)) == found


@pytest.mark.parametrize("text", ["", "10", "1-fold", "0x2", "5x", "x2", "ten-fold", "5x1", "10 fold", None, 10])
def test_another_name_is_refused(text):
    with pytest.raises(ParameterError, match="10-fold"):
        Folds.of(text)


def test_the_folds_are_those_of_cross_validation():
    labels, persons = np.arange(40) % 2, np.arange(40) // 4
    for mine, theirs in (
        (Folds.of("5x2", 3).split(labels), five_by_two(40, 3, labels=labels)),
        (Folds.of("4-fold", 3).split(labels, persons), kfold(40, 4, 3, labels=labels, persons=persons)),
    ):
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs, strict=True):
            assert np.array_equal(one.train, other.train)
            assert np.array_equal(one.test, other.test)


def test_the_interval_is_that_of_the_test_that_fits():
    values = np.random.default_rng(1).normal(0.02, 0.01, 10)
    assert Folds.of("10-fold").judge(values) == corrected_resampled(values.tolist(), test_share=1 / 9)
    assert Folds.of("5x2").judge(values) == five_by_two_cv(values.reshape(5, 2).tolist())
    narrow, wide = (Folds.of("10-fold").judge(values, confidence) for confidence in (0.9, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_a_missing_figure_leaves_none():
    values = np.array([0.5, float("nan"), 0.4])
    assert math.isnan(Folds.of("3-fold").judge(values).mean)
    assert math.isnan(Folds.of("4-fold").judge(np.ones(3)).low)
