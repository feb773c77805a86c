# SPDX-License-Identifier: Apache-2.0
"""Publish on the workers of Spark: apply, give every row a random number, and write the rows in its order.

The number of a row is drawn by the secret, the file and the number of the row in the file alone (SHAKE-256), so a
repeated task draws it again. Its upper part is the bucket, and the rows of a bucket are sorted by it, so that all
orders of the rows are equally likely. Each task writes its parts to a folder of its own, and returns their names; the
driver takes what successful tasks returned, and nothing else.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.engines.parts_sink import PartsSink, rows_of_part
from discreet.engines.protocol import ORDER, PERSON, Apply
from discreet.engines.spark_counting import from_bytes, scattered
from discreet.engines.spark_pieces import RowPiece

_BLOCK = 4096  # numbers that are drawn at once


@dataclass(frozen=True)
class WrittenParts:
    """The parts that a task wrote, with the files of persons beside them if these are counted."""

    files: tuple[Path, ...] = ()
    persons: tuple[Path, ...] = ()
    rows: int = 0


@dataclass(frozen=True)
class PublishRows:
    """Tasks: rows through `apply` to buckets, and each bucket to files in a folder that all workers can write to."""

    columns: tuple[str, ...]
    n_buckets: int
    folder: Path

    def scatter(self, piece: RowPiece, shared: tuple[Apply, bytes]) -> Iterator[tuple[int, bytes]]:
        apply, secret = shared
        compact = []
        for first, batch in piece.batches(self.columns):
            numbers = row_numbers(secret, piece.file, first, len(batch))
            compact.append(apply.compact(batch, numbers))
        if compact:
            rows = pa.Table.from_batches(compact)
            upper = rows.column(ORDER).to_numpy() >> np.uint64(32)
            bucket = ((upper * np.uint64(self.n_buckets)) >> np.uint64(32)).astype(np.uint16)
            yield from scattered(rows, bucket, self.n_buckets)

    def gather(self, bucket: int, parts: Iterable[bytes], shared: tuple[Apply, bytes]) -> WrittenParts:
        apply, _ = shared
        tables = list(map(from_bytes, parts))
        if not tables:
            return WrittenParts()
        rows = pa.concat_tables(tables)
        del tables
        rows = rows.take(np.argsort(rows.column(ORDER).to_numpy(), kind="stable")).drop_columns([ORDER])
        own = self.folder / f"{bucket}-{secrets.token_hex(8)}"  # a repeated task writes elsewhere
        own.mkdir(mode=0o700)
        most = rows_of_part(len(apply.schema))
        has_persons = PERSON in apply.schema.names
        with PartsSink(own / "rows", own / "persons" if has_persons else None) as sink:
            for start in range(0, len(rows), most):
                sink.write(apply.published(rows.slice(start, most)))
        persons = tuple(own / "persons" / file.name for file in sink.files) if has_persons else ()
        return WrittenParts(tuple(sink.files), persons, len(rows))


def row_numbers(secret: bytes, file: int, first: int, n: int) -> np.ndarray:
    """The random numbers of n rows of a file, from the row `first` on.

    >>> both = row_numbers(b"s" * 32, 0, 4090, 10)
    >>> both.tolist() == [*row_numbers(b"s" * 32, 0, 4090, 4), *row_numbers(b"s" * 32, 0, 4094, 6)]
    True
    """
    blocks = range(first // _BLOCK, (first + n - 1) // _BLOCK + 1) if n else range(0)
    place = b"discreet order" + secret + file.to_bytes(8, "big")
    drawn = b"".join(hashlib.shake_256(place + block.to_bytes(8, "big")).digest(8 * _BLOCK) for block in blocks)
    return np.frombuffer(drawn, dtype="<u8")[first - blocks.start * _BLOCK :][:n]


def rows_of_written(file: Path, persons: Path | None) -> pa.Table:
    """The rows of a written part, with the persons as their last column."""
    rows = pq.read_table(file)
    return rows if persons is None else rows.append_column(PERSON, pq.read_table(persons).column(0))
