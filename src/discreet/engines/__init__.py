# SPDX-License-Identifier: Apache-2.0
"""Engines count rows, in memory or where they are. `DuckDB(source)` or `Postgres(url)` can replace a table
wherever rows are only counted; they are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from discreet.engines.memory import InMemory, engine_of
from discreet.engines.protocol import Engine

if TYPE_CHECKING:
    from discreet.engines.duckdb import DuckDB
    from discreet.engines.postgres import Postgres

__all__ = ["DuckDB", "Engine", "InMemory", "Postgres", "engine_of"]

_LATER = {"DuckDB": "discreet.engines.duckdb", "Postgres": "discreet.engines.postgres"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
