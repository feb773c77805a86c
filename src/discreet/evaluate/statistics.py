# SPDX-License-Identifier: Apache-2.0
"""Whether methods differ over several data sets, and areas under curves. For the folds of one, learning/significance.

Paper: J. Demsar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006 (Friedman's test as
Iman and Davenport adjust it, Nemenyi's and Bonferroni and Dunn's critical differences, Wilcoxon's signed ranks with
Holm's correction).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from discreet.errors import DataError
from discreet.learning.significance import check_confidence


@dataclass(frozen=True)
class Friedman:
    """Friedman's test with the adjustment of Iman and Davenport.

    `ranks` are the mean ranks of the methods, 1 for the best; ties share the mean of their places. `chi2` is Friedman's
    statistic, `f` the adjusted one with `degrees` of freedom, `p` the probability of one as large by chance.
    """

    ranks: tuple[float, ...]
    chi2: float
    f: float
    degrees: tuple[int, int]
    p: float
    n: int

    def critical_difference(self, confidence: float = 0.95, *, control: bool = False) -> float:
        """The difference of mean ranks from which two methods differ.

        By Nemenyi's test for all pairs; with `control`, by Bonferroni and Dunn's, of one method against all others.
        """
        check_confidence(confidence)
        k = len(self.ranks)
        if control:
            q = float(stats.norm.ppf(1 - (1 - confidence) / (2 * (k - 1))))
        else:
            q = float(stats.studentized_range.ppf(confidence, k, np.inf)) / math.sqrt(2)
        return q * math.sqrt(k * (k + 1) / (6 * self.n))

    def groups(self, confidence: float = 0.95) -> list[tuple[int, ...]]:
        """The largest sets of methods that Nemenyi's test does not tell apart, by their places, the best first.

        >>> friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.7, 0.5]]).groups()
        [(0, 1), (1, 2)]
        """
        apart, order = self.critical_difference(confidence), sorted(range(len(self.ranks)), key=self.ranks.__getitem__)
        groups: list[tuple[int, ...]] = []
        for start, first in enumerate(order):
            alike = tuple(place for place in order[start:] if self.ranks[place] - self.ranks[first] < apart)
            if len(alike) > 1 and not (groups and alike[-1] == groups[-1][-1]):
                groups.append(alike)
        return groups


def friedman(scores: Sequence[Sequence[float]] | np.ndarray, *, higher_is_better: bool = True) -> Friedman:
    """Compare methods, one column each, over data sets, one row each.

    >>> found = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.7, 0.5]])
    >>> found.ranks, round(found.chi2, 3), round(found.p, 4)
    ((1.25, 1.75, 3.0), 6.5, 0.0066)
    """
    table = _scores(scores)
    n, k = table.shape
    ranks = np.array([stats.rankdata(-row if higher_is_better else row) for row in table])
    mean = ranks.mean(axis=0)
    ties = sum(float((times**3 - times).sum()) for times in (np.unique(r, return_counts=True)[1] for r in ranks))
    spread = n * k * (k**2 - 1) - ties  # zero when all methods are equal everywhere
    chi2 = 12 * n**2 * float(((mean - (k + 1) / 2) ** 2).sum()) * (k - 1) / spread if spread else 0.0
    degrees = (k - 1, (k - 1) * (n - 1))
    remainder = n * (k - 1) - chi2
    f = math.inf if remainder <= 1e-12 else (n - 1) * chi2 / remainder
    p = float(stats.f.sf(f, *degrees)) if math.isfinite(f) else 0.0
    return Friedman(tuple(map(float, mean)), chi2, f, degrees, p, n)


def signed_ranks(scores: Sequence[Sequence[float]] | np.ndarray) -> tuple[float, ...]:
    """The first method, one column each, against every other over data sets: Wilcoxon's test of pairs, two-sided.

    Returns for each of the others the probability of such differences by chance, corrected by Holm for their number.
    Unlike Friedman's test it looks at how large the differences are, and at no third method.

    >>> [round(p, 3) for p in signed_ranks([[0.9, 0.8, 0.7 + i / 1000] for i in range(8)])]
    [0.016, 0.016]
    """
    table = _scores(scores)
    p_values = np.array([_of_pairs(table[:, 0] - table[:, other]) for other in range(1, table.shape[1])])
    order = np.argsort(p_values, kind="stable")
    corrected = np.maximum.accumulate(np.minimum(1, p_values[order] * np.arange(len(p_values), 0, -1)))
    return tuple(corrected[np.argsort(order)].tolist())


def _of_pairs(differences: np.ndarray) -> float:
    return float(stats.wilcoxon(differences).pvalue) if differences.any() else 1.0


def _scores(scores: Sequence[Sequence[float]] | np.ndarray) -> np.ndarray:
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise DataError(f"At least two data sets and two methods are compared. Got scores of shape {table.shape}.")
    if not np.isfinite(table).all():
        missing = int((~np.isfinite(table)).sum())
        raise DataError(f"{missing} of {table.size} scores are missing: leave out the data set or the method.")
    return table


def area_under_curve(ks: Sequence[float], values: Sequence[float], *, log: bool = True) -> float:
    """The mean height of a curve, such as accuracy against k: its area, by trapezoids, divided by the range of k.

    With `log` over the logarithm of k, so that the step from 5 to 10 weighs as much as the one from 500 to 1000.

    >>> round(area_under_curve([5, 10, 20], [0.8, 0.7, 0.6]), 6)
    0.7
    """
    x, y = np.asarray(ks, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape or len(x) == 0:
        raise DataError(f"A curve has a value for each k. Got {x.size} and {y.size}.")
    if (np.diff(x) <= 0).any() or (log and x[0] <= 0):
        raise DataError("The k of a curve must increase, and be above 0 for the logarithm.")
    if len(x) == 1:
        return float(y[0])
    x = np.log(x) if log else x
    return float(np.trapezoid(y, x) / (x[-1] - x[0]))
