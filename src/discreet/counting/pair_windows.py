# SPDX-License-Identifier: Apache-2.0
"""Pairs of codes counted without sorting, where each first code meets second codes of a short range only.

So it is with the labels of a tree and the codes that each of them covers. Every first code has a window of counters
from its least second code to its largest; all windows together are hardly longer than the pairs.
"""

from __future__ import annotations

import numpy as np

from discreet.foundation.compiled_kernels import compiled

_AT_ONCE = 1 << 20  # rows that are counted at a time


def counted_in_windows(
    a: np.ndarray, b: np.ndarray, weights: np.ndarray | None = None, *, most: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The distinct pairs in lexicographic order, and the rows, or sum of weights, of each; None if more than `most`
    counters would be needed, or if weights are not whole numbers from 1 on.

    >>> a, b = np.array([1, 0, 1, 1]), np.array([70, 5, 71, 70])
    >>> [part.tolist() for part in counted_in_windows(a, b, most=10)]
    [[0, 1, 1], [5, 70, 71], [1, 2, 1]]
    """
    n = int(a.max(initial=0)) + 1
    if n > most or (weights is not None and (weights.dtype.kind not in "iu" or int(weights.min(initial=1)) < 1)):
        return None
    a, b = (np.ascontiguousarray(one, dtype=np.int64) for one in (a, b))
    first, last = np.full(n, np.iinfo(np.int64).max), np.full(n, -1)
    _find_windows(a, b, first, last)
    widths = np.maximum(last - first + 1, 0)
    ends = np.cumsum(widths)
    if int(ends[-1]) > most:
        return None
    counts = np.zeros(int(ends[-1]), dtype=np.int64)
    shift = ends - widths - first  # from a second code to its counter; nonsense where no pair is
    rows = np.empty(0, dtype=np.int64) if weights is None else np.ascontiguousarray(weights, dtype=np.int64)
    _add_up(a, b, rows, shift, counts)
    found = np.flatnonzero(counts)
    whose = np.repeat(np.arange(n), widths)[found]
    return whose, found - shift[whose], counts[found]


def counted_without_sorting(
    a: np.ndarray, b: np.ndarray, weights: np.ndarray | None, *, kernels: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """The same by counters for all possible pairs, some rows at a time, or by windows if `kernels` may be used; None if
    that would take longer than sorting.
    """
    width, most = int(b.max(initial=0)) + 1, 4 * len(a) + 1024
    possible = (int(a.max(initial=0)) + 1) * width
    if possible > most:
        return counted_in_windows(a, b, weights, most=most) if kernels else None
    rows, met = np.zeros(possible), np.zeros(possible, dtype=np.int64)
    at_once = max(_AT_ONCE, possible)
    for start in range(0, len(a), at_once):
        some = slice(start, start + at_once)
        key = a[some].astype(np.int64) * width + b[some]
        met += np.bincount(key, minlength=possible)
        if weights is not None:
            rows += np.bincount(key, weights[some], minlength=possible)
    pairs = np.flatnonzero(met)
    return pairs // width, pairs % width, (met if weights is None else rows)[pairs].astype(np.int64)


@compiled
def _find_windows(a, b, first, last):
    for i in range(len(a)):
        first[a[i]] = min(first[a[i]], b[i])
        last[a[i]] = max(last[a[i]], b[i])


@compiled
def _add_up(a, b, rows, shift, counts):
    for i in range(len(a)):
        counts[b[i] + shift[a[i]]] += rows[i] if len(rows) > 0 else 1
