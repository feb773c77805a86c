# SPDX-License-Identifier: Apache-2.0
"""The labels of the leaves of a tree of cuts: the interval between the cuts around a leaf, or the categories in it.

Leaves may come in parts, each with the box in which its tree was grown, so that a tree too large for memory can be
labelled, too. Labels are numbered as they are met.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.counting.tally import pair_counts
from discreet.foundation.compiled_kernels import compiled
from discreet.recoding.axis import Axis
from discreet.recoding.labels import Meaning
from discreet.recoding.plan import Recode

_MOST_BITS = 62  # ranks of a column whose sets are numbers


@dataclass(frozen=True, eq=False)
class LeafBox:
    """What the cuts above a node leave of each column: numbers in [low, high), and whether missing is among it."""

    low: np.ndarray
    high: np.ndarray
    missing: np.ndarray

    @classmethod
    def whole(cls, axes: Sequence[Axis]) -> LeafBox:
        n = len(axes)
        has_missing = np.array([axis.column.has_missing for axis in axes])
        return cls(np.full(n, -np.inf), np.full(n, np.inf), has_missing)

    def halves(self, c: int, cut: float) -> tuple[LeafBox, LeafBox]:
        """The boxes left and right of a cut of column c."""
        low, high, missing = self.low.copy(), self.high.copy(), self.missing.copy()
        low[c], high[c], missing[c] = max(low[c], cut), min(high[c], cut), False
        return LeafBox(self.low, high, missing), LeafBox(low, self.high, self.missing)


class LeafLabels:
    """Gathers the labels of leaves, in the order of the leaves."""

    def __init__(self, axes: Sequence[Axis]):
        self._axes = axes
        self._places: list[dict[Any, int]] = [{} for _ in axes]  # of each label, as ends or as a set of ranks

    def add(
        self,
        ranks: Callable[[int], np.ndarray],
        leaf_of: np.ndarray,
        column: np.ndarray,
        end: np.ndarray,
        begin: np.ndarray,
        left: np.ndarray,
        box: LeafBox,
    ) -> np.ndarray:
        """The labels of the leaves of a tree in a box, as leaf x column. `ranks` are those of its rows in a column,
        `leaf_of` their leaves.

        `end` is where the left side of a cut ends (NaN: where its parent does), `begin` where the right one begins.
        """
        n_leaves = int((column < 0).sum())
        codes = np.empty((n_leaves, len(self._axes)), dtype=np.int32)
        for c, axis in enumerate(self._axes):
            keys: list[Any]
            if by_box(axis):
                keys, code = _boxes(c, column, end, begin, left, n_leaves, box)
            else:
                code, keys = _sets(ranks(c), leaf_of, n_leaves)
            place_of = self._places[c]
            codes[:, c] = np.array([place_of.setdefault(key, len(place_of)) for key in keys], dtype=np.int32)[code]
        return codes

    def written(self) -> tuple[tuple[list[str | None], ...], tuple[list[Meaning], ...]]:
        """The labels of each column, and their meanings."""
        pairs = [self._written(axis, places) for axis, places in zip(self._axes, self._places, strict=True)]
        return tuple(labels for labels, _ in pairs), tuple(meanings for _, meanings in pairs)

    def _written(self, axis: Axis, places: dict[Any, int]) -> tuple[list[str | None], list[Meaning]]:
        label, meaning = axis.set_of, axis.meaning_of_set
        if axis.tree is not None:
            label, meaning = axis.tree.label, axis.tree.meaning
        labels: list[str | None] = [None] * len(places)
        meanings: list[Any] = [None] * len(places)
        for key in sorted(places) if by_box(axis) else places:
            if not by_box(axis):
                labels[places[key]], meanings[places[key]] = label(key), meaning(key)
            elif axis.names is None and axis.tree is None:
                labels[places[key]], meanings[places[key]] = axis.interval(*key), axis.meaning_of_interval(*key)
            else:
                region = axis.region(*key) if axis.names is not None else axis.ranks_within(*key)
                labels[places[key]], meanings[places[key]] = label(region), meaning(region)
        return labels, meanings


def recode(
    axes: list[Axis],
    ranks: Callable[[int], np.ndarray],
    leaf_of: np.ndarray,
    column: np.ndarray,
    cut: np.ndarray,
    left: np.ndarray,
    sides: tuple[np.ndarray, np.ndarray] | None = None,
) -> Recode:
    """The plan of a tree of cuts. `ranks` and `leaf_of` belong to the distinct rows that the tree was grown from.

    If both sides of a cut share values, `sides` are the ends of the left ones (NaN: that of the parent) and the
    beginnings of the right ones.
    """
    found = LeafLabels(axes)
    codes = found.add(ranks, leaf_of, column, *(sides or (cut, cut)), left, LeafBox.whole(axes))
    labels, meanings = found.written()
    return Recode(tuple(axis.scale for axis in axes), column, cut, left, codes, labels, meanings)


def cuts_between(axes: Sequence[Axis], column: np.ndarray, below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """The cut of each node between the ranks below and above it; NaN where one of them is -1, and at leaves."""
    cuts = np.full(len(column), np.nan)
    for c, axis in enumerate(axes):
        nodes = np.flatnonzero((column == c) & (below >= 0) & (above >= 0))
        if len(nodes):
            width = int(above[nodes].max()) + 1
            pairs = below[nodes].astype(np.int64) * width + above[nodes]
            distinct, place = _in_order(pairs, int(pairs.max()) + 1)
            cuts[nodes] = axis.cuts(*np.divmod(distinct, width))[place]
    return cuts


def by_box(axis: Axis) -> bool:
    """Whether a label depends on the cuts alone, not on the values that occur."""
    return axis.by_cuts or axis.by_region or (axis.tree is None and axis.names is None)


def _boxes(
    c: int, column: np.ndarray, end: np.ndarray, begin: np.ndarray, left: np.ndarray, n_leaves: int, box: LeafBox
) -> tuple[list[tuple[float, float, bool]], np.ndarray]:
    """The different intervals of leaves in a column, with whether missing is among them, in order; and the place of
    each leaf's among them.
    """
    cut_here = np.flatnonzero(column == c)
    ends = np.unique(np.concatenate([end[cut_here], begin[cut_here], [box.low[c], box.high[c]]]))
    ends = ends[~np.isnan(ends)]
    first, last = (int(np.searchsorted(ends, one[c])) for one in (box.low, box.high))
    ends_at, begins_at = np.full((2, len(column)), -1, dtype=np.int32)
    ends_at[cut_here] = np.where(np.isnan(end[cut_here]), -1, np.searchsorted(ends, end[cut_here]))
    begins_at[cut_here] = np.searchsorted(ends, begin[cut_here])
    low, high = np.empty((2, len(column)), dtype=np.int32)
    number = np.empty(n_leaves, dtype=np.int64)
    _narrow(column, left, c, ends_at, begins_at, low, high, first, last, bool(box.missing[c]), len(ends), number)
    distinct, place = _in_order(number, 2 * len(ends) ** 2)
    lows, highs = (ends[ends_of].tolist() for ends_of in np.divmod(distinct // 2, len(ends)))
    return list(zip(lows, highs, (distinct % 2 > 0).tolist(), strict=True)), place


def _in_order(numbers: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct ones of numbers below `most`, increasing, and the place of each among them."""
    if most < 4 * len(numbers) + 1024:  # few enough possible ones to count them all
        occurs = np.bincount(numbers, minlength=most) > 0
        return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[numbers]
    distinct = np.unique(numbers)
    return distinct, np.searchsorted(distinct, numbers)


