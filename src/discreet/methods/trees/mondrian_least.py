# SPDX-License-Identifier: Apache-2.0
"""The size that groups of information Mondrian have at least: k, or more where small groups only follow chance.

A release for a larger k is one for k, too. So partitions with groups of k, and of 5, 10, 20, 50 and so on, are made of
some rows, and the one is taken that is worth most: by how well the class of other rows is told from its labels, and by
the detail it keeps (label_worth.py). The series is the same whatever k is: what a larger k may take, a smaller one may,
too. Groups that mislead about the class count as such if others tell something of it; if none does, detail decides.
Where hierarchies are given, categories may be cut in their order, or in that of the class as without them: the same
worth decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import count, takewhile

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.entropy import entropy
from discreet.methods.trees.cut_partition import Need, partition, stacked
from discreet.methods.trees.held_out_rows import enough_folds, folds_of, within_fold
from discreet.methods.trees.label_worth import LabelWorth, class_known, detail_kept
from discreet.recoding.axis import Axis

_DETAIL = 0.06  # what all detail is worth, if knowing the class is worth 1, as in TreeLadder


def chosen_least(
    rows: CodedRows, k: int, ways: Sequence[Callable[[CodedRows, int], Sequence[Axis]]]
) -> tuple[int, int]:
    """The size of groups that is worth most on held-out rows, and which of these ways to make axes; the first of
    equals.
    """
    drawn = [*folds_of(rows)]
    some = drawn[: enough_folds(drawn)]
    fewest = min((part.n_rows for part, _ in some), default=0)
    tried = [*takewhile(lambda least: 2 * within_fold(least, rows.n_rows) <= fewest, sizes_from(k))]
    if not tried:
        return k, 0
    held = [_held(some, [within_fold(one, rows.n_rows) for one in (k, *tried)], make_axes) for make_axes in ways]
    known, detail = np.moveaxis(np.array(held), -1, 0)  # by way and size
    if known.max() <= 1 / math.sqrt(rows.n_rows):  # two standard errors, see label_worth.py
        known = np.maximum(known, 0.0)
    worth = known + LabelWorth.of_rows(_DETAIL, np.ones(1), rows.n_rows).detail * detail
    way, best = np.unravel_index(np.argmax(np.round(worth, 9)), worth.shape)
    return tried[int(best)], int(way)


def _held(
    drawn: Sequence[tuple[CodedRows, np.ndarray]],
    sizes: Sequence[int],
    make_axes: Callable[[CodedRows, int], Sequence[Axis]],
) -> np.ndarray:
    """What is known of the class by groups of each size but the first, and the detail they keep; no label names what is
    rarer than the first.
    """
    rarest, *tried = sizes
    folds = [_Fold(part, asked, make_axes(part, rarest)) for part, asked in drawn]
    return np.array([np.mean([fold.held(least) for fold in folds], axis=0) for least in tried])


def sizes_from(k: int) -> Iterator[int]:
    """The sizes that are tried: k, and larger ones of one series, so that those of a larger k are among them.

    >>> from itertools import islice
    >>> [*islice(sizes_from(7), 5)]
    [7, 10, 20, 50, 100]
    """
    yield k
    for power in count(1):
        yield from (size for size in (10**power // 5, 10**power // 2, 10**power) if size > k)


class _Fold:
    """Rows to learn from, and rows to be asked about."""

    def __init__(self, rows: CodedRows, asked: np.ndarray, axes: Sequence[Axis]):
        self.rows, self._asked = rows, asked
        self._ranks = np.column_stack([axis.rank_of_code[rows.codes[:, c]] for c, axis in enumerate(axes)])
        self._positions = stacked([axis.position for axis in axes])
        self._information = [float(entropy(np.bincount(ranks, rows.rows))) for ranks in self._ranks.T]

    def held(self, least: int) -> tuple[float, float]:
        """What is known of the class by groups of at least so many rows, and the detail they keep."""
        needs = [Need(least)]
        cuts = partition(self._ranks, self.rows.counts, needs, self._positions, by_information=True)
        labels = self._labels(cuts.leaf_of)
        known = class_known(labels, self.rows.counts, self._asked).told
        weights = np.ones(labels.shape[1])
        detail = detail_kept(self._ranks, labels, self.rows.rows, self._information, weights)
        return known, detail

    def _labels(self, leaf: np.ndarray) -> np.ndarray:
        """The range of ranks that occurs in the leaf of each row, as a number."""
        n_leaves, learnt = int(leaf.max()) + 1, self.rows.rows > 0
        width = int(self._ranks.max()) + 1
        low, high = np.full((n_leaves, self._ranks.shape[1]), width), np.zeros((n_leaves, self._ranks.shape[1]), int)
        np.minimum.at(low, leaf[learnt], self._ranks[learnt])
        np.maximum.at(high, leaf[learnt], self._ranks[learnt])
        ranges = low * (width + 1) + high
        return np.column_stack([np.unique(column, return_inverse=True)[1].ravel() for column in ranges.T])[leaf]
