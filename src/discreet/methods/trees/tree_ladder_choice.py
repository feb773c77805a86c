# SPDX-License-Identifier: Apache-2.0
"""The choice of the way in which a release is made, by what it is worth on held-out rows.

Every way is tried in three-fold cross-validation: it parts the rows of two folds, and the rows of the third are written
as the sets they fall into. Its worth is the share that is known of the class, and `DETAIL` times the detail kept
(tree_ladder_worth.py). A way that asks for larger groups than k is a release for k, too: ways for k, four times k and
so on are tried as long as that is better, so that a smaller k does not make a worse release.

Folds are drawn from the ordered distinct rows with a fixed seed, so the table determines the way. Small tables are
split twice; of large ones one fold is asked about instead of three, and of very large ones 30,000 rows are
used. A person's rows are in one fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.counting.coded_rows import CodedRows, DistinctRows, RowEntries
from discreet.counting.entropy import entropy
from discreet.foundation.randomness import Randomness
from discreet.methods.trees.tree_ladder_climb import Met, steps_of
from discreet.methods.trees.tree_ladder_growth import ClassTree, grow
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.methods.trees.tree_ladder_ways import Parted, Way
from discreet.methods.trees.tree_ladder_worth import class_share, detail_kept

DETAIL = 0.1  # worth of all detail, where all that can be known of the class is worth 1
FOLDS = 3
STRICTNESS = 0.69  # of pruning: C4.5's own, which is a confidence of 25 %
COARSE = 4  # bins of a column where the climb starts, if not on the lowest rungs
LARGER = 4  # times as large groups are tried next
_ENOUGH = 30_000  # rows that are parted and asked about at most
_REPEATS = 2
_ASKED = 3000  # rows that are asked about in all, at least, if there are as many


@dataclass(frozen=True, eq=False)
class PersonRows:
    """The rows one by one, a person's side by side: which distinct row, which class; person p has starts[p] and on."""

    row: np.ndarray
    label: np.ndarray
    starts: np.ndarray

    @classmethod
    def of(cls, rows: DistinctRows) -> PersonRows:
        if rows.by_person is not None:
            return cls._of_persons(rows.by_person)
        row, label = np.nonzero(rows.counts)
        times = rows.counts[row, label]
        return cls(np.repeat(row, times), np.repeat(label, times), np.arange(int(times.sum()) + 1))

    @classmethod
    def _of_persons(cls, entries: RowEntries) -> PersonRows:
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


MakeLadders = Callable[[CodedRows, int], list[Ladder]]  # those of some rows, of values that so many persons share


@dataclass(frozen=True, eq=False)
class Binned:
    """Distinct rows of bins with their ladders; the steps of a climb are found once."""

    rows: DistinctRows
    place: np.ndarray  # of each distinct row of values among these
    ladders: list[Ladder]
    weights: np.ndarray

    @classmethod
    def of(cls, rows: CodedRows, ladders: Sequence[Ladder], weights: np.ndarray, most: int) -> Binned:
        """With at most so many bins of a column."""
        ladders = [ladder.coarser(most) for ladder in ladders]
        cells, levels = [ladder.codes() for ladder in ladders], [ladder.n_bins for ladder in ladders]
        return cls(*rows.merged(cells, levels), ladders, weights)

    def parted(self, way: Way, met: Met) -> Parted:
        """The rows parted in this way."""
        tree = None
        if way.strictness is not None:
            grown = self.tree(way.trust, way.ahead)
            tree = grown, grown.pruned(way.strictness)
        return Parted.of(self.rows, self.ladders, tree, self.steps, met)

    @cached_property
    def steps(self) -> list[int]:
        return steps_of(self.ladders, self.weights, DETAIL)

    def tree(self, least: int, ahead: bool) -> ClassTree:
        if (least, ahead) not in self._trees:
            occurring = np.flatnonzero(self.rows.rows > 0)
            codes, counts = self.rows.codes[occurring], self.rows.counts[occurring]
            self._trees[least, ahead] = grow(codes, counts, least, ahead=ahead)
        return self._trees[least, ahead]

    @cached_property
    def _trees(self) -> dict[tuple[int, bool], ClassTree]:
        return {}

    def detail(self, parted: Parted) -> float:
        """The share of information that the columns keep."""
        return detail_kept(self.rows.codes, parted.labels, self.rows.rows, self._information, self.weights)

    @cached_property
    def _information(self) -> list[float]:
        return [float(entropy(ladder.axis.counts_of_ranks.sum(axis=1))) for ladder in self.ladders]


