# SPDX-License-Identifier: Apache-2.0
"""Copy the rows of a saved release into a new table of PostgreSQL.

A certificate states files and their hashes, and a table of a database has neither. So the release folder is written and
verified first, and remains what is certified; the table is a copy of its rows. It is written in one transaction, read
back, and compared with the files row by row, as multisets; only if they are equal is it committed. The comment of the
table names the release.
"""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pyarrow as pa

from discreet.data.database_connection import Connection, Place, identifier
from discreet.errors import DataError, PromiseBroken
from discreet.release.compared_rows import published_rows, same_rows
from discreet.release.verify import verify


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
    parts = published_rows(content)
    schema = next(published_rows(content)).schema
    rows = pa.RecordBatchReader.from_batches(schema, (batch for part in parts for batch in part.to_batches()))
    with closing(Connection(place.uri, what=f"making {place}")) as connection:
        written = connection.ingest(place, rows)
        cells = ", ".join(identifier(name) for name in schema.names)
        same = same_rows(content, connection.batches(f"SELECT {cells} FROM {place.sql}"))
        if same is None:
            raise DataError(f"What was written to {place} could not be read back; it was not committed.")
        if not same:
            raise DataError(f"What was read back from {place} is not what was written; it was not committed.")
        comment = f"Release {verification.id} of discreet: a copy of the rows that its certificate is about."
        connection.run(f"COMMENT ON TABLE {place.sql} IS '{comment}'")
        connection.commit()
    return written
