# SPDX-License-Identifier: Apache-2.0
"""A sample of the rows of a table of PostgreSQL, which the server draws one by one.

Whole blocks would be read in less time (TABLESAMPLE SYSTEM), but rows that are alike were often written together, and
would look more frequent than they are. The number of rows of a plain table comes from what ANALYZE or VACUUM left in
the catalog and from the size of the table today; where there is none, and of views, they are counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.counting.distinct_estimate import SAMPLE
from discreet.data.database_connection import Connection
from discreet.engines.table_sample import TableSample
from discreet.errors import DataError

_ABOUT = """
SELECT c.relkind IN ('r', 'm') AND NOT c.relhassubclass AS plain, c.reltuples::float8 AS rows, c.relpages AS pages,
  CASE WHEN c.relkind IN ('r', 'm') THEN pg_relation_size(c.oid) / current_setting('block_size')::int END AS blocks
FROM pg_class c WHERE c.oid = to_regclass($1)"""


def postgres_sample(connection: Connection, table: str, cells: Sequence[str]) -> TableSample:
    """Some rows of the cells, which are named in SQL."""
    about = connection.run(_ABOUT, [table]).to_pylist()[0]
    is_exact = not (about["plain"] and about["rows"] > 0 and about["pages"] > 0)
    if is_exact:
        n_rows = connection.run(f"SELECT count(*) AS n FROM {table}").column("n")[0].as_py()
    else:
        n_rows = round(about["rows"] / about["pages"] * about["blocks"])
    share, select = SAMPLE / max(n_rows, 1), f"SELECT {', '.join(cells)} FROM {table}"
    if share >= 1:
        rows = connection.run(select)
        n_rows, is_exact = len(rows), True
    elif about["plain"]:
        rows = connection.run(f"{select} TABLESAMPLE BERNOULLI ({100 * share:.9f}) REPEATABLE (0)")
    else:
        rows = connection.run(f"{select} WHERE random() < {share:.12f}")
    if not len(rows):
        raise DataError("The table has no rows: there is nothing to count.")
    return TableSample.of_rows(rows, n_rows, is_exact=is_exact)
