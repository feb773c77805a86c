# SPDX-License-Identifier: Apache-2.0
"""Distinct rows with counts: the only place where rows are grouped.

Syntactic methods and promises depend on a table only through its distinct rows, how often each occurs in each class,
and how many persons have it. `group` numbers equal rows, `tally` counts them; `Partition` (partition.py) does so for
baskets. Missing is a value, and so is a suppressed cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from discreet.counting.pair_windows import counted_without_sorting
from discreet.counting.partition import Partition
from discreet.data.cell_kinds import kind_of
from discreet.data.column import Column
from discreet.data.content import Content
from discreet.data.table import Table
from discreet.foundation.compiled_kernels import compiled, kernels_are_loaded

_FEW = 50_000  # rows that NumPy sorts sooner than numba is loaded
_BY_ITEM = ("", "")  # stands for all items of baskets; no two columns have one name
MOST_KEY = 2**62  # keys above this are renumbered first


@dataclass(frozen=True, eq=False)
class Tally:
    """Distinct rows in lexicographic order of their codes.

    codes         one line per distinct row, one column per name in `columns`
    counts        number of rows of each class (one column if there is no target)
    sizes         number of persons with each distinct row: its rows, unless there is a person column
    group_of_row  the distinct row of each row, if tallied in memory
    values        the values behind the codes, per column; the code after the last one is missing
    in_order      False for distinct rows in any other order
    """

    columns: tuple[str, ...]
    codes: np.ndarray
    counts: np.ndarray
    sizes: np.ndarray
    group_of_row: np.ndarray | None = None
    values: tuple[pa.Array, ...] = field(default=(), repr=False)
    in_order: bool = True

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_rows(self) -> int:
        return int(self.counts.sum())

    def column(self, name: str) -> Column:
        """A column, one row per distinct row."""
        place = self.columns.index(name)
        return Column(name, kind_of(self.values[place].type), self.values[place], self.codes[:, place])

    def group_by(self, columns: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Group the distinct rows by some of their columns: (group of each distinct row, one distinct row of each)."""
        places = [self.columns.index(name) for name in columns]
        if self.in_order and places == [*range(len(places))] and len(self):  # equal rows lie together
            is_new = np.zeros(len(self), dtype=bool)
            is_new[0] = True
            for place in places:
                is_new[1:] |= self.codes[1:, place] != self.codes[:-1, place]
            return np.cumsum(is_new) - 1, np.flatnonzero(is_new)
        return group([self.codes[:, place] for place in places], len(self))


def is_engine(data: object) -> bool:
    """Whether the data are an engine, which counts by itself (a data frame may have a column named tally)."""
    return callable(getattr(type(data), "tally", None))


def tally(data: object, columns: Sequence[str], *, target: str | None = None, person: str | None = None) -> Tally:
    """Count the distinct rows of `columns`. `data` is a table in memory, or an engine with a method of this name.

    >>> t = Table.of({"sex": ["f", "m", "f", None], "y": [1, 1, 0, 0]})
    >>> tally(t, ["sex"], target="y").counts.tolist()
    [[1, 1], [0, 1], [1, 0]]
    """
    if is_engine(data):
        return data.tally(columns, target=target, person=person)  # type: ignore[attr-defined]
    table = Table.of(data)
    coded = table.columns(columns)
    groups, first = grouped(table, columns)
    codes = np.empty((len(first), len(coded)), dtype=np.int32)
    for place, column in enumerate(coded):
        codes[:, place] = column.codes[first]
    if target is None:
        counts = np.bincount(groups, minlength=len(first))[:, None]
    else:
        label = table.column(target)
        cells = groups * label.levels + label.codes
        counts = np.bincount(cells, minlength=len(first) * label.levels).reshape(len(first), label.levels)
    persons = None if person is None else table.column(person).codes
    return Tally(
        tuple(columns),
        codes,
        counts,
        persons_per_group(groups, len(first), persons),
        groups,
        tuple(column.values for column in coded),
    )


