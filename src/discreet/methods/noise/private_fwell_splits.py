# SPDX-License-Identifier: Apache-2.0
"""How well a column, cut in two at a public cut, tells the classes apart together with the splits picked before it.

The last splits put each row into a cell; a candidate, a column with a cut, splits every cell in two. The score is what
is left unexplained, with a minus: over all cells half of n_c - (n_c1^2 + n_c2^2 + ...)/n_c, where a cell has n_c rows,
n_ck of them of class k (Gini's impurity; of two classes with a and b rows ab/(a + b)). A column that repeats what the
cells tell already gains nothing; one that matters only within them gains.

Replacing one row changes a score by at most `UNIT`, which stands for one row; the proof is in
docs/methods/private_fwell.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.selection import PermuteAndFlip
from discreet.methods.noise.private_fwell_strategy import PickingStrategy
from discreet.methods.noise.private_rows import classes_of
from discreet.methods.noise.weighting import scaled

CUTS = 8  # of each column: above its lower bound, and at every eighth of its width
UNIT = 1024  # a row, in the unit of scores: they are whole numbers
LAST = 2  # splits that make the cells


class SplitStrategy(PickingStrategy):
    """Pick columns with a cut each, by what they tell together with the columns picked before."""

    key = "splits"

    def sensitivity(self, rows: int) -> int:
        return UNIT

    def statistic(self, X: Any, labels: Any, names: list[str]) -> np.ndarray:
        """The scores of the first pick, a line of cuts for each column."""
        classes = classes_of(labels)
        return split_scores(levels(*self._within(X, names)), np.zeros_like(classes), classes)

    def picks(self, X: Any, labels: Any, names: list[str], noise: PermuteAndFlip, randomness: Randomness) -> np.ndarray:
        return picked_splits(levels(*self._within(X, names)), classes_of(labels), noise, randomness)


@dataclass(frozen=True, eq=False)
class CutLevels:
    """Which cuts each cell of a table lies above: cells of a column that are not kept have its `common` level."""

    starts: np.ndarray
    rows: np.ndarray
    kept: np.ndarray
    common: np.ndarray

    def above(self, column: int, cut: int, rows: int) -> np.ndarray:
        """Of each row, whether its cell of the column lies above the cut."""
        above = np.full(rows, self.common[column] > cut)
        part = slice(self.starts[column], self.starts[column + 1])
        above[self.rows[part]] = self.kept[part] > cut
        return above


def levels(X: Any, low: np.ndarray, high: np.ndarray) -> CutLevels:
    """The levels of cells, dense or sparse. What a cell becomes depends on itself and the bounds, on no other cell.

    >>> found = levels(np.array([[0.0], [0.5], [9.0]]), np.zeros(1), np.ones(1))
    >>> [found.above(0, cut, 3).tolist() for cut in (0, 4, 5)]
    [[False, True, True], [False, True, True], [False, False, True]]
    """
    cells = sp.csc_array(scaled(X, low, high))
    cells.sum_duplicates()
    width = np.where(high > low, high - low, 1.0)
    below = (np.clip(0.0, low, high) - low) / width  # the share below the zero that `scaled` counts from
    data = cells.data + np.repeat(below, np.diff(cells.indptr))
    return CutLevels(cells.indptr.astype(np.int64), cells.indices.astype(np.int64), _level(data), _level(below))


def _level(shares: np.ndarray) -> np.ndarray:
    return (shares > 0) + np.minimum(np.floor(shares * CUTS), CUTS - 1).astype(np.int64)


@compiled
def _impurity(counts):
    """Half of Gini's impurity of a cell, in units, rounded down."""
    rows, squares = 0, 0
    for count in counts:
        rows += count
        squares += count * count
    return UNIT * (rows * rows - squares) // (2 * rows) if rows else 0


@compiled
def _scores(starts, rows, kept, common, cells, n_cells, classes, n_classes):
    n_columns = len(common)
    scores = np.zeros((n_columns, CUTS), dtype=np.int64)
    whole = np.zeros((n_cells, n_classes), dtype=np.int64)
    for i in range(len(classes)):
        whole[cells[i], classes[i]] += 1
    counts = np.zeros((CUTS + 1, n_cells, n_classes), dtype=np.int64)
    above = np.zeros_like(whole)
    for f in range(n_columns):
        counts[:] = 0
        counts[common[f]] = whole
        for p in range(starts[f], starts[f + 1]):
            cell, k = cells[rows[p]], classes[rows[p]]
            counts[common[f], cell, k] -= 1
            counts[kept[p], cell, k] += 1
        above[:] = 0
        for cut in range(CUTS - 1, -1, -1):
            above += counts[cut + 1]
            for cell in range(n_cells):
                scores[f, cut] -= _impurity(above[cell]) + _impurity(whole[cell] - above[cell])
    return scores


def split_scores(cut_levels: CutLevels, cells: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The score of each column and cut, given the cell (from 0) and the class (from 0) of each row.

    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 1, 1])
    >>> found = levels(X, np.zeros(2), np.ones(2))
    >>> (split_scores(found, np.zeros(4, dtype=int), y)[:, 0] / UNIT).tolist()
    [0.0, -1.0]
    """
    n_cells, n_classes = (int(codes.max(initial=0)) + 1 for codes in (cells, classes))
    cells, classes = (np.asarray(codes, dtype=np.int64) for codes in (cells, classes))
    return _scores(
        cut_levels.starts, cut_levels.rows, cut_levels.kept, cut_levels.common, cells, n_cells, classes, n_classes
    )


def picked_splits(
    cut_levels: CutLevels, classes: np.ndarray, mechanism: PermuteAndFlip, randomness: Randomness
) -> np.ndarray:
    """Columns, picked one after the other with a cut each; `mechanism` says how many, and the noise of all of them.

    Of `mechanism.picks` picks each costs its share of epsilon: one pick with the same scale.
    """
    each = PermuteAndFlip(sensitivity=mechanism.picks * mechanism.sensitivity, epsilon=mechanism.epsilon)
    picked: list[int] = []
    splits: list[np.ndarray] = []
    for _ in range(mechanism.picks):
        cells = sum((split.astype(np.int64) << place for place, split in enumerate(splits)), np.zeros_like(classes))
        scores = split_scores(cut_levels, cells, classes)
        free = np.delete(np.arange(len(scores)), picked)
        place, cut = divmod(int(each.apply(scores[free].ravel(), randomness)[0]), CUTS)
        picked.append(int(free[place]))
        splits = [*splits, cut_levels.above(picked[-1], cut, len(classes))][-LAST:]
    return np.array(picked)
