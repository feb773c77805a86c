# SPDX-License-Identifier: Apache-2.0
"""Greedy k-member on sparse 0/1 rows: which row joins a cluster, and which row begins the next one.

Read from row to row, a cluster of k rows takes k passes over all that are open. Here an index leads from an item to the
rows that have it. Only items of about half the cluster or more can make a row cheaper than others of its length: rows
with such items are looked at, and the shortest of the others. The row that is farthest from another is likewise among
the longest. Closed rows are passed over, and dropped when they are half of the index.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from discreet.foundation.compiled_kernels import compiled


@dataclass(frozen=True, eq=False)
class RowIndex:
    """The open rows: by their items, from the shortest on among those of one weight, and from the longest on."""

    items: tuple[np.ndarray, np.ndarray]  # of row i: items[1][items[0][i]:items[0][i + 1]]
    weight: np.ndarray  # how many equal rows a row stands for
    persons: tuple[np.ndarray, np.ndarray]  # of a row, as its items
    is_open: np.ndarray
    having: tuple[np.ndarray, np.ndarray]  # the rows of item j, likewise, from the heaviest on
    short: tuple[np.ndarray, ...]  # those of the w-th weight: short[2][short[0][w]:short[1][w]]; and w of each row
    long: np.ndarray
    ones: np.ndarray  # the last three are the kernels' room
    shared: np.ndarray
    stamp: np.ndarray

    @classmethod
    def of(
        cls, items: sp.csr_array, weight: np.ndarray, start: np.ndarray, persons: np.ndarray, is_open: np.ndarray
    ) -> RowIndex:
        """Of these rows; `is_open` says which may join a cluster."""
        left, length = np.flatnonzero(is_open), np.diff(items.indptr)
        heavy = left[np.argsort(-weight[left], kind="stable")]
        by_item = sp.csc_array(items[heavy])
        short = left[np.lexsort((left, length[left], weight[left]))]
        weights, first = np.unique(weight[short], return_index=True)
        bounds = np.append(first, len(short))
        return cls(
            items=(items.indptr.astype(np.int64), items.indices.astype(np.int64)),
            weight=weight.astype(np.int32),
            persons=(start, persons),
            is_open=is_open.copy(),
            having=(by_item.indptr.astype(np.int64), heavy[by_item.indices].astype(np.int32)),
            short=(bounds[:-1].copy(), bounds[1:], short, np.searchsorted(weights, weight).astype(np.int32)),
            long=left[np.lexsort((left, -length[left]))],
            ones=np.zeros(items.shape[1], dtype=np.int64),
            shared=np.full(len(weight), -1, dtype=np.int64),
            stamp=np.full(int(persons.max()) + 1, -1, dtype=np.int64),
        )

    def without_closed(self) -> RowIndex:
        """An index of the open rows alone."""
        indptr, indices = self.items
        ones = np.ones(len(indices), dtype=np.uint8)
        items = sp.csr_array((ones, indices, indptr), shape=(len(self.weight), len(self.ones)))
        return RowIndex.of(items, self.weight, *self.persons, self.is_open)

    def grow(self, seed: int, k: int, number: int) -> np.ndarray:
        """The rows of the cluster that grows from `seed`, which are open no more; none when it cannot reach k persons.

        The row joins that costs the fewest flips for each row it stands for, of those that bring a person whom the
        cluster does not have. `number` is the cluster's own.
        """
        return _grow(
            seed, k, number, *self.items, self.weight, *self.persons, self.is_open, *self.having, *self.short,
            self.ones, self.shared, self.stamp,
        )  # fmt: skip

    def farthest(self, seed: int) -> int:
        """The open row that differs from `seed` in the most items; -1 when none is open."""
        return _farthest(seed, *self.items, self.is_open, *self.having, self.long, self.shared)


@compiled
def _grow(
    seed, k, number, indptr, indices, weight, start, persons, is_open, where, having, shortest, end, short, kind,
    ones, shared, stamp,
):  # fmt: skip
    """A cluster of n rows, c of which have an item, flips min(c, n - c) cells of it. `ones` holds c, and zeros on
    return; `shared` what a row saves by the items it shares with the cluster, and -1 on return."""
    members = np.empty(min(k, len(weight)), dtype=np.int64)  # each brings a person
    touched = np.empty(len(ones), dtype=np.int64)
    met = np.empty(len(weight), dtype=np.int64)
    without = np.empty(len(shortest), dtype=np.int64)  # flips more when a row of this weight joins that has no item
    n_members = 0
    n_touched = 0
    n_persons = 0
    n = 0
    best = seed
    while True:
        members[n_members] = best
        n_members += 1
        is_open[best] = False
        for i in range(start[best], start[best + 1]):
            if stamp[persons[i]] != number:
                stamp[persons[i]] = number
                n_persons += 1
        for i in range(indptr[best], indptr[best + 1]):
            if ones[indices[i]] == 0:
                touched[n_touched] = indices[i]
                n_touched += 1
            ones[indices[i]] += weight[best]
        n += weight[best]
        if n_persons >= k:
            break
        n_met = 0
        for t in range(n_touched):
            c = ones[touched[t]]
            for i in range(where[touched[t]], where[touched[t] + 1]):
                row = having[i]
                m = weight[row]
                if 2 * c + m <= n:
                    break  # for a row so light, or lighter, this item costs as much as one that nobody has
                if is_open[row]:
                    if shared[row] < 0:
                        shared[row] = 0
                        met[n_met] = row
                        n_met += 1
                    shared[row] += min(m, n) - min(c + m, n - c) + min(c, n + m - c)
        best = -1
        best_cost = 0
        for w in range(len(shortest)):
            while shortest[w] < end[w] and not is_open[short[shortest[w]]]:
                shortest[w] += 1
            if shortest[w] == end[w]:
                continue
            m = weight[short[shortest[w]]]
            without[w] = 0
            for t in range(n_touched):
                c = ones[touched[t]]
                without[w] += min(c, n + m - c) - min(c, n - c)
            for i in range(shortest[w], end[w]):  # no longer one is better unless it was met
                row = short[i]
                if is_open[row] and _brings(row, start, persons, stamp, number):
                    if shared[row] < 0:
                        shared[row] = 0
                        met[n_met] = row
                        n_met += 1
                    break
        for i in range(n_met):
            row = met[i]
            m = weight[row]
            cost = without[kind[row]] + (indptr[row + 1] - indptr[row]) * min(m, n) - shared[row]
            shared[row] = -1
            if best >= 0:  # flips for each row that joins
                more = cost * weight[best] - best_cost * m
                if more > 0 or (more == 0 and row > best):
                    continue
            if _brings(row, start, persons, stamp, number):
                best = row
                best_cost = cost
        if best < 0:
            n_members = 0
            break
    for t in range(n_touched):
        ones[touched[t]] = 0
    return members[:n_members]


@compiled
def _brings(row, start, persons, stamp, number):
    """Whether the row has a person whom the cluster does not have."""
    for i in range(start[row], start[row + 1]):  # noqa: SIM110
        if stamp[persons[i]] != number:
            return True
    return False


@compiled
def _farthest(seed, indptr, indices, is_open, where, having, long, shared):
    """Rows that share no item with the seed are as far as they are long; `shared` is -1 on return."""
    length = indptr[seed + 1] - indptr[seed]
    for t in range(indptr[seed], indptr[seed + 1]):
        for i in range(where[indices[t]], where[indices[t] + 1]):
            shared[having[i]] = max(shared[having[i]], 0) + 1
    best = -1
    most = -1
    for row in long:
        bound = length + indptr[row + 1] - indptr[row]
        if bound < most or (bound == most and row > best):
            break  # the others are no longer, and come later
        if is_open[row]:
            apart = bound - 2 * max(shared[row], 0)
            if apart > most or (apart == most and row < best):
                best = row
                most = apart
    for t in range(indptr[seed], indptr[seed + 1]):
        for i in range(where[indices[t]], where[indices[t] + 1]):
            shared[having[i]] = -1
    return best
