# SPDX-License-Identifier: Apache-2.0
"""Count the published rows of a release by an engine: out of memory, or on the workers of a cluster.

Files, hashes and cells are looked at as always, part by part. What an engine takes over is the count of distinct rows,
which needs most memory and time; what it counts is compared with the certificate like any other count. An engine reads
cells as those of a source, which may be written in many ways; so its values must be those that are found here.
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


def counting_by(engine: str, options: Mapping[str, Any]) -> Callable[[Content, Roles | None], None]:
    """What counts the rows of a release; DataError if there is no such engine, or it does not take these options."""
    from discreet.engines.engine_names import check_engine

    check_engine(engine, options)
    return partial(_count, engine=engine, options=options)


def _count(content: Content, roles: Roles | None, engine: str, options: Mapping[str, Any]) -> None:
    """Count the parts of a published table by the named engine, and keep the counts for all checks."""
    from discreet.engines.engine_names import open_engine

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
    rows: Any = open_engine(engine, content.files[0].parent, options=options, reading=reading)
    with closing(rows):
        if len(rows) != content.n_rows:
            raise DataError(f"The engine finds {len(rows)} rows in the parts, which have {content.n_rows}.")
        counted = rows.tally(columns)
    for path in content.files:
        content.open(path).close()  # unchanged meanwhile
    remember_counts(content, counted)
    found = zip(seen, content.value_columns(columns), strict=True)
    differing = [ours.name for ours, theirs in found if not same_values(ours, theirs)]
    if differing:
        raise DataError(f"The engine finds other values in the parts than they have: {listing(differing)}.")
