# SPDX-License-Identifier: Apache-2.0
"""Released rows as a recipient reads them who knows what labels mean and no more: each cell as shares of a few bins.

The bins of a column are made from the source: at most eight intervals with about as many rows in each, or the seven
commonest values and the others; missing is a value. A label is spread evenly over the different values that it stands
for, and a column that is not published over all of its values. So the original and all releases of it, whatever their
labels, become rows of the same numbers, and a row that is published as it was has a one in one bin of each column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.counting.pair_sums import add_by_pair
from discreet.counting.tally import distinct_codes, pair_counts
from discreet.data.column import SUPPRESSED, Column
from discreet.data.dataset import Dataset, item_table, keep_items
from discreet.data.table import Table
from discreet.errors import DataError, quietly
from discreet.foundation.randomness import RandomState, seed_of
from discreet.recoding.labels import Classes, Labelling
from discreet.recoding.public_domain import Domain
from discreet.release.release import Release

BINS = 8
MOST_COLUMNS = 24  # read of a wide table, and items of baskets
_CHUNK = 16_384  # rows that are looked at together
_MANY = 1_000_000  # rows that are counted without looking for equal ones
_MOST_COUNTED = 2**21  # combinations of labels that are counted in one array


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of a source column: the bin of each of its codes."""

    column: Column
    of_code: np.ndarray
    n: int

    @classmethod
    def of(cls, column: Column) -> Bins:
        n_codes = len(column.values) + 1  # the last is missing, whether or not it occurs
        counts = np.bincount(column.codes, minlength=n_codes)
        if n_codes <= BINS:
            return cls(column, np.arange(n_codes), n_codes)
        if column.kind == "category":
            of_code = np.full(n_codes, BINS - 1)
            commonest = np.argsort(-counts, kind="stable")[: BINS - 1]
            of_code[commonest] = np.arange(BINS - 1)
            return cls(column, of_code, BINS)
        middle = np.cumsum(counts[:-1]) - counts[:-1] / 2
        part = np.minimum(middle * (BINS - 1) / max(counts[:-1].sum(), 1), BINS - 2).astype(np.int64)
        return cls(column, np.append(np.unique(part, return_inverse=True)[1], BINS - 1), BINS)

    @cached_property
    def numbers(self) -> np.ndarray | None:
        """The number of each code, NaN for missing; None for categories."""
        return None if self.column.kind == "category" else np.append(self.column.numbers, np.nan)

    @cached_property
    def occurring(self) -> np.ndarray:
        """Whether each code occurs: all values do, missing may not."""
        return np.append(np.ones(len(self.column.values), dtype=bool), self.column.has_missing)

    def spread(self, members: np.ndarray) -> tuple[np.ndarray, float]:
        """Shares of the bins among these codes, or among all if there are none, and the mean of their numbers."""
        chosen = members & self.occurring
        codes = np.flatnonzero(chosen if chosen.any() else self.occurring)
        shares = np.bincount(self.of_code[codes], minlength=self.n) / len(codes)
        if self.numbers is None:
            return shares, np.nan
        numbers = self.numbers[codes]
        known = numbers[~np.isnan(numbers)]
        return shares, float(known.mean()) if len(known) else np.nan


