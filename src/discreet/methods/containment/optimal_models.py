# SPDX-License-Identifier: Apache-2.0
"""Linear models on sets of columns of baskets, and their cross-validated AUC.

Ridge regression is fitted from sums over rows, so that a fold is left out by subtraction; logistic regression on the
distinct rows with counts. Folds are the same for every set of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.counting.class_separation import labels_of
from discreet.counting.partition import Partition
from discreet.counting.tally import distinct_codes
from discreet.data.baskets import Baskets
from discreet.foundation.lazy_modules import linalg
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.randomness import Randomness

_FOLDS = 5
CELLS = 20_000_000  # a ridge regression is fitted on no more dense cells than this; beyond, on some of the rows
_NEWTON = 8  # steps of Newton's method
_CLOSE = 1e-6  # a step so short is the last
WEAK, STRONG = 1.0, 0.5  # penalties; the second is per row. The better of the two counts


def csr(baskets: Baskets) -> sp.csr_array:
    """The matrix as floating-point CSR."""
    m = baskets.matrix
    return sp.csr_array((np.ones(m.nnz), m.indices, m.indptr.astype(np.int32)), shape=m.shape)


def targets_of(baskets: Baskets) -> np.ndarray:
    """A column per class, or one for two classes."""
    one_hot = np.eye(baskets.n_classes)[labels_of(baskets)]
    return one_hot[:, 1:] if baskets.n_classes == 2 else one_hot


class Ridge:
    """Ridge regression on the classes' indicators, on any set of columns; the intercept is not penalised."""

    def __init__(self, baskets: Baskets):
        self.columns = csr(baskets).tocsc()
        self.by_rows = csr(baskets)
        self.targets = targets_of(baskets)
        self.fold = _folds(baskets)
        n = len(baskets)
        self.order = np.argsort(Randomness(1).uint64(n), kind="stable")  # which rows stay when not all do

    def part(self, S: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The columns, the targets and the folds of the rows that are looked at."""
        most = max(CELLS // max(len(S), 1), 2000)
        if most >= len(self.order):
            return self.columns[:, list(S)].toarray(), self.targets, self.fold
        rows = self.order[:most]
        return self.by_rows[rows][:, list(S)].toarray(), self.targets[rows], self.fold[rows]

    def weights(self, S: Sequence[int]) -> np.ndarray:
        if not len(S):
            return np.zeros(0)
        X, T, _ = self.part(S)
        return np.abs(_Moments.of(X, T).solve(STRONG * len(X))[0]).max(axis=1)

    def unexplained(self, S: Sequence[int], penalty: float) -> np.ndarray:
        """For each column of the baskets, how much it alone explains of what the model on S leaves unexplained."""
        n, fit = len(self.targets), self.targets.mean(axis=0)
        if len(S):
            X, T, _ = self.part(S)
            w, x_mean, t_mean = _Moments.of(X, T).solve(penalty)
            fit = self.columns[:, list(S)] @ w + (t_mean - x_mean @ w)
        left = self.targets - fit
        share = self.columns.sum(axis=0) / n
        explained = self.columns.T @ left - np.outer(share, left.sum(axis=0))
        return (explained**2).sum(axis=1) / (n * share * (1 - share) + penalty)

    def needed(self, S: Sequence[int]) -> np.ndarray:
        """For each of S, how much of the label would be left unexplained without it."""
        X, T, _ = self.part(S)
        moments, penalty = _Moments.of(X, T), STRONG * len(X)
        return (moments.solve(penalty)[0] ** 2).sum(axis=1) / np.diag(np.linalg.inv(moments.system(penalty)))

    def explained(self, S: Sequence[int]) -> float:
        """1 - (penalised squared error of the best model) / (that of the constant one): monotone in S."""
        if not len(S):
            return 0.0
        X, T, _ = self.part(S)
        moments = _Moments.of(X, T)
        w, _, _ = moments.solve(STRONG * len(X))
        return float((w * moments.covariance()).sum() / ((T - T.mean(axis=0)) ** 2).sum())

    def auc(self, S: Sequence[int]) -> float:
        """Cross-validated: the better of two penalties, the mean over folds and classes."""
        if not len(S):
            return 0.5
        X, T, fold = self.part(S)
        everything, scores = _Moments.of(X, T), np.zeros((2, *T.shape))
        for f in range(int(fold.max()) + 1):
            out = fold == f
            rest = everything - _Moments.of(X[out], T[out])
            for i, penalty in enumerate((WEAK, STRONG * len(X))):
                w, x_mean, t_mean = rest.solve(penalty)
                scores[i, out] = (X[out] - x_mean) @ w + t_mean
        return max(_mean_auc(s, T, fold) for s in scores)


@dataclass(frozen=True, eq=False)
class _Moments:
    """Sums over rows, enough to fit a ridge regression; those of a part can be taken away."""

    n: int
    x: np.ndarray
    t: np.ndarray
    xx: np.ndarray
    xt: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, T: np.ndarray) -> _Moments:
        return cls(len(X), X.sum(axis=0), T.sum(axis=0), X.T @ X, X.T @ T)

    def __sub__(self, other: _Moments) -> _Moments:
        return _Moments(self.n - other.n, self.x - other.x, self.t - other.t, self.xx - other.xx, self.xt - other.xt)

    def covariance(self) -> np.ndarray:
        return self.xt - np.outer(self.x, self.t) / self.n

    def solve(self, penalty: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Weights, mean row, mean target."""
        _, w, failed = linalg.lapack.dposv(self.system(penalty), self.covariance())
        if failed:
            raise np.linalg.LinAlgError("the system of a ridge regression is singular")
        return w, self.x / self.n, self.t / self.n

    def system(self, penalty: float) -> np.ndarray:
        A = self.xx - np.outer(self.x, self.x) / self.n
        A[np.diag_indices(len(A))] += penalty
        return A


class OneVersusRestLogistic:
    """Logistic regression, one class against the others, on distinct rows with counts: n matters only once."""

    def __init__(self, baskets: Baskets):
        self.baskets = baskets
        partition, fold = Partition.of(baskets), _folds(baskets)
        n_folds, n_classes = int(fold.max()) + 1, baskets.n_classes
        cells = (partition.group_of_row.astype(np.int64) * n_folds + fold) * n_classes + labels_of(baskets)
        self._counts = np.bincount(cells, minlength=partition.n_groups * n_folds * n_classes).reshape(
            -1, n_folds, n_classes
        )
        self._rows = csr(baskets)[partition.first_rows()].toarray()

    def counts(self, S: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """The distinct rows, a first column of ones; and rows of each (distinct row, fold, class)."""
        cells = self._rows[:, list(S)]
        rows, groups = distinct_codes([column.astype(np.int64) for column in cells.T], len(cells), [2] * len(S))
        parts = self._counts.reshape(len(cells), -1).T
        counts = np.stack([np.bincount(groups, part, minlength=len(rows)) for part in parts], axis=-1)
        return np.column_stack([np.ones(len(rows)), rows]), counts.reshape(-1, *self._counts.shape[1:])

    def weights(self, S: Sequence[int]) -> np.ndarray:
        if not len(S):
            return np.zeros(0)
        X, counts = self.counts(S)
        of_class = counts.sum(axis=1)
        fits = [logistic(X, of_class[:, c], of_class.sum(axis=1)) for c in _one_against_others(self.baskets)]
        return np.abs(np.array(fits)[:, 1:]).max(axis=0)

    def auc(self, S: Sequence[int]) -> float:
        """Cross-validated: the mean over folds and classes."""
        if not len(S):
            return 0.5
        X, counts = self.counts(S)
        areas = []
        of_class = counts.sum(axis=1)
        for c in _one_against_others(self.baskets):
            start = logistic(X, of_class[:, c], of_class.sum(axis=1))
            for f in range(counts.shape[1]):
                rest = of_class - counts[:, f]
                scores = X @ logistic(X, rest[:, c], rest.sum(axis=1), start)
                areas.append(auc_of_counts(scores, counts[:, f, c], counts[:, f].sum(axis=1) - counts[:, f, c]))
        defined = [value for value in areas if value is not None]
        return float(np.mean(defined)) if defined else 0.5


def _one_against_others(baskets: Baskets) -> range:
    return range(1, 2) if baskets.n_classes == 2 else range(baskets.n_classes)


def logistic(X: np.ndarray, ones: np.ndarray, total: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """The weights of a logistic regression on rows with counts, with an optional warm start.

    Newton's method with a penalty that makes the optimum unique, and small steps when classes come apart.
    """
    w, penalty = np.zeros(X.shape[1]) if start is None else start.copy(), np.full(X.shape[1], WEAK)
    penalty[0] = 1e-3
    for _ in range(_NEWTON):
        p = 1 / (1 + np.exp(-np.clip(X @ w, -30, 30)))
        hessian = (X * (total * p * (1 - p))[:, None]).T @ X
        hessian[np.diag_indices(len(w))] += penalty
        step = np.linalg.solve(hessian, X.T @ (ones - total * p) - penalty * w)
        longest = max(float(np.abs(step).max()), 1e-300)
        w += step * min(1.0, 5.0 / longest)
        if longest < _CLOSE:
            break
    return w


def most_auc(baskets: Baskets, S: Sequence[int]) -> float:
    """A bound of the cross-validated AUC of every model on these columns: rows that are equal on them tie.

    >>> most_auc(Baskets.of([[1, 0], [1, 0], [0, 1], [0, 1]] * 5, [1, 1, 0, 1] * 5), [0, 1]) < 1
    True
    """
    groups, fold, one_hot = Partition.of(baskets.keep(list(S))).group_of_row, _folds(baskets), targets_of(baskets)
    areas = []
    for f in np.unique(fold):
        for target in one_hot[fold == f].T:
            ones = np.bincount(groups[fold == f], target)
            zeros = np.bincount(groups[fold == f], 1 - target)
            areas.append(auc_of_counts(ones / np.maximum(ones + zeros, 1), ones, zeros))
    defined = [area for area in areas if area is not None]
    return float(np.mean(defined)) if defined else 1.0


def auc_of_counts(scores: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> float | None:
    """Area under the ROC curve of rows with counts, ties counted half; None when all are of one kind."""
    if not positive.sum() or not negative.sum():
        return None
    _, place = np.unique(np.round(scores, 9), return_inverse=True)
    ups, downs = np.bincount(place, positive), np.bincount(place, negative)
    below = np.cumsum(downs) - downs
    return float((ups * (below + downs / 2)).sum() / (ups.sum() * downs.sum()))


def _folds(baskets: Baskets) -> np.ndarray:
    """The fold of each row: each class is spread evenly; the rows of a person stay together."""
    n_folds = min(_FOLDS, len(baskets))
    if baskets.persons is not None:
        place = np.argsort(Randomness(2).permutation(int(baskets.persons.max()) + 1))
        return place[baskets.persons] % n_folds
    order = Randomness(2).permutation(len(baskets))
    order = order[np.argsort(labels_of(baskets)[order], kind="stable")]
    fold = np.empty(len(order), dtype=np.int64)
    fold[order] = np.arange(len(order)) % n_folds
    return fold


def _mean_auc(scores: np.ndarray, targets: np.ndarray, fold: np.ndarray) -> float:
    """The mean over classes and folds; over all rows at once where no fold has both a class and another."""
    areas = [auc(scores[fold == f, c], targets[fold == f, c]) for f in np.unique(fold) for c in range(targets.shape[1])]
    defined = [value for value in areas if value is not None]
    if not defined:
        pooled = [auc(scores[:, c], targets[:, c]) for c in range(targets.shape[1])]
        defined = [value for value in pooled if value is not None] or [0.5]
    return float(np.mean(defined))


def auc(scores: np.ndarray, is_class: np.ndarray) -> float | None:
    """Area under the ROC curve, ties counted half; None when all rows are of one kind.

    >>> auc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([0, 0, 1, 1]))
    0.875
    """
    scores, ones = np.round(scores, 9), is_class > 0
    above, below = scores[ones], np.sort(scores[~ones])
    if not len(above) or not len(below):
        return None
    beaten = np.searchsorted(below, above).sum() + np.searchsorted(below, above, side="right").sum()
    return float(beaten / (2 * len(above) * len(below)))
