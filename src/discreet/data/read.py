# SPDX-License-Identifier: Apache-2.0
"""Read any frame, file or query as an Arrow table with valid column names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.csv import read_csv, read_text
from discreet.data.database_files import database_kind, read_database
from discreet.data.formulas import unmarked
from discreet.data.frames import ArrowSource, check_names, from_frame, from_mapping, type_of
from discreet.errors import DataError, listing, quietly, shown
from discreet.foundation.plain_files import check_plain

__all__ = ["ArrowSource", "check_names", "read", "read_file"]

PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # how pandas stores a nameless index in Parquet


def read(data: Any, *, empty: bool = False, **csv_options: Any) -> ArrowSource:
    """Read `data`; DataError if it is not a table, or has no rows, unless `empty` allows that."""
    is_file = isinstance(data, (str, os.PathLike))
    if csv_options and not is_file:
        raise DataError(f"The options {listing(csv_options)} are for CSV files; {type_of(data)} was given.")
    if is_file:
        source = read_file(as_path(data), **csv_options)
    elif isinstance(data, Mapping):
        source = from_mapping(data)
    elif isinstance(data, pa.Table):
        source = ArrowSource(data, "arrow")
    elif isinstance(data, pa.RecordBatch):
        source = ArrowSource(pa.Table.from_batches([data]), "arrow")
    else:
        source = from_frame(data)
    check_names(source.table.column_names, quote=not is_file)
    if source.table.num_rows == 0 and not empty:
        raise DataError(f"The table has {source.table.num_columns} columns and no rows: there is nothing to release.")
    return source


def read_file(path: Path, *, table: str | None = None, **csv_options: Any) -> ArrowSource:
    """Read a Parquet file (recognised by its first bytes), a folder of them, a CSV file, the data of a release, or a
    table of a SQLite or DuckDB file.
    """
    there, failure = quietly(path.exists)
    if failure or not there:
        raise DataError(f"There is no file {path.name!r} in {folder_name(path)}. Check the path.")
    check_plain(path)
    if os.path.isfile(path / "certificate.json"):
        if os.path.isfile(path / "data.csv"):
            return ArrowSource(unmarked(read_csv(path / "data.csv", **csv_options)[0]), "arrow", recognise=False)
        path = path / "data.parquet"
    is_parquet = path.is_dir()
    if not is_parquet:
        start, failure = quietly(first_bytes, path, 16)
        if failure:
            raise DataError(f"{path.name!r} cannot be opened ({failure}). Check its permissions.")
        if not start:
            raise DataError(f"{path.name!r} is empty (0 bytes). A table needs a header line and rows.")
        kind = database_kind(start)
        if kind is not None:
            _no_csv_options(csv_options, path, kind)
            return ArrowSource(read_database(path, kind, table), "arrow")
        is_parquet = start.startswith(b"PAR1")
    no_table(table, path)
    if not is_parquet:
        text = read_text(path, **csv_options)
        encoding = None if csv_options.get("encoding") else text.encoding
        return ArrowSource(text.cells, "arrow", encoding=encoding, delimiter=text.delimiter, notes=text.notes)
    _no_csv_options(csv_options, path, "Parquet")
    cells, failure = quietly(pq.read_table, path)
    if cells is None:
        what = "folder of Parquet files" if path.is_dir() else "Parquet file"
        raise DataError(f"{path.name!r} is not a readable {what} ({failure}). Pass a whole CSV or Parquet file.")
    if cells.num_columns == 0:
        raise DataError(f"{path.name!r} holds no columns. Pass a CSV or Parquet file.")
    names = [name for name in cells.column_names if not PANDAS_INDEX.fullmatch(name)]
    return ArrowSource(cells.select(names), "arrow")


def _no_csv_options(csv_options: Mapping[str, Any], path: Path, kind: str) -> None:
    if csv_options:
        raise DataError(f"The options {listing(csv_options)} are for CSV files; {path.name!r} is {kind}.")


def no_table(table: str | None, path: Path) -> None:
    if table is not None:
        raise DataError(f"A table was named, {shown(table)}, but {path.name!r} is not a database. Leave the name out.")


def as_path(path: str | os.PathLike[str]) -> Path:
    text = os.fsdecode(path)
    if "\n" in text or "\r" in text or "\0" in text or len(text) > 4096:
        raise DataError(
            "The text is not a path: it has line breaks or is too long. Pass the path of a CSV or Parquet file; save"
            " text that is in memory to a file first."
        )
    return Path(text)


def first_bytes(path: Path, count: int = 4) -> bytes:
    """What tells apart Parquet (PAR1), databases (16 bytes) and texts."""
    with path.open("rb") as file:
        return file.read(count)


def folder_name(path: Path) -> str:
    return "the folder given" if str(path.parent) == "." else repr(str(path.parent))