@dataclass(frozen=True, eq=False)
class SoftColumn:
    """One column of rows: `codes` of the rows, and for each code its shares of the bins and its number."""

    codes: np.ndarray
    shares: np.ndarray
    numbers: np.ndarray

    @classmethod
    def exact(cls, bins: Bins, column: Column | None = None) -> SoftColumn:
        """Rows as they are: those of the source, or others, whose new values are spread over all bins."""
        if column is None:
            numbers = np.full(len(bins.of_code), np.nan) if bins.numbers is None else bins.numbers
            return cls(bins.column.codes, np.eye(bins.n)[bins.of_code], numbers)
        code_of = {text: code for code, text in enumerate(bins.column.texts)}
        places = [code_of.get(text, -1) for text in column.texts] + [len(bins.column.values)]
        if bins.numbers is not None and column.kind != "category" and len(bins.column.values):
            near = np.searchsorted(bins.column.numbers, column.numbers).clip(0, len(bins.column.values) - 1)
            places[:-1] = near.tolist()
        members = (np.arange(len(bins.of_code)) == place for place in places)
        soft = cls._of(bins, column.codes, members, len(places))
        own = None if column.kind == "category" or bins.numbers is None else np.append(column.numbers, np.nan)
        return soft if own is None else cls(soft.codes, soft.shares, own)

    @classmethod
    def unknown(cls, bins: Bins, n_rows: int) -> SoftColumn:
        """A column of which nothing is published."""
        return cls._of(bins, np.zeros(n_rows, dtype=np.int64), [bins.occurring], 1)

    @classmethod
    def labelled(cls, bins: Bins, column: Column, labelling: Labelling | None) -> SoftColumn:
        """Labels, spread over the values that they stand for."""
        code_of = {text: code for code, text in enumerate([*bins.column.texts, None])}
        classes = _classes(bins.column, labelling)
        place_of = {} if labelling is None else {label: place for place, label in enumerate(labelling.labels)}

        def members(text: str | None) -> np.ndarray:
            if text == SUPPRESSED:
                return bins.occurring
            if classes is not None and text in place_of:
                return classes.fit(place_of[text])[classes.of_code]
            return np.arange(len(bins.of_code)) == code_of.get(text, -1)

        return cls._of(bins, column.codes, map(members, [*column.texts, None]), len(column.texts) + 1)

    @classmethod
    def of_items(cls, bins: Bins, columns: Sequence[Column], labellings: Mapping[str, Labelling]) -> SoftColumn:
        """A column published as 0/1 items: the values with just these items, or any value if no value has them."""
        has = np.stack([_has_item(bins.column, column.name, labellings.get(column.name)) for column in columns])
        lines, codes = distinct_codes([column.codes for column in columns], len(columns[0]))
        codes = codes.astype(np.int32)
        is_one = [np.array([text == "1" for text in column.texts] + [False]) for column in columns]
        shown = np.stack([ones[line] for ones, line in zip(is_one, lines.T, strict=True)])
        return cls._of(bins, codes, ((has == one[:, None]).all(axis=0) for one in shown.T), len(lines))

    @classmethod
    def _of(cls, bins: Bins, codes: np.ndarray, members: Iterable[np.ndarray], n: int) -> SoftColumn:
        """The members of each of `n` codes come one after another: all at once may be values in square."""
        shares, numbers = np.empty((n, bins.n)), np.empty(n)
        for place, one in enumerate(members):
            shares[place], numbers[place] = bins.spread(one)
        return cls(codes, shares, numbers)


def _classes(column: Column, labelling: Labelling | None) -> Classes | None:
    """The classes of a column that labels tell apart; None where they are of another kind than the column."""
    return None if labelling is None else quietly(labelling.classes, column, errors=(DataError,))[0]


def _has_item(column: Column, item: str, labelling: Labelling | None) -> np.ndarray:
    """Which codes of the source have the item."""
    if labelling is not None:
        classes = labelling.classes(column)
        return classes.fit(0)[classes.of_code]
    named = [item == f"{column.name}={text}" or (item == column.name and text == "1") for text in column.texts]
    return np.array([*named, item == f"{column.name}=missing"])


# -- whole rows -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class SoftRows:
    """Columns side by side, all over the same bins as the source's."""

    names: tuple[str, ...]
    columns: tuple[SoftColumn, ...]

    def __len__(self) -> int:
        return len(self.columns[0].codes)

    @cached_property
    def starts(self) -> np.ndarray:
        """Where the bins of each column begin, and where the last ones end."""
        return np.cumsum([0, *(column.shares.shape[1] for column in self.columns)])

    def chunks(self) -> Iterator[np.ndarray]:
        """Matrices of some rows each: all shares, column by column."""
        for start in range(0, len(self), _CHUNK):
            some = slice(start, start + _CHUNK)
            yield np.concatenate([column.shares[column.codes[some]] for column in self.columns], axis=1)

    def numbers(self, place: int) -> np.ndarray:
        """The numbers of a column, row by row."""
        column = self.columns[place]
        return column.numbers[column.codes]

    @cached_property
    def pairs(self) -> np.ndarray:
        """The mean of x x^T over the rows x: all two-way tables, and on its diagonal the one-way tables."""
        starts, total = self.starts, np.zeros((self.starts[-1], self.starts[-1]))
        for one in range(len(self.columns)):
            for other in range(one, len(self.columns)):
                block = self._distinct.pair(one, other)
                total[starts[one] : starts[one + 1], starts[other] : starts[other + 1]] = block
                total[starts[other] : starts[other + 1], starts[one] : starts[one + 1]] = block.T
        return total / max(len(self), 1)

    @cached_property
    def shares(self) -> np.ndarray:
        """The mean of the rows: all one-way tables."""
        return np.concatenate(self._distinct.singles()) / max(len(self), 1)

    def triple(self, places: Sequence[int]) -> np.ndarray:
        """The three-way table of three columns."""
        return self._distinct.triple(places) / max(len(self), 1)

    @cached_property
    def _distinct(self) -> _DistinctRows:
        return (_ManyRows if len(self) > _MANY else _DistinctRows).of(self.columns, len(self))


