# SPDX-License-Identifier: Apache-2.0
"""Binning: numbers and dates become intervals, so that many people share a value.

Paper: U. M. Fayyad, K. B. Irani, *Multi-interval discretization of continuous-valued attributes for classification
learning*, IJCAI 1993: cut where the class entropy falls most, recurse into both parts, stop when the description of the
cut costs more than it saves. Alternatives are cuts at equal counts, at equal widths, or chosen by the user.

The cuts are learnt from the private table and are visible in the release.

Departures from the paper: 1. Of equally good cuts the lowest is taken (the paper leaves it open), and "equally good"
allows for rounding errors. 2. A cut is the roundest number between the two values, not their midpoint.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.entropy import entropy_times_n
from discreet.data.column import Column, from_labels
from discreet.data.table import Table
from discreet.errors import DataError, Setting, did_you_mean, listing, quietly, shown
from discreet.prepare.intervals import column_cut, cut_between, interval_label, is_whole
from discreet.prepare.rare import Rare

BinningMethod = Literal["mdl", "frequency", "width"]
METHODS: tuple[BinningMethod, ...] = ("mdl", "frequency", "width")

_EQUAL = 1e-9  # bits per row: smaller differences of entropies are rounding errors
_MOST_CELLS = 200_000_000  # distinct values times classes, counted in memory


def mdl_cuts(numbers: np.ndarray, counts: np.ndarray) -> list[int]:
    """Cuts of least class entropy by the rule of Fayyad and Irani; p cuts between numbers[p - 1] and numbers[p].

    `numbers` are distinct and increasing; `counts[i, c]` is how many rows with numbers[i] have class c. A set S of N
    rows with k classes is cut into S1 and S2 if

        Ent(S) - |S1|/N Ent(S1) - |S2|/N Ent(S2)  >  (log2(N - 1) + log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2))) / N

    >>> mdl_cuts([1, 2, 3, 7, 8, 9], [[5, 0], [5, 0], [5, 0], [0, 5], [0, 5], [0, 5]])
    [3]
    """  # noqa: E501
    numbers, counts = np.asarray(numbers, dtype=np.float64), np.asarray(counts, dtype=np.int64)
    if counts.ndim != 2 or numbers.ndim != 1 or len(numbers) != len(counts):
        raise DataError(f"{len(numbers)} numbers come with counts of shape {counts.shape}; a row for each is needed.")
    if (np.diff(numbers) <= 0).any():
        raise DataError("The numbers must be distinct and increasing, one row of counts for each.")
    starts, upto = _blocks(counts)
    cuts, parts = [], [(0, len(starts))]
    while parts:
        first, last = parts.pop()
        cut = _best_cut(upto, first, last)
        if cut is not None:
            cuts.append(int(starts[cut]))
            parts += [(first, cut), (cut, last)]
    return sorted(cuts)


def _blocks(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge neighbouring values of the same single class, between which no best cut lies (Theorem 1 of the paper).

    Returns the start of each block, and the cumulative counts before it (one row more, for the end).
    """
    present = np.flatnonzero(counts.any(axis=1))
    counts = counts[present]
    pure = np.where((counts > 0).sum(axis=1) == 1, counts.argmax(axis=1), -1) if len(counts) else np.empty(0, int)
    begins = np.ones(len(counts), dtype=bool)
    begins[1:] = (pure[1:] != pure[:-1]) | (pure[1:] == -1)
    first = np.flatnonzero(begins)
    upto = np.zeros((len(counts) + 1, counts.shape[1]), dtype=np.int64)
    np.cumsum(counts, axis=0, out=upto[1:])
    return present[first], upto[np.append(first, len(counts))]


def _best_cut(upto: np.ndarray, first: int, last: int) -> int | None:
    """The block before which [first, last) is cut, or None if the best cut does not pay off."""
    if last - first < 2:
        return None
    whole = upto[last] - upto[first]
    below = upto[first + 1 : last] - upto[first]
    bits_left, bits_right, bits = (entropy_times_n(counts) for counts in (below, whole - below, whole))
    n = int(whole.sum())
    after = bits_left + bits_right
    best = int(np.flatnonzero(after <= after.min() + _EQUAL * n)[0])
    n_left = int(below[best].sum())
    k, k1, k2 = ((c > 0).sum() for c in (whole, below[best], whole - below[best]))
    before = k * bits / n - k1 * bits_left[best] / n_left - k2 * bits_right[best] / (n - n_left)
    delta = k * math.log2(3) + math.log2(1 - 2 * 3.0**-k) - before  # log2(3^k - 2), even if 3^k is huge
    return first + 1 + best if bits - after[best] > math.log2(n - 1) + delta + _EQUAL else None


