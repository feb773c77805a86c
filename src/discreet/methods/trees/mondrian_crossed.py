# SPDX-License-Identifier: Apache-2.0
"""What is counted of rows that are cut in parts: codes by label, and how often rows are repeated.

A label of a tree covers codes of a short range. So each label has a window of counters from the least of its codes to
the largest, as far as they were met; no pair of code and label is ever sorted. Equal rows are in one leaf.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.counting.tally import group_sizes
from discreet.foundation.compiled_kernels import compiled

_SPARE = 2**20  # counters that are left behind before windows are put together again
_FEW = 48  # rows of a leaf that are compared with each other
_UNMET = np.iinfo(np.int32).max


class CrossedCodes:
    """The pairs of code and label of one column that occur, and the rows of each, added up part by part.

    >>> crossed = CrossedCodes()
    >>> crossed.add(np.array([70, 5, 71]), np.array([1, 0]), np.array([0, 1, 0]))
    >>> crossed.add(np.array([70]), np.array([1]), np.array([0]))
    >>> [part.tolist() for part in crossed.whole()]
    [[5, 70, 71], [0, 1, 1], [1, 2, 1]]
    """

    def __init__(self) -> None:
        self._low = np.empty(0, dtype=np.int32)  # of each label, the least code and the one after the largest
        self._end = np.empty(0, dtype=np.int32)
        self._start = np.empty(0, dtype=np.int64)  # and the place of its first counter
        self._counts, self._n = np.zeros(_SPARE, dtype=np.int64), 0

    def add(self, codes: np.ndarray, label_of_leaf: np.ndarray, leaf_of: np.ndarray) -> None:
        """Add rows of these codes and leaves; leaves have labels."""
        codes, labels, leaf_of = (np.ascontiguousarray(one, dtype=np.int32) for one in (codes, label_of_leaf, leaf_of))
        n_labels = max(int(labels.max()) + 1, len(self._low))
        low, end = np.full(n_labels, _UNMET, dtype=np.int32), np.zeros(n_labels, dtype=np.int32)
        _find_windows(codes, labels, leaf_of, low, end)
        self._widen(low, end)
        _count(codes, labels, leaf_of, self._start - self._low, self._counts)

    def _widen(self, low: np.ndarray, end: np.ndarray) -> None:
        """Give the windows that are too short for these codes new ones, at the end."""
        more = len(low) - len(self._low)
        self._low = np.append(self._low, np.full(more, _UNMET, dtype=np.int32))
        self._end = np.append(self._end, np.zeros(more, dtype=np.int32))
        self._start = np.append(self._start, np.zeros(more, dtype=np.int64))
        grown = np.flatnonzero((low < self._low) | (end > self._end))
        low, end = np.minimum(low, self._low)[grown], np.maximum(end, self._end)[grown]
        widths = (end - low).astype(np.int64)
        ends = self._n + np.cumsum(widths)
        self._reserve(int(widths.sum()))
        was = self._end[grown] > self._low[grown]
        old = np.repeat(self._start[grown[was]], self._widths[grown[was]]) + _places(self._widths[grown[was]])
        shifted = (ends - widths)[was] + self._low[grown[was]] - low[was]
        new = np.repeat(shifted, self._widths[grown[was]]) + _places(self._widths[grown[was]])
        self._counts[new] = self._counts[old]
        self._low[grown], self._end[grown], self._start[grown] = low, end, ends - widths
        self._n += int(widths.sum())
        if self._n > 2 * int(self._widths.sum()) + _SPARE:
            self._put_together()

    @property
    def _widths(self) -> np.ndarray:
        return np.maximum(self._end - np.minimum(self._low, self._end), 0).astype(np.int64)

    def _reserve(self, more: int) -> None:
        if self._n + more > len(self._counts):
            longer = np.zeros(max(self._n + more, 3 * len(self._counts) // 2), dtype=np.int64)
            longer[: self._n] = self._counts[: self._n]
            self._counts = longer

    def _put_together(self) -> None:
        """One window after another, in the order of the labels."""
        widths = self._widths
        self._counts = self._counts[np.repeat(self._start, widths) + _places(widths)]
        self._n = len(self._counts)
        self._start = np.cumsum(widths) - widths

    def whole(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Code, label and rows of each pair, in the order of the labels and codes."""
        self._put_together()
        found = np.flatnonzero(self._counts)
        label = np.repeat(np.arange(len(self._low), dtype=np.int32), self._widths)[found]
        code = (found - (self._start - self._low)[label]).astype(np.int32)
        return code, label, self._counts[found]


def repeats(ranks: np.ndarray, leaf_of: np.ndarray, n_leaves: int) -> np.ndarray:
    """How many distinct rows are so many rows, of rows that lie leaf by leaf.

    >>> repeats(np.array([[1, 2], [1, 2], [1, 3]], dtype=np.int32), np.array([0, 0, 0]), 1).tolist()
    [0, 1, 1]
    """
    sizes = np.bincount(leaf_of, minlength=n_leaves)
    ends = np.cumsum(sizes)
    counted = np.zeros(_FEW + 1, dtype=np.int64)
    _compare(ranks, ends, counted)
    counted[1:] //= np.arange(1, _FEW + 1)
    large = np.repeat(sizes > _FEW, sizes)
    if not large.any():
        return np.trim_zeros(counted, "b")
    some: Sequence[np.ndarray] = [column[large] for column in ranks.T]
    others = np.bincount(group_sizes(some, len(some[0])), minlength=len(counted))
    others[: len(counted)] += counted
    return others


def _places(widths: np.ndarray) -> np.ndarray:
    """0, 1, ... for each of these widths."""
    return np.arange(int(widths.sum())) - np.repeat(np.cumsum(widths) - widths, widths)


@compiled
def _find_windows(codes, labels, leaf_of, low, end):
    for i in range(len(codes)):
        label = labels[leaf_of[i]]
        low[label] = min(low[label], codes[i])
        end[label] = max(end[label], codes[i] + 1)


@compiled
def _count(codes, labels, leaf_of, shift, counts):
    for i in range(len(codes)):
        counts[shift[labels[leaf_of[i]]] + codes[i]] += 1


@compiled
def _compare(ranks, ends, counted):
    """Count each row of a small leaf by how many rows are equal to it."""
    start = np.int64(0)
    for end in ends:
        if end - start <= len(counted) - 1:
            for i in range(start, end):
                n_equal = 0
                for j in range(start, end):
                    c = 0
                    while c < ranks.shape[1] and ranks[i, c] == ranks[j, c]:
                        c += 1
                    n_equal += c == ranks.shape[1]
                counted[n_equal] += 1
        start = end
