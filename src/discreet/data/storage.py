# SPDX-License-Identifier: Apache-2.0
"""Write the files of a release, and read them back exactly. Files are built from codes and used values only.

CSV: UTF-8, comma, header line, an empty cell for missing, an apostrophe before cells and column names that a
spreadsheet would run as a formula (`formulas.py`). Parquet: unchanged cells, no metadata of the source, and not
compressed, so that its bytes can be searched (dictionaries keep it small).
Baskets and sketches: Parquet with one row each, its label and the list of its items or components.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from discreet.data.column import Column, Kind, as_written, one_dictionary
from discreet.data.content import LABEL
from discreet.data.formulas import neutral, neutral_cells, unmarked
from discreet.data.parquet import parquet_columns, read_parquet
from discreet.data.storage_first_uses import first_uses
from discreet.errors import DataError, shown
from discreet.foundation.lazy_modules import parquet as pq
from discreet.foundation.plain_files import open_file

FORMATS = ("csv", "parquet")
ROW_GROUP = 2**20  # rows of a Parquet file that are written, and can be read, at a time
_LONG_DICTIONARY = 900_000  # bytes; Arrow writes dictionaries of up to 2**20
_PAGE = 20_000  # rows of a page
_HEAD = 2**20  # bytes of a header line, plus 100 for each column
_BLOCK = 2**22  # bytes of CSV read at a time; no row is longer


def write_cells(arrow: pa.Table, path: Path | BinaryIO, format: str, *, input_again: bool = False) -> None:
    """Write columns to a file; texts may be dictionaries.

    `input_again` leaves formulas in CSV unchanged, for files that are read as input.
    """
    if format == "csv":
        if not input_again:
            cells = [neutral_cells(column) for column in arrow.columns]
            arrow = pa.table(cells, names=[neutral(name) for name in arrow.column_names])
        pacsv.write_csv(_in_texts(plain_texts(arrow)), path, pacsv.WriteOptions(quoting_style="needed"))
    elif format == "parquet":
        _write_parquet(arrow, path, statistics=True)
    else:
        raise DataError(f"{format!r} is not a release format; choose {' or '.join(FORMATS)}.")


def write_columns(columns: Sequence[Column], target: Path | BinaryIO) -> None:
    """Write many rows as Parquet, a group of rows at a time; the bytes are those of `write_cells`.

    Only a group of rows is there as Arrow's cells.
    """
    starts = range(0, len(columns[0]), ROW_GROUP)
    orders = {one.name: _orders_of(one, starts) for one in columns if pa.types.is_string(one.values.type)}
    writer = None
    for number, start in enumerate(starts):
        cells = {}
        for column in columns:
            some = _rows_of(column, start)
            if column.name not in orders:
                cells[column.name] = some.to_arrow()
                continue
            texts, order = some.to_dictionary(), orders[column.name]
            cells[column.name] = (
                texts.cast(texts.type.value_type)
                if order is None
                else _reordered(texts.indices, texts.dictionary, order[number])
            )
        group = pa.table(cells)
        if writer is None:
            writer = pq.ParquetWriter(target, group.schema, compression="none", store_schema=False)
        writer.write_table(group, row_group_size=ROW_GROUP)
    assert writer is not None
    writer.close()


def _rows_of(column: Column, start: int) -> Column:
    return Column(column.name, column.kind, column.values, column.codes[start : start + ROW_GROUP])


def _orders_of(column: Column, starts: Iterable[int]) -> list[np.ndarray] | None:
    """The order in which each group of rows first uses texts; None if they are written as plain texts."""
    orders = []
    for start in starts:
        texts = _rows_of(column, start).to_dictionary()
        order = None if _is_long(texts.dictionary) else _order_of_first_use(texts.indices, len(texts.dictionary))
        if order is None:
            return None
        orders.append(order)
    return orders


def write_part(rows: pa.Table, target: Path | BinaryIO) -> None:
    """Write a part of a table that lies in several files: as Parquet is written, but without statistics.

    Texts may come as dictionaries, in any order and with entries that do not occur. What is written depends on the
    cells alone.
    """
    _write_parquet(rows, target, statistics=False)


def _write_parquet(rows: pa.Table, target: Path | BinaryIO, *, statistics: bool) -> None:
    pq.write_table(
        _by_first_use(rows),
        target,
        compression="none",
        store_schema=False,
        write_statistics=statistics,
        row_group_size=ROW_GROUP,
    )


def _by_first_use(arrow: pa.Table) -> pa.Table:
    """Dictionaries of texts in the order in which each group of rows first uses them.

    That is how Arrow writes plain texts, so the bytes do not depend on which of the two they were, and it takes less
    time. Where Arrow would write plain texts in another way, with a dictionary that is too long or grows late, they are
    written as such.
    """
    columns = [_of_groups(column) if pa.types.is_dictionary(column.type) else column for column in arrow.itercolumns()]
    return pa.table(columns, names=arrow.column_names)


def _of_groups(column: pa.ChunkedArray) -> pa.ChunkedArray:
    whole = one_dictionary(column)
    texts = whole.dictionary
    if not pa.types.is_string(texts.type) or _is_long(texts):
        return pa.chunked_array([whole.cast(texts.type)])
    groups = []
    for start in range(0, len(whole), ROW_GROUP):
        indices = whole.slice(start, ROW_GROUP).indices
        order = _order_of_first_use(indices, len(texts))
        if order is None:
            return pa.chunked_array([whole.cast(texts.type)])
        groups.append(_reordered(indices, texts, order))
    return pa.chunked_array(groups, pa.dictionary(pa.int32(), texts.type))


def _is_long(texts: pa.Array) -> bool:
    return texts.nbytes + 4 * len(texts) > _LONG_DICTIONARY


def _order_of_first_use(indices: pa.Array, n_texts: int) -> np.ndarray | None:
    """The texts of a group of rows in the order of their first use.

    None if the first page is full before texts occur whose indices need the most bits: Arrow then packs the first pages
    of plain texts into fewer bits. None also if a page has no text at all, which it writes in another way.
    """
    missing = _missing(indices)
    if missing is not None and np.logical_and.reduceat(missing, np.arange(0, len(missing), _PAGE)).any():
        return None
    codes = _indices(indices)
    present = codes if missing is None else codes[~missing]
    early = len(present) if len(codes) <= _PAGE else _PAGE - (0 if missing is None else int(missing[:_PAGE].sum()))
    order, n_early = first_uses(present, n_texts, early)
    bits = max(len(order) - 1, 0).bit_length()
    return None if n_early < len(order) and n_early <= 1 << max(bits - 1, 0) else order


def _reordered(indices: pa.Array, texts: pa.Array, order: np.ndarray) -> pa.DictionaryArray:
    """A group of rows with its texts in this order."""
    place = np.zeros(len(texts), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    cells = pa.array(place.take(_indices(indices)), mask=_missing(indices))
    return pa.DictionaryArray.from_arrays(cells, texts.take(pa.array(order)))


def _missing(indices: pa.Array) -> np.ndarray | None:
    return indices.is_null().to_numpy(zero_copy_only=False) if indices.null_count else None


def _indices(indices: pa.Array) -> np.ndarray:
    return (indices.fill_null(0) if indices.null_count else indices).to_numpy()


def plain_texts(arrow: pa.Table) -> pa.Table:
    """Dictionaries as the cells they stand for."""
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in arrow.itercolumns()
    ]
    return pa.table(columns, names=arrow.column_names)


def _in_texts(arrow: pa.Table) -> pa.Table:
    """Booleans as texts, as they are read back, so that writing again gives the same file."""
    fields = [pa.field(f.name, pa.string() if pa.types.is_boolean(f.type) else f.type) for f in arrow.schema]
    return arrow.cast(pa.schema(fields))


def read_cells(source: Path | BinaryIO, kinds: Mapping[str, Kind], *, rows: int | None = None) -> list[Column]:
    """The columns of a published file, with the certified kinds; only an empty cell is missing.

    The columns, and the number of rows if `rows` is set, are compared before cells are read.
    """
    with open_file(source) as (file, name):
        is_parquet = name.endswith(".parquet")
        try:
            if is_parquet:
                columns = parquet_columns(file, list(kinds), rows=rows)
                return [_narrow(as_written(name, cells, kinds[name])) for name, cells in columns]
            arrow = _read_csv(file, list(kinds), rows=rows)
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{shown(name)} cannot be read back ({type(error).__name__}).") from None
        _must_have(arrow, [neutral(column) for column in kinds])
        arrow = unmarked(arrow, list(kinds), {column for column, kind in kinds.items() if kind == "category"})
        return columns_of(arrow, kinds)


def _narrow(column: Column) -> Column:
    """With codes of one byte, where that is enough: there may be hundreds of 0/1 columns."""
    if len(column.values) >= 2**8 - 1:
        return column
    return Column(column.name, column.kind, column.values, column.codes.astype(np.uint8))


def columns_of(arrow: pa.Table, kinds: Mapping[str, Kind]) -> list[Column]:
    """Code the columns of an Arrow table, which must be those of `kinds`, in this order."""
    _must_have(arrow, list(kinds))
    return [as_written(name, arrow.column(name), kind) for name, kind in kinds.items()]


def _must_have(arrow: pa.Table, names: list[str]) -> None:
    if arrow.column_names != names:
        raise DataError(f"The data does not have the {len(names)} columns that were stated.")


def _read_csv(file: BinaryIO, names: Sequence[str], *, rows: int | None = None) -> pa.Table:
    _few_columns(file, len(names))
    file.seek(0)
    reader = pacsv.open_csv(
        file,
        read_options=pacsv.ReadOptions(block_size=_BLOCK, use_threads=False),
        parse_options=pacsv.ParseOptions(newlines_in_values=True),
        convert_options=pacsv.ConvertOptions(
            column_types=dict.fromkeys(map(neutral, names), pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    batches, read = [], 0
    for batch in reader:
        batches.append(batch)
        read += len(batch)
        if rows is not None and read > rows:
            raise DataError(f"{rows} rows were stated; the data has more.")
    return pa.Table.from_batches(batches, reader.schema)


def _few_columns(file: BinaryIO, count: int) -> None:
    """Count the columns of the header line before reading the table: a forged one may have millions."""
    file.seek(0)
    head = file.read(_HEAD + 100 * count).decode("utf-8", errors="replace")
    n_columns = len(next(csv.reader(io.StringIO(head, newline=""), strict=False), []))
    if n_columns != count:
        raise DataError(f"The data does not have the {count} columns that were stated.")


# -- rows that are lists -------------------------------------------------------------------------------------------


def write_lists(path: Path | BinaryIO, column: str, lists: pa.ListArray, labels: pa.Array | None) -> None:
    """Write one list per row, with its label."""
    columns = {column: lists} if labels is None else {LABEL: labels, column: lists}
    pq.write_table(pa.table(columns), path, compression="none", store_schema=False)


@contextmanager
def file_of_lists(source: Path | BinaryIO, what: str) -> Iterator[BinaryIO]:
    """Open a file; errors while reading it become DataErrors."""
    with open_file(source) as (file, name):
        try:
            yield file
        except (pa.ArrowException, OSError, KeyError, AttributeError, TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"{shown(name)} does not hold {what} as the certificate says ({type(error).__name__})."
            ) from None


def read_lists(
    file: BinaryIO, column: str, *, labelled: bool | None = True, rows: int | None = None
) -> tuple[pa.Array, np.ndarray, tuple[np.ndarray, np.ndarray] | None]:
    """The concatenated lists, where each begins, and the different labels as texts with the place of each row's among
    them; ValueError if cells are missing.

    With `labelled` None, a trusted file is read, with or without labels.
    """
    if labelled is None:
        table = pq.ParquetFile(file).read()
        labelled = table.column_names == [LABEL, column]
    else:
        table = read_parquet(file, [LABEL, column] if labelled else [column], lists=[column], rows=rows)
    lists = table.column(column)
    values = pa.chunked_array([part.values for part in lists.chunks], lists.type.value_type)
    values = values.unify_dictionaries().combine_chunks()
    lengths = [np.diff(part.offsets.to_numpy()) for part in lists.chunks]
    offsets = np.append(0, np.cumsum(np.concatenate([*lengths, np.zeros(0, np.int64)]), dtype=np.int64))
    nulls = lists.null_count + values.null_count + (table.column(LABEL).null_count if labelled else 0)
    if nulls or len(values) != offsets[-1]:
        raise ValueError
    return values, offsets, _labels(table.column(LABEL)) if labelled else None


def _labels(cells: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """The different labels in the order of their texts, and the place of each cell's among them."""
    if not pa.types.is_dictionary(cells.type):
        cells = cells.cast(pa.string()).dictionary_encode()
    coded = cells.unify_dictionaries().combine_chunks()
    classes, place = np.unique(np.asarray(coded.dictionary.cast(pa.string()).to_pylist(), str), return_inverse=True)
    return classes, place.astype(np.int32)[coded.indices.to_numpy()]
