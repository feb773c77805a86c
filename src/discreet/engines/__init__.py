# SPDX-License-Identifier: Apache-2.0
"""Engines count rows, in memory or where they are. `DuckDB(source)` can replace a table wherever rows are only counted;
it is imported on first use.
"""

from typing import TYPE_CHECKING, Any

from discreet.engines.memory import InMemory, engine_of
from discreet.engines.protocol import Engine

if TYPE_CHECKING:
    from discreet.engines.duckdb import DuckDB

__all__ = ["DuckDB", "Engine", "InMemory", "engine_of"]


def __getattr__(name: str) -> Any:
    if name != "DuckDB":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from discreet.engines.duckdb import DuckDB

    return DuckDB
