# SPDX-License-Identifier: Apache-2.0
"""A grouping of distinct rows, applied to batches of raw rows: what each row is published as.

The quasi-identifiers of a batch are coded, their distinct row is found by its packed key, and the labels of its group
are written. All other columns are published as a table in memory publishes them. An object of this class can be sent
to other processes, where engines run it beside the rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import pyarrow as pa

from discreet.counting.coded_rows import CodedRows
from discreet.counting.coding import Coding, ListedCells, as_dictionary, changed, smallest
from discreet.counting.row_lookup import RowLookup
from discreet.data.column import Column, Kind
from discreet.engines.protocol import ORDER, PERSON
from discreet.methods.grouping import Grouping, PublishedColumns

_GROUP = "\0group"
LEFT_OUT = -2  # the group of rows that are not published


class GroupLookup(Protocol):
    """Finds the group of rows, given as one array of codes for each column; -1 for rows that were not counted."""

    @property
    def arrays(self) -> Sequence[np.ndarray]: ...

    def find(self, codes: Sequence[np.ndarray]) -> np.ndarray: ...


class KnownRows(Protocol):
    """Rows whose groups are known: the group of each, then its codes of these columns, a batch at a time."""

    columns: tuple[str, ...]

    def batches(self) -> Iterator[list[np.ndarray]]: ...


@dataclass(frozen=True, eq=False, repr=False)
class ApplyGroups:
    """A callable from raw rows to published rows.

    quasi   the codings of the quasi-identifiers, in the order of the distinct rows
    lookup  finds the group of coded rows
    labels  of each quasi-identifier, the published columns, with a row for each group
    kept    the codings of the columns that are published as they are
    names   the published columns in their order
    person  the coding of the persons, if they are counted
    beside  columns whose codes the lookup looks at after those of the quasi-identifiers
    keys    the hash of further cells of each row of a batch, where the lookup asks for it
    """

    quasi: tuple[ListedCells, ...]
    lookup: GroupLookup
    labels: tuple[Column, ...]
    kept: tuple[Coding, ...]
    names: tuple[str, ...]
    person: ListedCells | None = None
    beside: tuple[ListedCells, ...] = ()
    keys: Callable[[pa.RecordBatch], np.ndarray] | None = None

    @classmethod
    def of(
        cls,
        grouping: Grouping,
        rows: CodedRows,
        quasi: Sequence[ListedCells],
        *,
        kept: Sequence[Coding] = (),
        order: Sequence[str] = (),
        person: ListedCells | None = None,
    ) -> ApplyGroups:
        """From the decision on coded rows. `order` names source columns in the order of the published ones."""
        labels = grouping.columns(np.arange(len(grouping.codes)))
        return cls.found_by(RowLookup(rows.codes, grouping.group), labels, quasi, kept=kept, order=order, person=person)

    @classmethod
    def found_by(
        cls,
        lookup: GroupLookup,
        labels: PublishedColumns,
        quasi: Sequence[ListedCells],
        *,
        kept: Sequence[Coding] = (),
        order: Sequence[str] = (),
        person: ListedCells | None = None,
        beside: Sequence[ListedCells] = (),
        keys: Callable[[pa.RecordBatch], np.ndarray] | None = None,
    ) -> ApplyGroups:
        """From what finds the group of coded rows; `labels` have a row for each group."""
        names_of = {name: [column.name for column in columns] for name, columns in labels.items()}
        names_of |= {coding.name: [coding.name] for coding in kept}
        return cls(
            tuple(quasi),
            lookup,
            tuple(column for coding in quasi for column in labels.get(coding.name, ())),
            tuple(kept),
            tuple(name for source in order or names_of for name in names_of.get(source, ())),
            person,
            tuple(beside),
            keys,
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The source columns that are read."""
        person = () if self.person is None else (self.person.name,)
        return tuple(dict.fromkeys([one.name for one in (*self.quasi, *self.kept)] + [*person]))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the group of each distinct row and of all labels: the decision, but no cell can be read from it."""
        parts = hashlib.sha256(repr((self.names, self.columns, self.schema.to_string())).encode())
        for array in (*self.lookup.arrays, *(column.codes for column in self.labels)):
            parts.update(np.ascontiguousarray(array).data)
        for column in self.labels:
            parts.update(repr(column.values.to_pylist()).encode())
        return parts.hexdigest()

    @cached_property
    def schema(self) -> pa.Schema:
        types = {column.name: column.values.type for column in self.labels}
        types |= {coding.name: coding.type for coding in self.kept}
        fields = [(name, types[name]) for name in self.names]
        return pa.schema(fields if self.person is None else [*fields, (PERSON, pa.int64())])

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kinds of the published columns, in their order."""
        kinds: dict[str, Kind] = {column.name: column.kind for column in self.labels}
        kinds |= {coding.name: coding.kind for coding in self.kept}
        return {name: kinds[name] for name in self.names}

    @cached_property
    def compact_schema(self) -> pa.Schema:
        return self.compact(self._no_rows).schema

    @property
    def _no_rows(self) -> pa.RecordBatch:
        one_each = {one.name: one for one in (*self.quasi, *self.kept, *([self.person] if self.person else []))}
        nothing = {
            name: (one.cells.slice(0, 0) if isinstance(one, ListedCells) else pa.array([], one.type))
            for name, one in one_each.items()
        }
        return pa.RecordBatch.from_pydict(nothing)

    @cached_property
    def _codes(self) -> np.ndarray:
        """The codes of the labels of each group, side by side, so that all of them are read at once."""
        most = max((len(column.values) for column in self.labels), default=0)
        codes = np.empty((len(self.labels[0].codes) if self.labels else 0, len(self.labels)), dtype=smallest(most + 1))
        for place, column in enumerate(self.labels):
            codes[:, place] = column.codes
        return codes

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The published rows, in the order of the batch, without dictionaries."""
        rows = self.published(pa.Table.from_batches([self.compact(batch)]))
        return rows.cast(self.schema).combine_chunks().to_batches()[0] if len(rows) else _empty(self.schema)

    def begin(self) -> None:
        """Rows are published from the first on, for the first time or again."""
        begin = getattr(self.lookup, "begin", None)
        if begin is not None:
            begin()

    def compact(self, batch: pa.RecordBatch, numbers: np.ndarray | None = None) -> pa.RecordBatch:
        """The group of each row, and the codes of the columns that are kept."""
        group = self._groups(batch, numbers)
        if (group == -1).any():
            raise changed()
        if (group == LEFT_OUT).any():
            numbers = None if numbers is None else numbers[group >= 0]
            batch, group = batch.filter(pa.array(group >= 0)), group[group >= 0]
        columns = {_GROUP: pa.array(group.astype(np.int32, copy=False))}
        if numbers is not None:
            columns[ORDER] = pa.array(numbers)
        for coding in self.kept:
            columns[coding.name] = coding.compact(batch.column(coding.name))
        if self.person is not None:
            columns[PERSON] = self.person.compact(batch.column(self.person.name))
        return pa.RecordBatch.from_pydict(columns)

    def compact_found(self, rows: KnownRows) -> Iterator[pa.RecordBatch]:
        """Rows whose groups are known, as `compact` gives them."""
        for group, *codes in rows.batches():
            cells = dict(zip((_GROUP, *rows.columns), map(pa.array, (group, *codes)), strict=True))
            yield pa.RecordBatch.from_pydict({name: cells[name] for name in self.compact_schema.names})

    def _groups(self, batch: pa.RecordBatch, numbers: np.ndarray | None) -> np.ndarray:
        codes = [one.codes(batch.column(one.name)) for one in (*self.quasi, *self.beside)]
        if self.keys is None:
            return self.lookup.find(codes)
        keys = self.keys
        return self.lookup.find_moved(codes, lambda rows: keys(batch.take(pa.array(rows))), numbers)  # type: ignore[attr-defined]

    def published(self, compact: pa.Table) -> pa.Table:
        """The published rows of compact ones, with dictionaries of the values that occur among them."""
        compact = compact.combine_chunks()
        cells = {name: compact.column(name).chunk(0) for name in compact.column_names} if len(compact) else {}
        if not cells:
            return self.schema.empty_table()
        codes = self._codes.take(cells[_GROUP].to_numpy(), axis=0)
        columns = {
            column.name: as_dictionary(codes[:, place].astype(np.int32), column.values)
            for place, column in enumerate(self.labels)
        }
        columns |= {coding.name: coding.published(cells[coding.name]) for coding in self.kept}
        if self.person is not None:
            columns[PERSON] = cells[PERSON].cast(pa.int64())
        return pa.table({name: columns[name] for name in self.schema.names})


def _empty(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], one.type) for one in schema], schema=schema)
