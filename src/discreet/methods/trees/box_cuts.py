# SPDX-License-Identifier: Apache-2.0
"""Boxes of bins that are cut in two, and their parts again: what trees for the class and those for detail share.

A node is a box, a first and a last bin in each column; its rows stand side by side in `order`. A parent comes before
its children, and the right child after the left one.
"""

from __future__ import annotations

import numpy as np

from discreet.foundation.compiled_kernels import compiled


@compiled
def cut_box(bins, order, spare, node, n_nodes, start, stop, column, cut, left, low, high):
    """Cut a node where its `column` and `cut` say, into the nodes `n_nodes` and the next one; rows keep their order."""
    middle, other, c = start[node], 0, column[node]
    for i in range(start[node], stop[node]):
        if bins[order[i], c] <= cut[node]:
            order[middle] = order[i]
            middle += 1
        else:
            spare[other] = order[i]
            other += 1
    for i in range(other):
        order[middle + i] = spare[i]
    left[node] = n_nodes
    for child in range(n_nodes, n_nodes + 2):
        low[child] = low[node]
        high[child] = high[node]
    high[n_nodes, c] = cut[node]
    low[n_nodes + 1, c] = cut[node] + 1
    start[n_nodes], stop[n_nodes] = start[node], middle
    start[n_nodes + 1], stop[n_nodes + 1] = middle, stop[node]


@compiled
def leaf_of(bins, root, column, cut, left):
    """The leaf that each row reaches from its root."""
    at = np.empty(len(bins), dtype=np.int64)
    for i in range(len(bins)):
        node = root[i]
        while left[node] >= 0:
            node = left[node] + (bins[i, column[node]] > cut[node])
        at[i] = node
    return at