def equal_frequency_cuts(column: Column, bins: int = 10, rows: np.ndarray | None = None) -> tuple[float, ...]:
    """At most `bins - 1` cuts into bins with about equally many rows; equal values stay together.

    `rows` are the rows of each value, missing last; by default those of the column itself.

    >>> import pyarrow as pa
    >>> from discreet.data.column import encode
    >>> equal_frequency_cuts(encode("age", pa.array([20, 21, 22, 40, 60, 80])), bins=3)
    (22.0, 50.0)
    """
    bins, (numbers, place) = _checked_bins(bins), _line(column)
    if len(numbers) < 2:
        return ()
    rows = np.bincount(column.codes, minlength=len(column.values) + 1) if rows is None else rows
    upto = np.cumsum(np.bincount(place, rows, minlength=len(numbers) + 1)[: len(numbers)].astype(np.int64))
    targets = upto[-1] * np.arange(1, bins) / bins
    after = np.clip(np.searchsorted(upto, targets), 0, len(numbers) - 2)
    before = np.maximum(after - 1, 0)
    nearest = np.where(targets - upto[before] <= upto[after] - targets, before, after)
    return tuple(column_cut(column, numbers[p], numbers[p + 1]) for p in np.unique(nearest))


def equal_width_cuts(column: Column, bins: int = 10) -> tuple[float, ...]:
    """At most `bins - 1` equidistant cuts between the smallest and the largest value, rounded to few digits.

    >>> import pyarrow as pa
    >>> from discreet.data.column import encode
    >>> equal_width_cuts(encode("age", pa.array([20, 21, 22, 40, 60, 80])), bins=3)
    (40.0, 60.0)
    """
    bins, numbers = _checked_bins(bins), column.numbers[np.isfinite(column.numbers)]
    if len(numbers) < 2:
        return ()
    low, width = float(numbers[0]), float(numbers[-1] / bins - numbers[0] / bins)
    exact = [low + width * j for j in range(1, bins)]
    if is_whole(column):
        cuts = [float(math.floor(c + 0.5)) for c in exact]
    else:
        clock, near = column.kind == "date", width / 50
        cuts = [cut_between(c - near, c + near, whole=False, clock=clock) if c - near < c + near else c for c in exact]
    return tuple(sorted({c for c in cuts if low < c <= numbers[-1]}))


def _line(column: Column) -> tuple[np.ndarray, np.ndarray]:
    """The distinct numbers in increasing order, and the index of each code among them, missing last.

    Indices differ from codes only if timestamps far from 1970 coincide as doubles.
    """
    numbers, place = np.unique(column.numbers, return_inverse=True)
    return numbers, np.append(place, len(numbers))


def _checked_bins(bins: int) -> int:
    if not isinstance(bins, (int, np.integer)) or isinstance(bins, bool) or bins < 1:
        raise DataError(f"The number of bins must be a whole number from 1 on. Got {bins!r} instead.")
    return int(bins)


