# SPDX-License-Identifier: Apache-2.0
"""Copy the rows of a saved release into a new table of PostgreSQL.

A certificate states files and their hashes, and a table of a database has neither. So the release folder is written and
verified first, and remains what is certified; the table is a copy of its rows. It is written in one transaction, read
back, and compared with the files row by row, as multisets; only if they are equal is it committed. The comment of the
table names the release.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from discreet.data.database_connection import Connection, Place, identifier
from discreet.errors import DataError, PromiseBroken, quietly
from discreet.foundation.atomic_files import scratch_folder
from discreet.release.verify import verify

_SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "false",
}


def check_sink(url: str) -> None:
    """Raise DataError unless a table can be made there; nothing remains of the attempt."""
    place = Place.of(url)
    with closing(Connection(place.uri, what=f"making {place}")) as connection:
        connection.run(f"CREATE TABLE {place.sql} ()")


def copy_to_table(folder: str | os.PathLike[str], url: str) -> int:
    """Copy the rows of a release folder to a new table, `postgresql://user@host/database/table`; how many there are.

    The folder is verified first. A table that exists is not replaced.
    """
    place = Place.of(url)
    verification = verify(Path(folder))
    if not verification.holds or verification.content is None:
        raise PromiseBroken(f"{verification.sentence()} Nothing was copied.")
    content = verification.content
    if content.shape_name != "table":
        raise DataError(f"A release of {content.shape_name} is no table, so it cannot be copied to one.")
    schema = next(_rows(content)).schema
    rows = pa.RecordBatchReader.from_batches(schema, (batch for part in _rows(content) for batch in part.to_batches()))
    with closing(Connection(place.uri, what=f"making {place}")) as connection:
        written = connection.ingest(place, rows)
        if not _same_rows(content, connection, place, schema):
            raise DataError(f"What was read back from {place} is not what was written; it was not committed.")
        comment = f"Release {verification.id} of discreet: a copy of the rows that its certificate is about."
        connection.run(f"COMMENT ON TABLE {place.sql} IS '{comment}'")
        connection.commit()
    return written


def _rows(content: Any) -> Iterator[pa.Table]:
    """The published rows without dictionaries, a part at a time."""
    blocks = (block for _, block in content.arrow_blocks()) if content.is_stored else iter([content.to_arrow()])
    for block in blocks:
        yield block.cast(pa.schema([(field.name, _inner(field.type)) for field in block.schema]))


def _inner(t: pa.DataType) -> pa.DataType:
    return t.value_type if pa.types.is_dictionary(t) else t


def _same_rows(content: Any, connection: Connection, place: Place, schema: pa.Schema) -> bool:
    """Whether the table holds exactly the published rows, each as often; counted by DuckDB, on disk if need be."""
    cells = ", ".join(f"{identifier(name)} AS c{number}" for number, name in enumerate(schema.names))
    plain = pa.schema([(f"c{number}", field.type) for number, field in enumerate(schema)])
    published = (batch for part in _rows(content) for batch in part.rename_columns(plain.names).to_batches())
    found = (_plain(batch, plain) for batch in connection.batches(f"SELECT {cells} FROM {place.sql}"))
    with scratch_folder() as scratch, duckdb.connect(config=_SETTINGS | {"temp_directory": str(scratch)}) as counting:
        both = [
            counting.from_arrow(pa.RecordBatchReader.from_batches(plain, batches)).project(f"*, {sign} AS n")
            for batches, sign in ((published, 1), (found, -1))
        ]
        keys = ", ".join(plain.names)
        differing = both[0].union(both[1]).aggregate(f"{keys}, sum(n) AS n", keys).filter("n <> 0")
        counted, failure = quietly(differing.aggregate("count(*) AS n").fetchall)
    if counted is None:
        raise DataError(f"What was written to {place} could not be read back ({failure}); it was not committed.")
    return counted == [(0,)]


def _plain(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A batch as the database hands it out, without its notes about types."""
    cells = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(cells, schema=schema)
