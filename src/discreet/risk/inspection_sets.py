# SPDX-License-Identifier: Apache-2.0
"""The smallest sets of columns that single out: in each of them some rows are alone, and in no smaller one.

These are the minimal sample uniques of special_uniques.py, counted by their columns. How many columns are looked at
together depends on the size of the table, so that it takes seconds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.data.table import Table
from discreet.risk.special_uniques import MOST_COLUMNS, special_uniques

_EFFORT = 150_000_000  # rows times sets of columns, a second or two
_LARGEST = 4  # columns that are looked at together


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
    of        the columns that were looked at: at most 62
    """

    sets: tuple[SinglingSet, ...]
    largest: int
    rows: int
    of: tuple[str, ...]


def singling_sets(table: Table, quasi: Sequence[str], *, persons: np.ndarray | None = None) -> SinglingSets:
    """The smallest sets among these columns.

    >>> table = Table.of({"age": [20, 20, 60], "sex": ["f", "m", "f"], "town": ["a", "a", "a"]})
    >>> [(one.columns, one.rows) for one in singling_sets(table, ["age", "sex", "town"]).sets]
    [(('age',), 1), (('sex',), 1), (('age', 'sex'), 1)]
    """
    looked_at = tuple(quasi)
    if len(looked_at) > MOST_COLUMNS:  # those that tell most apart
        looked_at = tuple(sorted(looked_at, key=lambda name: -table.column(name).levels)[:MOST_COLUMNS])
    largest = _affordable(len(looked_at), len(table))
    found = special_uniques(table, looked_at, persons=persons, max_size=largest)
    numbers, counts = np.unique(found.sets, return_counts=True)
    sets = [
        SinglingSet(tuple(name for place, name in enumerate(looked_at) if int(number) >> place & 1), int(rows))
        for number, rows in zip(numbers, counts, strict=True)
    ]
    places = {name: place for place, name in enumerate(looked_at)}
    sets.sort(key=lambda one: (len(one.columns), -one.rows, [places[name] for name in one.columns]))
    return SinglingSets(tuple(sets), found.max_size, found.scored, looked_at)


def _affordable(n_columns: int, n_rows: int) -> int:
    total = 0
    for size in range(1, min(n_columns, _LARGEST) + 1):
        total += math.comb(n_columns, size) * n_rows
        if total > (_EFFORT if size > 2 else 5 * _EFFORT) and size > 1:  # pairs are worth more patience
            return size - 1
    return min(n_columns, _LARGEST)
