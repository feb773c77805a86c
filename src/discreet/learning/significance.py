# SPDX-License-Identifier: Apache-2.0
"""Whether two learners differ, judged on the same folds.

paired-t             Student's test of the differences of the folds. Folds share training rows, so their differences are
                     not independent, and it finds differences where there are none too often.
corrected-resampled  the same with the variance of the mean times (1/J + test rows/training rows) in place of 1/J, for J
                     folds: Nadeau and Bengio, Inference for the Generalization Error, Machine Learning 52, 2003.
5x2                  Dietterich, Approximate Statistical Tests for Comparing Supervised Classification Learning
                     Algorithms, Neural Computation 10, 1998: five repeats of two folds.
equivalence          "not significant" is not "equal": the new one must be shown to lose less than a margin, by the
                     one-sided corrected test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from discreet.errors import DataError
from discreet.foundation.lazy_modules import stats

Test = Literal["paired-t", "corrected-resampled", "equivalence"]
TESTS: tuple[Test, ...] = ("paired-t", "corrected-resampled", "equivalence")


@dataclass(frozen=True)
class Difference:
    """A mean difference with its interval, and the probability of one as large by chance."""

    mean: float
    low: float
    high: float
    t: float
    p: float


def paired(differences: np.ndarray, *, overlap: float = 0.0, confidence: float = 0.95) -> Difference:
    """The t-test of the differences of folds; `overlap` is test rows/training rows, 0 for Student's own."""
    error = math.sqrt(float(differences.var(ddof=1)) * (1 / len(differences) + overlap))
    return _judged(float(differences.mean()), error, len(differences) - 1, confidence)


def corrected_resampled(differences: Sequence[float], *, test_share: float, confidence: float = 0.95) -> Difference:
    """The t-test of Nadeau and Bengio for the folds of repeated cross-validation or of random splits.

    `differences` has one figure per fold; `test_share` is (test rows) / (training rows), 1 / 9 in ten folds, 1 in two.
    Folds share training rows: the plain test takes them for independent and finds differences that are none.

    >>> found = corrected_resampled([0.01, 0.02, 0.03, 0.02, 0.02], test_share=1 / 4)
    >>> round(found.mean, 3), round(found.p, 3)
    (0.02, 0.014)
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or len(d) < 2 or not np.isfinite(d).all():
        raise DataError(f"Two differences at least are needed, all of them finite. Got {d.size}.")
    if not test_share > 0:
        raise DataError(f"'test_share' is the test rows divided by the training rows, above 0. Got {test_share!r}.")
    check_confidence(confidence)
    return paired(d, overlap=test_share, confidence=confidence)


def five_by_two_cv(differences: Sequence[Sequence[float]], *, confidence: float = 0.95) -> Difference:
    """Dietterich's test of five repeats of two folds; `differences` are five pairs.

    The statistic is his, from the first difference; the mean is that of all ten.
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.shape != (5, 2) or not np.isfinite(d).all():
        raise DataError(f"Five pairs of finite differences are needed. Got an array of shape {d.shape}.")
    check_confidence(confidence)
    error = math.sqrt(float(d.var(axis=1, ddof=1).mean()))
    first = _judged(float(d[0, 0]), error, 5, confidence)
    mean, half = float(d.mean()), first.high - first.mean
    return Difference(mean, mean - half, mean + half, first.t, first.p)


def difference(new: np.ndarray, old: np.ndarray, *, overlap: float = 0.0, confidence: float = 0.95) -> Difference:
    """The difference of two learners by their scores on the same folds; what rounding leaves of one is none.

    >>> round(difference(np.array([0.8, 0.9, 0.7]), np.array([0.7, 0.7, 0.7])).p, 4)
    0.2254
    """
    apart = np.asarray(new, dtype=float) - np.asarray(old, dtype=float)
    apart[np.abs(apart) < 1e-12] = 0.0
    if np.ptp(apart) <= 1e-12:
        return _judged(float(apart.mean()), 0.0, len(apart) - 1, confidence)
    return paired(apart, overlap=overlap, confidence=confidence)


def keeps_up(new: np.ndarray, old: np.ndarray, test: Test, margin: float, overlap: float, level: float = 0.05) -> bool:
    """Whether the new one is not worse, by one of the tests; the first two of them are for one that scores lower.

    The lower end of the interval of confidence 1 - 2 level is the one-sided bound that holds but for a chance of level.

    >>> new, old = np.array([0.70, 0.71, 0.69, 0.72]), np.array([0.72, 0.74, 0.70, 0.73])
    >>> [keeps_up(new, old, test, 0.05, 1 / 9) for test in TESTS]
    [False, True, True]
    """
    overlap = 0.0 if test == "paired-t" else overlap
    interval = difference(new, old, overlap=overlap, confidence=1 - 2 * level)
    return interval.low > -margin if test == "equivalence" else interval.p > level


def check_confidence(confidence: float) -> None:
    """Raise DataError unless it lies between 0 and 1."""
    if not 0 < confidence < 1:
        raise DataError(f"'confidence' must lie between 0 and 1. Got {confidence!r} instead.")


def _judged(mean: float, error: float, freedom: int, confidence: float) -> Difference:
    """A mean with its standard error, by Student's distribution."""
    if error == 0:
        return Difference(mean, mean, mean, math.copysign(math.inf, mean) if mean else 0.0, 0.0 if mean else 1.0)
    t = mean / error
    half = float(stats.t.ppf((1 + confidence) / 2, freedom)) * error
    return Difference(mean, mean - half, mean + half, t, float(2 * stats.t.sf(abs(t), freedom)))
