# SPDX-License-Identifier: Apache-2.0
"""Baskets whose lines stay in an engine, such as a Spark cluster or PostgreSQL: one item a line.

The engine counts the rows of each class with each item, which is all that HamDist takes, and lists the rows with their
labels. The ones of items that a selector tries are brought into memory, as many as have room; on Spark the workers
leave out the lines of all other items.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.coding import ListedCells, changed
from discreet.counting.tally import Tally
from discreet.data.baskets import one_per_row
from discreet.data.transactions import in_order
from discreet.engines.baskets_outside_memory import BasketsOutsideMemory, ItemColumns
from discreet.engines.protocol import ORDER, Engine
from discreet.errors import DataError, did_you_mean, shown

_ONES = pa.schema({"slot": pa.int32(), "row": pa.int64()})


class EngineBaskets(BasketsOutsideMemory):
    """Labelled rows of items in an engine, one item a line.

    Parameters
    ----------
    engine : Spark, Postgres or DuckDB
        Opened with `kinds={item: "category", row: "category"}` and `missing=()`: items and row ids are texts that stand
        for themselves.
    item, row, label : str
        The columns of items, of row ids and of labels, the same in all lines of a row. A line whose item is missing or
        empty says that the row is there.
    person : str or None
        The column of the person behind each row, if persons may have several.
    memory_limit : str, such as "4GB"
        Half of it is for the ones of items that are tried. Row ids, labels and places of rows come on top.

    A pair of row and item counts once, however often it occurs.

    Examples
    --------
    >>> from discreet.engines import DuckDB
    >>> drugs, back = ["a", "b", "a", "a", None], ["y", "y", "n", "n", "n"]
    >>> lines = pa.table({"visit": [1, 1, 2, 2, 3], "drug": drugs, "back": back})
    >>> engine = DuckDB(lines, kinds={"visit": "category", "drug": "category"}, missing=())
    >>> visits = EngineBaskets(engine, row="visit", item="drug", label="back")
    >>> visits.shape, visits.names, visits.support.tolist(), visits.class_support.tolist()
    ((3, 2), ('a', 'b'), [2, 1], [[1, 1], [0, 1]])
    """

    def __init__(
        self,
        engine: Engine,
        *,
        item: str,
        row: str,
        label: str,
        person: str | None = None,
        memory_limit: str = "1GB",
    ):
        super().__init__(memory_limit)
        self._most_ones //= 3  # lines are sorted in memory, with their copies
        self._engine, self._item, self._row, self._label, self._person = engine, item, row, label, person
        for name in filter(None, (item, row, label, person)):
            if name not in engine.names:
                raise DataError(f"There is no column {shown(name)}.{did_you_mean(name, engine.names)}")
        declared = getattr(engine, "declared", lambda name: None)
        if any(declared(name) != "category" for name in (item, row)):
            raise DataError(
                f"Items and row ids are texts: open the engine with kinds={{{item!r}: 'category', {row!r}: 'category'}}"
                " and missing=()."
            )

    def __repr__(self) -> str:
        return f"EngineBaskets({self._engine!r})"

    # -- what was counted --------------------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> _Rows:
        named = [self._row, self._label, *([] if self._person is None else [self._person])]
        return _Rows.of(self._engine.tally(named))

    @cached_property
    def _counts(self) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
        """The items in their order, the place of each code among them (-1 for none), and their rows by class."""
        rows = self._rows  # complains first about rows without labels
        counted = self._engine.tally([self._item, self._label], person=self._row)
        texts = [str(value).strip() for value in counted.values[0].to_pylist()]
        names = in_order({text for text in texts if text})
        if not names:
            raise DataError("The rows have no items: there is nothing to select from.")
        if len(names) < sum(map(bool, texts)):
            raise DataError(
                f"{sum(map(bool, texts)) - len(names)} items differ from others in white space alone. Trim the items"
                " first: a row with both would be counted twice."
            )
        place_of = {name: place for place, name in enumerate(names)}
        place = np.array([*(place_of.get(text, -1) for text in texts), -1], dtype=np.int64)
        item, label = place[counted.codes[:, 0]], rows.class_of[counted.codes[:, 1]]
        support = np.zeros((len(names), len(rows.classes)), dtype=np.int64)
        support[item[item >= 0], label[item >= 0]] = counted.sizes[item >= 0]
        return tuple(names), place, support

    @property
    def names(self) -> tuple[str, ...]:
        return self._counts[0]

    @property
    def labels(self) -> np.ndarray:
        return self._rows.labels

    @property
    def classes(self) -> np.ndarray:
        return self._rows.classes

    @property
    def persons(self) -> np.ndarray | None:
        return self._rows.persons

    @property
    def class_support(self) -> np.ndarray:  # type: ignore[override]
        return self._counts[2]

    # -- ones of some items ------------------------------------------------------------------------------------------

    def _ones(self, items: np.ndarray, slot: np.ndarray) -> ItemColumns:
        place = self._counts[1]
        row, item = (self._engine.coding(name, listed=True) for name in (self._row, self._item))
        assert isinstance(row, ListedCells)
        assert isinstance(item, ListedCells)
        lines, found = ItemLines(row, item, np.where(place < 0, -1, slot[place]).astype(np.int32)), _Found()
        self._engine.publish(lines.columns, lines, bytes(32), found)  # their order means nothing: they are sorted
        ones = np.unique(found.keys(self._rows.number, len(self)))
        indptr = np.append(0, np.cumsum(self.support[items]))
        if not np.array_equal(np.searchsorted(ones, np.arange(len(items) + 1) * len(self)), indptr):
            raise changed()
        wide = indptr if indptr[-1] >= 2**31 else indptr.astype(np.int32)
        return ItemColumns(wide, (ones % len(self)).astype(np.int32))


@dataclass(frozen=True, eq=False)
class _Rows:
    """The label of each row, and its person, in the order of row ids.

    number    the number of each row, by the code of its id
    class_of  the class of each code of a label
    """

    labels: np.ndarray
    classes: np.ndarray
    class_of: np.ndarray
    persons: np.ndarray | None
    number: np.ndarray

    @classmethod
    def of(cls, counted: Tally) -> _Rows:
        ids, label, *person = counted.codes.T
        missing = counted.counts[ids == len(counted.values[0])].sum()
        if missing:
            raise DataError(f"{int(missing)} lines have no row id. Every line needs one.")
        different = len(np.unique(ids))
        if different < len(ids):
            raise DataError(f"{len(ids) - different} rows or more have lines with different labels or persons.")
        for codes, values, what in zip((label, *person), counted.values[1:], ("labels", "persons"), strict=False):
            if absent := int((codes == len(values)).sum()):
                raise DataError(f"{absent} of {len(ids)} {what} are missing. Drop those rows first.")
        values = counted.values[1].to_pylist()
        classes, class_of = np.unique(one_per_row(values, len(values), "labels"), return_inverse=True)
        number = np.full(len(counted.values[0]) + 1, -1, dtype=np.int64)
        number[ids] = np.arange(len(ids))
        persons = person[0].astype(np.int64) if person else None
        return cls(class_of.astype(np.int32)[label], classes, class_of, persons, number)


@dataclass(frozen=True, eq=False, repr=False)
class ItemLines:
    """What is brought of raw lines: the slot and the row of those whose item is asked for.

    slot  of each code of an item, -1 for items that are not asked for
    """

    row: ListedCells
    item: ListedCells
    slot: np.ndarray

    @property
    def columns(self) -> tuple[str, ...]:
        return self.row.name, self.item.name

    @property
    def schema(self) -> pa.Schema:
        return _ONES

    compact_schema = schema

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return self.compact(batch)

    def compact(self, batch: pa.RecordBatch, numbers: np.ndarray | None = None) -> pa.RecordBatch:
        codes = self.item.codes(batch.column(self.item.name))
        if len(codes) and int(codes.min()) < 0:
            raise changed()
        slot = self.slot[codes]
        asked = np.flatnonzero(slot >= 0)
        row = self.row.codes(batch.column(self.row.name).take(pa.array(asked)))
        found: dict[str, Any] = {"slot": pa.array(slot[asked], pa.int32()), "row": pa.array(row, pa.int64())}
        return pa.RecordBatch.from_pydict(found if numbers is None else found | {ORDER: pa.array(numbers[asked])})

    def published(self, compact: pa.Table) -> pa.Table:
        return compact.select(_ONES.names)


class _Found:
    """A sink that keeps the ones in memory."""

    def __init__(self) -> None:
        self._slots: list[np.ndarray] = []
        self._rows: list[np.ndarray] = []

    def write(self, rows: pa.Table) -> None:
        self._slots.append(rows.column("slot").to_numpy())
        self._rows.append(rows.column("row").to_numpy())

    def keys(self, number: np.ndarray, n_rows: int) -> np.ndarray:
        """One number for each pair of slot and row."""
        slots, codes = (np.concatenate([*parts, np.empty(0, np.int64)]) for parts in (self._slots, self._rows))
        if len(codes) and int(codes.min()) < 0:
            raise changed()
        return slots.astype(np.int64) * n_rows + number[codes.astype(np.int64)]
