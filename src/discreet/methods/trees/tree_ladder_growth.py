# SPDX-License-Identifier: Apache-2.0
"""Binary class trees on distinct rows, with optional look-ahead and pruning.

A node is a box: a first and a last bin in each column. The cost of its rows is the number of bits that encode their
classes. Without look-ahead this is the entropy, and the cut that saves most is taken. With look-ahead the cost is the
code length of Krichevsky and Trofimov, which accounts for small counts, and the cut is taken that saves most together
with the best next cut of each side: this finds columns that matter only in combination. Only the 32 best cuts are
examined further, and only in nodes of up to 4,000 distinct rows.

Pruning follows C4.5: a node is not cut if its expected errors, at the upper end of an interval of `strictness` standard
deviations, are no more than those of the nodes below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.counting.entropy import n_log_n
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import special
from discreet.methods.trees.box_cuts import cut_box, leaf_of

_BEST = 32  # cuts that are looked behind
_AHEAD = 4000  # distinct rows of a node up to which cuts are looked behind
_ALPHA = 0.5  # rows of each class that the code length starts from


@dataclass(frozen=True, eq=False)
class ClassTree:
    """Nodes of a tree, a parent before its children.

    column, cut  a row goes left if its bin in the column is at most the cut; -1 at a leaf
    left         the left child, the right one follows it; -1 at a leaf
    low, high    the first and last bin of each column
    counts       rows of each class
    node_of      the leaf of each distinct row that it was grown from
    """

    column: np.ndarray
    cut: np.ndarray
    left: np.ndarray
    low: np.ndarray
    high: np.ndarray
    counts: np.ndarray
    node_of: np.ndarray

    def locate(self, bins: np.ndarray) -> np.ndarray:
        """The leaf of each of some rows."""
        return leaf_of(bins, np.zeros(len(bins), dtype=np.int64), self.column, self.cut, self.left)

    def pruned(self, strictness: float) -> np.ndarray:
        """For each node the node that stands for it when the tree is pruned, -1 for one that is cut; at strictness 0
        all are.
        """
        if strictness == 0:
            return np.where(self.left < 0, np.arange(len(self.left)), -1)
        rows = np.maximum(self.counts.sum(axis=1), 1)
        z, wrong = strictness, 1 - self.counts.max(axis=1) / rows
        spread = z * np.sqrt(wrong * (1 - wrong) / rows + z * z / (4 * rows * rows))
        errors = rows * (wrong + z * z / (2 * rows) + spread) / (1 + z * z / rows)
        return _standing(errors, self.left)


def grow(
    bins: np.ndarray, counts: np.ndarray, least: int, *, ahead: bool, weights: np.ndarray | None = None
) -> ClassTree:
    """Cut while both sides keep `least` rows and the node has two classes; of equals the lowest column and bin.

    What a cut saves counts as much as the weight of its column.
    """
    n, n_columns = bins.shape
    n_bins, n_classes = int(bins.max()) + 1, counts.shape[1]
    numbers = np.arange(int(counts.sum()) + 1)
    if ahead:  # the cost of a node is of_all[rows] less the sum of of_class[rows of a class]
        of_all = (special.gammaln(numbers + n_classes * _ALPHA) - special.gammaln(n_classes * _ALPHA)) / np.log(2)
        of_class = (special.gammaln(numbers + _ALPHA) - special.gammaln(_ALPHA)) / np.log(2)
    else:
        of_all = of_class = n_log_n(numbers)
    tree = np.full((3, 2 * n), -1, dtype=np.int64)
    low, high = np.zeros((2 * n, n_columns), dtype=np.int64), np.zeros((2 * n, n_columns), dtype=np.int64)
    high[0] = bins.max(axis=0)
    in_node, node_of = np.zeros((2 * n, n_classes), dtype=np.int64), np.empty(n, dtype=np.int64)
    bins, counts = np.ascontiguousarray(bins, dtype=np.int64), np.ascontiguousarray(counts, dtype=np.int64)
    best = _BEST if ahead else 1
    weight = np.ones(n_columns) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    m = _grow(bins, counts, least, weight, n_bins, best, _AHEAD, of_all, of_class, *tree, low, high, in_node, node_of)
    column, cut, left = tree[:, :m]
    return ClassTree(column, cut, left, low[:m], high[:m], in_node[:m], node_of)


@compiled
def _standing(errors, left):
    """The node that stands for each one: the highest that has no more errors than those that stand below it."""
    n = len(left)
    fewest = np.empty(n, dtype=np.float64)
    stands = np.empty(n, dtype=np.int64)
    for node in range(n - 1, -1, -1):
        fewest[node] = errors[node]
        stands[node] = -1  # the node that represents its parent, or itself
        if left[node] >= 0:
            below = fewest[left[node]] + fewest[left[node] + 1]
            if errors[node] <= below + 1e-9:
                stands[node] = node
            else:
                fewest[node] = below
    for node in range(n):
        if stands[node] < 0 and left[node] < 0:
            stands[node] = node
        if left[node] >= 0 and stands[node] >= 0:
            stands[left[node]] = stands[left[node] + 1] = stands[node]
    return stands


@compiled
def _grow(
    bins,
    counts,
    least,
    weight,
    n_bins,
    n_best,
    most_ahead,
    of_all,
    of_class,
    column,
    cut,
    left,
    low,
    high,
    in_node,
    node_of,
):
    n, n_columns = bins.shape
    n_classes = counts.shape[1]
    order, spare = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for row in range(n):
        order[row] = row
        for label in range(n_classes):
            in_node[0, label] += counts[row, label]
    start, stop = np.empty(2 * n, dtype=np.int64), np.empty(2 * n, dtype=np.int64)
    start[0], stop[0] = 0, n
    table = np.zeros((3, n_columns, n_bins, n_classes), dtype=np.int64)  # of the node, and of both sides of a cut
    total = np.zeros((3, n_classes), dtype=np.int64)
    on_left = np.empty(n_classes, dtype=np.int64)
    columns, cuts = np.empty((2, n_best), dtype=np.int64), np.empty((2, n_best), dtype=np.int64)
    saved, behind = np.empty((2, n_best), dtype=np.float64), np.zeros(n_best, dtype=np.float64)
    heads, following = np.empty(n_bins, dtype=np.int64), np.empty(n, dtype=np.int64)
    n_nodes, node = 1, 0
    while node < n_nodes:
        n_labels, rows = 0, 0
        for label in range(n_classes):
            total[0, label] = in_node[node, label]
            rows += in_node[node, label]
            n_labels += in_node[node, label] > 0
        n_cuts = 0
        if n_labels > 1 and rows >= 2 * least:
            for c in range(n_columns):
                for b in range(low[node, c], high[node, c] + 1):
                    for label in range(n_classes):
                        table[0, c, b, label] = 0
            for i in range(start[node], stop[node]):
                row = order[i]
                for label in range(n_classes):
                    if counts[row, label] > 0:
                        for c in range(n_columns):
                            table[0, c, bins[row, c], label] += counts[row, label]
            n_cuts = _cuts(
                table,
                total,
                0,
                low[node],
                high[node],
                least,
                weight,
                of_all,
                of_class,
                on_left,
                columns,
                cuts,
                saved,
                0,
            )
        if n_cuts > 1 and stop[node] - start[node] <= most_ahead:
            for c in range(n_columns):
                _look_behind(
                    bins, counts, order, start[node], stop[node], c, n_cuts, low[node], high[node], least, weight,
                    of_all, of_class, table, total, on_left, columns, cuts, saved, heads, following, behind,
                )  # fmt: skip
        best, most = -1, -np.inf
        for j in range(n_cuts):
            gain = saved[0, j] + behind[j]
            behind[j] = 0.0
            if gain > most + 1e-9:
                best, most = j, gain
        if best < 0 or (n_best == 1 and most <= 1e-9):
            for i in range(start[node], stop[node]):
                node_of[order[i]] = node
            node += 1
            continue
        column[node], cut[node] = columns[0, best], cuts[0, best]
        for b in range(low[node, column[node]], high[node, column[node]] + 1):
            side = n_nodes + (b > cut[node])
            for label in range(n_classes):
                in_node[side, label] += table[0, column[node], b, label]
        cut_box(bins, order, spare, node, n_nodes, start, stop, column, cut, left, low, high)
        n_nodes += 2
        node += 1
    return n_nodes


@compiled
def _look_behind(
    bins, counts, order, start, stop, column, n_cuts, low, high, least, weight, of_all, of_class, table, total,
    on_left, columns, cuts, saved, heads, following, behind,
):  # fmt: skip
    """What the best next cuts behind each cut in a column save, into `behind`.

    The left side grows bin by bin, so that each row is counted once for all cuts in the column.
    """
    n_columns, n_classes = table.shape[1], table.shape[3]
    highest = -1
    for j in range(n_cuts):
        if columns[0, j] == column:
            highest = max(highest, cuts[0, j])
    if highest < 0:
        return
    for b in range(low[column], highest + 1):
        heads[b] = -1
    for i in range(start, stop):  # the rows of each bin, as a chain
        b = bins[order[i], column]
        if b <= highest:
            following[i] = heads[b]
            heads[b] = i
    for label in range(n_classes):
        total[1, label] = 0
    for c in range(n_columns):
        for b in range(low[c], high[c] + 1):
            for label in range(n_classes):
                table[1, c, b, label] = 0
    for end in range(low[column], highest + 1):
        i = heads[end]
        while i >= 0:
            row = order[i]
            for label in range(n_classes):
                if counts[row, label] > 0:
                    total[1, label] += counts[row, label]
                    for c in range(n_columns):
                        table[1, c, bins[row, c], label] += counts[row, label]
            i = following[i]
        for j in range(n_cuts):
            if columns[0, j] != column or cuts[0, j] != end:
                continue
            for label in range(n_classes):
                total[2, label] = total[0, label] - total[1, label]
            for c in range(n_columns):
                for b in range(low[c], high[c] + 1):
                    for label in range(n_classes):
                        table[2, c, b, label] = table[0, c, b, label] - table[1, c, b, label]
            for side in (1, 2):
                if _cuts(
                    table, total, side, low, high, least, weight, of_all, of_class, on_left, columns, cuts, saved, 1
                ):
                    behind[j] += max(saved[1, 0], 0.0)


@compiled
def _cuts(table, total, which, low, high, least, weight, of_all, of_class, on_left, columns, cuts, saved, line):
    """The cuts that save most bits, the best first, into a line of `columns`, `cuts` and `saved`; how many there are.

    The line of the node takes as many as it has room for, that of a side of a cut one.
    """
    n_columns, n_classes = table.shape[1], table.shape[3]
    room = saved.shape[1] if line == 0 else 1
    rows = 0
    for label in range(n_classes):
        rows += total[which, label]
    if rows < 2 * least:
        return 0
    whole = of_all[rows]
    for label in range(n_classes):
        whole -= of_class[total[which, label]]
    n_cuts = 0
    for c in range(n_columns):
        below = 0
        for label in range(n_classes):
            on_left[label] = 0
        for b in range(low[c], high[c]):
            here = 0
            for label in range(n_classes):
                on_left[label] += table[which, c, b, label]
                here += table[which, c, b, label]
            below += here
            if here == 0 or below < least or rows - below < least:
                continue
            gain = whole - of_all[below] - of_all[rows - below]
            for label in range(n_classes):
                gain += of_class[on_left[label]] + of_class[total[which, label] - on_left[label]]
            gain *= weight[c]
            if n_cuts == room and gain <= saved[line, room - 1] + 1e-9:
                continue
            j = n_cuts if n_cuts < room else room - 1
            n_cuts = min(n_cuts + 1, room)
            while j > 0 and gain > saved[line, j - 1] + 1e-9:
                columns[line, j], cuts[line, j], saved[line, j] = (
                    columns[line, j - 1],
                    cuts[line, j - 1],
                    saved[line, j - 1],
                )
                j -= 1
            columns[line, j], cuts[line, j], saved[line, j] = c, b, gain
    return n_cuts
