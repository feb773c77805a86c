# SPDX-License-Identifier: Apache-2.0
"""Whether two learners differ, judged on the same folds.

paired-t             Student's test of the differences of the folds. Folds share training rows, so their differences are
                     not independent, and it finds differences where there are none too often.
corrected-resampled  the same with the variance of the mean times (1/J + test rows/training rows) in place of 1/J, for J
                     folds: Nadeau and Bengio, Inference for the Generalization Error, Machine Learning 52, 2003.
equivalence          "not significant" is not "equal": the new one must be shown to lose less than a margin, by the
                     one-sided corrected test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import t as student

Test = Literal["paired-t", "corrected-resampled", "equivalence"]
TESTS: tuple[Test, ...] = ("paired-t", "corrected-resampled", "equivalence")


@dataclass(frozen=True)
class Difference:
    """The mean difference of the folds, its standard error, and the degrees of freedom."""

    mean: float
    error: float
    freedom: int

    @property
    def p_value(self) -> float:
        """Of the two-sided test that there is no difference."""
        if self.error == 0:
            return 1.0 if self.mean == 0 else 0.0
        return float(2 * student.sf(abs(self.mean) / self.error, self.freedom))

    def least(self, level: float = 0.05) -> float:
        """The lower end of the one-sided interval: the true difference is above it, but for a chance of `level`."""
        return self.mean - float(student.isf(level, self.freedom)) * self.error


def difference(new: np.ndarray, old: np.ndarray, *, overlap: float = 0.0) -> Difference:
    """The difference of two learners by their scores on the same folds; `overlap` is test rows/training rows.

    >>> round(difference(np.array([0.8, 0.9, 0.7]), np.array([0.7, 0.7, 0.7])).p_value, 4)
    0.2254
    """
    apart = np.asarray(new, dtype=float) - np.asarray(old, dtype=float)
    apart[np.abs(apart) < 1e-12] = 0.0
    variance = float(apart.var(ddof=1)) if np.ptp(apart) > 1e-12 else 0.0
    return Difference(float(apart.mean()), math.sqrt(variance * (1 / len(apart) + overlap)), len(apart) - 1)


def keeps_up(new: np.ndarray, old: np.ndarray, test: Test, margin: float, overlap: float, level: float = 0.05) -> bool:
    """Whether the new one is not worse, by one of the tests; the first two of them are for one that scores lower.

    >>> new, old = np.array([0.70, 0.71, 0.69, 0.72]), np.array([0.72, 0.74, 0.70, 0.73])
    >>> [keeps_up(new, old, test, 0.05, 1 / 9) for test in TESTS]
    [False, True, True]
    """
    found = difference(new, old, overlap=0.0 if test == "paired-t" else overlap)
    return found.least(level) > -margin if test == "equivalence" else found.p_value > level
