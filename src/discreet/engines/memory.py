# SPDX-License-Identifier: Apache-2.0
"""The engine for tables in memory, and the choice of an engine for any data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.counting.tally import Tally, is_engine, tally, values_of
from discreet.data.column import Column
from discreet.data.table import Table
from discreet.engines.protocol import Engine


@dataclass(frozen=True, eq=False)
class InMemory:
    """A table whose rows are counted in memory.

    >>> InMemory(Table.of({"sex": ["f", "m", "f"]})).tally(["sex"]).sizes.tolist()
    [2, 1]
    """

    table: Table

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.names

    def __len__(self) -> int:
        return len(self.table)

    def tally(self, columns: Sequence[str], *, target: str | None = None, person: str | None = None) -> Tally:
        return tally(self.table, columns, target=target, person=person)

    def values(self, name: str) -> Column:
        return values_of(self.table, name)


def engine_of(data: Any) -> Engine:
    """The data themselves if they are an engine; anything else as a table in memory."""
    return data if is_engine(data) else InMemory(Table.of(data))
