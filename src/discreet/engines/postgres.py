# SPDX-License-Identifier: Apache-2.0
"""Count and publish the rows of a table or view of PostgreSQL. Rows are grouped there, and their tally comes back.

All passes see the same rows: they run in one transaction, REPEATABLE READ and READ ONLY, whose snapshot is taken by its
first query and kept until the engine is closed. The table is locked before (ACCESS SHARE, as every reader does), since
TRUNCATE and ALTER TABLE do not respect snapshots; others may read and write the rows all the while. No query holds a
cell: they name columns, and ask for counts, distinct cells, or all rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from discreet.data.column import MISSING_MARKS, Kind
from discreet.data.database_connection import Connection, Place, identifier
from discreet.data.frames import check_names
from discreet.data.notation import Formats
from discreet.engines.postgres_sample import postgres_sample
from discreet.engines.raw_cells import RawCells
from discreet.engines.table_sample import TableSample
from discreet.errors import DataError, listing, shown

_PLAIN = {"int2", "int4", "int8", "bool"}  # different cells are different values
_MOMENTS = {"date", "timestamp", "timestamptz"}
_NEVER = "'10000-01-01'"  # for infinity, which the driver cannot say: a year that is refused when the column is read
_REFUSED = {"bytea", "interval", "void", "record"}
_LOCKABLE = {"r", "p", "v"}  # tables, partitioned tables, views

_FIND = """
SELECT n.nspname::text AS schema, c.relname::text AS name, c.relkind::text AS sort
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass($1)"""
_DESCRIBE = """
WITH RECURSIVE base(place, name, oid) AS (
  SELECT attnum, attname, atttypid FROM pg_attribute
  WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT b.place, b.name, t.typbasetype FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype = 'd'
)
SELECT b.name::text AS name, t.typname::text AS type,
  n.nspname = 'pg_catalog' AS known, t.typtype = 'c' OR t.typcategory IN ('A', 'R', 'P') AS nested
