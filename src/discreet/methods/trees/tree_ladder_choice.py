# SPDX-License-Identifier: Apache-2.0
"""The choice of the way in which a release is made, by what it is worth on held-out rows.

Every way is tried in three-fold cross-validation: it parts the rows of two folds, and the rows of the third are written
as the sets they fall into. Its worth is the share that is known of the class, and `detail` times the detail kept
(tree_ladder_worth.py). A way that asks for larger groups than k is a release for k, too: ways for k, four times k and
so on are tried as long as that is better, so that a smaller k does not make a worse release.

Folds are drawn from the ordered distinct rows with a fixed seed, so the table determines the way. Small tables are
split twice; of large ones one fold is asked about instead of three, and of very large ones 30,000 rows are
used. A person's rows are in one fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.counting.coded_rows import CodedRows, DistinctRows, RowEntries
from discreet.foundation.randomness import Randomness
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.methods.trees.tree_ladder_ways import Binned, Way
from discreet.methods.trees.tree_ladder_worth import Worth, class_share

FOLDS = 3
STRICTNESS = 0.69  # of pruning: C4.5's own, which is a confidence of 25 %
COARSE = (4,)  # bins of a column that are tried, beside the most
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


class Trials:
    """What ways are worth on held-out rows, each as the mean of the folds.

    Bins are made anew from what is learnt from: those of the whole table have seen the classes of the rows asked about.
    """

    def __init__(self, rows: CodedRows, make_ladders: MakeLadders, worth: Worth, k: int):
        members = PersonRows.of(rows)
        n = len(members.row)
        self.counts = worth
        self._share = (1 - 1 / FOLDS) * min(1.0, _ENOUGH / max(n, 1))  # of all rows that a fold learns from
        self._folds = [(part, asked, make_ladders(part, self.within(k))) for part, asked in _folds(rows, members)]
        self._binned: dict[int, list[tuple[Binned, np.ndarray]]] = {}
        self._found: dict[Way, tuple[float, float]] = {}

    def worth(self, way: Way) -> float:
        """What the way is worth."""
        return round(self.counts.of(*self.known_and_detail(way)), 9)

    def known_and_detail(self, way: Way) -> tuple[float, float]:
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
                binned = Binned.of(part, ladders, self.counts, most)
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
    def n_classes(self) -> int:
        return max((part.counts.shape[1] for part, *_ in self._folds), default=1)

    @property
    def n_learnt(self) -> int:
        return min((part.n_rows for part, *_ in self._folds), default=0)


    def trace(self, ways: list[Way]) -> list[dict[str, Any]]:
        """What was tried, for the owner."""
        return [
            {"tried": str(way), "worth": self.worth(way), "known of the class": round(known, 4), "detail": round(detail, 4)}
            for way in ways
            for known, detail in [self.known_and_detail(way)]
        ]


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


class Ways:
    """The search among ways: which are tried, and in which order they are worth something."""

    def __init__(self, trials: Trials, least: int, trust: int | None = None):
        self._trials, self._least, self._trust = trials, least, trust

    def ranked(self) -> list[Way]:
        """The ways that were tried, the best first; of equals the one that was tried first."""
        worth, tried, least = self._trials.worth, [], self._least
        most = -np.inf
        while True:  # groups of k, then larger ones, as long as they are worth more
            tried += self._of_size(least)
            best = max(worth(way) for way in tried)
            if best <= most or self._trials.within(least * LARGER) * 2 > self._trials.n_learnt:
                break
            most, least = best, least * LARGER
        trees = [way for way in tried if way.strictness is not None]
        if trees and self._trust is None:  # a coarser tree above sets of k
            best_tree = max(trees, key=worth)
            larger = (best_tree.trust * LARGER**step for step in range(3))
            tried += [replace(best_tree, least=self._least, trust=trust) for trust in larger]
        return sorted(dict.fromkeys(tried), key=lambda way: -worth(way))

    def _of_size(self, least: int) -> list[Way]:
        trees: list[tuple[bool, float | None]] = [(False, None)]
        if self._trials.n_classes > 1:
            trees = [(ahead, strictness) for ahead in (False, True) for strictness in (0.0, STRICTNESS)] + trees
        bins = self._trials.most_bins
        trust = max(least, self._trust or 0)
        numbers = [bins, *(fewer for fewer in COARSE if fewer < bins)]
        return [Way(least, trust, *tree, most) for most in numbers for tree in trees]