@dataclass(frozen=True)
class Binning:
    """Cuts for columns of numbers and dates; a column without cuts is one interval, labelled "*".

    >>> t = Table.of({"age": [20, 21, 22, 40, 60, None], "sex": ["f", "m", "f", "m", "f", "m"]})
    >>> binning = Binning.fit(t, ["age", "sex"], target=None, cuts={"age": [25, 50]})
    >>> binning.apply(t).column("age").to_arrow().to_pylist()
    ['< 25', '< 25', '< 25', '[25, 50)', '>= 50', None]
    """

    cuts: dict[str, tuple[float, ...]]
    kinds: dict[str, Literal["number", "date"]] = field(default_factory=dict)  # default: "number"

    @classmethod
    def fit(
        cls,
        table: Table | CodedRows,
        columns: Iterable[str],
        *,
        target: str | None = None,
        cuts: Mapping[str, Sequence[float]] | None = None,
        method: BinningMethod = "mdl",
        bins: int = 10,
        rarest: int = 1,
        person: str | None = None,
    ) -> Binning:
        """Cuts for the numbers and dates among `columns`; categories are ignored.

        `cuts` take precedence (for dates: days since 1970-01-01, dates or ISO texts). The others are learnt: "mdl" from
        the target, "frequency" and "width" from `bins`. Rows in which the column or the target is missing are ignored.
        A cut by "mdl" avoids values that fewer than `rarest` persons have, if another number lies between its
        neighbours.
        """
        columns, chosen = list(columns), dict(cuts or {})
        if method not in METHODS:
            raise DataError(f"{method!r} is not a binning method; the methods are {', '.join(METHODS)}.")
        unknown = [name for name in chosen if name not in columns]
        if unknown:
            hint = did_you_mean(unknown[0], columns)
            raise DataError(f"Cuts were given for columns that are not to be binned: {listing(unknown)}.{hint}")
        numeric = [column for column in map(table.column, columns) if column.kind != "category"]
        kinds: dict[str, Literal["number", "date"]] = {
            column.name: "date" if column.kind == "date" else "number" for column in numeric
        }
        for name in chosen:
            if name not in kinds:
                raise DataError(f"Cuts were given for {shown(name)}, which holds categories, not numbers or dates.")
        result = {name: _checked_cuts(name, chosen[name], kinds[name]) for name in chosen}
        for column in numeric:
            if column.name in chosen:
                continue
            if method == "mdl":
                _check_target(table, target, column)
                rows = CodedRows.of(table, [column.name], target=target, person=person)
                result[column.name] = _learnt_cuts(rows, column.name, rarest)
            elif method == "frequency":
                result[column.name] = equal_frequency_cuts(column, bins)
            else:
                result[column.name] = equal_width_cuts(column, bins)
        return cls({name: result[name] for name in kinds}, kinds)

    def labels(self, name: str) -> tuple[str, ...]:
        """The intervals of a column, from the lowest to the highest.

        >>> Binning({"age": (25, 50)}).labels("age")
        ('< 25', '[25, 50)', '>= 50')
        """
        if name not in self.cuts:
            raise DataError(f"There are no cuts for {shown(name)}.{did_you_mean(name, self.cuts)}")
        borders = (None, *self.cuts[name], None)
        kind = self.kinds.get(name, "number")
        return tuple(interval_label(low, high, kind) for low, high in pairwise(borders))

    def apply(self, table: Table) -> Table:
        """The table with the binned columns as categories. Missing stays missing; every number has an interval."""
        return table.with_columns([self._binned(table.column(name)) for name in self.cuts])

    def _binned(self, column: Column) -> Column:
        kind = self.kinds.get(column.name, "number")
        if len(column.values) and column.kind != kind:
            raise DataError(
                f"Column {shown(column.name)} was binned as a {kind}, but here it is a {column.kind} with"
                f" {len(column.values)} different values. Declare it a {kind} when reading it: ",
                Setting("kinds", {column.name: kind}),
                ".",
            )
        labels = self.labels(column.name)
        numbers = column.numbers if len(column.values) else np.empty(0)
        bins = np.searchsorted(np.asarray(self.cuts[column.name]), numbers, side="right")
        return from_labels(column.name, [*labels, None], np.append(bins, len(labels))[column.codes])


def _check_target(table: Table | CodedRows, target: str | None, column: Column) -> None:
    name, n_values = column.name, len(column.values)
    if target is None:
        raise DataError(
            f"Column {shown(name)} is to be cut where the class changes, but there is no target. Name one, give the"
            f" cuts, or choose the method 'frequency' or 'width'."
        )
    if target == name:
        raise DataError(f"Column {shown(name)} is the target and cannot be binned by itself.")
    taught_by = table.target if isinstance(table, CodedRows) else table.column(target)
    classes = 0 if taught_by is None else len(taught_by.values)
    if n_values * classes > _MOST_CELLS:
        raise DataError(
            f"The target {shown(target)} has {classes} classes and {shown(name)} {n_values} different values, too many"
            f" to cut by class. Give cuts, or choose the method 'frequency' or 'width'."
        )


def _learnt_cuts(rows: CodedRows, name: str, rarest: int) -> tuple[float, ...]:
    column, target, rare = rows.column(name), rows.target, Rare.of(rows, name, rarest=rarest)
    assert target is not None
    numbers, place = _line(column)
    classes = len(target.values)
    counts = np.zeros((len(numbers), classes), dtype=np.int64)
    np.add.at(counts, place[:-1], rows.class_counts(name)[:-1, :classes])
    taught = counts.any(axis=1)
    numbers, counts = numbers[taught], counts[taught]
    places = mdl_cuts(numbers, counts)
    return tuple(column_cut(column, numbers[p - 1], numbers[p], avoid=rare.numbers) for p in places)


def _checked_cuts(name: str, cuts: Iterable[object], kind: str) -> tuple[float, ...]:
    listed = list(cuts)
    number_of: Callable[[Any], float] = _day_of if kind == "date" else float
    numbers, failure = quietly(lambda: tuple(map(number_of, listed)))
    if numbers is None:
        form = "numbers" if kind == "number" else "dates (2020-01-31) or days since 1970-01-01"
        raise DataError(f"The cuts of {shown(name)} must be {form} ({failure}).")
    if not all(map(math.isfinite, numbers)) or any(a >= b for a, b in pairwise(numbers)):
        raise DataError(f"The cuts of {shown(name)} must be finite and strictly increasing.")
    return numbers


def _day_of(cut: Any) -> float:
    if isinstance(cut, str):
        cut = datetime.datetime.fromisoformat(cut)
    if isinstance(cut, datetime.date) and not isinstance(cut, datetime.datetime):
        cut = datetime.datetime(cut.year, cut.month, cut.day)
    if isinstance(cut, datetime.datetime):
        return (cut.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
    return float(cut)
