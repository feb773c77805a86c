# SPDX-License-Identifier: Apache-2.0
"""A table or view of PostgreSQL, named by a URL and read whole; the engine counts those that outgrow memory."""

from __future__ import annotations

import re
from contextlib import closing

import pyarrow as pa

from discreet.data.database_connection import Connection, Place, identifier
from discreet.errors import DataError

_URL = re.compile(r"(?P<scheme>postgres(?:ql)?):/(?P<slashes>/*)(?P<rest>.*)", re.DOTALL)
_TYPED = (  # cells that come as they are; of any other type they come as text
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_boolean,
    pa.types.is_string,
    pa.types.is_date,
    pa.types.is_timestamp,
)


def url_in(text: str, table: str | None) -> str | None:
    """The URL that a text is, None if it is none.

    A command takes it for a path and makes one slash of several. How many parts there are tells whether a host was
    among them, since a table, or a database and its `table`, must be.

    >>> url_in("postgresql:/db.example/clinic/people", None), url_in("postgresql:/clinic/people?host=/run", None)
    ('postgresql://db.example/clinic/people', 'postgresql:///clinic/people?host=/run')
    >>> url_in("people.csv", None)
    """
    found = _URL.fullmatch(text)
    if found is None:
        return None
    if found["slashes"]:
        return text
    parts = found["rest"].partition("?")[0].strip("/").count("/") + 1
    has_host = parts >= (3 if table is None else 2)
    return f"{found['scheme']}://{'' if has_host else '/'}{found['rest']}"


def read_by_url(url: str, table: str | None) -> pa.Table:
    """All rows of `postgresql://user@host/database/table`, or of a database and its `table`."""
    place = Place.of(url, table)
    with closing(Connection(place.uri, what=f"reading {place}")) as connection:
        schema = connection.run(f"SELECT * FROM {place.sql} LIMIT 0").schema
        if not len(schema):
            raise DataError(f"{str(place).capitalize()} has no columns.")
        cells = [identifier(one.name) if _is_typed(one.type) else f"{identifier(one.name)}::text" for one in schema]
        rows = connection.run(f"SELECT {', '.join(cells)} FROM {place.sql}")
    return pa.table([column.cast(_bare(column.type)) for column in rows.columns], names=schema.names)


def _is_typed(kind: pa.DataType) -> bool:
    return not isinstance(kind, pa.BaseExtensionType) and any(fits(kind) for fits in _TYPED)


def _bare(kind: pa.DataType) -> pa.DataType:
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind
