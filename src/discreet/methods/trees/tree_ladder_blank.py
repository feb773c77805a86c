# SPDX-License-Identifier: Apache-2.0
"""Blank columns: where a column would say nothing in any row, sets that may be told apart by it are.

A set of rows that is published alike goes down the column's ladder as long as each part of it may be published. Only
sets whose pattern no other row of the leaf fits are taken, so that each row stays written as the finest pattern that it
fits. The largest sets come first, and a few are enough: the column then has two labels or more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.counting.coded_rows import DistinctRows
from discreet.foundation.compiled_kernels import compiled
from discreet.methods.trees.tree_ladder_climb import Met
from discreet.methods.trees.tree_ladder_rungs import Ladder

_EXAMINED = 64  # sets, for each column


def blank_columns(first: np.ndarray, last: np.ndarray, ladders: Sequence[Ladder]) -> list[int]:
    """The columns that are suppressed in every row, though they have two bins."""
    return [
        c
        for c, ladder in enumerate(ladders)
        if ladder.n_bins > 1 and (first[:, c] == 0).all() and (last[:, c] == ladder.n_bins - 1).all()
    ]


def revive(
    rows: DistinctRows,
    ladders: Sequence[Ladder],
    rungs: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
    column: int,
    met: Met,
) -> None:
    """Let large sets go down the ladder of a blank column: their rungs, and their first and last bins there, change."""
    sets, _, sizes = rows.alike([*first.T, *last.T], np.arange(len(rows)), ordered=False)
    spans = ladders[column].spans
    for chosen in np.argsort(-sizes, kind="stable")[:_EXAMINED]:
        members = np.flatnonzero(sets == chosen)
        low, high = first[members[0]], last[members[0]]
        if _more_fit(rows.codes, low, high, len(members)):
            continue
        rung = _lowest(ladders[column], rows.codes[members, column], members, met)
        rungs[members, column] = rung
        first[members, column] = spans[0][rung, rows.codes[members, column]]
        last[members, column] = spans[1][rung, rows.codes[members, column]]


@compiled
def _more_fit(codes, low, high, most):
    """Whether more than so many rows lie between `low` and `high` in all columns."""
    n = 0
    for i in range(len(codes)):
        inside = True
        for c in range(codes.shape[1]):
            if codes[i, c] < low[c] or codes[i, c] > high[c]:
                inside = False
                break
        n += inside
        if n > most:
            return True
    return False


def _lowest(ladder: Ladder, bins: np.ndarray, members: np.ndarray, met: Met) -> int:
    """The lowest rung on which every part of a set may be published."""
    rung = ladder.top
    while rung > 0:
        _, part = np.unique(ladder.bins[rung - 1][bins], return_inverse=True)
        if not met(part.ravel(), int(part.max()) + 1, members).all():
            break
        rung -= 1
    return rung
