# SPDX-License-Identifier: Apache-2.0
"""The rows of a published table counted once, for its promises, losses, groups and report.

One tally of the columns that any of them asks about is kept while the content lives; tallies of fewer columns are made
of its distinct rows. Rows that lie in parts (data/stored_table.py) are counted block by block, so that only a block and
the distinct rows are in memory. `RowCounts` is an engine: promises do not tell whether rows are in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from discreet.counting.block_tally import (
    ExpectedRows,
    Singles,
    persons_of_blocks,
    tally_of_blocks,
    unique_in_blocks,
)
from discreet.counting.tally import Tally, group, tally
from discreet.data.column import Column
from discreet.data.content import Content
from discreet.data.roles import Roles
from discreet.data.table import Table

_AT_ONCE = 1 << 20  # rows that are looked up together
_COUNTED: WeakKeyDictionary[Content, Tally] = WeakKeyDictionary()
_GROUPS: WeakKeyDictionary[Content, dict[tuple[str, ...], tuple[np.ndarray, np.ndarray]]] = WeakKeyDictionary()
_SINGLES: WeakKeyDictionary[Content, Singles] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class RowCounts:
    """The rows of a table, in memory or stored, that are counted once for all these columns.

    >>> table = Table.of({"sex": ["f", "m", "f"], "age": [31, 45, 31], "y": [1, 1, 0]})
    >>> counts = row_counts(table, Roles(target="y", quasi=["sex", "age"]))
    >>> counts.tally(["sex"], target="y").counts.tolist()
    [[1, 1], [0, 1]]
    """

    content: Any
    columns: tuple[str, ...]
    beside: tuple[str, ...] = ()  # columns whose unique cells are counted in the same pass, if the rows are stored
    expected: Tally | None = None  # what stored rows are expected to be, if it is known

    @property
    def names(self) -> tuple[str, ...]:
        return self.content.names

    def __len__(self) -> int:
        return self.content.n_rows

    @property
    def whole(self) -> Tally:
        """The distinct rows of all columns that are asked about."""
        kept = _COUNTED.get(self.content)
        if kept is None or not set(self.columns) <= set(kept.columns):
            if self.content.is_stored:
                columns = list(dict.fromkeys([*(() if kept is None else kept.columns), *self.columns]))
                kept, singles = tally_of_blocks(self.content, columns, self.beside, expected=self.expected)
                _SINGLES.setdefault(self.content, {}).update(singles)
            else:
                kept = _as_expected(self.content, self.columns, self.expected) or _in_memory(self.content, self.columns)
            _COUNTED[self.content], _GROUPS[self.content] = kept, {}
        return kept

    def groups(self, columns: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """The distinct rows grouped by some columns: (group of each, one distinct row of each group)."""
        whole, kept = self.whole, _GROUPS[self.content]
        if tuple(columns) not in kept:
            kept[tuple(columns)] = whole.group_by(columns)
        return kept[tuple(columns)]

    def tally(self, columns: Sequence[str], *, target: str | None = None, person: str | None = None) -> Tally:
        if person is not None and not self.content.is_stored:
            return tally(self.content, columns, target=target, person=person)
        asked = dict.fromkeys([*columns, *([] if target is None else [target])])
        source = self if asked.keys() <= set(self.columns) else row_counts_of(self.content, [*self.columns, *asked])
        counted = _coarser(source.whole, columns, target, source.groups(columns))
        if person is None:
            return counted
        return replace(counted, sizes=persons_of_blocks(self.content, counted))

    def values(self, name: str) -> Column:
        """The different values of a column, one row each."""
        (column,) = self.content.value_columns([name])
        return column

    def distinct(self, columns: Sequence[str]) -> Table:
        """The distinct rows of these columns as a table."""
        counted = self.tally(columns)
        return Table([counted.column(name) for name in columns])


def row_counts(content: Content, roles: Roles) -> RowCounts:
    """The counts of a table for all columns that promises and losses are about."""
    target = [] if roles.target is None else [roles.target]
    counts = row_counts_of(content, [*roles.quasi, *target, *roles.sensitive])
    return replace(counts, beside=tuple(name for name in content.names if name not in roles.quasi))


def count_once(content: Content, roles: Roles, *, like: Content | None = None) -> None:
    """Count the rows now, so that whatever is asked about later needs no further pass over parts.

    Where the rows should be those of another content, they are counted by its distinct rows, if it has no others.
    """
    _ = replace(row_counts(content, roles), expected=None if like is None else _COUNTED.get(like)).whole


def counted_alike(content: Content, like: Content) -> bool:
    """Whether two contents that were counted have each distinct row equally often, as far as that is known."""
    ours, theirs = _COUNTED.get(content), _COUNTED.get(like)
    if ours is None or theirs is None or ours.columns != theirs.columns:
        return True
    if len(ours) != len(theirs):
        return False
    same_values = all(one.equals(other) for one, other in zip(ours.values, theirs.values, strict=True))
    if same_values and np.array_equal(ours.codes, theirs.codes):
        return np.array_equal(ours.counts.sum(axis=1), theirs.counts.sum(axis=1))
    ours_by_text, theirs_by_text = _by_text(ours), _by_text(theirs)
    return all(map(np.array_equal, ours_by_text, theirs_by_text))


def _by_text(counted: Tally) -> list[np.ndarray]:
    """The texts that occur, the places of each distinct row's cells among them, and its count, in the order of places.

    These are the same for equal rows, whatever the order of the rows and values and the types that were chosen.
    """
    texts, codes = [], []
    for name in counted.columns:
        column = counted.column(name).take(np.arange(len(counted)))
        found, place = np.unique(np.array(column.texts, dtype=object), return_inverse=True)
        texts.append(found)
        codes.append(np.append(place, len(found)).take(column.codes))
    order = np.lexsort(codes) if codes else np.arange(len(counted))
    return [*texts, *(code[order] for code in codes), counted.counts.sum(axis=1)[order]]


def row_counts_of(content: Content, columns: Sequence[str]) -> RowCounts:
    return RowCounts(content, tuple(dict.fromkeys(columns)))


def remember_counts(content: Any, counted: Tally) -> None:
    """Keep a tally that is known without counting the rows of the content, and the values that occur in it."""
    _COUNTED[content], _GROUPS[content] = counted, {}
    if content.is_stored:
        content.remember({name: _occurring(counted.column(name)) for name in counted.columns})


def same_values(one: Column, other: Column) -> bool:
    """Whether two columns with one row for each value have the same values, of whatever type."""
    return one.levels == other.levels and (one.values.equals(other.values) or one.texts == other.texts)


def _occurring(column: Column) -> Column:
    """The values of a column that occur, one row each, and a last row for missing cells if there are any."""
    occurs = np.bincount(column.codes, minlength=len(column.values) + 1) > 0
    values = column.values.filter(pa.array(occurs[:-1]))
    return Column(column.name, column.kind, values, np.arange(len(values) + occurs[-1], dtype=np.int32))


def count_unique(content: Any, columns: Sequence[str]) -> None:
    """Count at once what `n_unique` says about each of these columns and about all of them, if rows are stored."""
    if content.is_stored and frozenset(columns) not in _SINGLES.get(content, {}):
        _SINGLES.setdefault(content, {}).update(tally_of_blocks(content, [], columns)[1])


def n_unique(content: Any, columns: Sequence[str]) -> int:
    """The number of rows whose cells in these columns no other row has."""
    if content.is_stored:
        return unique_in_blocks(content, columns, _SINGLES.get(content, {}).get(frozenset(columns)))
    coded = content.columns(columns)
    if len(coded) == 1:
        return int((np.bincount(coded[0].codes) == 1).sum())
    possible = prod(one.levels for one in coded)
    if possible <= content.n_rows:  # few enough to count them all, some rows at a time
        counts = np.zeros(possible, dtype=np.int64)
        for start in range(0, content.n_rows, max(_AT_ONCE, possible)):
            key = np.zeros(1, dtype=np.int64)
            for one in coded:
                key = key * one.levels + one.codes[start : start + max(_AT_ONCE, possible)]
            counts += np.bincount(key, minlength=possible)
        return int((counts == 1).sum())
    rows, _ = group([one.codes for one in coded], content.n_rows, [one.levels for one in coded], ordered=False)
    return int((np.bincount(rows) == 1).sum())


def _as_expected(table: Table, columns: Sequence[str], expected: Tally | None) -> Tally | None:
    """The rows counted by the distinct rows that they are expected to be; None if they are others."""
    if expected is None or expected.columns != tuple(columns):
        return None
    counted, coded = ExpectedRows(expected), table.columns(columns)
    for start in range(0, len(table), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        if not counted.add([Column(one.name, one.kind, one.values, one.codes[some]) for one in coded]):
            return None
    return counted.whole()


def _in_memory(table: Table, columns: Sequence[str]) -> Tally:
    """As `tally`, but without the distinct row of each row."""
    coded = table.columns(columns)
    of_row, first = group([one.codes for one in coded], len(table), [one.levels for one in coded], ordered=False)
    rows = np.bincount(of_row, minlength=len(first))
    del of_row
    codes = np.empty((len(first), len(coded)), dtype=np.int32, order="F")
    for place, column in enumerate(coded):
        codes[:, place] = column.codes[first]
    values = tuple(column.values for column in coded)
    return Tally(tuple(columns), codes, rows[:, None], rows, None, values, in_order=False)


def _coarser(whole: Tally, columns: Sequence[str], target: str | None, groups: tuple[np.ndarray, np.ndarray]) -> Tally:
    """The tally of some of the columns, by class."""
    coded, (of_row, first) = [whole.column(name) for name in columns], groups
    codes = np.empty((len(first), len(coded)), dtype=np.int32, order="F")
    for place, column in enumerate(coded):
        codes[:, place] = column.codes[first]
    rows, n_classes = whole.counts[:, 0], 1
    if target is not None:
        label = whole.column(target)
        of_row, n_classes = of_row * label.levels + label.codes, label.levels
    counts = np.zeros((len(first), n_classes), dtype=np.int64)
    np.add.at(counts.ravel(), of_row, rows)  # in place: bincount would hold rows and counts twice, as doubles
    return Tally(tuple(columns), codes, counts, counts.sum(axis=1), None, tuple(one.values for one in coded))
