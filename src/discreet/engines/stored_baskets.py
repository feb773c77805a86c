# SPDX-License-Identifier: Apache-2.0
"""Baskets outside memory: items are counted where they are, and only the ones of a few items come into memory.

One pass counts the rows of each class with each item. That is all that HamDist takes, and it tells which items can be
kept at all. A selector then asks for the rows of the items that it tries, best first, and a further pass brings as many
of them as memory allows. In memory are the label of each row and the ones of these items, never the rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import duckdb
import numpy as np

from discreet.engines.baskets_outside_memory import BasketsOutsideMemory, ItemColumns
from discreet.engines.scratch_connection import connection_for
from discreet.engines.source_files import no_csv_options
from discreet.engines.sources import Source, from_data, from_relation
from discreet.engines.stored_baskets_codes import Codes
from discreet.engines.stored_baskets_counts import ItemCounts, count
from discreet.engines.stored_baskets_kernels import place_ones
from discreet.engines.stored_baskets_labels import RowLabels
from discreet.engines.stored_baskets_lines import Form, Lines, NotInOrderError, check_ids, lines_of
from discreet.errors import DataError, DiscreetError, did_you_mean, shown


class StoredBaskets(BasketsOutsideMemory):
    """Labelled rows of items in Parquet or CSV files, a DuckDB relation, or an Arrow table.

    Parameters
    ----------
    source : path or relation or Arrow table
        A path may be a pattern (`visits/2024-*.parquet`) or a folder of Parquet files.
    item : str
        The column of items: one item a line, or a list of items.
    row : str
        The column that says to which row a line belongs. Lists in files need none: each is a row.
    label : str
        The column of labels, the same in all lines of a row.
    labels : path or relation or Arrow table, or None
        Where the label (and person) of each row id is, if not in the lines themselves: one line for each row, also for
        rows without items.
    person : str or None
        The column of the person behind each row, if persons may have several.
    memory_limit : str, such as "4GB"
        Half of it is for the ones of items that are tried, and DuckDB may use it all where lines have to be sorted. A
        few dozen bytes for each row come on top.
    threads, temp_directory, delimiter, quote, encoding, names, header
        As for `DuckDB`.

    A pair of row and item counts once, however often it occurs. In lines with row ids, a line whose item is missing or
    empty says that the row is there.

    Examples
    --------
    >>> import pyarrow as pa
    >>> drugs, back = ["a", "b", "a", "a", None], ["y", "y", "n", "n", "n"]
    >>> lines = pa.table({"visit": [1, 1, 2, 2, 3], "drug": drugs, "back": back})
    >>> visits = StoredBaskets(lines, row="visit", item="drug", label="back")
    >>> visits.shape, visits.names, visits.support.tolist(), visits.class_support.tolist()
    ((3, 2), ('a', 'b'), [2, 1], [[1, 1], [0, 1]])
    """

    def __init__(
        self,
        source: Any,
        *,
        item: str,
        label: str,
        row: str | None = None,
        labels: Any = None,
        person: str | None = None,
        memory_limit: str = "1GB",
        threads: int | None = None,
        temp_directory: str | os.PathLike[str] | None = None,
        **csv_options: Any,
    ):
        super().__init__(memory_limit)
        self._connection = connection_for(
            self, memory_limit=memory_limit, threads=threads, temp_directory=temp_directory
        )
        self._source = self._opened(source, csv_options)
        self._labels = None if labels is None else self._opened(labels, csv_options)
        is_list = _column(self._source, item).endswith("[]")
        beside = self._labels is not None
        self._form = Form(row, item, is_list, None if beside else label, None if beside else person)
        self._named = (row, label, person)
        self._check_columns()
        self._ordered = not self._source.files and isinstance(source, duckdb.DuckDBPyRelation)

    def _check_columns(self) -> None:
        row, label, person = self._named
        for name in self._form.columns.values():
            _column(self._source, name)
        if self._labels is None:
            if row is None and not self._form.is_list:
                raise DataError("Lines of one item need row=, the column that says to which row each belongs.")
            if row is None and not self._source.files and self._source.collated:
                raise DataError("The rows of a relation have no order: name the column of their ids with row=.")
        elif row is None:
            raise DataError("Labels beside the lines are found by row ids: name their column with row=.")
        elif self._form.is_list:
            raise DataError("A list of items is a whole row: its label is expected beside it, in the same line.")
        else:
            for name in filter(None, (row, label, person)):
                _column(self._labels, name)
        if row is not None:
            _column(self._source, row)

    def _opened(self, source: Any, csv_options: dict[str, Any]) -> Source:
        if isinstance(source, duckdb.DuckDBPyRelation):
            no_csv_options(csv_options, source)
            return from_relation(source)
        return from_data(source, self._connection, csv_options if isinstance(source, (str, os.PathLike)) else {})

    # -- what was counted --------------------------------------------------------------------------------------------

    @cached_property
    def _counts(self) -> ItemCounts:
        self._state = self._source.state()
        self._read(lambda: check_ids(self._source, self._form))
        labels = None if self._labels is None else self._read(self._row_labels, labels=True)
        while True:
            try:
                return self._read(lambda: count(self._lines, labels))
            except NotInOrderError:
                self._ordered = True

    def _row_labels(self) -> RowLabels:
        row, label, person = self._named
        assert self._labels is not None
        assert row is not None
        return RowLabels.of(self._labels, row, label, person)

    @property
    def names(self) -> tuple[str, ...]:
        return self._counts.names

    @property
    def labels(self) -> np.ndarray:
        return self._counts.labels

    @property
    def classes(self) -> np.ndarray:
        return self._counts.classes

    @property
    def persons(self) -> np.ndarray | None:
        return self._counts.persons

    @property
    def class_support(self) -> np.ndarray:  # type: ignore[override]
        return self._counts.support

    def __repr__(self) -> str:
        return f"StoredBaskets({self._source.what}, {'lists' if self._form.is_list else 'lines'})"

    # -- ones of some items ------------------------------------------------------------------------------------------

    def _ones(self, items: np.ndarray, slot: np.ndarray) -> ItemColumns:
        return self._read(lambda: self._read_ones(items, slot))

    def _read_ones(self, items: np.ndarray, slot: np.ndarray) -> ItemColumns:
        place = self._counts.place
        indptr = np.append(0, np.cumsum(self.support[items]))
        indices = np.empty(int(indptr[-1]), dtype=np.int32)
        fits = self._source.state() == self._state
        try:
            fits = fits and self._placed(np.where(place < 0, -1, slot[place]), indptr, indices)
        except NotInOrderError:
            fits = False
        if not fits or self._source.state() != self._state:
            raise DataError("The data changed while they were counted. Try again when nobody writes to them.")
        return ItemColumns(indptr if indptr[-1] >= 2**31 else indptr.astype(np.int32), indices)

    def _placed(self, slot: np.ndarray, indptr: np.ndarray, indices: np.ndarray) -> bool:
        """Fill in the rows of each item; False if they are not those that were counted."""
        counts, done = self._counts, 0
        end, seen = indptr[:-1].copy(), np.full(len(indptr) - 1, -1, dtype=np.int64)
        for lines in lines_of(self._source, self._form.items_alone, counts.codes, ordered=self._ordered):
            first = done - int(lines.continues)
            number = counts.number(lines, first)
            if not place_ones(lines.row, lines.items, number, slot, counts.again > 0, seen, end, indptr, indices):
                return False
            done = first + lines.n_rows
        return bool((end == indptr[1:]).all()) and (counts.beside is not None or done == len(self))

    # -- reading -----------------------------------------------------------------------------------------------------

    def _lines(self, codes: dict[str, Codes]) -> Iterator[Lines]:
        return lines_of(self._source, self._form, codes, ordered=self._ordered)

    def _read(self, work: Callable[[], Any], *, labels: bool = False) -> Any:
        """The result of a pass. Messages of other libraries quote cells, so none is passed on."""
        while True:
            try:
                return work()
            except (DiscreetError, NotInOrderError):
                raise
            except Exception as error:
                failure = type(error).__name__
            if failure == "OutOfMemoryException":
                raise DataError(
                    "DuckDB ran out of memory, or of room in its temporary folder, while it sorted lines by row. Raise"
                    " memory_limit, name a roomier temp_directory, or sort the files by row."
                )
            source = self._labels if labels and self._labels is not None else self._source
            source.after(failure)


def _column(source: Source, name: str) -> str:
    """The type of a column; DataError if there is none of this name."""
    if name not in source.columns:
        raise DataError(f"There is no column {shown(name)}.{did_you_mean(name, source.columns)}")
    return source.types[name]
