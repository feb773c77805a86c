# SPDX-License-Identifier: Apache-2.0
"""Writing a release, and reading it back exactly. Files are built from codes and used values; nothing else gets in.

CSV: UTF-8, comma, header line, an empty cell for missing, an apostrophe before what a spreadsheet would run as a
formula (`formulas.py`), names of columns included. Parquet: cells as they are, no metadata of the source, and not
compressed, so that what a file holds can be searched for in its bytes (dictionaries keep it small).
Baskets: Parquet with one row per basket, its label and the list of its items.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import scipy.sparse as sp

from discreet.data.baskets import Baskets
from discreet.data.column import Column, Kind, distinct_cells, encode
from discreet.data.formulas import neutral, neutral_cells, plain_cells
from discreet.data.parquet import read_parquet
from discreet.data.table import Table
from discreet.errors import DataError, shown
from discreet.foundation.plain_files import open_file

FORMATS = ("csv", "parquet")
LABEL, ITEMS = "label", "items"  # the columns of published baskets
_HEAD = 2**20  # bytes of a header line, and 100 for each column
_BLOCK = 2**22  # bytes of CSV that are read at a time; no row is longer


def write_table(table: Table, path: Path | BinaryIO, format: str, *, input_again: bool = False) -> None:
    """The table as a file. `input_again`: cells as they are also in CSV, for files that are read as somebody's data."""
    arrow = table.to_arrow()
    if format == "csv":
        if not input_again:
            cells = [neutral_cells(column) for column in arrow.columns]
            arrow = pa.table(cells, names=[neutral(name) for name in arrow.column_names])
        pacsv.write_csv(_in_texts(arrow), path, pacsv.WriteOptions(quoting_style="needed"))
    elif format == "parquet":
        pq.write_table(arrow, path, compression="none", store_schema=False)
    else:
        raise DataError(f"{format!r} is not a format of a release; they are {' and '.join(FORMATS)}.")


def _in_texts(arrow: pa.Table) -> pa.Table:
    """Truth values as texts, which is what they are read back as: a file is the same when it is written again."""
    fields = [pa.field(f.name, pa.string() if pa.types.is_boolean(f.type) else f.type) for f in arrow.schema]
    return arrow.cast(pa.schema(fields))


def read_table(source: Path | BinaryIO, kinds: Mapping[str, Kind], *, rows: int | None = None) -> Table:
    """The table in a published file, its columns of the kinds the certificate states; no mark but '' is missing.

    The columns, and `rows` where they are stated, are compared before cells are read.
    """
    with open_file(source) as (file, name):
        try:
            arrow = (read_parquet if name.endswith(".parquet") else _read_csv)(file, list(kinds), rows=rows)
        except (pa.ArrowException, OSError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"{shown(name)} cannot be read back ({type(error).__name__}).") from None
        return table_of(arrow if name.endswith(".parquet") else _without_marks(arrow, kinds), kinds)


def _without_marks(arrow: pa.Table, kinds: Mapping[str, Kind]) -> pa.Table:
    """The cells of a CSV file without the marks before formulas."""
    if arrow.column_names != [neutral(name) for name in kinds]:
        raise DataError(f"The data does not have the {len(kinds)} columns that were stated.")
    columns = [
        plain_cells(name, cells) if kind == "category" else cells
        for (name, kind), cells in zip(kinds.items(), arrow.columns, strict=True)
    ]
    return pa.table(columns, names=list(kinds))


def table_of(arrow: pa.Table, kinds: Mapping[str, Kind]) -> Table:
    """The table in Arrow's columns, which must be those of `kinds`, in this order."""
    if arrow.column_names != list(kinds):
        raise DataError(f"The data does not have the {len(kinds)} columns that were stated.")
    return Table([_exact(name, arrow.column(name), kind) for name, kind in kinds.items()])


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
    """A header line may name millions of columns: they are counted before a table is made of them."""
    file.seek(0)
    head = file.read(_HEAD + 100 * count).decode("utf-8", errors="replace")
    found = len(next(csv.reader(io.StringIO(head, newline=""), strict=False), []))
    if found != count:
        raise DataError(f"The data does not have the {count} columns that were stated.")


def _exact(name: str, array: pa.ChunkedArray, kind: Kind) -> Column:
    """The column as any reader sees it. Two spellings of one value are refused: other readers keep them apart."""
    column = encode(name, array, kind=None if pa.types.is_boolean(array.type) else kind, missing=())
    different = len(distinct_cells(name, array)[0])
    if different != len(column.values):
        raise DataError(
            f"Column {shown(name)} writes {len(column.values)} values in {different} ways. Releases are not written so."
        )
    return column


def write_baskets(baskets: Baskets, path: Path | BinaryIO) -> None:
    assert baskets.classes is not None
    assert baskets.labels is not None
    matrix, names = baskets.matrix, pa.array(baskets.names, pa.string())
    items = pa.ListArray.from_arrays(pa.array(matrix.indptr, pa.int32()), names.take(pa.array(matrix.indices)))
    labels = pa.array([str(label) for label in baskets.classes.tolist()]).take(pa.array(baskets.labels))
    table = pa.table({LABEL: labels, ITEMS: items})
    pq.write_table(table, path, compression="none", store_schema=False)


def read_baskets(source: Path | BinaryIO, names: Sequence[str], *, rows: int | None = None) -> Baskets:
    """The baskets in a published file; every item must be one of `names`."""
    with open_file(source) as (file, file_name):
        try:
            table = read_parquet(file, [LABEL, ITEMS], lists=[ITEMS], rows=rows)
            items, texts = table.column(ITEMS).combine_chunks(), table.column(LABEL).cast(pa.string())
            labels = texts.to_numpy(zero_copy_only=False)
            place = {name: j for j, name in enumerate(names)}
            coded = items.values
            columns = np.array([place[name] for name in coded.dictionary.to_pylist()], dtype=np.int64)
            indices = columns[coded.indices.to_numpy()] if len(columns) else np.empty(0, np.int64)
            indptr = items.offsets.to_numpy()
            if texts.null_count or items.null_count or len(items.values) != indptr[-1]:
                raise ValueError
        except (pa.ArrowException, OSError, KeyError, AttributeError, TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"{shown(file_name)} does not hold baskets as the certificate says ({type(error).__name__})."
            ) from None
    shape = (len(labels), len(names))
    return Baskets.of(sp.csr_array((np.ones(len(indices)), indices, indptr), shape=shape), labels, names=names)