FROM base b JOIN pg_type t ON t.oid = b.oid JOIN pg_namespace n ON n.oid = t.typnamespace
WHERE t.typtype <> 'd' ORDER BY b.place"""


class Postgres(RawCells):
    """A table or view of a PostgreSQL database.

    Parameters
    ----------
    url : str
        `postgresql://user@host/database/table`, or the URL of a database, and its `table`. All that libpq understands
        works: a password in the URL, PGPASSFILE, `?service=`, `?sslmode=`, `?host=` with the folder of a socket.
    table : str, optional
        `table` or `schema.table`, as in SQL; a name that holds a dot or a quote stands in double quotes.
    kinds, missing, decimal, thousands, date_format
        As for `Table.of`.
    memory_limit : str, such as "256MB"
        Memory that the server may use to group rows (work_mem) before it writes to its own temporary files.
    """

    def __init__(
        self,
        url: str,
        *,
        table: str | None = None,
        kinds: Mapping[str, Kind] | None = None,
        missing: Sequence[str] = MISSING_MARKS,
        decimal: str | Mapping[str, str] | None = None,
        thousands: str | Mapping[str, str] | None = None,
        date_format: str | Mapping[str, str] | None = None,
        memory_limit: str = "64MB",
    ):
        formats = Formats.of(decimal=decimal, thousands=thousands, date_format=date_format)
        super().__init__(kinds=kinds, missing=missing, formats=formats)
        if not re.fullmatch("[1-9][0-9]{0,5} ?[kMG]B", memory_limit):
            raise DataError("The memory limit is text such as '256MB': a whole number with kB, MB or GB.")
        place = Place.of(url, table)
        self._connection = Connection(place.uri, what=str(place))
        try:
            self._table, self._what = self._open(place)
            self._connection.run("SELECT set_config('work_mem', $1, true)", [memory_limit.replace(" ", "")])
            self._cells = self._described()
            check_names(self._cells)
            self._check_kinds()
        except BaseException:
            self.close()
            raise

    def _open(self, place: Place) -> tuple[str, str]:
        """Find the table, lock it, take the snapshot; the table in SQL and in messages."""
        found = self._connection.run(_FIND, [place.sql]).to_pylist()
        if not found:
            raise DataError(f"The database has no {str(place).removeprefix('the ')}, or this user may not see it.")
        schema, name, sort = found[0].values()
        self._connection.rollback()
        self._connection.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        table = f"{identifier(schema)}.{identifier(name)}"
        if sort in _LOCKABLE:
            self._connection.run(f"LOCK TABLE {table} IN ACCESS SHARE MODE")
        # Deciding takes a while in which the connection is idle; functions are those of PostgreSQL itself.
        self._connection.run("SET LOCAL idle_in_transaction_session_timeout = 0")
        self._connection.run("SET LOCAL search_path = pg_catalog, pg_temp")
        isolation = "current_setting('transaction_isolation') || ' ' || current_setting('transaction_read_only')"
        if self._connection.run(f"SELECT {isolation} AS it").column("it")[0].as_py() != "repeatable read on":
            raise DataError("The server did not open a transaction with one snapshot for all queries.")
        return table, f"table {shown(name)}"

    def _described(self) -> dict[str, str | None]:
        """Each column in SQL, as all queries select it; None for types that cannot be used."""
        columns = self._connection.run(_DESCRIBE, [self._table]).to_pylist()
        self._types = {one["name"]: one["type"] if one["known"] else "" for one in columns}
        return {
            one["name"]: None if one["nested"] else _cell(identifier(one["name"]), self._types[one["name"]])
            for one in columns
        }

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._cells)

    def __repr__(self) -> str:
        return f"Postgres({self._what}, columns {listing(self.names)})"

    def close(self) -> None:
        """Close the connection and give up the snapshot."""
        self._connection.close()

    def __enter__(self) -> Postgres:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- queries -------------------------------------------------------------------------------------------------------

    def _count(self) -> int:
        return self._connection.run(f"SELECT count(*) AS n FROM {self._table}").column("n")[0].as_py()

    def _state(self) -> object:
        return "one snapshot"

    def _n_different(self, name: str) -> int:
        different = f"({_select(self._selected([name]), self._table, by=1)}) AS cells"
        return self._connection.run(f"SELECT count(*) AS n FROM {different}").column("n")[0].as_py()

    def _groups(self, names: Sequence[str], person: str | None) -> pa.Table:
        keys = [f"c{place}" for place in range(len(names))]
        cells = self._selected(names)
        if person is None:
            return self._connection.run(_select([*cells, "count(*) AS n"], self._table, by=len(keys)))
        every = _select([*cells, f"{self._cell(person)} AS p", "count(*) AS n"], self._table, by=len(keys) + 1)
        counts = ["sum(n)::bigint AS n", "count(*) AS persons"]
        return self._connection.run(_select([*keys, *counts], f"({every}) AS pairs", by=len(keys)))

    def _distinct(self, names: Sequence[str]) -> pa.Table:
        return self._connection.run(_select(self._selected(names), self._table, by=len(names)))

    def _some_cells(self, name: str, most: int) -> pa.ChunkedArray:
        return self._connection.run(_select(self._selected([name]), self._table, by=1) + f" LIMIT {most + 1}").column(0)

    def _batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for batch in self._connection.batches(_select(self._selected(names), self._table)):
            yield pa.RecordBatch.from_arrays(batch.columns, names=list(names))

    def sample(self, columns: Sequence[str]) -> TableSample:
        return postgres_sample(self._connection, self._table, self._selected(columns))

    def likely_distinct(self, columns: Sequence[str]) -> int:
        return self.sample(columns).distinct().likely

    def identity(self, columns: Sequence[str]) -> list[Any] | None:
        """The number of rows and sums of hashes of them, which the server counts in one pass: rows have no file."""
        row = "ROW(" + ", ".join(self._cell(name) for name in columns) + ')::text COLLATE "C"'
        sums = [f"sum(hashtextextended({row}, {seed})::numeric)::text AS h{seed}" for seed in (1, 2)]
        return list(self._connection.run(_select(["count(*) AS n", *sums], self._table)).to_pylist()[0].values())

    def _is_plain(self, name: str) -> bool:
        return self._types[name] in _PLAIN

    def _selected(self, names: Sequence[str]) -> list[str]:
        return [f"{self._cell(name)} AS c{place}" for place, name in enumerate(names)]

    def _cell(self, name: str) -> str:
        cell = self._cells[name]
        if cell is None:
            raise DataError(
                f"Column {shown(name)} holds bytes, intervals, lists or structures of PostgreSQL; supported are text,"
                f" numbers, booleans and dates. Convert it in a view, or leave it without a role."
            )
        return cell


def _select(columns: Sequence[str], table: str, *, by: int = 0) -> str:
    """A query on a table, grouped by its first columns."""
    grouped = " GROUP BY " + ", ".join(str(place + 1) for place in range(by)) if by else ""
    return f"SELECT {', '.join(columns)} FROM {table}{grouped}"


def _cell(column: str, type: str) -> str | None:
    """A column of this type in SQL, so that what the server regards as equal is written in one way.

    Texts are compared byte by byte, whatever the collation; 1.0 and 1.00 are equal, so zeros at the end are cut off.
    """
    if type in _REFUSED:
        return None
    if type in _PLAIN or type in ("float4", "float8"):
        return column
    if type == "oid":
        return f"{column}::bigint"
    if type in ("numeric", "money"):
        return f'trim_scale({column}::numeric)::text COLLATE "C"'
    if type in _MOMENTS:
        return f"CASE WHEN NOT isfinite({column}) THEN {_NEVER} ELSE {column} END"
    return f'{column}::text COLLATE "C"'
