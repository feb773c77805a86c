# SPDX-License-Identifier: Apache-2.0
"""How well a column puts the rows of two classes in order: Mann and Whitney's statistic, for all pairs of classes.

For classes k and l let U_kl be the pairs of a row of k and a row of l in which the row of k has the larger cell, less
the pairs in which it has the smaller one. The score of a column is the sum of |U_kl| over the pairs of classes. With
two classes of P and N rows it is P N |2 AUC - 1|.

Replacing one of n rows changes a score by at most 2n - 3; the proof is in docs/methods/private_fwell.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import sparse as sp
from discreet.methods.noise.private_fwell_strategy import PickingStrategy, filled
from discreet.methods.noise.private_rows import classes_of

_PAIRS = 2**22  # of classes that are kept in memory at a time: nobody is told how many classes there are


class RankStrategy(PickingStrategy):
    """Pick the columns whose cells order the classes best. Missing cells count as larger than all others."""

    key = "ranks"
    needs_bounds = False

    def sensitivity(self, rows: int) -> int:
        return 2 * rows - 3

    def statistic(self, X: Any, labels: Any, names: list[str]) -> np.ndarray:
        return rank_scores(filled(X, np.full(X.shape[1], np.inf)), classes_of(labels))


@compiled
def _scores(starts, rows, cells, classes, sizes, first, last):
    """The part of the scores of the pairs whose larger class is one of `first` to `last`.

    Columns hold their cells other than zero, in increasing order; the zeros are one group of equal cells.
    """
    n_classes, n_columns = len(sizes), len(starts) - 1
    sums, largest = np.zeros(n_columns, dtype=np.int64), np.zeros(n_columns, dtype=np.int64)
    below, here, zeros = np.zeros_like(sizes), np.zeros_like(sizes), np.zeros_like(sizes)
    ordered = np.zeros((last - first, n_classes), dtype=np.int64)  # U of each pair
    for f in range(n_columns):
        zeros[:] = sizes
        for p in range(starts[f], starts[f + 1]):
            zeros[classes[rows[p]]] -= 1
        below[:] = 0
        ordered[:] = 0
        p, zeros_to_come = starts[f], True
        while p < starts[f + 1] or zeros_to_come:
            if zeros_to_come and (p == starts[f + 1] or cells[p] > 0):
                here[:] = zeros
                zeros_to_come = False
            else:
                here[:] = 0
                cell = cells[p]
                while p < starts[f + 1] and cells[p] == cell:
                    here[classes[rows[p]]] += 1
                    p += 1
            for k in range(last):
                if here[k]:
                    for other in range(first, last):
                        ordered[other - first, k] -= here[k] * below[other]
                    if k >= first:
                        for other in range(k):
                            ordered[k - first, other] += here[k] * below[other]
            below += here
        for k in range(first, last):
            for other in range(k):
                pairs = abs(ordered[k - first, other])
                sums[f] += pairs
                largest[f] = max(largest[f], pairs)
    return sums, largest


@dataclass(frozen=True, eq=False)
class SortedColumns:
    """The cells other than zero of each column, in increasing order, and the rows that they are in."""

    starts: np.ndarray
    rows: np.ndarray
    cells: np.ndarray

    @classmethod
    def of(cls, X: Any) -> Self:
        columns = sp.csc_array(X)
        columns.sum_duplicates()
        columns.eliminate_zeros()
        order = np.lexsort((columns.data, np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr))))
        rows, cells = columns.indices[order].astype(np.int64), columns.data[order].astype(np.float64)
        return cls(columns.indptr.astype(np.int64), rows, cells)


def rank_scores(X: Any, classes: np.ndarray) -> np.ndarray:
    """The score of each column of X, dense or sparse; `classes` are codes from 0.

    >>> rank_scores(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 9.0]]), np.array([0, 0, 1])).tolist()
    [2, 2]
    >>> rank_scores(np.array([[0.0], [-1.0], [2.0]]), np.array([0, 1, 2])).tolist()
    [3]
    """
    return pair_scores(SortedColumns.of(X), classes)[0]


def pair_scores(columns: SortedColumns, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each column the sum of |U| over all pairs of classes, and over all but its best pair."""
    classes = np.asarray(classes, dtype=np.int64)
    sizes = np.bincount(classes).astype(np.int64)
    step = max(1, _PAIRS // max(1, len(sizes)))
    n_columns = len(columns.starts) - 1
    sums, largest = np.zeros(n_columns, dtype=np.int64), np.zeros(n_columns, dtype=np.int64)
    for first in range(0, len(sizes), step):
        part = _scores(
            columns.starts, columns.rows, columns.cells, classes, sizes, first, min(first + step, len(sizes))
        )
        sums += part[0]
        largest = np.maximum(largest, part[1])
    return sums, sums - largest
