# SPDX-License-Identifier: Apache-2.0
"""Engines count rows, in memory or where they are. `DuckDB(source)` can replace a table wherever rows are only counted,
`StoredBaskets(source, ...)` baskets; both are imported on first use.
"""

from typing import TYPE_CHECKING, Any

from discreet.engines.memory import InMemory, engine_of
from discreet.engines.protocol import Engine

if TYPE_CHECKING:
    from discreet.engines.duckdb import DuckDB
    from discreet.engines.stored_baskets import StoredBaskets

__all__ = ["DuckDB", "Engine", "InMemory", "StoredBaskets", "engine_of"]


def __getattr__(name: str) -> Any:
    if name == "DuckDB":
        from discreet.engines.duckdb import DuckDB

        return DuckDB
    if name == "StoredBaskets":
        from discreet.engines.stored_baskets import StoredBaskets

        return StoredBaskets
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
