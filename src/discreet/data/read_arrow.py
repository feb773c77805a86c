# SPDX-License-Identifier: Apache-2.0
"""Parquet and Arrow files (IPC file, IPC stream, Feather) as tables, checked before cells are used."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.data.held_file import Source
from discreet.errors import DataError, quietly, shown
from discreet.foundation.lazy_modules import parquet as pq

_FEW_BYTES = 3  # of a cell: texts that differ take more
PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # how pandas stores a nameless index


def read_parquet_file(source: Source) -> pa.Table:
    """A Parquet file, or a folder of them."""
    what = "folder of Parquet files" if isinstance(source, Path) and source.is_dir() else "Parquet file"
    return _columns(source, what, lambda: pq.read_table(_opened(source), read_dictionary=_repeated_texts(source)))


def _repeated_texts(source: Source) -> list[str]:
    """The columns of texts that the file holds as dictionaries of few entries, and that are kept so in memory."""
    if isinstance(source, Path) and source.is_dir():
        return []
    footer = pq.read_metadata(_opened(source))
    texts = [place for place, field in enumerate(footer.schema.to_arrow_schema()) if pa.types.is_string(field.type)]
    if footer.num_columns != len(footer.schema.to_arrow_schema()):
        return []  # nested columns, which are refused where they are used
    groups = [footer.row_group(group) for group in range(footer.num_row_groups)]
    return [
        footer.schema.column(place).name
        for place in texts
        if all(one.column(place).total_uncompressed_size <= _FEW_BYTES * one.num_rows + 2**16 for one in groups)
    ]


def read_arrow_file(source: Source) -> pa.Table:
    """An Arrow IPC file or stream, or a Feather file of either version."""

    def read() -> pa.Table:
        with source.open("rb") as file:
            start = file.read(6)
        if start.startswith(b"FEA1"):
            from pyarrow import feather

            table = feather.read_table(_opened(source), memory_map=False)
        elif start.startswith(b"ARROW1"):
            table = pa.ipc.open_file(_opened(source)).read_all()
        else:
            table = pa.ipc.open_stream(_opened(source)).read_all()
        table.validate(full=True)  # a damaged offset would crash whoever follows it
        return table

    return _columns(source, "Arrow file", read)


def _opened(source: Source) -> Any:
    return source if isinstance(source, Path) else pa.BufferReader(source.content)


def _columns(source: Source, what: str, read: Callable[[], pa.Table]) -> pa.Table:
    cells, failure = quietly(read)
    if cells is None:
        raise DataError(f"{shown(source.name)} is not a readable {what} ({failure}). Pass a whole CSV or Parquet file.")
    if cells.num_columns == 0:
        raise DataError(f"{shown(source.name)} holds no columns. Pass a CSV or Parquet file.")
    return cells.select([name for name in cells.column_names if not PANDAS_INDEX.fullmatch(name)])
