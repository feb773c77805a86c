# SPDX-License-Identifier: Apache-2.0
"""The choice of the tree, with or without look-ahead and pruning, by its utility on held-out rows.

The utility is the mean of two accuracies in three-fold cross-validation: of the tree itself (the commonest class of the
leaf), and of naive Bayes on the labels of the leaf. The first stands for learners that recover the tree, the second for
those that do not.

Folds are drawn from the ordered distinct rows with a fixed seed, so the table determines the tree. Small tables are
split up to five times; of large ones 10,000 rows are used. A person's rows are in one fold.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from discreet.counting.coded_rows import RowEntries
from discreet.foundation.randomness import Randomness
from discreet.methods.trees.tree_ladder_growth import ClassTree, grow

FOLDS = 3
STRICTNESS = (0.0, 0.69, 1.5)  # C4.5's own is 0.69, which is a confidence of 25 %
_ENOUGH = 10_000  # rows that a way is judged by
_REPEATS = 5
_PER_REPEAT = 5000  # rows that are judged by in all, about


@dataclass(frozen=True, eq=False)
class PersonRows:
    """The rows one by one, a person's side by side: which distinct row, which class; person p has starts[p] and on."""

    row: np.ndarray
    label: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, counts: np.ndarray) -> PersonRows:
        """Every row is a person of its own."""
        row, label = np.nonzero(counts)
        times = counts[row, label]
        return cls(np.repeat(row, times), np.repeat(label, times), np.arange(int(times.sum()) + 1))

    @classmethod
    def of_persons(cls, entries: RowEntries) -> PersonRows:
        assert entries.person is not None
        row, label, person = (np.repeat(part, entries.rows) for part in (entries.row, entries.label, entries.person))
        order = np.lexsort((label, row, person))
        ends = np.cumsum(np.unique(person, return_counts=True)[1])
        return cls(row[order], label[order], np.append(0, ends))

    def folds(self, randomness: Randomness) -> list[np.ndarray]:
        """The rows of each fold: of persons that are drawn until there are enough rows."""
        drawn, sizes = randomness.permutation(len(self.starts) - 1), np.diff(self.starts)
        drawn = drawn[: int(np.searchsorted(np.cumsum(sizes[drawn]), _ENOUGH)) + 1]
        return [self._rows_of(drawn[fold::FOLDS], sizes) for fold in range(FOLDS)]

    def _rows_of(self, persons: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        own = sizes[persons]
        return np.arange(own.sum()) + np.repeat(self.starts[persons] - np.cumsum(own) + own, own)


def chosen_tree(
    bins: np.ndarray, counts: np.ndarray, least: int, members: PersonRows | None = None
) -> tuple[ClassTree, np.ndarray, dict[str, Any]]:
    """The tree of the best way, the node that stands for each of its nodes, and what is to be told of the choice."""
    ways = list(product((False, True), STRICTNESS))
    utility = utilities(bins, counts, least, members)
    ahead, strictness = ways[int(np.argmax(np.round(utility, 9)))]
    tree = grow(bins, counts, least, ahead=ahead)
    choice = {"looks ahead": ahead, "strictness of pruning": strictness, "utility": round(float(utility.max()), 4)}
    return tree, tree.pruned(strictness), choice


def utilities(bins: np.ndarray, counts: np.ndarray, least: int, members: PersonRows | None = None) -> np.ndarray:
    """The utility of each way: not ahead, at each strictness, and ahead."""
    members = members or PersonRows.of(counts)
    randomness, n, judged = Randomness(0), len(members.row), 0
    within = max(2, round(least * (1 - 1 / FOLDS) * min(1, _ENOUGH / n)))  # as many groups as in the whole table
    right = np.zeros((2, len(STRICTNESS)))
    for _ in range(max(1, min(_REPEATS, _PER_REPEAT // n))):
        folds = members.folds(randomness)
        for fold, outside in enumerate(folds):
            inside = np.concatenate(folds[:fold] + folds[fold + 1 :])
            if len(inside) == 0 or len(outside) == 0:  # one or two persons
                continue
            (bins_in, counts_in), (bins_out, counts_out) = (
                _tally(bins, members.row[some], members.label[some], counts.shape[1]) for some in (inside, outside)
            )
            judged += len(outside)
            for ahead in (False, True):
                tree = grow(bins_in, counts_in, within, ahead=ahead)
                at = tree.locate(bins_out)
                right[int(ahead)] += [_right(tree, tree.pruned(z), at, counts_out) for z in STRICTNESS]
    return right.ravel() / max(judged, 1)


def _tally(bins: np.ndarray, row: np.ndarray, label: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows among some rows, and how many of each class they are."""
    distinct, of = np.unique(row, return_inverse=True)
    cells = np.bincount(of.ravel() * n_classes + label, minlength=len(distinct) * n_classes)
    return bins[distinct], cells.reshape(-1, n_classes)


def _right(tree: ClassTree, stands: np.ndarray, at: np.ndarray, counts: np.ndarray) -> float:
    """Held-out rows that are predicted rightly, the mean of the tree and of naive Bayes."""
    leaves = np.unique(stands[tree.node_of])
    where = np.searchsorted(leaves, stands[at])
    commonest = np.argmax(tree.counts[leaves] + tree.counts[0] / (tree.counts[0].sum() + 1), axis=1)  # of equals
    believed = np.argmax(_naive_bayes(tree, leaves), axis=1)
    places = np.arange(len(counts))
    return float(counts[places, commonest[where]].sum() + counts[places, believed[where]].sum()) / 2


def _naive_bayes(tree: ClassTree, leaves: np.ndarray) -> np.ndarray:
    """How probable naive Bayes takes each class to be in each leaf (logarithms), by the labels of its columns."""
    counts = tree.counts[leaves]
    scores = np.tile(np.log(tree.counts[0] + 1), (len(leaves), 1))
    for first, last, end in zip(tree.low[leaves].T, tree.high[leaves].T, tree.high[0], strict=True):
        shown = np.flatnonzero((first > 0) | (last < end))  # the others are suppressed, and unknown
        if len(shown):
            _, label = np.unique(first[shown] * (end + 1) + last[shown], return_inverse=True)
            with_label = np.zeros((int(label.max()) + 1, counts.shape[1]))
            np.add.at(with_label, label.ravel(), counts[shown])
            scores[shown] += np.log((with_label + 1) / (with_label.sum(axis=0) + len(with_label)))[label.ravel()]
    return scores
