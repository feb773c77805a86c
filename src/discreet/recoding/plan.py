# SPDX-License-Identifier: Apache-2.0
"""Plans: how a method turns the quasi-identifiers of rows into published columns. A plan holds no rows.

KeepColumns  some quasi-identifiers are published unchanged, the others dropped
KeepItems    quasi-identifiers become 0/1 items, some of which are kept
Recode       each row descends a tree of cuts to a leaf, which determines the label in each column

Plans in patterns.py consist of published labels alone; `public` gives that form of the plans here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import group, grouped
from discreet.data.baskets import Baskets
from discreet.data.column import Column, Kind, from_labels
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import CannotRelease, DataError
from discreet.foundation.compiled_kernels import compiled
from discreet.prepare.binning import Binning
from discreet.prepare.one_hot import Binarisation, Item, is_flag
from discreet.recoding.labels import MISSING, Labelling, Meaning
from discreet.recoding.patterns import MOST_PATTERNS, Boxes, EachColumn, Plan

__all__ = ["AxisScale", "KeepColumns", "KeepItems", "Plan", "Recode", "item_columns"]


@dataclass(frozen=True)
class KeepColumns(Plan):
    """Publishes these quasi-identifiers unchanged, and no others.

    >>> list(KeepColumns(("sex",)).apply(Table.of({"age": [31], "sex": ["f"]})))
    ['sex']
    """

    kept: tuple[str, ...]

    def apply(self, table: Table) -> dict[str, list[Column]]:
        return {name: [table.column(name)] for name in self.kept}


@dataclass(frozen=True)
class KeepItems(Plan):
    """Turns numbers into intervals, intervals and categories into items, and keeps the items in `kept`."""

    binning: Binning
    binarisation: Binarisation
    kept: tuple[int, ...]

    @classmethod
    def fit(
        cls, table: Table | CodedRows, roles: Roles, *, cuts: Mapping[str, Sequence[float]] | None, k: int
    ) -> KeepItems:
        """Items for the values of quasi-identifiers that at least k persons have, but not all; none is kept yet.

        A 0/1 column is an item itself, unless cuts are set for it. Other numbers are cut.
        """
        chosen_cuts = dict(cuts or {})
        cut = [c.name for c in map(table.column, roles.quasi) if c.name in chosen_cuts or not is_flag(c)]
        binning = Binning.fit(table, cut, target=roles.target, cuts=chosen_cuts, rarest=k, person=roles.person)
        counted = table if isinstance(table, CodedRows) else None
        binned = binning.apply(Table(table.columns) if isinstance(table, CodedRows) else table)
        try:
            items = Binarisation.fit(
                binned, roles.quasi, rarest=k, person=roles.person, everybody=False, counted=counted
            )
        except DataError as error:
            raise CannotRelease(f"No feature can be kept at k = {k}. {error}") from None
        return cls(binning, items, kept=())

    def baskets(self, table: Table, **roles: Any) -> Baskets:
        """All items of the rows."""
        return self.binarisation.apply(self.binning.apply(table), **roles)

    def apply(self, table: Table) -> dict[str, list[Column]]:
        self.binarisation.check(table)
        columns: dict[str, list[Column]] = {}
        coded: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for place in self.kept:
            item = self.binarisation.items[place]
            column = table.column(item.column)
            if item.column not in coded:
                rows = np.bincount(column.codes, minlength=len(column.values) + 1)
                coded[item.column] = self.items_of(column), rows
            item_of_code, rows = coded[item.column]
            columns.setdefault(item.column, []).append(_of_item(item.name, column, item_of_code == place, rows))
        return columns

    def items_of(self, column: Column) -> np.ndarray:
        """The place of the item that each code of a source column has, missing last; -1 for none."""
        each = Column(column.name, column.kind, column.values, np.arange(len(column.values) + 1, dtype=np.int32))
        if column.name in self.binning.cuts:
            each = self.binning.binned(each)
        return self.binarisation.items_of_codes(each)[each.codes]

    @cached_property
    def labellings(self) -> tuple[Labelling, ...]:
        return tuple(self._labelling(self.binarisation.items[place]) for place in self.kept)

    @property
    def public(self) -> EachColumn:
        return EachColumn(self.labellings)

    def _labelling(self, item: Item) -> Labelling:
        name, text = item.column, item.text
        kind = self.binning.kinds.get(name, "number") if name in self.binning.cuts else "category"
        if text is None:
            meaning = MISSING
        elif kind == "category":
            meaning = Meaning.of(["1", "true"] if item.flag else [text])
        else:
            ends, place = (None, *self.binning.cuts[name], None), self.binning.labels(name).index(text)
            meaning = Meaning.between(ends[place], ends[place + 1])
        return Labelling(item.name, kind, ("1",), (meaning,), fallback="0", made_from=name)


def item_columns(baskets: Baskets) -> dict[str, list[Column]]:
    """Items as 0/1 columns, by source column."""
    columns: dict[str, list[Column]] = {}
    for item, (name, source) in enumerate(zip(baskets.names, baskets.sources or (), strict=True)):
        columns.setdefault(source, []).append(_zero_one(name, baskets, item))
    return columns


def _zero_one(name: str, baskets: Baskets, item: int) -> Column:
    by_item = baskets.columns
    ones = np.zeros(len(baskets), dtype=np.int64)
    ones[by_item.indices[by_item.indptr[item] : by_item.indptr[item + 1]]] = 1
    values = np.unique(ones)
    return Column(name, "number", pa.array(values, pa.int64()), np.searchsorted(values, ones).astype(np.int32))


def _of_item(name: str, column: Column, is_one: np.ndarray, rows: np.ndarray) -> Column:
    """The 0/1 column of an item that some codes of a column have; `rows` are those of each code."""
    values = [value for value, have in ((0, rows[~is_one]), (1, rows[is_one])) if have.any()]
    codes = is_one.astype(np.uint8) if len(values) == 2 else np.zeros(len(is_one), dtype=np.uint8)
    return Column(name, "number", pa.array(values, pa.int64()), codes[column.codes])


@dataclass(frozen=True)
class AxisScale:
    """Positions of the values of one column on a line, so that a cut is a comparison.

    A number is its own position. Categories have the positions in `places`; any other category (too rare to be named,
    or new) has the position of the longest of `prefixes` that it begins with, or that of "other". Missing comes last,
    at infinity.
    """

    name: str
    ordered: bool
    places: dict[str, int] | None = None
    other: int = 0
    kind: Kind = "category"
    known: frozenset[str] = frozenset()  # categories told apart from "other"
    prefixes: Mapping[str, int] = field(default_factory=dict)

    def of(self, column: Column) -> np.ndarray:
        """The position of each code of the column, missing included."""
        if self.ordered:
            numbers = column.numbers if len(column.values) else np.empty(0)  # empty if all cells are missing
            return np.append(numbers, np.inf)
        assert self.places is not None
        return np.array([self.places.get(text, self._place_of_new(text)) for text in column.texts] + [np.inf])

    def _place_of_new(self, text: str) -> int:
        ends = range(len(text) if self.prefixes else 0, 0, -1)
        return next((self.prefixes[text[:end]] for end in ends if text[:end] in self.prefixes), self.other)


@dataclass(frozen=True)
class Recode(Plan):
    """A tree of cuts: positions below `cut` go left. The label of leaf i in column c is `labels[c][codes[i, c]]`."""

    scales: tuple[AxisScale, ...]
    column: np.ndarray  # of each node, -1 at a leaf
    cut: np.ndarray
    left: np.ndarray  # left child of an inner node (the right one follows it), number of a leaf
    codes: np.ndarray  # leaf x column
    labels: tuple[Sequence[str | None], ...]
    meanings: tuple[Sequence[Meaning], ...] = ()  # of the labels

    @cached_property
    def public(self) -> Boxes | None:
        """The leaves as patterns, which may recode new rows differently: only the tree places any value."""
        if not self.meanings or len(self.codes) > MOST_PATTERNS:
            return None
        return Boxes.of(self.labellings, self.codes)

    @cached_property
    def labellings(self) -> tuple[Labelling, ...]:
        return tuple(
            Labelling(scale.name, scale.kind, tuple(labels), tuple(meanings), known=scale.known)
            for scale, labels, meanings in zip(self.scales, self.labels, self.meanings, strict=False)
        )

    @cached_property
    def alike(self) -> np.ndarray:
        """The group of each leaf: leaves with the same labels in all columns, whatever these stand for, are one."""
        cells = []
        for labels, codes in zip(self.labels, self.codes.T, strict=True):
            number = {label: place for place, label in enumerate(dict.fromkeys(labels))}
            cells.append(np.array([number[label] for label in labels])[codes])
        return group(cells, len(self.codes))[0]

    def leaves(self, table: Table) -> np.ndarray:
        """The leaf of each row, computed once per distinct row."""
        names = [scale.name for scale in self.scales]
        columns, (groups, first) = table.columns(names), grouped(table, names, ordered=False)
        places = np.column_stack(
            [scale.of(column)[column.codes[first]] for scale, column in zip(self.scales, columns, strict=True)]
        )
        return _descend(places, self.column, self.cut, self.left)[groups]

    def apply(self, table: Table) -> dict[str, list[Column]]:
        leaves = self.leaves(table)
        return {
            scale.name: [from_labels(scale.name, self.labels[place], self.codes[leaves, place])]
            for place, scale in enumerate(self.scales)
        }


@compiled
def _descend(places, column, cut, left):
    leaves = np.empty(len(places), dtype=np.int64)
    for row in range(len(places)):
        node = 0
        while column[node] >= 0:
            node = left[node] + (0 if places[row, column[node]] < cut[node] else 1)
        leaves[row] = left[node]
    return leaves
