# SPDX-License-Identifier: Apache-2.0
"""Read any frame, file or query as an Arrow table with valid column names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.data.csv import read_csv, read_text
from discreet.data.database_files import read_database
from discreet.data.file_kinds import PACKED, TEXT, kind_of
from discreet.data.formulas import unmarked
from discreet.data.frames import ArrowSource, check_names, from_frame, from_mapping, type_of
from discreet.data.held_file import (
    STANDARD_INPUT,
    HeldFile,
    Source,
    check_expansion,
    codec_of,
    files_of,
    folder_name,
    is_pattern,
    only_member,
    only_source,
    unpacked,
)
from discreet.data.read_apart import read_apart
from discreet.data.read_arrow import PANDAS_INDEX, read_arrow_file, read_parquet_file
from discreet.data.read_json import read_records
from discreet.data.read_postgres import read_by_url, url_in
from discreet.data.typed_columns import in_one_column
from discreet.errors import DataError, listing, quietly, shown
from discreet.foundation.plain_files import check_plain

__all__ = ["PANDAS_INDEX", "ArrowSource", "check_names", "folder_name", "read", "read_file", "source_name", "url_in"]

_MOST_PACKED = 2
_OPTIONS = {  # of reading that files with typed cells have, too
    "Excel": ("names", "header"),
    "JSON": ("encoding",),
    **dict.fromkeys(("SPSS", "Stata", "SAS", "SAS transport"), ("encoding",)),
}


def read(data: Any, *, empty: bool = False, **csv_options: Any) -> ArrowSource:
    """Read `data`; DataError if it is not a table, or has no rows, unless `empty` allows that."""
    is_file = isinstance(data, (str, os.PathLike, HeldFile))
    if csv_options and not is_file:
        raise DataError(f"The options {listing(csv_options)} are for CSV files; {type_of(data)} was given.")
    if is_file:
        source = read_file(data, **csv_options) if isinstance(data, HeldFile) else _read_path(data, **csv_options)
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


def source_name(path: str | os.PathLike[str]) -> str:
    """What a report calls the source of a table: the name of a file; of a URL, which may hold a password, only that.

    >>> source_name("data/people.csv"), source_name("-"), source_name("postgresql://ann:secret@host/clinic/people")
    ('people.csv', 'standard input', 'table of PostgreSQL')
    """
    text = os.fsdecode(path)
    if text == STANDARD_INPUT:
        return "standard input"
    return Path(text).name if url_in(text, None) is None else "table of PostgreSQL"


def _read_path(data: str | os.PathLike[str], **options: Any) -> ArrowSource:
    url = url_in(os.fsdecode(data), options.get("table"))
    if url is not None:
        table = options.pop("table", None)
        if options:
            raise DataError(f"The options {listing(options)} are for files; a table of PostgreSQL was named.")
        return ArrowSource(read_by_url(url, table), "arrow")
    path = as_path(data)
    return read_pattern(path, **options) if is_pattern(path) else read_file(path, **options)


def read_file(path: Source, *, table: str | None = None, packed: int = 0, **csv_options: Any) -> ArrowSource:
    """Read a table from a file, recognised by its content (`file_kinds.py`), a folder of Parquet files, the data of a
    release, or standard input, which is "-". `packed` is how often it was packed.
    """
    if packed > _MOST_PACKED:
        raise DataError(f"{path.name!r} is packed more than {_MOST_PACKED} times. Unpack it and pass the table.")
    source = _found(path)
    if isinstance(source, Path) and os.path.isfile(source / "certificate.json"):
        if os.path.isfile(source / "data.csv"):
            cells = unmarked(read_csv(source / "data.csv", **csv_options)[0])
            return ArrowSource(cells, "arrow", recognise=False)
        released = read_file(source / "data.parquet", table=table, **csv_options)
        texts = tuple(field.name for field in released.table.schema if _is_text(field.type))
        return replace(released, recognise=False, texts=texts)
    if isinstance(source, Path) and source.is_dir():
        return _typed(source, "Parquet", table, csv_options)
    kind = _kind(source)
    if codec_of(first_bytes(source)) is not None:
        if kind not in (TEXT, "JSON"):
            return read_file(unpacked(source), table=table, packed=packed + 1, **csv_options)
        check_expansion(source)
    if kind == PACKED:
        return read_file(only_member(source), table=table, packed=packed + 1, **csv_options)
    if kind != TEXT:
        return _typed(source, kind, table, csv_options)
    no_table(table, source)
    text = read_text(source, **csv_options)
    encoding = None if csv_options.get("encoding") else text.encoding
    return ArrowSource(text.cells, "arrow", encoding=encoding, delimiter=text.delimiter, notes=text.notes)


def _is_text(t: pa.DataType) -> bool:
    return pa.types.is_string(t.value_type if pa.types.is_dictionary(t) else t)


def _found(path: Source) -> Source:
    """The file that a path names; DataError if there is none."""
    path = only_source(path)
    if not isinstance(path, Path):
        return path
    there, failure = quietly(path.exists)
    if failure or not there:
        raise DataError(f"There is no file {path.name!r} in {folder_name(path)}. Check the path.")
    check_plain(path)
    return path


def _kind(source: Source) -> str:
    start, failure = quietly(first_bytes, source)
    if failure:
        raise DataError(f"{source.name!r} cannot be opened ({failure}). Check its permissions.")
    if not start:
        raise DataError(f"{source.name!r} is empty (0 bytes). A table needs a header line and rows.")
    return kind_of(source)


def _typed(source: Source, kind: str, table: str | None, options: Mapping[str, Any]) -> ArrowSource:
    """Read a file whose cells have types."""
    unfit = [name for name in options if name not in _OPTIONS.get(kind, ())]
    if unfit:
        raise DataError(f"The options {listing(unfit)} are for CSV files; {source.name!r} is {kind}.")
    if kind in ("SQLite", "DuckDB"):
        if not isinstance(source, Path):
            raise DataError(f"{shown(source.name)} is a database of {kind}, which is read from its own file. Name it.")
        return ArrowSource(read_database(source, kind, table), "arrow")
    if kind == "Excel":
        return _apart(source, kind, {**options, "table": table})
    no_table(table, source)
    if kind == "Parquet":
        return ArrowSource(read_parquet_file(source), "arrow")
    if kind == "Arrow":
        return ArrowSource(read_arrow_file(source), "arrow")
    if kind == "JSON":
        return read_records(source, **options)
    return _apart(source, kind, dict(options))


def _apart(source: Source, kind: str, options: dict[str, Any]) -> ArrowSource:
    cells, about = read_apart(source, kind, options)
    return ArrowSource(cells, "arrow", notes=tuple(about.get("notes", ())), labels=about.get("labels", {}))


def read_exactly(source: Source, kind: str) -> pa.Table:
    """A file of Excel, SPSS or Stata that was written by us: the first row of a sheet holds the names."""
    return read_apart(source, kind, {"exact": True} if kind == "Excel" else {})[0]


def read_pattern(pattern: Path, **options: Any) -> ArrowSource:
    """The files that a pattern such as 'parts/*.csv' names, in the order of their names, as one table."""
    files = files_of(pattern)
    sources = [read_file(path, **options) for path in files]
    first = sources[0].table.column_names
    for path, source in zip(files, sources, strict=True):
        differing = set(first) ^ set(source.table.column_names)
        if differing:
            raise DataError(
                f"{path.name!r} has other columns than {files[0].name!r}: {len(differing)} names are in one of them"
                " alone. Files that are read together have the same columns."
            )
    if len(sources) == 1:
        return sources[0]
    columns = {name: in_one_column([source.table.column(name) for source in sources]) for name in first}
    encodings, delimiters = ({getattr(one, name) for one in sources} for name in ("encoding", "delimiter"))
    notes = tuple(f"{path.name}: {note}" for path, source in zip(files, sources, strict=True) for note in source.notes)
    return ArrowSource(
        pa.table(columns),
        "arrow",
        unusable={name: why for source in sources for name, why in source.unusable.items()},
        encoding=encodings.pop() if len(encodings) == 1 else None,
        delimiter=delimiters.pop() if len(delimiters) == 1 else None,
        notes=(f"{len(files)} files were read as one table.", *notes),
        labels={name: label for source in sources for name, label in source.labels.items()},
    )


def no_table(table: str | None, path: Source) -> None:
    if table is not None:
        raise DataError(
            f"A table was named, {shown(table)}, but {path.name!r} is not a database or a workbook. Leave the name out."
        )


def as_path(path: str | os.PathLike[str]) -> Path:
    text = os.fsdecode(path)
    if "\n" in text or "\r" in text or "\0" in text or len(text) > 4096:
        raise DataError(
            "The text is not a path: it has line breaks or is too long. Pass the path of a CSV or Parquet file; save"
            " text that is in memory to a file first."
        )
    return Path(text)


def first_bytes(path: Source, count: int = 4) -> bytes:
    """What tells apart Parquet (PAR1), databases (16 bytes) and texts."""
    with path.open("rb") as file:
        return file.read(count)
