# SPDX-License-Identifier: Apache-2.0
"""Columns as matrices, for learners that take numbers only.

One-hot: each category is a column, and so is missing; a category that was never met is all zeros. Numbers get mean 0
and variance 1, and a column says whether they are missing. Many features of two values, such as the items of baskets,
would be as many ones in every row: they get one column each, 0 for the first value and the root of 2 for the other,
halfway for one that was never met. Distances stay, and so does the best linear model with a free intercept: of weights
a and b with the least squares for their difference, a = -b. Ordinal: each category is its place, intervals in the order
of their ends, other texts in the order of letters; numbers stay; what is missing or was never met is NaN. What stands
for what is decided on the training rows alone.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Protocol

import numpy as np

from discreet.data.column import Column
from discreet.data.table import Table
from discreet.errors import quietly
from discreet.foundation.lazy_modules import sparse as sp
from discreet.learning.examples import MISSING, Examples, Feature
from discreet.learning.hot_codes import HotCodes

_MANY = 256  # features of two values, from which on they get one column each instead of two
PARTS = 16  # of equally many training rows, that a column of numbers is also cut into where a line would not do


def one_hot(codes: np.ndarray, width: int) -> sp.csr_array:
    """A column per code below `width`; other codes are all zeros.

    >>> one_hot(np.array([1, 0, 2]), 2).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    """
    is_known = codes < width
    ends = np.append(0, np.cumsum(is_known))
    return sp.csr_array((np.ones(ends[-1]), codes[is_known], ends), shape=(len(codes), width))


def _beside(parts: Sequence[sp.csr_array | tuple[np.ndarray, int]]) -> sp.csr_array:
    """Matrices side by side, with the 32-bit indices that liblinear wants. Codes with a width stand for their one-hot
    matrix; neighbours of this kind become one matrix at once, for there may be thousands of them.
    """
    blocks: list[sp.csr_array] = []
    for is_hot, run in groupby(parts, key=lambda part: isinstance(part, tuple)):
        some: list[Any] = list(run)
        blocks += [_one_hots(some)] if is_hot else some
    joined = blocks[0] if len(blocks) == 1 else sp.csr_array(sp.hstack(blocks))
    places, ends = joined.indices.astype(np.int32), joined.indptr.astype(np.int32)
    return sp.csr_array((joined.data, places, ends), shape=joined.shape)


def _one_hots(parts: list[tuple[np.ndarray, int]]) -> sp.csr_array:
    """The one-hot matrices side by side. Of many features of two values, each has one column: 0 for the first, the root
    of 2 for the second, the root of 1/2 for what was not met.
    """
    many = sum(width == 2 for _, width in parts) >= _MANY
    rows, columns, values, start = [], [], [], 0
    for codes, width in parts:
        single = many and width == 2
        at = np.flatnonzero(codes if single else codes < width)
        occurring = codes[at]
        rows.append(at)
        columns.append(np.full(len(at), start) if single else start + occurring)
        values.append(np.where(occurring < 2, math.sqrt(2), math.sqrt(0.5)) if single else np.ones(len(at)))
        start += 1 if single else width
    places = (np.concatenate(rows), np.concatenate(columns))
    return sp.coo_array((np.concatenate(values), places), shape=(len(parts[0][0]), start)).tocsr()


@dataclass(frozen=True, eq=False)
class StandardScale:
    """Numbers with mean 0 and variance 1, in which part of the training rows they lie, and whether they are missing."""

    mean: float
    spread: float
    edges: np.ndarray

    @classmethod
    def fit(cls, numbers: np.ndarray, counts: np.ndarray, parts: int = 1) -> StandardScale:
        """From numbers that occur `counts` times; with more than one part the counts must be whole."""
        if not counts.sum() > 0:
            return cls(0.0, 1.0, np.empty(0))
        mean = float(np.average(numbers, weights=counts))
        spread = math.sqrt(np.average((numbers - mean) ** 2, weights=counts))
        edges = np.empty(0)
        if parts > 1:
            every = np.repeat(numbers, counts.astype(np.int64))
            edges = np.unique(np.quantile(every, np.arange(1, parts) / parts))
        return cls(mean, spread if spread > 0 else 1.0, edges)

    def matrix(self, numbers: np.ndarray) -> sp.csr_array:
        """The numbers of some rows, NaN where missing."""
        missing = np.isnan(numbers)
        centred = np.where(missing, 0.0, (numbers - self.mean) / self.spread)
        part = np.where(missing, len(self.edges) + 1, np.searchsorted(self.edges, numbers, side="right"))
        return _beside([sp.csr_array(centred[:, None]), one_hot(part, len(self.edges) + 2)])


def encoded(learnt: Table, tested: Table, names: list[str]) -> tuple[sp.csr_array, sp.csr_array]:
    """Both tables as matrices, row by row; what stands for what is decided on the first alone.

    Numbers are also cut into parts: with a line alone, a release that writes intervals would seem better than the
    original.
    """
    return _matrices([_encode(learnt.column(name), tested.column(name)) for name in names], learnt, tested)


def learnt_and_tested(
    learnt: Table, tested: Table, names: list[str], rows: np.ndarray
) -> tuple[sp.csr_array | HotCodes, sp.csr_array | HotCodes]:
    """As `encoded`, some rows of the first table, for those who only multiply."""
    parts = [_encode(learnt.column(name), tested.column(name)) for name in names]
    if not 0 < len(parts) < _MANY or not all(isinstance(left, tuple) for left, _ in parts):
        matrix, asked = _matrices(parts, learnt, tested)
        return matrix[rows], asked
    widths = [width for (_, width), _ in parts]
    return (
        HotCodes.of([codes[rows] for (codes, _), _ in parts], widths),
        HotCodes.of([codes for _, (codes, _) in parts], widths),
    )


def _matrices(parts: list[tuple[Any, ...]], learnt: Table, tested: Table) -> tuple[sp.csr_array, sp.csr_array]:
    if not parts:
        return sp.csr_array((len(learnt), 0)), sp.csr_array((len(tested), 0))
    left, right = zip(*parts, strict=True)
    return _beside(left), _beside(right)


def _encode(learnt: Column, tested: Column) -> tuple[Any, ...]:
    if learnt.kind != "category" and tested.kind != "category":
        counts = np.bincount(learnt.codes, minlength=len(learnt.values) + 1)[: len(learnt.values)]
        scale = StandardScale.fit(learnt.numbers, counts, PARTS if learnt.levels > 2 else 1)
        return scale.matrix(_numbers(learnt)), scale.matrix(_numbers(tested))
    feature = Feature(learnt.name, texts=(*learnt.texts, MISSING))  # missing is a value
    return (learnt.codes, feature.unknown), (feature.codes(tested), feature.unknown)


def _numbers(column: Column) -> np.ndarray:
    return np.append(column.numbers, np.nan)[column.codes]


# -- for learners that are fitted to examples ---------------------------------------------------------------------


class MatrixCoding(Protocol):
    """What stands for what, learnt from examples: their distinct rows as a matrix, and the rows of a table."""

    def learn(self, examples: Examples) -> sp.csr_array | np.ndarray: ...

    def apply(self, table: Table) -> sp.csr_array | np.ndarray: ...


class OneHot:
    """Categories one-hot, numbers standardised.

    >>> t = Table.of({"sex": ["f", "m", None], "age": [20, 40, 60], "y": [0, 1, 1]})
    >>> coding = OneHot()
    >>> coding.learn(Examples.of(t, ["sex", "age"], "y", missing="value")).toarray().round(2)[:, :4].tolist()
    [[1.0, 0.0, 0.0, -1.22], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.22]]
    """

    def learn(self, examples: Examples) -> sp.csr_array:
        self._parts: list[tuple[Feature, StandardScale | None]] = []
        blocks: list[sp.csr_array | tuple[np.ndarray, int]] = []
        weight = examples.counts.sum(axis=1)
        for f, feature in enumerate(examples.features):
            codes, scale = examples.codes[:, f], None
            if feature.numbers is None:
                blocks.append((codes, feature.unknown))
            else:
                counts = np.bincount(codes, weight, minlength=feature.unknown + 1)[: feature.unknown]
                scale = StandardScale.fit(feature.numbers, counts)
                blocks.append(scale.matrix(np.append(feature.numbers, np.nan)[codes]))
            self._parts.append((feature, scale))
        return _beside(blocks)

    def apply(self, table: Table) -> sp.csr_array:
        blocks: list[sp.csr_array | tuple[np.ndarray, int]] = []
        for feature, scale in self._parts:
            column = table.column(feature.name)
            if scale is None:
                blocks.append((feature.codes(column), feature.unknown))
            else:
                blocks.append(scale.matrix(feature.places(column)))
        return _beside(blocks)


class Ordinal:
    """Categories as their places, numbers as they are; NaN where not known.

    >>> t = Table.of({"age": ["[9, 20)", "< 9", ">= 20"], "y": [0, 1, 1]})
    >>> coding = Ordinal()
    >>> sorted(coding.learn(Examples.of(t, ["age"], "y")).ravel().tolist()), coding.apply(t).ravel().tolist()
    ([0.0, 1.0, 2.0], [1.0, 0.0, 2.0])
    """

    def learn(self, examples: Examples) -> np.ndarray:
        self._parts: list[tuple[Feature, np.ndarray]] = []
        matrix = np.empty(examples.codes.shape)
        for f, feature in enumerate(examples.features):
            place = np.append(feature.numbers if feature.numbers is not None else places(feature.texts or ()), np.nan)
            matrix[:, f] = place[examples.codes[:, f]]
            self._parts.append((feature, place))
        return matrix

    def apply(self, table: Table) -> np.ndarray:
        matrix = np.empty((len(table), len(self._parts)))
        for f, (feature, place) in enumerate(self._parts):
            column = table.column(feature.name)
            matrix[:, f] = feature.places(column) if feature.is_number else place[feature.codes(column)]
        return matrix


_INTERVAL = re.compile(r"< (?P<high>\S.*)|>= (?P<low>\S.*)|\[(?P<from>[^,]+), (?P<to>[^,]+)\)|(?P<point>[^,]+)")


def places(texts: tuple[str, ...]) -> np.ndarray:
    """The place of each category: intervals and numbers by their ends, other texts by their letters, missing last.

    >>> places(("*", ">= 30", "[5, 30)", "< 5", "7")).tolist()
    [4.0, 3.0, 1.0, 0.0, 2.0]
    """
    keys = [(0, ends, text) if (ends := ends_of(text)) else (1 + (text == MISSING), (0.0, 0.0), text) for text in texts]
    place = np.empty(len(texts))
    place[sorted(range(len(texts)), key=lambda code: keys[code])] = np.arange(len(texts))
    return place


def ends_of(text: str) -> tuple[float, float] | None:
    """The ends of an interval as it is written in a release, or None."""
    parts = _INTERVAL.fullmatch(text)
    if parts is None:
        return None
    low, high = parts["low"] or parts["from"] or parts["point"], parts["high"] or parts["to"] or parts["point"]
    ends = (-math.inf if low is None else _border(low), math.inf if high is None else _border(high))
    return None if any(end is None for end in ends) else ends  # type: ignore[return-value]


def _border(text: str) -> float | None:
    """A border as a number: itself, or a date's days."""
    number, failure = quietly(float, text, errors=(ValueError,))
    if not failure:
        return number if not math.isnan(number) else None
    moment, _ = quietly(datetime.datetime.fromisoformat, text, errors=(ValueError,))
    return None if moment is None else (moment - datetime.datetime(1970, 1, 1)) / datetime.timedelta(days=1)
