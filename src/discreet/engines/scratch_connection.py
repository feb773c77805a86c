# SPDX-License-Identifier: Apache-2.0
"""A connection of DuckDB's own: no extension is fetched, and what does not fit in memory goes to a private folder."""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from typing import Any

import duckdb

from discreet.errors import DataError, quietly
from discreet.foundation.atomic_files import scratch_folder

_SETTINGS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


def connection_for(engine: object, **options: Any) -> duckdb.DuckDBPyConnection:
    """A connection with these options, None for DuckDB's own choice.

    Without a `temp_directory` it writes to a scratch folder, which is removed with the engine.
    """
    if options.get("temp_directory") is None:
        until_gone = ExitStack()
        options["temp_directory"] = until_gone.enter_context(scratch_folder())
        weakref.finalize(engine, until_gone.close)
    settings = {name: str(value) for name, value in options.items() if value is not None}
    connection, failure = quietly(lambda: duckdb.connect(config=_SETTINGS | settings))
    if connection is None:
        raise DataError(
            f"DuckDB does not accept these options ({failure}): memory_limit is text such as '4GB', threads a whole"
            f" number above 0, temp_directory a folder that can be written."
        )
    connection.execute("SET TimeZone = 'UTC'")
    return connection