def values_of(data: object, name: str) -> Column:
    """The distinct values of a column of a table or an engine, missing included, as a column with one row each."""
    if is_engine(data):
        return data.values(name)  # type: ignore[attr-defined]
    column = Table.of(data).column(name)
    return Column(name, column.kind, column.values, np.arange(column.levels, dtype=np.int32))


def tally_of_groups(
    coded: Sequence[Column], rows: np.ndarray, *, target: Column | None = None, persons: np.ndarray | None = None
) -> Tally:
    """The tally of rows that each stand for several, as an engine's GROUP BY returns them.

    Rows that differ only in spelling ("1" and "1.0") are merged.

    >>> x = Table.of({"x": ["b", "a", "b"]}).column("x")
    >>> tally_of_groups([x], np.array([3, 4, 5])).counts.tolist()
    [[4], [8]]
    """
    order = order_of(_key([column.codes for column in coded], len(rows), [c.levels for c in coded], ordered=True))
    codes = np.empty((len(rows), len(coded)), dtype=np.int32, order="F")
    for place, column in enumerate(coded):
        codes[:, place] = column.codes[order]
    return tally_of_sorted(
        [column.name for column in coded],
        [column.values for column in coded],
        codes,
        rows[order],
        labels=None if target is None else target.codes[order],
        n_classes=1 if target is None else target.levels,
        persons=None if persons is None else persons[order],
    )


def tally_of_sorted(
    names: Sequence[str],
    values: Sequence[pa.Array],
    codes: np.ndarray,
    rows: np.ndarray,
    *,
    labels: np.ndarray | None = None,
    n_classes: int = 1,
    persons: np.ndarray | None = None,
) -> Tally:
    """As `tally_of_groups`, for rows already in the order of their codes, of which equal neighbours are merged.

    With `persons`, sizes are their sums, which is right only if merged rows have no person in common.
    """
    is_new = np.arange(len(rows)) == 0
    for place in range(codes.shape[1]):
        is_new[1:] |= codes[1:, place] != codes[:-1, place]
    if is_new.all() and labels is None:
        sizes = rows if persons is None else persons
        return Tally(tuple(names), codes, rows[:, None], sizes, None, tuple(values))
    group_of = np.cumsum(is_new) - 1
    first = np.flatnonzero(is_new)
    every, codes = codes, np.empty((len(first), codes.shape[1]), dtype=np.int32, order="F")
    for place in range(codes.shape[1]):
        codes[:, place] = every[first, place]
    counts = np.zeros((len(codes), n_classes), dtype=np.int64)
    cells = group_of if labels is None else group_of * n_classes + labels
    np.add.at(counts.ravel(), cells, rows)  # not bincount, whose weights are doubles
    sizes = counts.sum(axis=1) if persons is None else np.add.reduceat(persons, first)
    return Tally(tuple(names), codes, counts, sizes, None, tuple(values))


