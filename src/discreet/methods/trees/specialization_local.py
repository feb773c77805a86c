# SPDX-License-Identifier: Apache-2.0
"""Specialisation of each group by itself: a group is parted where a cut tells most about the class, while both sides
keep what they need.

How large groups are at least is chosen where the rows themselves say so: groups are made from one half of the rows,
and the other half is predicted from them. The sizes tried are k and all larger ones of a fixed series, so that a
smaller k has every choice that a larger one has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.counting.compiled_entropy import entropy_times_n
from discreet.foundation.compiled_kernels import compiled
from discreet.methods.trees.value_lines import Line
from discreet.recoding.labels import Labelling

Met = Callable[[np.ndarray, int, np.ndarray], np.ndarray]  # which sets of distinct rows may be groups
_SERIES = tuple(step * 10**power for power in range(1, 9) for step in (1, 2, 5))
_FREE = 0.9  # what a cut counts that parts branches of a tree otherwise than the tree does
_BORROWED = 5  # rows
_ERRORS = 2  # standard errors that are noise
_MOST_TRIED = 40  # cuts of a group along each order that are tried where more is needed than rows


@dataclass(frozen=True, eq=False)
class Parts:
    """The group of each distinct row, and where its part of each order begins and ends."""

    group_of: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    shares: np.ndarray  # of the classes in each group, where they are needed for predictions

    def __len__(self) -> int:
        return len(self.start)

    def written(self, lines: Sequence[Line]) -> tuple[list[Labelling], np.ndarray]:
        """The labels of the parts on each line, and the place of each group's label among them."""
        labellings, codes, first = [], [], 0
        for line in lines:
            orders = range(first, first + len(line.orders))
            ends = [end[:, order] for order in orders for end in (self.start, self.stop)]
            distinct, code = np.unique(np.column_stack(ends), axis=0, return_inverse=True)
            labellings.append(line.labelling([tuple(part) for part in distinct.tolist()]))
            codes.append(code.ravel())
            first += len(line.orders)
        return labellings, np.column_stack(codes)


class GroupGrowth:
    """Parts the distinct rows, whose places on the lines are `places`, a column for each line.

    Without `met`, a group needs rows and nothing else.
    """

    def __init__(self, lines: Sequence[Line], places: np.ndarray, met: Met | None):
        self.lines, self.met = lines, met
        self.orders = [(line, order) for line in lines for order in range(len(line.orders))]
        ranks = [rank[places[:, c]] for c, line in enumerate(lines) for rank in line.orders]
        self.ranks = np.ascontiguousarray(ranks, dtype=np.int32)
        self._weights = np.array([_FREE if order else 1.0 for _, order in self.orders])
        self._seen = np.empty(max(line.n_places for line in lines), dtype=np.int64)

    def parts(self, counts: np.ndarray, least: int) -> Parts:
        """Groups of at least so many rows by `counts`, the rows of each class."""
        n, width = self.ranks.shape[1], len(self.orders)
        self._counts = np.ascontiguousarray(counts, dtype=np.int64)
        self._table = np.zeros((len(self._seen), counts.shape[1]), dtype=np.int64)
        group_of = np.zeros(n, dtype=np.int64)
        groups: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        whole = counts.sum(axis=0) / max(counts.sum(), 1)
        stop_of = np.array([line.n_places for line, _ in self.orders])
        waiting = [(np.arange(n), np.zeros(width, dtype=np.int64), stop_of, whole)]
        while waiting:
            rows, start, stop, shares = waiting.pop()
            found = self._parted(rows, least)
            if found is None:
                group_of[rows] = len(groups)
                groups.append((start, stop, shares))
                continue
            order, border, goes_right = found
            right_start, left_stop = start.copy(), stop.copy()
            right_start[order] = left_stop[order] = border
            for side, first, end in ((goes_right, right_start, stop), (~goes_right, start, left_stop)):
                waiting.append((rows[side], first, end, _shares(self._counts[rows[side]].sum(axis=0), shares)))
        return Parts(group_of, *map(np.array, zip(*groups, strict=True)))

    def _parted(self, rows: np.ndarray, least: int) -> tuple[int, int, np.ndarray] | None:
        """The column, where its line is cut, and which rows are beyond; None if there is no cut."""
        if self.met is None:
            column, below, above = self._best(rows, least)
            return None if column < 0 else self._side(rows, column, below, above)
        for column, below, above in self._tried(rows, least):
            found = self._side(rows, column, below, above)
            if self.met(found[2].astype(np.int64), 2, rows).all():
                return found
        return None

    def _side(self, rows: np.ndarray, place: int, below: int, above: int) -> tuple[int, int, np.ndarray]:
        line, order = self.orders[place]
        border = line.border(order, below, above)
        return place, border, self.ranks[place, rows] >= border

    def _best(self, rows: np.ndarray, least: int) -> tuple[int, int, int]:
        return _best_cut(self.ranks, self._weights, self._counts, rows, least, self._table, self._seen)

    def _tried(self, rows: np.ndarray, least: int) -> list[tuple[int, int, int]]:
        """The cuts that leave enough rows, those that tell most first; of too many, the best one of each stretch."""
        gains, cuts = _all_cuts(self.ranks, self._weights, self._counts, rows, least, self._table, self._seen)
        best_first = np.lexsort((-gains[:, 1], -gains[:, 0]))
        stretch = _stretches(cuts[:, 0])[best_first]
        tried = best_first[np.sort(np.unique(stretch, return_index=True)[1])]
        return [(int(c), int(a), int(b)) for c, a, b in cuts[tried]]