class Trials:
    """What ways are worth on held-out rows, each as the mean of the folds.

    Bins are made anew from what is learnt from: those of the whole table have seen the classes of the rows asked about.
    """

    def __init__(self, rows: CodedRows, make_ladders: MakeLadders, weights: np.ndarray, least: int):
        members = PersonRows.of(rows)
        n = len(members.row)
        self._share = (1 - 1 / FOLDS) * min(1.0, _ENOUGH / max(n, 1))  # of all rows that a fold learns from
        self._weights = weights
        self._folds = [(part, asked, make_ladders(part, self.within(least))) for part, asked in _folds(rows, members)]
        self._binned: dict[int, list[tuple[Binned, np.ndarray]]] = {}
        self._found: dict[Way, tuple[float, float]] = {}

    def worth(self, way: Way) -> tuple[float, float]:
        """The share that is known of the class, and the detail; 0 of both where there are too few rows to try."""
        if way not in self._found:
            within = replace(way, least=self.within(way.least), trust=self.within(way.trust))
            found = [self._worth(within, binned, asked) for binned, asked in self._with(way.most)]
            known, detail = np.mean(found, axis=0) if found else (0.0, 0.0)
            self._found[way] = float(known), float(detail)
        return self._found[way]

    def _with(self, most: int) -> list[tuple[Binned, np.ndarray]]:
        """The folds with at most so many bins of a column, and the rows asked about."""
        if most not in self._binned:
            self._binned[most] = []
            for part, asked, ladders in self._folds:
                binned = Binned.of(part, ladders, self._weights, most)
                sums = [np.bincount(binned.place, counts, len(binned.rows)) for counts in asked.T]
                self._binned[most].append((binned, np.column_stack(sums)))
        return self._binned[most]

    def _worth(self, way: Way, binned: Binned, asked: np.ndarray) -> tuple[float, float]:
        learnt = binned.rows
        parted = binned.parted(way, lambda of, n, inside: np.bincount(of, learnt.rows[inside], n) >= way.least)
        known = class_share(parted.labels, learnt.counts, asked) if asked.shape[1] > 1 else 0.0
        return known, binned.detail(parted)

    def within(self, least: int) -> int:
        """Rows that a group of a fold has at least, so that there are as many groups as in the whole table."""
        return max(2, round(least * self._share))

    @property
    def most_bins(self) -> int:
        """Bins that a column has at most."""
        return max((ladder.n_bins for *_, ladders in self._folds for ladder in ladders), default=1)

    @property
    def n_learnt(self) -> int:
        return min((part.n_rows for part, *_ in self._folds), default=0)


def _folds(rows: CodedRows, members: PersonRows) -> Iterator[tuple[CodedRows, np.ndarray]]:
    """Rows with the counts that are learnt from, and those of the rows that are asked about."""
    randomness, n_classes, n_asked = Randomness(0), rows.counts.shape[1], 0
    for _ in range(_REPEATS):
        parts = members.folds(randomness)
        row = np.concatenate(parts)
        distinct, of = np.unique(members.row[row], return_inverse=True)
        fold_of = np.repeat(np.arange(FOLDS), [len(part) for part in parts])
        cell = (fold_of * len(distinct) + of.ravel()) * n_classes + members.label[row]
        counts = np.bincount(cell, minlength=FOLDS * len(distinct) * n_classes).reshape(FOLDS, -1, n_classes)
        for asked in counts:
            learnt = counts.sum(axis=0) - asked
            if learnt.any() and asked.any():  # one or two persons
                yield rows.some(distinct, learnt), asked
            n_asked += int(asked.sum())
            if n_asked >= _ASKED:
                return


def ranked_ways(trials: Trials, least: int, n_classes: int) -> list[tuple[Way, float]]:
    """The ways that were tried, the best first, with what they are worth."""
    found: dict[Way, float] = {}

    def worth(way: Way) -> float:
        known, detail = trials.worth(way)
        found[way] = round(known + DETAIL * detail, 9)
        return found[way]

    k, most = least, -np.inf
    while True:
        best = max(_ways(least, trials.most_bins, n_classes), key=worth)
        if worth(best) <= most or trials.within(least * LARGER) * 2 > trials.n_learnt:
            break
        most, least = worth(best), least * LARGER
    best = max(found, key=worth)
    if best.strictness is not None:
        for trust in (best.trust, best.trust * LARGER, best.trust * LARGER**2):
            worth(replace(best, least=k, trust=trust))
    return sorted(found.items(), key=lambda one: -one[1])


def _ways(least: int, bins: int, n_classes: int) -> list[Way]:
    trees: list[tuple[bool, float | None]] = [(False, None)]
    if n_classes > 1:
        trees = [(ahead, strictness) for ahead in (False, True) for strictness in (0.0, STRICTNESS)] + trees
    return [Way(least, least, *tree, most) for most in dict.fromkeys((bins, min(bins, COARSE))) for tree in trees]
