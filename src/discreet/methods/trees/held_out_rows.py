# SPDX-License-Identifier: Apache-2.0
"""Folds of coded rows: what a method may learn from, and what it is then asked about.

Folds are drawn from the ordered distinct rows with a fixed seed, so they depend on the table alone. A person's rows are
in one fold. Small tables are split twice; of large ones fewer folds than three are enough for a first look, and of very
large ones 30,000 rows are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.counting.coded_rows import CodedRows, DistinctRows, RowEntries
from discreet.foundation.randomness import Randomness

FOLDS = 3
_ENOUGH = 30_000  # rows that are learnt from and asked about at most
_REPEATS = 2
_ASKED = 3000  # rows that are enough to be asked about


def folds_of(rows: CodedRows) -> Iterator[tuple[CodedRows, np.ndarray]]:
    """Distinct rows with the counts that are learnt from, and the counts of the rows that are asked about."""
    members, randomness, n_classes, n_asked = PersonRows.of(rows), Randomness(0), rows.counts.shape[1], 0
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


def enough_folds(folds: Sequence[tuple[CodedRows, np.ndarray]]) -> int:
    """The first folds that ask about enough rows for a first look."""
    asked = np.cumsum([int(asked.sum()) for _, asked in folds])
    return min(int(np.searchsorted(asked, _ASKED)) + 1, len(folds))


def within_fold(least: int, n_rows: int) -> int:
    """Rows that a group of a fold has at least, so that there are as many groups as in the whole table.

    >>> within_fold(30, 1000), within_fold(30, 60_000)
    (20, 10)
    """
    return max(2, round(least * (1 - 1 / FOLDS) * min(1.0, _ENOUGH / max(n_rows, 1))))


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
