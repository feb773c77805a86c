# SPDX-License-Identifier: Apache-2.0
"""Count rows that come in blocks: only one block and the distinct rows are in memory.

Persons behind distinct rows are counted in several passes over the blocks, each for as many distinct rows as have a
bounded number of rows together. So nothing is written to temporary files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.counting.tally import Tally, group, persons_per_group, tally_of_groups
from discreet.data.joined_values import JoinedValues
from discreet.errors import DataError

MOST_PAIRS = 1 << 24  # rows whose persons are counted in one pass
_FEW = 1 << 20  # distinct rows that are merged at a time, at least


class _Merged:
    """Distinct rows of blocks, with preliminary codes (joined_values.py) and their counts."""

    def __init__(self, width: int):
        self._codes: list[list[np.ndarray]] = [[] for _ in range(width)]
        self._rows: list[np.ndarray] = []
        self._waiting = self._merged = 0

    def add(self, codes: list[np.ndarray], rows: np.ndarray) -> None:
        for column, some in zip(self._codes, codes, strict=True):
            column.append(some)
        self._rows.append(rows)
        self._waiting += len(rows)
        if self._waiting > max(_FEW, self._merged):
            self.all()

    def all(self) -> tuple[list[np.ndarray], np.ndarray]:
        """The distinct rows of everything added."""
        codes, rows = [np.concatenate(column) for column in self._codes], np.concatenate(self._rows)
        groups, first = group(codes, len(rows), ordered=False)
        codes = [column[first] for column in codes]
        rows = np.bincount(groups, rows, minlength=len(first)).astype(np.int64)
        self._codes, self._rows = [[column] for column in codes], [rows]
        self._waiting, self._merged = 0, len(rows)
        return codes, rows


def tally_of_blocks(content: Any, columns: Sequence[str]) -> Tally:
    """The distinct rows of these columns of a stored table, as `tally` gives them for a table in memory."""
    joined = [JoinedValues(name) for name in columns]
    missing = np.zeros(len(joined), dtype=bool)
    merged = _Merged(len(joined))
    for table, _ in content.blocks(columns):
        coded = table.columns(columns)
        groups, first = group([one.codes for one in coded], len(table), [one.levels for one in coded], ordered=False)
        codes = [values.codes_of(column)[column.codes[first]] for values, column in zip(joined, coded, strict=True)]
        merged.add(codes, np.bincount(groups, minlength=len(first)))
        missing |= [column.has_missing for column in coded]
    codes, rows = merged.all()
    content.remember({one.name: one.every(missing=bool(lacks)) for one, lacks in zip(joined, missing, strict=True)})
    return tally_of_groups([values.column(code) for values, code in zip(joined, codes, strict=True)], rows)


def persons_of_blocks(content: Any, counted: Tally) -> np.ndarray:
    """The number of persons behind each distinct row of a stored table."""
    rows = counted.counts.sum(axis=1)
    persons = np.zeros(len(counted), dtype=np.int64)
    ends = np.searchsorted(np.cumsum(rows), np.arange(MOST_PAIRS, int(rows.sum()) + MOST_PAIRS, MOST_PAIRS)) + 1
    for start, stop in zip([0, *ends[:-1]], np.minimum(ends, len(counted)), strict=True):
        if start < stop:
            persons[start:stop] = _persons_between(content, counted, int(start), int(stop))
    return persons


def _persons_between(content: Any, counted: Tally, start: int, stop: int) -> np.ndarray:
    """The number of persons behind each distinct row from `start` to `stop`."""
    groups, whose = [], []
    for table, persons in content.blocks(counted.columns):
        if persons is None:
            raise DataError("Persons are to be counted, but nothing says whose rows they are.")
        place = _places(counted, table.columns(counted.columns), len(table))
        inside = (place >= start) & (place < stop)
        groups.append(place[inside] - start)
        whose.append(persons[inside])
    return persons_per_group(np.concatenate(groups), stop - start, np.concatenate(whose))


def _places(counted: Tally, coded: Sequence[Any], n_rows: int) -> np.ndarray:
    """The distinct row of each row of a block."""
    groups, first = group([one.codes for one in coded], n_rows, [one.levels for one in coded], ordered=False)
    cells = []
    for place, column in enumerate(coded):
        values = JoinedValues(column.name)
        known = counted.column(column.name)
        numbers = values.codes_of(known)
        cells.append(np.concatenate([numbers[known.codes], values.codes_of(column)[column.codes[first]]]))
    joint, _ = group(cells, len(counted) + len(first), ordered=False)
    row_of = np.full(int(joint.max()) + 1, -1, dtype=np.int64)
    row_of[joint[: len(counted)]] = np.arange(len(counted))
    return row_of[joint[len(counted) :]][groups]


def unique_in_blocks(content: Any, columns: Sequence[str]) -> int:
    """The number of rows of a stored table whose cells in these columns no other row has.

    Rows that are unique are unique in their block: where these are at most half of the rows, their number is returned,
    and is too large. Otherwise all rows are counted.
    """
    single = 0
    for table, _ in content.blocks(columns):
        coded = table.columns(columns)
        groups, first = group([one.codes for one in coded], len(table), [one.levels for one in coded], ordered=False)
        single += int((np.bincount(groups, minlength=len(first)) == 1).sum())
    if 2 * single <= content.n_rows:
        return single
    return int((tally_of_blocks(content, columns).counts == 1).sum())