@dataclass(frozen=True, eq=False)
class _DistinctRows:
    """Rows with different shares, and how many rows each stands for."""

    codes: list[np.ndarray]  # of each column, the line of its shares
    shares: list[np.ndarray]
    weights: np.ndarray

    @classmethod
    def of(cls, columns: Sequence[SoftColumn], n_rows: int) -> _DistinctRows:
        unlike = [np.unique(column.shares, axis=0, return_inverse=True) for column in columns]
        codes = [line.ravel()[column.codes] for column, (_, line) in zip(columns, unlike, strict=True)]
        lines, of_row = distinct_codes(codes, n_rows)
        weights = np.bincount(of_row, minlength=len(lines)).astype(np.float64)
        return cls([np.ascontiguousarray(column) for column in lines.T], [shares for shares, _ in unlike], weights)

    def singles(self) -> list[np.ndarray]:
        """The sum of the shares of each column."""
        counts = (np.bincount(codes, self.weights, len(of)) for codes, of in zip(self.codes, self.shares, strict=True))
        return [count @ shares for count, shares in zip(counts, self.shares, strict=True)]

    def pair(self, one: int, other: int) -> np.ndarray:
        """The sum of the outer products of two columns' shares: counted by their lines, then spread over the bins."""
        a, b = self.shares[one], self.shares[other]
        first, second, counts = pair_counts(self.codes[one], self.codes[other], self.weights)
        if len(a) * len(b) > _MOST_COUNTED:
            return a[first].T @ (b[second] * counts[:, None])
        table = np.zeros((len(a), len(b)))
        table[first, second] = counts
        return a.T @ table @ b

    def triple(self, places: Sequence[int]) -> np.ndarray:
        """The sum of the outer products of three columns' shares: counted by their lines, then spread over the bins."""
        return self._triple(places)

    def _triple(self, places: Sequence[int]) -> np.ndarray:
        (a, b, c), (codes_a, codes_b, codes_c) = ([of[place] for place in places] for of in (self.shares, self.codes))
        n_lines = len(a) * len(b) * len(c)
        if n_lines <= _MOST_COUNTED:
            key = (codes_a.astype(np.int64) * len(b) + codes_b) * len(c) + codes_c
            counts = np.bincount(key, self.weights, n_lines).reshape(len(a) * len(b), len(c)) @ c
            by_first = (a.T @ counts.reshape(len(a), -1)).reshape(-1, len(b), c.shape[1])
            return (b.T @ by_first).reshape(-1, c.shape[1])
        total = np.zeros((a.shape[1] * b.shape[1], c.shape[1]))
        for start in range(0, len(codes_a), _CHUNK):  # as many combinations as rows, or more
            some = slice(start, start + _CHUNK)
            both = a[codes_a[some]][:, :, None] * b[codes_b[some]][:, None, :]
            total += both.reshape(len(both), -1).T @ (c[codes_c[some]] * self.weights[some, None])
        return total


