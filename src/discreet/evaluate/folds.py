# SPDX-License-Identifier: Apache-2.0
"""Folds by their name, and the confidence interval that fits them.

"5-fold", "10-fold"      every row tests once
"10x10-fold", "3x5-fold"  that many repeats of that many folds
"5x2"                     five repeats of two folds: T. G. Dietterich, "Approximate Statistical Tests for Comparing
                          Supervised Classification Learning Algorithms", Neural Computation 10, 1998

Each fold has its share of every class, and all rows of a person are in one. Folds share training rows, so the mean of
their scores varies more than they let one think: the interval is Nadeau and Bengio's (corrected resampled t), for 5x2
that of Dietterich's test.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from discreet.errors import ParameterError, Setting
from discreet.foundation.lazy_modules import special
from discreet.learning.cross_validation import Fold, kfold
from discreet.learning.significance import Difference, corrected_resampled, five_by_two_cv

_UPPER = 0.975
_SPELLED = re.compile(r"(?:(?P<repeats>[1-9]\d{0,2})x)?(?P<folds>[1-9]\d{0,4})(?P<word>-fold)?")


@dataclass(frozen=True)
class Folds:
    """A number of folds, repeats, and the seed that draws them.

    >>> folds = Folds.of("5x2")
    >>> folds.repeats, folds.folds, len(folds), str(folds)
    (5, 2, 10, '5x2')
    """

    repeats: int
    folds: int
    random_state: int = 0

    @classmethod
    def of(cls, text: str, random_state: int = 0) -> Folds:
        """Parse the name."""
        match = _SPELLED.fullmatch(text) if isinstance(text, str) else None
        if match is None or not (match["word"] or match["repeats"]) or int(match["folds"]) < 2:
            raise ParameterError(
                Setting("folds"),
                f" must be such as '5-fold', '10-fold', '5x2' or '10x10-fold'. Got {text!r} instead.",
            )
        return cls(int(match["repeats"] or 1), int(match["folds"]), random_state)

    def __len__(self) -> int:
        return self.repeats * self.folds

    def __str__(self) -> str:
        if (self.repeats, self.folds) == (5, 2):
            return "5x2"
        return f"{self.folds}-fold" if self.repeats == 1 else f"{self.repeats}x{self.folds}-fold"

    @property
    def test(self) -> str:
        """The test behind the intervals."""
        return "Dietterich's 5x2 test" if str(self) == "5x2" else "the corrected resampled t-test"

    @property
    def quantile(self) -> float:
        """Student's quantile in these intervals: half an interval is so many standard errors.

        >>> round(Folds.of("5-fold").quantile, 3)
        2.776
        """
        return float(special.stdtrit(5 if str(self) == "5x2" else len(self) - 1, _UPPER))

    def split(self, labels: np.ndarray, persons: np.ndarray | None = None) -> list[Fold]:
        """The folds of some rows; they depend on the seed, the classes and the persons alone."""
        return kfold(len(labels), self.folds, self.random_state, labels=labels, persons=persons, repeats=self.repeats)

    def judge(self, values: np.ndarray, confidence: float = 0.95) -> Difference:
        """The mean of one figure per fold, or of differences, with its interval; all NaN if a figure is missing.

        >>> found = Folds.of("5-fold").judge(np.array([0.81, 0.79, 0.80, 0.82, 0.78]))
        >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3)
        (0.8, 0.771, 0.829)
        """
        if len(values) != len(self) or not np.isfinite(values).all():
            return Difference(*[float("nan")] * 5)
        if str(self) == "5x2":
            return five_by_two_cv(values.reshape(5, 2).tolist(), confidence=confidence)
        return corrected_resampled(values.tolist(), test_share=1 / (self.folds - 1), confidence=confidence)
