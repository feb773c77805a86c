# SPDX-License-Identifier: Apache-2.0
"""The labels of the leaves of a tree of cuts: the interval between the cuts around a leaf, or the categories in it.

Leaves may come in parts, each with the box in which its tree was grown, so that a tree too large for memory can be
labelled, too. Labels are numbered as they are met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.counting.tally import group, pair_counts
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
        ranks: np.ndarray,
        leaf_of: np.ndarray,
        column: np.ndarray,
        end: np.ndarray,
        begin: np.ndarray,
        left: np.ndarray,
        box: LeafBox,
    ) -> np.ndarray:
        """The labels of the leaves of a tree in a box, as leaf x column. `ranks` and `leaf_of` are of its rows.

        `end` is where the left side of a cut ends (NaN: where its parent does), `begin` where the right one begins.
        """
        n_leaves = int((column < 0).sum())
        boxes = _boxes(column, end, begin, left, n_leaves, box)
        codes = np.empty((n_leaves, len(self._axes)), dtype=np.int32)
        for c, axis in enumerate(self._axes):
            keys: list[Any]
            if _by_box(axis):
                keys, code = _distinct_boxes(
                    *(np.ascontiguousarray(part[:, c]) for part in (boxes.low, boxes.high, boxes.missing))
                )
            else:
                code, keys = _sets(ranks[:, c], leaf_of, n_leaves)
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
        for key in sorted(places) if _by_box(axis) else places:
            if not _by_box(axis):
                labels[places[key]], meanings[places[key]] = label(key), meaning(key)
            elif axis.names is None and axis.tree is None:
                labels[places[key]], meanings[places[key]] = axis.interval(*key), axis.meaning_of_interval(*key)
            else:
                region = axis.region(*key)
                labels[places[key]], meanings[places[key]] = label(region), meaning(region)
        return labels, meanings


def recode(
    axes: list[Axis],
    ranks: np.ndarray,
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
            lower, upper, _ = pair_counts(below[nodes], above[nodes])
            width = int(upper.max()) + 1
            values = np.array([axis.cut(a, b) for a, b in zip(lower.tolist(), upper.tolist(), strict=True)])
            pairs = lower.astype(np.int64) * width + upper
            cuts[nodes] = values[np.searchsorted(pairs, below[nodes].astype(np.int64) * width + above[nodes])]
    return cuts


def _by_box(axis: Axis) -> bool:
    """Whether a label depends on the cuts alone, not on the values that occur."""
    return axis.by_cuts or (axis.tree is None and axis.names is None)


def _distinct_boxes(
    low: np.ndarray, high: np.ndarray, missing: np.ndarray
) -> tuple[list[tuple[float, float, bool]], np.ndarray]:
    """The different boxes in order, and the place of each leaf's among them."""
    n = len(low)
    (low_of, lows), (high_of, highs) = (group([part.view(np.int64)], n, [1], ordered=False) for part in (low, high))
    code, first = group([low_of, high_of, missing], n, [len(lows), len(highs), 2], ordered=False)
    boxes = list(zip(low[first].tolist(), high[first].tolist(), missing[first].tolist(), strict=True))
    order = sorted(range(len(boxes)), key=boxes.__getitem__)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [boxes[i] for i in order], place[code]


def _sets(rank: np.ndarray, leaf_of: np.ndarray, n_leaves: int) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """The set of categories that occurs in each leaf: a code per leaf, and the ranks of each code."""
    highest = int(rank.max(initial=0))
    if highest < _MOST_BITS:
        sets = np.zeros(n_leaves, dtype=np.int64)
        _gather(leaf_of, rank, sets)
        code, first = group([sets], n_leaves, ordered=False)
        return code, [tuple(i for i in range(highest + 1) if number >> i & 1) for number in sets[first].tolist()]
    leaf, rank, _ = pair_counts(leaf_of, rank)
    ranks = tuple(rank.tolist())
    ends = np.cumsum(np.bincount(leaf, minlength=n_leaves)).tolist()
    code_of: dict[tuple[int, ...], int] = {}
    codes = [
        code_of.setdefault(ranks[start:end], len(code_of)) for start, end in zip([0, *ends[:-1]], ends, strict=True)
    ]
    return np.array(codes, dtype=np.int32), list(code_of)


def _boxes(
    column: np.ndarray, end: np.ndarray, begin: np.ndarray, left: np.ndarray, n_leaves: int, box: LeafBox
) -> LeafBox:
    """The interval of each leaf in each column, and whether it includes missing."""
    shape = len(column), len(box.low)
    low, high, missing = np.empty(shape), np.empty(shape), np.empty(shape, dtype=bool)
    low[0], high[0], missing[0] = box.low, box.high, box.missing
    _narrow(column, end, begin, left, low, high, missing)
    of_leaf = np.empty(n_leaves, dtype=np.int64)
    leaves = np.flatnonzero(column < 0)
    of_leaf[left[leaves]] = leaves
    return LeafBox(low[of_leaf], high[of_leaf], missing[of_leaf])


@compiled
def _gather(leaf_of, rank, sets):
    for i in range(len(leaf_of)):
        sets[leaf_of[i]] |= np.int64(1) << np.int64(rank[i])


@compiled
def _narrow(column, end, begin, left, low, high, missing):
    """Divide the box of each node among its children."""
    for node in range(len(column)):  # children come after their parent
        c = column[node]
        if c < 0:
            continue
        for child in range(left[node], left[node] + 2):
            for i in range(low.shape[1]):
                low[child, i] = low[node, i]
                high[child, i] = high[node, i]
                missing[child, i] = missing[node, i]
        if not np.isnan(end[node]):
            high[left[node], c] = min(high[node, c], end[node])
            missing[left[node], c] = False
        low[left[node] + 1, c] = max(low[node, c], begin[node])
