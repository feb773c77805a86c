# SPDX-License-Identifier: Apache-2.0
"""How well columns separate the classes, without training: HamDist, DistCnt and the classification metric.

All three count in exact integers, which become shares at the end. With more than two classes, pairs of rows of
different classes take the place of (positive, negative) pairs; for two classes both are the same.
"""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

from discreet.counting.partition import Partition, count_groups
from discreet.data.baskets import Baskets
from discreet.data.item_rows import ItemRows
from discreet.errors import DataError
from discreet.foundation.compiled_kernels import compiled

__all__ = ["dist_cnt", "ham_dist", "separated_pairs"]


def ham_dist(X: object, y: object) -> float:
    """Definition 8, equation (3): columns in which two rows of different classes differ, on average (modular).

    >>> ham_dist([[1, 0], [1, 1], [0, 1]], [1, 1, 0])
    1.5
    """
    baskets = Baskets.of(X, y)
    return float(separated_pairs(baskets).sum() / _pairs_to_separate(baskets))


def dist_cnt(X: object, y: object) -> float:
    """Definition 9, equation (4): share of pairs of rows of different classes that differ in some column (submodular).

    >>> dist_cnt([[1, 0], [1, 1], [1, 1]], [1, 1, 0])
    0.5
    """
    baskets = Baskets.of(X, y)
    partition = Partition.of(baskets)
    unseparated = 0
    for counts in class_counts(partition, labels_of(baskets), baskets.n_classes):
        unseparated += int(counts.sum()) ** 2 - int((counts**2).sum())
    return 1 - (unseparated // 2) / _pairs_to_separate(baskets)


def labels_of(baskets: ItemRows) -> np.ndarray:
    if baskets.labels is None:
        raise DataError("The utility of columns depends on labels; the baskets have none.")
    return baskets.labels


def _pairs_to_separate(baskets: Baskets) -> int:
    n_pairs = unlike_pairs(labels_of(baskets))
    if not n_pairs:
        raise DataError("HamDist and DistCnt compare rows of different classes; the labels have one class only.")
    return n_pairs


def number_of(value: object) -> float:
    """The value of a user-defined utility; DataError unless it is a finite number."""
    if not isinstance(value, Real) or not math.isfinite(value):
        problem = "one that is not finite" if isinstance(value, Real) else f"a {type(value).__name__}"
        raise DataError(f"A utility must return a finite number; it returned {problem}.")
    return float(value)


def unlike_pairs(labels: np.ndarray) -> int:
    """Number of pairs of rows of different classes."""
    counts = [int(count) for count in np.bincount(labels)]
    return (sum(counts) ** 2 - sum(count**2 for count in counts)) // 2


def class_counts(
    partition: Partition, labels: np.ndarray, n_classes: int, weights: np.ndarray | None = None
) -> np.ndarray:
    """Number of rows of each class in each group; `weights` are how many each row stands for."""
    cells = partition.group_of_row.astype(np.int64) * n_classes + labels
    counts = np.bincount(cells, weights, minlength=partition.n_groups * n_classes)
    return counts.astype(np.int64, copy=False).reshape(-1, n_classes)


def separated_pairs(
    baskets: ItemRows, partition: Partition | None = None, features: np.ndarray | None = None
) -> np.ndarray:
    """Number of pairs of different classes in one group that each feature would separate; one group by default."""
    if baskets.class_support is not None and partition is None and features is None:
        return pairs_by_class(baskets.class_support, np.bincount(labels_of(baskets), minlength=baskets.n_classes))
    return _gains(True, baskets, partition, features)


def pairs_by_class(support: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Pairs of rows of different classes that each item separates: `support` has the rows of each class with each item,
    `classes` all rows of each class.

    >>> pairs_by_class(np.array([[1, 2], [0, 2]]), np.array([3, 2])).tolist()
    [4, 6]
    """
    have = support.sum(axis=1)
    return have * (classes.sum() - have) - (support * (classes - support)).sum(axis=1)


def misfits_removed(
    baskets: ItemRows, partition: Partition | None = None, features: np.ndarray | None = None
) -> np.ndarray:
    """Decrease of the classification metric by each feature."""
    return _gains(False, baskets, partition, features)


def _gains(by_pairs: bool, baskets: ItemRows, partition: Partition | None, features: np.ndarray | None) -> np.ndarray:
    if partition is None:
        partition = Partition(len(baskets))
    if features is None:
        features = np.arange(baskets.shape[1])
    n_classes = baskets.n_classes
    labels, weights = labels_of(baskets), baskets.weights
    total = class_counts(partition, labels, n_classes, weights)
    cells = partition.group_of_row.astype(np.int64) * n_classes + labels
    if len(total) * n_classes < 2**31:
        cells = cells.astype(np.int32)
    (columns, places), gains = baskets.columns_of(features), np.zeros(len(features), dtype=np.int64)
    weights = np.empty(0, dtype=np.int64) if weights is None else weights
    _gains_of(columns.indptr, columns.indices, places, cells, weights, total.ravel(), n_classes, by_pairs, gains)
    return gains


@compiled
def _gains_of(indptr, indices, features, cell_of_row, weights, total, n_classes, by_pairs, gains):
    """One pass over the ones of these features.

    `inside` counts the rows with the feature in each (group, class) cell; a group is evaluated at its first cell and
    then emptied, so that its other cells are skipped.
    """
    inside = np.zeros(len(total), dtype=np.int64)
    seen = np.empty(len(total) + 1, dtype=np.int64)
    for f in range(len(features)):
        rows = indices[indptr[features[f]] : indptr[features[f] + 1]]
        gain = 0
        n_seen = count_groups(rows, cell_of_row, inside, seen)
        if len(weights) > 0:
            for i in range(n_seen):
                inside[seen[i]] = 0
            for row in rows:
                inside[cell_of_row[row]] += weights[row]
        for i in range(n_seen):
            if inside[seen[i]] == 0:
                continue
            start = seen[i] // n_classes * n_classes
            with_it = 0
            without = 0
            alike = 0
            most = 0
            most_with = 0
            most_without = 0
            for c in range(start, start + n_classes):
                here = inside[c]
                elsewhere = total[c] - here
                with_it += here
                without += elsewhere
                alike += here * elsewhere
                most = max(most, total[c])
                most_with = max(most_with, here)
                most_without = max(most_without, elsewhere)
                inside[c] = 0
            gain += with_it * without - alike if by_pairs else most_with + most_without - most
        gains[f] = gain
