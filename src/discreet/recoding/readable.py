# SPDX-License-Identifier: Apache-2.0
"""The axis of a column for methods that cut anywhere: only at round borders, with codes in the order of their prefixes.

Numbers and dates are cut into parts first, with borders that are round where that loses no more than chance would
(borders.py). A method that cuts such an axis writes labels that people can read. The parts are several times finer than
what the method can publish: n persons in groups of k leave about (n / k)^(1/d) intervals of each of d columns.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.recoding.axis import Axis
from discreet.recoding.borders import MOST_PIECES, Borders
from discreet.recoding.branches import in_branches

_LEAST, _FINER = 32, 4  # parts of a column at least; and for each interval that can be published


def readable_axis(rows: CodedRows, name: str, *, rarest: int, by_class: bool = False) -> Axis:
    """The axis of a column, cut at round borders only; `by_class` prefers those that tell the classes apart."""
    axis = Axis.of(rows, name, rarest=rarest, by_class=by_class)
    if axis.numbers is None:
        return in_branches(axis, None, by_class=by_class)
    most = max(_LEAST, round(_FINER * (rows.n_persons / rarest) ** (1 / len(rows.columns))))
    if most >= min(axis.n_values, MOST_PIECES):
        return axis
    counts = axis.counts_of_ranks
    counts = counts if by_class else counts.sum(axis=1, keepdims=True)
    borders = Borders.of(axis)
    kept = borders.lowest(np.add.reduceat(counts, borders.starts[:-1]), most)
    starts = borders.starts[kept]
    starts = starts[starts < axis.n_values]  # missing is apart anyway
    cuts = tuple(axis.cut(int(start) - 1, int(start)) for start in starts)
    ranks = np.searchsorted(starts, axis.rank_of_code, side="right")
    ranks[-1] = len(cuts) + 1
    return replace(axis, rank_of_code=ranks, numbers=None, borders=cuts)
