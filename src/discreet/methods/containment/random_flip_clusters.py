# SPDX-License-Identifier: Apache-2.0
"""Greedy k-member clustering of sparse 0/1 rows: which row joins a cluster, and which row starts the next one.

A plain implementation takes k passes over all open rows for each cluster. Here an index leads from items to rows. Only
items of about half the cluster or more can make a row cheaper than others of its length, so only rows with such items
are examined, and the shortest of the others. Likewise, the row farthest from another is among the longest. Closed rows
are skipped, and removed once they are half of the index.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import sparse as sp

Rows = namedtuple(  # the arrays of a RowIndex, for the kernels
    "Rows", "indptr indices weight start persons is_open where having shortest end short kind ones shared stamp"
)


@dataclass(frozen=True, eq=False)
class RowIndex:
    """Indexes of the open rows: by item, by rising length within each weight, and by falling length."""

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
        """The index of these rows; `is_open` says which may join a cluster."""
        open_rows, length = np.flatnonzero(is_open), np.diff(items.indptr)
        heavy = open_rows[np.argsort(-weight[open_rows], kind="stable")]
        by_item = sp.csc_array(items[heavy])
        short = open_rows[np.lexsort((open_rows, length[open_rows], weight[open_rows]))]
        weights, first = np.unique(weight[short], return_index=True)
        bounds = np.append(first, len(short))
        return cls(
            items=(items.indptr.astype(np.int64), items.indices.astype(np.int64)),
            weight=weight.astype(np.int32),
            persons=(start, persons),
            is_open=is_open.copy(),
            having=(by_item.indptr.astype(np.int64), heavy[by_item.indices].astype(np.int32)),
            short=(bounds[:-1].copy(), bounds[1:], short, np.searchsorted(weights, weight).astype(np.int32)),
            long=open_rows[np.lexsort((open_rows, -length[open_rows]))],
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
        arrays = [*self.items, self.weight, *self.persons, self.is_open, *self.having, *self.short]
        return _grow(seed, k, number, Rows._make([*arrays, self.ones, self.shared, self.stamp]))

    def farthest(self, seed: int) -> int:
        """The open row that differs from `seed` in the most items; -1 when none is open."""
        return _farthest(seed, *self.items, self.is_open, *self.having, self.long, self.shared)


@compiled
def _grow(seed, k, number, rows):
    """A cluster of n rows, c of which have an item, flips min(c, n - c) cells of it. `ones` holds c, and zeros on
    return; `shared` what a row saves by the items it shares with the cluster, and -1 on return."""
    members = np.empty(min(k, len(rows.weight)), dtype=np.int64)  # each brings a person
    touched = np.empty(len(rows.ones), dtype=np.int64)
    sharing = np.empty(len(rows.weight), dtype=np.int64)
    n_members, n_touched, n_persons, n, best = 0, 0, 0, 0, seed
    while best >= 0:
        members[n_members] = best
        n_members += 1
        n_touched, more = _join(best, number, rows, touched, n_touched)
        n_persons += more
        n += rows.weight[best]
        if n_persons >= k:
            break
        n_met = _sharing(n, rows, touched[:n_touched], sharing)
        n_met, without = _shortest(n, number, rows, touched[:n_touched], sharing, n_met)
        best = _cheapest(n, number, rows, sharing[:n_met], without)
    for t in range(n_touched):
        rows.ones[touched[t]] = 0
    return members[: n_members if best >= 0 else 0]


@compiled
def _join(row, number, rows, touched, n_touched):
    """Add a row to the cluster: how many items its rows have then, and the persons that it brings."""
    n_persons = 0
    rows.is_open[row] = False
    for i in range(rows.start[row], rows.start[row + 1]):
        if rows.stamp[rows.persons[i]] != number:
            rows.stamp[rows.persons[i]] = number
            n_persons += 1
    for i in range(rows.indptr[row], rows.indptr[row + 1]):
        item = rows.indices[i]
        if rows.ones[item] == 0:
            touched[n_touched] = item
            n_touched += 1
        rows.ones[item] += rows.weight[row]
    return n_touched, n_persons


@compiled
def _sharing(n, rows, touched, sharing):
    """The open rows that save flips by items of the cluster; what they save is in `shared`."""
    n_met = 0
    for item in touched:
        c = rows.ones[item]
        for i in range(rows.where[item], rows.where[item + 1]):
            row = rows.having[i]
            m = rows.weight[row]
            if 2 * c + m <= n:
                break  # for a row so light, or lighter, this item costs as much as one that nobody has
            if rows.is_open[row]:
                if rows.shared[row] < 0:
                    rows.shared[row] = 0
                    sharing[n_met] = row
                    n_met += 1
                rows.shared[row] += min(m, n) - min(c + m, n - c) + min(c, n + m - c)
    return n_met


@compiled
def _shortest(n, number, rows, touched, sharing, n_met):
    """Add the shortest row of each weight to those met; and of each weight the flips of a row without any item."""
    shortest, end, short = rows.shortest, rows.end, rows.short
    without = np.zeros(len(shortest), dtype=np.int64)
    for w in range(len(shortest)):
        while shortest[w] < end[w] and not rows.is_open[short[shortest[w]]]:
            shortest[w] += 1
        if shortest[w] == end[w]:
            continue
        m = rows.weight[short[shortest[w]]]
        for item in touched:
            c = rows.ones[item]
            without[w] += min(c, n + m - c) - min(c, n - c)
        for i in range(shortest[w], end[w]):  # no longer one is better unless it was met
            row = short[i]
            if rows.is_open[row] and _brings(row, rows.start, rows.persons, rows.stamp, number):
                if rows.shared[row] < 0:
                    rows.shared[row] = 0
                    sharing[n_met] = row
                    n_met += 1
                break
    return n_met, without


@compiled
def _cheapest(n, number, rows, sharing, without):
    """The row with the fewest flips per joining row among those that bring a new person; -1 if none."""
    best, best_cost = -1, 0
    for row in sharing:
        m = rows.weight[row]
        cost = without[rows.kind[row]] + (rows.indptr[row + 1] - rows.indptr[row]) * min(m, n) - rows.shared[row]
        rows.shared[row] = -1
        if best >= 0:
            more = cost * rows.weight[best] - best_cost * m
            if more > 0 or (more == 0 and row > best):
                continue
        if _brings(row, rows.start, rows.persons, rows.stamp, number):
            best, best_cost = row, cost
    return best


@compiled
def _brings(row, start, persons, stamp, number):
    """Whether the row has a person who is not in the cluster yet."""
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
