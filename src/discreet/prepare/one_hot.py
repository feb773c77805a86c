# SPDX-License-Identifier: Apache-2.0
"""One-hot encoding: a table of categories becomes 0/1 items, one for each value of each column.

`sex=f` is an item that a row has or lacks. A column of 0 and 1 (or false and true) gives a single item, named after the
column, which rows with 1 have; any other column of two values gives two items. Numbers are encoded value by value: bin
them first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.counting.coded_rows import DistinctRows
from discreet.data.baskets import Baskets
from discreet.data.column import Column
from discreet.data.table import Table
from discreet.errors import DataError, did_you_mean, listing, shown
from discreet.foundation.lazy_modules import sparse as sp

_CHUNK = 1 << 20  # cells processed at a time


@dataclass(frozen=True)
class Item:
    """An item: its name, the column it comes from, and the value it stands for (None: the cell is missing).

    `flag` marks the one item of a 0/1 column.
    """

    name: str
    column: str
    text: str | None
    flag: bool = False


@dataclass(frozen=True)
class Binarisation:
    """Assigns an item to each value of each column.

    >>> t = Table.of({"sex": ["f", "m", "f"], "smokes": [1, 0, 0], "age": ["< 40", ">= 40", None]})
    >>> items = Binarisation.fit(t, ["sex", "smokes", "age"])
    >>> items.names
    ('sex=f', 'sex=m', 'smokes', 'age=< 40', 'age=>= 40', 'age=missing')
    >>> items.apply(t).items(0)
    ('sex=f', 'smokes', 'age=< 40')
    """

    items: tuple[Item, ...]

    @classmethod
    def fit(
        cls,
        table: Any,
        columns: Iterable[str],
        *,
        rarest: int = 1,
        person: str | None = None,
        everybody: bool = True,
        counted: DistinctRows | None = None,
    ) -> Binarisation:
        """Items for the values of `columns` that at least `rarest` rows have (or persons, if `person` is set).

        With `everybody=False` a value that all rows have is no item, since it would reveal nothing. `counted` are the
        distinct rows that the rows of the table stand for, with the numbers of rows and the persons behind each.
        Equal names (column "a" with the value "b=c", column "a=b" with the value "c") are distinguished by " (2)",
        " (3)" and so on, in the order of columns and values.
        """
        columns, table = list(columns), Table.of(table)
        if len(set(columns)) < len(columns):
            raise DataError(f"A column can be binarised once only; {listing(columns)} names one twice.")
        if person in columns:
            raise DataError(f"Column {shown(person)} identifies persons and cannot be binarised.")
        if isinstance(rarest, bool) or not isinstance(rarest, (int, np.integer)) or rarest < 1:
            raise DataError(f"'rarest' must be a whole number of rows from 1 on. Got {rarest!r} instead.")
        persons = None if person is None or counted is not None else table.column(person)
        n_rows, weights = (len(table), None) if counted is None else (counted.n_rows, counted.rows)
        items: list[Item] = []
        used_names: set[str] = set()
        for column in table.columns(columns):
            rows = np.bincount(column.codes, weights, minlength=len(column.values) + 1)
            if counted is not None and counted.by_person is not None:
                have = counted.sizes(column.codes.astype(np.int64), len(rows))
            else:
                have = rows if persons is None else _support(column, persons)
            enough = have >= rarest
            if not everybody:
                enough &= rows < n_rows
            items += [replace(item, name=_free(item.name, used_names)) for item in _candidates(column, enough)]
        if not items:
            raise DataError(
                f"No value of the {len(columns)} columns occurs in {rarest} or more"
                f" {'rows' if person is None else 'persons'}{'' if everybody else ', but not in all'}: there are no"
                f" items. Lower 'rarest', or bin the columns."
            )
        return cls(tuple(items))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.items)

    @property
    def sources(self) -> tuple[str, ...]:
        """The column that each item comes from."""
        return tuple(item.column for item in self.items)

    def apply(self, table: Any, *, target: str | None = None, person: str | None = None) -> Baskets:
        """The rows of a table as baskets; a value without an item, such as a new one, is dropped.

        Labels come from the target, if the table has it; persons from `person`.
        """
        table = Table.of(table)
        self.check(table)
        item_of = self._lookup()
        columns = table.columns(item_of)  # in the order of the items: each row's indices come out sorted
        places = [_places(column, item_of[column.name]) for column in columns]
        indices, lengths = [], [np.zeros(1, dtype=np.int64)]
        step = max(1, _CHUNK // len(columns))
        for start in range(0, len(table), step):
            cells = np.stack(
                [place[c.codes[start : start + step]] for place, c in zip(places, columns, strict=True)], 1
            )
            has = cells >= 0
            indices.append(cells[has])
            lengths.append(np.count_nonzero(has, axis=1))
        columns_of_ones = np.concatenate(indices) if indices else np.empty(0, dtype=np.int32)
        matrix = sp.csr_array(
            (np.ones(len(columns_of_ones), dtype=np.uint8), columns_of_ones, np.cumsum(np.concatenate(lengths))),
            shape=(len(table), len(self.items)),
        )
        labels, classes = _labels(table, target)
        persons = None if person is None else table.column(person).codes.astype(np.int64)
        return Baskets(matrix, self.names, labels, classes, self.sources, persons)

    def check(self, table: Table) -> None:
        """DataError unless the table has all columns that were binarised."""
        absent = [name for name in dict.fromkeys(self.sources) if name not in table]
        if absent:
            hint = did_you_mean(absent[0], table.names)
            raise DataError(f"Columns that were binarised are not in the table: {listing(absent)}.{hint}")

    def items_of_codes(self, column: Column) -> np.ndarray:
        """The place of the item that each code of a column has, missing last; -1 for none."""
        return _places(column, self._lookup().get(column.name, {}))

    def _lookup(self) -> dict[str, dict[str | None, int]]:
        item_of: dict[str, dict[str | None, int]] = {}
        for place, item in enumerate(self.items):
            texts = item_of.setdefault(item.column, {})
            texts[item.text] = place
            if item.flag:
                texts.update({"1": place, "true": place})  # 1 and true are the same answer
        return item_of


def _support(column: Column, persons: Column) -> np.ndarray:
    """Different persons that have each value; missing last."""
    n = len(column.values) + 1
    ones = np.ones(len(column), dtype=np.int32)
    pairs = sp.csr_array((ones, (persons.codes, column.codes)), shape=(len(persons.values) + 1, n))
    pairs.sum_duplicates()
    return np.bincount(pairs.indices, minlength=n)


def is_flag(column: Column) -> bool:
    """Whether it is a column of 0 and 1, or of false and true, as numbers or as texts."""
    return _is_flag(column.texts)


def _is_flag(texts: list[str]) -> bool:
    return bool(texts) and (set(texts) <= {"0", "1"} or set(texts) <= {"false", "true"})


def _candidates(column: Column, enough: np.ndarray) -> list[Item]:
    """The column's items; `enough` says for each value, missing last, whether it gets one."""
    name, texts, flag = column.name, column.texts, _is_flag(column.texts)
    texts_kept = [
        text for text, e in zip(texts, enough[:-1], strict=True) if e and not (flag and text in ("0", "false"))
    ]
    items = [Item(name if flag else f"{name}={text}", name, text, flag) for text in texts_kept]
    return [*items, Item(f"{name}=missing", name, None)] if enough[-1] else items


def _free(name: str, used: set[str]) -> str:
    free, number = name, 1
    while free in used:
        number += 1
        free = f"{name} ({number})"
    used.add(free)
    return free


def _places(column: Column, item_of: dict[str | None, int]) -> np.ndarray:
    """The item of each code, missing last; -1 for none."""
    return np.array([*(item_of.get(text, -1) for text in column.texts), item_of.get(None, -1)], dtype=np.int32)


def _labels(table: Table, target: str | None) -> tuple[np.ndarray | None, np.ndarray | None]:
    if target is None or target not in table:
        return None, None
    column = table.column(target)
    if column.has_missing:
        missing = int((column.codes == len(column.values)).sum())
        raise DataError(f"{missing} of {len(table)} labels are missing. Drop those rows first.")
    return column.codes, np.asarray(column.values.to_pylist())
