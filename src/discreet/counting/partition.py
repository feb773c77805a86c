# SPDX-License-Identifier: Apache-2.0
"""Rows of baskets grouped by the items they have, one item at a time."""

from __future__ import annotations

import numpy as np

from discreet.data.content import Content
from discreet.foundation.compiled_kernels import compiled


class Partition:
    """Rows grouped by the items they have; refining by an item takes time proportional to the item's rows.

    >>> p = Partition(4)
    >>> p.refine(np.array([0, 2])); p.refine(np.array([2]))
    >>> p.group_of_row.tolist(), p.sizes.tolist()
    ([1, 0, 2, 0], [2, 1, 1])
    """

    def __init__(self, n_rows: int):
        self.group_of_row = np.zeros(n_rows, dtype=np.int32)
        self._sizes = np.zeros(max(n_rows, 1), dtype=np.int64)
        self._sizes[0] = n_rows
        self._inside = np.zeros(max(n_rows, 1), dtype=np.int64)
        self.n_groups = 1 if n_rows else 0
        self.split_from = np.zeros(0, dtype=np.int32)
        self.whole = np.zeros(0, dtype=np.int32)

    @classmethod
    def of(cls, content: Content) -> Partition:
        """The rows of baskets grouped by all their items."""
        partition = cls(content.n_rows)
        for rows in content.rows_of_items() or ():
            partition.refine(rows)
        return partition

    @property
    def sizes(self) -> np.ndarray:
        """Rows in each group."""
        return self._sizes[: self.n_groups]

    def refine(self, rows: np.ndarray) -> None:
        """Separate the rows that have an item from those that do not.

        Afterwards `split_from[i]` is the group that the i-th newest group was split from; `whole` are the groups whose
        rows all have the item, which stay unchanged.
        """
        before = self.n_groups
        origins, whole, self.n_groups = refine(rows, self.group_of_row, self._sizes, self._inside, before)
        self.split_from, self.whole = origins, whole

    def first_rows(self) -> np.ndarray:
        """One row of each group."""
        first = np.empty(self.n_groups, dtype=np.int64)
        first[self.group_of_row[::-1]] = np.arange(len(self.group_of_row))[::-1]
        return first


@compiled
def count_groups(rows, group_of_row, count, touched):
    """Count rows by group in `count`, initially zero; put the groups that occur in `touched`, return their number.

    `touched` has a place for each row, or one more than there are groups: a group is put there before it is known
    whether it is new, since rows lie far apart in memory, and a processor that has to guess a branch waits for each.
    """
    n_touched = 0
    for row in rows:
        g = group_of_row[row]
        before = count[g]
        touched[n_touched] = g
        n_touched += before == 0
        count[g] = before + 1
    return n_touched


@compiled
def refine(rows, group_of_row, sizes, inside, n_groups):
    """Split the groups of which some rows have an item: (origins of new groups, whole groups, number of groups)."""
    touched = np.empty(len(rows), dtype=np.int64)
    n_touched = count_groups(rows, group_of_row, inside, touched)
    origins = np.empty(n_touched, dtype=np.int32)
    whole = np.empty(n_touched, dtype=np.int32)
    n_split = 0
    n_whole = 0
    for i in range(n_touched):
        g = touched[i]
        if inside[g] == sizes[g]:
            whole[n_whole] = g
            n_whole += 1
            inside[g] = 0
        else:
            new = n_groups + n_split
            origins[n_split] = g
            n_split += 1
            sizes[new] = inside[g]
            sizes[g] -= inside[g]
            inside[g] = -new  # where its rows go; group 0 is never new
    for row in rows:
        g = group_of_row[row]
        if inside[g] < 0:
            group_of_row[row] = -inside[g]
    for i in range(n_split):
        inside[origins[i]] = 0
    return origins[:n_split].copy(), whole[:n_whole].copy(), n_groups + n_split
