# SPDX-License-Identifier: Apache-2.0
"""The smallest sets of columns that single out: in each of them some rows are alone, and in no smaller one.

These are the minimal sample uniques of special_uniques.py, which finds them all, row by row. Here only the rows of
each set are counted, and only sets of few columns, which takes seconds on large tables, too: a row that is alone in a
part of a set is alone in the set, and nobody is like it, so it is left out of the count of every larger set. How many
columns are looked at together depends on the size of the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from discreet.counting.tally import distinct_codes
from discreet.data.column import Column
from discreet.foundation.progress import progress

_EFFORT = 120_000_000  # rows times sets of columns
_LARGEST = 4  # columns that are looked at together
_MOST_PAIRED = 25  # columns, where all pairs of more would take too long
_CELLS = 1 << 22  # possible combinations of values that are counted without being numbered


@dataclass(frozen=True)
class SinglingSet:
    """Columns that together single out so many rows, which no part of them does."""

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True)
class SinglingSets:
    """All such sets, the smallest first, of these the ones of most rows.

    largest   the most columns that were looked at together
    rows      rows that some set singles out
    of        the columns that were looked at: where there are very many, those with most values
    """

    sets: tuple[SinglingSet, ...]
    largest: int
    rows: int
    of: tuple[str, ...]


def singling_sets(columns: Sequence[Column], *, persons: np.ndarray | None = None) -> SinglingSets:
    """The smallest sets among these columns; with `persons`, somebody is alone if all rows of the group are theirs.

    >>> from discreet.data.table import Table
    >>> table = Table.of({"age": [20, 20, 60], "sex": ["f", "m", "f"], "town": ["a", "a", "a"]})
    >>> [(one.columns, one.rows) for one in singling_sets(table.columns(["age", "sex", "town"])).sets]
    [(('age',), 1), (('sex',), 1), (('age', 'sex'), 1)]
    """
    n_rows = len(columns[0])
    looked_at = _affordable_columns(columns, n_rows)
    largest = _affordable_size(len(looked_at), n_rows)
    who = np.arange(n_rows, dtype=np.int32) if persons is None else persons.astype(np.int32)
    codes = [column.codes for column in looked_at]
    levels = [column.levels + 1 for column in looked_at]
    found: list[SinglingSet] = []
    alone: dict[tuple[int, ...], np.ndarray] = {(): np.zeros(n_rows, dtype=bool)}  # in the set or in a part of it
    ever = np.zeros(n_rows, dtype=bool)
    total = sum(math.comb(len(looked_at), size) for size in range(1, largest + 1))
    with progress("Looking for columns that single out", total=total) as bar:
        for size in range(1, largest + 1):
            smaller, alone = alone, {}
            for places in combinations(range(len(looked_at)), size):
                before = np.logical_or.reduce([smaller[part] for part in combinations(places, size - 1)])
                rest = np.flatnonzero(~before)
                new = rest[_alone([codes[p] for p in places], [levels[p] for p in places], rest, who)]
                if len(new):
                    found.append(SinglingSet(tuple(looked_at[p].name for p in places), len(new)))
                    ever[new] = True
                if size < largest:
                    before[new] = True
                    alone[places] = before
                bar.advance()
    found.sort(key=lambda one: (len(one.columns), -one.rows))  # stable: equal ones in the order of the columns
    return SinglingSets(tuple(found), largest, int(ever.sum()), tuple(column.name for column in looked_at))


def _alone(codes: list[np.ndarray], levels: list[int], rows: np.ndarray, who: np.ndarray) -> np.ndarray:
    """Which of these rows share their codes with nobody else among them."""
    cells = math.prod(levels)
    if cells <= _CELLS:
        key = codes[0][rows].astype(np.int64)
        for code, level in zip(codes[1:], levels[1:], strict=True):
            key = key * level + code[rows]
    else:
        distinct, key = distinct_codes([code[rows] for code in codes], len(rows), levels, ordered=False)
        cells = len(distinct)
    persons = who[rows]
    owner = np.zeros(cells, dtype=np.int32)
    owner[key] = persons  # one of those who have it
    is_shared = np.zeros(cells, dtype=bool)
    is_shared[key[owner[key] != persons]] = True
    return ~is_shared[key]


def _affordable_columns(columns: Sequence[Column], n_rows: int) -> list[Column]:
    if math.comb(len(columns), 2) * n_rows <= _EFFORT or len(columns) <= _MOST_PAIRED:
        return list(columns)
    most = sorted(columns, key=lambda column: -column.levels)[:_MOST_PAIRED]
    return [column for column in columns if any(column is one for one in most)]


def _affordable_size(n_columns: int, n_rows: int) -> int:
    total = 0
    for size in range(1, min(n_columns, _LARGEST) + 1):
        total += math.comb(n_columns, size) * n_rows
        if total > _EFFORT and size > 2:
            return size - 1
    return min(n_columns, _LARGEST)