def _stretches(column: np.ndarray) -> np.ndarray:
    """The stretch of each cut: neighbours, where a column has more cuts than are tried; `column` is sorted.

    >>> _stretches(np.array([0, 0, 3])).tolist(), len(np.unique(_stretches(np.zeros(100, dtype=int))))
    ([0, 20, 120], 40)
    """
    n = np.bincount(column)[column]
    place = np.arange(len(column)) - np.searchsorted(column, column)
    return column * _MOST_TRIED + place * _MOST_TRIED // n


def chosen_size(growth: GroupGrowth, counts: np.ndarray, k: int) -> tuple[int, dict[int, float]]:
    """How many rows groups have at least, and the loss that each size tried has on rows held out.

    Rows of each class are dealt to two halves in turn, in the order of the distinct rows. Each half is predicted from
    the groups of the other, which are half as large. Of the sizes that are no worse than the best by more than two
    standard errors of the difference, the smallest is taken.
    """
    dealt = (np.cumsum(counts.ravel()) + 1) // 2
    half = np.diff(dealt, prepend=0).reshape(counts.shape)
    n_rows = int(counts.sum())
    losses = {
        size: [_losses(growth.parts(learnt, -(-size // 2))) for learnt in (half, counts - half)]
        for size in (k, *(size for size in _SERIES if k < size <= n_rows // 4))
    }
    held_out = (counts - half, half)

    def mean(of_rows: list[np.ndarray]) -> float:
        return sum(float((n * loss).sum()) for n, loss in zip(held_out, of_rows, strict=True)) / n_rows

    means = {size: mean(of_rows) for size, of_rows in losses.items()}
    best = losses[min(means, key=lambda size: means[size])]
    for size, of_rows in losses.items():
        differences = [one - other for one, other in zip(of_rows, best, strict=True)]
        worse = mean(differences)
        if worse <= _ERRORS * np.sqrt(max(mean([one**2 for one in differences]) - worse**2, 0) / n_rows):
            return size, means
    raise AssertionError("the best is no worse than itself")


def _losses(parts: Parts) -> np.ndarray:
    """The quadratic loss of each class at each distinct row, predicted by the shares in its group."""
    shares = parts.shares
    return ((shares**2).sum(axis=1, keepdims=True) - 2 * shares + 1)[parts.group_of]


def _shares(counts: np.ndarray, above: np.ndarray) -> np.ndarray:
    """The shares of the classes in a group, as if it had a few rows more with those of the group it was parted from."""
    return (counts + _BORROWED * above) / (counts.sum() + _BORROWED)


@compiled
def _gather(place, counts, rows, table, seen):
    """Rows of each class at each place; the places that occur, in order."""
    n_seen = 0
    for row in rows:
        p = place[row]
        fresh = True
        for c in range(table.shape[1]):
            fresh &= table[p, c] == 0
        some = False
        for c in range(table.shape[1]):
            table[p, c] += counts[row, c]
            some |= counts[row, c] > 0
        if fresh and some:
            seen[n_seen] = p
            n_seen += 1
    seen[:n_seen].sort()
    return n_seen


@compiled
def _class_counts(counts, rows):
    """Of some of the distinct rows: how many rows of each class."""
    whole = np.zeros(counts.shape[1], np.int64)
    for row in rows:
        for c in range(len(whole)):
            whole[c] += counts[row, c]
    return whole


@compiled
def _best_cut(ranks, weights, counts, rows, least, table, seen):
    """(column, place below, place above) of the cut that tells most; of equals the most even one, of those the first.

    The column is -1 if no cut leaves `least` rows on both sides.
    """
    n_classes = table.shape[1]
    whole = _class_counts(counts, rows)
    total, bits = whole.sum(), entropy_times_n(whole)
    left, right = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    most, evenest, best, below, above = -1.0, 0, -1, 0, 0
    if total < 2 * least:
        return best, below, above
    for column in range(len(ranks)):
        n_seen = _gather(ranks[column], counts, rows, table, seen)
        left[:] = 0
        n_left = 0
        for i in range(n_seen - 1):
            for c in range(n_classes):
                left[c] += table[seen[i], c]
                n_left += table[seen[i], c]
                right[c] = whole[c] - left[c]
            if n_left >= least and total - n_left >= least:
                gain = np.rint((bits - entropy_times_n(left) - entropy_times_n(right)) * weights[column] * 1e6)
                even = min(n_left, total - n_left)
                if gain > most or (gain == most and even > evenest):
                    most, evenest, best, below, above = gain, even, column, seen[i], seen[i + 1]
        for i in range(n_seen):
            table[seen[i]] = 0
    return best, below, above


@compiled
def _all_cuts(ranks, weights, counts, rows, least, table, seen):
    """Of each cut that leaves `least` rows on both sides: (gain, evenness), and (column, place below, place above)."""
    n_classes = table.shape[1]
    whole = _class_counts(counts, rows)
    total, bits = whole.sum(), entropy_times_n(whole)
    left, right = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    gains, cuts = np.empty((len(ranks) * len(seen), 2)), np.empty((len(ranks) * len(seen), 3), np.int64)
    n_cuts = 0
    for column in range(len(ranks)):
        n_seen = _gather(ranks[column], counts, rows, table, seen)
        left[:] = 0
        n_left = 0
        for i in range(n_seen - 1):
            for c in range(n_classes):
                left[c] += table[seen[i], c]
                n_left += table[seen[i], c]
                right[c] = whole[c] - left[c]
            if n_left >= least and total - n_left >= least:
                gains[n_cuts, 0] = np.rint(
                    (bits - entropy_times_n(left) - entropy_times_n(right)) * weights[column] * 1e6
                )
                gains[n_cuts, 1] = min(n_left, total - n_left)
                cuts[n_cuts] = column, seen[i], seen[i + 1]
                n_cuts += 1
        for i in range(n_seen):
            table[seen[i]] = 0
    return gains[:n_cuts], cuts[:n_cuts]
