# SPDX-License-Identifier: Apache-2.0
"""What is left of rows and items for sets of a size: the rest is peeled off, and items are numbered by their rows."""

from __future__ import annotations

import numpy as np

from discreet.foundation.compiled_kernels import compiled

_PASSES = 2  # of peeling, over all rows that are left


@compiled
def peel(row_start, row_items, item_start, item_rows, k, floor):
    """The rows with `floor` items that k of such rows have, and these items.

    A few passes over the rows that are left take most away at once; what is then left is followed one by one.
    """
    n_rows, n_items = len(row_start) - 1, len(item_start) - 1
    length = row_start[1:] - row_start[:-1]
    support = item_start[1:] - item_start[:-1]
    rows = length >= floor
    items = support >= k
    for _ in range(_PASSES):
        support[:] = 0
        for row in range(n_rows):
            if rows[row]:
                n_left = 0
                for i in range(row_start[row], row_start[row + 1]):
                    n_left += items[row_items[i]]
                length[row] = n_left
                if n_left < floor:
                    rows[row] = False
                else:
                    for i in range(row_start[row], row_start[row + 1]):
                        support[row_items[i]] += 1
        for item in range(n_items):
            items[item] = items[item] and support[item] >= k
    todo = np.empty(n_rows + n_items, dtype=np.int64)
    n_todo = 0
    for row in range(n_rows):
        if rows[row]:
            length[row] = 0
            for i in range(row_start[row], row_start[row + 1]):
                length[row] += items[row_items[i]]
            if length[row] < floor:
                rows[row] = False
                todo[n_todo] = row
                n_todo += 1
    while n_todo:
        n_todo -= 1
        out = todo[n_todo]
        if out < n_rows:
            for i in range(row_start[out], row_start[out + 1]):
                item = row_items[i]
                support[item] -= 1
                if items[item] and support[item] < k:
                    items[item] = False
                    todo[n_todo] = n_rows + item
                    n_todo += 1
        else:
            for i in range(item_start[out - n_rows], item_start[out - n_rows + 1]):
                row = item_rows[i]
                if rows[row]:
                    length[row] -= 1
                    if length[row] < floor:
                        rows[row] = False
                        todo[n_todo] = row
                        n_todo += 1
    return rows, items


@compiled
def supports(item_start, item_rows, rows, columns):
    """How many of these rows have each of these items."""
    supports = np.zeros(len(columns), dtype=np.int64)
    for place in range(len(columns)):
        for i in range(item_start[columns[place]], item_start[columns[place] + 1]):
            supports[place] += rows[item_rows[i]]
    return supports


@compiled
def core_of(item_start, item_rows, rows, columns):
    """These rows and items alone, the items numbered in the order of `columns`, in which rows list them, too.

    Returns the start of rows, their items, the start of items, their rows, and where in its row an item is.
    """
    number = np.cumsum(rows) - 1
    row_start = np.zeros(number[-1] + 2, dtype=np.int64)
    start = np.zeros(len(columns) + 1, dtype=np.int64)
    for place in range(len(columns)):
        start[place + 1] = start[place]
        for i in range(item_start[columns[place]], item_start[columns[place] + 1]):
            if rows[item_rows[i]]:
                start[place + 1] += 1
                row_start[number[item_rows[i]] + 1] += 1
    row_start = np.cumsum(row_start)
    n_cells, filled = start[-1], row_start[:-1].copy()
    row_items, own, where = np.empty(n_cells, np.int32), np.empty(n_cells, np.int32), np.empty(n_cells, np.int64)
    cell = 0
    for place in range(len(columns)):
        for i in range(item_start[columns[place]], item_start[columns[place] + 1]):
            if rows[item_rows[i]]:
                row = number[item_rows[i]]
                row_items[filled[row]] = place
                own[cell], where[cell] = row, filled[row]
                filled[row] += 1
                cell += 1
    return row_start, row_items, start, own, where
