# SPDX-License-Identifier: Apache-2.0
"""Connections to PostgreSQL: how a table is named, what is said when something fails, and one snapshot for all passes.

Passwords stand in the URL, in a password file (PGPASSFILE) or in a service file; the URL goes to the driver and is kept
nowhere. The messages of driver and server quote cells, and even parts of URLs, so none is passed on: failures are told
apart by their code or by fixed words, and said anew.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from discreet.errors import DataError, quietly, shown

_SCHEMES = ("postgresql://", "postgres://")
_NAME = r'"(?:[^"]|"")+"|[^".]+'
_QUALIFIED = re.compile(rf"(?:({_NAME})\.)?({_NAME})")
_FORM = "postgresql://user@host/database/table, or .../database/schema.table"

_WORDS = {  # of the driver and of a server without a connection
    r"(closed|terminating) (the )?connection|could not (receive|send)|no connection to|reset by peer|getCopyData": (
        "the connection was lost"
    ),
    r"already exists": "a table of that name exists already",
    r"password authentication failed|role .* does not exist": "the server did not accept the user or the password",
    r"no password supplied": "the server asks for a password; give one in a password file (PGPASSFILE) or a service",
    r"database .* does not exist": "the server has no database of that name",
    r"permission denied for database": "this user may not connect to the database",
    r"no pg_hba.conf entry": "the server does not let this user in from this machine",
    r"definition of service|service file": "there is no such service in the service file (PGSERVICEFILE)",
    r"translate host name": "there is no host of that name",
    r"Connection refused|No such file|No route|unreachable": "no server answers there; check host and port",
    r"timeout expired|timed out": "the server did not answer in time",
    r"too many clients|connection slots|too many connections": "the server has no connection left",
    r"starting up|shutting down|recovery mode": "the server is starting or stopping; try again",
    r"SSL|TLS|certificate": "an encrypted connection could not be agreed upon; check sslmode and certificates",
    r"percent|unexpected|end of string|invalid|missing": (
        "the URL cannot be read; in names and passwords write %40 for @, %2F for /, %3F for ?, %20 for a space"
    ),
}
_CODES = {  # SQLSTATE, or its first two letters
    "42P01": "there is no such table",
    "42501": "this user may not do that; ask for the right (GRANT)",
    "3F000": "there is no such schema",
    "42P07": "a table of that name exists already",
    "25006": "the connection is read-only",
    "40": "another session was in the way; try again",
    "53100": "the disk of the server is full",
    "53": "the server lacks memory or connections",
    "57014": "the server cancelled the query, perhaps after a time limit (statement_timeout)",
    "57": "the server ended the connection",
    "08": "the connection was lost",
    "22": "a query of the table or view failed on a cell",
    "42": "a column, type or function of the table cannot be used",
}


@dataclass(frozen=True)
class Place:
    """A table of a database. The URL of the database may hold a password, so it is never shown."""

    uri: str = field(repr=False)
    schema: str | None
    table: str

    @classmethod
    def of(cls, url: str, table: str | None = None) -> Place:
        """From `postgresql://user@host/database/table`, or from the URL of a database and the name of a table.

        A table is named as in SQL, `table` or `schema.table`; a name that holds a dot or a quote stands in double
        quotes. Letters are not folded: People is not people.

        >>> place = Place.of("postgresql://ann:secret@db.example/clinic/public.people?sslmode=require")
        >>> place, place.uri.replace("secret", "...")
        (Place(schema='public', table='people'), 'postgresql://ann:...@db.example/clinic?sslmode=require')
        """
        scheme = next((one for one in _SCHEMES if url.startswith(one)), None)
        if scheme is None:
            raise DataError(f"The URL of a table of PostgreSQL begins with {_SCHEMES[0]}. Write {_FORM}.")
        before, mark, options = url[len(scheme) :].partition("?")
        authority, *path = before.split("/")
        if table is None:
            if len(path) != 2 or not path[1]:
                raise DataError(
                    f"The URL names no table. Write {_FORM}; or the URL of the database, and name the table."
                )
            table = unquote(path.pop())
        if len(path) > 1:
            raise DataError(f"The URL names more than a database, besides the name of a table. Write {_FORM}.")
        found = _QUALIFIED.fullmatch(table)
        if found is None:
            raise DataError(
                f"{shown(table)} is not the name of a table. A name that holds a dot or a quote stands in double"
                ' quotes, and a quote in it is written twice, as in schema."odd.name".'
            )
        schema, name = (None if part is None else _bare(part) for part in found.groups())
        return cls(scheme + "/".join([authority, *path]) + mark + options, schema, name or "")

    @property
    def sql(self) -> str:
        return identifier(self.table) if self.schema is None else f"{identifier(self.schema)}.{identifier(self.table)}"

    def __str__(self) -> str:
        return f"the table {shown(self.table if self.schema is None else f'{self.schema}.{self.table}')}"


def _bare(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def holds_password(url: str) -> bool:
    """Whether the URL of a database holds a password.

    >>> holds_password("postgresql://ann:secret@h/clinic/people"), holds_password("postgresql://ann@h:5432/clinic/people")
    (True, False)
    """
    before, _, options = url.partition("?")
    user = before.partition("://")[2].rpartition("@")[0]
    return ":" in user or "password=" in options


def identifier(name: str) -> str:
    """A name in SQL, whatever it holds.

    >>> identifier('a"b; --')
    '"a""b; --"'
    """
    if "\0" in name:
        raise DataError("A name with a zero byte is not a name of PostgreSQL.")
    return '"' + name.replace('"', '""') + '"'


class Connection:
    """A connection in a transaction; whatever fails is a DataError in our words."""

    def __init__(self, uri: str, *, what: str):
        self._what = what
        driver, _ = quietly(importlib.import_module, "adbc_driver_postgresql.dbapi", errors=(ImportError,))
        if driver is None:
            raise DataError("PostgreSQL needs the driver of the extra `postgres`: pip install 'discreet[postgres]'.")
        self._connection, why = _told(lambda: driver.connect(uri))
        if why:
            raise DataError(f"There is no connection to the database: {why}.")
        _, why = _told(self._ask_for_utf8)
        if why:
            self.close()
            raise DataError(f"There is no connection to the database: {why}.")

    def _ask_for_utf8(self) -> None:
        """Have texts sent as UTF-8, whatever the encoding of the database."""
        with self._connection.cursor() as cursor:
            cursor.execute("SET client_encoding = 'UTF8'")
        self._connection.commit()

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> pa.Table:
        """The result of a statement; of no columns for those that return nothing."""

        def fetched() -> pa.Table:
            with self._connection.cursor() as cursor:
                cursor.execute(sql, parameters) if parameters else cursor.execute(sql)
                return cursor.fetch_arrow_table() if cursor.description else pa.table({})

        return self._checked(*_told(fetched))

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """The rows of a query, a batch at a time, as they arrive."""
        cursor = self._connection.cursor()
        try:
            self._checked(*_told(lambda: cursor.execute(sql)))
            reader = self._checked(*_told(cursor.fetch_record_batch))
            while (batch := self._checked(*_told(lambda: next(reader, None)))) is not None:
                yield batch
        finally:
            _told(cursor.close)

    def ingest(self, place: Place, rows: pa.RecordBatchReader) -> int:
        """Make a new table of these rows, by COPY; the number of rows."""

        def copied() -> int:
            with self._connection.cursor() as cursor:
                return cursor.adbc_ingest(place.table, rows, mode="create", db_schema_name=place.schema)

        return self._checked(*_told(copied))

    def commit(self) -> None:
        self._checked(*_told(self._connection.commit))

    def rollback(self) -> None:
        self._checked(*_told(self._connection.rollback))

    def close(self) -> None:
        """Close the connection; whatever was not committed is undone."""
        _told(self._connection.rollback)
        _told(self._connection.close)

    def _checked(self, result: Any, why: str) -> Any:
        if why:
            raise DataError(f"PostgreSQL failed at {self._what}: {why}.")
        return result


def _told(work: Callable[[], Any]) -> tuple[Any, str]:
    """What `work` returns; or None and, in our words, why it failed."""
    try:
        return work(), ""
    except Exception as error:
        return None, _in_our_words(getattr(error, "sqlstate", None) or "", str(error)) or type(error).__name__


def _in_our_words(code: str, message: str) -> str:
    if code:
        return _CODES.get(code) or _CODES.get(code[:2]) or f"the server said {code}"
    return next((ours for theirs, ours in _WORDS.items() if re.search(theirs, message)), "")
