# SPDX-License-Identifier: Apache-2.0
"""Engines count rows, in memory or where they are. `DuckDB(source)`, `Postgres(url)` and `Spark(source)` can replace a
table wherever rows are only counted, `StoredBaskets(source, ...)` and `EngineBaskets(engine, ...)` baskets; they are
imported on first use.
"""

import importlib
from typing import TYPE_CHECKING, Any

from discreet.engines.memory import InMemory, engine_of
from discreet.engines.protocol import Engine

if TYPE_CHECKING:
    from discreet.engines.duckdb import DuckDB
    from discreet.engines.engine_baskets import EngineBaskets
    from discreet.engines.postgres import Postgres
    from discreet.engines.spark import Spark
    from discreet.engines.stored_baskets import StoredBaskets

__all__ = ["DuckDB", "Engine", "EngineBaskets", "InMemory", "Postgres", "Spark", "StoredBaskets", "engine_of"]

_ON_FIRST_USE = {
    "DuckDB": "duckdb",
    "EngineBaskets": "engine_baskets",
    "Postgres": "postgres",
    "Spark": "spark",
    "StoredBaskets": "stored_baskets",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_ON_FIRST_USE[name]}"), name)
