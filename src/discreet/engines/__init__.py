# SPDX-License-Identifier: Apache-2.0
"""Who counts when rows outgrow memory: `DuckDB(source)` goes wherever a table is only counted."""

from discreet.engines.duckdb import DuckDB

__all__ = ["DuckDB"]
