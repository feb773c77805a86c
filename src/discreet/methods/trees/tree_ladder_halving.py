# SPDX-License-Identifier: Apache-2.0
"""Halving: those of a group who are left after the first steps of the climb are cut into boxes, whatever their classes.

They are cut in two, and their parts again, while both sides keep enough rows. The cut is taken that keeps most: the
bits that the labels of both sides tell more than the label of the whole, times the price of a bit of the column. Cuts
lie between bins of the rungs that everybody left stands on. So a set that stayed before is finer in every column than
any box that covers it, boxes do not overlap, and the finest pattern that a row fits is its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.foundation.compiled_kernels import compiled
from discreet.methods.trees.box_cuts import cut_box


class Halves(NamedTuple):
    """Nodes, a parent before its children; the first ones are the groups that were cut.

    column, cut  a row goes left if its bin in the column is at most the cut; -1 at a leaf
    left         the left child, the right one follows it; -1 at a leaf
    low, high    the first and last bin of each column
    node_of      the leaf of each distinct row, -1 for one that is in no group
    """

    column: np.ndarray
    cut: np.ndarray
    left: np.ndarray
    low: np.ndarray
    high: np.ndarray
    node_of: np.ndarray


def halve(
    bins: np.ndarray,
    rows: np.ndarray,
    group: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    least: int,
    price: np.ndarray,
) -> Halves:
    """Cut groups while both sides keep `least` rows; of equally good cuts the first column and the lowest bin.

    `rows[i]` rows have `bins[i]` and are in `group[i]`, or in none if it is -1. `price` is what a bit of each column is
    worth; 0 for a column that is not cut.
    """
    n_groups, n_columns = low.shape
    most, n_bins = 2 * len(rows) + n_groups, int(max(high.max(initial=0), bins.max(initial=0))) + 1
    below = np.zeros((n_columns, n_bins + 1))
    for c in range(n_columns):
        below[c, 1:] = np.cumsum(np.bincount(bins[:, c], rows, n_bins))
    tree = np.full((3, most), -1, dtype=np.int64)
    lows, highs = np.zeros((most, n_columns), dtype=np.int64), np.zeros((most, n_columns), dtype=np.int64)
    lows[:n_groups], highs[:n_groups] = low, high
    order = np.argsort(group, kind="stable")
    ends = np.searchsorted(group[order], np.arange(n_groups + 1))
    node_of = np.full(len(rows), -1, dtype=np.int64)
    n = _halve(
        np.ascontiguousarray(bins, dtype=np.int64), rows.astype(np.int64), order, ends.astype(np.int64), int(least),
        np.ascontiguousarray(price, dtype=np.float64), below, *tree, lows, highs, node_of,
    )  # fmt: skip
    column, cut, left = tree[:, :n]
    return Halves(column, cut, left, lows[:n], highs[:n], node_of)


@compiled
def _halve(bins, rows, order, ends, least, price, below, column, cut, left, low, high, node_of):
    n, n_columns = bins.shape
    n_nodes, node = len(ends) - 1, 0
    start, stop = np.empty(len(left), dtype=np.int64), np.empty(len(left), dtype=np.int64)
    for group in range(n_nodes):
        start[group], stop[group] = ends[group], ends[group + 1]
    spare, table = np.empty(n, dtype=np.int64), np.zeros((n_columns, below.shape[1]), dtype=np.int64)
    while node < n_nodes:
        total = 0
        for i in range(start[node], stop[node]):
            total += rows[order[i]]
        best, at, most = -1, -1, 1e-9
        if total >= 2 * least:
            for c in range(n_columns):
                if price[c] <= 0 or low[node, c] == high[node, c]:
                    continue
                for b in range(low[node, c], high[node, c] + 1):
                    table[c, b] = 0
                for i in range(start[node], stop[node]):
                    table[c, bins[order[i], c]] += rows[order[i]]
                first, last, here = low[node, c], high[node, c] + 1, 0
                whole = np.log2(below[c, last] - below[c, first])
                for b in range(first, last - 1):
                    here += table[c, b]
                    if table[c, b] == 0 or here < least or total - here < least:
                        continue
                    gain = here * (whole - np.log2(below[c, b + 1] - below[c, first]))
                    gain += (total - here) * (whole - np.log2(below[c, last] - below[c, b + 1]))
                    gain *= price[c]
                    if gain > most + 1e-9:
                        best, at, most = c, b, gain
        if best >= 0:
            column[node], cut[node] = best, at
            cut_box(bins, order, spare, node, n_nodes, start, stop, column, cut, left, low, high)
            n_nodes += 2
        else:
            for i in range(start[node], stop[node]):
                node_of[order[i]] = node
        node += 1
    return n_nodes
