# SPDX-License-Identifier: Apache-2.0
"""Nearest hits and misses: for each row the nearest one of its class and of another class, by Manhattan distance.

Distances are sums of whole numbers: cells, scaled to their bounds, are counted in steps of 2^-26. So a distance does
not depend on the order of summing, equal distances are equal, and ties go to the lowest row, for dense and for sparse
rows alike. No distance is kept but the best, and the sum of a pair ends once it is above it.

Sparse rows are compared through inverted lists: |a - b| is |a| + |b| - 2 min(|a|, |b|) where a and b have one sign, and
|a| + |b| otherwise, so only the cells that two rows have in common need a look.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import sparse as sp

STEPS = 2**26  # of a cell between its bounds
_CHUNK = 16  # cells that are summed before a look at the best: 16 times 2^26 stays below 2^31
FAR = np.iinfo(np.int64).max


@compiled
def _dense(rows, classes, others, other_classes, own, near):
    """Among themselves (`own`) each pair of rows is looked at once; candidates come in rising order all the same."""
    n, d = rows.shape
    best = np.full((2, n), FAR)
    for i in range(n):
        for j in range(i + 1 if own else 0, len(others)):
            kind = 0 if classes[i] == other_classes[j] else 1
            limit = max(best[kind, i], best[kind, j]) if own else best[kind, i]
            distance = np.int64(0)
            for start in range(0, d, _CHUNK):
                part = np.int32(0)  # a loop of 32-bit numbers takes many cells at once
                for f in range(start, start + _CHUNK):
                    apart = np.int32(rows[i, f] - others[j, f])
                    part = np.int32(part + (apart if apart >= 0 else np.int32(-apart)))
                distance += part
                if distance >= limit:
                    break
            if distance < limit:
                if distance < best[kind, i]:
                    best[kind, i], near[kind, i] = distance, j
                if own and distance < best[kind, j]:
                    best[kind, j], near[kind, j] = distance, i


@compiled
def _sparse(starts, columns, cells, classes, list_starts, listed, list_cells, other_classes, sizes, own, near):
    n_others = len(other_classes)
    common = np.zeros(n_others, dtype=np.int64)
    for i in range(len(classes)):
        size = 0
        for p in range(starts[i], starts[i + 1]):
            cell, f = cells[p], columns[p]
            size += abs(cell)
            for q in range(list_starts[f], list_starts[f + 1]):
                other = list_cells[q]
                if (cell > 0) == (other > 0):
                    common[listed[q]] += min(abs(cell), abs(other))
        best = np.full(2, FAR)
        for j in range(n_others):
            distance = size + sizes[j] - 2 * common[j]
            common[j] = 0
            kind = 0 if classes[i] == other_classes[j] else 1
            if distance < best[kind] and not (own and i == j):
                best[kind], near[kind, i] = distance, j


def nearest(rows: Any, classes: Any, others: Any = None, other_classes: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """For each row the place of its nearest hit and of its nearest miss among `others`, -1 where there is none.

    Rows are scaled: cells of a column differ by 1 at most. Without `others` a row is compared with all rows but itself.

    >>> hit, miss = nearest(np.array([[0.0], [0.1], [0.7], [1.0]]), np.array([0, 0, 1, 1]))
    >>> hit.tolist(), miss.tolist()
    ([1, 0, 3, 2], [2, 2, 1, 1])
    """
    own = others is None
    others, other_classes = (rows, classes) if own else (others, other_classes)
    classes, other_classes = (np.asarray(codes, dtype=np.int64) for codes in (classes, other_classes))
    near = np.full((2, len(classes)), -1, dtype=np.int64)
    if is_sparse(rows):
        sparse_rows, lists = _whole_sparse(rows), _whole_sparse(others)
        sizes = abs(lists).sum(axis=1)
        _sparse(*_arrays(sparse_rows), classes, *_arrays(lists.tocsc()), other_classes, sizes, own, near)
    else:
        _dense(_whole(rows), classes, _whole(others), other_classes, own, near)
    return near[0], near[1]


def _whole(rows: np.ndarray) -> np.ndarray:
    """Steps, in as many columns as a number of whole chunks has."""
    n, d = rows.shape
    steps = np.zeros((n, -(-d // _CHUNK) * _CHUNK), dtype=np.int32)
    steps[:, :d] = np.rint(rows * STEPS)
    return steps


def _whole_sparse(rows: sp.csr_array) -> sp.csr_array:
    steps = sp.csr_array((np.rint(rows.data * STEPS).astype(np.int64), rows.indices, rows.indptr), shape=rows.shape)
    steps.sum_duplicates()
    return steps


def _arrays(matrix: sp.csr_array | sp.csc_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data


def margins(rows: Any, classes: Any, others: Any = None, other_classes: Any = None) -> Any:
    """z of each row: |row - nearest miss| - |row - nearest hit| in each column; zero where it lacks one of the two.

    >>> margins(np.array([[0.0], [0.25], [0.75], [1.0]]), np.array([0, 0, 1, 1])).ravel().tolist()
    [0.5, 0.25, 0.25, 0.5]
    """
    hit, miss = nearest(rows, classes, others, other_classes)  # Algorithm 1, step 3(a)
    others = rows if others is None else others
    lacking = (hit < 0) | (miss < 0)
    if not len(np.asarray(classes)) or lacking.all():
        return rows * 0.0
    z = abs(rows - others[miss]) - abs(rows - others[hit])  # below equation (1)
    if lacking.any():
        present = (~lacking).astype(float)
        z = sp.csr_array(sp.diags_array(present) @ z) if is_sparse(z) else z * present[:, None]
    return z
