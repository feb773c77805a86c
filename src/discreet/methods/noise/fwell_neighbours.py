# SPDX-License-Identifier: Apache-2.0
"""Margins to several nearest hits and misses, by Manhattan distance or, for sparse rows, by cosine.

Among sparse rows the nearest by Manhattan distance is mostly a short row, whatever it is about: it lacks what the other
has. The cosine compares what two rows have in common with how long they are. Means over several neighbours vary less.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import sparse as sp
from discreet.methods.noise.margins import margins

_CHUNK = 32  # columns that are added up before the sum is compared


def margins_to(rows: Any, classes: np.ndarray, n_neighbors: int, metric: str) -> Any:
    """z of each row: the mean of |row - miss| over its nearest misses less that of |row - hit| over its nearest hits.

    >>> X = np.array([[0.0], [0.25], [0.75], [1.0]])
    >>> margins_to(X, np.array([0, 0, 1, 1]), 2, "manhattan").ravel().tolist()
    [0.625, 0.375, 0.375, 0.625]
    """
    if n_neighbors == 1 and metric == "manhattan":
        return margins(rows, classes)  # Algorithm 1, step 3(a)
    near = _nearest(rows, np.asarray(classes, dtype=np.int64), n_neighbors, metric)
    z, present = 0.0, (near[:, :, 0] >= 0).all(axis=0)
    for kind, sign in ((1, 1.0), (0, -1.0)):
        there = near[kind] >= 0
        number = np.maximum(there.sum(axis=1), 1)
        for place in range(n_neighbors):
            share = sign * (there[:, place] & present) / number
            apart = abs(rows - rows[np.maximum(near[kind, :, place], 0)])
            z = z + (sp.csr_array(sp.diags_array(share) @ apart) if is_sparse(rows) else apart * share[:, None])
    return z


def _nearest(rows: Any, classes: np.ndarray, n_neighbors: int, metric: str) -> np.ndarray:
    """The nearest hits (0) and misses (1) of each row, nearest first, -1 where there are fewer."""
    near = np.full((2, len(classes), n_neighbors), -1, dtype=np.int64)
    if not is_sparse(rows):
        _nearest_dense(np.ascontiguousarray(rows), classes, near)
        return near
    rows = sp.csr_array(rows)
    lists, sizes = rows.tocsc(), np.asarray(abs(rows).sum(axis=1)).ravel()
    if metric == "cosine":
        sizes = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    arrays = [part.astype(np.int64) for part in (rows.indptr, rows.indices, lists.indptr, lists.indices)]
    _nearest_sparse(*arrays, rows.data, lists.data, sizes, classes, metric == "cosine", near)
    return near


@compiled
def _keep_nearest(distance, j, best, places):
    """Insert row j if it is nearer than the last one; of equal ones the first row comes first."""
    last = len(best) - 1
    if not distance < best[last]:
        return
    at = last
    while at > 0 and distance < best[at - 1]:
        best[at], places[at] = best[at - 1], places[at - 1]
        at -= 1
    best[at], places[at] = distance, j


@compiled
def _nearest_dense(rows, classes, near):
    n, d = rows.shape
    best = np.empty((2, near.shape[2]))
    for i in range(n):
        best[:] = np.inf
        for j in range(n):
            if j == i:
                continue
            kind = 0 if classes[i] == classes[j] else 1
            most, distance = best[kind, -1], 0.0
            for start in range(0, d, _CHUNK):
                for c in range(start, min(start + _CHUNK, d)):
                    distance += abs(rows[i, c] - rows[j, c])
                if distance >= most:
                    break
            _keep_nearest(distance, j, best[kind], near[kind, i])


@compiled
def _nearest_sparse(row_start, row_items, item_start, item_rows, cells, item_cells, sizes, classes, cosine, near):
    n = len(classes)
    common = np.zeros(n)
    best = np.empty((2, near.shape[2]))
    for i in range(n):
        common[:] = 0
        for a in range(row_start[i], row_start[i + 1]):
            mine, item = cells[a], row_items[a]
            for b in range(item_start[item], item_start[item + 1]):
                theirs = item_cells[b]
                if cosine:
                    common[item_rows[b]] += mine * theirs
                elif mine * theirs > 0:
                    common[item_rows[b]] += min(abs(mine), abs(theirs))
        best[:] = np.inf
        for j in range(n):
            if j == i:
                continue
            if cosine:
                distance = -common[j] / max(sizes[i] * sizes[j], 1e-300)
            else:
                distance = sizes[i] + sizes[j] - 2 * common[j]
            kind = 0 if classes[i] == classes[j] else 1
            _keep_nearest(distance, j, best[kind], near[kind, i])
