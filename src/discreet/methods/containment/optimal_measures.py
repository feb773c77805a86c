# SPDX-License-Identifier: Apache-2.0
"""Utilities of feature sets for classification, and weights that say which single features to try first.

HamDist and DistCnt (Definitions 8 and 9) count separated pairs; a classifier must generalise. The measures here come
closer to that: class information, joint information of pairs, the fit of a linear model, and the cross-validated area
under its ROC curve. A measure is a function of a list of columns, built once for given baskets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from discreet.counting.class_separation import (
    class_counts,
    dist_cnt,
    labels_of,
    number_of,
    separated_pairs,
    unlike_pairs,
)
from discreet.counting.entropy import entropy_times_n
from discreet.counting.partition import Partition
from discreet.data.baskets import Baskets
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.lazy_modules import sparse_linalg
from discreet.methods.containment.fixed_order import in_a_fixed_order
from discreet.methods.containment.optimal_models import (
    CELLS,
    STRONG,
    OneVersusRestLogistic,
    Ridge,
    csr,
    most_auc,
    targets_of,
)

_NARROW = 64  # columns up to which "auc" fits a logistic regression
_FEW = 1000  # columns up to which all pairs are looked at for a bound
_WIDE = 2000  # with more columns a bound from a fitted model takes too long


@dataclass(frozen=True, eq=False)
class Worth:
    """A measure of sets of columns, higher is better.

    value     the measure of a list of columns
    alone     the value of each column alone, or its weight in the fitted model
    monotone  whether a further column never lowers the value: then the best set is inclusion-maximal, and the value of
              any larger set, feasible or not, is an upper bound
    modular   whether the value is the sum of the values of the single columns
    additive  whether the value is at most that sum
    most      an upper bound of the values of all sets inside given columns, where the measure is not monotone
    """

    value: Callable[[Sequence[int]], float]
    alone: Callable[[Sequence[int]], np.ndarray]
    monotone: bool
    modular: bool = False
    additive: bool = False
    most: Callable[[Sequence[int]], float] | None = None

    def ceiling(self, columns: Sequence[int]) -> float | None:
        """An upper bound of the value of every set inside these columns, or None."""
        if self.monotone and (self.most is None or len(columns) <= _WIDE):
            return self.value(columns)
        return None if self.most is None else self.most(columns)


def worth_of(utility: str | Callable[[Baskets], float], baskets: Baskets) -> Worth:
    """The measure by its name, or a callable that takes the projected baskets. The order of rows does not matter.

    >>> b = Baskets.of([[1, 0], [1, 1], [0, 1], [0, 1]], [1, 1, 0, 0])
    >>> worth_of("hamdist", b).value([0, 1]), worth_of("information", b).value([0])
    (1.5, 1.0)
    """
    if isinstance(utility, str):
        return _MEASURES[utility](in_a_fixed_order(baskets))
    return _of_callable(utility, baskets)


def guides(baskets: Baskets) -> dict[str, np.ndarray]:
    """Weights of single columns, each at most 1, to order columns by: HamDist, correlation, |w| of a linear model."""
    n = len(baskets)
    support = baskets.support.astype(float)
    counts = class_counts_of_items(baskets)
    share = np.bincount(labels_of(baskets), minlength=baskets.n_classes) / n
    spread = np.sqrt(np.maximum(support * (n - support) / n**2, 1e-300))
    correlation = np.zeros(len(support))
    for c, p in enumerate(share):
        if 0 < p < 1:
            by_class = np.abs(counts[c] / n - support / n * p) / (spread * np.sqrt(p * (1 - p)))
            correlation = np.maximum(correlation, np.where((support > 0) & (support < n), by_class, 0))
    hamdist = separated_pairs(baskets).astype(float)
    weight = np.zeros(len(support))
    X = csr(baskets)
    for target in targets_of(baskets).T:
        solution = sparse_linalg.lsqr(X, target - target.mean(), damp=np.sqrt(STRONG * n), iter_lim=50)
        weight = np.maximum(weight, np.abs(solution[0]))
    directions = {
        "hamdist": hamdist,
        "weight": weight,
        "weight x hamdist": weight * hamdist,
        "correlation": correlation,
        "correlation squared": correlation**2,
        "weight x correlation": np.sqrt(weight * correlation),
    }
    return {name: values / (values.max() or 1.0) for name, values in directions.items()}


# -- counting ----------------------------------------------------------------------------------------------------------


def _hamdist(baskets: Baskets) -> Worth:
    pairs = separated_pairs(baskets) / unlike_pairs(labels_of(baskets))
    return Worth(
        lambda S: float(pairs[list(S)].sum()), lambda S: pairs[list(S)], monotone=True, modular=True, additive=True
    )


def _distcnt(baskets: Baskets) -> Worth:
    pairs = separated_pairs(baskets) / unlike_pairs(labels_of(baskets))
    counted = _counted(lambda selected: dist_cnt(selected, None) if selected.shape[1] else 0.0, baskets, monotone=True)
    return replace(counted, alone=lambda S: pairs[list(S)], additive=True)  # submodular


def _information(baskets: Baskets) -> Worth:
    """Class information, I(pattern; class) in bits, the rows grouped by all the selected items."""
    labels, n = labels_of(baskets), len(baskets)
    prior = float(entropy_times_n(np.bincount(labels, minlength=baskets.n_classes)))

    def value(selected: Baskets) -> float:
        remaining = entropy_times_n(class_counts(Partition.of(selected), labels, selected.n_classes)).sum()
        return float(prior - remaining) / n

    return _counted(value, baskets, monotone=True)


def _of_callable(utility: Callable[[Baskets], float], baskets: Baskets) -> Worth:
    return _counted(lambda selected: number_of(utility(selected)), baskets, monotone=False)


def _counted(value: Callable[[Baskets], float], baskets: Baskets, *, monotone: bool) -> Worth:
    def of_set(S: Sequence[int]) -> float:
        return float(value(baskets.keep(list(S))))

    return Worth(of_set, lambda S: np.array([of_set([j]) for j in S]), monotone)


def _cmi(baskets: Baskets) -> Worth:
    """Joint mutual information: the sum over pairs of I(x_i, x_j; class), divided by |S| - 1.

    For features that do not speak of one another it is the sum of I(x_i; class); a feature given twice counts half.
    """
    n, labels = len(baskets), labels_of(baskets)
    by_class = [csr(baskets)[labels == c].tocsc() for c in range(baskets.n_classes)]
    prior = float(entropy_times_n(np.bincount(labels, minlength=baskets.n_classes)))

    def value(S: Sequence[int]) -> float:
        columns = list(S)
        if len(columns) < 2:
            return float(alone(columns).sum())
        cells = zip(*(_pairs(part[:, columns]) for part in by_class), strict=True)
        remaining = sum(entropy_times_n(np.stack(cell, axis=-1)) for cell in cells)
        joint = np.triu(prior - remaining, 1).sum()
        return float(joint / (len(columns) - 1) / n)

    def alone(S: Sequence[int]) -> np.ndarray:
        columns = list(S)
        have = np.stack([part[:, columns].sum(axis=0) for part in by_class], axis=-1)
        rest = np.array([part.shape[0] for part in by_class]) - have
        return (prior - entropy_times_n(have) - entropy_times_n(rest)) / n

    def most(S: Sequence[int]) -> float:
        """Half the sum over features of the most that one of its pairs says; a feature alone may say more."""
        columns = list(S)
        if len(columns) < 2 or len(columns) > _FEW:
            return max(len(columns) / 2, 1) * prior / n
        cells = zip(*(_pairs(part[:, columns]) for part in by_class), strict=True)
        joint = np.asarray(prior - sum(entropy_times_n(np.stack(cell, axis=-1)) for cell in cells))
        np.fill_diagonal(joint, 0)
        return float(max(joint.max(axis=1).sum() / 2 / n, alone(columns).max()))

    return Worth(value, alone, monotone=False, most=most)


def _pairs(columns: sp.csc_array) -> tuple[np.ndarray, ...]:
    """For each pair of columns, the rows that have both, only the first, only the second, neither."""
    both = (columns.T @ columns).toarray()
    have = columns.sum(axis=0)
    first, second = have[:, None] - both, have[None, :] - both
    return both, first, second, columns.shape[0] - both - first - second


def class_counts_of_items(baskets: Baskets) -> np.ndarray:
    """The number of rows of each class (lines) that have each item (columns)."""
    one_hot = np.eye(baskets.n_classes)[labels_of(baskets)]
    return np.asarray((csr(baskets).T @ one_hot).T)


# -- linear models -----------------------------------------------------------------------------------------------------


def _linear(baskets: Baskets) -> Worth:
    model = Ridge(baskets)
    return Worth(model.explained, model.weights, monotone=len(baskets) * baskets.shape[1] <= CELLS, most=lambda S: 1.0)


def _auc(baskets: Baskets) -> Worth:
    """Cross-validated AUC: for few columns by logistic regression on distinct rows, else by faster ridge regression."""
    model = Ridge(baskets) if baskets.shape[1] > _NARROW else OneVersusRestLogistic(baskets)
    whole = (
        len(baskets) * baskets.shape[1] <= CELLS
    )  # else sets of several sizes are judged on several parts of the rows
    most = partial(most_auc, baskets) if whole else lambda S: 1.0
    return Worth(model.auc, model.weights, monotone=False, most=most)


_MEASURES: dict[str, Callable[[Baskets], Worth]] = {
    "hamdist": _hamdist,
    "distcnt": _distcnt,
    "information": _information,
    "cmi": _cmi,
    "linear": _linear,
    "auc": _auc,
}
UTILITIES = frozenset(_MEASURES)
