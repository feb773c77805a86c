# SPDX-License-Identifier: Apache-2.0
"""Detect groups of mutually exclusive items, such as one-hot values of a column: lacking all but one reveals that one.

They are detected from the rows alone, so that anyone can detect them in published files: no row has two items of a
group, and nearly every row has one. Groups grow from the most frequent item, each by the next item that shares no row
with it, unless that may well be chance: if a share u of the rows already has an item of the group, an unrelated item of
s rows misses them all with probability (1 - u)^s, and there are as many candidates as columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.data.baskets import Baskets
from discreet.foundation.compiled_kernels import compiled

COVERED = 0.95  # share of rows that must have an item of the group; values too rare to be items leave gaps
_CHANCE = 0.01  # probability that some unrelated item joins a group


def one_hot_groups(baskets: Baskets) -> list[tuple[int, ...]]:
    """Groups of two or more items such that no row has two of a group, and nearly all rows have one.

    >>> one_hot_groups(Baskets.of([[1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 1, 0]] * 10))
    [(0, 1)]
    """
    by_item, support, n_rows = baskets.columns, baskets.support, len(baskets)
    if baskets.weights is not None:
        item = np.repeat(np.arange(len(support)), np.diff(by_item.indptr))
        support = np.bincount(item, baskets.weights[by_item.indices], minlength=len(support)).astype(np.int64)
        n_rows = int(baskets.weights.sum())
    enough = int(np.ceil(COVERED * n_rows))
    order = np.argsort(-support, kind="stable")
    order = order[support[order] > 0]
    surprise = float(np.log(baskets.shape[1] / _CHANCE))
    group_of = _grow(
        by_item.indptr.astype(np.int64),
        by_item.indices.astype(np.int64),
        order,
        support.astype(np.int64),
        np.full(len(baskets), -1, dtype=np.int64),
        n_rows,
        enough,
        surprise,
    )
    return [tuple(np.flatnonzero(group_of == number).tolist()) for number in range(int(group_of.max(initial=-1)) + 1)]


def one_hot_note(baskets: Baskets, absences: int = 0, kept: Sequence[int] | None = None) -> list[str]:
    """A note on such groups for those who rely on containment; empty if there are none among the `kept` items."""
    chosen = set(range(baskets.shape[1]) if kept is None else kept)
    groups = [mine for group in one_hot_groups(baskets) if (mine := chosen.intersection(group))]
    if not groups:
        return []
    where = "" if kept is None else " of the source"
    covered = f"up to {absences} of them" if absences else "none of them"
    return [
        f"{sum(map(len, groups))} of the {len(chosen)} items belong to {len(groups)} group{'s' * (len(groups) > 1)}"
        f"{where} of which no row has two items and at least {COVERED:.0%} of the rows have one, as the values of a"
        f" column are: there, absences tell as much as presences. The promise covers {covered}; the verdict's details"
        " count what is left open."
    ]


@compiled
def _grow(indptr, indices, order, support, taken, n_rows, enough, surprise):
    """The group of each item, -1 for none; `taken` is the seed of the group that last covered each row."""
    group_of = np.full(len(indptr) - 1, -1, dtype=np.int64)
    members = np.empty(len(order), dtype=np.int64)
    n_groups = 0
    for seed in range(len(order)):
        first = order[seed]
        if group_of[first] >= 0:
            continue
        covered = 0
        size = 0
        for place in range(seed, len(order)):
            item = order[place]
            rows = indices[indptr[item] : indptr[item + 1]]
            if group_of[item] >= 0 or covered + support[item] > n_rows:
                continue
            if size > 0 and -np.log1p(-covered / n_rows) * support[item] < surprise:
                break  # may be chance, and the following items are no more frequent
            apart = True
            for row in rows:
                if taken[row] == seed:
                    apart = False
                    break
            if apart:
                for row in rows:
                    taken[row] = seed
                covered += support[item]
                members[size] = item
                size += 1
                if covered == n_rows:
                    break
        if size >= 2 and covered >= enough:
            for i in range(size):
                group_of[members[i]] = n_groups
            n_groups += 1
    return group_of
