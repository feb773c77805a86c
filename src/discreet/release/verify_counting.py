# SPDX-License-Identifier: Apache-2.0
"""Count the published rows of a release by an engine: out of memory, or on the workers of a cluster.

Files, hashes and cells are looked at as always, part by part. What an engine takes over is the count of distinct rows,
which needs most memory and time; what it counts is compared with the certificate like any other count. An engine reads
cells as those of a source, which may be written in many ways; so its values must be those that are found here. An
engine that reads tables of a database counts the table that the rows were copied to, which must hold exactly them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

from discreet.counting.row_counts import count_unique, remember_counts, row_counts, same_values
from discreet.data.content import Content
from discreet.data.roles import Roles
from discreet.data.stored_table import StoredTable
from discreet.errors import DataError, listing
from discreet.release.compared_rows import same_rows


def counting_by(engine: str, options: Mapping[str, Any]) -> Callable[[Content, Roles | None], None]:
    """What counts the rows of a release; DataError if there is no such engine, or it does not take these options."""
    from discreet.engines.engine_names import check_engine

    entry = check_engine(engine, options)
    if entry.source and entry.source not in options:
        raise DataError(
            f"The engine {engine} reads no files. Count the parts of a release by duckdb or spark; or name the table"
            f" that its rows were copied to with --{entry.source}, and it is compared with them."
        )
    return partial(_count, engine=engine, options=options)


def _count(content: Content, roles: Roles | None, engine: str, options: Mapping[str, Any]) -> None:
    """Count the parts of a published table by the named engine, and keep the counts for all checks."""
    from discreet.engines.engine_names import named_source, open_engine

    if roles is None or not isinstance(content, StoredTable):
        raise DataError(
            "The rows of this release are in one file, which is read whole. Engines count releases that lie in parts:"
            " leave out the engine."
        )
    counts = row_counts(content, roles)
    columns, seen = counts.columns, content.value_columns(counts.columns)
    if counts.beside:
        count_unique(content, counts.beside)  # looks at the other cells, too
    kinds = {name: content.kinds[name] for name in columns}
    reading: dict[str, Any] = {"kinds": kinds, "missing": ()}  # cells stand for themselves, whatever they look like
    table = named_source(engine, options)
    source = content.files[0].parent if table is None else table
    rows: Any = open_engine(engine, source, options=options, reading=reading)
    with closing(rows):
        if len(rows) != content.n_rows:
            where = "the parts, which have" if table is None else "the table, and the parts have"
            raise DataError(f"The engine finds {len(rows):,} rows in {where} {content.n_rows:,}.")
        if table is not None:
            _same_table(content, rows)
        counted = rows.tally(columns)
    for path in content.files:
        content.open(path).close()  # unchanged meanwhile
    remember_counts(content, counted)
    found = zip(seen, content.value_columns(columns), strict=True)
    differing = [ours.name for ours, theirs in found if not same_values(ours, theirs)]
    if differing:
        raise DataError(f"The engine finds other values in the parts than they have: {listing(differing)}.")


def _same_table(content: StoredTable, rows: Any) -> None:
    """Refuse a table that does not hold exactly the published rows."""
    if missing := [name for name in content.names if name not in rows.names]:
        raise DataError(f"The table lacks columns of the release: {listing(missing)}.")
    if more := [name for name in rows.names if name not in content.names]:
        raise DataError(f"The table has columns that are not in the release: {listing(more)}.")
    same = same_rows(content, rows.raw_rows(content.names))
    if same is None:
        raise DataError("The rows of the table could not be compared with the parts: it has columns of other types.")
    if not same:
        raise DataError("The rows of the table are not those of the parts.")
