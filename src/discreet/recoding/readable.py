# SPDX-License-Identifier: Apache-2.0
"""The axis of a column for methods that cut anywhere: at round borders, with codes in the order of their prefixes.

Cuts that tell the classes apart lie between parts of a column, with borders that are round where that loses no more
than chance would (borders.py). The parts are several times finer than what the method can publish: n persons in groups
of k leave about (n / k)^(1/d) intervals of each of d columns. Without a class to say what a border is worth, a column
is cut between any two values, at the roundest number between them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.recoding.axis import Axis
from discreet.recoding.borders import MOST_PIECES, Borders
from discreet.recoding.branches import in_branches

_LEAST, _FINER = 32, 4  # parts of a column at least; and for each interval that can be published


def readable_axis(
    rows: CodedRows, name: str, *, rarest: int, by_class: bool = False, n_columns: int | None = None
) -> Axis:
    """The axis of a column, cut at round borders; `by_class`, only at those that tell the classes apart.

    `n_columns` says how many columns are cut, if these rows were counted by fewer.
    """
    axis = Axis.of(rows, name, rarest=rarest, by_class=by_class)
    if axis.numbers is None:
        return in_branches(axis, None, by_class=by_class)
    most = max(_LEAST, round(_FINER * (rows.n_persons / rarest) ** (1 / (n_columns or len(rows.columns)))))
    if not by_class or most >= min(axis.n_values, MOST_PIECES):
        return axis
    borders = Borders.of(axis)
    kept = borders.lowest(np.add.reduceat(axis.counts_of_ranks, borders.starts[:-1]), most)
    starts = borders.starts[kept]
    starts = starts[starts < axis.n_values]  # missing is apart anyway
    cuts = tuple(axis.cut(int(start) - 1, int(start)) for start in starts)
    ranks = np.searchsorted(starts, axis.rank_of_code, side="right")
    ranks[-1] = len(cuts) + 1
    first, last = np.append(0, starts), np.append(starts, axis.n_values) - 1
    middles = axis.numbers[(first + last) // 2]
    middles[[0, -1]] = axis.numbers[[0, -1]]  # the column is as wide as before
    return replace(axis, rank_of_code=ranks, numbers=middles, borders=cuts)
