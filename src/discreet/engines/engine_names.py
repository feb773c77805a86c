# SPDX-License-Identifier: Apache-2.0
"""The engines by their names on the command line, and which options each of them takes. To add one, enter it here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.engines.protocol import Engine
from discreet.errors import DataError, did_you_mean, listing


@dataclass(frozen=True)
class EngineEntry:
    """Where an engine is, and what it is opened with.

    source    the option that names its source; empty if that is the file on the command line
    options   options of the command, and the arguments of the class that they become
    reading   options of reading a file that it takes, beside those about cells
    extra     what must be installed for it
    """

    module: str
    name: str
    source: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    reading: tuple[str, ...] = ()
    extra: str = ""


_CELLS = ("kinds", "missing", "decimal", "thousands", "date_format")
_DIALECT = ("delimiter", "quote", "encoding", "names", "header")

ENGINES: dict[str, EngineEntry] = {
    "duckdb": EngineEntry(
        "discreet.engines.duckdb",
        "DuckDB",
        options={"memory": "memory_limit", "threads": "threads"},
        reading=(*_DIALECT, "table"),
    ),
    "postgres": EngineEntry(
        "discreet.engines.postgres",
        "Postgres",
        source="source",
        options={"memory": "memory_limit"},
        reading=("table",),
        extra="postgres",
    ),
    "spark": EngineEntry(
        "discreet.engines.spark",
        "Spark",
        options={"master": "master"},
        reading=_DIALECT,
        extra="spark",
    ),
}


def named_source(name: str, options: Mapping[str, Any]) -> str | None:
    """The source that the options name; None if the engine reads the file on the command line."""
    entry = _entry(name)
    if entry.source and entry.source not in options:
        raise DataError(f"The engine {name} reads what --{entry.source} names. Name it.")
    return options[entry.source] if entry.source else None


def check_place(name: str, *, is_url: bool) -> None:
    """DataError if the engine does not read what takes the place of the file: a URL of a table, or files."""
    entry = _entry(name)
    if entry.source and not is_url:
        raise DataError(
            f"The engine {name} reads no files. Give the URL of a table in place of the file,"
            f" postgresql://user@host/database/table; duckdb and spark read files."
        )
    if is_url and not entry.source:
        raise DataError(f"The engine {name} reads files. The table of a database is read with --engine postgres.")


def open_engine(
    name: str, source: Any, *, options: Mapping[str, Any] | None = None, reading: Mapping[str, Any] | None = None
) -> Engine:
    """The named engine on its source; DataError for a name, an option or a way of reading that it does not have.

    >>> import pyarrow as pa
    >>> len(open_engine("duckdb", pa.table({"sex": ["f", "m"]}), options={"threads": 1}))
    2
    """
    options, reading = options or {}, reading or {}
    entry = check_engine(name, options, reading)
    arguments = {entry.options[one]: value for one, value in options.items() if one != entry.source}
    return _class_of(entry)(source, **arguments, **reading)


def check_engine(name: str, options: Mapping[str, Any], reading: Mapping[str, Any] | None = None) -> EngineEntry:
    """The entry of an engine; DataError for a name, an option or a way of reading that it does not have."""
    entry = _entry(name)
    strange = [f"--{one}" for one in options if one not in (entry.source, *entry.options)]
    strange += [f"--{one}" for one in reading or () if one not in (*_CELLS, *entry.reading)]
    if strange:
        raise DataError(f"The engine {name} does not take {listing(strange)}. Leave it out.")
    return entry


def _entry(name: str) -> EngineEntry:
    if name not in ENGINES:
        raise DataError(f"There is no engine {name!r}.{did_you_mean(name, ENGINES)} They are {listing(ENGINES)}.")
    return ENGINES[name]


def _class_of(entry: EngineEntry) -> Any:
    try:
        return getattr(importlib.import_module(entry.module), entry.name)
    except ModuleNotFoundError as error:
        if not entry.extra:
            raise
        raise DataError(
            f"This engine needs {error.name}, which is not installed: pip install 'discreet[{entry.extra}]'."
        ) from None