class _ManyRows(_DistinctRows):
    """As `_DistinctRows` of so many rows that to look for equal ones takes longer than to count them all."""

    @classmethod
    def of(cls, columns: Sequence[SoftColumn], n_rows: int) -> _ManyRows:
        codes, shares = [], []
        for column in columns:
            unlike, line = np.unique(column.shares, axis=0, return_inverse=True)
            kind = np.uint16 if len(unlike) <= 2**16 else np.int64
            codes.append(line.ravel().astype(kind)[column.codes])
            shares.append(unlike)
        return cls(codes, shares, np.ones(1))

    def singles(self) -> list[np.ndarray]:
        counts = (np.bincount(codes, minlength=len(of)) for codes, of in zip(self.codes, self.shares, strict=True))
        return [count @ shares for count, shares in zip(counts, self.shares, strict=True)]

    def pair(self, one: int, other: int) -> np.ndarray:
        a, b = self.shares[one], self.shares[other]
        if len(a) * len(b) <= _MOST_COUNTED:
            return a.T @ self._table(one, other, one, np.ones(len(a))) @ b
        first, second, counts = pair_counts(self.codes[one], self.codes[other])
        return a[first].T @ (b[second] * counts[:, None])

    def triple(self, places: Sequence[int]) -> np.ndarray:
        first, second, third = places
        a, b, c = (self.shares[place] for place in places)
        if len(a) * len(b) > _MOST_COUNTED:
            return replace(self, weights=np.ones(len(self.codes[0])))._triple(places)
        by_bin = [a.T @ self._table(first, second, third, shares) @ b for shares in c.T]
        return np.stack(by_bin, axis=-1).reshape(-1, c.shape[1])

    def _table(self, one: int, other: int, by: int, values: np.ndarray) -> np.ndarray:
        """For each pair of lines of two columns, the sum over its rows of a value of their lines in a third."""
        width = len(self.shares[other])
        table = np.zeros(len(self.shares[one]) * width)
        add_by_pair(self.codes[one], self.codes[other], self.codes[by], np.ascontiguousarray(values), width, table)
        return table.reshape(-1, width)


def readable_names(dataset: Dataset, *, most: int = MOST_COLUMNS, random_state: RandomState = 0) -> tuple[str, ...]:
    """The columns to ask about: the published ones that differ between rows; of many, or of items, some.

    Of a wide table they are drawn, the target always among them; of baskets they are the items that tell most.
    """
    if dataset.shape == "baskets":
        share = dataset.data.support / max(len(dataset), 1)
        telling = np.argsort(np.abs(share - 0.5), kind="stable")[:most]
        return tuple(dataset.data.names[item] for item in np.sort(telling))
    target = (dataset.target,) if dataset.has_target else ()
    names = [name for name in dataset.table.names if name not in target and dataset.table.column(name).levels > 1]
    if len(names) + len(target) > most:
        drawn = np.random.default_rng(seed_of(random_state)).permutation(len(names))[: most - len(target)]
        names = [names[place] for place in np.sort(drawn)]
    return (*names, *target)


def read_softly(release: Release, dataset: Dataset, names: Sequence[str]) -> tuple[SoftRows, SoftRows] | None:
    """The source rows and the released ones over the same bins; None if nothing of rows can be read."""
    bins = bins_of(dataset, names)
    exact = SoftRows(tuple(names), tuple(SoftColumn.exact(one) for one in bins))
    if not release.content.has_cells or not release.rows:
        return None
    return exact, SoftRows(tuple(names), tuple(_read(release, dataset, bins)))


def bins_of(dataset: Dataset, names: Sequence[str]) -> list[Bins]:
    table = _some_table(dataset, names)
    return [Bins.of(table.column(name)) for name in names]


def exactly(dataset: Dataset, bins: Sequence[Bins]) -> SoftRows:
    """Other rows, as they are, over bins made before."""
    table = _some_table(dataset, [one.column.name for one in bins])
    columns = (SoftColumn.exact(one, table.column(one.column.name)) for one in bins)
    return SoftRows(tuple(one.column.name for one in bins), tuple(columns))


def _some_table(dataset: Dataset, names: Sequence[str]) -> Table:
    if dataset.shape == "table":
        return dataset.table
    return item_table(keep_items(dataset.data, [name for name in names if name != dataset.target]), dataset.target)


def _read(release: Release, dataset: Dataset, bins: Sequence[Bins]) -> Iterator[SoftColumn]:
    plan = release.plan
    if isinstance(plan, Domain):
        labellings = {one.name: one.labelling for one in plan.columns}
    else:
        labellings = {} if plan is None else {one.name: one for one in plan.labellings}
    if release.shape == "baskets":
        kept = [one.column.name for one in bins if one.column.name in release.columns]
        content = item_table(keep_items(release.baskets, kept), dataset.target)
    else:
        content = release.table
    for one in bins:
        name = one.column.name
        if name in release.items:
            yield SoftColumn.of_items(one, content.columns(release.items[name]), labellings)
        elif name in content:
            yield SoftColumn.labelled(one, content.column(name), labellings.get(name))
        else:
            yield SoftColumn.unknown(one, release.rows)
