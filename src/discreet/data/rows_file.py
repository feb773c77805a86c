# SPDX-License-Identifier: Apache-2.0
"""A CSV or Parquet file that is written a batch of rows at a time, each as `storage.py` writes a whole one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from discreet.data.formulas import neutral, neutral_cells
from discreet.data.storage import plain_texts
from discreet.errors import DataError
from discreet.foundation.lazy_modules import parquet as pq


class RowsFile:
    """A file for rows that come in batches of the same columns; the types are those of the first batch.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with RowsFile(Path(folder) / "x.csv", "csv") as file:
    ...         file.write(pa.table({"x": ["a", "=b"]}))
    ...         file.write(pa.table({"x": ["c"]}))
    ...     print(*(Path(folder) / "x.csv").read_text().split())
    "x" "a" "'=b" "c"
    """

    def __init__(self, path: Path, format: str):
        self._path, self._format = path, format
        self._writer: Any = None
        self._schema: Any = None

    def __enter__(self) -> RowsFile:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, rows: pa.Table) -> None:
        rows = plain_texts(rows)
        if self._format == "csv":
            cells = [neutral_cells(column) for column in rows.columns]
            rows = pa.table(cells, names=[neutral(name) for name in rows.column_names])
        if self._writer is None:
            self._schema, self._writer = rows.schema, self._opened(rows.schema)
        if rows.schema.names != self._schema.names:
            raise DataError("The files have other columns than the first.")
        self._writer.write_table(rows.cast(self._schema))

    def _opened(self, schema: pa.Schema) -> Any:
        if self._format == "csv":
            return pacsv.CSVWriter(self._path, schema, write_options=pacsv.WriteOptions(quoting_style="needed"))
        return pq.ParquetWriter(self._path, schema, compression="none", store_schema=False)
