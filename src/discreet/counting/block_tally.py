# SPDX-License-Identifier: Apache-2.0
"""Count rows that come in blocks: only one block and the distinct rows are in memory.

Persons behind distinct rows are counted in several passes over the blocks, each for as many distinct rows as have a
bounded number of rows together. So nothing is written to temporary files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import pyarrow.compute as pc

from discreet.counting.row_lookup import RowLookup, add_up
from discreet.counting.tally import Tally, group, persons_per_group, tally_of_groups
from discreet.data.column import Column
from discreet.data.joined_values import JoinedValues
from discreet.errors import DataError

MOST_PAIRS = 1 << 24  # rows whose persons are counted in one pass
Singles = dict[frozenset[str], int]  # rows that are unique in their block, by columns
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


class ExpectedRows:
    """Rows counted by the distinct rows of a tally that they are expected to have."""

    def __init__(self, expected: Tally):
        self._tally, self._lookup = expected, RowLookup(expected.codes)
        self._rows = np.zeros(len(expected), dtype=np.int64)

    def add(self, coded: Sequence[Column]) -> bool:
        """Count the rows of a block; False if one of them is not expected."""
        codes = []
        for column, values in zip(coded, self._tally.values, strict=True):
            if len(column.values) and column.values.type != values.type:
                return False
            places = pc.fill_null(pc.index_in(column.values.cast(values.type), value_set=values), -1).to_numpy()
            codes.append(np.append(places, len(values)).astype(np.int32).take(column.codes))
        found = self._lookup.find(codes)
        if len(found) and int(found.min()) < 0:
            return False
        add_up(found, self._rows)
        return True

    def whole(self) -> Tally | None:
        """The tally of all rows; None if an expected one does not occur."""
        counted = self._tally
        if not self._rows.all():
            return None
        return replace(counted, counts=self._rows[:, None], sizes=self._rows)


def tally_of_blocks(
    content: Any, columns: Sequence[str], beside: Sequence[str] = (), *, expected: Tally | None = None
) -> tuple[Tally, Singles]:
    """The distinct rows of these columns of a stored table, as `tally` gives them for a table in memory.

    In the same pass, how many rows are unique in their block in each column `beside`, and in all of these together.
    Where a tally is `expected`, every row is looked up in it and counted there, which takes less time and memory; as
    soon as a row is found that it does not have, all are counted without it.
    """
    if expected is not None and expected.columns == tuple(columns):
        counted, singles = _counted(content, columns, beside, ExpectedRows(expected))
        if counted is not None:
            return counted, singles
    counted, singles = _counted(content, columns, beside, None)
    assert counted is not None
    return counted, singles


def _counted(
    content: Any, columns: Sequence[str], beside: Sequence[str], expected: ExpectedRows | None
) -> tuple[Tally | None, Singles]:
    """The tally, by grouping or as expected; None if there are other rows than expected."""
    joined = [JoinedValues(name) for name in columns]
    missing = np.zeros(len(joined), dtype=bool)
    merged = _Merged(len(joined))
    singles = dict.fromkeys([*(frozenset([name]) for name in beside), frozenset(beside)], 0)
    for table, _ in content.blocks([*columns, *beside]):
        coded = table.columns(columns)
        code_of = [values.codes_of(column) for values, column in zip(joined, coded, strict=True)]
        if expected is None:
            levels = [one.levels for one in coded]
            groups, first = group([one.codes for one in coded], len(table), levels, ordered=False)
            codes = [code[column.codes[first]] for code, column in zip(code_of, coded, strict=True)]
            merged.add(codes, np.bincount(groups, minlength=len(first)))
        elif not expected.add(coded):
            return None, {}
        missing |= np.array([column.has_missing for column in coded], dtype=bool)
        for names in singles:
            singles[names] += _single_rows(table.columns(sorted(names)), len(table))
    content.remember({one.name: one.every(missing=bool(lacks)) for one, lacks in zip(joined, missing, strict=True)})
    if expected is not None:
        return expected.whole(), singles
    codes, rows = merged.all()
    return tally_of_groups([values.column(code) for values, code in zip(joined, codes, strict=True)], rows), singles


def _single_rows(coded: Sequence[Column], n_rows: int) -> int:
    """The number of rows of a block that are equal to no other; an upper bound where it is small."""
    possible = prod(column.levels for column in coded)
    if 4 * possible <= n_rows:
        return possible
    if len(coded) == 1:
        return int((np.bincount(coded[0].codes) == 1).sum())
    if possible <= 4 * n_rows:
        key = np.zeros(n_rows, dtype=np.int64)
        for column in coded:
            key = key * column.levels + column.codes
        return int((np.bincount(key) == 1).sum())
    groups, first = group([one.codes for one in coded], n_rows, [one.levels for one in coded], ordered=False)
    return int((np.bincount(groups, minlength=len(first)) == 1).sum())


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
        place = places_in(counted, table.columns(counted.columns), len(table))
        inside = (place >= start) & (place < stop)
        groups.append(place[inside] - start)
        whose.append(persons[inside])
    return persons_per_group(np.concatenate(groups), stop - start, np.concatenate(whose))


def places_in(counted: Tally, coded: Sequence[Any], n_rows: int) -> np.ndarray:
    """The distinct row of each row of a block."""
    groups, first = group([one.codes for one in coded], n_rows, [one.levels for one in coded], ordered=False)
    cells = []
    for column in coded:
        values = JoinedValues(column.name)
        known = counted.column(column.name)
        numbers = values.codes_of(known)
        cells.append(np.concatenate([numbers[known.codes], values.codes_of(column)[column.codes[first]]]))
    joint, _ = group(cells, len(counted) + len(first), ordered=False)
    row_of = np.full(int(joint.max()) + 1, -1, dtype=np.int64)
    row_of[joint[: len(counted)]] = np.arange(len(counted))
    return row_of[joint[len(counted) :]][groups]


def unique_in_blocks(content: Any, columns: Sequence[str], bound: int | None) -> int:
    """The number of rows of a stored table whose cells in these columns no other row has.

    Rows that are unique are unique in their block. `bound`, the number of these, is returned if it is at most half of
    all rows. Otherwise hashes of all rows are compared, in passes for a part of the hashes each; rows of equal 64 bits
    are taken to be equal.
    """
    if bound is None:
        bound = tally_of_blocks(content, [], columns)[1][frozenset(columns)]
    if 2 * bound <= content.n_rows:
        return bound
    n_passes = -(-content.n_rows // MOST_PAIRS)
    return sum(_unique_hashes(content, columns, number, n_passes) for number in range(n_passes))


def _unique_hashes(content: Any, columns: Sequence[str], number: int, n_passes: int) -> int:
    some = []
    for table, _ in content.blocks(columns):
        hashes = np.zeros(len(table), dtype=np.uint64)
        for column in table.columns(columns):
            texts = np.array([hash(text) for text in (*column.texts, None)], dtype=np.int64).view(np.uint64)
            hashes = (hashes ^ texts[column.codes]) * np.uint64(0x9E3779B97F4A7C15)
            hashes ^= hashes >> np.uint64(29)
        some.append(hashes[hashes % np.uint64(n_passes) == number])
    hashes = np.sort(np.concatenate(some))
    new = np.ones(len(hashes) + 1, dtype=bool)
    new[1:-1] = hashes[1:] != hashes[:-1]
    return int((new[1:] & new[:-1]).sum())
