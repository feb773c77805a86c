# SPDX-License-Identifier: Apache-2.0
"""Tables of SQLite and DuckDB database files, recognised by their first bytes.

A database file holds programs as well as rows: views, macros, triggers. So it is opened read-only, no extension is
loaded, and no view can read other files of this machine. SQLite is read by the standard library, DuckDB by DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from discreet.data.cell_kinds import text_of
from discreet.errors import DataError, did_you_mean, listing, quietly, shown

if TYPE_CHECKING:
    import sqlite3

    import duckdb

_SQLITE, _DUCKDB = b"SQLite format 3\0", b"DUCK"
_DUCKDB_AT = 8  # bytes before its mark
_ATTACHED = "database_file"
_LONGEST = 2**27  # bytes of a cell or a row of SQLite
_STEPS = 100_000  # of SQLite's machine, after which Python looks whether it was interrupted
_BATCH = 5000  # rows; more of them at once are slower, since they outgrow the processor's cache


def database_kind(start: bytes | None) -> str | None:
    """ "SQLite", "DuckDB", or None for any other file, by its first 16 bytes.

    >>> database_kind(b"SQLite format 3\\0"), database_kind(b"age,sex")
    ('SQLite', None)
    """
    if start is None:
        return None
    if start.startswith(_SQLITE):
        return "SQLite"
    return "DuckDB" if start[_DUCKDB_AT:].startswith(_DUCKDB) else None


def read_database(path: Path, kind: str, table: str | None = None) -> pa.Table:
    """A table of a database file of this kind, in memory."""
    if kind == "SQLite":
        with SqliteTable(path, table) as source:
            return pa.Table.from_batches(source.batches(), source.schema)
    import duckdb

    with duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}) as own:
        own.execute("SET TimeZone = 'UTC'")
        rows, failure = quietly(duckdb_table(path, table, own).to_arrow_table)
    if rows is None:
        raise _unreadable(path, failure)
    return rows


def _unreadable(path: Path, failure: str) -> DataError:
    return DataError(
        f"{path.name!r} cannot be read as a database ({failure}). Is it whole? Does another program write to it, or a"
        " view read other files, which is not allowed?"
    )


def _chosen(path: Path, table: str | None, names: Mapping[str, str]) -> str:
    """The table in SQL: the one that is named, or the only one."""
    if table is not None and table in names:
        return names[table]
    if table is not None:
        raise DataError(f"{path.name!r} has no table {shown(table)}.{did_you_mean(table, names)}")
    if not names:
        raise DataError(f"{path.name!r} is a database without tables.")
    if len(names) > 1:
        raise DataError(f"{path.name!r} holds {len(names)} tables: {listing(sorted(names), 20)}. Name one of them.")
    return next(iter(names.values()))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# -- DuckDB ------------------------------------------------------------------------------------------------------------


def duckdb_table(path: Path, table: str | None, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    """A table or view of a DuckDB file, attached to a connection, which can read no other file from then on.

    The file's schemas are not searched for names, so its macros cannot replace functions of DuckDB.
    """
    literal = str(path.absolute()).replace("'", "''")
    _, failure = quietly(connection.execute, f"ATTACH '{literal}' AS {_ATTACHED} (TYPE duckdb, READ_ONLY)")
    if failure:
        raise _unreadable(path, failure)
    connection.execute("SET enable_external_access = false")
    found = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $1 UNION ALL"
        " SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1 AND NOT internal",
        [_ATTACHED],
    ).fetchall()
    names = {
        name if schema == "main" else f"{schema}.{name}": f"{_ATTACHED}.{_quoted(schema)}.{_quoted(name)}"
        for schema, name in found
    }
    relation, failure = quietly(connection.table, _chosen(path, table, names))
    if relation is None:
        raise _unreadable(path, failure)
    return relation


# -- SQLite ------------------------------------------------------------------------------------------------------------


class SqliteTable:
    """A table or view of a SQLite file, whose rows are read in one transaction.

    SQLite allows cells of any type in any column. A column of whole numbers, of numbers or of texts gets that type;
    one that mixes texts and numbers is read as texts, as from a CSV file; one that holds bytes is not usable.
    """

    def __init__(self, path: Path, table: str | None = None):
        self._path = path
        connection, failure = quietly(self._open)
        if connection is None:
            raise _unreadable(path, failure)
        self._connection: sqlite3.Connection = connection
        try:
            self._table = _chosen(path, table, self._checked(self._names))
            self._columns, self.schema = self._checked(self._described)
        except BaseException:
            connection.close()
            raise

    def __enter__(self) -> SqliteTable:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows, a batch at a time."""
        cursor = self._checked(
            lambda: self._connection.execute(f"SELECT {', '.join(self._columns)} FROM {self._table}")
        )
        while rows := self._checked(lambda: cursor.fetchmany(_BATCH)):
            yield self._checked(lambda rows=rows: self._batch(rows))

    def _open(self) -> sqlite3.Connection:
        import sqlite3

        connection = sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        for safety in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {safety}")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        connection.set_progress_handler(lambda: 0, _STEPS)
        connection.execute("BEGIN")
        connection.execute(
            "SELECT count(*) FROM sqlite_master"
        ).fetchall()  # from here on, what others write is not seen
        allowed = {getattr(sqlite3, f"SQLITE_{word}") for word in ("SELECT", "READ", "FUNCTION", "RECURSIVE")}
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)
        return connection

    def _checked(self, work: Any) -> Any:
        result, failure = quietly(_noticing_interrupts, work)
        if failure == _InterruptError.__name__:
            raise KeyboardInterrupt
        if failure:
            raise _unreadable(self._path, failure)
        return result

    def _names(self) -> dict[str, str]:
        found = self._connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        return {name: _quoted(name) for (name,) in found if not name.startswith("sqlite_")}

    def _described(self) -> tuple[list[str], pa.Schema]:
        """The columns in SQL, and the types of their cells."""
        names = [column[0] for column in self._connection.execute(f"SELECT * FROM {self._table} LIMIT 0").description]
        columns = [_quoted(name) for name in names]
        sorts = ", ".join(f"typeof({column})" for column in columns)
        met = self._connection.execute(f"SELECT DISTINCT {sorts} FROM {self._table}").fetchall()
        sorts_of = [set(column) - {"null"} for column in zip(*met, strict=True)] or [set() for _ in names]
        self._mixed = {name for name, sorts in zip(names, sorts_of, strict=True) if len(sorts) > 1}
        types = [_type_of(one) for one in sorts_of]
        return columns, pa.schema(list(zip(names, types, strict=True)))

    def _batch(self, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
        arrays = [
            pa.array(_alike(cells, field.type) if field.name in self._mixed else cells, field.type)
            for cells, field in zip(zip(*rows, strict=True), self.schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


class _InterruptError(Exception):
    """SQLite stopped because of a signal: it swallows the exception that the signal raised."""


def _noticing_interrupts(work: Any) -> Any:
    import sqlite3

    try:
        return work()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            raise _InterruptError from None
        raise


def _type_of(sorts: set[str]) -> pa.DataType:
    if "blob" in sorts:
        return pa.binary()
    if "text" in sorts or not sorts:
        return pa.string()
    return pa.float64() if "real" in sorts else pa.int64()


def _alike(cells: Sequence[Any], type: pa.DataType) -> list[Any]:
    """Cells of several types as cells of one."""
    if pa.types.is_float64(type):
        return [None if cell is None else float(cell) for cell in cells]
    texts = [cell if cell is None or isinstance(cell, (str, bytes)) else text_of(cell) for cell in cells]
    return texts if pa.types.is_string(type) else [text.encode() if isinstance(text, str) else text for text in texts]
