# SPDX-License-Identifier: Apache-2.0
"""A table of a SQLite file, copied once to a Parquet file that DuckDB counts.

SQLite hands out rows one by one, and sorts to group them. So its rows are read once, in one transaction: all passes
then see the same rows, whatever others write to the file. The copy is in a scratch folder, removed with this object.
"""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.database_files import SqliteTable
from discreet.errors import DataError
from discreet.foundation.atomic_files import scratch_folder

_GROUP = 2**17  # rows


class SqliteCopy:
    """`file` is the copy, as long as this object lives."""

    def __init__(self, path: Path, table: str | None):
        until_gone = ExitStack()
        self.file = until_gone.enter_context(scratch_folder()) / "table.parquet"
        weakref.finalize(self, until_gone.close)
        try:
            with SqliteTable(path, table) as source, pq.ParquetWriter(self.file, source.schema) as writer:
                waiting: list[pa.RecordBatch] = []
                for batch in source.batches():
                    waiting.append(batch)
                    if sum(map(len, waiting)) >= _GROUP:
                        writer.write_table(pa.Table.from_batches(waiting))
                        waiting = []
                writer.write_table(pa.Table.from_batches(waiting, source.schema))
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise DataError(f"{path.name!r} could not be copied to the temporary folder ({why}). Is it full?") from None
