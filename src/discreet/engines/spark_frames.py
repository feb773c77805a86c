# SPDX-License-Identifier: Apache-2.0
"""A DataFrame of Spark as files of its own.

A DataFrame may give other rows, or the same in another order, each time it is computed, and its rows have no numbers
that a repeated task would find again. So it is computed once, and its rows are written to a scratch folder that this
user alone can read, on a disk that all workers reach. The folder is removed with the engine; if the process is killed,
by the next one.
"""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.frames import check_names
from discreet.engines.spark_exchange import guarded, in_our_words
from discreet.errors import DataError

_ROW_GROUP = 2**20


def copied(frame: Any, folder: Path) -> list[Path]:
    """The files, in the order of the DataFrame's partitions."""
    check_names(frame.columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pyspark about the version of pandas, which is not used here
        written = in_our_words(lambda: frame.mapInArrow(_writer(folder), "place int, file string").collect())
    files = [folder / row["file"] for row in sorted(written, key=lambda row: row["place"])]
    if not files:
        raise DataError(f"The DataFrame has {len(frame.columns)} columns and no rows: there is nothing to count.")
    return files


def _writer(folder: Path) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        place = TaskContext.get().partitionId()
        name = f"{place}-{secrets.token_hex(8)}.parquet"  # a repeated task writes elsewhere
        if guarded(lambda: _write(batches, folder / name)):
            yield pa.RecordBatch.from_pydict({"place": pa.array([place], pa.int32()), "file": pa.array([name])})

    return write


def _write(batches: Iterator[pa.RecordBatch], file: Path) -> int:
    """Write all batches to a file, if there are rows at all; the number of rows."""
    writer, rows = None, 0
    for batch in batches:
        if len(batch):
            writer = writer or pq.ParquetWriter(file, batch.schema)
            writer.write_batch(batch, row_group_size=_ROW_GROUP)
            rows += len(batch)
    if writer is not None:
        writer.close()
    return rows
