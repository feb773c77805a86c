# SPDX-License-Identifier: Apache-2.0
"""How well a column puts the rows of a class above or below the others, among rows that the last picks leave alike.

A pick puts every row into one of a few levels, by public bounds; rows with the same levels in the last picks are a
stratum. In a stratum with p rows of a class and q others let U be the pairs of the two in which the row of the class
has the larger cell, less those in which it has the smaller one. With m = max(p, q) the stratum counts for

    U m / (2 (m^2 + |U|)),

half the parallel sum of U/m and m. The score of a column is the mean of the two largest absolute sums over strata that
classes have; with two classes they are the same. A column that repeats what the picks tell orders nothing within
strata, so it is not picked for that. With many classes no two of them say much; so a score is never below that of
ranks, or, where there are strata, of ranks without their best pair of classes, which is all that two classes have.

Replacing one row changes a score by at most `UNIT`, which stands for one row; the proof is in
docs/methods/private_fwell.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.errors import CannotRelease
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.selection import PermuteAndFlip
from discreet.methods.noise.private_fwell_ranks import SortedColumns, pair_scores
from discreet.methods.noise.private_fwell_strategy import PickingStrategy, filled
from discreet.methods.noise.private_rows import classes_of
from discreet.methods.noise.weighting import limits

UNIT = 1024  # a row, in the unit of scores: they are whole numbers
LAST = 3  # picks that make the strata
CUTS = (1 / 32, 1 / 8, 1 / 4, 1 / 2, 3 / 4)  # of the width of a column, between its levels
MOST_ROWS = 2**25  # up to which products of counts are less than 2^63


class StrataStrategy(PickingStrategy):
    """Pick columns whose cells order the classes among rows that the last picks leave alike.

    Missing cells count as larger than all others, and are a level of their own. Without bounds there is one stratum.
    """

    key = "strata"
    needs_bounds = False

    def sensitivity(self, rows: int) -> int:
        if rows > MOST_ROWS:
            raise CannotRelease(f"Strata count {MOST_ROWS} rows at most. Choose strategy='ranks', which counts more.")
        return UNIT

    def statistic(self, X: Any, labels: Any, names: list[str]) -> np.ndarray:
        """The scores of the first pick."""
        return self._scored(X, labels).scores([])

    def picks(self, X: Any, labels: Any, names: list[str], noise: PermuteAndFlip, randomness: Randomness) -> np.ndarray:
        scored, ends = self._scored(X, labels), None
        if self.settings.bounds is not None:
            ends = limits(self.settings.bounds, names)
        each = PermuteAndFlip(sensitivity=noise.picks * noise.sensitivity, epsilon=noise.epsilon)  # its scale for one
        picked: list[int] = []
        levels: list[np.ndarray] = []
        scores = scored.scores([])
        for _ in range(noise.picks):
            if levels:
                scores = scored.scores(levels[-LAST:])
            free = np.delete(np.arange(len(scores)), picked)
            picked.append(int(free[each.apply(scores[free], randomness)[0]]))
            if ends is not None:
                column = X[:, [picked[-1]]]
                cells = (column.toarray() if hasattr(column, "toarray") else column)[:, 0]
                levels.append(levels_of(cells, ends[0][picked[-1]], ends[1][picked[-1]]))
        return np.array(picked)

    def _scored(self, X: Any, labels: Any) -> Scored:
        columns, classes = SortedColumns.of(filled(X, np.full(X.shape[1], np.inf))), classes_of(labels)
        ranks = [UNIT * pairs // (2 * max(1, len(classes))) for pairs in pair_scores(columns, classes)]
        return Scored(columns, classes, *ranks)


def levels_of(cells: np.ndarray, low: float, high: float) -> np.ndarray:
    """The level of each cell, from itself and public bounds alone.

    >>> levels_of(np.array([-1.0, 0.0, 1.0, 3.0, 9.0, np.nan]), 0.0, 4.0).tolist()
    [0, 0, 2, 4, 5, 6]
    """
    levels = np.searchsorted(low + (high - low) * np.array(CUTS), cells, side="left")
    return np.where(np.isnan(cells), len(CUTS) + 1, levels)


@dataclass(frozen=True, eq=False)
class Scored:
    """The columns of a table, and what their scores need."""

    columns: SortedColumns
    classes: np.ndarray
    first: np.ndarray  # least of the score of each column before there are strata: that of ranks
    least: np.ndarray  # and then: without the best pair of classes

    def scores(self, levels: list[np.ndarray]) -> np.ndarray:
        """The score of each column, if rows with the same levels are a stratum."""
        stratum = np.zeros(len(self.classes), dtype=np.int64)
        for level in levels:
            stratum = np.unique(stratum * (len(CUTS) + 2) + level, return_inverse=True)[1]
        n_classes = int(self.classes.max(initial=0)) + 1
        kinds, kind = np.unique(stratum * n_classes + self.classes, return_inverse=True)
        strata, classes = kinds // n_classes, kinds % n_classes
        columns = self.columns
        found = _scores(columns.starts, columns.rows, columns.cells, kind, strata, classes)
        return np.maximum(found, self.least if levels else self.first)


@compiled
def part_of(pairs, most):
    """UNIT pairs most / (2 (most^2 + pairs)), rounded down: by long division, since the product may be too large."""
    whole, factor = 2 * (most * most + pairs), UNIT * most
    quotient, rest = 0, 0
    for place in (30, 20, 10, 0):
        rest = 1024 * rest + ((factor >> place) & 1023) * pairs
        quotient = 1024 * quotient + rest // whole
        rest %= whole
    return quotient


@compiled
def _scores(starts, rows, cells, kind, strata, classes):
    """Rows of a kind are in the same stratum and of the same class.

    Columns hold their cells other than zero, in increasing order; the zeros are one group of equal cells.
    """
    n_columns, n_kinds = len(starts) - 1, len(strata)
    scores = np.zeros(n_columns, dtype=np.int64)
    size = np.zeros(n_kinds, dtype=np.int64)
    for row in range(len(kind)):
        size[kind[row]] += 1
    in_stratum = np.zeros(n_kinds, dtype=np.int64)  # there are no more strata than kinds
    n_classes = 1
    for g in range(n_kinds):
        in_stratum[strata[g]] += size[g]
        n_classes = max(n_classes, classes[g] + 1)
    zeros, equal, below, pairs = size.copy(), np.zeros_like(size), np.zeros_like(size), np.zeros_like(size)
    zeros_there, equal_there, below_there = in_stratum.copy(), np.zeros_like(size), np.zeros_like(size)
    sums = np.zeros(n_classes, dtype=np.int64)
    for f in range(n_columns):
        zeros[:], zeros_there[:] = size, in_stratum
        for p in range(starts[f], starts[f + 1]):
            zeros[kind[rows[p]]] -= 1
            zeros_there[strata[kind[rows[p]]]] -= 1
        below[:], below_there[:], pairs[:] = 0, 0, 0
        p, zeros_to_come = starts[f], True
        while p < starts[f + 1] or zeros_to_come:
            if zeros_to_come and (p == starts[f + 1] or cells[p] > 0):
                for g in range(n_kinds):
                    there = strata[g]
                    lower, level = below_there[there] - below[g], zeros_there[there] - zeros[g]
                    pairs[g] += zeros[g] * (2 * lower + level - (in_stratum[there] - size[g]))
                below += zeros
                below_there += zeros_there
                zeros_to_come = False
            else:
                first, cell = p, cells[p]
                while p < starts[f + 1] and cells[p] == cell:
                    equal[kind[rows[p]]] += 1
                    equal_there[strata[kind[rows[p]]]] += 1
                    p += 1
                for q in range(first, p):
                    g = kind[rows[q]]
                    there = strata[g]
                    lower, level = below_there[there] - below[g], equal_there[there] - equal[g]
                    pairs[g] += 2 * lower + level - (in_stratum[there] - size[g])
                for q in range(first, p):
                    g = kind[rows[q]]
                    below[g] += 1
                    below_there[strata[g]] += 1
                    equal[g], equal_there[strata[g]] = 0, 0
        sums[:] = 0
        for g in range(n_kinds):
            part = part_of(abs(pairs[g]), max(size[g], in_stratum[strata[g]] - size[g]))
            sums[classes[g]] += part if pairs[g] > 0 else -part
        first_class, second_class = 0, 0
        for k in range(n_classes):
            if abs(sums[k]) > first_class:
                first_class, second_class = abs(sums[k]), first_class
            else:
                second_class = max(second_class, abs(sums[k]))
        scores[f] = (first_class + second_class) // 2
    return scores
