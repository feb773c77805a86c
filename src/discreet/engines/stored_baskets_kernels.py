# SPDX-License-Identifier: Apache-2.0
"""Passes over (row, item) pairs, batch by batch, in which a pair that comes again in its row counts once.

All pairs of a row lie together, so it is enough to remember the last row in which each item was seen.
"""

from __future__ import annotations

from discreet.foundation.compiled_kernels import compiled


@compiled
def count_ones(row, items, first_row, labels, seen, support):
    """Add the rows of each class with each item to `support`; row r of the batch is row first_row + r of all."""
    for i in range(len(row)):
        item = items[i]
        if item < 0:
            continue
        here = first_row + row[i]
        if seen[item] != here:
            seen[item] = here
            support[item, labels[row[i]]] += 1


@compiled
def place_ones(row, items, number, slot, seen, end, indices):
    """Append the rows of each wanted item to its part of `indices`; `number` is the number of each row of the batch,
    `slot` the place of each item, -1 if it is not wanted, and `end` where its next row goes.
    """
    for i in range(len(row)):
        item = items[i]
        if item < 0 or slot[item] < 0:
            continue
        here = number[row[i]]
        if seen[item] != here:
            seen[item] = here
            place = slot[item]
            indices[end[place]] = here
            end[place] += 1
