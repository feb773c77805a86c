# SPDX-License-Identifier: Apache-2.0
"""Passes over (row, item) pairs, batch by batch, in which a pair that comes again in its row counts once.

All pairs of a row lie together, so it is enough to remember the last row in which each item was seen.
"""

from __future__ import annotations

from discreet.foundation.compiled_kernels import compiled


@compiled
def runs(ids, last, row, first):
    """Number the rows of lines that lie together: the row of each line, the first line of each row, the number of rows;
    and whether no id is below the one before, of which that of the first line is `last`.
    """
    rises = ids[0] >= last
    row[0] = first[0] = 0
    n = 0
    for i in range(1, len(ids)):
        if ids[i] != ids[i - 1]:
            rises &= ids[i] > ids[i - 1]
            n += 1
            first[n] = i
        row[i] = n
    return n + 1, rises


@compiled
def count_ones(row, items, first_row, labels, seen, support):
    """Add the rows of each class with each item to `support`, and return how many pairs had come before; row r of the
    batch is row first_row + r of all.
    """
    again = 0
    for i in range(len(row)):
        item = items[i]
        if item < 0:
            continue
        here = first_row + row[i]
        if seen[item] != here:
            seen[item] = here
            support[item, labels[row[i]]] += 1
        else:
            again += 1
    return again


@compiled
def place_ones(row, items, number, slot, repeat, seen, end, indptr, indices):
    """Append the rows of each wanted item to its part of `indices`, which ends where `indptr` says; `number` is the
    number of each row of the batch, `slot` the place of each item, -1 if it is not wanted, and `end` where its next row
    goes. `repeat` says whether a pair may come again. Returns False at an item that is new, or has more rows than room.
    """
    for i in range(len(row)):
        item = items[i]
        if item >= len(slot):
            return False
        if item < 0 or slot[item] < 0:
            continue
        place, here = slot[item], number[row[i]]
        if repeat:
            if seen[place] == here:
                continue
            seen[place] = here
        if end[place] >= indptr[place + 1]:
            return False
        indices[end[place]] = here
        end[place] += 1
    return True
