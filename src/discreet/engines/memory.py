# SPDX-License-Identifier: Apache-2.0
"""The engine for tables in memory, and the choice of an engine for any data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.coding import Coding, ListedCells
from discreet.counting.router import Histograms, Router
from discreet.counting.tally import Tally, is_engine, tally, values_of
from discreet.data.column import Column
from discreet.data.table import Table
from discreet.engines.protocol import Apply, Engine, Sink
from discreet.engines.publish import publish_in_buckets

_BATCH = 2**18  # rows that are published at once


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

    def coding(self, name: str, *, listed: bool = False) -> Coding:
        return ListedCells.of_column(self.table.column(name))

    def coded(self, columns: Sequence[str]) -> Iterator[list[np.ndarray]]:
        chosen = self.table.columns(columns)
        for start in range(0, len(self), _BATCH):
            yield [one.codes[start : start + _BATCH] for one in chosen]

    def likely_distinct(self, columns: Sequence[str]) -> int:
        return len(tally(self.table, columns))

    def histograms(
        self, router: Router, columns: Sequence[str], *, opened: Sequence[int], by: str | None = None
    ) -> Histograms:
        labels = None if by is None else self.table.column(by)
        batches = self.coded(columns if by is None else [*columns, by])
        coded = ((codes, None) if by is None else (codes[:-1], codes[-1]) for codes in batches)
        return Histograms.count(router, coded, opened=opened, n_classes=1 if labels is None else len(labels.values) + 1)

    def publish(self, columns: Sequence[str], apply: Apply, secret: bytes, sink: Sink) -> int:
        chosen = self.table.columns(columns)
        batches = (
            pa.RecordBatch.from_arrays([_slice(one, start).to_arrow() for one in chosen], names=list(columns))
            for start in range(0, len(self), _BATCH)
        )
        return publish_in_buckets(map(apply.compact, batches), apply, secret, sink, n_rows=len(self))


def _slice(column: Column, start: int) -> Column:
    return Column(column.name, column.kind, column.values, column.codes[start : start + _BATCH])


def engine_of(data: Any) -> Engine:
    """The data themselves if they are an engine; anything else as a table in memory."""
    return data if is_engine(data) else InMemory(Table.of(data))
