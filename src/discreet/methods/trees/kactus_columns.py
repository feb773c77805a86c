# SPDX-License-Identifier: Apache-2.0
"""TreeColumn-identifiers as few codes, for methods that wrap a decision tree, and how a set of codes is written.

Numbers and dates are cut into intervals first, by MDL against the target or as given; a category that fewer than k
persons have is part of "other"; missing is one more value. A column without a cut has nothing to tell and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.counting.coded_rows import CodedRows, DistinctRows
from discreet.learning.examples import MISSING as MISSING_TEXT
from discreet.learning.examples import Examples, Feature
from discreet.prepare.binning import Binning
from discreet.prepare.rare import Rare
from discreet.recoding.axis import Axis
from discreet.recoding.labels import MISSING, Meaning


@dataclass(frozen=True, eq=False)
class TreeColumn:
    """One quasi-identifier: intervals in their order or categories by name, "other" after them, missing last."""

    axis: Axis
    borders: tuple[float, ...] | None  # of the intervals, from -inf to inf; None for categories

    @property
    def name(self) -> str:
        return self.axis.name

    @property
    def n_values(self) -> int:
        return len(self.borders) - 1 if self.borders is not None else self.axis.n_values

    @property
    def levels(self) -> int:
        """How many codes there are, missing included."""
        return self.n_values + self.axis.column.has_missing

    def codes(self) -> np.ndarray:
        """The code of each distinct row."""
        return self.axis.rank_of_code.astype(np.int32)[self.axis.column.codes]

    def feature(self, *, ordered: bool) -> Feature:
        """The column for a learner; `ordered` gives intervals as numbers, whose missing cells are unknown."""
        if ordered and self.borders is not None:
            return Feature(self.name, numbers=np.arange(self.n_values, dtype=np.float64))
        texts = [self.label([code])[0] for code in range(self.levels)]
        return Feature(self.name, texts=tuple(MISSING_TEXT if text is None else text for text in texts))

    def label(self, codes: Sequence[int] | np.ndarray) -> tuple[str | None, Meaning]:
        """The label of a cell known only to have one of these codes, in increasing order, and its meaning.

        Intervals are written as the one from the first to the last.
        """
        ranks = [int(code) for code in codes]
        if self.borders is None:
            return self.axis.set_of(tuple(ranks)), self.axis.meaning_of_set(tuple(ranks))
        missing = ranks[-1] == self.n_values
        if ranks[0] == self.n_values:
            return None, MISSING
        ends = self.borders[ranks[0]], self.borders[ranks[-1 - missing] + 1]
        return self.axis.interval(*ends, missing), self.axis.meaning_of_interval(*ends, missing)


@dataclass(frozen=True, eq=False)
class TreeRows:
    """The distinct rows by their coded quasi-identifiers; `place` leads to them from the coded rows of the table."""

    quasi: tuple[TreeColumn, ...]
    rows: DistinctRows
    place: np.ndarray
    classes: tuple[str, ...]

    @classmethod
    def of(cls, rows: CodedRows, *, k: int, cuts: Mapping[str, Sequence[float]] | None) -> TreeRows:
        """Code the quasi-identifiers that tell something, in the order of the roles."""
        assert rows.target is not None
        binning = Binning.fit(rows, rows.names, target=rows.target.name, cuts=cuts, rarest=k)
        quasi = [_quasi(rows, name, binning, k) for name in rows.names]
        quasi = [one for one in quasi if one.n_values > 1]
        merged, place = rows.merged([one.codes() for one in quasi], [one.levels for one in quasi])
        return cls(tuple(quasi), merged, place, tuple(rows.target.texts))

    @property
    def levels(self) -> list[int]:
        return [one.levels for one in self.quasi]

    def examples(self, *, ordered: bool = False) -> Examples:
        """What a learner sees; `ordered` gives intervals as numbers, else as categories."""
        features = tuple(one.feature(ordered=ordered) for one in self.quasi)
        return Examples(features, self.rows.codes, self.rows.counts.astype(np.float64), self.classes)


def _quasi(rows: CodedRows, name: str, binning: Binning, k: int) -> TreeColumn:
    column = rows.column(name)
    if column.kind == "category":
        return TreeColumn(Axis.of(rows, name, rarest=k), None)
    borders = (-np.inf, *binning.cuts[name], np.inf)
    bins = np.searchsorted(borders[1:-1], column.numbers if len(column.values) else [], side="right")
    rare = Rare.of(rows, name, rarest=k)
    return TreeColumn(Axis(column, np.append(bins, len(borders) - 1), rows.class_counts(name), rare=rare), borders)
