# SPDX-License-Identifier: Apache-2.0
"""Naive Bayes on distinct rows: every feature is counted once, and any set of features then predicts.

The class c of a row x is the one of largest log P(c) + sum over the known cells of log P(x_f | c) (John and Langley,
Estimating Continuous Distributions in Bayesian Classifiers, UAI 1995, with one Gaussian per class, as Weka does it):
P(c) = (rows of c + 1)/(rows + classes); a category has P = (count + 1)/(known cells of c + levels); a number is rounded
to its precision, the mean gap between the values that occur, and has the mass of its rounding interval under the
Gaussian of the class, whose deviation is at least a sixth of the precision. A cell that is missing, and a number that
is infinite, says nothing.

Departures from Weka: 1. A category that was never met is not known, where Weka counts it among the levels that the
file declares. 2. Masses in the upper tail are as exact as in the lower one, where Weka subtracts numbers near 1.
3. A class without any known number has the Gaussian of all rows, where Weka puts it near 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from discreet.data.column import Column
from discreet.data.table import Table
from discreet.errors import DataError, did_you_mean, shown
from discreet.foundation.lazy_modules import special
from discreet.learning.examples import Examples, Feature

_LEAST = 1e-75  # of the mass of a number, so that one odd cell cannot rule a class out
_PRECISION = 0.01  # of a column with a single value


@dataclass(frozen=True, eq=False)
class _Levels:
    """P(category | class) as logarithms; the last line, of unknown cells, is 0."""

    feature: Feature
    logs: np.ndarray

    @classmethod
    def fit(cls, feature: Feature, counts: np.ndarray) -> _Levels:
        logs = np.zeros((len(counts) + 1, counts.shape[1]))
        if len(counts):
            logs[:-1] = np.log(counts + 1.0) - np.log(counts.sum(axis=0) + len(counts))
        return cls(feature, logs)

    def of(self, column: Column) -> np.ndarray:
        return self.logs[self.feature.codes(column)]


@dataclass(frozen=True, eq=False)
class _Gaussians:
    """A Gaussian per class, and the precision to which numbers are rounded."""

    feature: Feature
    precision: float
    means: np.ndarray
    deviations: np.ndarray

    @classmethod
    def fit(cls, feature: Feature, counts: np.ndarray) -> _Gaussians:
        assert feature.numbers is not None
        used = counts.any(axis=1) & np.isfinite(feature.numbers)
        numbers, counts = feature.numbers[used], counts[used]
        precision = float(numbers[-1] - numbers[0]) / (len(numbers) - 1) if len(numbers) > 1 else _PRECISION
        rounded = np.rint(numbers / precision) * precision
        totals = counts.sum(axis=0)
        counts = np.where(totals > 0, counts, counts.sum(axis=1, keepdims=True))
        total = np.maximum(counts.sum(axis=0), 1e-300)
        means = (rounded @ counts) / total
        spread = ((rounded[:, None] - means) ** 2 * counts).sum(axis=0) / total
        return cls(feature, precision, means, np.maximum(np.sqrt(spread), precision / 6))

    def of(self, column: Column) -> np.ndarray:
        numbers = self.feature.numbers_of(column)
        is_present = np.isfinite(numbers)
        half = self.precision / 2
        rounded = np.rint(np.where(is_present, numbers, 0.0) / self.precision) * self.precision
        distance = np.abs(rounded[:, None] - self.means)  # the mass is the same on both sides of the mean
        mass = special.ndtr((half - distance) / self.deviations) - special.ndtr((-half - distance) / self.deviations)
        return np.where(is_present[:, None], np.log(np.maximum(mass, _LEAST)), 0.0)[column.codes]


class NaiveBayes:
    """Naive Bayes as Weka has it, trained on distinct rows. A missing cell is unknown; so is a suppressed one.

    >>> t = Table.of({"sex": ["f", "m", "f", "m"], "age": [20, 60, 30, 50], "y": ["no", "yes", "no", "yes"]})
    >>> model = NaiveBayes().fit(Examples.of(t, ["sex", "age"], "y"))
    >>> model.predict(t).tolist(), model.predict_proba(t, features=["sex"])[0].round(2).tolist()
    (['no', 'yes', 'no', 'yes'], [0.75, 0.25])
    """

    missing: ClassVar[Literal["unknown", "value"]] = "unknown"
    suppressed: ClassVar[Literal["unknown", "value"]] = "unknown"
    classes_: tuple[str, ...]
    features_: tuple[Feature, ...]
    log_prior_: np.ndarray

    def fit(self, examples: Examples) -> NaiveBayes:
        """Count each feature once, and the classes."""
        n_classes = len(examples.classes)
        if not n_classes:
            raise DataError("Naive Bayes needs at least one row whose class is known, and there is none.")
        rows = examples.counts.sum(axis=0)
        self.classes_ = examples.classes
        self.features_ = examples.features
        self.log_prior_ = np.log(rows + 1.0) - np.log(rows.sum() + n_classes)
        self._place = {feature.name: f for f, feature in enumerate(examples.features)}
        self._models: list[_Levels | _Gaussians] = []
        for f, feature in enumerate(examples.features):
            levels = feature.unknown
            counts = np.empty((levels, n_classes))
            for c in range(n_classes):
                counts[:, c] = np.bincount(examples.codes[:, f], examples.counts[:, c], minlength=levels + 1)[:levels]
            self._models.append((_Gaussians if feature.is_number else _Levels).fit(feature, counts))
        return self

    def predict(self, table: Table, features: Sequence[str] | None = None) -> np.ndarray:
        """The most probable class of each row, the first one of equals."""
        return np.array(self.classes_)[np.argmax(self._scores(table, features), axis=1)]

    def predict_proba(self, table: Table, features: Sequence[str] | None = None) -> np.ndarray:
        """The probability of each class, by all features or by some of them."""
        return probabilities(self._scores(table, features))

    def evidence(self, table: Table) -> np.ndarray:
        """log P(cell | class) of each feature, row and class; 0 where the cell is unknown.

        Who asks about many sets of features of the same rows sums parts of this instead of predicting anew:
        `probabilities(model.log_prior_ + evidence[some].sum(axis=0))`.
        """
        evidence = np.empty((len(self.features_), len(table), len(self.classes_)))
        for f, feature in enumerate(self.features_):
            evidence[f] = self._models[f].of(table.column(feature.name))
        return evidence

    def _scores(self, table: Table, features: Sequence[str] | None) -> np.ndarray:
        names = [feature.name for feature in self.features_] if features is None else features
        scores = np.repeat(self.log_prior_[None, :], len(table), axis=0)
        for name in names:
            if name not in self._place:
                raise DataError(f"Naive Bayes did not learn from {shown(name)}.{did_you_mean(name, self._place)}")
            scores += self._models[self._place[name]].of(table.column(name))
        return scores


def probabilities(scores: np.ndarray) -> np.ndarray:
    """Logarithms of weights as probabilities, line by line.

    >>> probabilities(np.array([[0.0, 0.0], [-2000.0, -3000.0]])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)
