# SPDX-License-Identifier: Apache-2.0
"""Whether rows elsewhere, in a table of a database, are those of a release: each as often, in any order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from discreet.errors import quietly
from discreet.foundation.atomic_files import scratch_folder

_SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "false",
}


def published_rows(content: Any) -> Iterator[pa.Table]:
    """The published rows without dictionaries, a part at a time."""
    blocks = (block for _, block in content.arrow_blocks()) if content.is_stored else iter([content.to_arrow()])
    for block in blocks:
        yield block.cast(pa.schema([(field.name, _inner(field.type)) for field in block.schema]))


def _inner(t: pa.DataType) -> pa.DataType:
    return t.value_type if pa.types.is_dictionary(t) else t


def same_rows(content: Any, others: Iterable[pa.RecordBatch]) -> bool | None:
    """Whether the others, whose columns are in the same order, are exactly the published rows; None if unreadable.

    They are counted by DuckDB, on disk if need be.
    """
    import duckdb

    schema = next(published_rows(content)).schema
    plain = pa.schema([(f"c{number}", field.type) for number, field in enumerate(schema)])
    parts = (part.rename_columns(plain.names) for part in published_rows(content))
    published = (batch for part in parts for batch in part.to_batches())
    found = (_plain(batch, plain) for batch in others)
    with scratch_folder() as scratch, duckdb.connect(config=_SETTINGS | {"temp_directory": str(scratch)}) as counting:
        both = [
            counting.from_arrow(pa.RecordBatchReader.from_batches(plain, batches)).project(f"*, {sign} AS n")
            for batches, sign in ((published, 1), (found, -1))
        ]
        keys = ", ".join(plain.names)
        differing = both[0].union(both[1]).aggregate(f"{keys}, sum(n) AS n", keys).filter("n <> 0")
        counted, _ = quietly(differing.aggregate("count(*) AS n").fetchall)
    return None if counted is None else counted == [(0,)]


def _plain(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A batch as the database hands it out, without its notes about types."""
    cells = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(cells, schema=schema)
