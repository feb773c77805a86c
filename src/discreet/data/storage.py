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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from discreet.data.column import Column, Kind, as_written
from discreet.data.content import LABEL
from discreet.data.formulas import neutral, neutral_cells, unmarked
from discreet.data.parquet import read_parquet
from discreet.errors import DataError, shown
from discreet.foundation.plain_files import open_file

FORMATS = ("csv", "parquet")
_HEAD = 2**20  # bytes of a header line, plus 100 for each column
_BLOCK = 2**22  # bytes of CSV read at a time; no row is longer


def write_cells(arrow: pa.Table, path: Path | BinaryIO, format: str, *, input_again: bool = False) -> None:
    """Write columns to a file. `input_again` leaves formulas in CSV unchanged, for files that are read as input."""
    if format == "csv":
        if not input_again:
            cells = [neutral_cells(column) for column in arrow.columns]
            arrow = pa.table(cells, names=[neutral(name) for name in arrow.column_names])
        pacsv.write_csv(_in_texts(arrow), path, pacsv.WriteOptions(quoting_style="needed"))
    elif format == "parquet":
        pq.write_table(arrow, path, compression="none", store_schema=False)
    else:
        raise DataError(f"{format!r} is not a release format; choose {' or '.join(FORMATS)}.")


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
            arrow = (read_parquet if is_parquet else _read_csv)(file, list(kinds), rows=rows)
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{shown(name)} cannot be read back ({type(error).__name__}).") from None
        if not is_parquet:
            _must_have(arrow, [neutral(column) for column in kinds])
            arrow = unmarked(arrow, list(kinds), {column for column, kind in kinds.items() if kind == "category"})
        return columns_of(arrow, kinds)


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
