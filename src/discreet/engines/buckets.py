# SPDX-License-Identifier: Apache-2.0
"""Rows in an order that reveals nothing, with a part of them in memory at a time.

Every row goes to a bucket drawn by chance, and each bucket is permuted by itself. That is the order of rows sorted by
independent random keys, of which the bucket is the leading part: every order of all rows is equally likely. Buckets
hold cells in clear, so they live in a scratch folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from discreet.foundation.randomness import Randomness

_GATHERED = 1 << 20  # rows that are scattered at once, so that what goes to a bucket is not tiny


class Buckets:
    """Batches of rows of one schema, scattered to files; `shuffled` returns them in random order.

    n_buckets must be below 65,536; all rows of a bucket must fit into memory. Dictionaries must be the same in all
    batches.

    >>> from discreet.foundation.atomic_files import scratch_folder
    >>> with scratch_folder() as folder:
    ...     buckets = Buckets(folder, pa.schema({"x": pa.int64()}), n_buckets=3, randomness=Randomness(0))
    ...     buckets.add(pa.record_batch({"x": [1, 2, 3, 4]}))
    ...     sorted(x for part in buckets.shuffled() for x in part.column("x").to_pylist())
    [1, 2, 3, 4]
    """

    def __init__(self, folder: Path, schema: pa.Schema, *, n_buckets: int, randomness: Randomness):
        self._schema, self._randomness = schema, randomness
        self._files = [folder / f"bucket-{place}.arrow" for place in range(n_buckets)]
        self._writers = [pa.ipc.new_stream(str(file), schema) for file in self._files]
        self._waiting: list[pa.RecordBatch] = []
        self._n_waiting = 0

    def add(self, batch: pa.RecordBatch) -> None:
        self._waiting.append(batch)
        self._n_waiting += len(batch)
        if self._n_waiting >= _GATHERED:
            self._scatter()

    def shuffled(self) -> Iterator[pa.Table]:
        """The rows of one bucket after another, each in random order; each file is removed when it was read."""
        self._scatter()
        for writer in self._writers:
            writer.close()
        for file in self._files:
            with pa.OSFile(str(file)) as source, pa.ipc.open_stream(source) as reader:
                rows = reader.read_all()
            file.unlink()
            if len(rows):
                order = _order(self._randomness, len(rows))
                yield pa.table([_taken(column, order) for column in rows.columns], schema=self._schema)

    def _scatter(self) -> None:
        if not self._n_waiting:
            return
        rows = pa.Table.from_batches(self._waiting, self._schema)
        keys = np.frombuffer(self._randomness.bytes(4 * len(rows)), dtype="<u4")
        bucket = ((keys * np.uint64(len(self._files))) >> np.uint64(32)).astype(np.uint16)
        order = np.argsort(bucket, kind="stable")  # a radix sort
        rows = pa.table([_taken(column, order) for column in rows.columns], schema=self._schema)
        ends = np.cumsum(np.bincount(bucket, minlength=len(self._files)))
        for writer, start, end in zip(self._writers, np.append(0, ends), ends, strict=False):
            if end > start:
                writer.write_table(rows.slice(start, end - start))
        self._waiting, self._n_waiting = [], 0


def _order(randomness: Randomness, n: int) -> np.ndarray:
    order = np.arange(n, dtype=np.int64)
    randomness.shuffle(order)
    return order


def _taken(column: pa.ChunkedArray, order: np.ndarray) -> pa.Array:
    """The cells in another order; whole numbers without nulls, such as codes, by NumPy, which is faster."""
    cells = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if pa.types.is_integer(cells.type) and not cells.null_count:
        return pa.array(cells.to_numpy().take(order))
    return cells.take(pa.array(order))