def group(
    columns: Sequence[np.ndarray], n_rows: int, levels: Sequence[int] | None = None, *, ordered: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Number equal rows: (group of each row, first row of each group).

    Groups are numbered in lexicographic order of their codes or, unless `ordered`, in order of first occurrence.
    `levels` are upper bounds of the codes, computed by default.
    """
    if n_rows == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return _numbered(_key(columns, n_rows, levels, ordered), ordered)


_GROUPED: WeakKeyDictionary[Content, dict[tuple[str, ...], tuple[np.ndarray, np.ndarray]]] = WeakKeyDictionary()


def grouped(content: Content, columns: Sequence[str], *, ordered: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """`group` for columns of a content, cached while the content lives, since promise, losses and record need it.

    Unless `ordered`, cached groups of the same columns in any order are reused, and baskets are grouped item by item.

    >>> t = Table.of({"sex": ["f", "m", "f"], "age": [31, 45, 31]})
    >>> grouped(t, ["sex", "age"])[0].tolist(), grouped(t, ["age", "sex"], ordered=False) is grouped(t, ["sex", "age"])
    ([0, 1, 0], True)
    """
    cache, names = _GROUPED.setdefault(content, {}), tuple(columns)
    if names not in cache and not ordered:
        if content.rows_of_items() is not None:
            names = _BY_ITEM
        else:
            names = next((cached for cached in tuple(cache) if set(cached) == set(names)), names)
    if names not in cache:
        numbers = _by_item(content) if names is _BY_ITEM else _by_cells(content, names)
        for part in numbers:
            part.setflags(write=False)  # shared by all who ask
        cache[names] = numbers
    return cache[names]


def _by_item(content: Content) -> tuple[np.ndarray, np.ndarray]:
    partition = Partition.of(content)
    return partition.group_of_row, partition.first_rows()


def _by_cells(content: Content, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    codes, levels = content.quasi_codes(names)
    return group(codes, content.n_rows, levels)


def same_rows(columns: Sequence[Column]) -> tuple[np.ndarray, np.ndarray]:
    """Number the rows that are equal in all these columns, in their order: (number of each row, first row of each)."""
    return group([column.codes for column in columns], len(columns[0]), [column.levels for column in columns])


def distinct_codes(
    columns: Sequence[np.ndarray], n_rows: int, levels: Sequence[int] | None = None, *, ordered: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of some arrays of codes, a line for each, and the place of each row among them.

    >>> [part.tolist() for part in distinct_codes([np.array([1, 0, 1]), np.array([2, 5, 2])], 3)]
    [[[0, 5], [1, 2]], [1, 0, 1]]
    """
    groups, first = group(columns, n_rows, levels, ordered=ordered)
    codes = np.empty((len(first), len(columns)), dtype=np.int32)
    for place, column in enumerate(columns):
        codes[:, place] = column[first]
    return codes, groups


def row_order(columns: Iterable[np.ndarray], n_rows: int, levels: Sequence[int]) -> np.ndarray:
    """The stable order of rows by these arrays of codes, the first of them first; one is looked at at a time.

    >>> row_order([np.array([1, 0, 1]), np.array([2, 5, 1])], 3, [2, 6]).tolist()
    [1, 2, 0]
    """
    keys, span, most = [np.zeros(n_rows, dtype=np.int64)], 1, 1 << (63 - max(n_rows - 1, 0).bit_length())
    for codes, width in zip(columns, map(int, levels), strict=False):
        if span * width > most and span > 1:
            keys, span = [*keys, np.zeros(n_rows, dtype=np.int64)], 1
        keys[-1] = keys[-1] * width + codes if span > 1 else codes.astype(np.int64)
        span *= max(width, 1)
    order = order_of(keys.pop())
    while keys:  # from the last columns to the first: a stable order keeps that of the later ones
        order = order[order_of(keys.pop()[order])]
    return order


def pair_counts(
    a: np.ndarray, b: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct pairs of codes in lexicographic order, and the number of rows, or sum of weights, of each.

    >>> [part.tolist() for part in pair_counts(np.array([1, 0, 1]), np.array([2, 0, 2]))]
    [[0, 1], [0, 2], [1, 2]]
    """
    counted = counted_without_sorting(a, b, weights, kernels=len(a) > _FEW or kernels_are_loaded())
    if counted is not None:
        return counted
    width = int(b.max(initial=0)) + 1
    key = a.astype(np.int64) * width + b
    order = order_of(key) if weights is not None else slice(None)
    key = key[order] if weights is not None else np.sort(key)
    starts = np.flatnonzero(np.diff(key, prepend=-1))
    pairs = key[starts]
    rows = np.diff(starts, append=len(key)) if weights is None else np.add.reduceat(weights[order], starts)
    return pairs // width, pairs % width, rows.astype(np.int64)


def group_sizes(columns: Sequence[np.ndarray], n_rows: int, persons: np.ndarray | None = None) -> np.ndarray:
    """Rows, or persons, behind each distinct row, in no particular order."""
    groups, first = group(columns, n_rows, ordered=False)
    return persons_per_group(groups, len(first), persons)


def persons_per_group(groups: np.ndarray, n_groups: int, persons: np.ndarray | None) -> np.ndarray:
    """Number of distinct persons in each group; with `persons` None, every row is a person."""
    if persons is None:
        return np.bincount(groups, minlength=n_groups)
    _, first = group([groups, persons], len(groups), ordered=False)
    return np.bincount(groups[first], minlength=n_groups)


def _key(columns: Iterable[np.ndarray], n_rows: int, levels: Sequence[int] | None, ordered: bool) -> np.ndarray:
    """One integer per row, equal if and only if rows are equal, in lexicographic order if `ordered`."""
    key = np.zeros(n_rows, dtype=np.int64)
    span = 1
    for place, codes in enumerate(columns):
        width = int(levels[place]) if levels is not None else int(codes.max()) + 1
        if span > MOST_KEY // max(width, 1):
            key, first = _numbered(key, ordered)
            span = len(first)
            if span > MOST_KEY // max(width, 1):  # sparse codes: renumber them
                codes, own = _numbered(codes.astype(np.int64), ordered)
                width = len(own)
        key = key * width + codes if span > 1 else codes.astype(np.int64)
        span *= width
    return key


def order_of(key: np.ndarray) -> np.ndarray:
    """The stable sorting order of non-negative integers.

    If a number and its index fit in 63 bits, both are sorted as one: two to five times as fast as `np.argsort`.

    >>> order_of(np.array([3, 1, 3, 0])).tolist()
    [3, 1, 0, 2]
    """
    bits = max(len(key) - 1, 0).bit_length()
    if len(key) == 0 or int(key.max()) >> (63 - bits):
        return np.argsort(key, kind="stable")
    order = key << bits
    order |= np.arange(len(key))
    order.sort()
    order &= (1 << bits) - 1
    return order


def _numbered(key: np.ndarray, ordered: bool) -> tuple[np.ndarray, np.ndarray]:
    groups, first = _number_keys(key)
    if not ordered:
        return groups, first
    order = order_of(key[first])
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[groups], first[order]


def _number_keys(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number equal keys in order of first occurrence: few of them by sorting, unless kernels are loaded anyway."""
    return _hashed(key) if len(key) > _FEW or kernels_are_loaded() else _sorted(key)


def _sorted(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    _, first, groups = np.unique(key, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[groups], np.sort(first)


def _hashed(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By a hash table with open addressing, at most half full."""
    n = len(key)
    bits = max(10, min(17, (2 * n).bit_length()))
    groups, first = np.empty(n, dtype=np.int64), np.empty(0, dtype=np.int64)
    row = n_numbered = 0
    while row < n:
        places, room = np.full((1 << bits, 2), -1, dtype=np.int64), np.empty(1 << (bits - 1), dtype=np.int64)
        if n_numbered:  # the table has grown: insert all keys again, with the same numbers
            _place(key[first], 0, 0, bits, places, room, np.empty(n_numbered, dtype=np.int64))
            room[:n_numbered] = first
        row, n_numbered = _place(key, row, n_numbered, bits, places, room, groups)
        first = room[:n_numbered]
        bits = min(bits + 2, max(bits + 1, (2 * n).bit_length()))
    return groups, first.copy()


@compiled
def _place(key, row, n_numbered, bits, places, first, groups):
    """Number the keys from `row` on while there is room; return the row reached and the number of keys.

    The table grows outside: replacing an array within the loop would cost reference counting in each iteration.
    """
    shift = np.uint64(64 - bits)
    mask = np.uint64((1 << bits) - 1)
    while row < len(key):
        value = key[row]
        slot = (np.uint64(value) * np.uint64(0x9E3779B97F4A7C15)) >> shift
        number = places[slot, 1]
        while number >= 0 and places[slot, 0] != value:
            slot = (slot + np.uint64(1)) & mask
            number = places[slot, 1]
        if number < 0:
            if n_numbered == len(first):
                break
            number = n_numbered
            places[slot, 0] = value
            places[slot, 1] = number
            first[n_numbered] = row
            n_numbered += 1
        groups[row] = number
        row += 1
    return row, n_numbered
