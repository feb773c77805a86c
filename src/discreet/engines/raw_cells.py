# SPDX-License-Identifier: Apache-2.0
"""What all engines outside memory have in common: they group raw cells, as they are stored, and know nothing of what a
cell means. That is decided here, by the rules of any table (`discreet.data`), on the distinct cells; rows that differ
only in spelling ("1" and "1.0") are then merged. So the result equals the tally of the same table in memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.coding import Coding, ListedCells, ReadCells, changed
from discreet.counting.distinct_estimate import SAMPLE
from discreet.counting.tally import Tally, tally, tally_of_groups
from discreet.data.column import MISSING_MARKS, Column, Kind, encode
from discreet.data.how_read import ColumnReading
from discreet.data.notation import Formats
from discreet.data.table import Table
from discreet.data.text_reader import TextReader, certain_columns
from discreet.engines.drawn_rows import drawn_rows
from discreet.engines.protocol import PERSON, Apply, Sink
from discreet.engines.publish import publish_in_buckets
from discreet.engines.raw_cells_histograms import CodedScans
from discreet.engines.table_sample import TableSample
from discreet.errors import DataError, did_you_mean, listing, shown

MOST_LISTED = 2**20  # distinct cells of a column that are kept in memory, unless they are counted


class CodedColumns(ABC):
    """Named columns outside memory, whose cells are read by their codings."""

    scratch: Path | None = None  # where rows wait in between, in folders of this user; else the temporary folder
    _n_rows: int | None = None
    _semicolons = False  # whether the cells of text files are delimited by semicolons

    def __init__(
        self,
        *,
        kinds: Mapping[str, Kind] | None = None,
        missing: Sequence[str] = MISSING_MARKS,
        formats: Formats | None = None,
    ):
        self._formats = formats or Formats()
        self._kinds = dict(kinds or {})
        self._missing = (missing,) if isinstance(missing, str) else tuple(missing)

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]: ...

    @abstractmethod
    def coding(self, name: str, *, listed: bool = False) -> Coding:
        """How the raw cells of a column are read; they are listed if they are not too many, or if they must be."""

    @abstractmethod
    def _count(self) -> int:
        """The number of rows."""

    def _forget(self) -> None:  # noqa: B027
        """Forget what was read before the rows changed, where they can."""

    def __contains__(self, name: object) -> bool:
        return name in self.names

    @property
    def n_rows(self) -> int:
        self._forget()
        if self._n_rows is None:
            self._n_rows = self._count()
        return self._n_rows

    def __len__(self) -> int:
        return self.n_rows

    def declared(self, name: str) -> Kind | None:
        """The kind that a column was declared to have."""
        return self._kinds.get(name)

    def _check_kinds(self) -> None:
        unknown = [name for name in self._kinds if name not in self.names]
        if unknown:
            hint = did_you_mean(unknown[0], self.names)
            raise DataError(f"Kinds are set for columns that are not in the data: {listing(unknown)}.{hint}")
        self._formats.check_names(tuple(self.names))

    def _check_columns(self, names: Sequence[str | None]) -> None:
        absent = [name for name in names if name is not None and name not in self.names]
        if absent:
            raise DataError(f"There is no column {shown(absent[0])}.{did_you_mean(absent[0], self.names)}")

    def _no_rows(self) -> DataError:
        return DataError(f"The table has {len(self.names)} columns and no rows: there is nothing to count.")

    # -- what cells mean -----------------------------------------------------------------------------------------------

    def values(self, name: str) -> Column:
        """The distinct values of a column, as `counting.tally.values_of` gives them for a table."""
        return self._listed(name).column()

    def _listed(self, name: str) -> ListedCells:
        coding = self.coding(name, listed=True)
        assert isinstance(coding, ListedCells)
        return coding

    def _encoded(self, name: str, cells: pa.ChunkedArray) -> Column:
        how: dict[str, Any] = {"kind": self._kinds.get(name), "missing": self._missing, "reader": self._reader}
        return encode(name, cells, counted=False, **how)

    @property
    def _reader(self) -> TextReader:
        return TextReader(self._formats, self._semicolons, self._shown_elsewhere)

    def _shown_elsewhere(self, name: str) -> list[ColumnReading]:
        """What the cells of other columns show for certain about decimal marks and dates."""
        others = {other: self._few_cells(other) for other in self.names if other != name}
        listed = {other: pa.table({other: cells}) for other, cells in others.items() if cells is not None}
        return [one for table in listed.values() for one in certain_columns(table, self._missing)]

    @abstractmethod
    def _few_cells(self, name: str) -> pa.ChunkedArray | pa.Array | None:
        """The distinct raw cells of a column, or None if there are too many to keep."""


class RawCells(CodedColumns, CodedScans):
    """An engine that groups raw cells. It says its `names`, and how to group, list and stream the cells.

    Columns of results are called c0, c1, ... in the order of the names that were asked for.
    """

    def __init__(
        self,
        *,
        kinds: Mapping[str, Kind] | None = None,
        missing: Sequence[str] = MISSING_MARKS,
        formats: Formats | None = None,
    ):
        super().__init__(kinds=kinds, missing=missing, formats=formats)
        self._values: dict[str, tuple[pa.ChunkedArray, Column]] = {}
        self._codings: dict[str, Coding] = {}
        self._few: dict[str, pa.ChunkedArray | None] = {}
        self._known_at: object = None

    @abstractmethod
    def _groups(self, names: Sequence[str], person: str | None) -> pa.Table:
        """The distinct rows of raw cells, with the number `n` of rows of each and, if asked, of `persons`.

        A missing person is one person.
        """

    @abstractmethod
    def _distinct(self, names: Sequence[str]) -> pa.Table:
        """The distinct rows of raw cells."""

    @abstractmethod
    def _batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The raw cells of all rows, a batch at a time, under the names of their columns."""

    def raw_rows(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The cells of all rows as they are stored, a batch at a time."""
        self._check_columns(names)
        return self._batches(names)

    def _state(self) -> object:
        """Something that changes when the rows do."""
        return None

    def state(self) -> object:
        """Something that changes when the rows do; None if nobody knows."""
        return self._state()

    def sample(self, columns: Sequence[str]) -> TableSample:
        """Random rows of all batches, for estimates; what is published does not depend on them."""
        if not len(self):
            raise self._no_rows()
        return TableSample.of_rows(drawn_rows(self, columns, rows=SAMPLE, random_state=0), len(self), is_exact=True)

    def identity(self, columns: Sequence[str]) -> list[Any] | None:
        """What tells the rows of these columns from others, in this process and later; None if nothing does."""
        return None

    def _some_cells(self, name: str, most: int) -> pa.ChunkedArray:
        """The distinct raw cells of a column; if there are more than `most`, any number of them above it will do."""
        return self._distinct([name]).column(0)

    def _n_different(self, name: str) -> int:
        """The number of distinct raw cells of a column, null among them."""
        return len(self._distinct([name]))

    def _is_plain(self, name: str) -> bool:
        """Whether different cells of the column are different values for certain, as whole numbers and dates are."""
        return False

    # -- counting ------------------------------------------------------------------------------------------------------

    def tally(self, columns: Sequence[str], *, target: str | None = None, person: str | None = None) -> Tally:
        """The distinct rows of `columns` with their counts, as `counting.tally.tally` gives them for a table."""
        self._check_columns([*columns, target, person])
        if person is None:
            return self._tally(columns, target)[0]
        counted = None if target is None else self._tally(columns, target)[0]
        if not self._may_repeat(person):
            persons, joined = self._tally(columns, person=person)
            if not joined:
                return persons if counted is None else replace(counted, sizes=_same(counted, persons).sizes)
        counted = counted or self._tally(columns)[0]
        return replace(counted, sizes=_same(counted, self._of_pairs(columns, person)).sizes)

    def _distinct_cells(self, name: str) -> tuple[pa.ChunkedArray, Column]:
        """The distinct raw cells of a column, and the column that has one row for each of them."""
        self._check_columns([name])
        self._forget()
        if name not in self._values:
            cells = self._distinct([name]).column(0)
            self._values[name] = cells, self._encoded(name, cells)
        return self._values[name]

    def _forget(self) -> None:
        """Forget what was read before the rows changed."""
        if self._state() != self._known_at:
            self._values, self._codings, self._few, self._n_rows = {}, {}, {}, None
            self._known_at = self._state()

    def _few_cells(self, name: str) -> pa.ChunkedArray | None:
        """The distinct raw cells of a column, or None if there are too many to keep."""
        self._forget()
        if name not in self._few:
            cells = self._some_cells(name, MOST_LISTED)
            self._few[name] = cells if len(cells) <= MOST_LISTED else None
        return self._few[name]

    # -- publishing ----------------------------------------------------------------------------------------------------

    def coding(self, name: str, *, listed: bool = False) -> Coding:
        """How the raw cells of a column are read; they are listed if they are not too many, or if they must be."""
        self._check_columns([name])
        self._forget()
        if name not in self._codings or (listed and not isinstance(self._codings[name], ListedCells)):
            how: dict[str, Any] = {"kind": self._kinds.get(name), "missing": self._missing}
            cells = self._few_cells(name)
            if cells is None and listed:
                cells = self._distinct([name]).column(0)
            if cells is not None:
                self._codings[name] = ListedCells.of(name, cells, reader=self._reader, **how)
            else:
                every = (batch.column(0) for batch in self._batches([name]))
                self._codings[name] = ReadCells.of(
                    name, every, levels=self._n_different(name), formats=self._formats, **how
                )
        return self._codings[name]

    def publish(self, columns: Sequence[str], apply: Apply, secret: bytes, sink: Sink) -> int:
        """Pass the rows through `apply` into `sink`, in random order, with one bucket of them in memory.

        Whoever knows how many rows are left out compares the number that is returned.
        """
        state = self._state()
        written = self.publish_compact(map(apply.compact, self._batches(columns)), apply, secret, sink)
        if self._state() != state:
            raise changed()
        return written

    def publish_compact(self, batches: Iterable[pa.RecordBatch], apply: Apply, secret: bytes, sink: Sink) -> int:
        """As `publish`, of all rows as `apply.compact` gives them."""
        self._stored = None  # no more histograms are wanted, and rows need the disk
        return publish_in_buckets(batches, apply, secret, sink, n_rows=len(self), scratch=self.scratch)

    # -- the rest of counting ------------------------------------------------------------------------------------------

    def _tally(
        self, columns: Sequence[str], target: str | None = None, person: str | None = None
    ) -> tuple[Tally, bool]:
        """The tally, and whether groups were merged, whose persons are then counted twice."""
        names = list(dict.fromkeys([*columns, *([] if target is None else [target])]))
        groups = self._groups(names, person)
        rows, persons = self._numbers(groups, person)
        return self._merged(self._coded(names, groups), columns, target, rows, persons)

    def _numbers(self, groups: pa.Table, person: str | None) -> tuple[np.ndarray, np.ndarray | None]:
        """The numbers of rows and persons of each group."""
        rows = groups.column("n").to_numpy()
        if not rows.sum():
            raise self._no_rows()
        return rows, None if person is None else groups.column("persons").to_numpy()

    def _merged(
        self,
        coded: Mapping[str, Column],
        columns: Sequence[str],
        target: str | None,
        rows: np.ndarray,
        persons: np.ndarray | None,
    ) -> tuple[Tally, bool]:
        """The tally of groups, and whether some of them were merged."""
        label = None if target is None else coded[target]
        counted = tally_of_groups([coded[name] for name in columns], rows, target=label, persons=persons)
        return counted, target is None and len(counted) < len(rows)

    def _of_pairs(self, columns: Sequence[str], person: str) -> Tally:
        """The tally of distinct rows and persons in memory, for values or persons with several spellings."""
        names = list(dict.fromkeys(columns))
        pairs = self._distinct([*names, person])
        persons = self._encoded(person, pairs.column(len(names))).renamed(PERSON)
        return tally(Table([*self._coded(names, pairs).values(), persons]), columns, person=PERSON)

    def _may_repeat(self, name: str) -> bool:
        """Whether two different cells of the column may be the same value."""
        if self._is_plain(name):
            return self._missing != MISSING_MARKS
        cells, column = self._distinct_cells(name)
        return column.levels < len(cells)

    def _coded(self, names: Sequence[str], result: pa.Table) -> dict[str, Column]:
        """The first columns of a result as codes."""
        cells = {name: result.column(place) for place, name in enumerate(names)}
        if not cells:
            return {}
        kinds = {name: kind for name, kind in self._kinds.items() if name in cells}
        table = Table.of(pa.table(cells), kinds=kinds, missing=self._missing)
        how: dict[str, Any] = {"elsewhere": self._shown_elsewhere, "semicolons": self._semicolons}
        table = table.reread(formats=self._formats.only(cells), **how)
        return {column.name: column for column in table.columns()}


def _same(counted: Tally, persons: Tally) -> Tally:
    if not np.array_equal(counted.codes, persons.codes):
        raise changed()
    return persons
