# SPDX-License-Identifier: Apache-2.0
"""Numbers in place of intervals: each is drawn within its interval, from public cuts and from rows that are synthetic.

Within an interval the density is a straight line. At a cut it has the mean height of the two intervals beside it, so
that numbers do not jump where an interval ends. `reach` says where the first and the last interval end. If all cuts are
whole numbers, so are the numbers. Nothing here sees the rows of the table.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from discreet.data.column import Column
from discreet.data.table import Table
from discreet.foundation.randomness import Randomness
from discreet.prepare.intervals import reach
from discreet.recoding.public_domain import ColumnDomain, Domain

_STEPS = 1000  # in an interval, at least


def in_numbers(levels: ColumnDomain) -> bool:
    """Whether the cells of a column can be drawn as numbers: it is cut, and not by dates."""
    return levels.kind == "number"


class WithNumbers(Domain):
    """A domain as a plan for new rows in which numbers stay as they are. Recipients need no record of it."""

    @property
    def public(self) -> None:  # type: ignore[override]
        return None


def without_numbers(domain: Domain) -> WithNumbers:
    """The plan of the columns that are written in levels."""
    return WithNumbers(tuple(levels for levels in domain.columns if not in_numbers(levels)), domain.quasi)


def with_numbers(table: Table, codes: np.ndarray, domain: Domain, randomness: Randomness) -> Table:
    """The table, its columns of intervals drawn as numbers; `codes` are the levels of the rows, a line a column."""
    drawn = [
        _column(levels.name, drawn_numbers(levels.cuts, line, randomness))
        for levels, line in zip(domain.columns, codes, strict=True)
        if in_numbers(levels)
    ]
    return table.with_columns(drawn)


def drawn_numbers(cuts: tuple[float, ...], codes: np.ndarray, randomness: Randomness) -> np.ndarray:
    """A number for each row whose level is an interval; NaN for a level beyond, a missing cell.

    >>> drawn_numbers((10, 20), np.array([0, 1, 1, 2, 3]), Randomness(0)).round().tolist()[-1]
    nan
    """
    low, high = reach(cuts)
    ends = np.array([low, *cuts, high], dtype=float)
    intervals = len(ends) - 1
    widths = np.maximum(np.diff(ends), np.finfo(float).tiny)
    heights = np.bincount(codes, minlength=intervals)[:intervals] / widths
    at_cuts = np.concatenate([heights[:1], (heights[1:] + heights[:-1]) / 2, heights[-1:]])
    place = np.minimum(codes, intervals - 1)
    left, right = at_cuts[place], at_cuts[place + 1]
    chance = (randomness.uint64(len(codes)) >> np.uint64(11)) / 2.0**53
    # the share t of the width at which a line from `left` to `right` has the share `chance` of its area
    share = chance * (left + right) / np.maximum(left + np.sqrt(left**2 + (right**2 - left**2) * chance), 1e-300)
    drawn = ends[place] + np.clip(share, 0.0, 1.0) * widths[place]
    whole = all(float(cut).is_integer() for cut in cuts)
    places = 0 if whole else -math.floor(math.log10(float(widths.min()) / _STEPS))  # decimal ones
    drawn = np.round(np.floor(drawn * 10.0**places) / 10.0**places, places)
    below = ends[place + 1] - 1 if whole else np.nextafter(ends[place + 1], -np.inf)
    return np.where(codes < intervals, np.clip(drawn, ends[place], below), np.nan)


def _column(name: str, numbers: np.ndarray) -> Column:
    missing = np.isnan(numbers)
    values, codes = np.unique(numbers[~missing], return_inverse=True)
    if (values == np.floor(values)).all() and (np.abs(values) < 2**53).all():
        values = values.astype(np.int64)
    of_rows = np.full(len(numbers), len(values), dtype=np.int32)
    of_rows[~missing] = codes
    return Column(name, "number", pa.array(values), of_rows)
