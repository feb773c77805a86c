# SPDX-License-Identifier: Apache-2.0
"""Sketches with different numbers of components side by side: distances on the components both have, and a matrix form
that scikit-learn can cut into folds.

The squared distance of s and t with m and m' components is the mean of (s_j - t_j)^2 over the first min(m, m'). For all
pairs: the running sums of the squares of both, less twice a product of matrices.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from discreet.errors import DataError
from discreet.foundation.compiled_kernels import compiled
from discreet.sketching.sketches import Sketches

METRICS = {"euclidean", "cosine"}


def as_matrix(sketches: Sketches) -> np.ndarray:
    """A row of numbers for each record, NaN after its last component. The estimators of this folder take it too.

    >>> as_matrix(Sketches(np.array([4, -2, 6]), np.array([0, 2, 3]))).tolist()
    [[4.0, -2.0], [6.0, nan]]
    """
    there = np.arange(sketches.padded.shape[1]) < sketches.counts[:, None]
    return np.where(there, sketches.padded, np.nan)


def as_sketches(X: Any) -> Sketches:
    """Sketches as they are, or from a matrix whose rows end in NaN.

    >>> as_sketches([[4, -2], [6, float("nan")]]).counts.tolist()
    [2, 1]
    """
    if isinstance(X, Sketches):
        return X
    try:
        matrix = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"Sketches, or a matrix of their components, are needed ({type(error).__name__}).") from None
    if matrix.ndim != 2 or np.isinf(matrix).any():
        raise DataError("Sketches, or a matrix of their components with NaN after the last of each row, are needed.")
    there = ~np.isnan(matrix)
    counts = there.sum(axis=1)
    if (there != (np.arange(matrix.shape[1]) < counts[:, None])).any():
        raise DataError("A row of components may have NaN after its last component only; some have it before.")
    return Sketches(matrix[there], np.concatenate([[0], np.cumsum(counts)]))


def targets_of(sketches: Sketches, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The classes in order, and the class of each record by number: from y, or from the labels of the sketches."""
    if y is None:
        if sketches.labels is None or sketches.classes is None:
            raise DataError("The sketches have no labels, and none were given: say y.")
        y = sketches.classes[sketches.labels]
    values = np.asarray(y)
    if values.shape != (len(sketches),):
        raise DataError(f"{len(sketches)} labels are needed, one for each sketch; {values.size} were given.")
    classes, codes = np.unique(values, return_inverse=True)
    return classes, codes


def some(sketches: Sketches) -> np.ndarray:
    """The records that have components; there is one at least."""
    rows = np.flatnonzero(sketches.counts)
    if not len(rows):
        raise DataError(f"None of the {len(sketches)} sketches has a component: there is nothing to learn from.")
    return rows


def measured(X: Any, metric: str) -> Sketches:
    """Sketches as a metric compares them."""
    sketches = as_sketches(X)
    return unit(sketches) if metric == "cosine" else sketches


def unit(sketches: Sketches) -> Sketches:
    """Each record divided by its length, as its own components estimate it: distances then say how unlike records are
    whatever their lengths. One whose components are all zero stays.

    >>> unit(Sketches(np.array([3, -3, 2]), np.array([0, 2, 3]))).values.tolist()
    [1.0, -1.0, 1.0]
    """
    lengths = np.sqrt(sketches.lengths())
    scale = np.where(lengths > 0, lengths, 1.0)
    return replace(sketches, values=sketches.values / np.repeat(scale, sketches.counts))


def distances(these: Sketches, those: Sketches) -> tuple[np.ndarray, np.ndarray]:
    """The squared distances of all pairs, and on how many components; without a common one the distance is NaN.

    >>> a = Sketches(np.array([4, 2, 1]), np.array([0, 2, 3]))
    >>> distances(a, a)[0].tolist()
    [[0.0, 9.0], [9.0, 0.0]]
    """
    width = min(these.padded.shape[1], those.padded.shape[1])
    products = these.padded[:, :width] @ those.padded[:, :width].T
    _apart(products, these.running, those.running, these.counts, those.counts)
    return products, np.minimum(these.counts[:, None], those.counts)


@compiled
def _apart(products, squares, others, counts, other_counts):
    """Turn sums of products into distances."""
    for i in range(len(counts)):
        for j in range(len(other_counts)):
            shared = min(counts[i], other_counts[j])
            if shared:
                apart = squares[i, shared - 1] + others[j, shared - 1] - 2 * products[i, j]
                products[i, j] = max(apart / shared, 0.0)
            else:
                products[i, j] = np.nan
