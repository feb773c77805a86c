# SPDX-License-Identifier: Apache-2.0
"""What the unique rows become if one column is left out, made coarser, or known besides.

A row is unique if nobody else shares its values. Each value of each column has a random number of 64 bits, and a row
the sum of those of its values, so that a column is left out, exchanged or added by one subtraction or addition, and
rows are compared by sorting numbers. Two different rows of n have one sum with a chance of about n^2 / 2^65: once in
ten million tables of a million rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.data.column import Column
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness
from discreet.prepare.automatic_hierarchy import automatic

_MOST_VALUES = 20_000  # of a column that is made coarser automatically


@dataclass(frozen=True)
class ColumnEffect:
    """Unique rows without a column, and with it one level coarser; None if it has no coarser level.

    how   how the coarser level is made, in words
    """

    column: str
    without: int
    coarser: int | None
    how: str


@dataclass(frozen=True)
class ColumnKnown:
    """Unique rows if outsiders know one more column."""

    column: str
    unique: int


class UniqueRows:
    """Counts unique rows of columns that come and go; `persons` numbers the person of each row, if rows share them."""

    def __init__(self, columns: Sequence[Column], *, persons: np.ndarray | None = None):
        self._random = Randomness(0).numpy()
        self.columns, self.persons = columns, persons
        self._numbers = [self._numbers_of(column.codes, len(column.values) + 1) for column in columns]
        n_rows = len(columns[0]) if columns else 0
        self._sum = np.zeros(n_rows, dtype=np.uint64)
        for column, numbers in zip(columns, self._numbers, strict=True):
            self._sum += numbers[column.codes]

    @property
    def unique(self) -> int:
        return self._alone(self._sum)

    def changes(self) -> list[ColumnEffect]:
        """Each column left out, and one level coarser."""
        found = []
        with progress("Leaving out and coarsening columns", total=len(self.columns)) as bar:
            for column, numbers in zip(self.columns, self._numbers, strict=True):
                others = self._sum - numbers[column.codes]
                codes, how = coarser_codes(column)
                coarser = None
                if codes is not None:
                    coarser = self._alone(others + self._numbers_of(codes, int(codes.max()) + 1)[codes][column.codes])
                found.append(ColumnEffect(column.name, self._alone(others), coarser, how))
                bar.advance()
        return found

    def known_besides(self, columns: Sequence[Column]) -> list[ColumnKnown]:
        """Each of these columns known, too."""
        if self.unique == len(self._sum):
            return [ColumnKnown(column.name, len(self._sum)) for column in columns]
        found = []
        with progress("Adding undecided columns", total=len(columns)) as bar:
            for column in columns:
                numbers = self._numbers_of(column.codes, len(column.values) + 1)
                found.append(ColumnKnown(column.name, self._alone(self._sum + numbers[column.codes])))
                bar.advance()
        return found

    def _numbers_of(self, codes: np.ndarray, levels: int) -> np.ndarray:
        return self._random.integers(0, 2**64, size=levels, dtype=np.uint64)

    def _alone(self, keys: np.ndarray) -> int:
        """Rows whose person shares the key with nobody else."""
        if not len(keys):
            return 0
        if self.persons is None:
            ordered = np.sort(keys)
            differs = np.concatenate(([True], ordered[1:] != ordered[:-1], [True]))
            return int((differs[1:] & differs[:-1]).sum())
        order = np.argsort(keys)
        ordered, persons = keys[order], self.persons[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        one_person = np.minimum.reduceat(persons, starts) == np.maximum.reduceat(persons, starts)
        return int(np.diff(np.append(starts, len(keys)))[one_person].sum())


def coarser_codes(column: Column) -> tuple[np.ndarray | None, str]:
    """For each value of a column, and missing last, its code one level coarser, and how; None if there is no level.

    >>> from discreet.data.table import Table
    >>> codes, how = coarser_codes(Table.of({"zip": ["01067", "01069", "10115"]}).column("zip"))
    >>> codes.tolist(), how
    ([0, 0, 1, 2], 'prefixes of the code')
    """
    if not 2 < len(column.values) <= _MOST_VALUES:
        return None, "too few values" if len(column.values) <= 2 else "too many values"
    hierarchy = automatic(column)
    level = 0 if hierarchy.cuts is not None else 1
    if level >= hierarchy.levels - 1:
        return None, "the next level is none at all"
    leaves = hierarchy.leaf_codes(column)[:-1]
    codes = hierarchy.codes(level)[leaves]
    return np.append(codes, codes.max() + 1).astype(np.int64), hierarchy.how
