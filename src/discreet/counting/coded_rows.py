# SPDX-License-Identifier: Apache-2.0
"""The distinct rows of the quasi-identifiers as codes, with class counts and the persons behind them.

This is all that a method on tables sees. It is built once, by the tally of a table in memory or of an engine, and is
the same for both. Values behind codes have their kind, so that axes, hierarchies and labels are made from distinct
values and their counts, never from single rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from discreet.counting.tally import group, is_engine, pair_counts, persons_per_group, tally, values_of
from discreet.data.column import Column
from discreet.data.table import Table
from discreet.errors import DataError, listing


@dataclass(frozen=True, eq=False)
class RowEntries:
    """Distinct rows by class and person: entry i stands for `rows[i]` rows. `person` is None if rows are persons."""

    row: np.ndarray
    label: np.ndarray
    rows: np.ndarray
    person: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """`codes[i]` is distinct row i, `counts[i]` its rows by class; `by_person` the persons, if they are counted."""

    codes: np.ndarray
    counts: np.ndarray
    by_person: RowEntries | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def rows(self) -> np.ndarray:
        """Number of rows of each distinct row."""
        return self.counts.sum(axis=1)

    @cached_property
    def n_rows(self) -> int:
        return int(self.rows.sum())

    @cached_property
    def _by_class(self) -> np.ndarray:
        return np.ascontiguousarray(self.counts.T, dtype=np.float64)  # as bincount takes them

    def _counts_of(self, of: np.ndarray, n: int) -> np.ndarray:
        """Number of rows of each class in each of n sets of distinct rows."""
        return np.column_stack([np.bincount(of, rows, minlength=n) for rows in self._by_class]).astype(np.int64)

    @cached_property
    def n_persons(self) -> int:
        return self.n_rows if self.by_person is None else len(np.unique(self.by_person.person))  # type: ignore[arg-type]

    @cached_property
    def entries(self) -> RowEntries:
        if self.by_person is not None:
            return self.by_person
        row, label = np.nonzero(self.counts)
        return RowEntries(row, label, self.counts[row, label])

    @cached_property
    def people(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The distinct (distinct row, person) pairs, in order; None if rows are persons."""
        if self.by_person is None:
            return None
        return pair_counts(self.by_person.row, self.by_person.person)[:2]  # type: ignore[arg-type]

    def sizes(self, of: np.ndarray, n: int, inside: np.ndarray | None = None) -> np.ndarray:
        """Number of persons in each of n sets of distinct rows; `of` are the sets of those `inside`, or of all."""
        if self.people is None:
            return np.bincount(of, self.rows if inside is None else self.rows[inside], minlength=n).astype(np.int64)
        set_of = np.full(len(self), -1, dtype=np.int64)
        set_of[slice(None) if inside is None else inside] = of
        row, person = self.people
        which = set_of[row] >= 0
        return persons_per_group(set_of[row[which]], n, person[which])

    @staticmethod
    def sets(cells: Sequence[np.ndarray], levels: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Sets of some distinct rows that are equal in these cells, whose codes are below `levels`: (set of each, first
        of each set), in the order in which they are met.
        """
        return group(cells, len(cells[0]), levels, ordered=False)

    def alike(
        self, cells: Sequence[np.ndarray], inside: np.ndarray, *, ordered: bool = True
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sets of some distinct rows that are equal in these cells: (set of each, first of each set, persons)."""
        sets, first = group(cells, len(inside), ordered=ordered)
        return sets, first, self.sizes(sets, len(first), inside)

    def merged(self, cells: Sequence[np.ndarray], levels: Sequence[int]) -> tuple[DistinctRows, np.ndarray]:
        """Merge rows that are equal in coarser cells, one array per column; and the new index of each distinct row."""
        place, first = group(cells, len(self), levels)
        codes = np.empty((len(first), len(cells)), dtype=np.int32)
        for column, cell in enumerate(cells):
            codes[:, column] = cell[first]
        who = self.by_person
        if who is not None:
            who = RowEntries(place[who.row], who.label, who.rows, who.person)
        return DistinctRows(codes, self._counts_of(place, len(first)), who), place


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedRows(DistinctRows):
    """The distinct rows of some columns, and the values behind their codes.

    columns  the columns at the distinct rows: their codes are `codes`
    target   the classes, one row for each

    >>> rows = CodedRows.of(Table.of({"sex": ["f", "m", "f"], "y": [1, 1, 0]}), ["sex"], target="y")
    >>> rows.codes.tolist(), rows.counts.tolist(), rows.class_counts("sex").tolist()
    ([[0], [1]], [[1, 1], [0, 1]], [[1, 1], [0, 1], [0, 0]])
    """

    columns: tuple[Column, ...]
    target: Column | None
    _data: object = field(repr=False)  # a table or an engine
    _group_of_row: np.ndarray | None = field(repr=False)
    _class_counts: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    _beside: dict[str, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, data: object, columns: Sequence[str], *, target: str | None = None, person: str | None = None
    ) -> CodedRows:
        """From a table in memory or an engine (engines/protocol.py); coded rows are returned unchanged."""
        if isinstance(data, CodedRows):
            if absent := sorted(set(columns) - set(data.names)):
                raise DataError(f"These coded rows were counted without {listing(absent)}.")
            return data
        data = data if is_engine(data) else Table.of(data)
        counted = tally(data, columns, target=target)
        rows = cls(
            counted.codes,
            counted.counts,
            columns=tuple(map(counted.column, columns)),
            target=None if target is None else values_of(data, target),
            _data=data,
            _group_of_row=counted.group_of_row,
        )
        if person is None:
            return rows
        row, codes, n = rows.split_by([person] if target is None else [target, person])
        label = np.zeros(len(row), dtype=np.int64) if target is None else codes[0]
        return replace(rows, by_person=RowEntries(row, label, n, codes[-1]))

    @classmethod
    def of_column(cls, column: Column, counts: np.ndarray, target: Column | None, data: object) -> CodedRows:
        """From the rows of each code of one column by class, missing last, where they were counted already."""
        met = np.flatnonzero(counts.any(axis=1))
        counts = counts[met] if counts[:, -1].any() or target is None else counts[met, :-1]  # no class is missing
        column = Column(column.name, column.kind, column.values, met.astype(np.int32))
        codes = column.codes[:, None]
        return cls(codes, counts, columns=(column,), target=target, _data=data, _group_of_row=None)

    def some(self, which: np.ndarray, counts: np.ndarray) -> CodedRows:
        """Some of the distinct rows with other counts, each row a person."""
        columns = tuple(Column(one.name, one.kind, one.values, one.codes[which]) for one in self.columns)
        return replace(
            self,
            codes=self.codes[which],
            counts=counts,
            by_person=None,
            columns=columns,
            _group_of_row=None,
            _class_counts={},
            _beside={},
        )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        return self.columns[self.names.index(name)]

    def class_counts(self, name: str) -> np.ndarray:
        """Number of rows of each class for each value of a column, missing last."""
        if name not in self._class_counts:
            column = self.column(name)
            self._class_counts[name] = self._counts_of(column.codes, len(column.values) + 1)
        return self._class_counts[name]

    def persons_of(self, name: str) -> np.ndarray:
        """Number of persons with each value of a column, missing last."""
        column = self.column(name)
        return self.sizes(column.codes.astype(np.int64), len(column.values) + 1)

    def values_of(self, name: str) -> Column:
        """The different values of any column of the data, one row for each."""
        return values_of(self._data, name)

    def places(self, table: Table) -> np.ndarray:
        """The distinct row that each row of another table equals in these columns, -1 for none."""
        codes = self.codes_of(table)
        known = np.flatnonzero((codes >= 0).all(axis=1))
        groups, first = group(list(np.concatenate([self.codes, codes[known]]).T), len(self) + len(known))
        row_of = np.full(len(first), -1, dtype=np.int64)
        row_of[groups[: len(self)]] = np.arange(len(self))
        places = np.full(len(table), -1, dtype=np.int64)
        places[known] = row_of[groups[len(self) :]]
        return places

    def codes_of(self, table: Table) -> np.ndarray:
        """The rows of another table in the codes of these columns, -1 for values that the column does not have."""
        pairs = zip(self.columns, table.columns(self.names), strict=True)
        return np.column_stack([_codes_as(column, other) for column, other in pairs])

    def beside(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The distinct (distinct row, code) pairs with the codes of another column, in order."""
        if name not in self._beside:
            row, (codes,), _ = self.split_by([name])
            self._beside[name] = row, codes
        return self._beside[name]

    def split_by(self, names: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
        """The distinct rows split by further columns: (distinct row, codes of these columns, rows), in order."""
        if self._group_of_row is not None:
            of, more = self.group_of_row, self.table.columns(names)
            cells, levels = [of, *(column.codes for column in more)], [len(self), *(column.levels for column in more)]
            groups, first = group(cells, len(of), levels)
            return of[first], [column.codes[first].astype(np.int64) for column in more], np.bincount(groups)
        split, width = tally(self._data, (*self.names, *names)), len(self.columns)
        is_new = np.ones(len(split), dtype=bool)
        is_new[1:] = (split.codes[1:, :width] != split.codes[:-1, :width]).any(axis=1)
        if not np.array_equal(split.codes[is_new, :width], self.codes):
            raise DataError("The data changed while they were counted. Try again when nobody writes to them.")
        return np.cumsum(is_new) - 1, list(split.codes[:, width:].T.astype(np.int64)), split.counts.sum(axis=1)

    # -- in memory only ----------------------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        """The single rows, for methods that decide about them; an engine has none to hand out."""
        self._of_rows()
        return Table.of(getattr(self._data, "table", self._data))  # that of an engine in memory, or the data

    @property
    def group_of_row(self) -> np.ndarray:
        """The distinct row of each single row."""
        return self._of_rows()

    def _of_rows(self) -> np.ndarray:
        if self._group_of_row is None:
            raise DataError(
                "This method decides about single rows, which an engine does not hand out. Read them as a table."
            )
        return self._group_of_row


def _codes_as(column: Column, other: Column) -> np.ndarray:
    """The codes of another column by the values of this one, -1 for values that it does not have."""
    place = {text: code for code, text in enumerate(column.texts)}
    missing = len(column.values) if column.has_missing else -1
    return np.array([*(place.get(text, -1) for text in other.texts), missing])[other.codes]
