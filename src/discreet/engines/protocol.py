# SPDX-License-Identifier: Apache-2.0
"""The interface of engines, which count, route and store rows where they are. What cells mean, decisions and labels
stay with discreet, on Arrow and NumPy.

An engine is any class with these methods; it need not inherit from `Engine`. `tests/engines` compares engines with
tables in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import pyarrow as pa

from discreet.counting.coding import Coding
from discreet.counting.router import Histograms, Router
from discreet.counting.tally import Tally
from discreet.data.cells import Cells
from discreet.data.column import Column

if TYPE_CHECKING:
    from discreet.engines.table_sample import TableSample

PERSON = "\0person"  # the number of the person behind a published row; a name that no column has
ORDER = "\0order"  # the random number of a compact row, by which it is ordered


class Apply(Protocol):
    """A decision, applied to batches of raw rows. It can be pickled.

    Where an engine streams rows, equal ones may be published in turn: `begin`, if there is one, is called first.

    `apply(batch)` are the published rows of a batch. An engine that keeps rows in between may do it in two steps:
    `compact` finds the group of each row and the codes of the rest, a few bytes; `published` writes them out, with
    dictionaries. Where an engine draws a random number for each row, the same whenever it reads it, it hands them over,
    and the compact rows have them as ORDER.
    """

    @property
    def schema(self) -> pa.Schema:
        """The published columns; PERSON is the last one if persons are counted, and is for the owner alone."""
        ...

    @property
    def compact_schema(self) -> pa.Schema: ...

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch: ...

    def compact(self, batch: pa.RecordBatch, numbers: np.ndarray | None = None) -> pa.RecordBatch: ...

    def published(self, compact: pa.Table) -> pa.Table: ...


class Sink(Protocol):
    """Where published rows go, in the order in which they are written. On a failure it leaves nothing."""

    def write(self, rows: pa.Table) -> None: ...


@runtime_checkable
class Engine(Protocol):
    """Rows of named columns that can be counted and published."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def __len__(self) -> int: ...

    def tally(self, columns: Sequence[str], *, target: str | None = None, person: str | None = None) -> Tally:
        """The distinct rows of `columns` in lexicographic order, with rows by class and persons behind each."""
        ...

    def values(self, name: str) -> Column:
        """The distinct values of a column, missing included, in increasing order, as a column with one row each."""
        ...

    def coding(self, name: str, *, listed: bool = False) -> Coding:
        """The distinct raw cells of a column, as batches of rows have them, and the code of each in `values(name)`.

        Too many of them to be kept in memory are not listed, unless `listed` asks for it.
        """
        ...

    def publish(self, columns: Sequence[str], apply: Apply, secret: bytes, sink: Sink) -> int:
        """Pass the raw cells of `columns` through `apply`, into `sink`, in an order that links to nothing.

        The order depends on the 32 secret bytes and on chance alone. Returns the number of rows.
        """
        ...


def state_of(engine: Engine) -> object:
    """Something that changes when the rows of an engine do; None if it does not say (`state`)."""
    state = getattr(engine, "state", None)
    return None if state is None else state()


@runtime_checkable
class HistogramEngine(Engine, Protocol):
    """An engine that also counts rows by the nodes of a growing tree, for tables whose distinct rows outgrow memory."""

    def coded(self, columns: Sequence[str]) -> Iterator[list[np.ndarray]]:
        """All rows, in any order, a batch at a time: the codes of each column, by `coding(name)`."""
        ...

    def likely_distinct(self, columns: Sequence[str]) -> int:
        """The number of distinct rows, estimated from a sample."""
        ...

    def histograms(
        self, router: Router, columns: Sequence[str], *, opened: Sequence[int], by: str | None = None
    ) -> Histograms:
        """Rows by rank, and by the classes `by`, in each of the opened ends of the router, for each column."""
        ...


@runtime_checkable
class CellEngine(HistogramEngine, Protocol):
    """An engine that also hands out its cells, for methods that read every cell by itself."""

    def cells(self, columns: Sequence[str]) -> Iterator[dict[str, Cells]]:
        """All rows, in any order, a batch at a time: the cells of each column."""
        ...


@runtime_checkable
class CompactEngine(CellEngine, Protocol):
    """An engine whose rows may be known by their groups before they are published, so that it need not look again."""

    def read_together(self, columns: Sequence[str]) -> None:
        """Several scans will ask for some of these columns: the first of them reads and keeps them all."""
        ...

    def publish_compact(self, batches: Iterable[pa.RecordBatch], apply: Apply, secret: bytes, sink: Sink) -> int:
        """As `publish`, of all rows as `apply.compact` would give them, in any order."""
        ...


@runtime_checkable
class RowEngine(Engine, Protocol):
    """An engine that also hands out its rows as they are stored, for what is done with each, or with a sample."""

    def raw_rows(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The cells of all rows as they are stored, a batch at a time."""
        ...


@runtime_checkable
class JobEngine(CellEngine, Protocol):
    """An engine whose releases are jobs: what they take is estimated, and a killed one goes on where it was."""

    def sample(self, columns: Sequence[str]) -> TableSample:
        """Random rows from all over the table, read before any work; DataError if it has none."""
        ...

    def identity(self, columns: Sequence[str]) -> list[Any] | None:
        """What tells the rows of these columns from others, now and in a later process; None if nothing does."""
        ...