def _sets(rank: np.ndarray, leaf_of: np.ndarray, n_leaves: int) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """The set of categories that occurs in each leaf: a code per leaf, and the ranks of each code."""
    highest = int(rank.max(initial=0))
    if highest < _MOST_BITS:
        sets = np.zeros(n_leaves, dtype=np.int64)
        _gather(leaf_of, rank, sets)
        distinct, place = _in_order(sets, int(sets.max(initial=0)) + 1)
        first = np.empty(len(distinct), dtype=np.int64)
        first[place[::-1]] = np.arange(n_leaves)[::-1]
        order = np.argsort(first)  # in the order of the leaves
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order))
        ranks_of = [tuple(i for i in range(highest + 1) if one >> i & 1) for one in distinct[order].tolist()]
        return number[place], ranks_of
    leaf, rank, _ = pair_counts(leaf_of, rank)
    ranks = tuple(rank.tolist())
    ends = np.cumsum(np.bincount(leaf, minlength=n_leaves)).tolist()
    code_of: dict[tuple[int, ...], int] = {}
    codes = [
        code_of.setdefault(ranks[start:end], len(code_of)) for start, end in zip([0, *ends[:-1]], ends, strict=True)
    ]
    return np.array(codes, dtype=np.int32), list(code_of)


@compiled
def _gather(leaf_of, rank, sets):
    for i in range(len(leaf_of)):
        sets[leaf_of[i]] |= np.int64(1) << np.int64(rank[i])


@compiled
def _narrow(column, left, c, end, begin, low, high, first, last, missing, n_ends, number):
    """Divide the interval of each node in column c among its children; at leaves, the number of the interval.

    `end` and `begin` are places among `n_ends` ends; where `end` is -1, the left side ends where its parent does.
    """
    low[0], high[0] = first, 2 * last + (1 if missing else 0)  # high ends with whether missing is among it
    for node in range(len(column)):  # children come after their parent
        if column[node] < 0:
            number[left[node]] = np.int64(low[node]) * n_ends * 2 + high[node]
            continue
        for child in range(left[node], left[node] + 2):
            low[child], high[child] = low[node], high[node]
        if column[node] == c:
            if end[node] >= 0:
                high[left[node]] = min(high[node] // 2, end[node]) * 2
            low[left[node] + 1] = max(low[node], begin[node])
